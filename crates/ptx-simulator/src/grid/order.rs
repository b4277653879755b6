//! The next operation whose order matters, where that is chosen (`explore/`).

use super::engine::Engine;
use crate::diagnostic::{Diagnostic, Kind};
use crate::exec::{Executed, Wait};
use crate::explore::{Pick, Process};

/// Instructions that a launch may execute when it goes on without turns: enough to tell a deadlock.
const MAX_LEFT: u64 = 1 << 23;

impl Engine<'_> {
    /// If all threads have come to such an operation, or wait for others: somebody has a turn. Where nobody
    /// can make progress by that, all go on without turns, which ends as such a launch ends.
    pub fn next_operation(&mut self) -> Executed<()> {
        let under_way = self.running.iter().filter_map(|number| self.grids.get(number));
        let blocks: usize = under_way.map(|grid| grid.resident.len()).sum();
        let Some(turns) = self.turns.filter(|_| blocks > 0 && self.still >= blocks) else { return Ok(()) };
        self.still = 0;
        let pick = turns.borrow_mut().pick();
        match pick {
            Pick::Go(process) => self.let_go(process),
            Pick::GivenUp => return Err(given_up()),
            // Lanes that wait where others of their warp should join them may be what those wait for.
            Pick::AllSpin | Pick::Nobody if self.go_on_alone() => {}
            Pick::AllSpin => match turns.borrow_mut().pick_in_vain(self.progress.changes()) {
                Some(process) => self.let_go(process),
                None => self.go_on_without_turns(),
            },
            Pick::Nobody => self.go_on_without_turns(),
        }
        Ok(())
    }

    /// A process does its operation, and goes on first.
    fn let_go(&mut self, process: Process) {
        let Process { grid: number, block, warp, lane } = process;
        let Some(grid) = self.grids.get_mut(&number) else { return };
        let is_it = |one: &super::engine::Block| one.state.linear == block;
        let Some(at) = grid.resident.iter().position(is_it) else { return };
        grid.resident.rotate_left(at);
        let split =
            grid.resident[0].warps.get_mut(warp as usize).and_then(|warp| warp.waiting_for_turn(lane));
        if let Some(split) = split {
            split.wait = Wait::Nothing;
        }
        self.running.retain(|running| *running != number);
        self.running.push_front(number);
    }

    /// Lanes that wait at joins go on without those that are missing; whether there were any.
    fn go_on_alone(&mut self) -> bool {
        let blocks = self.grids.values_mut().flat_map(|grid| &mut grid.resident);
        let mut any = false;
        for warp in blocks.flat_map(|block| &mut block.warps) {
            any |= warp.go_on_alone();
        }
        any
    }

    fn go_on_without_turns(&mut self) {
        self.turns = None;
        self.progress.allow(MAX_LEFT);
        // Warps that waited for a turn were not stuck.
        self.progress.changed();
        let blocks = self.grids.values_mut().flat_map(|grid| &mut grid.resident);
        let warps = blocks.flat_map(|block| &mut block.warps);
        for split in warps.flat_map(|warp| &mut warp.splits).filter(|split| split.wait == Wait::Turn) {
            split.wait = Wait::Nothing;
        }
    }
}

/// The run is given up. The reason is in its `Turns`; nobody is shown this.
fn given_up() -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Kind::StepLimit, "this order is given up", "try another one"))
}
