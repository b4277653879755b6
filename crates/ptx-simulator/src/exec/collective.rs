//! Instructions in which the lanes of a warp exchange values: PTX ISA 9.7.9.6 and 9.7.13.
//!
//! Lanes that name different masks are different groups, as `tiled_partition` makes them.

use super::activation::{Activation, source};
use super::context::{At, Context, Executed};
use super::exchange::{self, Way};
use super::follow;
use super::split::{Split, Wait};
use super::warp::Warp;
use crate::arith::{Lanes, WARP, combine, each, groups, lanes, which};
use crate::decode::exchange::is_same;
use crate::decode::{Function, NONE, Op, Reg, Shuffle, Vote};
use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::observe::Act;
use crate::what::What;

/// What to do about a mask that says who happens to be there.
const ACTIVE_MASK: &str = "name the lanes that should take part: 0xffffffff where all 32 come, or \
                           __ballot_sync(0xffffffff, condition) before the branch, where only some come";

/// Does `op` for the lanes of `mask`, all of which have come.
pub fn execute(op: &Op, activation: &mut Activation, function: &Function, mask: u32) {
    let read = |r| source(activation, function, r);
    let mut out: Lanes = [0; WARP];
    let mut holds: u32 = 0;
    let (d, p) = match op {
        Op::Shuffle { mode, d, p, a, b, c, .. } => {
            let a = read(*a);
            let b = read(*b);
            let c = read(*c);
            each(mask, |lane| {
                let (from, in_range) = mode.source(lane, b, c);
                out[lane] = a[from];
                holds |= (in_range as u32) << lane;
            });
            (*d, *p)
        }
        Op::Vote { mode, d, q, p, mask: members } => {
            let members = read(*members);
            let value = activation.holds(*p);
            for lane in lanes(mask) {
                let group = members[lane] as u32 & mask;
                let votes = value & group;
                out[lane] = votes as u64;
                let yes = match mode {
                    Vote::All => votes == group,
                    Vote::Any => votes != 0,
                    Vote::Uniform => votes == group || votes == 0,
                    Vote::Ballot => false,
                };
                holds |= (yes as u32) << lane;
            }
            (*d, *q)
        }
        Op::Match { all, d, p, a, wide, mask: members } => {
            let members = read(*members);
            let values = read(*a);
            let keep = if *wide { u64::MAX } else { 0xffff_ffff };
            for lane in lanes(mask) {
                let group = members[lane] as u32 & mask;
                let same = which(group, |other| values[other] & keep == values[lane] & keep);
                let everyone = same == group;
                out[lane] = if !*all || everyone { same as u64 } else { 0 };
                holds |= (everyone as u32) << lane;
            }
            (*d, *p)
        }
        Op::Reduce { op, d, a, mask: members } => {
            let members = read(*members);
            let values = read(*a);
            for lane in lanes(mask) {
                let mut group = lanes(members[lane] as u32 & mask);
                let first = group.next().map_or(0, |other| values[other] & 0xffff_ffff);
                out[lane] = group.fold(first, |sum, other| combine(*op, 4, sum, values[other], 0));
            }
            (*d, NONE)
        }
        Op::Mma { how, d, a, b, c, .. } => {
            let all = |registers: &[Reg]| registers.iter().map(|r| read(*r)).collect::<Vec<_>>();
            let results = how.compute(&all(a), &all(b), &all(c));
            for (d, result) in d.iter().zip(results) {
                let d = &mut activation.registers[*d as usize];
                each(mask, |lane| d[lane] = result[lane]);
            }
            return;
        }
        _ => return,
    };
    if d != NONE {
        let d = &mut activation.registers[d as usize];
        each(mask, |lane| d[lane] = out[lane]);
    }
    activation.set_predicate(p, mask, holds);
}

