//! What the warps of a block share: its shared memory, and its barriers.

use rustc_hash::FxHashMap;

use super::undefined::InShared;
use crate::memory::Written;

/// The sixteen barriers of a block (PTX ISA 9.7.13.1).
pub const BARRIERS: usize = 16;

/// The shared memory of a block, and which bytes of it have been written (kept under checks).
#[derive(Debug, Default)]
pub struct SharedMemory {
    pub bytes: Vec<u8>,
    pub written: Written,
    /// Of bytes that undefined values were stored in, the line of the PTX that has read these.
    pub origins: FxHashMap<usize, u32>,
}

/// A block barrier in one of its rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Barrier {
    /// Threads that have arrived, and how many must (0: all of the block).
    pub arrived: u32,
    pub expected: u32,
    pub round: u64,
    /// `bar.red` over the threads that have arrived, and the result of the last finished round.
    pub count: u32,
    pub threads: u32,
    pub result: (u32, u32),
}

/// Blocks that run at the same time, reach each other's shared memory, and have a barrier in common (PTX ISA
/// 9.7.13.4).
#[derive(Debug, Default)]
pub struct Cluster {
    /// Its number in the grid.
    pub number: u64,
    /// By their ranks.
    pub members: Vec<Member>,
    pub threads: u32,
    pub exited: u32,
    /// Threads that have arrived at the barrier in this round.
    pub arrived: u32,
    pub round: u64,
}

/// A block of a cluster, as the others see it.
#[derive(Debug, Default)]
pub struct Member {
    /// Linear number in the grid.
    pub block: u64,
    /// Its shared memory, while it is not its turn.
    pub shared: SharedMemory,
    /// Whether it has ended; and whether none of its warps gets on until the barrier opens.
    pub ended: bool,
    pub stuck: bool,
}

impl Cluster {
    /// The barrier, if it is complete, opens; whether it does.
    pub fn open(&mut self) -> bool {
        let opens = self.arrived > 0 && self.arrived + self.exited >= self.threads;
        if opens {
            self.arrived = 0;
            self.round += 1;
            for member in &mut self.members {
                member.stuck = false;
            }
        }
        opens
    }
}

/// What a block has besides its warps.
#[derive(Debug, Default)]
pub struct BlockState {
    pub index: [u32; 3],
    pub linear: u64,
    /// Its cluster, if it is in one, and its rank there.
    pub cluster: Option<u64>,
    pub rank: u32,
    pub threads: u32,
    pub exited: u32,
    pub shared: SharedMemory,
    pub barriers: [Barrier; BARRIERS],
    /// Which bytes of its shared memory hold values from reads that race; kept under checks.
    pub racing: InShared,
    /// Child grids that `cudaDeviceSynchronize` would wait for.
    pub children: u32,
}

impl BlockState {
    /// Takes its shared memory from where the others of its cluster reach it, or gives it back there.
    pub fn swap_memory(&mut self, cluster: &mut Cluster) {
        std::mem::swap(&mut self.shared, &mut cluster.members[self.rank as usize].shared);
    }

    /// Opens the barriers that have become complete; `opened` is told which, whether all threads were there
    /// that have not exited, and how many have and were not waited for.
    pub fn open(&mut self, mut opened: impl FnMut(u32, bool, u32)) {
        for (id, barrier) in self.barriers.iter_mut().enumerate() {
            let exited = if barrier.expected == 0 { self.exited } else { 0 };
            let expected = if barrier.expected == 0 { self.threads } else { barrier.expected };
            if barrier.arrived > 0 && barrier.arrived + exited >= expected {
                opened(id as u32, barrier.expected == 0 || barrier.expected >= self.threads, exited);
                barrier.result = (barrier.count, barrier.threads);
                barrier.round += 1;
                barrier.arrived = 0;
                barrier.expected = 0;
                barrier.count = 0;
                barrier.threads = 0;
            }
        }
    }
}
