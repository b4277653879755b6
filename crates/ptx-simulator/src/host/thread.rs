//! The host's thread: its calls, its stack, and the loop that runs it.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Code, Rare, Site, Step, Whom};
use super::undefined::{Lost, Origin, Undefined};
use crate::arith::combine;
use crate::decode::lines::is_header;
use crate::decode::{FUNCTION_WINDOW, Program};
use crate::diagnostic::{Access, Diagnostic, Kind, Matters, Region, Spot, What, thousands};
use crate::memory::{Memory, Owner, Wrong, extend, read, span, write};
use crate::simulator::{Module, Simulator};
use crate::words::of_bytes;

/// How deep functions that natives call may call natives that call functions. Each is a frame of the
/// simulator's own stack.
const MAX_INVOCATIONS: usize = 64;

/// Bytes of the host's stack, as on Linux.
const STACK_BYTES: u64 = 8 << 20;
/// Bytes of it that there are at first.
const FIRST_STACK_BYTES: u64 = 16 << 10;
/// Calls that may be open: more than the stack has room for.
const MAX_CALLS: usize = 1 << 17;
/// Steps between two looks at [`Natives::tick`].
const TICK: u32 = 1 << 20;
/// Steps that a native counts as, and bytes that it reads or writes in a further one.
const NATIVE_STEPS: u64 = 16;
const BYTES_PER_STEP: u64 = 8;

/// Why the thread stopped.
#[derive(Debug)]
pub enum Stop {
    /// The program has ended itself: `exit`, with its status.
    Exit(i32),
    /// Something is wrong that ends it.
    Fault(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Stop {
    fn from(found: Box<Diagnostic>) -> Stop {
        Stop::Fault(found)
    }
}

/// What a native gives back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given {
    /// Nothing.
    Nothing,
    /// 32 bits, of whatever type.
    Word(u32),
    /// 64 bits.
    Long(u64),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
    /// A structure of two words of 64 bits.
    Pair([u64; 2]),
}

/// The functions that the program calls and does not define.
pub trait Natives {
    /// The number of the function that has this name, if there is one.
    fn find(&self, name: &str) -> Option<u32>;

    /// Calls one.
    ///
    /// # Errors
    /// The program ends by it.
    fn call(&mut self, native: u32, call: &mut Call) -> Result<Given, Stop>;

    /// Is called now and then while the program runs.
    ///
    /// # Errors
    /// The program has run for long enough, or has what it may not.
    fn tick(&mut self, host: &Host, simulator: &Simulator) -> Result<(), Stop>;
}

/// A call of a native.
pub struct Call<'c> {
    /// The thread that calls.
    pub host: &'c mut Host,
    /// The memory.
    pub simulator: &'c mut Simulator,
    /// Where the arguments lie in the caller's frame.
    args: &'c [usize],
}

impl<'c> Call<'c> {
    /// What is done at the end of the program, as a call without arguments.
    pub fn at_end(host: &'c mut Host, simulator: &'c mut Simulator) -> Call<'c> {
        Call { host, simulator, args: &[] }
    }
}

impl Call<'_> {
    /// How many arguments there are.
    pub fn count(&self) -> usize {
        self.args.len()
    }

    /// `bytes` bytes (at most eight) of argument `number`, from `offset` on. An argument that is not there is
    /// 0.
    pub fn part(&self, number: usize, offset: usize, bytes: usize) -> u64 {
        let Some(start) = self.args.get(number) else { return 0 };
        self.host.frames.get(span((self.host.frame + start + offset) as u64, bytes)).map_or(0, read)
    }

    /// An argument of 64 bits.
    pub fn long(&self, number: usize) -> u64 {
        self.part(number, 0, 8)
    }

    /// An argument of 32 bits.
    pub fn word(&self, number: usize) -> u32 {
        self.part(number, 0, 4) as u32
    }

    /// A `float`.
    pub fn float(&self, number: usize) -> f32 {
        f32::from_bits(self.word(number))
    }

    /// A `double`.
    pub fn double(&self, number: usize) -> f64 {
        f64::from_bits(self.long(number))
    }

    /// An access that a native does for the program is wrong: what is said, at the line of the call.
    pub fn wrong(&self, does: Access, address: u64, bytes: usize, wrong: Wrong) -> Box<Diagnostic> {
        self.host.wrong(&self.simulator.memory, does, (address, bytes), wrong)
    }

    /// Notes what a native does to memory for the program, as the thread's own accesses are noted.
    pub fn note(&mut self, does: Access, address: u64, bytes: usize) {
        let memory = &mut self.simulator.memory;
        if !memory.noting {
            return;
        }
        let (function, pc) = self.host.here;
        let inst = self.host.program.functions.get(function).and_then(|open| open.code.get(pc as usize));
        let loc = inst.map_or(0, |inst| inst.loc);
        memory.note(address, bytes as u64, does != Access::Load, loc);
    }

    /// Whether the first `bytes` bytes of an argument have been written; else where they were read.
    fn undefined(&self, number: usize, bytes: usize) -> Option<Origin> {
        let start = self.host.frame + self.args.get(number)?;
        (start..start + bytes).find_map(|byte| self.host.undefined.in_frames(byte))
    }

    /// What is said of an argument that was never written, if there is one.
    pub fn unwritten_argument(&self) -> Option<Lost> {
        if !self.host.undefined.is_any() {
            return None;
        }
        // No argument is shorter.
        let read = (0..self.count()).find_map(|number| self.undefined(number, 4))?;
        let found = Undefined::said(Matters::Argument, self.host.place(), self.host.place_at(read.loc));
        Some(Lost { found, read: (read.address, read.bytes), at: self.host.steps })
    }
}

