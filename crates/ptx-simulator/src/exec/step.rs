//! Runs one warp: fetches an instruction, does it for the active lanes, says what happened.

use super::activation::source;
use super::context::{At, Context, Executed};
use super::follow;
use super::registers;
use super::split::{Split, Wait};
use super::warp::{Warp, Way};
use crate::arith::{Lanes, WARP, each, groups, lanes};
use crate::decode::unknown;
use crate::decode::*;
use crate::diagnostic::Kind;
use crate::observe::{Access, Act, Request};

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

/// Where a split stands: which of the warp's it is, its instruction, and all its lanes, those included that
/// the instruction's guard leaves out.
#[derive(Clone, Copy)]
pub struct Place {
    pub split: usize,
    pub pc: u32,
    pub mask: u32,
}

/// Where a split goes on after an instruction; `None` if it does not: it waits, has parted, called, returned
/// or ended.
type Next = Option<u32>;

impl<'e> Context<'e> {
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
                let unused = std::mem::take(&mut warp.spin.unused);
                return Ok(if warp.spins(turn - unused) { Stop::Spins } else { Stop::Turn });
            }
            if warp.splits.len() > 1 {
                let first = self.schedule.choose(warp.splits.len());
                warp.splits.rotate_right(first);
            }
            let Some(split) = self.runnable(warp)? else { return Ok(Stop::Blocked) };
            if self.checks {
                self.run_split::<true>(warp, split, &mut left)?
            } else {
                self.run_split::<false>(warp, split, &mut left)?
            }
        }
    }

    /// The last split that can go on.
    fn runnable(&mut self, warp: &mut Warp) -> Executed<Option<usize>> {
        for mut index in (0..warp.splits.len()).rev() {
            match warp.splits[index].wait {
                Wait::Nothing => {}
                Wait::Barrier { id, round } if self.block.barriers[id as usize].round != round => {
                    if warp.keeps_apart {
                        index = warp.gather(index);
                    }
                    self.leave_barrier(warp, index, id);
                }
                Wait::Cluster { round }
                    if self.cluster.as_ref().is_some_and(|cluster| cluster.round != round) =>
                {
                    let at = self.at(warp, index);
                    self.behind_cluster_barrier(warp, at);
                    warp.splits[index].go_on();
                }
                Wait::Lanes if self.collective_ready(warp, index) => index = self.collective(warp, index)?,
                Wait::Children if self.block.children == 0 => {
                    let at = self.at(warp, index);
                    self.act(warp, at, Act::ChildrenDone(at.mask));
                    warp.splits[index].go_on();
                }
                _ => continue,
            }
            return Ok(Some(index));
        }
        Ok(None)
    }

    fn run_split<const CHECKS: bool>(
        &mut self,
        warp: &mut Warp,
        index: usize,
        left: &mut u32,
    ) -> Executed<()> {
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
            if !self.progress.step(mask.count_ones()) {
                warp.splits[index].pc = pc;
                return Err(self.endless(warp, At { inst, function, slot, mask }));
            }
            let activation = &mut warp.activations[slot as usize];
            let active = if inst.guard == NONE {
                mask
            } else {
                mask & activation.holds(Guard { p: inst.guard, negated: inst.negated })
            };
            if CHECKS {
                if inst.guard != NONE {
                    self.check_guard(warp, At { inst, function, slot, mask });
                }
                if active != 0 {
                    let activation = &mut warp.activations[slot as usize];
                    follow::follow(activation, function, &inst.op, active);
                    if activation.racing.is_any() {
                        self.use_operands(warp, At { inst, function, slot, mask: active });
                    }
                }
            }
            let activation = &mut warp.activations[slot as usize];
            let at = At { inst, function, slot, mask: active };
            match &inst.op {
                Op::Branch { .. } => {
                    match self.branch::<CHECKS>(warp, Place { split: index, pc, mask }, at) {
                        Some(next) => pc = next,
                        None => return Ok(()),
                    }
                }
                _ if active == 0 => pc += 1,
                Op::Alu { f, d, s, .. } => {
                    let mut out: Lanes = [0; WARP];
                    let source = |r: Reg| source(activation, function, r);
                    f.apply(&mut out, [source(s[0]), source(s[1]), source(s[2]), source(s[3])], active);
                    let d = &mut activation.registers[*d as usize];
                    if active == u32::MAX {
                        *d = out;
                    } else {
                        each(active, |lane| d[lane] = out[lane]);
                    }
                    pc += 1;
                }
                Op::Test { f, d, q, a, b, bits, combine } => {
                    let holds =
                        f.holds(source(activation, function, *a), source(activation, function, *b), active);
                    let given = combine.map(|p| activation.holds(p));
                    let apply = |holds: u32| given.map_or(holds, |p| bits.of(holds, p));
                    activation.set_predicate(*d, active, apply(holds));
                    activation.set_predicate(*q, active, apply(!holds));
                    pc += 1;
                }
                _ if self.turns.is_some()
                    && self.waits_for_turn(warp, Place { split: index, pc, mask }, at) =>
                {
                    *left += 1;
                    self.progress.take_back(mask.count_ones());
                    return Ok(());
                }
                Op::Load { .. } | Op::Store { .. } => {
                    self.access(warp, at)?;
                    pc += 1;
                }
                _ => match self.control(warp, Place { split: index, pc, mask }, at)? {
                    Some(next) => {
                        pc = next;
                        if std::mem::take(&mut warp.spin.gives_way) {
                            warp.spin.unused = std::mem::take(left);
                        }
                    }
                    None => return Ok(()),
                },
            }
        }
    }

    /// Lanes come to a branch.
    #[inline(always)]
    fn branch<const CHECKS: bool>(&mut self, warp: &mut Warp, place: Place, at: At<'e>) -> Next {
        let Op::Branch { target, reconverge } = at.inst.op else { return Some(place.pc + 1) };
        let taken = at.mask;
        let rest = place.mask & !at.mask;
        if CHECKS && at.inst.watch != [NONE; 2] {
            for watch in at.inst.watch.into_iter().filter(|watch| *watch != NONE) {
                self.act(warp, at, Act::Branch { watch, taken, rest });
            }
        }
        if rest == 0 {
            return Some(target);
        }
        if taken == 0 {
            return Some(place.pc + 1);
        }
        warp.splits[place.split].pc = place.pc;
        self.act(warp, at, Act::Diverge { taken, rest });
        let ways = [Way { pc: target, mask: taken }, Way { pc: place.pc + 1, mask: rest }];
        warp.diverge(place.split, &ways, reconverge);
        None
    }

    /// Lanes load or store.
    #[inline(always)]
    fn access(&mut self, warp: &mut Warp, at: At<'e>) -> Executed<()> {
        match &at.inst.op {
            Op::Load { space, d, bytes, signed, at: from, order, scope, used, follows, updates } => {
                let addresses = self.checked_addresses(warp, at, from);
                let total = *bytes * d.len() as u32;
                let request = Request::new(Access::Load, *space, at.mask, &addresses, total, *order, *scope);
                let request = Request { used: *used, follows: *follows, updates: *updates, ..request };
                self.load(warp, at, &request, d, *bytes, *signed)
            }
            Op::Store { space, s, bytes, at: to, order, scope, updates } => {
                let addresses = self.checked_addresses(warp, at, to);
                let total = *bytes * s.len() as u32;
                let request = Request::new(Access::Store, *space, at.mask, &addresses, total, *order, *scope);
                let request = Request { updates: *updates, ..request };
                self.store(warp, at, &request, s, *bytes)
            }
            _ => Ok(()),
        }
    }

    /// Does what is neither arithmetic nor a plain access.
    #[inline(never)]
    fn control(&mut self, warp: &mut Warp, place: Place, at: At<'e>) -> Executed<Next> {
        let Place { split, pc, .. } = place;
        warp.splits[split].pc = pc;
        match &at.inst.op {
            Op::Atomic { space, bytes, d, at: word, order, scope, looks, .. } => {
                let addresses = self.checked_addresses(warp, at, word);
                let access = Access::Atomic { returns: *d != NONE };
                let request = Request::new(access, *space, at.mask, &addresses, *bytes, *order, *scope);
                let request = Request { looks: *looks, ..request };
                self.atomic(warp, at, &request)?;
            }
            Op::CopyAsync { .. } => self.copy_async(warp, at)?,
            Op::CopyCommit {} => each(at.mask, |lane| warp.copy_groups[lane] += 1),
            Op::CopyWait { but } => self.copies_done(warp, at, *but),
            Op::Mbarrier { .. } => self.mbarrier(warp, at)?,
            Op::Fence { scope, kind } => {
                self.act(warp, at, Act::Fence { mask: at.mask, scope: *scope, kind: *kind })
            }
            Op::GridWait {} => self.act(warp, at, Act::GridWait(at.mask)),
            Op::AddressOf { d, at: of } => {
                let addresses = self.addresses(warp, at, of);
                let d = &mut warp.activations[at.slot as usize].registers[*d as usize];
                each(at.mask, |lane| d[lane] = addresses[lane]);
            }
            Op::Clock { d } => {
                // There is no clock: time is the number of instructions executed so far.
                let now = self.progress.executed;
                let d = &mut warp.activations[at.slot as usize].registers[*d as usize];
                each(at.mask, |lane| d[lane] = now);
            }
            Op::Barrier { .. } => return Ok((!self.barrier(warp, split, at)?).then_some(pc + 1)),
            Op::ClusterArrive { releases } => self.cluster_arrive(warp, split, at, *releases)?,
            Op::ClusterWait {} => return Ok((!self.cluster_wait(warp, split, at)?).then_some(pc + 1)),
            Op::BranchIndexed { index: way, targets, reconverge } => {
                return self.indexed_branch(warp, place, at, (*way, targets, *reconverge));
            }
            Op::Call { .. } => {
                self.call(warp, split, at)?;
                return Ok(None);
            }
            Op::Return {} => {
                warp.splits[split].pc = pc + 1;
                self.give_back(warp, split, at);
                warp.leave(split, at.mask);
                return Ok(None);
            }
            Op::Exit {} => {
                warp.splits[split].pc = pc + 1;
                warp.exit(split, at.mask);
                self.block.exited += at.mask.count_ones();
                self.release();
                self.leave_cluster(warp, at.mask);
                return Ok(None);
            }
            Op::Trap {} => {
                let help = "an assertion failed here, or a compiler has put this in place of what is \
                            undefined: an access through a null or unset pointer, a write to __constant__ \
                            memory";
                return Err(self.fault(warp, at, Kind::Trap, "the kernel stopped itself with `trap`", help));
            }
            Op::Unsupported { opcode, word } => {
                let what = unknown::message(opcode, word.as_deref(), at.inst.line, &self.program.name);
                return Err(self.fault(warp, at, Kind::UnsupportedInstruction, what, unknown::HELP));
            }
            Op::Nop {} => {}
            op if op.members().is_some() => return self.collective_reached(warp, place, at),
            op => {
                let activation = &mut warp.activations[at.slot as usize];
                registers::execute(op, activation, at.function, at.mask);
            }
        }
        Ok(Some(pc + 1))
    }

    /// Lanes come to a warp-level instruction.
    fn collective_reached(&mut self, warp: &mut Warp, place: Place, at: At<'e>) -> Executed<Next> {
        if at.mask != place.mask {
            // The lanes that the guard leaves out do not take part.
            warp.stay(place.split, at.mask);
        } else if self.collective_ready(warp, place.split) {
            self.collective(warp, place.split)?;
            // Others may go on with it, then.
            return Ok((!warp.keeps_apart).then_some(place.pc + 1));
        } else {
            warp.splits[place.split].wait = Wait::Lanes;
        }
        Ok(None)
    }

    /// `brx.idx`: each lane takes one of several ways.
    #[inline(never)]
    fn indexed_branch(
        &mut self,
        warp: &mut Warp,
        place: Place,
        at: At<'e>,
        (way, targets, reconverge): (Reg, &[u32], u32),
    ) -> Executed<Next> {
        let values = *at.source(warp, way);
        let target = |lane: usize| targets.get(values[lane] as u32 as usize).copied();
        if let Some(lane) = lanes(at.mask).find(|&lane| target(lane).is_none()) {
            let what = format!("an indexed branch takes target {} of {}", values[lane] as u32, targets.len());
            let help = "this is a compiler's jump table: the program went wrong earlier";
            return Err(self.fault(warp, at.lane(lane), Kind::OutOfBounds, what, help));
        }
        // Lanes that the guard leaves out go on behind it.
        let out = (at.mask != place.mask).then_some(Way { pc: place.pc + 1, mask: place.mask & !at.mask });
        let taken =
            groups(at.mask, target).map(|(target, mask)| Way { pc: target.unwrap_or(place.pc + 1), mask });
        let ways: Vec<Way> = out.into_iter().chain(taken).collect();
        if let [only] = ways[..] {
            return Ok(Some(only.pc));
        }
        let taken = ways[0].mask;
        self.act(warp, at, Act::Diverge { taken, rest: place.mask & !taken });
        warp.diverge(place.split, &ways, reconverge);
        Ok(None)
    }
}
