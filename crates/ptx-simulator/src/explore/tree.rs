//! The tree of orders: at which operation another process could have gone first, and which of these ways
//! have been taken.
//!
//! Dynamic partial-order reduction by source sets and sleep sets (Abdulla, Aronis, Jonsson and Sagonas,
//! "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM 2017). Where two operations
//! of a run depend on each other and nothing else orders them, there is a run in which the second comes
//! first; it is enough to begin it, before the first of the two, with any process that has nothing of the
//! rest before it. A process sleeps as long as whatever it would do has been tried already.

use std::rc::Rc;

use super::operation::{Operation, Process};

/// Two operations that change places.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// The one that came first in the run before.
    pub first: Rc<Operation>,
    pub second: Rc<Operation>,
}

/// A turn in a run that does an operation earlier than the run before.
#[derive(Clone, Copy, Debug)]
pub struct EarlierTurn {
    pub process: Process,
    /// None of the other turns has to come before it.
    pub can_be_first: bool,
}

/// Another way to go on from a place in a run.
#[derive(Debug)]
struct Way {
    /// Whose operations come first, in this order; the last of them is the one that comes earlier than
    /// before.
    turns: Vec<Process>,
    /// Those of them that could come first.
    firsts: Vec<Process>,
    reversal: Reversal,
}

/// One operation of a run, and what else could have come in its place.
#[derive(Debug)]
struct Node {
    chosen: Process,
    /// Operations that could have had their turn.
    candidates: Vec<Rc<Operation>>,
    /// Those that have been tried elsewhere.
    asleep: Vec<Rc<Operation>>,
    /// Ways that have been taken, by their first turns, and ways that are to be taken.
    taken: Vec<Process>,
    open: Vec<Way>,
}

impl Node {
    fn has_taken(&self, firsts: &[Process]) -> bool {
        firsts.iter().any(|first| self.taken.contains(first))
    }
}

/// Runs are paths of this tree from its root on.
#[derive(Debug, Default)]
pub struct Tree {
    /// The path of the run under way, or of the last one.
    nodes: Vec<Node>,
    /// How many of them the next run repeats, and whose turns come then.
    repeated: usize,
    ahead: Vec<Process>,
    has_plan: bool,
    /// What the run under way changes of the one that it branches off from.
    pub reversal: Option<Reversal>,
}

impl Tree {
    /// Whose turn it is as operation `number` of the run under way, as far as that is known.
    pub fn planned(&self, number: usize) -> Option<Process> {
        match number.checked_sub(self.repeated) {
            None => Some(self.nodes[number].chosen),
            Some(ahead) => self.ahead.get(ahead).copied(),
        }
    }

    /// Whether the run under way was to do operation `number` earlier, and has led to nothing else so far.
    pub fn is_all_about(&self, number: usize) -> bool {
        self.has_plan
            && number + 1 == self.repeated + self.ahead.len()
            && self.nodes[self.repeated..].iter().all(|node| node.open.is_empty())
    }

    /// The run under way cannot go on as it was to.
    pub fn leave_plan(&mut self) {
        self.has_plan = false;
        self.ahead.clear();
    }

    /// Whether operation `number` is one of those that the run under way repeats.
    pub fn repeats(&self, number: usize) -> bool {
        number < self.repeated
    }

    /// Operations that sleep where the run under way has come to.
    pub fn asleep(&self) -> Vec<Rc<Operation>> {
        let Some(node) = self.nodes.last() else { return Vec::new() };
        let Some(chosen) = node.candidates.iter().find(|one| one.process == node.chosen) else {
            return Vec::new();
        };
        let taken = node.candidates.iter().filter(|one| node.taken.contains(&one.process));
        let slept = node.asleep.iter().chain(taken).filter(|one| one.process != node.chosen);
        slept.filter(|one| !one.depends_on(chosen)).cloned().collect()
    }

    /// The run under way goes on with `chosen`, one of the candidates.
    pub fn add(&mut self, chosen: Process, candidates: Vec<Rc<Operation>>, asleep: Vec<Rc<Operation>>) {
        self.nodes.push(Node { chosen, candidates, asleep, taken: Vec::new(), open: Vec::new() });
    }

    /// Operation `number` and a later one could change places. `turns`: whose operations come then.
    pub fn could_change(&mut self, number: usize, turns: &[EarlierTurn], reversal: Reversal) {
        let node = &mut self.nodes[number];
        let firsts: Vec<Process> =
            turns.iter().filter(|turn| turn.can_be_first).map(|turn| turn.process).collect();
        let is_asleep = |process: &Process| node.asleep.iter().any(|one| one.process == *process);
        if node.has_taken(&firsts) || firsts.iter().any(is_asleep) {
            return;
        }
        let could = |turn: &EarlierTurn| {
            turn.can_be_first && node.candidates.iter().any(|one| one.process == turn.process)
        };
        let Some(first) = turns.iter().position(could) else { return };
        let mut turns: Vec<Process> = turns.iter().map(|turn| turn.process).collect();
        turns[..=first].rotate_right(1);
        if node.open.iter().all(|way| way.turns != turns) {
            node.open.push(Way { turns, firsts, reversal });
        }
    }

    /// Goes to the next way that has not been taken; `false` if there is none. `in_vain`: what the last run
    /// was to do earlier makes no sense there, so that it is as if it had not begun.
    pub fn next_run(&mut self, in_vain: bool) -> bool {
        if in_vain {
            self.nodes.truncate(self.repeated);
        }
        let mut counts = !in_vain;
        while let Some(node) = self.nodes.last_mut() {
            if counts {
                node.taken.push(node.chosen);
            }
            counts = true;
            // What has been taken in the meantime leads there too.
            let open = std::mem::take(&mut node.open);
            node.open = open.into_iter().filter(|way| !node.has_taken(&way.firsts)).collect();
            if let Some(Way { turns, reversal, .. }) = node.open.pop() {
                node.chosen = turns[0];
                self.ahead = turns[1..].to_vec();
                self.has_plan = true;
                self.reversal = Some(reversal);
                self.repeated = self.nodes.len();
                return true;
            }
            self.nodes.pop();
        }
        false
    }
}
