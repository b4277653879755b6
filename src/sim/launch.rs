//! Grids: their blocks take turns, their children are queued, started and waited for.
//!
//! Order between parent and child (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): a fire-and-forget
//! child may run at once, beside its parent; children of one block in one ordinary stream run one after the
//! other; tail launches run, strictly in order, when the parent's blocks and its other children have finished.
//! A grid is complete when all its children are.
//!
//! Where the rules leave a choice, the simulator takes the least convenient one: a child starts as late as it
//! may, when its parent's blocks have finished or wait for it. How long a launch counts against the pending limit
//! was measured on an H200 (driver 580.159.04): a fire-and-forget launch until its grid is complete, its own
//! children included; a tail launch until the blocks of its grid have finished, or, if it launches no tail
//! itself, until the next grid's have.

use std::collections::{HashMap, VecDeque};

use super::diagnostic::{Diagnostic, Kind, Severity};
use super::exec::{BARRIERS, Barrier, BlockState, Context, Stop};
use super::memory::Memory;
use super::observe::{After, Observer, Start};
use super::program::{NONE, Op, Program};
use super::runtime::{STREAM_FIRE_AND_FORGET, STREAM_TAIL};
use super::schedule::Schedule;
use super::warp::{Position, Wait, Warp, thread_index};
use super::{LaunchConfig, alu};

/// An H200: its multiprocessors, and how many blocks and warps and how much shared memory each holds, of which
/// every block takes 1 KiB more than it asks for (CUDA C++ Programming Guide, "Technical Specifications", 9.0).
const MULTIPROCESSORS: usize = 132;
const BLOCKS_EACH: usize = 32;
const WARPS_EACH: usize = 64;
const SHARED_EACH: usize = 228 << 10;
const SHARED_A_BLOCK: usize = 1 << 10;
/// Blocks of a grid that are under way at the same time, and grids; the second is the number of resident grids
/// since compute capability 7.0.
const RESIDENT_BLOCKS: usize = MULTIPROCESSORS * BLOCKS_EACH;
const RESIDENT_GRIDS: usize = 128;
/// Instructions that a launch may execute: so many, and so many more for every warp.
const STEPS: u64 = 1 << 26;
const STEPS_A_WARP: u64 = 1 << 12;

/// What a launch may use, and the seed of its schedule.
#[derive(Clone, Debug)]
pub struct Limits {
    pub pending_launches: u64,
    /// Instructions in all; `None` for a number that grows with the grid.
    pub steps: Option<u64>,
    pub schedule: u64,
}

/// A child grid that waits to be started.
#[derive(Debug)]
pub struct PendingLaunch {
    /// Number among all that were accepted.
    pub number: u32,
    pub kernel: usize,
    pub config: LaunchConfig,
    pub params: Vec<u8>,
    pub stream: u64,
    /// The block that launched it.
    pub block: u64,
}

/// Device launches: open argument buffers, and what has been asked for since the engine last looked.
#[derive(Debug)]
pub struct Launches {
    pub(super) buffers: Vec<super::device::OpenBuffer>,
    pub(super) free: Vec<usize>,
    pub requests: Vec<PendingLaunch>,
    /// Launches that count against the limit.
    pub pending: u64,
    pub limit: u64,
    pub accepted: u32,
    pub(super) streams: u64,
}

/// Checks what a launch asks for against what every GPU since compute capability 7.5 can do (CUDA C++ Programming
/// Guide, "Technical Specifications").
pub fn check_config(config: &LaunchConfig) -> Result<(), String> {
    let (gx, gy, gz) = config.grid_dim;
    let (bx, by, bz) = config.block_dim;
    let threads = (bx as u64).saturating_mul(by as u64).saturating_mul(bz as u64);
    if gx == 0 || gy == 0 || gz == 0 {
        return Err(format!("a grid of {gx} x {gy} x {gz} blocks has no block"));
    }
    if gx > i32::MAX as u32 || gy > 65_535 || gz > 65_535 {
        return Err(format!(
            "a grid of {gx} x {gy} x {gz} blocks; at most 2147483647 x 65535 x 65535 are possible"
        ));
    }
    if threads == 0 {
        return Err(format!("a block of {bx} x {by} x {bz} threads has no thread"));
    }
    if bx > 1024 || by > 1024 || bz > 64 || threads > 1024 {
        return Err(format!("a block of {bx} x {by} x {bz} threads; at most 1024 are possible (64 in z)"));
    }
    Ok(())
}

