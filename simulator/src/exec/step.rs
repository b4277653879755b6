//! Runs one warp: fetches an instruction, does it for the active lanes, says what happened.

use super::activation::source;
use super::barrier::Arrival;
use super::context::{Context, Executed};
use super::warp::{Split, Wait, Warp};
use super::{follow, registers};
use crate::arith::{Lanes, WARP, each, lanes};
use crate::decode::*;
use crate::diagnostic::Kind;
use crate::observe::{Access, Act, Event, Request, Watch};

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

impl<'e, O: Watch> Context<'e, O> {
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
                    self.act(actor, Act::ChildrenDone { mask: split.mask });
                    warp.splits[index].wait = Wait::Nothing;
                    warp.splits[index].pc += 1;
                    return Some(index);
                }
                _ => {}
            }
        }
        None
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
                return Err(self.endless(warp, inst, mask, false));
            }
            if O::CHECKS && self.progress.step() {
                return Err(self.endless(warp, inst, mask, true));
            }
            *self.steps_left -= 1;
            self.observer.event(&Event::Instruction { active: mask });
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
                    follow::follow(&mut warp.activations[slot as usize], &inst.op, active);
                }
            }
            let activation = &mut warp.activations[slot as usize];
            match &inst.op {
                Op::Branch { target, reconverge } => {
                    if O::CHECKS && inst.watch != NONE {
                        let actor = self.actor(warp, inst);
                        self.act(
                            actor,
                            Act::Branch { watch: inst.watch, taken: active, rest: mask & !active },
                        );
                    }
                    if active == mask {
                        pc = *target;
                    } else if active == 0 {
                        pc += 1;
                    } else {
                        warp.splits[index].pc = pc;
                        let actor = self.actor(warp, inst);
                        self.act(actor, Act::Diverge);
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
                    let given = combine.map(|(bits, p)| (bits, activation.holds(p)));
                    let apply = |holds: u32| given.map_or(holds, |(bits, p)| bits.of(holds, p));
                    activation.set_predicate(*d, active, apply(holds));
                    activation.set_predicate(*q, active, apply(!holds));
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
                Op::CopyAsync { .. } => self.copy_async(warp, inst, slot, active)?,
                Op::CopyGroup { how: Copies::Commit } => warp.copies.commit(active),
                Op::CopyGroup { how: Copies::Wait { but } } => self.copies_done(warp, active, *but),
                Op::CopyArrive { .. } => self.copy_arrive(warp, inst, slot, active)?,
                Op::Mbarrier { .. } => self.mbarrier(warp, inst, slot, active)?,
                Op::Clock { d } => {
                    // There is no clock: time is the number of instructions executed so far.
                    let now = u64::MAX - *self.steps_left;
                    let d = &mut activation.registers[*d as usize];
                    each(active, |lane| d[lane] = now);
                }
                Op::Fence { scope } => {
                    let actor = self.actor(warp, inst);
                    self.act(actor, Act::Fence { mask: active, scope: *scope });
                }
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
                Op::Barrier { .. } => {
                    warp.splits[index].pc = pc;
                    if self.barrier(warp, index, inst, active)? == Arrival::Waits {
                        return Ok(());
                    }
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
                    self.act(actor, Act::Diverge);
                    warp.diverge_many(index, &ways, *reconverge);
                    return Ok(());
                }
                Op::Call { callee, args, ret } => {
                    warp.splits[index].pc = pc;
                    return self.call(warp, index, inst, active, callee, args, *ret);
                }
                Op::Return {} => {
                    warp.splits[index].pc = pc + 1;
                    self.give_back(warp, index, active, function);
                    warp.leave(index, active);
                    return Ok(());
                }
                Op::Exit {} => {
                    warp.splits[index].pc = pc + 1;
                    warp.exit(index, active);
                    self.block.exited += active.count_ones();
                    self.release();
                    return Ok(());
                }
                Op::Trap {} => {
                    return Err(self.fault(
                        warp,
                        inst,
                        active,
                        Kind::Trap,
                        "the kernel stopped itself with `trap`".to_string(),
                        "an assertion or a check in the kernel failed here",
                    ));
                }
                Op::Unsupported { opcode } => {
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
                Op::Nop {} => {}
                op => registers::execute(op, activation, function, active, self.globals),
            }
            pc += 1;
        }
    }
}
