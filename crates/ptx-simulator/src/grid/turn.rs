//! A block in flight: how it is opened, how its warps take turns, and what is reported when none
//! makes progress.

use super::engine::{Block, Engine, Grid};
use crate::arith::WARP;
use crate::decode::{Op, Position};
use crate::device::{LaunchConfig, count_in, index_in, number_in};
use crate::diagnostic::{Diagnostic, Kind};
use crate::exec::{
    BlockState, Cluster, Context, Cycle, Executed, Member, Split, Stop, Unstarted, Wait, Warp, add_steps,
};
use crate::memory::UNWRITTEN;
use crate::memory::shared::Layout;
use crate::observe::Event;

/// Instructions of a warp's turn while the launch is recorded, so that its state is seen often.
const RECORDED_TURN: u32 = 64;

/// A warp has its turn, of at most `left` instructions: why it stopped, and whether it goes round in a
/// cycle.
fn turn_of_warp(context: &mut Context, warp: &mut Warp, left: u32) -> Executed<(Stop, bool)> {
    if context.progress.is_to_stop() {
        return Err(context.stopped());
    }
    let before = context.progress.executed;
    let exited = context.block.exited;
    let changes = context.progress.changes();
    let records = context.progress.recording.is_some();
    context.schedule.settled = context.progress.is_settled() || records;
    let length = if records { RECORDED_TURN } else { warp.turn_length(context.schedule.warp_turn()) };
    let turn = length.min(left);
    let is_stuck = warp.stuck_since == changes;
    let is_certain = context.schedule.is_plain() || warp.running().count() <= 1;
    let mut cycle = None;
    let follows = !is_stuck && is_certain && context.progress.follows();
    let stop = if follows || records {
        step_by_step(context, warp, (turn, follows), &mut cycle)?
    } else {
        warp.followed = None;
        context.run(warp, turn)?
    };
    if context.observer.remembers().is_some_and(|bytes| bytes as u64 > context.memory.room()) {
        return Err(context.out_of_memory());
    }
    if context.block.exited != exited {
        context.progress.changed();
    }
    if context.progress.is_news() {
        context.observer.event(&Event::Underway { by_warps: context.progress.executed });
        if let Some(found) = warp.running().find_map(|split| context.forever(warp, split, false)) {
            return Err(found);
        }
    }
    let unchanged = changes == context.progress.changes();
    let only_waited = context.progress.executed == before;
    // Lanes that wait at a join may go on alone yet.
    if unchanged && (cycle.is_some() || only_waited) && !warp.waits_at_join() {
        warp.cycle = cycle;
        context.progress.note_stuck(&mut warp.stuck_since);
    }
    Ok((stop, warp.stuck_since == context.progress.changes() && warp.cycle.is_some()))
}

/// The warp has its turn step by step, of which a record is kept if there is one. `follows`: it is looked
/// whether the warp runs in a cycle.
fn step_by_step(
    context: &mut Context,
    warp: &mut Warp,
    (turn, follows): (u32, bool),
    cycle: &mut Option<Cycle>,
) -> Executed<Stop> {
    let changes = context.progress.changes();
    let mut follows = follows;
    let mut stop = Stop::Turn;
    for _ in 0..turn {
        if let Some(recording) = &mut context.progress.recording {
            add_steps(&mut recording.steps, warp);
        }
        if follows {
            warp.before_step(changes);
        }
        stop = context.run(warp, 1)?;
        if changes != context.progress.changes() {
            follows = false;
        }
        if !matches!(stop, Stop::Turn | Stop::Spins) {
            warp.followed = None;
            return Ok(stop);
        }
        if follows {
            *cycle = warp.after_step(context.program, context.progress.still());
            if cycle.is_some() {
                return Ok(Stop::Spins);
            }
        } else {
            warp.followed = None;
        }
    }
    Ok(stop)
}

