//! One run whose order is chosen operation by operation: who waits for a turn, who gets it, and what that
//! says about other orders.
//!
//! The engine runs every thread up to its next operation. When all have come to one, or wait for others,
//! [`Turns::pick`] says whose turn it is.
//!
//! A thread that waits in a loop reads again and again. Such a look makes no difference until somebody writes
//! what is looked at: so the thread has no turn until then, and the looks in vain are no part of the order
//! ("await" in Kokologiannakis and Vafeiadis, "GenMC: A Model Checker for Weak Memory Models", CAV 2021).

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::rc::Rc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::operation::{BlockId, Operation, Process, Uneven, Word};
use super::past::Past;
use super::set::Set;
use super::tree::{EarlierTurn, Reversal, Tree};
use crate::arith::LaneOrder;

/// A run with more operations than this is given up as too long.
const MAX_OPERATIONS: usize = 4_096;

/// An order of the operations of a launch: who has the turns, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interleaving {
    /// Number of the grid, linear number of the block in it, number of the warp in that, and its lowest lane
    /// that takes part.
    pub turns: Vec<(u32, u64, u32, u32)>,
    /// The order of lanes that execute an atomic together.
    #[serde(default, skip_serializing_if = "LaneOrder::are_forwards")]
    pub lanes: LaneOrder,
    /// A schedule in place of all these, unless it is 0 (`set_schedule`).
    #[serde(default, skip_serializing_if = "is_plain")]
    pub schedule: u64,
}

fn is_plain(schedule: &u64) -> bool {
    *schedule == 0
}

/// Who has the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Go(Process),
    /// Nobody waits for one.
    Nobody,
    /// Every waiting thread spins on memory that has not changed since its last look.
    AllSpin,
    /// The run is given up: all that could follow has been tried, or it is too long, or the order that it was
    /// to follow is that of another program.
    GivenUp,
}

/// Why runs end before their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GivenUp {
    #[default]
    No,
    /// Whatever could follow has been tried.
    Known,
    /// The operation that this run moved to an earlier place is a look in vain there.
    MovedInVain,
    TooLong,
    /// There is no such operation to be done next.
    Misfit,
}

/// An operation that has been done.
#[derive(Debug)]
struct Done {
    operation: Rc<Operation>,
    /// What is behind it.
    past: Set,
    /// Whether it has written something, which for an atomic depends on what was there.
    changes: bool,
    /// A look in vain, which is no part of the order.
    is_void: bool,
}

/// An operation that waits for its turn.
#[derive(Debug)]
struct Waiting {
    operation: Rc<Operation>,
    /// What has to change before another look makes sense.
    awaits: Option<Vec<Word>>,
}

/// A look at memory that changed nothing, since the warp last changed something.
#[derive(Debug)]
struct Look {
    number: usize,
    operation: Rc<Operation>,
    /// What its lanes had behind them before.
    known: Set,
}

/// The operation done last, until it is known whether it was a look in vain.
#[derive(Debug)]
struct Last {
    /// Operations that it could change places with.
    races: Vec<usize>,
    known: Set,
}

/// What decides whose turn it is.
#[derive(Clone, Debug, Default)]
enum Policy {
    /// The tree of orders, from one run to the next.
    #[default]
    Tree,
    /// An order, as far as it goes.
    Follow(Vec<Process>),
    /// Everybody in turn, one operation each.
    RoundRobin,
    /// Everybody goes on as long as they can, but for these places. Who is preempted there comes after the
    /// others (Emmi, Qadeer and Rakamarić, "Delay-Bounded Scheduling", POPL 2011).
    Preempt(Vec<Preemption>),
}

/// A place where somebody else has the turn than the one who could go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preemption {
    /// How many operations have been done.
    pub number: usize,
    pub by: Process,
}

