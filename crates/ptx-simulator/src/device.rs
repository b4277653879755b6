//! The simulated device: how much of everything it has, and what a launch may ask of it.

use crate::arith::WARP;

/// `cudaLimitDevRuntimePendingLaunchCount` unless it is set.
pub const DEFAULT_PENDING_LAUNCHES: u64 = 2048;
/// `cudaLimitDevRuntimeSyncDepth` unless it is set: the host's grid may wait for its children, and so may
/// they.
pub const DEFAULT_SYNC_DEPTH: u32 = 2;

/// Bytes that all buffers, and what the checks remember of a launch, may take together unless it is set: what
/// a laptop can spare.
pub const DEFAULT_MEMORY: u64 = 4 << 30;

/// Instructions that the warps of a launch may execute unless it is set: three times what the product of two
/// matrices of 1024 x 1024 needs that reads both from global memory (186 million), and some ten seconds of an
/// endless loop.
pub const DEFAULT_STEP_LIMIT: u64 = 1 << 29;

/// What a device holds (CUDA C++ Programming Guide, "Technical Specifications"). Memory is in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Resident blocks per multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// Resident warps per multiprocessor.
    pub warps_per_multiprocessor: u32,
    /// Shared memory of a multiprocessor.
    pub shared_per_multiprocessor: usize,
    /// Shared memory that every block takes beyond what it asks for.
    pub reserved_shared_per_block: usize,
    /// Shared memory of a block, after raising the limit.
    pub max_shared_per_block: usize,
    /// Shared memory of a block without raising it, as for a device launch.
    pub shared_per_block: usize,
    /// Resident grids.
    pub resident_grids: usize,
}

impl DeviceProperties {
    /// An NVIDIA H200: compute capability 9.0.
    pub const H200: DeviceProperties = DeviceProperties {
        multiprocessors: 132,
        blocks_per_multiprocessor: 32,
        warps_per_multiprocessor: 64,
        shared_per_multiprocessor: 228 << 10,
        reserved_shared_per_block: 1 << 10,
        max_shared_per_block: 227 << 10,
        shared_per_block: 48 << 10,
        resident_grids: 128,
    };

    /// Blocks in the shape of `config`, with `shared` bytes of shared memory each, that fit at the same time.
    pub fn resident_blocks(&self, config: &LaunchConfig, shared: usize) -> u32 {
        let warps = (count_in(config.block_dim) as u32).div_ceil(WARP as u32).max(1);
        let by_shared = self.shared_per_multiprocessor / (shared + self.reserved_shared_per_block);
        let by_warps = self.warps_per_multiprocessor / warps;
        self.multiprocessors * self.blocks_per_multiprocessor.min(by_warps).min(by_shared as u32)
    }

    /// Blocks that are under way at the same time, at most.
    pub fn most_resident_blocks(&self) -> usize {
        (self.multiprocessors * self.blocks_per_multiprocessor) as usize
    }
}

/// Grid and block of a launch, named as cudarc names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y, z.
    pub grid_dim: (u32, u32, u32),
    /// Threads per block in x, y, z.
    pub block_dim: (u32, u32, u32),
    /// Dynamic shared memory, in bytes per block.
    pub shared_mem_bytes: u32,
}

impl LaunchConfig {
    /// A grid of `grid` blocks of `block` threads, in one dimension, without dynamic shared memory.
    pub fn new(grid: u32, block: u32) -> LaunchConfig {
        LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 }
    }
}

/// Checks what a launch asks for against what every GPU since compute capability 7.5 can do (CUDA C++
/// Programming Guide, "Technical Specifications").
///
/// # Errors
/// Says in words which limit of grid or block the launch exceeds.
pub fn check_config(config: &LaunchConfig) -> Result<(), String> {
    let (gx, gy, gz) = config.grid_dim;
    let (bx, by, bz) = config.block_dim;
    let threads = count_in(config.block_dim);
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

/// The index that has this number among those below `dim`: a thread's in its block, a block's in its grid.
pub fn index_in(dim: [u32; 3], number: u64) -> [u32; 3] {
    let [x, y, _] = dim.map(u64::from);
    [number % x, number / x % y, number / (x * y)].map(|axis| axis as u32)
}

/// The number of an index, as [`index_in`] counts.
pub fn number_in(dim: [u32; 3], index: [u32; 3]) -> u64 {
    let [width, height, _] = dim.map(u64::from);
    let [x, y, z] = index.map(u64::from);
    x + width * (y + height * z)
}

/// How many there are.
pub fn count_in(dim: impl Into<[u32; 3]>) -> u64 {
    dim.into().iter().fold(1, |all, axis| u64::saturating_mul(all, (*axis).into()))
}
