//! Runs one warp: fetches an instruction, does it for the active lanes, says what happened.

use super::alu::{Lanes, WARP, each};
use super::diagnostic::{Diagnostic, Kind, Severity};
use super::memory::{self, Memory, Wrong};
use super::observe::{Access, Actor, Observer, Request, Ways};
use super::program::*;
use super::ptx::Space;
use super::undefined;
use super::warp::{Split, Wait, Warp, thread_index};

/// The sixteen barriers of a block (PTX ISA 9.7.13.1).
pub const BARRIERS: usize = 16;

/// Calls of device functions that a thread may have open: a GPU's default stack of 1 KiB holds far fewer.
const MOST_CALLS: u32 = 1024;

/// A block barrier in one of its rounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Barrier {
    /// Threads that have arrived, and how many must (0: all of the block).
    pub arrived: u32,
    expected: u32,
    round: u64,
    /// `bar.red` over the threads that have arrived, and the result of the last finished round.
    count: u32,
    threads: u32,
    result: (u32, u32),
}

/// What a block has besides its warps.
#[derive(Debug)]
pub struct BlockState {
    pub index: [u32; 3],
    pub linear: u64,
    pub threads: u32,
    pub exited: u32,
    pub shared: Vec<u8>,
    /// Which bytes of it have been written; kept under checks.
    pub shared_defined: Vec<bool>,
    pub barriers: [Barrier; BARRIERS],
    /// Child grids that `cudaDeviceSynchronize` would wait for.
    pub children: u32,
}

impl BlockState {
    /// Opens the barriers that have become complete; `opened` is told which, and whether all threads were there.
    fn release(&mut self, mut opened: impl FnMut(u32, bool)) {
        for (id, barrier) in self.barriers.iter_mut().enumerate() {
            let exited = if barrier.expected == 0 { self.exited } else { 0 };
            let expected = if barrier.expected == 0 { self.threads } else { barrier.expected };
            if barrier.arrived > 0 && barrier.arrived + exited >= expected {
                opened(id as u32, barrier.expected == 0 || barrier.expected >= self.threads);
                barrier.result = (barrier.count, barrier.threads);
                barrier.round += 1;
                (barrier.arrived, barrier.expected, barrier.count, barrier.threads) = (0, 0, 0, 0);
            }
        }
    }
}

/// What a warp needs from outside itself.
pub struct Context<'e, O> {
    pub program: &'e Program,
    pub memory: &'e mut Memory,
    pub observer: &'e mut O,
    /// Addresses of the module's variables.
    pub globals: &'e [u64],
    pub params: &'e [u8],
    pub block: &'e mut BlockState,
    pub kernel: &'e str,
    pub grid: u32,
    pub block_dim: [u32; 3],
    pub launches: &'e mut super::launch::Launches,
    pub printed: &'e mut String,
    /// Instructions that the whole launch may still execute.
    pub steps_left: &'e mut u64,
    pub schedule: &'e mut super::schedule::Schedule,
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Finished,
    /// It has used its turn.
    Turn,
    /// The same, and it only waits in a loop for what others write.
    Spins,
    /// Every split waits.
    Blocked,
}

type Executed<T> = Result<T, Box<Diagnostic>>;

impl<'e, O: Observer> Context<'e, O> {
    /// Runs `warp` for at most `turn` instructions.
    pub fn run(&mut self, warp: &mut Warp, turn: u32) -> Executed<Stop> {
        let mut left = turn;
        loop {
            if warp.finished() {
                return Ok(Stop::Finished);
            }
            if left == 0 {
                // The next turn starts with another split, so that lanes waiting for each other get on.
                if warp.splits.len() > 1 {
                    warp.splits.rotate_right(1);
                }
                return Ok(if warp.spins(turn) { Stop::Spins } else { Stop::Turn });
            }
            if warp.splits.len() > 1 {
                let first = self.schedule.choose(warp.splits.len());
                warp.splits.rotate_right(first);
            }
            let Some(split) = self.runnable(warp) else { return Ok(Stop::Blocked) };
            self.run_split(warp, split, &mut left)?;
        }
    }

    /// The last split that can go on.
    fn runnable(&mut self, warp: &mut Warp) -> Option<usize> {
        for index in (0..warp.splits.len()).rev() {
            match warp.splits[index].wait {
                Wait::Nothing => return Some(index),
                Wait::Barrier { id, round } if self.block.barriers[id as usize].round != round => {
                    self.leave_barrier(warp, index, id);
                    return Some(index);
                }
                Wait::Lanes if self.collective_ready(warp, index) => {
                    self.collective(warp, index);
                    return Some(index);
                }
                Wait::Children if self.block.children == 0 => {
                    let (actor, split) = (self.actor_of(warp, index), warp.splits[index]);
                    self.observer.children_done(actor, split.mask);
                    warp.splits[index].wait = Wait::Nothing;
                    warp.splits[index].pc += 1;
                    return Some(index);
                }
                _ => {}
            }
        }
        None
    }

    /// A split behind an open barrier: takes the barrier's result, if it asked for one, and goes on.
    fn leave_barrier(&mut self, warp: &mut Warp, index: usize, id: u8) {
        let split = warp.splits[index];
        let function = &self.program.functions[warp.activations[split.activation as usize].function];
        let inst = &function.code[split.pc as usize];
        if let Op::Barrier { reduce: Some((kind, d, ..)), .. } = &inst.op {
            let (count, threads) = self.block.barriers[id as usize].result;
            let activation = &mut warp.activations[split.activation as usize];
            let set = |mask: u32, value: bool| if value { mask | split.mask } else { mask & !split.mask };
            match kind {
                BarReduce::Popc => {
                    let lanes = &mut activation.registers[*d as usize];
                    each(split.mask, |lane| lanes[lane] = count as u64);
                }
                BarReduce::And => {
                    let p = &mut activation.predicates[*d as usize];
                    *p = set(*p, count == threads);
                }
                BarReduce::Or => {
                    let p = &mut activation.predicates[*d as usize];
                    *p = set(*p, count > 0);
                }
            }
        }
        warp.splits[index].wait = Wait::Nothing;
        warp.splits[index].pc += 1;
    }