#[derive(Debug, Default)]
pub struct Turns {
    pub tree: Tree,
    policy: Policy,
    /// Pairs of operations that could change places, by their numbers, where no tree takes them in.
    races: Vec<(usize, usize)>,
    /// Who could have gone on, but was preempted.
    preempted: Vec<Process>,
    pub lanes: LaneOrder,
    pub(super) past: Past,
    done: Vec<Done>,
    /// Operations at each word, by their numbers.
    at_word: FxHashMap<Word, Vec<usize>>,
    waiting: BTreeMap<Process, Waiting>,
    granted: Option<Process>,
    /// Whether the operation done last may still be told what it has changed.
    is_under_way: bool,
    last: Option<Last>,
    looks: FxHashMap<(BlockId, u32), Vec<Look>>,
    /// When processes that wait for a change had a turn all the same, by the state of memory.
    tried: FxHashMap<Process, u64>,
    pub given_up: GivenUp,
    /// The first operations in which each lane meets others.
    pub uneven: Vec<Uneven>,
}

impl Turns {
    /// Turns that follow an order, and have no others in mind.
    pub fn following(interleaving: &Interleaving) -> Turns {
        let process = |&(grid, block, warp, lane)| Process { grid, block, warp, lane };
        let order = interleaving.turns.iter().map(process).collect();
        Turns { policy: Policy::Follow(order), lanes: interleaving.lanes, ..Turns::default() }
    }

    /// Turns in which everybody does one operation, and then the next one does.
    pub fn round_robin() -> Turns {
        Turns { policy: Policy::RoundRobin, ..Turns::default() }
    }

    /// Turns in which everybody goes on as long as they can, but for these places, in their order.
    pub fn preempting(at: &[Preemption]) -> Turns {
        Turns { policy: Policy::Preempt(at.to_vec()), ..Turns::default() }
    }

    /// Another run begins.
    pub fn restart(&mut self) {
        let tree = std::mem::take(&mut self.tree);
        *self = Turns { tree, ..Turns::default() };
    }

    /// The run is over: goes to the next order that has not been tried; `false` if there is none.
    pub fn next_run(&mut self) -> bool {
        self.record_races();
        self.tree.next_run(self.given_up == GivenUp::MovedInVain)
    }

    /// The operations so far, in their order.
    pub fn order(&self) -> Interleaving {
        let turn = |done: &Done| {
            let Process { grid, block, warp, lane } = done.operation.process;
            (grid, block, warp, lane)
        };
        let turns = self.done.iter().map(turn).collect();
        Interleaving { turns, lanes: self.lanes, schedule: 0 }
    }

    /// A hash that is equal for two orders that differ only in swaps of independent operations: it covers,
    /// for each operation, the set of operations that happen before it.
    pub fn fingerprint(&self) -> u64 {
        let mut counts: FxHashMap<Process, u32> = FxHashMap::default();
        let mut ids = Vec::with_capacity(self.done.len());
        let mut all = 0u64;
        for done in &self.done {
            if done.is_void {
                ids.push(0);
                continue;
            }
            let process = done.operation.process;
            let count = counts.entry(process).or_default();
            *count += 1;
            let id = mixed(FxBuildHasher.hash_one((process, *count)));
            let mut sum_before = 0u64;
            for (at, other) in ids.iter().enumerate() {
                if done.past.contains(at) {
                    sum_before = sum_before.wrapping_add(*other);
                }
            }
            all = all.wrapping_add(mixed(id ^ mixed(sum_before)));
            ids.push(id);
        }
        all
    }

    /// How many operations have been done, without looks in vain.
    pub fn operations(&self) -> usize {
        self.done.iter().filter(|one| !one.is_void).count()
    }

    /// Whether lanes that have come to an operation have their turn, and so do it now.
    pub fn has_turn(&mut self, process: Process) -> bool {
        let has_turn = self.granted == Some(process);
        if has_turn {
            self.granted = None;
            if let Some(waiting) = self.waiting.remove(&process) {
                self.begin(waiting.operation);
            }
        }
        has_turn
    }

