//! Grids: their blocks take turns, their children are queued, started and waited for.
//!
//! Order between parent and child (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): a fire-and-forget
//! child may run at once, beside its parent; children of one block in one ordinary stream run one after the
//! other; tail launches run, strictly in order, when the parent's blocks and its other children have
//! finished. A grid is complete when all its children are.
//!
//! Where the rules leave a choice, a child starts as late as it may, when its parent's blocks have finished
//! or wait for it; or, under every other seed, as early, before its parent goes on. How long a launch
//! counts against the pending limit was measured on an H200 (driver 580.159.04): a fire-and-forget launch
//! until its grid is complete, its own children included; a tail launch until the blocks of its grid have
//! finished, or, if it launches no tail itself, until the next grid's have.

use super::engine::{Block, Engine, Grid, Together};
use crate::arith::WARP;
use crate::decode::runtime::{STREAM_FIRE_AND_FORGET, STREAM_TAIL};
use crate::device::count_in;
use crate::diagnostic::{Diagnostic, Kind};
use crate::exec::{Executed, PendingLaunch};
use crate::observe::{After, Event, Start};
use crate::what::thousands;

/// Launches in a row of the same kernel with the same grid and the same arguments, each by the one before it,
/// that a launch with a limit may make: more than a second's on a GPU, at 11 us each (chapter 4). It is no
/// proof: what ends the recursion may lie in memory.
const MOST_ALIKE: u32 = 1 << 17;
/// Blocks of a grid that a shuffled schedule opens before it has to.
const MOST_AT_ONCE: usize = 8;