/// Blocks of `config` with `shared` bytes of shared memory each that fit at the same time.
pub fn resident_blocks(config: &LaunchConfig, shared: usize) -> u32 {
    let (x, y, z) = config.block_dim;
    let warps = (x as usize * y as usize * z as usize).div_ceil(alu::WARP).max(1);
    let by_shared = SHARED_EACH / (shared + SHARED_A_BLOCK);
    (MULTIPROCESSORS * BLOCKS_EACH.min(WARPS_EACH / warps).min(by_shared)) as u32
}

#[derive(Debug)]
struct Block {
    state: BlockState,
    warps: Vec<Warp>,
    /// The warp whose turn is next.
    next: usize,
}

impl Block {
    fn waits_for_children(&self) -> bool {
        self.warps.iter().any(Warp::waits_for_children)
    }
}

/// How a grid came to be, and so whom it tells that it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Host,
    FireAndForget { block: u64 },
    Stream { block: u64, stream: u64 },
    Tail,
}

#[derive(Debug)]
struct Grid {
    number: u32,
    depth: u32,
    kernel: usize,
    config: LaunchConfig,
    params: Vec<u8>,
    workspace: u64,
    blocks: u64,
    next_block: u64,
    finished_blocks: u64,
    resident: VecDeque<Block>,
    parent: Option<usize>,
    origin: Origin,
    /// Children that are neither complete nor tail launches.
    open_children: u64,
    tails: VecDeque<PendingLaunch>,
    tail_running: bool,
    /// Other children that have not been started.
    held: Vec<PendingLaunch>,
    /// Ordered streams, by block and handle: what waits behind the one that runs.
    streams: HashMap<(u64, u64), VecDeque<PendingLaunch>>,
    /// The grid that each of them started last.
    last_in_stream: HashMap<(u64, u64), u32>,
}

/// How the next launch of an ordered stream starts, behind grid `previous`.
fn in_stream(launch: &PendingLaunch, previous: Option<u32>) -> (Origin, After) {
    let (block, stream) = (launch.block, launch.stream);
    (Origin::Stream { block, stream }, After::Stream { launch: launch.number, previous })
}

/// One launch from the host, until everything it brought about is complete.
pub struct Engine<'e, O> {
    pub program: &'e Program,
    pub memory: &'e mut Memory,
    pub globals: &'e [u64],
    pub observer: &'e mut O,
    pub printed: &'e mut String,
    pub launches: Launches,
    schedule: Schedule,
    /// Instructions that may still be executed, and how many more every new warp brings.
    steps_left: u64,
    steps_a_warp: u64,
    grids: Vec<Option<Grid>>,
    free: Vec<usize>,
    /// Grids with blocks to run, in turn; fire-and-forget children that wait for a place.
    running: VecDeque<usize>,
    ready: VecDeque<(usize, PendingLaunch)>,
    started: u32,
    /// Whether a finished tail or stream launch still counts as pending.
    lingering: bool,
    /// Blocks whose memory is used again.
    spare: Vec<Block>,
    /// Warps under way, and how many turns of warps in a row have brought nothing but waiting. When all have waited,
    /// lanes at joins go on alone until something changes.
    resident: usize,
    quiet: usize,
}

type Executed<T> = Result<T, Box<Diagnostic>>;

impl<'e, O: Observer> Engine<'e, O> {
    pub fn new(
        program: &'e Program,
        memory: &'e mut Memory,
        globals: &'e [u64],
        observer: &'e mut O,
        printed: &'e mut String,
        limits: &Limits,
    ) -> Self {
        let launches = Launches {
            buffers: Vec::new(),
            free: Vec::new(),
            requests: Vec::new(),
            pending: 0,
            limit: limits.pending_launches,
            accepted: 0,
            streams: 0,
        };
        Engine {
            program,
            memory,
            globals,
            observer,
            printed,
            launches,
            schedule: Schedule::new(limits.schedule),
            steps_left: limits.steps.unwrap_or(STEPS),
            steps_a_warp: if limits.steps.is_some() { 0 } else { STEPS_A_WARP },
            grids: Vec::new(),
            free: Vec::new(),
            running: VecDeque::new(),
            ready: VecDeque::new(),
            started: 0,
            lingering: false,
            spare: Vec::new(),
            resident: 0,
            quiet: 0,
        }
    }