    /// Lanes wait for their turn.
    pub fn wait(&mut self, operation: Operation) {
        self.close_last();
        let operation = Rc::new(operation);
        let awaits = self.words_to_wait_for(&operation);
        self.waiting.insert(operation.process, Waiting { operation, awaits });
    }

    /// An operation is done now: what is behind it, and with what it could change places.
    fn begin(&mut self, operation: Rc<Operation>) {
        let number = self.done.len();
        let known = self.past.of(operation.process, operation.mask);
        let mut past = known.clone();
        let mut earlier: Vec<usize> =
            operation.words.iter().filter_map(|word| self.at_word.get(word)).flatten().copied().collect();
        earlier.sort_unstable_by(|a, b| b.cmp(a));
        earlier.dedup();
        let mut races = Vec::new();
        for other in earlier {
            let done = &self.done[other];
            if done.is_void || past.contains(other) || !done.operation.conflicts_with(&operation) {
                continue;
            }
            races.push(other);
            past.join(&done.past);
            past.insert(other);
        }
        for word in &operation.words {
            self.at_word.entry(*word).or_default().push(number);
        }
        let mut with_itself = past.clone();
        with_itself.insert(number);
        self.past.done(operation.process, operation.mask, with_itself);
        self.done.push(Done { operation, past, changes: false, is_void: false });
        self.last = Some(Last { races, known });
        self.is_under_way = true;
    }

    /// The operation that is being done, if its effect is not known yet; and whether it has changed something
    /// until now.
    pub(super) fn under_way(&mut self) -> Option<(&Rc<Operation>, &mut bool)> {
        let done = self.done.last_mut().filter(|_| self.is_under_way)?;
        Some((&done.operation, &mut done.changes))
    }

    /// Lanes of a warp have changed something by a plain access: what they have looked at before is no look
    /// in vain.
    pub(super) fn forget_looks(&mut self, block: BlockId, warp: u32, lanes: u32) {
        if let Some(looks) = self.looks.get_mut(&(block, warp)) {
            looks.retain(|look| look.operation.mask & lanes == 0);
        }
    }

    /// Closes the last operation once its effect is known: a change wakes those that wait for its words,
    /// anything else is remembered as a look.
    fn close_last(&mut self) {
        if !std::mem::take(&mut self.is_under_way) {
            return;
        }
        let (Some(done), Some(last)) = (self.done.last(), &self.last) else { return };
        let operation = done.operation.clone();
        let Process { grid, block, warp, .. } = operation.process;
        let looks = self.looks.entry(((grid, block), warp)).or_default();
        if !done.changes {
            looks.push(Look { number: self.done.len() - 1, operation, known: last.known.clone() });
            return;
        }
        looks.retain(|look| look.operation.mask & operation.mask == 0);
        for waiting in self.waiting.values_mut() {
            let is_changed = |words: &Vec<Word>| words.iter().any(|word| operation.words.contains(word));
            if waiting.awaits.as_ref().is_some_and(is_changed) {
                waiting.awaits = None;
            }
        }
    }

