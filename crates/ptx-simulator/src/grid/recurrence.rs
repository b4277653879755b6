//! Whether the state of a launch comes again: then it comes again for ever (a livelock), also where memory
//! changes all the time.
//!
//! A long launch is recorded now and then, for a small part of its instructions: which it executes, and what
//! its stores change in memory. Every block has had its turn when the warps are compared with how they stood
//! before, in what decides their way (`exec/cycle.rs`), and memory, by a hash of what has changed. If both
//! are the same, and nothing else has happened in between than stores and barriers, the turns of the blocks
//! can go on like this without an end, and are fair.

use super::before::{Before, BlockBefore};
use super::engine::{Block, Engine};
use crate::arith::WARP;
use crate::device::index_in;
use crate::diagnostic::{Diagnostic, Kind};
use crate::exec::{Barrier, Cycle, Executed, Recording, Slice, Still, Wait, Warp};
use crate::what::thousands;

/// A launch with more warps under way is not recorded: that would take too much memory.
const MOST_WARPS: usize = 1_024;
/// Turns after which the state to come back to is chosen anew for the first time; then after twice as many,
/// and so on.
const FIRST: u64 = 16;

impl BlockBefore {
    fn of(grid: u32, block: &Block) -> BlockBefore {
        BlockBefore {
            grid,
            block: block.state.linear,
            next: block.next,
            barriers: block.state.barriers,
            warps: block.warps.iter().map(Still::of).collect(),
        }
    }

    /// Whether the block stands at the same place again.
    fn is_place_of(&self, grid: u32, block: &Block) -> bool {
        let barriers = &block.state.barriers;
        // Rounds are counted on; what matters is whether the barrier has opened since.
        let waits_alike = |before: Wait, now: Wait| match (before, now) {
            (Wait::Barrier { id, round: then }, Wait::Barrier { id: other, round: now }) => {
                let id = id as usize;
                id == other as usize && self.barriers[id].round - then == barriers[id].round - now
            }
            _ => before == now,
        };
        let same = |(before, now): (&Still, &Warp)| before.is_place_of(now, waits_alike);
        let is_open = |barrier: &Barrier| Barrier { round: 0, ..*barrier };
        (self.grid, self.block, self.next) == (grid, block.state.linear, block.next)
            && self.barriers.iter().map(is_open).eq(barriers.iter().map(is_open))
            && self.warps.len() == block.warps.len()
            && self.warps.iter().zip(&block.warps).all(same)
            // Lanes at a join may go on alone yet.
            && !block.warps.iter().any(Warp::waits_at_join)
    }

    fn agrees(&self, block: &Block, slice: &Slice, still: u64) -> bool {
        self.warps.iter().zip(&block.warps).all(|(before, now)| before.agrees(now, slice, still))
    }
}

impl Engine<'_> {
    /// Blocks under way, in the order of their turns, with the numbers of their grids.
    fn under_way(&self) -> impl Iterator<Item = (u32, &Block)> {
        let grids = self.running.iter().filter_map(|number| self.grids.get(number));
        grids.flat_map(|grid| grid.resident.iter().map(move |block| (grid.number, block)))
    }

    /// After each turn of a block.
    ///
    /// # Errors
    /// The state comes again.
    pub fn look_for_recurrence(&mut self) -> Executed<()> {
        let executed = self.progress.executed;
        let Some(before) = &mut self.recurrence.before else {
            if self.progress.may_record()
                && self.recurrence.recorded_at != executed.ilog2()
                && self.resident <= MOST_WARPS
            {
                self.recurrence.recorded_at = executed.ilog2();
                self.remember(FIRST);
            }
            return Ok(());
        };
        before.turns += 1;
        if !self.progress.may_record() || before.upheavals != self.progress.upheavals() {
            self.recurrence.before = None;
            self.progress.recording = None;
            return Ok(());
        }
        self.compare()
    }

    fn remember(&mut self, age: u64) {
        self.progress.recording = Some(Recording::default());
        let blocks = self.under_way().map(|(grid, block)| BlockBefore::of(grid, block)).collect();
        let upheavals = self.progress.upheavals();
        let changes = self.progress.changes();
        let executed = self.progress.executed;
        self.recurrence.before = Some(Before { blocks, upheavals, changes, executed, turns: 0, age });
    }

    fn compare(&mut self) -> Executed<()> {
        let (Some(before), Some(recording)) = (&self.recurrence.before, &self.progress.recording) else {
            return Ok(());
        };
        let age = before.age;
        let is_over = before.turns >= age;
        let pairs = || before.blocks.iter().zip(self.under_way());
        let all_had_turns =
            before.turns >= before.blocks.len() as u64 && self.progress.executed > before.executed;
        // Where nothing has changed at all, each warp is looked at by itself (`exec/cycle.rs`).
        let is_same_place = recording.memory == 0
            && self.progress.changes() != before.changes
            && all_had_turns
            && before.blocks.len() == self.under_way().count()
            && pairs().all(|(before, (grid, now))| before.is_place_of(grid, now));
        if is_same_place {
            let slice = Slice::of(&recording.steps, self.program);
            if pairs().all(|(before, (_, now))| before.agrees(now, &slice, self.progress.executed)) {
                let cycle = slice.looks(&recording.steps, self.program);
                return Err(self.livelock(cycle, self.progress.executed - before.executed));
            }
        }
        if is_over {
            self.remember(2 * age);
        }
        Ok(())
    }

    /// The state has come again after so many instructions of warps.
    fn livelock(&self, cycle: Cycle, instructions: u64) -> Box<Diagnostic> {
        let blocks = || self.under_way().map(|(_, block)| block);
        let threads: u32 = blocks().map(|block| block.state.threads - block.state.exited).sum();
        let (kind, name) = match cycle {
            Cycle::Waits(..) => (Kind::Deadlock, "a livelock"),
            Cycle::Turns => (Kind::StepLimit, "a loop does not end"),
        };
        let what = format!(
            "{name}: after {} warp instructions all threads that have not exited ({threads}) stand where \
             they stood before, and memory holds what it held",
            thousands(instructions)
        );
        let help = match cycle {
            Cycle::Waits(..) => {
                "look at what the loop waits for: the threads answer each other in a circle, and none of \
                 them ever leaves it"
            }
            Cycle::Turns => "look at the condition that ends the loop: what it is computed from comes again",
        };
        let at = blocks().find_map(|block| {
            let warp = block.warps.iter().find(|warp| !warp.splits.is_empty())?;
            Some((block, warp, warp.running().last().or(warp.splits.last())?))
        });
        let Some((block, warp, split)) = at else {
            return Box::new(Diagnostic::of_host(kind, None, what, help));
        };
        let (function, pc) = match cycle {
            Cycle::Waits(function, pc) => (function, pc),
            Cycle::Turns => (warp.activations[split.activation as usize].function, split.pc),
        };
        let inst = &self.program.functions[function].code[pc as usize];
        let (file, line) = self.program.place(inst.loc, inst.line);
        let grid = self.running.iter().find_map(|number| self.grids.get(number));
        let thread = warp.index * WARP as u32 + split.mask.trailing_zeros();
        Box::new(Diagnostic {
            kernel: grid.map(|grid| self.program.functions[grid.launch.kernel].name.clone()),
            file,
            line,
            block: Some(block.state.index),
            thread: grid.map(|grid| index_in(grid.launch.config.block_dim.into(), thread.into())),
            ..Diagnostic::new(kind, what, help)
        })
    }
}
