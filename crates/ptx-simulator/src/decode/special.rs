//! Special registers that do not change while a warp runs (PTX ISA 10).

use crate::arith::WARP;
use crate::device::index_in;

/// Where a warp's threads are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    pub grid: u32,
    pub grid_dim: [u32; 3],
    pub block_dim: [u32; 3],
    pub block: [u32; 3],
    pub warp: u32,
    /// Blocks of a cluster, and the block's rank.
    pub cluster_dim: [u32; 3],
    pub rank: u32,
    /// The address of a cooperative grid's workspace.
    pub workspace: u64,
    /// Bytes of shared memory that the kernel declares, and that the launch adds behind them.
    pub static_shared: u32,
    pub dynamic_shared: u32,
}

/// A special register, or one axis of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Special {
    number: usize,
    axis: usize,
}

impl Special {
    /// By its name: `%tid.x`.
    pub fn find(name: &str) -> Option<Special> {
        let axis = ["x", "y", "z"].iter().position(|axis| name.strip_suffix(axis).is_some_and(is_vector));
        let stem = &name[..name.len() - usize::from(axis.is_some())];
        let number = SPECIALS.iter().position(|special| special.0 == stem)?;
        (axis.is_some() == is_vector(stem)).then_some(Special { number, axis: axis.unwrap_or(0) })
    }

    /// Whether it is the index of a thread along this axis.
    pub fn is_thread_index(&self, axis: usize) -> bool {
        SPECIALS[self.number].0 == "%tid." && self.axis == axis
    }

    /// What a lane reads.
    pub fn value(&self, at: &Position, lane: u32) -> u64 {
        SPECIALS[self.number].1(at, lane, self.axis).into()
    }
}

/// Names of those that have three axes end with a dot.
fn is_vector(name: &str) -> bool {
    name.ends_with('.')
}

type Value = fn(&Position, u32, usize) -> u32;

/// What each is for a lane and an axis.
const SPECIALS: &[(&str, Value)] = &[
    ("%tid.", |at, lane, axis| index_in(at.block_dim, (at.warp * WARP as u32 + lane).into())[axis]),
    ("%ntid.", |at, _, axis| at.block_dim[axis]),
    ("%ctaid.", |at, _, axis| at.block[axis]),
    ("%nctaid.", |at, _, axis| at.grid_dim[axis]),
    ("%clusterid.", |at, _, axis| at.block[axis] / at.cluster_dim[axis]),
    ("%nclusterid.", |at, _, axis| at.grid_dim[axis] / at.cluster_dim[axis]),
    ("%cluster_ctaid.", |at, _, axis| at.block[axis] % at.cluster_dim[axis]),
    ("%cluster_nctaid.", |at, _, axis| at.cluster_dim[axis]),
    ("%cluster_ctarank", |at, _, _| at.rank),
    ("%cluster_nctarank", |at, _, _| at.cluster_dim.iter().product()),
    ("%laneid", |_, lane, _| lane),
    ("%warpid", |at, _, _| at.warp),
    ("%nwarpid", |at, _, _| at.block_dim.iter().product::<u32>().div_ceil(WARP as u32)),
    ("%gridid", |at, _, _| at.grid),
    ("%lanemask_eq", |_, lane, _| 1 << lane),
    ("%lanemask_lt", |_, lane, _| (1 << lane) - 1),
    ("%lanemask_le", |_, lane, _| u32::MAX >> (31 - lane)),
    ("%lanemask_gt", |_, lane, _| u32::MAX << lane << 1),
    ("%lanemask_ge", |_, lane, _| u32::MAX << lane),
    // The halves of the address of a cooperative grid's workspace.
    ("%envreg1", |at, _, _| (at.workspace >> 32) as u32),
    ("%envreg2", |at, _, _| at.workspace as u32),
    ("%dynamic_smem_size", |at, _, _| at.dynamic_shared),
    ("%total_smem_size", |at, _, _| at.static_shared + at.dynamic_shared),
    ("%smid", |_, _, _| 0),
    ("%nsmid", |_, _, _| 1),
    ("WARP_SZ", |_, _, _| WARP as u32),
];