impl Context<'_> {
    /// The masks that the lanes of a split name, if it has come to a warp-level instruction.
    fn member_masks(&self, warp: &Warp, split: &Split) -> Option<Lanes> {
        let at = self.at_split(warp, split);
        let mask = at.inst.op.members()?;
        Some(*at.source(warp, mask))
    }

    /// Whether `other` waits for lanes at an instruction that matches the one of `me`: the same one; for
    /// `bar.warp.sync`, any of its kind; for an exchange, one like it in another way of the same branch. (The
    /// PTX ISA does not ask for the same branch. But lanes that have left a loop would meet those that are
    /// still in it at their next exchange: that is a mistake, so they count as missing.)
    fn waits_with(&self, warp: &Warp, me: &Split, other: &Split) -> bool {
        if other.wait != Wait::Lanes {
            return false;
        }
        let op = |split: &Split| &self.at_split(warp, split).inst.op;
        let is_barrier = |split: &Split| matches!(op(split), Op::WarpBarrier { .. });
        let is_here = other.pc == me.pc && other.activation == me.activation;
        let is_other_way =
            || (other.join, other.activation) == (me.join, me.activation) && is_same(op(me), op(other));
        if is_barrier(me) { is_barrier(other) } else { is_here || is_other_way() }
    }

    /// Whether every lane that the split's lanes name has come to a matching instruction. Lanes that have
    /// exited are not waited for.
    pub fn collective_ready(&self, warp: &Warp, index: usize) -> bool {
        let me = warp.splits[index];
        let Some(masks) = self.member_masks(warp, &me) else { return true };
        let alive = warp.lanes & !warp.exited;
        if lanes(me.mask).all(|lane| masks[lane] as u32 & alive & !me.mask == 0) {
            return true;
        }
        let mut here = [0u32; WARP];
        for (number, split) in warp.splits.iter().enumerate() {
            if number == index || self.waits_with(warp, &me, split) {
                let masks = self.member_masks(warp, split).unwrap_or([0; WARP]);
                for lane in lanes(split.mask) {
                    here[lane] = masks[lane] as u32;
                }
            }
        }
        lanes(me.mask).all(|lane| {
            let mask = masks[lane] as u32;
            lanes(mask & alive).all(|other| here[other] == mask)
        })
    }

    /// No warp of the block can make progress: names the lanes of `warp` that others wait for in vain.
    pub fn missing_lanes(&mut self, warp: &Warp) {
        let waiting = || warp.splits.iter().filter(|split| split.wait == Wait::Lanes);
        let alive = warp.lanes & !warp.exited;
        for split in waiting() {
            let Some(masks) = self.member_masks(warp, split) else { continue };
            let mut here = 0;
            for other in waiting().filter(|other| other.pc == split.pc) {
                here |= other.mask;
            }
            let mut named = 0;
            for lane in lanes(split.mask) {
                named |= masks[lane] as u32;
            }
            let absent = named & alive & !here;
            if absent == 0 {
                continue;
            }
            let first = lanes(split.mask).next().unwrap_or(0);
            let mask = masks[first] as u32;
            let lane = absent.trailing_zeros();
            let what = format!("the mask {mask:#010x} names lane {lane}, which does not come here");
            let help =
                "name exactly the lanes that come to this instruction, or move it to where all lanes come";
            self.find(warp, self.at_split(warp, split), Kind::WarpCollective, what, help);
        }
    }

    /// Does a warp-level instruction for the split and for those that wait with it; all go on. Gives the
    /// split's index, which may be another one then.
    pub fn collective(&mut self, warp: &mut Warp, index: usize) -> Executed<usize> {
        let me = warp.splits[index];
        let at = self.at(warp, index);
        let op = &at.inst.op;
        let function = at.function;
        let mut mask = me.mask;
        let mut names = self.member_masks(warp, &me).unwrap_or([0; WARP]);
        // Those that stand elsewhere, if any.
        let mut ways = Vec::new();
        for i in (0..warp.splits.len()).filter(|i| *i != index) {
            let other = warp.splits[i];
            // A warp barrier may stand elsewhere in the code, for the same lanes; and lanes that wait here
            // for others than these, as tiles of a warp do, go on waiting.
            let named = self.member_masks(warp, &other).unwrap_or([0; WARP]);
            if self.waits_with(warp, &me, &other)
                && lanes(other.mask).any(|lane| named[lane] as u32 & me.mask != 0)
            {
                mask |= other.mask;
                for lane in lanes(other.mask) {
                    names[lane] = named[lane];
                }
                if other.pc != me.pc {
                    ways.push(Way { op: &self.at_split(warp, &other).inst.op, mask: other.mask });
                }
                warp.splits[i].go_on();
            }
        }
        if !ways.is_empty() {
            ways.push(Way { op, mask: ways.iter().fold(mask, |rest, way| rest & !way.mask) });
        }
        let at = At { mask, ..at };
        if let Some(turns) = self.turns {
            turns.borrow_mut().meet(self.process(warp, mask), mask);
        }
        let activation = &mut warp.activations[me.activation as usize];
        let together = exchange::bring_together(activation, function, &ways);
        let op = together.as_ref().unwrap_or(op);
        let absent = if self.checks { self.check_collective(warp, at, op, &names) } else { None };
        if self.checks {
            self.check_active_mask(warp, at, me.pc);
        }
        match op {
            Op::WarpBarrier { .. } => {
                for (_, group) in groups(mask, |lane| names[lane]) {
                    self.act(warp, at, Act::WarpBarrier(group));
                }
            }
            Op::Tile { .. } => self.tile(warp, at)?,
            _ => {
                if self.checks {
                    let activation = &mut warp.activations[me.activation as usize];
                    follow::follow_collective::<u32>(activation, function, op, mask);
                    self.racing_collective(warp, at, op);
                }
                let activation = &mut warp.activations[me.activation as usize];
                execute(op, activation, function, mask);
            }
        }
        if let (Some((lost, finding)), Op::Shuffle { d, .. }) = (absent, op) {
            let activation = &mut warp.activations[me.activation as usize];
            activation.undefined.set(*d, lost, (lost, at.inst.line));
            warp.absent.insert(at.inst.line, finding);
        }
        exchange::give_back(&mut warp.activations[me.activation as usize], function, &ways);
        warp.splits[index].go_on();
        Ok(if warp.keeps_apart { warp.gather(index) } else { index })
    }

    /// Tells it where the mask of a warp-level instruction comes from `activemask`.
    fn check_active_mask(&mut self, warp: &Warp, at: At, pc: u32) {
        let Some(made) = at.function.active_masks.get(&(pc as usize)) else { return };
        let severity = if made.only_names { Severity::Warning } else { Severity::Note };
        let names = self.program.place(at.inst.loc, at.inst.line);
        let what = What::ActiveMask { names: names.0.zip(names.1), apart: None };
        let at = At { inst: &at.function.code[made.pc], ..at };
        let found = self.fault(warp, at, Kind::WarpCollective, what, ACTIVE_MASK);
        self.tell(&Diagnostic { severity, ..*found });
    }

    /// What is wrong with a warp-level instruction that the lanes of `mask` execute, each with the mask it
    /// names: a lane must name itself. A lane that reads from one that does not take part gets an undefined
    /// value (PTX ISA 9.7.9.6), which is no mistake as long as it is not used: which lanes do, and what is to
    /// be said if it is.
    fn check_collective(
        &mut self,
        warp: &Warp,
        at: At,
        op: &Op,
        names: &Lanes,
    ) -> Option<(u32, Box<Diagnostic>)> {
        let mask = at.mask;
        let names = names.map(|name| name as u32);
        let mut find =
            |at: At, what: String, help: &str| self.find(warp, at, Kind::WarpCollective, what, help);
        if matches!(op, Op::Mma { .. } | Op::Tile { .. }) && mask != u32::MAX {
            let what =
                format!("only the lanes {mask:#010x} reach a matrix instruction, which needs all of them");
            find(at, what, "let all 32 lanes of the warp execute it, with zeros where there is no data");
        }
        if let Some(lane) = lanes(mask).find(|&lane| names[lane] >> lane & 1 == 0) {
            let what =
                format!("lane {lane} takes part with the mask {:#010x}, which does not name it", names[lane]);
            let help = "name every lane that comes here, and no other: compute the mask before the branch, \
                        with __ballot_sync or from the lane's group";
            find(at.lane(lane), what, help);
        }
        let differs = lanes(mask).find_map(|lane| {
            let other = lanes(names[lane] & mask).find(|&other| names[other] != names[lane])?;
            Some((lane, other))
        });
        if let Some((lane, other)) = differs {
            let what = format!(
                "lane {lane} names the lanes {:#010x}, among them lane {other}, which names {:#010x}",
                names[lane], names[other]
            );
            find(at.lane(lane), what, "let all lanes that work together pass the same mask");
        }
        let Op::Shuffle { mode, b, c, .. } = op else { return None };
        let b = at.source(warp, *b);
        // Who begins with the size of a warp means another lane, and gets its own value.
        let is_by_a_warp = |lane: usize| b[lane] as u32 == WARP as u32;
        if *mode != Shuffle::Index && lanes(mask).all(is_by_a_warp) {
            let what = "a shuffle by 32: only the lowest five bits count, so it is one by 0";
            let help = "lanes of a warp are less than 32 apart: begin with 16";
            let found = self.fault(warp, at, Kind::WarpCollective, what, help);
            self.tell(&Diagnostic { severity: Severity::Warning, ..*found });
        }
        let c = at.source(warp, *c);
        let is_absent = |lane: &usize| {
            let (from, in_range) = mode.source(*lane, b, c);
            in_range && mask & names[*lane] & (1 << from) == 0
        };
        let absent = lanes(mask).filter(is_absent).fold(0, |all, lane| all | 1 << lane);
        let first = lanes(absent).next()?;
        let (from, _) = mode.source(first, b, c);
        let what = format!(
            "lane {first} reads from lane {from}, which does not take part: what it gets is undefined"
        );
        let help = "let all 32 lanes of the warp execute the shuffle, with the identity where there is no \
                    data";
        Some((absent, self.fault(warp, at.lane(first), Kind::WarpCollective, what, help)))
    }
}
