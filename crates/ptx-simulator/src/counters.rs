//! What the simulator counts, exactly.
//!
//! Requests, sectors and bank conflicts are those of the hardware: number for number what Nsight Compute
//! counted on an NVIDIA H200 (driver 580.159.04, CUDA 13.0).

use serde::{Deserialize, Serialize};

use crate::arith::{WARP, each, which};
use crate::observe::{Access, Act, CopyRequest, Event, Observer, Request};
use crate::ptx::Space;

/// Bytes of the unit in which the memory system moves data.
const SECTOR: u64 = 32;

/// Counts over one or more launches, child grids included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// PTX instructions executed by warps.
    pub warp_instructions: u64,
    /// The same, times the lanes that were active.
    pub thread_instructions: u64,
    /// Branches at which the lanes of a warp went different ways.
    pub divergent_branches: u64,
    /// Warp-level loads from global memory, and the distinct 32-byte sectors they touched, request by
    /// request. ncu: `l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum`,
    /// `l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum`.
    pub global_load_requests: u64,
    /// The sectors.
    pub global_load_sectors: u64,
    /// The same for stores (`…_op_st.sum`).
    pub global_store_requests: u64,
    /// The sectors.
    pub global_store_sectors: u64,
    /// The fewest sectors that the bytes asked for need, request by request: what
    /// [`Self::global_load_sectors`] would be if each warp's bytes lay side by side. Bytes that several lanes
    /// ask for count once.
    #[serde(default)]
    pub global_load_sectors_ideal: u64,
    /// The same for stores.
    #[serde(default)]
    pub global_store_sectors_ideal: u64,
    /// Extra passes that shared-memory accesses needed because lanes met in a bank.
    /// ncu: `l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum`.
    pub shared_bank_conflicts: u64,
    /// Warp-level arrivals at a block barrier.
    pub barriers: u64,
    /// Those of them that had to wait, because other threads of the block were missing.
    #[serde(default)]
    pub barrier_stalls: u64,
    /// Atomic operations on global or shared memory, by thread.
    pub atomics: u64,
    /// Kernels launched by device code.
    pub device_launches: u64,
    /// Those that the device refused.
    pub dropped_launches: u64,
    /// How deep the launches nest: 0 without device launches, 1 for children of the host's grid, and so on.
    #[serde(default)]
    pub launch_depth: u64,
}

impl Counters {
    /// Lanes that were active in the average instruction, 0 to 32; `None` if none was executed.
    /// ncu: `smsp__thread_inst_executed_per_inst_executed.ratio`.
    pub fn average_active_lanes(&self) -> Option<f64> {
        (self.warp_instructions > 0).then(|| self.thread_instructions as f64 / self.warp_instructions as f64)
    }
}

impl std::ops::AddAssign<&Counters> for Counters {
    fn add_assign(&mut self, other: &Counters) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.divergent_branches += other.divergent_branches;
        self.global_load_requests += other.global_load_requests;
        self.global_load_sectors += other.global_load_sectors;
        self.global_store_requests += other.global_store_requests;
        self.global_store_sectors += other.global_store_sectors;
        self.global_load_sectors_ideal += other.global_load_sectors_ideal;
        self.global_store_sectors_ideal += other.global_store_sectors_ideal;
        self.shared_bank_conflicts += other.shared_bank_conflicts;
        self.barriers += other.barriers;
        self.barrier_stalls += other.barrier_stalls;
        self.atomics += other.atomics;
        self.device_launches += other.device_launches;
        self.dropped_launches += other.dropped_launches;
        self.launch_depth = self.launch_depth.max(other.launch_depth);
    }
}