    /// If `operation` repeats a look and none of the words read since has changed, returns those words: the
    /// thread waits until one of them does. If that look is also the last operation, it is undone.
    fn words_to_wait_for(&mut self, operation: &Rc<Operation>) -> Option<Vec<Word>> {
        let Process { grid, block, warp, .. } = operation.process;
        let looks = self.looks.get_mut(&((grid, block), warp))?;
        let is_same = |look: &Look| {
            let other = &look.operation;
            other.is_in_place_of(operation)
                && operation.mask & !other.mask == 0
                && operation.words.iter().all(|word| other.words.contains(word))
        };
        let previous = looks.iter().rposition(is_same)?;
        let number = looks[previous].number;
        let mut words: Vec<Word> =
            looks[previous..].iter().flat_map(|look| &look.operation.words).copied().collect();
        words.sort_unstable();
        words.dedup();
        let changes = |one: &Done| one.changes && one.operation.words.iter().any(|word| words.contains(word));
        let is_changed = self.done[number + 1..].iter().any(changes);
        let is_last = number + 1 == self.done.len();
        // Something has changed, or the thread does not spin: this look may see something new.
        if is_changed || !operation.waits {
            looks.drain(..=previous);
            return None;
        }
        // Other operations follow the previous look, or more lanes made it, so it stays part of the order.
        if !is_last || looks[previous].operation.mask != operation.mask {
            looks.drain(..=previous);
            return Some(words);
        }
        let look = looks.remove(previous);
        // The previous look could have come before the write that made it vain: record that first.
        self.record_races();
        // Then undo it. If this run was made only to try that look earlier, it leads nowhere new.
        self.done[number].is_void = true;
        self.past.set(operation.process, operation.mask, look.known);
        if self.explores() && self.tree.is_all_about(number) {
            self.given_up = GivenUp::MovedInVain;
        }
        Some(words)
    }

    /// Whose turn it is; all have come to an operation, or wait for something else.
    pub fn pick(&mut self) -> Pick {
        self.record_races();
        if self.given_up != GivenUp::No {
            return Pick::GivenUp;
        }
        if self.waiting.is_empty() {
            return Pick::Nobody;
        }
        let number = self.done.len();
        if number >= MAX_OPERATIONS {
            return self.give_up(GivenUp::TooLong);
        }
        let explores = self.explores();
        let prescribed = match &self.policy {
            Policy::Follow(order) => order.get(number).copied(),
            Policy::Preempt(at) => {
                let by = at.iter().find(|one| one.number == number).map(|one| one.by);
                self.preempted.extend(by.and(self.done.last()).map(|last| last.operation.process));
                by
            }
            Policy::Tree if self.tree.repeats(number) => self.tree.planned(number),
            Policy::Tree | Policy::RoundRobin => None,
        };
        if let Some(process) = prescribed {
            if !self.waiting.contains_key(&process) {
                return self.give_up(GivenUp::Misfit);
            }
            return self.grant(process);
        }
        let planned = if explores { self.tree.planned(number) } else { None };
        let ready = self.waiting.values().filter(|one| one.awaits.is_none());
        let candidates: Vec<Rc<Operation>> = ready.map(|one| one.operation.clone()).collect();
        let asleep = if explores { self.tree.asleep() } else { Vec::new() };
        if candidates.is_empty() {
            return Pick::AllSpin;
        }
        let is_asleep = |one: &Operation| asleep.iter().any(|other| other.process == one.process);
        let awake: Vec<&Rc<Operation>> = candidates.iter().filter(|one| !is_asleep(one)).collect();
        let as_planned = awake.iter().copied().find(|one| planned == Some(one.process));
        if planned.is_some() && as_planned.is_none() {
            self.tree.leave_plan();
        }
        let rank = |one: &&Rc<Operation>| self.rank(one);
        let Some(next) = as_planned.or_else(|| awake.iter().copied().min_by_key(rank)) else {
            return self.give_up(GivenUp::Known);
        };
        let process = next.process;
        if explores {
            self.tree.add(process, candidates, asleep);
        }
        self.grant(process)
    }

    /// Whose turn comes first: those that were preempted come last, and before them threads that spin. Of the
    /// others the one that went last goes on as long as it can, or the one after it has its turn.
    fn rank(&self, waiting: &Operation) -> impl Ord + use<> {
        let process = waiting.process;
        let previous = self.done.last().map(|one| one.operation.process);
        let is_later = match self.policy {
            Policy::RoundRobin => previous.is_some_and(|previous| process <= previous),
            _ => previous != Some(process),
        };
        (self.preempted.contains(&process), waiting.waits, is_later, process)
    }