impl Engine<'_> {
    /// Runs `roots` together, and all that they launch.
    pub fn run(&mut self, roots: Vec<PendingLaunch>, how: Together) -> Executed<()> {
        for (number, root) in (0..).zip(roots) {
            let (device, after) = match how {
                Together::OnDevices => (number, After::Host),
                Together::Dependent if number == 0 => (0, After::Host),
                Together::Dependent => (0, After::Dependent),
            };
            self.start(root, (None, device), after);
            if how == Together::Dependent {
                self.run_all()?;
            }
        }
        self.run_all()
    }

    fn run_all(&mut self) -> Executed<()> {
        while let Some(grid) = self.running.pop_front() {
            self.turn(grid)?;
            if self.turns.is_some() {
                self.next_operation()?;
            } else {
                self.look_for_recurrence()?;
            }
            while self.running.len() < self.device.resident_grids
                && let Some((parent, child)) = self.ready.pop_front()
            {
                let launch = child.number;
                self.start_child(child, parent, After::Launch { launch });
            }
        }
        Ok(())
    }

    fn start_child(&mut self, launch: PendingLaunch, parent: u32, after: After) {
        let device = self.grids.get(&parent).map_or(0, |grid| grid.device);
        self.start(launch, (Some(parent), device), after);
    }

    fn start(&mut self, launch: PendingLaunch, (parent, device): (Option<u32>, u32), after: After) {
        let function = &self.program.functions[launch.kernel];
        let workspace = if function.uses_grid_workspace { self.workspace() } else { 0 };
        let launcher = parent.and_then(|parent| self.grids.get(&parent));
        let depth = launcher.map_or(0, |grid| grid.depth + 1);
        let is_early = launcher.is_some_and(|grid| self.starts_early(grid));
        let asked = self.limits.cluster.filter(|_| parent.is_none());
        let cluster_dim = function.cluster_dim(&launch.config, asked).unwrap_or([1; 3]);
        let number = self.started;
        let shared = function.shared_bytes + launch.config.shared_mem_bytes as usize;
        let residency = self.device.residency(&launch.config, shared, function.machine_registers);
        self.observer.event(&Event::Grid(Start {
            grid: number,
            parent,
            depth,
            device,
            kernel: &function.name,
            config: &launch.config,
            cluster: cluster_dim,
            after,
            workspace,
        }));
        let grid = Grid {
            number,
            depth,
            device,
            blocks: count_in(launch.config.grid_dim),
            residency,
            launch,
            workspace,
            cluster_dim,
            parent,
            ..Grid::default()
        };
        self.started += 1;
        self.grids.insert(number, grid);
        if is_early { self.running.push_front(number) } else { self.running.push_back(number) }
    }

    /// Memory for the barrier of a cooperative grid.
    fn workspace(&mut self) -> u64 {
        let address = self.memory.alloc(64, "the grid's workspace").unwrap_or(0);
        if let Ok(bytes) = self.memory.slice_mut(address, 64) {
            bytes.fill(0);
            self.memory.define(address, 64);
        }
        address
    }

    /// One block of the grid has its turn.
    fn turn(&mut self, number: u32) -> Executed<()> {
        let Some(mut grid) = self.grids.remove(&number) else { return Ok(()) };
        if self.schedule.shuffles() {
            // A few more blocks are opened, and any of those that are open has the turn.
            while grid.resident.len() < MOST_AT_ONCE
                && grid.has_room(grid.resident.len())
                && self.schedule.choose(2) == 1
            {
                let next = self.open_block(&mut grid);
                grid.resident.push_back(next);
            }
            let first = self.schedule.choose(grid.resident.len());
            grid.resident.rotate_left(first);
        }
        if grid.resident.is_empty() && grid.next_block < grid.blocks {
            let next = self.open_block(&mut grid);
            grid.resident.push_front(next);
        }
        if let Some(block) = grid.resident.pop_front() {
            self.turn_of_block(&mut grid, block)?;
        }
        let more = grid.finished_blocks < grid.blocks;
        for mut launch in std::mem::take(&mut self.launches.requests) {
            launch.alike = if launch.is_like(&grid.launch) { grid.launch.alike + 1 } else { 0 };
            if launch.alike == MOST_ALIKE && self.limits.steps.is_some() {
                return Err(self.repeats(&launch));
            }
            if launch.stream == STREAM_TAIL {
                grid.tails.push_back(launch);
            } else {
                grid.open_children += 1;
                grid.held.push(launch);
            }
        }
        let waits = grid.resident.back().is_some_and(Block::waits_for_children);
        let release = if !more || waits || self.starts_early(&grid) {
            std::mem::take(&mut grid.held)
        } else {
            Vec::new()
        };
        let parent = grid.parent;
        let stream = grid.launch.stream;
        let has_tails = !grid.tails.is_empty();
        let complete = if more { 0 } else { std::mem::take(&mut grid.complete) };
        self.grids.insert(number, grid);
        self.release(number, release);
        if more {
            self.running.push_back(number);
            return Ok(());
        }
        if parent.is_some() && stream != STREAM_FIRE_AND_FORGET {
            // A tail launch counts as pending until its blocks have finished; one that launches no tail
            // itself, until those of the next grid have.
            let done = u64::from(self.lingering) + u64::from(has_tails);
            self.launches_done(parent, done);
            self.lingering = !has_tails;
        }
        self.launches_done(None, complete);
        self.advance(number);
        Ok(())
    }

    /// A kernel has launched itself again and again, and nothing that it is given has changed.
    fn repeats(&self, launch: &PendingLaunch) -> Box<Diagnostic> {
        let name = &self.program.functions[launch.kernel].name;
        let (loc, line) = launch.at;
        let (file, line) = self.program.place(loc, line);
        let what = format!(
            "`{name}` has launched itself {} times in a row with the same grid and the same arguments: a \
             recursion does not end, or needs more",
            thousands(launch.alike.into())
        );
        let help =
            "look at the condition that ends it, and at what it compares: the arguments no longer change";
        let found = Diagnostic::of_host(Kind::StepLimit, Some(name), what, help);
        Box::new(Diagnostic { file, line, ..found })
    }

    fn turn_of_block(&mut self, grid: &mut Grid, mut block: Block) -> Executed<()> {
        let number = block.state.cluster;
        let place = number.and_then(|number| grid.clusters.iter().position(|one| one.number == number));
        let mut cluster = place.map(|place| grid.clusters.swap_remove(place));
        let before = self.progress.executed;
        let finished = self.run_block(grid, &mut block, cluster.as_mut())?;
        let has_moved = finished || self.progress.executed != before;
        self.still = if has_moved { 0 } else { self.still + 1 };
        let waits_for_others =
            cluster.as_ref().is_some_and(|cluster| cluster.members[block.state.rank as usize].stuck);
        if let Some(cluster) = cluster.filter(|cluster| cluster.members.iter().any(|one| !one.ended)) {
            grid.clusters.push(cluster);
        }
        if finished {
            self.observer.event(&Event::BlockEnd { grid: grid.number, block: block.state.linear });
            grid.finished_blocks += 1;
            if self.limits.foresees && grid.parent.is_none() {
                self.progress.foresee(grid.finished_blocks + grid.resident.len() as u64, grid.blocks);
            }
            self.resident -= block.warps.len();
            self.progress.changed();
            self.spare.push(block);
            return Ok(());
        }
        grid.resident.push_back(block);
        // A block that did not finish may wait for one that has not started.
        if !waits_for_others && grid.has_room(grid.resident.len()) {
            let next = self.open_block(grid);
            grid.resident.push_front(next);
            self.still = 0;
        }
        Ok(())
    }

    /// Whether children start before their parent goes on. In a grid of one warp no other thread could come
    /// after them.
    pub fn starts_early(&self, grid: &Grid) -> bool {
        let threads = count_in(grid.launch.config.block_dim);
        self.schedule.children_first && (self.turns.is_some() || grid.blocks > 1 || threads > WARP as u64)
    }

    /// `count` launches of a parent no longer count as pending; while its blocks are running, from when
    /// they have finished.
    fn launches_done(&mut self, parent: Option<u32>, count: u64) {
        if let Some(grid) = parent.and_then(|parent| self.grids.get_mut(&parent))
            && grid.finished_blocks < grid.blocks
            && self.schedule.children_first
        {
            grid.complete += count;
            return;
        }
        if count == 0 {
            return;
        }
        self.launches.pending -= count;
        self.observer.event(&Event::LaunchesDone { pending: self.launches.pending });
    }

    /// Children that may start now: at once, or behind those of their stream.
    fn release(&mut self, parent: u32, children: Vec<PendingLaunch>) {
        for launch in children {
            if launch.stream == STREAM_FIRE_AND_FORGET {
                self.ready.push_back((parent, launch));
                continue;
            }
            let Some(grid) = self.grids.get_mut(&parent) else { break };
            let stream = grid.streams.entry((launch.block, launch.stream)).or_default();
            if stream.runs {
                stream.waiting.push_back(launch);
                continue;
            }
            stream.runs = true;
            self.start_in_stream(launch, parent);
        }
    }

    /// The next grid of its stream.
    fn start_in_stream(&mut self, launch: PendingLaunch, parent: u32) {
        let stream =
            self.grids.get_mut(&parent).and_then(|grid| grid.streams.get_mut(&(launch.block, launch.stream)));
        let previous = stream.and_then(|stream| stream.last.replace(self.started));
        let after = After::Stream { launch: launch.number, previous };
        self.start_child(launch, parent, after);
    }

    /// The grid's blocks have finished, or one of its children has: whatever follows from that.
    fn advance(&mut self, mut number: u32) {
        loop {
            let Some(grid) = self.grids.get_mut(&number) else { return };
            if grid.finished_blocks < grid.blocks || grid.open_children > 0 || grid.tail_running {
                return;
            }
            if let Some(tail) = grid.tails.pop_front() {
                grid.tail_running = true;
                return self.start_child(tail, number, After::Parent);
            }
            let parent = grid.parent;
            let workspace = grid.workspace;
            let PendingLaunch { block, stream, .. } = grid.launch;
            if parent.is_some() {
                self.launches.ended(&grid.launch.params);
                self.memory.launch_bytes = self.launches.bytes;
            }
            self.grids.remove(&number);
            if workspace != 0 {
                self.memory.free(workspace);
            }
            let Some(parent) = parent else { return };
            let Some(grid) = self.grids.get_mut(&parent) else { return };
            number = parent;
            if stream == STREAM_TAIL {
                grid.tail_running = false;
                continue;
            }
            grid.open_children -= 1;
            if let Some(block) = grid.resident.iter_mut().find(|one| one.state.linear == block) {
                block.state.children -= 1;
            }
            if stream == STREAM_FIRE_AND_FORGET {
                self.launches_done(Some(parent), 1);
                continue;
            }
            let stream = grid.streams.entry((block, stream)).or_default();
            match stream.waiting.pop_front() {
                Some(next) => self.start_in_stream(next, parent),
                None => stream.runs = false,
            }
        }
    }
}
