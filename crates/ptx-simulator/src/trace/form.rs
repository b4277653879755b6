//! What a trace holds, and its JSON.

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;

/// A launch as it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The kernel that the host launched first.
    pub kernel: String,
    /// Its blocks.
    pub grid: [u32; 3],
    /// Its threads per block.
    pub block: [u32; 3],
    /// The source files that lines are of.
    pub files: Vec<String>,
    /// What was accessed, in the order of first use.
    pub buffers: Vec<Buffer>,
    /// What happened.
    pub events: Vec<Event>,
    /// What the checks have found.
    #[serde(default)]
    pub findings: Vec<Diagnostic>,
    /// Events past the limit, which are not kept.
    pub left_out: u64,
}

/// Memory that was accessed: an allocation, or the shared memory of each block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// What the launch calls it.
    pub name: String,
    /// `global` or `shared`.
    pub space: String,
    /// Bytes of an element: of the first access.
    pub element: u32,
    /// The type of an element, if the launch has said it: `f32`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Something that lanes of a warp have done, or that has happened to a grid or a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Barriers that the block had passed.
    pub step: u32,
    /// The grid, numbered over the whole trace.
    pub grid: u32,
    /// The block, by its linear number.
    pub block: u64,
    /// The warp in its block.
    pub warp: u32,
    /// The line of the source, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The source file.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub file: u32,
    /// The lanes, as a mask.
    pub lanes: u32,
    /// What.
    #[serde(flatten)]
    pub did: Did,
}

/// What has happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Did {
    /// A grid starts.
    Start {
        /// The grid that launched it; none: the host did.
        parent: Option<u32>,
        /// Device launches from the host's grid to this one.
        depth: u32,
        /// The kernel.
        kernel: String,
        /// Blocks.
        blocks: u64,
        /// Threads per block.
        threads: u32,
    },
    /// The last thread of a block has ended.
    End,
    /// Lanes read.
    Read(Touch),
    /// Lanes write.
    Write(Touch),
    /// Lanes read and write in one piece, one after the other, lowest first.
    Atomic {
        /// What was there before.
        #[serde(flatten)]
        touch: Touch,
        /// The first operand of each lane.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        with: Vec<u64>,
    },
    /// Lanes take one way of a branch, those of `rest` another.
    Diverge {
        /// A mask.
        rest: u32,
    },
    /// Lanes arrive at a barrier of the block.
    Arrive {
        /// Which one.
        id: u32,
    },
    /// A barrier opens.
    Open {
        /// Which one.
        id: u32,
        /// Whether all threads of the block had come, but those that have ended.
        all: bool,
        /// Those that have ended.
        exited: u32,
    },
    /// Lanes arrive at the barrier of their cluster.
    ArriveInCluster,
    /// They have waited there, and go on.
    PassInCluster,
    /// Lanes have met at a warp barrier.
    Meet,
    /// Lanes execute a memory fence.
    Fence,
    /// A lane launches a grid.
    Launch {
        /// Launches that are pending after it.
        pending: u64,
        /// The most that may be.
        limit: u64,
        /// The error if it is dropped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<u32>,
    },
    /// Launches no longer count as pending.
    Freed {
        /// Those that still do.
        pending: u64,
    },
    /// Lanes have waited for the children of their block.
    ChildrenDone,
}

/// What was touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    /// Number of the buffer.
    pub buffer: usize,
    /// An element for each lane.
    pub at: Vec<u64>,
    /// Elements of each lane, if more than one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub parts: u32,
    /// Their values; none where they are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<u64>,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(parts: &u32) -> bool {
    *parts == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(file: &u32) -> bool {
    *file == 0
}
