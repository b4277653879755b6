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

/// One operation of a run, and what else could have come in its place.
#[derive(Debug)]
struct Node {
    chosen: Process,
    /// Operations that could have had their turn.
    candidates: Vec<Rc<Operation>>,
    /// Those that have been tried elsewhere.
    asleep: Vec<Rc<Operation>>,
    /// Ways that have been taken, and that are to be taken.
    taken: Vec<Process>,
    open: Vec<(Process, Reversal)>,
}

/// Runs are paths of this tree from its root on.
#[derive(Debug, Default)]
pub struct Tree {
    /// The path of the run under way, or of the last one.
    nodes: Vec<Node>,
    /// How many of them the next run repeats.
    repeated: usize,
    /// What the run under way changes of the one that it branches off from.
    pub reversal: Option<Reversal>,
}

impl Tree {
    /// Whose turn it is as operation `number` of the run under way, which does not go beyond what is known.
    pub fn repeats(&self, number: usize) -> Option<Process> {
        (number < self.repeated).then(|| self.nodes[number].chosen)
    }

    /// Whether the run under way takes another way than those before with operation `number`.
    pub fn branches_at(&self, number: usize) -> bool {
        self.repeated == number + 1
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

    /// Operation `number` and a later one could change places, if one of `firsts` comes before it.
    pub fn could_change(&mut self, number: usize, firsts: &[Process], reversal: Reversal) {
        let node = &mut self.nodes[number];
        let is_known = |process: &Process| {
            node.chosen == *process
                || node.taken.contains(process)
                || node.open.iter().any(|(open, _)| open == process)
                || node.asleep.iter().any(|one| one.process == *process)
        };
        if firsts.iter().any(is_known) {
            return;
        }
        let could = |process: &&Process| node.candidates.iter().any(|one| one.process == **process);
        // The last of them is that of the later operation, if nothing has to come before it.
        if let Some(first) = firsts.iter().rev().find(could) {
            node.open.push((*first, reversal));
        }
    }

    /// Goes to the next way that has not been taken; `false` if there is none.
    pub fn next_run(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            node.taken.push(node.chosen);
            if let Some((process, reversal)) = node.open.pop() {
                node.chosen = process;
                self.reversal = Some(reversal);
                self.repeated = self.nodes.len();
                return true;
            }
            self.nodes.pop();
        }
        false
    }
}
