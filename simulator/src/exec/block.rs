//! What the warps of a block share: its shared memory, and its barriers.

use crate::memory::Written;

/// The sixteen barriers of a block (PTX ISA 9.7.13.1).
pub const BARRIERS: usize = 16;

/// A block barrier in one of its rounds.
#[derive(Clone, Copy, Debug, Default)]
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

/// What a block has besides its warps.
#[derive(Debug)]
pub struct BlockState {
    pub index: [u32; 3],
    pub linear: u64,
    pub threads: u32,
    pub exited: u32,
    pub shared: Vec<u8>,
    /// Which bytes of it have been written; kept under checks.
    pub written: Written,
    pub barriers: [Barrier; BARRIERS],
    /// Child grids that `cudaDeviceSynchronize` would wait for.
    pub children: u32,
}

impl BlockState {
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
                (barrier.arrived, barrier.expected, barrier.count, barrier.threads) = (0, 0, 0, 0);
            }
        }
    }
}