    /// Runs `kernel` and all that it launches.
    pub fn run(&mut self, kernel: usize, config: LaunchConfig, params: Vec<u8>) -> Executed<()> {
        self.start(kernel, config, params, None, Origin::Host, After::Host)?;
        while let Some(grid) = self.running.pop_front() {
            self.turn(grid)?;
            while self.running.len() < RESIDENT_GRIDS
                && let Some((parent, child)) = self.ready.pop_front()
            {
                let origin = Origin::FireAndForget { block: child.block };
                let after = After::Launch { launch: child.number };
                self.start(child.kernel, child.config, child.params, Some(parent), origin, after)?;
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        kernel: usize,
        config: LaunchConfig,
        params: Vec<u8>,
        parent: Option<usize>,
        origin: Origin,
        after: After,
    ) -> Executed<()> {
        let function = &self.program.functions[kernel];
        let (x, y, z) = config.grid_dim;
        let blocks = x as u64 * y as u64 * z as u64;
        let (bx, by, bz) = config.block_dim;
        let warps = (bx * by * bz).div_ceil(alu::WARP as u32) as u64;
        self.steps_left = self.steps_left.saturating_add(blocks.saturating_mul(warps * self.steps_a_warp));
        let workspace = if function.uses_grid_workspace {
            let address = self.memory.alloc(64, "the grid's workspace").unwrap_or(0);
            if let Ok(bytes) = self.memory.slice_mut(address, 64) {
                bytes.fill(0);
                self.memory.define(address, 64);
            }
            address
        } else {
            0
        };
        let launcher = parent.and_then(|parent| self.grids[parent].as_ref());
        let depth = launcher.map_or(0, |grid| grid.depth + 1);
        self.observer.grid(Start {
            grid: self.started,
            parent: launcher.map(|grid| grid.number),
            depth,
            kernel: &function.name,
            config: &config,
            after,
        });
        let grid = Grid {
            number: self.started,
            depth,
            kernel,
            config,
            params,
            workspace,
            blocks,
            next_block: 0,
            finished_blocks: 0,
            resident: VecDeque::new(),
            parent,
            origin,
            open_children: 0,
            tails: VecDeque::new(),
            tail_running: false,
            held: Vec::new(),
            streams: HashMap::new(),
            last_in_stream: HashMap::new(),
        };
        self.started += 1;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.grids[slot] = Some(grid);
                slot
            }
            None => {
                self.grids.push(Some(grid));
                self.grids.len() - 1
            }
        };
        self.running.push_back(slot);
        Ok(())
    }

    /// One block of the grid has its turn.
    fn turn(&mut self, slot: usize) -> Executed<()> {
        let Some(mut grid) = self.grids[slot].take() else { return Ok(()) };
        if !self.schedule.is_plain() {
            // Some more blocks, and any of them.
            while grid.next_block < grid.blocks && grid.resident.len() < 8 && self.schedule.choose(2) == 1 {
                let next = self.open_block(&mut grid);
                grid.resident.push_back(next);
            }
            let first = self.schedule.choose(grid.resident.len());
            grid.resident.rotate_left(first);
        }
        let block = match grid.resident.pop_front() {
            Some(block) => Some(block),
            None if grid.next_block < grid.blocks => Some(self.open_block(&mut grid)),
            None => None,
        };
        if let Some(mut block) = block {
            let finished = self.run_block(&grid, &mut block);
            match finished {
                Err(diagnostic) => return Err(diagnostic),
                Ok(true) => {
                    self.observer.block_end(grid.number, block.state.linear);
                    grid.finished_blocks += 1;
                    self.resident -= block.warps.len();
                    self.spare.push(block);
                }
                Ok(false) => {
                    grid.resident.push_back(block);
                    // A block that did not finish may wait for one that has not started.
                    if grid.next_block < grid.blocks && grid.resident.len() < RESIDENT_BLOCKS {
                        let next = self.open_block(&mut grid);
                        grid.resident.push_front(next);
                    }
                }
            }
        }
        let more = grid.finished_blocks < grid.blocks;
        for launch in std::mem::take(&mut self.launches.requests) {
            if launch.stream == STREAM_TAIL {
                grid.tails.push_back(launch);
            } else {
                grid.open_children += 1;
                grid.held.push(launch);
            }
        }
        let waits = grid.resident.back().is_some_and(Block::waits_for_children);
        let release = if !more || waits { std::mem::take(&mut grid.held) } else { Vec::new() };
        let (origin, has_tails) = (grid.origin, !grid.tails.is_empty());
        self.grids[slot] = Some(grid);
        self.release(slot, release)?;
        if more {
            self.running.push_back(slot);
            return Ok(());
        }
        if matches!(origin, Origin::Tail | Origin::Stream { .. }) {
            self.launches.pending -= self.lingering as u64 + has_tails as u64;
            self.lingering = !has_tails;
        }
        self.advance(slot)
    }

