//! A function being executed by some lanes: its registers, predicates and call parameters.

use super::undefined::Undefined;
use crate::arith::{Lanes, WARP};
use crate::decode::{CONSTANT, Function, Guard, NONE, Place, Pred, Reg};
use crate::device::thread_index;

/// A function being executed by some lanes: its registers and its call parameters.
#[derive(Debug, Default)]
pub struct Activation {
    pub function: usize,
    pub registers: Vec<Lanes>,
    /// One mask a predicate.
    pub predicates: Vec<u32>,
    /// Which of both hold undefined values; kept under checks.
    pub undefined: Undefined,
    /// `frame_bytes` bytes per lane.
    pub frame: Vec<u8>,
    pub frame_bytes: usize,
    /// Where this activation's local variables start in the lanes' local memory.
    pub local_base: usize,
    pub local_bytes: usize,
    /// Calls that are open: 0 in a kernel.
    pub depth: u32,
    /// Where the value that comes back goes: offset in the caller's frame.
    pub returns_to: Option<usize>,
}

/// Where a warp's threads are, for the special registers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    pub grid_dim: [u32; 3],
    pub block_dim: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster, whether the launch has said so, and the block's rank.
    pub cluster_dim: [u32; 3],
    pub is_explicit_cluster: bool,
    pub rank: u32,
    pub grid_id: u64,
    pub workspace: u64,
    /// Bytes of shared memory that the kernel declares, and that the launch adds behind them.
    pub static_shared: u32,
    pub dynamic_shared: u32,
}

impl Activation {
    pub fn open(&mut self, number: usize, function: &Function, local_base: usize) {
        self.function = number;
        self.registers.clear();
        self.registers.resize(function.registers, [0; WARP]);
        self.predicates.clear();
        self.predicates.resize(function.predicates, 0);
        self.undefined.open(function);
        self.frame_bytes = function.frame_bytes;
        self.frame.clear();
        self.frame.resize(function.frame_bytes * WARP, 0);
        self.local_base = local_base;
        self.local_bytes = function.local_bytes.next_multiple_of(16);
        (self.returns_to, self.depth) = (None, 0);
    }

    /// Registers, predicates and call parameters.
    pub fn values(&self) -> (&[Lanes], &[u32], &[u8]) {
        (&self.registers, &self.predicates, &self.frame)
    }

    /// Fills the registers that hold the threads' places.
    pub fn set_places(&mut self, function: &Function, warp: u32, position: &Position) {
        for (place, register) in &function.places {
            let lanes = &mut self.registers[*register as usize];
            for (lane, value) in lanes.iter_mut().enumerate() {
                *value = place_value(*place, lane as u32, warp, position);
            }
        }
    }

    /// The lanes for which a predicate, or its negation, holds.
    #[inline(always)]
    pub fn holds(&self, Guard { p, negated }: Guard) -> u32 {
        let p = self.predicates[p as usize];
        if negated { !p } else { p }
    }

    /// The lanes of `active` write `value` to a predicate, if there is one.
    #[inline(always)]
    pub fn set_predicate(&mut self, p: Pred, active: u32, value: u32) {
        if p != NONE {
            let slot = &mut self.predicates[p as usize];
            *slot = (*slot & !active) | (value & active);
        }
    }

    /// `bytes` bytes at `offset` of a lane's call parameters.
    pub fn frame_of(&mut self, lane: usize, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        let start = lane * self.frame_bytes;
        self.frame.get_mut(start..start + self.frame_bytes)?.get_mut(offset..offset + bytes)
    }
}

fn place_value(place: Place, lane: u32, warp: u32, at: &Position) -> u64 {
    use std::cmp::Ordering;
    let value = match place {
        Place::Tid(axis) => thread_index(warp * WARP as u32 + lane, at.block_dim)[axis],
        Place::Ntid(axis) => at.block_dim[axis],
        Place::Ctaid(axis) => at.block[axis],
        Place::Nctaid(axis) => at.grid_dim[axis],
        Place::ClusterId(axis) => at.block[axis] / at.cluster_dim[axis],
        Place::NClusterId(axis) => at.grid_dim[axis] / at.cluster_dim[axis],
        Place::ClusterCtaid(axis) => at.block[axis] % at.cluster_dim[axis],
        Place::ClusterNctaid(axis) => at.cluster_dim[axis],
        Place::ClusterRank => at.rank,
        Place::ClusterSize => at.cluster_dim.iter().product(),
        Place::IsExplicitCluster => at.is_explicit_cluster.into(),
        Place::LaneId => lane,
        Place::WarpId => warp,
        Place::NWarpId => at.block_dim.iter().product::<u32>().div_ceil(WARP as u32),
        Place::GridId => return at.grid_id,
        Place::LaneMask(order, or_equal) => {
            let below = ((1u64 << lane) - 1) as u32;
            let me = 1u32 << lane;
            match order {
                Ordering::Equal => me,
                Ordering::Less => below | if or_equal { me } else { 0 },
                Ordering::Greater => !below & !me | if or_equal { me } else { 0 },
            }
        }
        Place::Workspace(half) => (at.workspace >> (32 * half)) as u32,
        Place::DynamicSharedSize => at.dynamic_shared,
        Place::TotalSharedSize => at.static_shared + at.dynamic_shared,
        Place::Zero => 0,
    };
    value as u64
}

/// The register, or the constant, that a number stands for.
#[inline(always)]
pub fn source<'a>(activation: &'a Activation, function: &'a Function, register: Reg) -> &'a Lanes {
    let register = register as usize;
    match activation.registers.get(register) {
        Some(lanes) => lanes,
        None => &function.constants[register - CONSTANT as usize],
    }
}