/// Whether warps of a block wait for a child or for the blocks of their cluster.
fn waits_for_others(warps: &[Warp]) -> bool {
    warps.iter().any(|warp| warp.waits_for_children() || warp.waits_for_cluster())
}

/// No warp of a block gets on by itself: whether one does where its lanes no longer wait at a join, which is
/// done to the first that can.
fn goes_on_alone(context: &mut Context, warps: &mut [Warp]) -> bool {
    if context.checks {
        for warp in &*warps {
            context.missing_lanes(warp);
        }
    }
    warps.iter_mut().any(Warp::go_on_alone)
}

/// Every warp that is there runs in a cycle: what is said of it, by one that waits for something if
/// there is one.
fn livelock(context: &Context, warps: &[Warp], grid: &Grid) -> Option<Box<Diagnostic>> {
    let waits = |warp: &&Warp| matches!(warp.cycle, Some(Cycle::Waits(..)));
    let shown = warps.iter().find(waits).or_else(|| warps.iter().find(|warp| warp.cycle.is_some()))?;
    let unstarted = (grid.next_block < grid.blocks).then(|| Unstarted {
        blocks: grid.blocks,
        started: grid.next_block,
        under_way: grid.resident.len() as u64 + 1,
        residency: grid.residency,
    });
    Some(context.livelock(shown, shown.cycle?, unstarted))
}

