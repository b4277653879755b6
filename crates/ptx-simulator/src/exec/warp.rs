//! 32 lanes in lockstep: how they diverge at a branch, where they reconverge, and how they call and return.
//!
//! Lanes that take the same way form a *split*. A branch on which the lanes disagree makes two splits and a
//! *join* at the immediate post-dominator; a split that gets there waits until every lane that parted has
//! arrived or exited, then all go on as one. Every split keeps its own place, so one that waits at a barrier
//! does not hold up the others: lanes make progress on their own, as they do since Volta (CUDA C++
//! Programming Guide, "Independent Thread Scheduling"). Meeting again is a matter of speed, not a promise:
//! where nobody gets on, the lanes at a join go on without those that are missing, which may spin for a lock
//! that they hold. A schedule may keep them apart until they wait for each other at a barrier, or in a
//! warp-level instruction.

use std::mem;

use rustc_hash::FxHashMap;

use super::activation::Activation;
use super::split::{Join, Meeting, Split, Wait};
use super::still::{Cycle, Followed};
use super::undefined::{Byte, InLocal};
use crate::arith::{WARP, at, lanes};
use crate::decode::{Function, NONE, Position};
use crate::diagnostic::Diagnostic;
use crate::memory::{UNWRITTEN, Written};
use crate::observe::{CopyRequest, Request};

/// Bytes of local memory a thread can have (CUDA C++ Programming Guide, "Technical Specifications": 512 KB).
const MAX_LOCAL_BYTES: usize = 512 << 10;

/// A `cp.async`, by the lanes that have not waited for it.
#[derive(Debug)]
pub struct Copy {
    pub request: CopyRequest,
    /// The group that it is in, counted for each lane.
    pub group: [u32; WARP],
    pub loc: u32,
}

#[derive(Debug, Default)]
pub struct Warp {
    /// Number in the block.
    pub index: u32,
    /// Lanes that are threads of the block, and those that have exited.
    pub lanes: u32,
    pub exited: u32,
    /// Lanes that have arrived at the barrier of their cluster and not waited there yet, by whether its round
    /// is even or odd.
    pub in_cluster_barrier: [u32; 2],
    pub activations: Vec<Activation>,
    free_activations: Vec<u32>,
    pub splits: Vec<Split>,
    /// Whether lanes that diverge don't meet again where their ways do.
    pub keeps_apart: bool,
    pub joins: Vec<Join>,
    free_joins: Vec<u32>,
    /// Counts that tell whether its lanes wait in a loop for what others write.
    pub spin: Spin,
    /// Where it has been, while it is followed; and in which state of memory it was last found stuck, with
    /// the cycle in which it goes round.
    pub followed: Option<Box<Followed>>,
    pub stuck_since: u64,
    pub cycle: Option<Cycle>,
    /// Local memory, `local_bytes` a lane, grown when needed.
    pub local: Vec<Vec<u8>>,
    /// Which bytes of it have been written; kept under checks.
    pub local_written: Vec<Written>,
    /// Lines of the PTX that undefined bytes of call parameters come from, by lane and place in local memory.
    pub origins: FxHashMap<(usize, usize), u32>,
    /// What its lanes have read that nobody has written: the first byte, by the instruction's line in the PTX
    /// and the lane.
    pub unwritten: FxHashMap<(u32, u32), Byte>,
    /// Bytes of local memory that hold values from reads that race.
    pub racing: InLocal,
    /// Asynchronous copies that its lanes have not waited for, and the groups that each lane has committed.
    pub copies: Vec<Copy>,
    pub copy_groups: [u32; WARP],
    /// By their lines in the PTX, shuffles in which lanes have read from lanes that did not take part: what
    /// is wrong if a value from there is used.
    pub absent: FxHashMap<u32, Box<Diagnostic>>,
    position: Position,
    /// `cudaGetLastError` of each thread; empty while there is none.
    pub last_error: Vec<u32>,
}

/// Signs of a loop that waits: memory is read in a way that sees what others write (an atomic, a volatile
/// load), again and again, and nothing is changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spin {
    /// An instruction of this turn has read memory in such a way.
    pub watches: bool,
    /// An instruction of this turn has changed something.
    pub changes: bool,
    /// Instructions since the last change.
    since_change: u32,
    /// Instructions since the last look.
    since_watch: u32,
    /// It has been seen spinning: it gets short turns, and counts as spinning sooner.
    known: bool,
    /// All lanes have found that what they wait for is not over: another warp has a turn now.
    pub gives_way: bool,
    /// Instructions that are left of a turn that was given up.
    pub unused: u32,
}