    pub fn actor(&self, warp: &Warp, inst: &Inst) -> Actor<'e> {
        Actor {
            grid: self.grid,
            block: self.block.linear,
            warp: warp.index,
            loc: inst.loc,
            kernel: self.kernel,
        }
    }

    /// The lanes of a split, at the instruction where they stand.
    fn actor_of(&self, warp: &Warp, index: usize) -> Actor<'e> {
        let split = warp.splits[index];
        let function = &self.program.functions[warp.activations[split.activation as usize].function];
        self.actor(warp, &function.code[split.pc as usize])
    }

    /// Opens the block's complete barriers.
    fn release(&mut self) {
        let (grid, block) = (self.grid, self.block.linear);
        let observer = &mut *self.observer;
        self.block.release(|id, all| observer.barrier_opens(grid, block, id, all));
    }

    /// Runs a split until it waits, meets, ends, or has used the turn.
    fn run_split(&mut self, warp: &mut Warp, index: usize, left: &mut u32) -> Executed<()> {
        let Split { mut pc, mask, activation: slot, meets, .. } = warp.splits[index];
        let program = self.program;
        let function = &program.functions[warp.activations[slot as usize].function];
        loop {
            if pc == meets {
                warp.splits[index].pc = pc;
                warp.arrive(index);
                return Ok(());
            }
            if *left == 0 {
                warp.splits[index].pc = pc;
                return Ok(());
            }
            *left -= 1;
            let inst = &function.code[pc as usize];
            if *self.steps_left == 0 {
                return Err(self.endless(warp, inst, mask));
            }
            *self.steps_left -= 1;
            self.observer.instruction(mask);
            let active = if inst.guard == NONE {
                mask
            } else {
                let p = warp.activations[slot as usize].predicates[inst.guard as usize];
                mask & if inst.negated { !p } else { p }
            };
            if O::CHECKS {
                if inst.guard != NONE {
                    self.check_guard(warp, slot, inst, mask);
                }
                if active != 0 {
                    undefined::follow(&mut warp.activations[slot as usize], &inst.op, active);
                }
            }
            let activation = &mut warp.activations[slot as usize];
            match &inst.op {
                Op::Branch { target, reconverge } => {
                    if O::CHECKS && inst.watch != NONE {
                        let actor = self.actor(warp, inst);
                        self.observer
                            .branch(actor, &Ways { watch: inst.watch, taken: active, rest: mask & !active });
                    }
                    if active == mask {
                        pc = *target;
                    } else if active == 0 {
                        pc += 1;
                    } else {
                        warp.splits[index].pc = pc;
                        let actor = self.actor(warp, inst);
                        self.observer.divergence(actor);
                        warp.diverge(index, active, *target, pc + 1, *reconverge);
                        return Ok(());
                    }
                    continue;
                }
                _ if active == 0 => {
                    pc += 1;
                    continue;
                }
                Op::Alu { f, d, s } => {
                    let mut out: Lanes = [0; WARP];
                    let source = |r: Reg| source(activation, function, r);
                    f.apply(&mut out, [source(s[0]), source(s[1]), source(s[2]), source(s[3])], active);
                    let d = &mut activation.registers[*d as usize];
                    if active == u32::MAX {
                        *d = out;
                    } else {
                        each(active, |lane| d[lane] = out[lane]);
                    }
                }
                Op::Test { f, d, q, a, b, combine } => {
                    let holds = f(source(activation, function, *a), source(activation, function, *b), active);
                    let apply = |holds: u32| match combine {
                        None => holds,
                        Some((bits, p, negated)) => {
                            let p = activation.predicates[*p as usize];
                            logic(*bits, holds, if *negated { !p } else { p })
                        }
                    };
                    let (yes, no) = (apply(holds), apply(!holds));
                    if *d != NONE {
                        set_predicate(&mut activation.predicates, *d, active, yes);
                    }
                    if *q != NONE {
                        set_predicate(&mut activation.predicates, *q, active, no);
                    }
                }
                Op::Load { space, d, bytes, signed, at, order, scope } => {
                    let total = *bytes * d.len() as u32;
                    if O::CHECKS {
                        self.check_address(warp, slot, inst, at, active);
                    }
                    let addresses = self.addresses(warp, slot, function, at);
                    let request = Request {
                        access: Access::Load,
                        space: *space,
                        mask: active,
                        addresses: &addresses,
                        bytes: total,
                        order: *order,
                        scope: *scope,
                        unchanged: 0,
                    };
                    self.load(warp, inst, slot, &request, d, *bytes, *signed)?;
                }
                Op::Store { space, s, bytes, at, order, scope } => {
                    if O::CHECKS {
                        self.check_address(warp, slot, inst, at, active);
                    }
                    let addresses = self.addresses(warp, slot, function, at);
                    let request = Request {
                        access: Access::Store,
                        space: *space,
                        mask: active,
                        addresses: &addresses,
                        bytes: *bytes * s.len() as u32,
                        order: *order,
                        scope: *scope,
                        unchanged: 0,
                    };
                    self.store(warp, inst, slot, function, &request, s, *bytes)?;
                }
                Op::Select { d, a, b, p, negated } => {
                    let p = activation.predicates[*p as usize];
                    let p = if *negated { !p } else { p };
                    let (a, b) = (*source(activation, function, *a), *source(activation, function, *b));
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = if p >> lane & 1 == 1 { a[lane] } else { b[lane] });
                }
                Op::Logic { bits, d, a, not_a, b, not_b } => {
                    let read = |p: Pred, not: bool| {
                        let p = activation.predicates[p as usize];
                        if not { !p } else { p }
                    };
                    let a = read(*a, *not_a);
                    let value = if *b == NONE { a } else { logic(*bits, a, read(*b, *not_b)) };
                    set_predicate(&mut activation.predicates, *d, active, value);
                }
                Op::PredConst { d, value } => {
                    set_predicate(&mut activation.predicates, *d, active, if *value { u32::MAX } else { 0 });
                }
                Op::Set { f, d, a, b, holds } => {
                    let yes = f(source(activation, function, *a), source(activation, function, *b), active);
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = if yes >> lane & 1 == 1 { *holds } else { 0 });
                }
                Op::Extended { how, d, s, carry } => {
                    let sources = s.map(|r| *source(activation, function, r));
                    for lane in lanes(active) {
                        let before = activation.registers[*carry as usize][lane];
                        let (value, after) = how.compute(sources.map(|s| s[lane]), before);
                        activation.registers[*d as usize][lane] = value;
                        if how.leaves {
                            activation.registers[*carry as usize][lane] = after;
                        }
                    }
                }
                Op::Classify { d, a, class } => {
                    let a = source(activation, function, *a);
                    let mut yes = 0;
                    each(active, |lane| yes |= (class(a[lane]) as u32) << lane);
                    set_predicate(&mut activation.predicates, *d, active, yes);
                }
                Op::Pack { d, parts, bits } => {
                    let mut out: Lanes = [0; WARP];
                    let keep = if *bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
                    for (i, part) in parts.iter().enumerate() {
                        let part = source(activation, function, *part);
                        each(active, |lane| out[lane] |= (part[lane] & keep) << (i as u32 * bits));
                    }
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = out[lane]);
                }
                Op::Unpack { parts, a, bits } => {
                    let a = *source(activation, function, *a);
                    let keep = if *bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
                    for (i, part) in parts.iter().enumerate() {
                        let d = &mut activation.registers[*part as usize];
                        each(active, |lane| d[lane] = a[lane] >> (i as u32 * bits) & keep);
                    }
                }
                Op::LocalAddress { d, offset } => {
                    let address = offset.wrapping_add(activation.local_base as u64);
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = address);
                }
                Op::GlobalAddress { d, global, offset } => {
                    let address = self.globals[*global].wrapping_add(*offset as u64);
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = address);
                }
                Op::LoadFrame { d, bytes, signed, offset } => {
                    for (i, d) in d.iter().enumerate() {
                        for lane in lanes(active) {
                            let at = offset + i * *bytes as usize;
                            let value =
                                activation.frame_of(lane, at, *bytes as usize).map_or(0, |b| memory::read(b));
                            activation.registers[*d as usize][lane] = extend(value, *bytes, *signed);
                        }
                    }
                }
                Op::StoreFrame { s, bytes, offset } => {
                    for (i, s) in s.iter().enumerate() {
                        let values = *source(activation, function, *s);
                        for lane in lanes(active) {
                            let at = offset + i * *bytes as usize;
                            if let Some(slot) = activation.frame_of(lane, at, *bytes as usize) {
                                memory::write(slot, values[lane]);
                            }
                        }
                    }
                }
                Op::Atomic { space, op, bytes, d, at, b, c, order, scope } => {
                    if O::CHECKS {
                        self.check_address(warp, slot, inst, at, active);
                    }
                    let addresses = self.addresses(warp, slot, function, at);
                    let request = Request {
                        access: Access::Atomic { returns: *d != NONE },
                        space: *space,
                        mask: active,
                        addresses: &addresses,
                        bytes: *bytes,
                        order: *order,
                        scope: *scope,
                        unchanged: 0,
                    };
                    self.atomic(warp, inst, slot, function, &request, *op, *d, *b, *c)?;
                }
                Op::ActiveMask { d } => {
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = active as u64);
                }
                Op::Clock { d } => {
                    // There is no clock: time is the number of instructions executed so far.
                    let now = u64::MAX - *self.steps_left;
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = now);
                }
                Op::Fence { scope } => {
                    let actor = self.actor(warp, inst);
                    self.observer.fence(actor, active, *scope);
                }
                Op::Nop => {}
                Op::WarpBarrier { .. }
                | Op::Shuffle { .. }
                | Op::Vote { .. }
                | Op::Match { .. }
                | Op::Reduce { .. } => {
                    if active != mask {
                        // The lanes that the guard leaves out do not take part: they go on behind it.
                        warp.splits[index].pc = pc;
                        warp.diverge(index, mask & !active, pc + 1, pc, pc + 1);
                        return Ok(());
                    }
                    warp.splits[index].pc = pc;
                    if !self.collective_ready(warp, index) {
                        warp.splits[index].wait = Wait::Lanes;
                        return Ok(());
                    }
                    self.collective(warp, index);
                }
                Op::Barrier { id, count, arrive, reduce } => {
                    let only =
                        |r: Reg| source(activation, function, r)[active.trailing_zeros() as usize] as u32;
                    let (number, expected) =
                        (only(*id) as usize, if *count == NONE { 0 } else { only(*count) });
                    let holds = reduce.map_or(0, |(_, _, p, negated)| {
                        let p = activation.predicates[p as usize];
                        active & if negated { !p } else { p }
                    });
                    if number >= BARRIERS {
                        return Err(self.fault(
                            warp,
                            inst,
                            active,
                            Kind::BarrierDivergence,
                            format!("there is no barrier {number}: a block has barriers 0 to 15"),
                            "use one of them",
                        ));
                    }
                    let whole_warp = active | warp.exited == warp.lanes;
                    let actor = self.actor(warp, inst);
                    self.observer.barrier(actor, active, number as u32);
                    if O::CHECKS {
                        self.barrier_sites(warp, index, actor, active, pc);
                    }
                    let barrier = &mut self.block.barriers[number];
                    barrier.expected = expected;
                    // A count is in whole warps (PTX ISA 9.7.13.1).
                    barrier.arrived +=
                        if expected != 0 && whole_warp { WARP as u32 } else { active.count_ones() };
                    barrier.count += holds.count_ones();
                    barrier.threads += active.count_ones();
                    let round = barrier.round;
                    warp.splits[index].pc = pc;
                    if *arrive {
                        self.release();
                        pc += 1;
                        continue;
                    }
                    if active != mask {
                        // The others go on; lanes that wait and lanes that do not meet behind the barrier.
                        warp.diverge(index, mask & !active, pc + 1, pc, pc + 1);
                        let waiting = warp.splits.len() - 1;
                        warp.splits[waiting].wait = Wait::Barrier { id: number as u8, round };
                    } else {
                        warp.splits[index].wait = Wait::Barrier { id: number as u8, round };
                    }
                    self.release();
                    if self.block.barriers[number].round == round {
                        self.observer.barrier_stall(actor);
                    }
                    return Ok(());
                }
                Op::BranchIndexed { index: way, targets, reconverge } => {
                    let values = *source(activation, function, *way);
                    let mut ways: Vec<(u32, u32)> = Vec::new();
                    if active != mask {
                        ways.push((pc + 1, mask & !active));
                    }
                    for lane in lanes(active) {
                        let Some(&target) = targets.get(values[lane] as u32 as usize) else {
                            return Err(self.fault(
                                warp,
                                inst,
                                1 << lane,
                                Kind::OutOfBounds,
                                format!(
                                    "an indexed branch takes way {} of {}",
                                    values[lane] as u32,
                                    targets.len()
                                ),
                                "this is a compiler's jump table: the program has gone astray before",
                            ));
                        };
                        match ways.iter_mut().find(|way| way.0 == target) {
                            Some(way) => way.1 |= 1 << lane,
                            None => ways.push((target, 1 << lane)),
                        }
                    }
                    if let [(target, _)] = ways[..] {
                        pc = target;
                        continue;
                    }
                    let actor = self.actor(warp, inst);
                    self.observer.divergence(actor);
                    warp.diverge_many(index, &ways, *reconverge);
                    return Ok(());
                }
                Op::Call { callee, args, ret } => {
                    warp.splits[index].pc = pc;
                    return self.call(warp, index, inst, active, callee, args, *ret);
                }
                Op::Return => {
                    warp.splits[index].pc = pc + 1;
                    self.give_back(warp, index, active, function);
                    warp.leave(index, active);
                    return Ok(());
                }
                Op::Exit => {
                    warp.splits[index].pc = pc + 1;
                    warp.exit(index, active);
                    self.block.exited += active.count_ones();
                    self.release();
                    return Ok(());
                }
                Op::Trap => {
                    return Err(self.fault(
                        warp,
                        inst,
                        active,
                        Kind::Trap,
                        "the kernel stopped itself with `trap`".to_string(),
                        "an assertion or a check in the kernel failed here",
                    ));
                }
                Op::Unsupported(opcode) => {
                    return Err(self.fault(
                        warp,
                        inst,
                        active,
                        Kind::UnsupportedInstruction,
                        format!(
                            "the simulator does not know `{opcode}` (line {} of {})",
                            inst.line, self.program.name
                        ),
                        "run this kernel on a GPU, or write it without what this instruction comes from",
                    ));
                }
            }
            pc += 1;
        }
    }

    /// Copies the value that a function returns into its caller's frame.
    fn give_back(&mut self, warp: &mut Warp, index: usize, active: u32, function: &Function) {
        let split = warp.splits[index];
        let (Some(ret), Some(caller)) = (&function.returns, warp.caller_of(split.join)) else { return };
        let Some(to) = warp.activations[split.activation as usize].returns_to else { return };
        for lane in lanes(active) {
            let value = warp.activations[split.activation as usize]
                .frame_of(lane, ret.offset, ret.bytes)
                .map(|bytes| bytes.to_vec())
                .unwrap_or_default();
            if let Some(slot) = warp.activations[caller as usize].frame_of(lane, to, ret.bytes) {
                slot.copy_from_slice(&value);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        warp: &mut Warp,
        index: usize,
        inst: &Inst,
        active: u32,
        callee: &Callee,
        args: &[usize],
        ret: Option<usize>,
    ) -> Executed<()> {
        let slot = warp.splits[index].activation;
        let program = self.program;
        let (number, active) = match callee {
            Callee::Function(number) => (*number, active),
            Callee::Register(register) => {
                let function = &program.functions[warp.activations[slot as usize].function];
                let values = *source(&warp.activations[slot as usize], function, *register);
                let first = values[active.trailing_zeros() as usize];
                // Lanes with another function call it afterwards: the same instruction is met again by them.
                let same =
                    lanes(active).filter(|&lane| values[lane] == first).fold(0u32, |m, lane| m | 1 << lane);
                let number = first.wrapping_sub(FUNCTION_WINDOW) as usize;
                if number >= program.functions.len() {
                    return Err(self.fault(
                        warp,
                        inst,
                        same,
                        Kind::OutOfBounds,
                        format!("a call goes to {first:#x}, where there is no function"),
                        "check where this function pointer comes from",
                    ));
                }
                if same != active {
                    let pc = warp.splits[index].pc;
                    warp.diverge(index, active & !same, pc, pc, pc + 1);
                    return Ok(());
                }
                (number, same)
            }
            Callee::Runtime(call) => return self.runtime(warp, index, inst, active, *call, args, ret),
        };
        let function = &program.functions[number];
        if warp.activations[slot as usize].depth >= MOST_CALLS {
            return Err(self.fault(
                warp,
                inst,
                active,
                Kind::LaunchLimit,
                format!(
                    "more than {MOST_CALLS} calls of device functions are open in a thread, the last of {}",
                    function.name
                ),
                "a recursive device function does not end, or needs more stack than a GPU gives",
            ));
        }
        let values: Vec<(usize, Vec<Vec<u8>>)> = function
            .params
            .iter()
            .zip(args)
            .map(|(param, &from)| {
                let activation = &mut warp.activations[slot as usize];
                let bytes = lanes(active)
                    .map(|lane| {
                        activation.frame_of(lane, from, param.bytes).map(|b| b.to_vec()).unwrap_or_default()
                    })
                    .collect();
                (param.offset, bytes)
            })
            .collect();
        warp.call(index, active, number, function, ret);
        let callee = warp.splits[index].activation;
        for (offset, bytes) in values {
            for (lane, bytes) in lanes(active).zip(bytes) {
                if let Some(slot) = warp.activations[callee as usize].frame_of(lane, offset, bytes.len()) {
                    slot.copy_from_slice(&bytes);
                }
            }
        }
        Ok(())
    }

    /// The address of every lane. A module variable's or a local variable's address is the same for all.
    fn addresses(&self, warp: &Warp, slot: u32, function: &Function, at: &Address) -> Lanes {
        let activation = &warp.activations[slot as usize];
        let offset = at.offset as u64;
        match at.base {
            NONE => [offset; WARP],
            LOCAL_BASE => [offset.wrapping_add(activation.local_base as u64); WARP],
            base if (GLOBAL_BASE..1 << 30).contains(&base) => {
                [self.globals[(base - GLOBAL_BASE) as usize].wrapping_add(offset); WARP]
            }
            base => {
                let mut out = *source(activation, function, base);
                if at.narrow {
                    out.iter_mut().for_each(|a| *a = a.wrapping_add(offset) & 0xffff_ffff);
                } else if offset != 0 {
                    out.iter_mut().for_each(|a| *a = a.wrapping_add(offset));
                }
                out
            }
        }
    }

    /// Turns a request into one or more with a definite space: a generic address may lie in any.
    fn split_spaces(request: &Request, mut f: impl FnMut(&Request) -> Executed<()>) -> Executed<()> {
        if request.space != Space::Generic {
            return f(request);
        }
        let mut rest = request.mask;
        while rest != 0 {
            let (space, _) = memory::resolve(request.addresses[rest.trailing_zeros() as usize]);
            let mut addresses = [0; WARP];
            let mut mask = 0;
            each(rest, |lane| {
                let (here, address) = memory::resolve(request.addresses[lane]);
                if here == space {
                    addresses[lane] = address;
                    mask |= 1 << lane;
                }
            });
            f(&Request { space, mask, addresses: &addresses, ..*request })?;
            rest &= !mask;
        }
        Ok(())
    }

    /// Whether an address lies behind the local variables of the function that runs.
    fn is_past_locals(&self, warp: &Warp, slot: u32, address: u64, bytes: usize) -> bool {
        let activation = &warp.activations[slot as usize];
        let locals = activation.local_base + self.program.functions[activation.function].local_bytes;
        address.saturating_add(bytes as u64) > locals as u64
    }

    #[allow(clippy::too_many_arguments)]
    fn load(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        slot: u32,
        request: &Request,
        d: &[Reg],
        bytes: u32,
        signed: bool,
    ) -> Executed<()> {
        warp.spin.watches |= request.order != Order::Weak;
        Self::split_spaces(request, |request| {
            let mut rest = request.mask;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let address = request.addresses[lane];
                let total = request.bytes as usize;
                if address % total as u64 != 0 {
                    return Err(self.misaligned(warp, inst, lane, request));
                }
                let local;
                let from: Option<&[u8]> = match request.space {
                    Space::Shared => self.block.shared.get(span(address, total)),
                    Space::Param => self.params.get(span(address, total)),
                    Space::Local if self.is_past_locals(warp, slot, address, total) => None,
                    Space::Local => {
                        local = warp.local_of(lane, address, total);
                        local.as_deref()
                    }
                    _ if address >> 56 != 0 => self.launches.buffer(address, total).map(|b| &*b),
                    _ => self.memory.slice(address, total).ok(),
                };
                let Some(from) = from else { return Err(self.outside(warp, inst, lane, request)) };
                let mut values = [0; 4];
                for (value, part) in values.iter_mut().zip(from.chunks_exact(bytes as usize)) {
                    *value = extend(memory::read(part), bytes, signed);
                }
                let registers = &mut warp.activations[slot as usize].registers;
                for (d, value) in d.iter().zip(values) {
                    registers[*d as usize][lane] = value;
                }
            }
            if O::CHECKS {
                self.follow_load(warp, slot, inst, request, d, bytes);
            }
            let actor = self.actor(warp, inst);
            self.observer.request(actor, request);
            Ok(())
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn store(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        slot: u32,
        function: &Function,
        request: &Request,
        s: &[Reg],
        bytes: u32,
    ) -> Executed<()> {
        Self::split_spaces(request, |request| {
            // A loop that only waits may still count in local memory.
            warp.spin.changes |= request.space != Space::Local;
            let mut unchanged = 0;
            let mut rest = request.mask;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let address = request.addresses[lane];
                let total = request.bytes as usize;
                if address % total as u64 != 0 {
                    return Err(self.misaligned(warp, inst, lane, request));
                }
                let mut values = [0u64; 4];
                for (value, s) in values.iter_mut().zip(s) {
                    *value = source(&warp.activations[slot as usize], function, *s)[lane];
                }
                let to = match request.space {
                    Space::Shared => self.block.shared.get_mut(span(address, total)),
                    Space::Local if self.is_past_locals(warp, slot, address, total) => None,
                    Space::Local => warp.local_of(lane, address, total),
                    Space::Param | Space::Const => None,
                    _ if address >> 56 != 0 => self.launches.buffer(address, total),
                    _ => self.memory.slice_mut(address, total).ok(),
                };
                let Some(to) = to else { return Err(self.outside(warp, inst, lane, request)) };
                let mut same = true;
                for (part, value) in to.chunks_exact_mut(bytes as usize).zip(values) {
                    same &= O::CHECKS && memory::read(part) == value & (u64::MAX >> (64 - 8 * bytes));
                    memory::write(part, value);
                }
                unchanged |= (same as u32) << lane;
            }
            if O::CHECKS {
                self.follow_store(warp, slot, inst, request, s, bytes);
            }
            let actor = self.actor(warp, inst);
            self.observer.request(actor, &Request { unchanged, ..*request });
            Ok(())
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        slot: u32,
        function: &Function,
        request: &Request,
        op: AtomOp,
        d: Reg,
        b: Reg,
        c: Reg,
    ) -> Executed<()> {
        warp.spin.watches = true;
        Self::split_spaces(request, |request| {
            let op = match op {
                AtomOp::AddFloat(float) if request.space == Space::Global => {
                    AtomOp::AddFloat(float.in_global_memory())
                }
                op => op,
            };
            let mut unchanged = 0;
            for lane in lanes(request.mask) {
                let address = request.addresses[lane];
                let total = request.bytes as usize;
                if address % total as u64 != 0 {
                    return Err(self.misaligned(warp, inst, lane, request));
                }
                let activation = &mut warp.activations[slot as usize];
                let operand = |r: Reg| source(activation, function, r)[lane];
                let (b, c) = (operand(b), operand(c));
                let word = match request.space {
                    Space::Shared => self.block.shared.get_mut(span(address, total)),
                    Space::Global => self.memory.slice_mut(address, total).ok(),
                    _ => None,
                };
                let Some(word) = word else { return Err(self.outside(warp, inst, lane, request)) };
                let old = memory::read(word);
                let new = combine(op, request.bytes, old, b, c);
                memory::write(word, new);
                let swapped = old == b & (u64::MAX >> (64 - 8 * request.bytes));
                unchanged |= ((op == AtomOp::CompareSwap && !swapped) as u32) << lane;
                warp.spin.changes |= new != old;
                if d != NONE {
                    activation.registers[d as usize][lane] = old;
                }
            }
            if O::CHECKS {
                self.follow_atomic(warp, slot, inst, request, d, &[b, c]);
            }
            let actor = self.actor(warp, inst);
            self.observer.request(actor, &Request { unchanged, ..*request });
            Ok(())
        })
    }

    /// The mask operand of a warp-level instruction, a lane.
    fn member_masks(&self, warp: &Warp, split: &Split) -> Option<Lanes> {
        let activation = &warp.activations[split.activation as usize];
        let function = &self.program.functions[activation.function];
        let mask = match &function.code[split.pc as usize].op {
            Op::WarpBarrier { mask }
            | Op::Shuffle { mask, .. }
            | Op::Vote { mask, .. }
            | Op::Match { mask, .. }
            | Op::Reduce { mask, .. } => *mask,
            _ => return None,
        };
        Some(*source(activation, function, mask))
    }

    /// Whether every lane that the split's lanes name has come to a matching instruction: the same one, or, for
    /// `bar.warp.sync`, any of its kind. Lanes that have exited are not waited for.
    fn collective_ready(&self, warp: &Warp, index: usize) -> bool {
        let me = warp.splits[index];
        let Some(masks) = self.member_masks(warp, &me) else { return true };
        let alive = warp.lanes & !warp.exited;
        if lanes(me.mask).all(|lane| masks[lane] as u32 & alive & !me.mask == 0) {
            return true;
        }
        let barrier = self.waits_at_barrier(warp, &me);
        let others = warp.splits.iter().enumerate().filter(|(i, other)| {
            *i != index
                && other.wait == Wait::Lanes
                && if barrier {
                    self.waits_at_barrier(warp, other)
                } else {
                    other.pc == me.pc && other.activation == me.activation
                }
        });
        let mut here = [0u32; WARP];
        for (split, masks) in
            others.filter_map(|(_, s)| Some((s, self.member_masks(warp, s)?))).chain([(&me, masks)])
        {
            each(split.mask, |lane| here[lane] = masks[lane] as u32);
        }
        let mut ready = true;
        each(me.mask, |lane| {
            let mask = masks[lane] as u32;
            let present = lanes(mask & alive).all(|other| here[other] == mask);
            ready &= present;
        });
        ready
    }

    /// Nobody in the block gets on: names the lanes of `warp` that others wait for in vain.
    pub fn missing_lanes(&mut self, warp: &Warp) {
        for index in 0..warp.splits.len() {
            let split = warp.splits[index];
            let Some(masks) = self.member_masks(warp, &split).filter(|_| split.wait == Wait::Lanes) else {
                continue;
            };
            let here = warp.splits.iter().filter(|s| s.wait == Wait::Lanes && s.pc == split.pc);
            let here = here.fold(0u32, |all, s| all | s.mask);
            let alive = warp.lanes & !warp.exited;
            let absent = lanes(split.mask).fold(0u32, |all, lane| all | (masks[lane] as u32 & alive & !here));
            if absent == 0 {
                continue;
            }
            let function = &self.program.functions[warp.activations[split.activation as usize].function];
            let inst = &function.code[split.pc as usize];
            let finding = self.fault(
                warp,
                inst,
                split.mask,
                Kind::WarpCollective,
                format!(
                    "the mask {:#010x} names lane {}, which does not come here",
                    masks[split.mask.trailing_zeros() as usize & 31] as u32,
                    absent.trailing_zeros()
                ),
                "name exactly the lanes that come to this instruction, or move it to where all lanes come",
            );
            self.observer.finding(*finding);
        }
    }

    /// Does a warp-level instruction for the split and for those that wait for it at the same place; all go on.
    fn collective(&mut self, warp: &mut Warp, index: usize) {
        let me = warp.splits[index];
        let program = self.program;
        let function = &program.functions[warp.activations[me.activation as usize].function];
        let op = &function.code[me.pc as usize].op;
        let barrier = matches!(op, Op::WarpBarrier { .. });
        let mut mask = me.mask;
        let mut names = self.member_masks(warp, &me).unwrap_or([0; WARP]);
        for i in 0..warp.splits.len() {
            let other = warp.splits[i];
            // A warp barrier may stand elsewhere in the code, for the same lanes; and lanes that wait here for
            // others than these, as tiles of a warp do, go on waiting.
            let named = self.member_masks(warp, &other).unwrap_or([0; WARP]);
            let with_me = i != index
                && other.wait == Wait::Lanes
                && lanes(other.mask).any(|lane| named[lane] as u32 & me.mask != 0)
                && if barrier {
                    self.waits_at_barrier(warp, &other)
                } else {
                    other.pc == me.pc && other.activation == me.activation
                };
            if with_me {
                mask |= other.mask;
                each(other.mask, |lane| names[lane] = named[lane]);
                warp.splits[i].wait = Wait::Nothing;
                warp.splits[i].pc += 1;
            }
        }
        if O::CHECKS {
            self.check_collective(warp, index, op, mask, &names);
        }
        if barrier {
            let actor = self.actor_of(warp, index);
            let mut rest = mask;
            while rest != 0 {
                let name = names[rest.trailing_zeros() as usize];
                let group =
                    lanes(rest).filter(|&lane| names[lane] == name).fold(0u32, |m, lane| m | 1 << lane);
                self.observer.warp_barrier(actor, group);
                rest &= !group;
            }
        }
        let activation = &mut warp.activations[me.activation as usize];
        if O::CHECKS {
            let from = match op {
                Op::Shuffle { mode, b, c, .. } => {
                    let (b, c) = (source(activation, function, *b), source(activation, function, *c));
                    undefined::shuffle_sources(b, c, *mode)
                }
                _ => [0; WARP],
            };
            undefined::follow_collective(activation, op, mask, from);
        }
        super::collective::execute(op, activation, function, mask);
        warp.splits[index].wait = Wait::Nothing;
        warp.splits[index].pc += 1;
    }

    /// Tells which watched branches a barrier lies behind: those of its function, and those around the calls.
    fn barrier_sites(&mut self, warp: &Warp, index: usize, actor: Actor, active: u32, pc: u32) {
        let split = warp.splits[index];
        let mut place = Some((split.activation, pc, split.join));
        while let Some((activation, pc, join)) = place {
            let function = &self.program.functions[warp.activations[activation as usize].function];
            if let Some(sites) = function.barrier_sites.get(&pc) {
                self.observer.barrier_site(actor, active, sites);
            }
            place = warp.call_of(join);
        }
    }

    /// What is wrong with a warp-level instruction that the lanes of `mask` execute, each with the mask it names: a
    /// lane must name itself, and read only from lanes that take part (PTX ISA 9.7.9.6).
    fn check_collective(&mut self, warp: &Warp, index: usize, op: &Op, mask: u32, names: &Lanes) {
        let split = warp.splits[index];
        let activation = &warp.activations[split.activation as usize];
        let function = &self.program.functions[activation.function];
        let inst = &function.code[split.pc as usize];
        if let Some(lane) = lanes(mask).find(|&lane| names[lane] as u32 >> lane & 1 == 0) {
            let finding = self.fault(
                warp,
                inst,
                1 << lane,
                Kind::WarpCollective,
                format!(
                    "lane {lane} takes part with the mask {:#010x}, which does not name it",
                    names[lane] as u32
                ),
                "name every lane that comes here, and no other: compute the mask before the branch, with \
                 __ballot_sync or from the lane's group",
            );
            self.observer.finding(*finding);
        }
        let differs = lanes(mask).find_map(|lane| {
            let other =
                lanes(names[lane] as u32 & mask).find(|&other| names[other] as u32 != names[lane] as u32)?;
            Some((lane, other))
        });
        if let Some((lane, other)) = differs {
            let finding = self.fault(
                warp,
                inst,
                1 << lane,
                Kind::WarpCollective,
                format!(
                    "lane {lane} names the lanes {:#010x}, among them lane {other}, which names {:#010x}",
                    names[lane] as u32, names[other] as u32
                ),
                "let all lanes that work together pass the same mask",
            );
            self.observer.finding(*finding);
        }
        if let Op::Shuffle { mode, b, c, .. } = op {
            let (b, c) = (source(activation, function, *b), source(activation, function, *c));
            let absent = lanes(mask).find_map(|lane| {
                let (from, in_range) =
                    super::collective::shuffle_source(*mode, lane as i64, b[lane] as u32, c[lane] as u32);
                let takes_part = mask & names[lane] as u32 & (1 << from) != 0;
                (in_range && !takes_part).then_some((lane, from))
            });
            if let Some((lane, from)) = absent {
                let finding = self.fault(
                    warp,
                    inst,
                    1 << lane,
                    Kind::WarpCollective,
                    format!("lane {lane} reads from lane {from}, which does not take part: what it gets is undefined"),
                    "let all 32 lanes of the warp execute the shuffle, with a neutral value where there is no data",
                );
                self.observer.finding(*finding);
            }
        }
    }

    fn waits_at_barrier(&self, warp: &Warp, split: &Split) -> bool {
        let activation = &warp.activations[split.activation as usize];
        let function = &self.program.functions[activation.function];
        matches!(function.code[split.pc as usize].op, Op::WarpBarrier { .. })
    }

    /// A diagnostic at `inst`, blaming the first lane of `mask`.
    pub fn fault(
        &self,
        warp: &Warp,
        inst: &Inst,
        mask: u32,
        kind: Kind,
        message: String,
        help: &str,
    ) -> Box<Diagnostic> {
        let lane = mask.trailing_zeros().min(WARP as u32 - 1);
        let place = self.program.locs.get(inst.loc as usize);
        Box::new(Diagnostic {
            kind,
            severity: Severity::Error,
            kernel: Some(self.kernel.to_string()),
            file: Some(place.map_or(self.program.name.clone(), |p| p.file.to_string())),
            line: Some(place.map_or(inst.line, |p| p.line)),
            block: Some(self.block.index),
            thread: Some(thread_index(warp.index * WARP as u32 + lane, self.block_dim)),
            message,
            help: help.to_string(),
            related: Vec::new(),
        })
    }

    /// The launch has used up its instructions.
    #[cold]
    fn endless(&self, warp: &Warp, inst: &Inst, mask: u32) -> Box<Diagnostic> {
        self.fault(
            warp,
            inst,
            mask,
            Kind::StepLimit,
            "the launch has executed more instructions than its limit: a loop does not end".to_string(),
            "look at what the loop waits for, and whether some thread can still bring it about",
        )
    }

    #[cold]
    fn misaligned(&self, warp: &Warp, inst: &Inst, lane: usize, request: &Request) -> Box<Diagnostic> {
        self.fault(
            warp,
            inst,
            1 << lane,
            Kind::Misaligned,
            format!(
                "{} of {} bytes at address {:#x}, which is not a multiple of {}",
                verb(request.access),
                request.bytes,
                request.addresses[lane],
                request.bytes
            ),
            "an access must be aligned to its own size: check the pointer's type and the index arithmetic",
        )
    }

    #[cold]
    fn outside(&self, warp: &Warp, inst: &Inst, lane: usize, request: &Request) -> Box<Diagnostic> {
        let (address, bytes) = (request.addresses[lane], request.bytes);
        let verb = verb(request.access);
        let message = match request.space {
            Space::Shared => format!(
                "{verb} of {bytes} bytes at offset {} of shared memory, of which the block has {} bytes",
                address as i64,
                self.block.shared.len()
            ),
            Space::Local => format!("{verb} of {bytes} bytes at offset {address} of local memory"),
            Space::Param if request.access == Access::Load => {
                format!("{verb} of {bytes} bytes at offset {address} of the parameters")
            }
            Space::Param => format!("{verb} of {bytes} bytes to the kernel's parameters, which are constant"),
            Space::Const if request.access != Access::Load => {
                format!("{verb} of {bytes} bytes to constant memory, which a kernel cannot change")
            }
            _ => match self.memory.slice(address, bytes as usize) {
                Err(Wrong::Outside { offset, bytes: size }) => {
                    let name = self.memory.describe(address).map_or("", |(name, _)| name);
                    let what = if name.is_empty() { "a buffer".to_string() } else { format!("`{name}`") };
                    if offset < 0 {
                        format!(
                            "{verb} of {bytes} bytes, {} bytes in front of {what} of {size} bytes",
                            -offset
                        )
                    } else {
                        format!("{verb} of {bytes} bytes at byte {offset} of {what} of {size} bytes")
                    }
                }
                Err(Wrong::Freed) => format!("{verb} of {bytes} bytes in a buffer that has been freed"),
                _ => format!(
                    "{verb} of {bytes} bytes at address {address:#x}, where nothing has been allocated"
                ),
            },
        };
        self.fault(
            warp,
            inst,
            1 << lane,
            Kind::OutOfBounds,
            message,
            "compare the index with the number of elements before this line, also in the last block",
        )
    }
}

fn verb(access: Access) -> &'static str {
    match access {
        Access::Load => "a load",
        Access::Store => "a store",
        Access::Atomic { .. } => "an atomic",
    }
}

/// The bytes from `address` on, as a range that cannot overflow.
pub fn span(address: u64, bytes: usize) -> std::ops::Range<usize> {
    let start = usize::try_from(address).unwrap_or(usize::MAX / 2).min(usize::MAX / 2);
    start..start + bytes
}

/// Lanes of a mask, lowest first.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}

/// The register, or the constant, that a number stands for.
#[inline(always)]
pub fn source<'a>(
    activation: &'a super::warp::Activation,
    function: &'a Function,
    register: Reg,
) -> &'a Lanes {
    let register = register as usize;
    match activation.registers.get(register) {
        Some(lanes) => lanes,
        None => &function.constants[register - activation.registers.len()],
    }
}

#[inline(always)]
fn extend(value: u64, bytes: u32, signed: bool) -> u64 {
    if !signed {
        return value;
    }
    match bytes {
        1 => value as u8 as i8 as i64 as u64,
        2 => value as u16 as i16 as i64 as u64,
        4 => value as u32 as i32 as i64 as u64,
        _ => value,
    }
}

fn logic(bits: Bits, a: u32, b: u32) -> u32 {
    match bits {
        Bits::And => a & b,
        Bits::Or => a | b,
        Bits::Xor => a ^ b,
    }
}

fn set_predicate(predicates: &mut [u32], p: Pred, active: u32, value: u32) {
    let slot = &mut predicates[p as usize];
    *slot = (*slot & !active) | (value & active);
}

/// The new value of an atomic, also used for `redux.sync`.
pub fn combine(op: AtomOp, bytes: u32, old: u64, b: u64, c: u64) -> u64 {
    let wide = bytes == 8;
    let mask = if wide { u64::MAX } else { (1 << (8 * bytes)) - 1 };
    let (b, c) = (b & mask, c & mask);
    let less_signed = if wide { (b as i64) < old as i64 } else { (b as i32) < old as i32 };
    match op {
        AtomOp::Add => old.wrapping_add(b) & mask,
        AtomOp::AddFloat(float) => float.register([old, b, 0]),
        AtomOp::MinU => old.min(b),
        AtomOp::MaxU => old.max(b),
        AtomOp::MinS if less_signed => b,
        AtomOp::MinS => old,
        AtomOp::MaxS if less_signed => old,
        AtomOp::MaxS => b,
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Exchange => b,
        AtomOp::CompareSwap if old == b => c,
        AtomOp::CompareSwap => old,
        AtomOp::Inc if old >= b => 0,
        AtomOp::Inc => old + 1,
        AtomOp::Dec if old == 0 || old > b => b,
        AtomOp::Dec => old - 1,
    }
}
