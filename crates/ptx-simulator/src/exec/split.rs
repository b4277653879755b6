//! Lanes of a warp that are at one place, what they wait for, and where they meet others again.

use crate::decode::NONE;

/// What a split waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Nothing,
    /// A block barrier: its number, and which of its rounds.
    Barrier {
        id: u8,
        round: u64,
    },
    /// The barrier of the cluster, in one of its rounds.
    Cluster {
        round: u64,
    },
    /// Other lanes of the warp, named by a mask.
    Lanes,
    /// The child grids of the block (`cudaDeviceSynchronize` of CUDA before 12).
    Children,
    /// A turn at an operation whose order matters.
    Turn,
}

/// Lanes at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    pub pc: u32,
    pub mask: u32,
    pub activation: u32,
    /// The join it belongs to, or [`NONE`], and the place of that join ([`NONE`]: reached only by returning).
    pub join: u32,
    pub meets: u32,
    pub wait: Wait,
}

/// Where a split meets others: a join and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    pub join: u32,
    pub pc: u32,
}

impl Meeting {
    /// The split belongs to no join.
    pub const NONE: Meeting = Meeting { join: NONE, pc: NONE };
}

impl Split {
    pub fn new(pc: u32, mask: u32, activation: u32, meeting: Meeting) -> Split {
        Split { pc, mask, activation, join: meeting.join, meets: meeting.pc, wait: Wait::Nothing }
    }

    /// It no longer waits, and goes on with the next instruction.
    pub fn go_on(&mut self) {
        self.wait = Wait::Nothing;
        self.pc += 1;
    }
}

/// Where lanes that have diverged meet again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Join {
    pub pc: u32,
    pub activation: u32,
    pub expected: u32,
    pub arrived: u32,
    /// Join and meeting place of the split that goes on from here.
    pub outer: u32,
    pub outer_meets: u32,
    /// The activation that ends here, for the join behind a call.
    pub returns_from: u32,
}