/// Instructions without a change after which a warp that watches memory counts as spinning.
const SPINNING_AFTER: u32 = 1_024;
/// The same for a warp that has been seen spinning before; also the length of its turns.
const SPINNING_AGAIN_AFTER: u32 = 64;
/// A loop that waits looks at memory at least every this many instructions.
const LOOKS_WITHIN: u32 = 256;

/// A way that lanes take: the place it begins at, and who takes it (at least one lane).
#[derive(Clone, Copy)]
pub struct Way {
    pub pc: u32,
    pub mask: u32,
}

/// Where a function was called from.
pub struct CallSite {
    pub activation: u32,
    pub pc: u32,
    pub join: u32,
}

impl Warp {
    /// Starts a warp of a block at the kernel's first instruction.
    pub fn start(&mut self, function_number: usize, function: &Function, position: Position) {
        let threads = position.block_dim.iter().product::<u32>();
        let here = (threads - position.warp * WARP as u32).min(WARP as u32);
        // What has been allocated is used again.
        let mut activations = mem::take(&mut self.activations);
        let mut splits = mem::take(&mut self.splits);
        activations.resize_with(1, Activation::default);
        splits.clear();
        *self = Warp {
            index: position.warp,
            lanes: u32::MAX >> (WARP as u32 - here),
            activations,
            splits,
            position,
            ..Warp::default()
        };
        let activation = &mut self.activations[0];
        activation.open(function_number, function, 0);
        activation.set_specials(function, &position);
        self.splits.push(Split::new(0, self.lanes, 0, Meeting::NONE));
    }

    /// Makes a split of every lane. They run one after the other, those of `first` in that order and then the
    /// rest. From now on lanes wait for each other only where the kernel synchronises them.
    pub fn part(&mut self, first: &[u32]) {
        let mut lanes = first.to_vec();
        lanes.extend((0..WARP as u32).filter(|lane| !first.contains(lane)));
        lanes.retain(|&lane| lane < WARP as u32 && self.lanes >> lane & 1 == 1);
        // The split that stands last runs first.
        lanes.reverse();
        self.splits = lanes.into_iter().map(|lane| Split::new(0, 1 << lane, 0, Meeting::NONE)).collect();
    }

    /// Lanes of `mask` have read what nobody has written, `bytes` bytes which begin `after` bytes after their
    /// addresses. The first that an instruction reads is remembered: what it reads later may come of that.
    #[cold]
    pub fn remember_unwritten(
        &mut self,
        line: u32,
        mask: u32,
        request: &Request,
        (after, bytes): (u32, u32),
    ) {
        for lane in lanes(mask) {
            let address = request.addresses[lane] + u64::from(after);
            let byte = Byte { space: request.space, owner: request.owner, address, bytes };
            self.unwritten.entry((line, lane as u32)).or_insert(byte);
        }
    }

    /// The splits that do not wait.
    pub fn running(&self) -> impl Iterator<Item = &Split> {
        self.splits.iter().filter(|split| split.wait == Wait::Nothing)
    }

    pub fn waits_for_children(&self) -> bool {
        self.splits.iter().any(|split| split.wait == Wait::Children)
    }

    /// The split whose lowest lane is `lane`, if it waits for a turn.
    pub fn waiting_for_turn(&mut self, lane: u32) -> Option<&mut Split> {
        let is_it = |split: &&mut Split| split.wait == Wait::Turn && split.mask.trailing_zeros() == lane;
        self.splits.iter_mut().find(is_it)
    }

    pub fn waits_for_cluster(&self) -> bool {
        self.splits.iter().any(|split| matches!(split.wait, Wait::Cluster { .. }))
    }

    pub fn finished(&self) -> bool {
        self.exited == self.lanes
    }

    /// The lanes of `split` diverge: they take `ways`, and meet at `reconverge`. The way that stands last
    /// runs first.
    pub fn diverge(&mut self, split: usize, ways: &[Way], reconverge: u32) {
        let from = self.splits[split];
        let meeting = self.meeting(from, reconverge);
        let mut ways = ways.iter().map(|way| Split::new(way.pc, way.mask, from.activation, meeting));
        if let Some(first) = ways.next() {
            self.splits[split] = first;
        }
        self.splits.extend(ways);
    }

