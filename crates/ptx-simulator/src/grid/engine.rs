//! A launch from the host, or several at a time on several devices: its grids, and what they share.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use super::before::Recurrence;
use crate::decode::Program;
use crate::device::{DeviceProperties, Residency, count_in};
use crate::exec::{BlockState, Cluster, Launches, PendingLaunch, Progress, Schedule, Warp};
use crate::explore::Turns;
use crate::memory::Memory;
use crate::observe::Watch;

/// What a launch may use, and the seed of its schedule.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub pending_launches: u64,
    /// Levels of grids that may wait for their children.
    pub sync_depth: u32,
    /// Instructions in all; `None` for a number that grows while the launch gets on.
    pub steps: Option<u64>,
    /// Whether a launch ends early that is foreseen to need far more.
    pub foresees: bool,
    /// Is set by somebody who wants it to stop.
    pub stop: Option<&'static AtomicBool>,
    pub schedule: u64,
    /// Blocks of a cluster, for the launches of the host.
    pub cluster: Option<[u32; 3]>,
    /// Threads of each warp that run apart from each other, the first of them first; none: in lockstep.
    pub order: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct Grid {
    pub number: u32,
    pub depth: u32,
    /// Which of the devices it runs on.
    pub device: u32,
    pub launch: PendingLaunch,
    pub workspace: u64,
    pub blocks: u64,
    /// How many of them are under way at the same time, at most.
    pub residency: Residency,
    /// Blocks of a cluster, and the clusters under way.
    pub cluster_dim: [u32; 3],
    pub clusters: Vec<Cluster>,
    pub next_block: u64,
    pub finished_blocks: u64,
    pub resident: VecDeque<Block>,
    pub parent: Option<u32>,
    /// Children that are neither complete nor tail launches.
    pub open_children: u64,
    /// Launches that are complete, and count as pending all the same until the blocks have finished: as many
    /// as there would be if children started late.
    pub complete: u64,
    pub tails: VecDeque<PendingLaunch>,
    pub tail_running: bool,
    /// Other children that have not been started.
    pub held: Vec<PendingLaunch>,
    /// Ordered streams, by block and handle.
    pub streams: FxHashMap<(u64, u64), Stream>,
}

/// A block that is under way.
#[derive(Debug, Default)]
pub struct Block {
    pub state: BlockState,
    pub warps: Vec<Warp>,
    /// The warp whose turn is next.
    pub next: usize,
}

impl Grid {
    /// Whether blocks that have not started fit beside so many that are under way: one, or a whole cluster.
    pub fn has_room(&self, resident: usize) -> bool {
        let more = count_in(self.cluster_dim);
        self.next_block < self.blocks
            && (resident == 0 || resident as u64 + more <= self.residency.blocks.into())
    }
}

impl Block {
    pub fn waits_for_children(&self) -> bool {
        self.warps.iter().any(Warp::waits_for_children)
    }
}

/// An ordered stream: whether a grid of it runs, what waits behind that, and the grid that it started last.
#[derive(Debug, Default)]
pub struct Stream {
    pub runs: bool,
    pub waiting: VecDeque<PendingLaunch>,
    pub last: Option<u32>,
}

/// How launches of the host run that come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// At the same time, each on a device of its own. The devices are alike and reach each other's memory,
    /// which has one range of addresses for all, as GPUs do that are peers (CUDA C++ Programming Guide,
    /// "Peer-to-Peer Memory Access"). Their blocks have their turns one device after the other, or in the
    /// order of the schedule.
    OnDevices,
    /// On one device, where each but the first is a programmatic dependent launch: it may start before the
    /// one in front of it has ended (CUDA C++ Programming Guide, "Programmatic Dependent Launch and
    /// Synchronization"). Here it starts as late as it may, when that one is complete; but only what comes
    /// behind `griddepcontrol.wait` is ordered behind that one.
    Dependent,
}

/// Launches from the host at one time, until everything they brought about is complete.
pub struct Engine<'e> {
    pub device: &'e DeviceProperties,
    pub program: &'e Program,
    pub memory: &'e mut Memory,
    pub globals: &'e [u64],
    pub observer: &'e mut dyn Watch,
    pub printed: &'e mut String,
    pub launches: Launches,
    pub schedule: Schedule,
    pub limits: &'e Limits,
    pub progress: Progress,
    /// Those that have started and are not complete, by their numbers.
    pub grids: FxHashMap<u32, Grid>,
    /// Grids with blocks to run, in turn; fire-and-forget children that wait for a place.
    pub running: VecDeque<u32>,
    pub ready: VecDeque<(u32, PendingLaunch)>,
    pub started: u32,
    /// Whether a finished tail or stream launch still counts as pending.
    pub lingering: bool,
    /// Blocks whose memory is used again.
    pub spare: Vec<Block>,
    /// Warps under way, and how many turns of warps in a row have brought nothing but waiting. When all have
    /// waited, lanes at joins go on alone until something changes.
    pub resident: usize,
    pub quiet: usize,
    /// Who has a turn at each operation whose order matters, where that is chosen; and how many turns of
    /// blocks in a row have brought nothing.
    pub turns: Option<&'e RefCell<Turns>>,
    pub still: usize,
    /// How everything stood some turns ago, while the launch is recorded.
    pub recurrence: Recurrence,
}

impl<'e> Engine<'e> {
    pub fn new(
        device: &'e DeviceProperties,
        program: &'e Program,
        memory: &'e mut Memory,
        globals: &'e [u64],
        observer: &'e mut dyn Watch,
        printed: &'e mut String,
        limits: &'e Limits,
    ) -> Self {
        // What the last launch has left is gone.
        memory.launch_bytes = 0;
        Engine {
            device,
            program,
            memory,
            globals,
            observer,
            printed,
            launches: Launches::new(limits.pending_launches, limits.sync_depth),
            schedule: Schedule::new(limits.schedule),
            limits,
            progress: Progress::new(limits.steps).until(limits.stop),
            grids: FxHashMap::default(),
            running: VecDeque::new(),
            ready: VecDeque::new(),
            started: 0,
            lingering: false,
            spare: Vec::new(),
            resident: 0,
            quiet: 0,
            turns: None,
            still: 0,
            recurrence: Recurrence::default(),
        }
    }

    /// The same, where the order of operations is chosen by `turns`.
    pub fn by_turns(mut self, turns: Option<&'e RefCell<Turns>>) -> Self {
        if turns.is_some() {
            self.turns = turns;
            self.schedule = Schedule::of_turns();
        }
        self
    }
}
