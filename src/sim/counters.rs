//! What the simulator counts, exactly.

use serde::{Deserialize, Serialize};

/// Counts over one or more launches, child grids included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// PTX instructions executed by warps.
    pub warp_instructions: u64,
    /// The same, times the lanes that were active.
    pub thread_instructions: u64,
    /// Branches at which the lanes of a warp went different ways.
    pub divergent_branches: u64,
    /// Warp-level loads from global memory, and the distinct 32-byte sectors they touched, request by request.
    /// ncu: `l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum`, `l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum`.
    pub global_load_requests: u64,
    pub global_load_sectors: u64,
    /// The same for stores (`…_op_st.sum`).
    pub global_store_requests: u64,
    pub global_store_sectors: u64,
    /// Extra passes that shared-memory accesses needed because lanes met in a bank.
    /// ncu: `l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum`.
    pub shared_bank_conflicts: u64,
    /// Warp-level arrivals at a block barrier.
    pub barriers: u64,
    /// Atomic operations on global or shared memory, by thread.
    pub atomics: u64,
    /// Kernels launched by device code, and those that the device refused.
    pub device_launches: u64,
    pub dropped_launches: u64,
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
        self.shared_bank_conflicts += other.shared_bank_conflicts;
        self.barriers += other.barriers;
        self.atomics += other.atomics;
        self.device_launches += other.device_launches;
        self.dropped_launches += other.dropped_launches;
    }
}