    /// The lanes of `mask` stay at the split's instruction, the others go on behind it, where all meet; gives
    /// the split that stays.
    pub fn stay(&mut self, split: usize, mask: u32) -> usize {
        let Split { pc, mask: all, .. } = self.splits[split];
        if mask == all {
            return split;
        }
        self.diverge(split, &[Way { pc: pc + 1, mask: all & !mask }, Way { pc, mask }], pc + 1);
        self.splits.len() - 1
    }

    /// Where lanes that diverge meet again.
    fn meeting(&mut self, from: Split, reconverge: u32) -> Meeting {
        match reconverge {
            // The ways meet only where the function ends, which the enclosing join waits for anyway.
            NONE => Meeting { join: from.join, pc: from.meets },
            _ if self.keeps_apart => Meeting { join: from.join, pc: from.meets },
            _ => Meeting { join: self.new_join(from, reconverge, NONE), pc: reconverge },
        }
    }

    fn new_join(&mut self, from: Split, pc: u32, returns_from: u32) -> u32 {
        let join = Join {
            pc,
            activation: from.activation,
            expected: from.mask,
            arrived: 0,
            outer: from.join,
            outer_meets: from.meets,
            returns_from,
        };
        let slot = self.free_joins.pop().unwrap_or(self.joins.len() as u32);
        *at(&mut self.joins, slot as usize) = join;
        slot
    }

    /// `split` has come to its meeting place.
    pub fn arrive(&mut self, split: usize) {
        let Split { mask, join, .. } = self.splits.remove(split);
        self.joins[join as usize].arrived |= mask;
        self.settle(join);
    }

    /// Other splits that wait where `split` does, for the same, go on with it as one.
    pub fn gather(&mut self, split: usize) -> usize {
        let me = self.splits[split];
        let alike = |other: &Split| {
            let at = |one: &Split| (one.pc, one.activation, one.join, one.meets);
            at(other) == at(&me) && other.wait == me.wait
        };
        let mask = self.splits.iter().filter(|other| alike(other)).fold(0, |all, other| all | other.mask);
        self.splits.retain(|other| !alike(other));
        self.splits.push(Split { mask, ..me });
        self.splits.len() - 1
    }

    /// Opens the join if all its lanes have arrived or exited.
    fn settle(&mut self, mut join: u32) {
        while join != NONE {
            let opened = self.joins[join as usize];
            let missing = opened.expected & !(opened.arrived | self.exited);
            if missing != 0 {
                return;
            }
            self.free_joins.push(join);
            // `go_on_alone` and `waits_at_join` look at free slots too.
            self.joins[join as usize].arrived = 0;
            if opened.returns_from != NONE {
                self.free_activations.push(opened.returns_from);
            }
            let mask = opened.arrived & !self.exited;
            if mask != 0 {
                let outer = Meeting { join: opened.outer, pc: opened.outer_meets };
                self.splits.push(Split::new(opened.pc, mask, opened.activation, outer));
                return;
            }
            // All have exited: the enclosing join may have waited for them alone.
            join = opened.outer;
        }
    }

    /// Lanes that wait at a join go on without those that are missing; whether there were any.
    pub fn go_on_alone(&mut self) -> bool {
        let mut any = false;
        let exited = self.exited;
        for join in &mut self.joins {
            let mask = join.arrived & !exited;
            if mask == 0 {
                continue;
            }
            any = true;
            join.expected &= !mask;
            join.arrived &= !mask;
            let outer = Meeting { join: join.outer, pc: join.outer_meets };
            self.splits.push(Split::new(join.pc, mask, join.activation, outer));
        }
        any
    }

    /// Whether lanes wait at a join, where they may be let go on alone.
    pub fn waits_at_join(&self) -> bool {
        self.joins.iter().any(|join| join.arrived & !self.exited != 0)
    }

    /// How many instructions the next turn may have: `most`, or few for a warp that has been seen spinning.
    pub fn turn_length(&self, most: u32) -> u32 {
        if self.spin.known { most.min(SPINNING_AGAIN_AFTER) } else { most }
    }