impl Engine<'_> {
    /// Opens the next block, and with it all others of its cluster, which run at the same time.
    pub fn open_block(&mut self, grid: &mut Grid) -> Block {
        let size = count_in(grid.cluster_dim);
        let grid_dim = grid.launch.config.grid_dim.into();
        let mut number = grid.next_block / size;
        // Where not all have room at once, the first ones come first: others may wait for them.
        if self.schedule.last_first && grid.blocks <= grid.residency.blocks.into() {
            number = grid.blocks / size - 1 - number;
        }
        if !self.program.has_clusters && size == 1 {
            grid.next_block += 1;
            return self.open_at(grid, index_in(grid_dim, number), None);
        }
        grid.next_block += size;
        let dim = grid.cluster_dim;
        let of = index_in(std::array::from_fn(|axis| grid_dim[axis] / dim[axis]), number);
        let mut cluster = Cluster { number, ..Cluster::default() };
        let mut blocks = Vec::with_capacity(size as usize);
        for rank in 0..size {
            let within = index_in(dim, rank);
            let index = std::array::from_fn(|axis| of[axis] * dim[axis] + within[axis]);
            let mut block = self.open_at(grid, index, Some((number, rank as u32)));
            cluster.threads += block.state.threads;
            cluster.members.push(Member { block: block.state.linear, ..Member::default() });
            block.state.swap_memory(&mut cluster);
            blocks.push(block);
        }
        grid.clusters.push(cluster);
        let first = blocks.remove(0);
        grid.resident.extend(blocks);
        first
    }

    fn open_at(&mut self, grid: &Grid, index: [u32; 3], cluster: Option<(u64, u32)>) -> Block {
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = grid.launch.config;
        let function = &self.program.functions[grid.launch.kernel];
        let threads = count_in(block_dim) as u32;
        let mut block = self.spare.pop().unwrap_or_default();
        block.state = BlockState {
            index,
            linear: number_in(grid_dim.into(), index),
            cluster: cluster.map(|(number, _)| number),
            rank: cluster.map_or(0, |(_, rank)| rank),
            threads,
            shared: std::mem::take(&mut block.state.shared),
            ..BlockState::default()
        };
        let state = &mut block.state;
        state.shared.bytes.clear();
        state.shared.written.clear();
        state.shared.bytes.resize(function.shared_bytes + shared_mem_bytes as usize, UNWRITTEN);
        block.next = 0;
        let warps = threads.div_ceil(WARP as u32);
        block.warps.resize_with(warps as usize, Warp::default);
        self.resident += block.warps.len();
        self.progress.changed();
        let position = Position {
            grid: grid.number,
            grid_dim: grid_dim.into(),
            block_dim: block_dim.into(),
            block: index,
            warp: 0,
            cluster_dim: grid.cluster_dim,
            rank: state.rank,
            workspace: grid.workspace,
            static_shared: function.shared_bytes as u32,
            dynamic_shared: shared_mem_bytes,
        };
        for (number, warp) in (0..).zip(&mut block.warps) {
            warp.start(grid.launch.kernel, function, Position { warp: number, ..position });
            warp.keeps_apart = self.schedule.keeps_apart;
            if !self.limits.order.is_empty() {
                warp.part(&self.limits.order);
            }
        }
        block
    }

    /// Lets the block's warps run in turn; whether the block has finished.
    pub fn run_block(
        &mut self,
        grid: &Grid,
        block: &mut Block,
        mut cluster: Option<&mut Cluster>,
    ) -> Executed<bool> {
        let rank = block.state.rank as usize;
        if let Some(cluster) = &mut cluster {
            block.state.swap_memory(cluster);
        }
        let stalled = self.run_warps(grid, block, cluster.as_deref_mut())?;
        let finished = block.state.exited == block.state.threads;
        if !finished && stalled && !block.waits_for_children() {
            match &mut cluster {
                // Others of its cluster may still come.
                Some(cluster) if block.warps.iter().any(Warp::waits_for_cluster) => {
                    cluster.members[rank].stuck = true;
                }
                _ => return Err(self.deadlock(grid, block)),
            }
        }
        if let Some(cluster) = cluster {
            block.state.swap_memory(cluster);
            cluster.members[rank].ended = finished;
            if cluster.members.iter().all(|member| member.ended || member.stuck) && !finished {
                return Err(self.deadlock(grid, block));
            }
        }
        Ok(finished)
    }

    /// Whether nobody in the block gets on by itself any more.
    fn run_warps(&mut self, grid: &Grid, block: &mut Block, cluster: Option<&mut Cluster>) -> Executed<bool> {
        let function = &self.program.functions[grid.launch.kernel];
        let dynamic = (function.shared_bytes, grid.launch.config.shared_mem_bytes as usize);
        let starts_early = self.starts_early(grid);
        let all_are_here = self.all_are_here(grid);
        self.launches.depth = grid.depth;
        let mut context = Context {
            device: self.device,
            program: self.program,
            memory: self.memory,
            checks: self.observer.remembers().is_some(),
            observer: self.observer,
            globals: self.globals,
            params: &grid.launch.params,
            block: &mut block.state,
            cluster,
            shared: Layout { variables: &function.shared, dynamic },
            kernel: &function.name,
            grid: grid.number,
            block_dim: grid.launch.config.block_dim.into(),
            launches: &mut self.launches,
            printed: self.printed,
            progress: &mut self.progress,
            schedule: &mut self.schedule,
            turns: self.turns,
        };
        let by_turns = self.turns.is_some();
        if !by_turns && self.quiet > 2 * self.resident * (self.running.len() + 1) {
            for warp in &mut block.warps {
                _ = warp.go_on_alone();
            }
        }
        let count = block.warps.len();
        let mut left = match context.progress.recording {
            Some(_) => RECORDED_TURN * count as u32,
            None => context.schedule.block_turn(count),
        };
        if context.schedule.shuffles() {
            block.next = (block.next + context.schedule.choose(count)) % count;
        }
        let mut idle = 0;
        let mut spins = false;
        while left > 0 {
            if idle == count {
                if by_turns {
                    return Ok(false);
                }
                // Those that spin wait for another block.
                if spins || waits_for_others(&block.warps) || !goes_on_alone(&mut context, &mut block.warps) {
                    break;
                }
                idle = 0;
            }
            let last_first = context.schedule.last_first;
            let warp = &mut block.warps[if last_first { count - 1 - block.next } else { block.next }];
            block.next = (block.next + 1) % count;
            if warp.finished() {
                warp.cycle = None;
                context.progress.note_stuck(&mut warp.stuck_since);
                idle += 1;
                continue;
            }
            let before = context.progress.executed;
            let (stop, cycles) = turn_of_warp(&mut context, warp, left)?;
            let executed = context.progress.executed - before;
            left = left.saturating_sub(executed as u32);
            if starts_early && !context.launches.requests.is_empty() {
                left = 0;
            }
            let is_stuck = cycles && all_are_here && context.progress.stuck_warps == self.resident;
            if is_stuck
                && !by_turns
                && let Some(found) = livelock(&context, &block.warps, grid)
            {
                return Err(found);
            }
            if stop == Stop::Spins || stop == Stop::Blocked && executed == 0 {
                idle += 1;
                spins |= stop == Stop::Spins;
                self.quiet += 1;
            } else {
                idle = 0;
                spins = false;
                self.quiet = 0;
            }
        }
        Ok(left > 0 && !spins)
    }

    /// Whether nobody else can come and change something.
    fn all_are_here(&self, grid: &Grid) -> bool {
        let is_full = self.running.len() + 1 >= self.device.resident_grids;
        let mut others = self.running.iter().filter_map(|number| self.grids.get(number));
        (self.ready.is_empty() || is_full)
            && !grid.has_room(grid.resident.len() + 1)
            && others.all(|other| !other.has_room(other.resident.len()))
    }

    /// No thread of the block can continue: says who waits where.
    fn deadlock(&self, grid: &Grid, block: &Block) -> Box<Diagnostic> {
        let splits =
            || block.warps.iter().flat_map(|warp| warp.splits.iter().map(move |split| (warp, split)));
        let at_barrier = |split: &Split| matches!(split.wait, Wait::Barrier { .. } | Wait::Cluster { .. });
        let mut at_barriers = 0;
        let mut for_lanes = 0;
        for (_, split) in splits() {
            let threads = split.mask.count_ones();
            if at_barrier(split) {
                at_barriers += threads;
            } else {
                for_lanes += threads;
            }
        }
        let shown = splits().find(|(_, split)| at_barrier(split)).or_else(|| splits().next());
        let at = shown.map(|(warp, split)| {
            let function = &self.program.functions[warp.activations[split.activation as usize].function];
            let inst = &function.code[split.pc as usize];
            let thread = warp.index * WARP as u32 + split.mask.trailing_zeros();
            (inst, index_in(grid.launch.config.block_dim.into(), thread.into()))
        });
        let BlockState { threads, exited, .. } = block.state;
        let what = match at.map(|(inst, _)| &inst.op) {
            Some(Op::Barrier { .. }) if at_barriers == threads => "at a barrier that cannot open",
            Some(Op::Barrier { .. }) => "at a barrier that the others never reach",
            Some(Op::ClusterWait {}) => "at the barrier of their cluster, which others never reach",
            _ => "for lanes of their warp that never come",
        };
        let (file, line) = match at {
            Some((inst, _)) => self.program.place(inst.loc, inst.line),
            None => (None, None),
        };
        let (of_these, lanes) = match (at_barriers, for_lanes) {
            (0, _) => (for_lanes, String::new()),
            (_, 0) => (at_barriers, String::new()),
            _ => (at_barriers, format!("{for_lanes} wait for lanes of their warp, ")),
        };
        let message = format!(
            "{of_these} of the block's {threads} threads wait {what}; {lanes}{exited} have exited; no thread \
             can continue"
        );
        let (kind, help) = if at_barriers == 0 {
            (Kind::WarpCollective, "name in the mask exactly the lanes that come to this instruction")
        } else {
            (Kind::Deadlock, "let every thread that the barrier counts reach it, the same number of times")
        };
        Box::new(Diagnostic {
            kernel: Some(self.program.functions[grid.launch.kernel].name.clone()),
            file,
            line,
            block: Some(block.state.index),
            thread: at.map(|(_, thread)| thread),
            ..Diagnostic::new(kind, message, help)
        })
    }
}