/// Counts alone.
impl Observer for Counters {
    fn event(&mut self, event: &Event) {
        match *event {
            Event::Executed { by_warps, by_threads } => {
                self.warp_instructions += by_warps;
                self.thread_instructions += by_threads;
            }
            Event::Grid(start) => self.launch_depth = self.launch_depth.max(start.depth.into()),
            Event::By(_, Act::Access(request)) => self.access(request),
            Event::By(_, Act::CopyStarts(copy)) => self.copy(copy),
            Event::By(_, Act::Diverge { .. }) => self.divergent_branches += 1,
            Event::By(_, Act::Barrier { .. }) => self.barriers += 1,
            Event::By(_, Act::BarrierStall) => self.barrier_stalls += 1,
            Event::By(_, Act::Launch(launch)) => {
                self.device_launches += 1;
                self.dropped_launches += launch.refused.is_some() as u64;
            }
            _ => {}
        }
    }
}

impl Counters {
    fn access(&mut self, request: &Request) {
        if let Access::Atomic { .. } = request.access {
            self.atomics += request.mask.count_ones() as u64;
            return;
        }
        match (request.space, request.access) {
            (Space::Global, Access::Load) => {
                let (touched, ideal) = sectors(request);
                self.global_load_requests += 1;
                self.global_load_sectors += touched;
                self.global_load_sectors_ideal += ideal;
            }
            (Space::Global, _) => {
                let (touched, ideal) = sectors(request);
                self.global_store_requests += 1;
                self.global_store_sectors += touched;
                self.global_store_sectors_ideal += ideal;
            }
            // What goes to another block's memory has not been compared with a GPU.
            (Space::Shared, _) if request.owner.is_none() => {
                self.shared_bank_conflicts += bank_conflicts(request);
            }
            _ => {}
        }
    }

    /// Copies count as the loads that they are half of. (ncu has a name of its own for them: `…_op_ldgsts`.)
    fn copy(&mut self, copy: &CopyRequest) {
        let mask = which(copy.mask, |lane| copy.given[lane] > 0);
        if mask != 0 {
            self.access(&copy.side(Access::Load, Space::Global, mask, copy.bytes));
        }
    }
}

/// Distinct 32-byte sectors that a request touches, and the fewest that its distinct bytes fill.
fn sectors(request: &Request) -> (u64, u64) {
    let mut sectors = [0; 2 * WARP];
    let mut addresses = [0; WARP];
    let mut count = 0;
    each(request.mask, |lane| {
        let address = request.addresses[lane];
        addresses[count] = address;
        sectors[2 * count] = address / SECTOR;
        sectors[2 * count + 1] = (address + request.bytes as u64 - 1) / SECTOR;
        count += 1;
    });
    // Accesses are aligned, so those of two lanes are the same bytes or have none in common.
    let bytes = distinct(&mut addresses[..count]) * request.bytes as u64;
    (distinct(&mut sectors[..2 * count]), bytes.div_ceil(SECTOR))
}

/// How many different numbers there are; sorts them.
fn distinct(numbers: &mut [u64]) -> u64 {
    if !numbers.is_sorted() {
        numbers.sort_unstable();
    }
    numbers.chunk_by(|a, b| a == b).count() as u64
}

/// Passes beyond those that the width of the access needs anyway. Shared memory has 32 banks of 4 bytes;
/// lanes that read the same word share a pass. Accesses of 8 bytes go by half warps, of 16 bytes by quarters.
fn bank_conflicts(request: &Request) -> u64 {
    let words = (request.bytes as u64).div_ceil(4).max(1);
    let group = (WARP as u64 / words).max(1) as usize;
    let mut extra = 0;
    for start in (0..WARP).step_by(group) {
        let part = request.mask & ((((1u64 << group) - 1) as u32) << start);
        if part == 0 {
            continue;
        }
        let mut per_bank = [0u8; WARP];
        let mut seen = [0u64; WARP];
        let mut count = 0;
        each(part, |lane| {
            for word in 0..words {
                let word = request.addresses[lane] / 4 + word;
                if !seen[..count].contains(&word) {
                    if count < WARP {
                        seen[count] = word;
                        count += 1;
                    }
                    per_bank[word as usize % WARP] += 1;
                }
            }
        });
        extra += per_bank.iter().max().map_or(0, |most| *most as u64).saturating_sub(1);
    }
    extra
}
