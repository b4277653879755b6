//! The host's thread: what it consists of, and what one may ask it.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::undefined::{Lost, Origin, Undefined};
use crate::decode::{FUNCTION_WINDOW, Program};
use crate::diagnostic::{Diagnostic, Kind};
use crate::memory::Owner;
use crate::simulator::{Module, Simulator};

/// Bytes of the stack that there are at first.
const FIRST_STACK_BYTES: u64 = 16 << 10;

/// A function that is being run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Activation {
    /// Its number among all calls, in their order.
    pub number: u64,
    pub function: usize,
    /// Where its values start, its part of the frames, and its variables on the stack.
    pub values: usize,
    pub frame: usize,
    pub locals: u64,
    /// The frame of its caller.
    pub caller: usize,
    /// Where it goes on.
    pub at: usize,
    /// Where the caller wants its result.
    pub ret: Option<usize>,
}

/// The thread.
pub struct Host {
    pub(super) program: Arc<Program>,
    pub(super) globals: Vec<u64>,
    pub(super) codes: Vec<OnceCell<Rc<Code>>>,
    /// The natives of the functions that the module does not define.
    pub(super) natives: Vec<Option<u32>>,
    /// The values of all open functions, those of the one that runs last.
    pub(super) values: Vec<u64>,
    /// The parameters of all open functions and of their calls.
    pub(super) frames: Vec<u8>,
    pub(super) frame: usize,
    /// The host's stack, and the next free byte of it.
    pub(super) stack: u64,
    pub(super) free: u64,
    pub(super) calls: Vec<Activation>,
    /// Calls so far.
    pub(super) called: u64,
    pub(super) undefined: Undefined,
    /// Findings that did not end the program.
    pub(super) found: Vec<Lost>,
    /// The instructions that one of these is about, as in `here`.
    pub(super) said: FxHashSet<(usize, u32)>,
    pub(super) steps: u64,
    /// How many functions run that natives have called.
    pub(super) invocations: usize,
    /// Where the thread is: the function, and the instruction.
    pub(super) here: (usize, u32),
    /// How often it was at a line when the clock ticked.
    pub(super) ticks: FxHashMap<u32, u64>,
}

impl Host {
    /// The thread of the program in `module`. `find` gives the number of a native by its name; `owner` says
    /// whose its variables are, by the names that PTX has for them.
    ///
    /// # Errors
    /// There is no room for its variables or its stack; a function is called that is neither there nor
    /// native.
    pub fn new(
        simulator: &mut Simulator,
        module: &Module,
        find: impl Fn(&str) -> Option<u32>,
        owner: impl Fn(&str) -> Owner,
    ) -> Result<Host, Box<Diagnostic>> {
        let globals = simulator.load_program(module, owner)?;
        let program = module.program();
        let stack =
            simulator.memory.alloc_for(Owner::Stack, FIRST_STACK_BYTES, "the stack").ok_or_else(|| {
                let what = "no room for the host's stack";
                Box::new(Diagnostic::of_host(
                    Kind::MemoryLimit,
                    None,
                    what,
                    "allow the simulator more memory",
                ))
            })?;
        let natives = program.externals.iter().map(|name| find(name)).collect();
        let codes = program.functions.iter().map(|_| OnceCell::new()).collect();
        Ok(Host {
            program,
            globals,
            codes,
            natives,
            values: Vec::new(),
            frames: Vec::new(),
            frame: 0,
            stack,
            free: 0,
            calls: Vec::new(),
            called: 0,
            undefined: Undefined::default(),
            found: Vec::new(),
            said: FxHashSet::default(),
            steps: 0,
            invocations: 0,
            here: (0, 0),
            ticks: FxHashMap::default(),
        })
    }

    /// The functions that the module does not define and no native stands for, which those that can be
    /// reached from `function` call: names, and the first line of each.
    pub fn missing(&self, function: &str) -> Vec<(String, Option<(String, u32)>)> {
        use crate::decode::{Callee, Op};
        let mut missing: Vec<(String, Option<(String, u32)>)> = Vec::new();
        let mut reached = vec![false; self.program.functions.len()];
        let mut next: Vec<usize> = self.program.by_name.get(function).copied().into_iter().collect();
        while let Some(number) = next.pop() {
            if std::mem::replace(&mut reached[number], true) {
                continue;
            }
            let function = &self.program.functions[number];
            next.extend(&function.calls);
            for inst in &function.code {
                let Op::Call { callee: Callee::External { name, .. }, .. } = inst.op else { continue };
                let name_of = &self.program.externals[name as usize];
                if self.natives[name as usize].is_none() && !missing.iter().any(|(known, _)| known == name_of)
                {
                    let place = self.program.place(inst.loc, inst.line);
                    missing.push((name_of.clone(), place.0.zip(place.1)));
                }
            }
        }
        missing
    }

    /// The address of a function of the program, and how many parameters it has.
    pub fn function(&self, name: &str) -> Option<(u64, usize)> {
        let number = *self.program.by_name.get(name)?;
        Some((FUNCTION_WINDOW + number as u64, self.program.functions[number].params.len()))
    }

    /// The name of the function at an address: a kernel, say.
    pub fn name_at(&self, address: u64) -> Option<&str> {
        let number = usize::try_from(address.checked_sub(FUNCTION_WINDOW)?).ok()?;
        self.program.functions.get(number).map(|function| &*function.name)
    }

    /// Names of the functions that the module defines.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.program.functions.iter().map(|function| &*function.name)
    }

    /// The number of the call that is open, among all so far.
    pub fn innermost_call(&self) -> Option<u64> {
        self.calls.last().map(|open| open.number)
    }

    /// Whether that call has not returned yet.
    pub fn is_open(&self, call: u64) -> bool {
        self.calls.binary_search_by_key(&call, |open| open.number).is_ok()
    }

    /// Steps that it has done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What was found so far that did not end the program.
    pub fn take_found(&mut self) -> Vec<Lost> {
        std::mem::take(&mut self.found)
    }

    /// Where in memory a value of so many bytes comes from that was never written and is read at `address`.
    pub fn origin(&self, address: u64, bytes: u8) -> (u64, u8) {
        let origin = self.undefined.origin(Origin { loc: 0, address, bytes });
        (origin.address, origin.bytes)
    }

    pub(super) fn code(&self, function: usize) -> Rc<Code> {
        let code = self.codes[function]
            .get_or_init(|| Rc::new(Code::of(&self.program.functions[function], &self.globals)));
        code.clone()
    }
}