    /// All who wait look at something that has not changed. What they look at may have been changed by a
    /// plain store, and they may give up after some looks: so each has a turn, once in each state of memory,
    /// whose number is `state`. `None`: all have had it.
    pub fn pick_in_vain(&mut self, state: u64) -> Option<Process> {
        let is_due = |process: &&Process| self.tried.get(process) != Some(&state);
        let (process, waiting) = self.waiting.iter().find(|(process, _)| is_due(process))?;
        let process = *process;
        if self.explores() {
            let asleep = self.tree.asleep();
            self.tree.add(process, vec![waiting.operation.clone()], asleep);
        }
        self.tried.insert(process, state);
        self.granted = Some(process);
        Some(process)
    }

    fn grant(&mut self, process: Process) -> Pick {
        self.granted = Some(process);
        Pick::Go(process)
    }

    fn give_up(&mut self, why: GivenUp) -> Pick {
        self.given_up = why;
        Pick::GivenUp
    }

    /// Closes the last operation, and tells the tree that it could have come before each one it races with.
    fn record_races(&mut self) {
        self.close_last();
        let Some(Last { races, .. }) = self.last.take() else { return };
        let number = self.done.len() - 1;
        if !self.explores() {
            self.races.extend(races.into_iter().map(|other| (other, number)));
            return;
        }
        for other in races {
            let turns = self.turns_without(other, number);
            let reversal = Reversal {
                first: self.done[other].operation.clone(),
                second: self.done[number].operation.clone(),
            };
            self.tree.could_change(other, &turns, reversal);
        }
    }

    /// Whether other orders are looked for as the tree has them.
    fn explores(&self) -> bool {
        matches!(self.policy, Policy::Tree)
    }

    /// Where somebody else could have had the turn after the places where the run did so already, and what
    /// that changes: before an operation, the one whose later operation depends on it.
    pub fn preemptions(&self) -> Vec<(Preemption, Reversal)> {
        let Policy::Preempt(at) = &self.policy else { return Vec::new() };
        let first = at.last().map_or(0, |last| last.number + 1);
        let counts = |race: &(usize, usize)| race.0 >= first && !self.done[race.0].is_void;
        let mut races: Vec<(usize, usize)> = self.races.iter().copied().filter(counts).collect();
        races.sort_unstable();
        let mut known = FxHashSet::default();
        let mut all = Vec::new();
        for (number, later) in races {
            let [earlier, later] = [number, later].map(|number| self.done[number].operation.clone());
            let preemption = Preemption { number, by: later.process };
            if known.insert(preemption) {
                all.push((preemption, Reversal { first: earlier, second: later }));
            }
        }
        all
    }

    /// Whose turns lead to operation `last` without operation `number` before it: those of all operations
    /// between the two that do not depend on `number`, and that of `last`.
    fn turns_without(&self, number: usize, last: usize) -> Vec<EarlierTurn> {
        let mut rest = Set::default();
        let mut turns = Vec::new();
        for (at, done) in (number + 1..).zip(&self.done[number + 1..=last]) {
            let depends_on_it = at != last && done.past.contains(number);
            if done.is_void || depends_on_it {
                continue;
            }
            let can_be_first = !done.past.meets(&rest);
            turns.push(EarlierTurn { process: done.operation.process, can_be_first });
            rest.insert(at);
        }
        turns
    }

    /// Lanes of a warp have waited for each other.
    pub fn meet(&mut self, process: Process, mask: u32) {
        self.past.meet(process, mask);
    }

    /// Lanes arrive at a barrier of their block.
    pub fn arrives(&mut self, process: Process, mask: u32, barrier: u32, waits: bool) {
        self.past.arrives(process, mask, barrier, waits);
    }

    /// The barrier of these blocks' cluster opens.
    pub fn cluster_opens(&mut self, grid: u32, blocks: impl Iterator<Item = u64> + Clone) {
        self.past.cluster_opens(grid, blocks);
    }
}

/// The bits of a number, mixed so that sums of such numbers rarely collide: SplitMix64's last step.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
