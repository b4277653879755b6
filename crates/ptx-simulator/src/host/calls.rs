//! Calls: of functions of the program, each with its values, its frame and its part of the stack, and of
//! natives.

use super::code::{Code, Site, Step, Whom};
use super::natives::{Call, Given, Natives, Stop};
use super::steps::{Done, TICK};
use super::thread::{Activation, Host};
use crate::decode::FUNCTION_WINDOW;
use crate::diagnostic::Kind;
use crate::memory::{read, write};
use crate::simulator::Simulator;
use crate::what::thousands;

/// How deep functions that natives call may call natives that call functions. Each is a frame of the
/// simulator's own stack.
const MAX_INVOCATIONS: usize = 64;
/// Bytes of the host's stack, as on Linux.
const STACK_BYTES: u64 = 8 << 20;
/// Calls that may be open: more than the stack has room for.
const MAX_CALLS: usize = 1 << 17;
/// Steps that a native counts as, and bytes that it reads or writes in a further one.
const NATIVE_STEPS: u64 = 16;
const BYTES_PER_STEP: u64 = 8;

impl Host {
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
        if let Some(ret) = ret {
            self.give(frame + ret, given);
        }
        Ok(())
    }

    /// Writes what a native gave back to a place of the frames.
    fn give(&mut self, start: usize, given: Given) {
        let (words, bytes) = given.words();
        self.undefined.define_frame(start, bytes);
        let Some(to) = self.frames.get_mut(start..start + bytes) else { return };
        for (to, word) in to.chunks_mut(8).zip(words) {
            write(to, word);
        }
    }
}