/// A function that is being run.
#[derive(Clone, Copy, Debug)]
struct Activation {
    /// Its number among all calls, in their order.
    number: u64,
    function: usize,
    /// Where its values start, its part of the frames, and its variables on the stack.
    values: usize,
    frame: usize,
    locals: u64,
    /// The frame of its caller.
    caller: usize,
    /// Where it goes on.
    at: usize,
    /// Where the caller wants its result.
    ret: Option<usize>,
}

/// The thread.
pub struct Host {
    program: Arc<Program>,
    globals: Vec<u64>,
    codes: Vec<OnceCell<Rc<Code>>>,
    /// The natives of the functions that the module does not define.
    natives: Vec<Option<u32>>,
    /// The values of all open functions, those of the one that runs last.
    pub(super) values: Vec<u64>,
    /// The parameters of all open functions and of their calls.
    pub(super) frames: Vec<u8>,
    pub(super) frame: usize,
    /// The host's stack, and the next free byte of it.
    stack: u64,
    free: u64,
    calls: Vec<Activation>,
    /// Calls so far.
    called: u64,
    pub(super) undefined: Undefined,
    /// Findings that did not end the program.
    pub(super) found: Vec<Lost>,
    /// The instructions that one of these is about, as in `here`.
    said: FxHashSet<(usize, u32)>,
    steps: u64,
    /// How many functions run that natives have called.
    invocations: usize,
    /// Where the thread is: the function, and the instruction.
    here: (usize, u32),
    /// How often it was at a line when the clock ticked.
    ticks: FxHashMap<u32, u64>,
}

/// The place of a line of the program's line table.
fn place_at(program: &Program, loc: u32) -> Option<(String, u32)> {
    let (file, line) = program.place(loc, 0);
    file.zip(line)
}

/// The places of the calls that are open, the innermost first, which is at `here`.
fn open_places<'h>(
    program: &'h Program,
    codes: &'h [OnceCell<Rc<Code>>],
    calls: &'h [Activation],
    here: (usize, u32),
) -> impl Iterator<Item = (String, u32)> + 'h {
    let callers = calls.iter().rev().skip(1).filter_map(|open| {
        let code = codes[open.function].get()?;
        let pc = code.from.get(open.at.saturating_sub(1))?;
        Some((open.function, *pc))
    });
    [here].into_iter().chain(callers).filter_map(|(function, pc)| {
        let inst = program.functions.get(function)?.code.get(pc as usize)?;
        let (file, line) = program.place(inst.loc, inst.line);
        file.zip(line)
    })
}

/// The innermost place that is not in a header of a library; the innermost if all are.
fn own(places: impl Iterator<Item = (String, u32)>) -> Option<(String, u32)> {
    let mut innermost = None;
    for place in places {
        if !is_header(&place.0) {
            return Some(place);
        }
        innermost = innermost.or(Some(place));
    }
    innermost
}