    /// Children that may start now: at once, or behind those of their stream.
    fn release(&mut self, slot: usize, children: Vec<PendingLaunch>) -> Executed<()> {
        for launch in children {
            if launch.stream == STREAM_FIRE_AND_FORGET {
                self.ready.push_back((slot, launch));
                continue;
            }
            let Some(grid) = &mut self.grids[slot] else { break };
            let (block, stream) = (launch.block, launch.stream);
            match grid.streams.get_mut(&(block, stream)) {
                Some(queue) => queue.push_back(launch),
                None => {
                    grid.streams.insert((block, stream), VecDeque::new());
                    let previous = grid.last_in_stream.insert((block, stream), self.started);
                    let (origin, after) = in_stream(&launch, previous);
                    self.start(launch.kernel, launch.config, launch.params, Some(slot), origin, after)?;
                }
            }
        }
        Ok(())
    }

    /// The grid's blocks have finished, or one of its children has: whatever follows from that.
    fn advance(&mut self, mut slot: usize) -> Executed<()> {
        loop {
            let Some(grid) = &mut self.grids[slot] else { return Ok(()) };
            if grid.finished_blocks < grid.blocks || grid.open_children > 0 || grid.tail_running {
                return Ok(());
            }
            if let Some(tail) = grid.tails.pop_front() {
                grid.tail_running = true;
                let origin = Origin::Tail;
                return self.start(tail.kernel, tail.config, tail.params, Some(slot), origin, After::Parent);
            }
            let (parent, origin, workspace) = (grid.parent, grid.origin, grid.workspace);
            self.grids[slot] = None;
            self.free.push(slot);
            if workspace != 0 {
                self.memory.free(workspace);
            }
            let Some(parent) = parent else { return Ok(()) };
            let Some(grid) = &mut self.grids[parent] else { return Ok(()) };
            let mut child_of = |block: u64| {
                grid.open_children -= 1;
                if let Some(block) = grid.resident.iter_mut().find(|b| b.state.linear == block) {
                    block.state.children -= 1;
                }
            };
            match origin {
                Origin::Host => {}
                Origin::Tail => grid.tail_running = false,
                Origin::FireAndForget { block } => {
                    self.launches.pending -= 1;
                    child_of(block);
                }
                Origin::Stream { block, stream } => {
                    child_of(block);
                    match grid.streams.get_mut(&(block, stream)).and_then(VecDeque::pop_front) {
                        Some(next) => {
                            let previous = grid.last_in_stream.insert((block, stream), self.started);
                            let (origin, after) = in_stream(&next, previous);
                            self.start(next.kernel, next.config, next.params, Some(parent), origin, after)?;
                        }
                        None => {
                            grid.streams.remove(&(block, stream));
                        }
                    }
                }
            }
            slot = parent;
        }
    }