    /// After a turn of this many instructions: whether the warp spins.
    pub fn spins(&mut self, instructions: u32) -> bool {
        let spin = &mut self.spin;
        spin.since_change = if spin.changes { 0 } else { spin.since_change.saturating_add(instructions) };
        spin.since_watch = if spin.watches { 0 } else { spin.since_watch.saturating_add(instructions) };
        spin.changes = false;
        spin.watches = false;
        let enough = if spin.known { SPINNING_AGAIN_AFTER } else { SPINNING_AFTER };
        let has_looked_since = spin.since_watch < spin.since_change;
        let spins = spin.since_change >= enough && has_looked_since && spin.since_watch < LOOKS_WITHIN;
        spin.known |= spins;
        spins
    }

    /// The lanes of `mask` exit; they are lanes of `split`, which goes on with the others, if any.
    pub fn exit(&mut self, split: usize, mask: u32) {
        self.exited |= mask;
        let s = &mut self.splits[split];
        s.mask &= !mask;
        if s.mask == 0 {
            let join = s.join;
            self.splits.remove(split);
            self.settle(join);
        }
    }

    /// The lanes of `mask` call `function`; the split's other lanes (of a guarded call) go on meanwhile.
    /// Gives the activation.
    pub fn call(
        &mut self,
        split: usize,
        mask: u32,
        number: usize,
        function: &Function,
        returns_to: Option<usize>,
    ) -> u32 {
        let split = self.stay(split, mask);
        let from = self.splits[split];
        let caller = &self.activations[from.activation as usize];
        let local_base = caller.local_end;
        let depth = caller.depth + 1;
        let slot = self.free_activations.pop().unwrap_or(self.activations.len() as u32);
        let activation = at(&mut self.activations, slot as usize);
        activation.open(number, function, local_base);
        activation.set_specials(function, &self.position);
        activation.returns_to = returns_to;
        activation.depth = depth;
        let join = self.new_join(from, from.pc + 1, slot);
        self.splits[split] = Split::new(0, mask, slot, Meeting { join, pc: NONE });
        slot
    }

    /// The lanes of `mask` return from the split's function; the others go on. The caller has already passed
    /// the returned value on (`give_back`).
    pub fn leave(&mut self, split: usize, mask: u32) {
        let s = &mut self.splits[split];
        s.mask &= !mask;
        let staying = s.mask;
        let mut join = s.join;
        if staying == 0 {
            self.splits.remove(split);
        }
        // A return out of the middle of a branch: the joins inside the function no longer wait for these
        // lanes.
        while join != NONE && self.joins[join as usize].returns_from == NONE {
            let outer = self.joins[join as usize].outer;
            self.joins[join as usize].expected &= !mask;
            // Lanes that stay are still expected at this join, so it cannot open.
            if staying == 0 {
                self.settle(join);
            }
            join = outer;
        }
        if join != NONE {
            self.joins[join as usize].arrived |= mask;
            self.settle(join);
        }
    }

    /// The call that a split with this join is in.
    pub fn call_of(&self, mut join: u32) -> Option<CallSite> {
        while join != NONE {
            let Join { pc, activation, outer, returns_from, .. } = self.joins[join as usize];
            if returns_from != NONE {
                // The join lies behind the call.
                return Some(CallSite { activation, pc: pc - 1, join: outer });
            }
            join = outer;
        }
        None
    }

    /// `bytes` bytes of a lane's local memory, which grows up to [`MAX_LOCAL_BYTES`].
    pub fn local_of(&mut self, lane: usize, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let start = usize::try_from(address).ok().filter(|start| *start <= MAX_LOCAL_BYTES)?;
        let end = start + bytes;
        if end > MAX_LOCAL_BYTES {
            return None;
        }
        if self.local.is_empty() {
            self.local = vec![Vec::new(); WARP];
        }
        let local = &mut self.local[lane];
        if local.len() < end {
            local.resize(end, UNWRITTEN);
        }
        Some(&mut local[start..end])
    }

    /// `bytes` bytes of the call parameters of an activation, for a lane.
    pub fn frame_of(&mut self, slot: u32, lane: usize, at: usize, bytes: usize) -> Option<&mut [u8]> {
        let base = self.activations[slot as usize].frame_base;
        self.local_of(lane, (base + at) as u64, bytes)
    }

    /// Which bytes of a lane's local memory have been written.
    pub fn local_written(&mut self, lane: usize) -> &mut Written {
        self.local_written.resize_with(WARP, Written::default);
        &mut self.local_written[lane]
    }

    /// The line that an undefined byte of a lane's call parameters comes from, or [`NONE`].
    pub fn origin(&self, lane: usize, at: usize) -> u32 {
        self.origins.get(&(lane, at)).copied().unwrap_or(NONE)
    }
}