impl Host {
    /// The thread of the program in `module`. `owner` says whose its variables are, by the names that PTX has
    /// for them.
    ///
    /// # Errors
    /// There is no room for its variables or its stack; a function is called that is neither there nor
    /// native.
    pub fn new(
        simulator: &mut Simulator,
        module: &Module,
        natives: &dyn Natives,
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
        let natives = program.externals.iter().map(|name| natives.find(name)).collect();
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

    /// Where the program is: file and line, in a header of a library only if nothing else has called it.
    pub fn place(&self) -> Option<(String, u32)> {
        own(self.places())
    }

    /// The place of a line of the program's line table.
    pub fn place_at(&self, loc: u32) -> Option<(String, u32)> {
        place_at(&self.program, loc)
    }

    /// The places of all calls that are open, the innermost first.
    pub fn places(&self) -> impl Iterator<Item = (String, u32)> + '_ {
        open_places(&self.program, &self.codes, &self.calls, self.here)
    }

    /// The line at which the thread has been most often: for what takes long.
    pub fn busiest(&self) -> Option<(String, u32)> {
        let (loc, _) = self.ticks.iter().max_by_key(|(_, count)| **count)?;
        let (file, line) = self.program.place(*loc, 0);
        file.zip(line)
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

    fn code(&self, function: usize) -> Rc<Code> {
        let code = self.codes[function]
            .get_or_init(|| Rc::new(Code::of(&self.program.functions[function], &self.globals)));
        code.clone()
    }

    /// Calls the function at an address, with an argument for each of its parameters, and runs it to its end:
    /// what it returns, in the low bytes.
    ///
    /// # Errors
    /// The program ends in it.
    pub fn invoke(
        &mut self,
        simulator: &mut Simulator,
        natives: &mut dyn Natives,
        function: u64,
        args: &[u64],
    ) -> Result<u64, Stop> {
        let number = self.number_of(function)?;
        let depth = self.calls.len();
        let before = (self.frame, self.frames.len(), self.here);
        // A frame of its own for what goes in and what comes back.
        const RESULT: usize = 16;
        self.frame = self.frames.len();
        let program = self.program.clone();
        let params = &program.functions[number].params;
        let mut offsets = Vec::new();
        self.frames.resize(self.frame + RESULT, 0);
        for (param, value) in params.iter().zip(args) {
            let start = self.frames.len().next_multiple_of(16);
            self.frames.resize(start + param.bytes.max(8), 0);
            write(&mut self.frames[start..start + param.bytes.min(8)], *value);
            offsets.push(start - self.frame);
        }
        if self.calls.is_empty() {
            self.here = (number, 0); // nobody calls it
        }
        self.enter(simulator, number, &offsets, Some(0))?;
        if self.invocations == MAX_INVOCATIONS {
            let what = "the host's stack is full: functions that the library calls back call each other";
            let help = "end the recursion, or let the function call itself";
            return Err(self.fault(Kind::MemoryLimit, what, help).into());
        }
        self.invocations += 1;
        let ran = self.run(simulator, natives, depth);
        self.invocations -= 1;
        ran?;
        let result = read(&self.frames[self.frame..self.frame + 8]);
        (self.frame, _, self.here) = before;
        self.frames.truncate(before.1);
        Ok(result)
    }

    /// The function at an address.
    fn number_of(&self, address: u64) -> Result<usize, Stop> {
        let number = address.checked_sub(FUNCTION_WINDOW).and_then(|number| usize::try_from(number).ok());
        let (what, help) = match number.and_then(|number| self.program.functions.get(number)) {
            Some(function) if !function.is_entry => return Ok(number.unwrap_or_default()),
            Some(kernel) => (
                format!("the kernel `{}` is called as a function", kernel.name),
                "launch it, or point to a function of the host",
            ),
            None => (
                format!("a call goes to {address:#x}, where there is no function"),
                "check where this function pointer comes from",
            ),
        };
        Err(self.fault(Kind::OutOfBounds, what, help).into())
    }

    /// A diagnostic where the thread is.
    pub fn fault(&self, kind: Kind, what: impl Into<What>, help: &str) -> Box<Diagnostic> {
        let (file, line) = self.place().unzip();
        let found = Diagnostic { file, line, ..Diagnostic::new(kind, what, help) };
        Box::new(found)
    }

    /// Opens a call of `function`, whose arguments lie at `args` in the frame of the one that runs.
    fn enter(
        &mut self,
        simulator: &mut Simulator,
        number: usize,
        args: &[usize],
        ret: Option<usize>,
    ) -> Result<(), Stop> {
        let function = &self.program.functions[number];
        let code = self.code(number);
        let values = self.values.len();
        self.values.resize(values + code.values, 0);
        self.values[values + code.first_constant..].copy_from_slice(&code.constants);
        let frame = self.frames.len().next_multiple_of(16);
        self.frames.resize(frame + function.frame_bytes, 0);
        for (param, start) in function.params.iter().zip(args) {
            let from = self.frame + start;
            self.frames.copy_within(from..from + param.bytes, frame + param.offset);
            self.undefined.pass(from, frame + param.offset, param.bytes);
        }
        let locals = self.free.next_multiple_of(16);
        let end = locals + function.local_bytes as u64;
        let has = simulator.memory.allocation(self.stack).map_or(0, |(_, bytes)| bytes);
        let is_full = end > STACK_BYTES || self.calls.len() >= MAX_CALLS;
        let mut grows = || end <= has || simulator.memory.grow(self.stack, (2 * has).max(end) as usize);
        if is_full || !grows() {
            let what = format!(
                "the host's stack is full: {} calls are open, and it has {} bytes",
                thousands(self.calls.len() as u64),
                thousands(STACK_BYTES)
            );
            let help = "a recursion does not end, or an array in a function is too large: allocate it by new \
                        or malloc";
            return Err(self.fault(Kind::MemoryLimit, what, help).into());
        }
        if function.local_bytes > 0 {
            simulator.memory.forget(self.stack + locals, function.local_bytes);
            self.undefined.forget(self.stack + locals, function.local_bytes);
        }
        self.free = end;
        self.values[values + function.registers + function.predicates] = self.stack + locals;
        self.called += 1;
        self.calls.push(Activation {
            number: self.called,
            function: number,
            values,
            frame,
            locals,
            caller: self.frame,
            at: 0,
            ret,
        });
        self.frame = frame;
        Ok(())
    }

    /// Closes the call that runs; its result goes to its caller's frame.
    fn leave(&mut self) {
        let Some(ended) = self.calls.pop() else { return };
        let function = &self.program.functions[ended.function];
        if let (Some(param), Some(ret)) = (&function.returns, ended.ret) {
            let from = ended.frame + param.offset;
            self.frames.copy_within(from..from + param.bytes, ended.caller + ret);
            self.undefined.pass(from, ended.caller + ret, param.bytes);
        }
        self.undefined.close(ended.values, ended.frame);
        self.values.truncate(ended.values);
        self.frames.truncate(ended.frame);
        self.free = ended.locals;
        self.frame = ended.caller;
    }

    /// Runs until only `depth` calls are open.
    fn run(
        &mut self,
        simulator: &mut Simulator,
        natives: &mut dyn Natives,
        depth: usize,
    ) -> Result<(), Stop> {
        while self.calls.len() > depth {
            let done = if self.undefined.is_any() {
                self.run_function::<true>(simulator)?
            } else {
                self.run_function::<false>(simulator)?
            };
            match done {
                Done::Calls(code, step) => self.call(simulator, natives, &code, step)?,
                Done::Returns => self.leave(),
                Done::Ticks => self.tick(simulator, natives)?,
                Done::Follows => {}
            }
        }
        Ok(())
    }

    fn tick(&mut self, simulator: &Simulator, natives: &mut dyn Natives) -> Result<(), Stop> {
        *self.ticks.entry(self.loc()).or_default() += 1;
        natives.tick(self, simulator)
    }

    /// The line where the thread is.
    fn loc(&self) -> u32 {
        let (function, pc) = self.here;
        self.program.functions[function].code[pc as usize].loc
    }

    /// Runs the function on top until it calls, returns, or is to be looked at; with `FOLLOWS`, values that
    /// were never written are followed.
    fn run_function<const FOLLOWS: bool>(&mut self, simulator: &mut Simulator) -> Result<Done, Stop> {
        let Some(open) = self.calls.last().copied() else { return Ok(Done::Returns) };
        let code = self.code(open.function);
        let memory = &mut simulator.memory;
        let values = &mut self.values[open.values..];
        let steps = &code.steps[..];
        let mut at = open.at;
        let mut left = TICK;
        macro_rules! get {
            ($slot:expr) => {
                values[*$slot as usize]
            };
        }
        // Leaves the loop: where the thread is has to be known to whoever comes next.
        macro_rules! stop {
            ($next:expr, $done:expr) => {{
                self.steps += u64::from(TICK - left);
                self.here = (open.function, code.from[at]);
                let last = self.calls.len() - 1;
                self.calls[last].at = $next;
                return $done;
            }};
        }
        macro_rules! loc {
            () => {
                self.program.functions[open.function].code[code.from[at] as usize].loc
            };
        }
        macro_rules! load {
            ($base:expr, $offset:expr, $bytes:expr, $d:expr, $signed:expr) => {{
                let address = get!($base).wrapping_add(*$offset as u64);
                if memory.noting {
                    memory.note(address, $bytes as u64, false, loc!());
                }
                match memory.host_load(address, $bytes) {
                    Ok((value, 0)) => {
                        get!($d) = if $signed { extend(value, $bytes as u32, true) } else { value };
                        if FOLLOWS {
                            self.undefined.clear(open.values + *$d as usize);
                        }
                    }
                    Ok((value, lost)) => {
                        get!($d) = if $signed { extend(value, $bytes as u32, true) } else { value };
                        let read = Origin { loc: loc!(), address, bytes: $bytes as u8 };
                        self.undefined.load(open.values + *$d as usize, lost, $signed, read);
                        if !FOLLOWS {
                            stop!(at + 1, Ok(Done::Follows));
                        }
                    }
                    Err(wrong) => {
                        stop!(at, Err(self.wrong(memory, Access::Load, (address, $bytes), wrong).into()))
                    }
                }
            }};
        }
        macro_rules! store {
            ($base:expr, $offset:expr, $bytes:expr, $s:expr) => {{
                let address = get!($base).wrapping_add(*$offset as u64);
                if memory.noting {
                    memory.note(address, $bytes as u64, true, loc!());
                }
                let lost = if FOLLOWS { self.undefined.bytes(open.values + *$s as usize) } else { 0 };
                if lost != 0 {
                    self.undefined.store(open.values + *$s as usize, address);
                }
                if let Err(wrong) = memory.host_store(address, $bytes, get!($s), lost) {
                    stop!(at, Err(self.wrong(memory, Access::Store, (address, $bytes), wrong).into()))
                }
            }};
        }
        loop {
            if left == 0 {
                stop!(at, Ok(Done::Ticks));
            }
            left -= 1;
            let step = &steps[at];
            if FOLLOWS {
                if !self.undefined.is_any() {
                    stop!(at, Ok(Done::Follows));
                }
                let function = &self.program.functions[open.function];
                if let Some((matters, read)) =
                    self.undefined.follow(function, &code, at, values, (open.values, self.frame))
                {
                    self.here = (open.function, code.from[at]);
                    if self.said.insert(self.here) {
                        let place = own(open_places(&self.program, &self.codes, &self.calls, self.here));
                        let found = Undefined::said(matters, place, place_at(&self.program, read.loc));
                        // A loop that the compiler has unrolled has several instructions for a line.
                        if !self.found.iter().any(|known| known.found == found) {
                            let at = self.steps + u64::from(TICK - left);
                            self.found.push(Lost { found, read: (read.address, read.bytes), at });
                        }
                    }
                }
            }
            match step {
                Step::Move { d, a } => get!(d) = get!(a),
                Step::Add64 { d, a, b } => get!(d) = get!(a).wrapping_add(get!(b)),
                Step::Add32 { d, a, b } => get!(d) = u64::from((get!(a) as u32).wrapping_add(get!(b) as u32)),
                Step::Alu { f, d, a, b, c } => get!(d) = f(get!(a), get!(b), get!(c)),
                Step::Load4 { base, d, offset } => load!(base, offset, 4, d, false),
                Step::Load8 { base, d, offset } => load!(base, offset, 8, d, false),
                Step::Load { base, d, offset, bytes, signed } => {
                    load!(base, offset, usize::from(*bytes), d, *signed)
                }
                Step::Store4 { base, s, offset } => store!(base, offset, 4, s),
                Step::Store8 { base, s, offset } => store!(base, offset, 8, s),
                Step::Store { base, s, offset, bytes } => store!(base, offset, usize::from(*bytes), s),
                Step::Test { f, d, a, b, negated } => get!(d) = u64::from(f(get!(a), get!(b)) != *negated),
                Step::TestJump { f, d, a, b, to, negated, if_not } => {
                    let holds = f(get!(a), get!(b)) != *negated;
                    get!(d) = u64::from(holds);
                    if holds != *if_not {
                        at = *to as usize;
                        continue;
                    }
                }
                Step::Jump { to } => {
                    at = *to as usize;
                    continue;
                }
                Step::JumpIf { p, negated, to } => {
                    if (get!(p) != 0) != *negated {
                        at = *to as usize;
                        continue;
                    }
                }
                Step::SkipUnless { p, negated, to } => {
                    if (get!(p) != 0) == *negated {
                        at = *to as usize;
                        continue;
                    }
                }
                Step::Select { d, a, b, p, negated } => {
                    get!(d) = if (get!(p) != 0) != *negated { get!(a) } else { get!(b) };
                }
                Step::LoadParam { d, offset, bytes, signed } => {
                    let start = self.frame + *offset as usize;
                    let value = read(&self.frames[start..start + usize::from(*bytes)]);
                    get!(d) = extend(value, u32::from(*bytes), *signed);
                }
                Step::StoreParam { s, offset, bytes } => {
                    let start = self.frame + *offset as usize;
                    write(&mut self.frames[start..start + usize::from(*bytes)], get!(s));
                }
                Step::Rare(rare) => match &**rare {
                    Rare::Switch { index, to } => match to.get(get!(index) as u32 as usize) {
                        Some(to) => {
                            at = *to as usize;
                            continue;
                        }
                        None => stop!(at, Err(self.lost_way().into())),
                    },
                    Rare::LoadMany { base, offset, d, bytes, signed } => {
                        for (number, d) in d.iter().enumerate() {
                            let offset = offset + (number * bytes) as i64;
                            load!(base, &offset, *bytes, d, *signed);
                        }
                    }
                    Rare::StoreMany { base, offset, s, bytes } => {
                        for (number, s) in s.iter().enumerate() {
                            let offset = offset + (number * bytes) as i64;
                            store!(base, &offset, *bytes, s);
                        }
                    }
                    Rare::Atomic { base, offset, op, bytes, d, b, c } => {
                        let address = get!(base).wrapping_add(*offset as u64);
                        let width = *bytes as usize;
                        let loaded = memory.host_load(address, width).map(|(old, _)| {
                            let new = combine(*op, *bytes, old, get!(b), get!(c));
                            (old, memory.host_store(address, width, new, 0))
                        });
                        match loaded {
                            Ok((old, Ok(()))) => get!(d) = old,
                            Ok((_, Err(wrong))) | Err(wrong) => {
                                let does = Access::Atomic { returns: true };
                                stop!(at, Err(self.wrong(memory, does, (address, width), wrong).into()))
                            }
                        }
                    }
                    Rare::Trap => stop!(at, Err(self.trap().into())),
                    Rare::Exit => stop!(at, Err(Stop::Exit(0))),
                    Rare::Unsupported(opcode) => stop!(at, Err(self.unsupported(opcode).into())),
                    rare => {
                        let inst = &self.program.functions[open.function].code[code.from[at] as usize];
                        let function = &self.program.functions[open.function];
                        let frame = &mut self.frames[self.frame..];
                        super::values::execute(rare, &inst.op, function, values, frame, self.steps);
                    }
                },
                Step::Call(_) => stop!(at + 1, Ok(Done::Calls(code.clone(), at))),
                Step::Return => stop!(at, Ok(Done::Returns)),
            }
            at += 1;
        }
    }

    /// Does the call that stands at a step of `code`.
    fn call(
        &mut self,
        simulator: &mut Simulator,
        natives: &mut dyn Natives,
        code: &Code,
        step: usize,
    ) -> Result<(), Stop> {
        let Step::Call(site) = &code.steps[step] else { return Ok(()) };
        let Site { callee, args, ret } = &**site;
        let number = match callee {
            Whom::Function(number) => *number,
            Whom::External(name) => return self.call_native(simulator, natives, *name, (args, *ret)),
            Whom::Pointer(slot) => {
                let values = self.calls.last().map_or(0, |open| open.values);
                let address = self.values[values + *slot as usize];
                let defined = self.program.functions.len() as u64;
                match address.checked_sub(FUNCTION_WINDOW + defined) {
                    Some(name) if name < self.natives.len() as u64 => {
                        return self.call_native(simulator, natives, name as u32, (args, *ret));
                    }
                    _ => self.number_of(address)?,
                }
            }
        };
        self.enter(simulator, number, args, *ret)
    }

    fn call_native(
        &mut self,
        simulator: &mut Simulator,
        natives: &mut dyn Natives,
        name: u32,
        (args, ret): (&[usize], Option<usize>),
    ) -> Result<(), Stop> {
        let Some(native) = self.natives[name as usize] else {
            let name = &self.program.externals[name as usize];
            let what = format!("the host calls `{name}`, which nothing here defines");
            let help = "define it in the program, or do without it";
            return Err(self.fault(Kind::UnsupportedInstruction, what, help).into());
        };
        let frame = self.frame;
        let here = self.here;
        simulator.moved.set(0);
        let given = natives.call(native, &mut Call { host: self, simulator, args })?;
        self.frame = frame;
        self.here = here;
        let before = self.steps;
        self.steps += NATIVE_STEPS + simulator.moved.take() / BYTES_PER_STEP;
        if before / u64::from(TICK) != self.steps / u64::from(TICK) {
            self.tick(simulator, natives)?;
        }
        let Some(ret) = ret else { return Ok(()) };
        let start = frame + ret;
        let (value, bytes) = match given {
            Given::Nothing => return Ok(()),
            Given::Pair([first, second]) => {
                self.undefined.define_frame(start, 16);
                for (at, word) in [(start, first), (start + 8, second)] {
                    if let Some(to) = self.frames.get_mut(at..at + 8) {
                        write(to, word);
                    }
                }
                return Ok(());
            }
            Given::Word(word) => (u64::from(word), 4),
            Given::Long(long) => (long, 8),
            Given::Float(value) => (u64::from(value.to_bits()), 4),
            Given::Double(value) => (value.to_bits(), 8),
        };
        self.undefined.define_frame(start, bytes);
        if let Some(to) = self.frames.get_mut(start..start + bytes) {
            write(to, value);
        }
        Ok(())
    }

    fn trap(&self) -> Box<Diagnostic> {
        let help = "an assertion failed here, or the compiler has put this in place of what is undefined: an \
                    access through a null pointer, a function that returns nothing";
        self.fault(Kind::Trap, "the program stopped itself with `trap`", help)
    }

    fn lost_way(&self) -> Box<Diagnostic> {
        let help = "this is a compiler's jump table: the program went wrong earlier";
        self.fault(Kind::OutOfBounds, "an indexed branch leads nowhere", help)
    }

    fn unsupported(&self, opcode: &str) -> Box<Diagnostic> {
        let what = format!("the simulator does not know `{opcode}` in the host's code");
        self.fault(Kind::UnsupportedInstruction, what, "write this line another way")
    }

    /// An access of the host that is wrong.
    #[cold]
    fn wrong(
        &self,
        memory: &Memory,
        does: Access,
        (address, bytes): (u64, usize),
        wrong: Wrong,
    ) -> Box<Diagnostic> {
        let words = of_bytes(does, bytes as u32);
        match wrong {
            Wrong::OtherSide { number, .. } => {
                let name = match memory.name(number) {
                    Region::Variable(name) => format!(" (`{name}`)"),
                    _ => String::new(),
                };
                let help = "copy what it points to into host memory first (cudaMemcpy with \
                            cudaMemcpyDeviceToHost), or allocate it by cudaMallocManaged";
                let what = format!("{words} by the host in device memory{name}, which it does not reach");
                self.fault(Kind::HostAccess, what, help)
            }
            Wrong::Outside { number, offset, bytes: size } => {
                let spot = Spot::new(memory.name(number), offset, Some(size));
                let what = What::Outside { does, bytes: bytes as u32, spot };
                let help = "compare the index with the number of elements before this line";
                self.fault(Kind::OutOfBounds, what, help)
            }
            Wrong::Freed => {
                let what = format!("{words} in memory that has been freed");
                self.fault(Kind::UseAfterFree, what, "free it after its last use")
            }
            Wrong::NoAllocation if address >> 20 == 0 => {
                let what = format!("{words} at address {address:#x}, through a null pointer");
                self.fault(Kind::OutOfBounds, what, "let the pointer point to something before this line")
            }
            Wrong::NoAllocation => {
                let what = format!("{words} at address {address:#x}, where nothing has been allocated");
                self.fault(Kind::OutOfBounds, what, "let the pointer point to something before this line")
            }
        }
    }
}

/// Why the loop was left.
enum Done {
    /// It calls: the step.
    Calls(Rc<Code>, usize),
    Returns,
    Ticks,
    /// A value that was never written was read, or is followed no more.
    Follows,
}