    fn open_block(&mut self, grid: &mut Grid) -> Block {
        let (gx, gy, _) = grid.config.grid_dim;
        let (bx, by, bz) = grid.config.block_dim;
        let linear = grid.next_block;
        grid.next_block += 1;
        let index = [
            (linear % gx as u64) as u32,
            (linear / gx as u64 % gy as u64) as u32,
            (linear / (gx as u64 * gy as u64)) as u32,
        ];
        let function = &self.program.functions[grid.kernel];
        let threads = bx * by * bz;
        let mut block = self.spare.pop().unwrap_or_else(|| Block {
            state: BlockState {
                index,
                linear,
                threads,
                exited: 0,
                shared: Vec::new(),
                shared_defined: Vec::new(),
                barriers: [Barrier::default(); BARRIERS],
                children: 0,
            },
            warps: Vec::new(),
            next: 0,
        });
        let state = &mut block.state;
        (state.index, state.linear, state.threads, state.exited, state.children) =
            (index, linear, threads, 0, 0);
        state.barriers = [Barrier::default(); BARRIERS];
        state.shared.clear();
        state.shared_defined.clear();
        state.shared.resize(function.shared_bytes + grid.config.shared_mem_bytes as usize, 0xcd);
        block.next = 0;
        let warps = threads.div_ceil(alu::WARP as u32);
        block.warps.resize_with(warps as usize, Warp::default);
        self.resident += block.warps.len();
        let position = Position {
            grid_dim: [gx, gy, grid.config.grid_dim.2],
            block_dim: [bx, by, bz],
            block: index,
            grid_id: grid.number as u64,
            workspace: grid.workspace,
            static_shared: function.shared_bytes as u32,
            dynamic_shared: grid.config.shared_mem_bytes,
        };
        for (number, warp) in block.warps.iter_mut().enumerate() {
            warp.start(number as u32, grid.kernel, function, position);
        }
        block
    }

    /// Lets the block's warps run in turn; whether the block has finished.
    fn run_block(&mut self, grid: &Grid, block: &mut Block) -> Executed<bool> {
        let (bx, by, bz) = grid.config.block_dim;
        let mut context = Context {
            program: self.program,
            memory: self.memory,
            observer: self.observer,
            globals: self.globals,
            params: &grid.params,
            block: &mut block.state,
            kernel: &self.program.functions[grid.kernel].name,
            grid: grid.number,
            block_dim: [bx, by, bz],
            launches: &mut self.launches,
            printed: self.printed,
            steps_left: &mut self.steps_left,
            schedule: &mut self.schedule,
        };
        if self.quiet > 2 * self.resident * (self.running.len() + 1) {
            block.warps.iter_mut().for_each(|warp| _ = warp.go_on_alone());
        }
        let mut left = context.schedule.block_turn();
        let count = block.warps.len();
        block.next = (block.next + context.schedule.choose(count)) % count;
        let (mut idle, mut spins) = (0, false);
        while left > 0 {
            if idle == count {
                // Nobody gets on by itself. Those that spin wait for another block. Where lanes wait at a join for
                // others, they no longer do, unless it is for a child.
                let children = block.warps.iter().any(Warp::waits_for_children);
                if O::CHECKS && !children && !spins {
                    block.warps.iter().for_each(|warp| context.missing_lanes(warp));
                }
                if spins || children || !block.warps.iter_mut().any(Warp::go_on_alone) {
                    break;
                }
                idle = 0;
            }
            let warp = &mut block.warps[block.next];
            block.next = (block.next + 1) % count;
            if warp.finished() {
                idle += 1;
                continue;
            }
            let before = *context.steps_left;
            let turn = warp.turn(context.schedule.warp_turn().min(left));
            let stop = context.run(warp, turn)?;
            let executed = before - *context.steps_left;
            left = left.saturating_sub(executed as u32);
            if stop == Stop::Spins || stop == Stop::Blocked && executed == 0 {
                (idle, spins, self.quiet) = (idle + 1, spins || stop == Stop::Spins, self.quiet + 1);
            } else {
                (idle, spins, self.quiet) = (0, false, 0);
            }
        }
        if context.block.exited == context.block.threads {
            return Ok(true);
        }
        if left > 0 && !spins && !block.waits_for_children() {
            return Err(self.deadlock(grid, block));
        }
        Ok(false)
    }

    /// Nobody in the block can go on: says who waits where.
    fn deadlock(&self, grid: &Grid, block: &Block) -> Box<Diagnostic> {
        let (bx, by, bz) = grid.config.block_dim;
        let mut waiting = 0;
        let mut first = None;
        let mut any_barrier = false;
        for warp in &block.warps {
            for split in &warp.splits {
                waiting += split.mask.count_ones();
                let at_barrier = matches!(split.wait, Wait::Barrier { .. });
                if first.is_none() || (at_barrier && !any_barrier) {
                    first = Some((warp, split));
                }
                any_barrier |= at_barrier;
            }
        }
        let at = first.map(|(warp, split)| {
            let function = &self.program.functions[warp.activations[split.activation as usize].function];
            let inst = &function.code[split.pc as usize];
            let thread = warp.index * alu::WARP as u32 + split.mask.trailing_zeros();
            (inst, thread_index(thread, [bx, by, bz]))
        });
        let threads = block.state.threads;
        let exited = block.state.exited;
        let what = match at.map(|(inst, _)| &inst.op) {
            Some(Op::Barrier { .. }) => "at a barrier that the others never reach",
            _ => "for lanes of their warp that never come",
        };
        let collective = !any_barrier;
        let place =
            at.filter(|(inst, _)| inst.loc != NONE).map(|(inst, _)| &self.program.locs[inst.loc as usize]);
        Box::new(Diagnostic {
            kind: if collective { Kind::WarpCollective } else { Kind::Deadlock },
            severity: Severity::Error,
            kernel: Some(self.program.functions[grid.kernel].name.clone()),
            file: Some(place.map_or(self.program.name.clone(), |p| p.file.to_string())),
            line: place.map(|p| p.line).or(at.map(|(inst, _)| inst.line)),
            block: Some(block.state.index),
            thread: at.map(|(_, thread)| thread),
            message: format!(
                "{waiting} of the block's {threads} threads wait {what}; {exited} have exited, nobody can go on"
            ),
            help: if collective {
                "name in the mask exactly the lanes that come to this instruction"
            } else {
                "let every thread that the barrier counts reach it, the same number of times"
            }
            .to_string(),
            related: Vec::new(),
        })
    }
}

/// Checks a launch and lays out its arguments.
pub fn parameters(
    program: &Program,
    kernel: &str,
    config: &LaunchConfig,
    args: &[u64],
) -> Executed<(usize, Vec<u8>)> {
    let wrong = |kind: Kind, message: String, help: &str| {
        Box::new(Diagnostic {
            kind,
            severity: Severity::Error,
            kernel: Some(kernel.to_string()),
            file: None,
            line: None,
            block: None,
            thread: None,
            message,
            help: help.to_string(),
            related: Vec::new(),
        })
    };
    let number =
        program.by_name.get(kernel).copied().filter(|n| program.functions[*n].is_entry).ok_or_else(|| {
            wrong(
                Kind::LaunchLimit,
                format!("{} has no kernel `{kernel}`; it has: {}", program.name, program.kernels.join(", ")),
                "check the spelling, and that the kernel is extern \"C\"",
            )
        })?;
    check_config(config)
        .map_err(|message| wrong(Kind::LaunchLimit, message, "choose another grid or block"))?;
    let function = &program.functions[number];
    let shared = function.shared_bytes + config.shared_mem_bytes as usize;
    if shared > super::MAX_SHARED {
        return Err(wrong(
            Kind::LaunchLimit,
            format!("{shared} bytes of shared memory a block; at most {} are possible", super::MAX_SHARED),
            "use less shared memory or smaller blocks",
        ));
    }
    let mut reached = vec![false; program.functions.len()];
    let mut stack = vec![number];
    while let Some(next) = stack.pop() {
        if std::mem::replace(&mut reached[next], true) {
            continue;
        }
        if let Some(diagnostic) = &program.functions[next].unsupported {
            return Err(Box::new(diagnostic.clone()));
        }
        stack.extend(&program.functions[next].calls);
    }
    if args.len() != function.params.len() {
        return Err(wrong(
            Kind::LaunchLimit,
            format!("{kernel} takes {} arguments, {} were given", function.params.len(), args.len()),
            "pass one argument for each parameter, in their order",
        ));
    }
    let mut params = vec![0u8; function.param_bytes];
    for (param, value) in function.params.iter().zip(args) {
        if param.bytes > 8 {
            return Err(wrong(
                Kind::LaunchLimit,
                format!(
                    "parameter {} of {kernel} has {} bytes; structures by value are not supported",
                    param.name, param.bytes
                ),
                "pass a pointer instead",
            ));
        }
        params[param.offset..param.offset + param.bytes].copy_from_slice(&value.to_le_bytes()[..param.bytes]);
    }
    Ok((number, params))
}
