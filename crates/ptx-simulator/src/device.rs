//! The simulated device: how much of everything it has, and what a launch may ask of it.

use crate::arith::WARP;
use crate::what::thousands;

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

/// What a device holds. Memory is in bytes. Limits are those of the compute capability (CUDA C++ Programming
/// Guide, "Technical Specifications per Compute Capability"), multiprocessors those of the product (NVIDIA's
/// architecture whitepapers and data sheets).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The product.
    pub name: &'static str,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Resident blocks per multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// Resident warps per multiprocessor.
    pub warps_per_multiprocessor: u32,
    /// Registers of a multiprocessor, of 32 bits.
    pub registers_per_multiprocessor: u32,
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

/// What there is not enough of for one more block of a kernel on a multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scarce {
    /// Places for blocks.
    #[default]
    Blocks,
    /// Places for warps, 32 threads each.
    Threads,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

/// How many blocks of a kernel are under way at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residency {
    /// On each multiprocessor.
    pub per_multiprocessor: u32,
    /// On the whole device.
    pub blocks: u32,
    /// Why it isn't more.
    pub scarce: Scarce,
    /// Whether registers are counted: PTX does not tell how many there are.
    pub counts_registers: bool,
}

impl DeviceProperties {
    /// An NVIDIA H200: compute capability 9.0.
    pub const H200: DeviceProperties = DeviceProperties {
        name: "H200",
        compute_capability: (9, 0),
        multiprocessors: 132,
        blocks_per_multiprocessor: 32,
        warps_per_multiprocessor: 64,
        registers_per_multiprocessor: 64 << 10,
        shared_per_multiprocessor: 228 << 10,
        reserved_shared_per_block: 1 << 10,
        max_shared_per_block: 227 << 10,
        shared_per_block: 48 << 10,
        resident_grids: 128,
    };

    /// The devices that can be simulated.
    pub const ALL: [DeviceProperties; 8] = [
        DeviceProperties {
            name: "T4",
            compute_capability: (7, 5),
            multiprocessors: 40,
            blocks_per_multiprocessor: 16,
            warps_per_multiprocessor: 32,
            shared_per_multiprocessor: 64 << 10,
            reserved_shared_per_block: 0,
            max_shared_per_block: 64 << 10,
            ..Self::H200
        },
        DeviceProperties {
            name: "A100",
            compute_capability: (8, 0),
            multiprocessors: 108,
            shared_per_multiprocessor: 164 << 10,
            max_shared_per_block: 163 << 10,
            ..Self::H200
        },
        DeviceProperties { name: "RTX 3090", multiprocessors: 82, ..Self::GA10X },
        DeviceProperties { name: "L4", multiprocessors: 58, ..Self::AD10X },
        DeviceProperties { name: "RTX 4090", multiprocessors: 128, ..Self::AD10X },
        // SXM5 and NVL; the card for PCIe has 114 multiprocessors.
        DeviceProperties { name: "H100", ..Self::H200 },
        Self::H200,
        DeviceProperties { name: "B200", compute_capability: (10, 0), multiprocessors: 148, ..Self::H200 },
    ];

    const GA10X: DeviceProperties = DeviceProperties {
        compute_capability: (8, 6),
        blocks_per_multiprocessor: 16,
        warps_per_multiprocessor: 48,
        shared_per_multiprocessor: 100 << 10,
        max_shared_per_block: 99 << 10,
        ..Self::H200
    };
    const AD10X: DeviceProperties =
        DeviceProperties { compute_capability: (8, 9), blocks_per_multiprocessor: 24, ..Self::GA10X };

    /// The device of [`DeviceProperties::ALL`] with this name, however it is written: `H200`, `rtx4090`.
    pub fn named(name: &str) -> Option<DeviceProperties> {
        let plain = |name: &str| name.to_lowercase().replace([' ', '-', '_'], "");
        Self::ALL.into_iter().find(|device| plain(device.name) == plain(name))
    }

    /// Its compute capability as compilers have it: `90`.
    pub fn capability(&self) -> String {
        let (major, minor) = self.compute_capability;
        format!("{major}{minor}")
    }

    /// Blocks in the shape of `config` that fit at the same time, with `shared` bytes of shared memory per
    /// block and so many registers per thread, if that is known: as many as there is room for, and one at
    /// least.
    pub fn residency(&self, config: &LaunchConfig, shared: usize, registers: Option<u32>) -> Residency {
        let warps = (count_in(config.block_dim) as u32).div_ceil(WARP as u32).max(1);
        let by_threads = self.warps_per_multiprocessor / warps;
        let by_registers = registers.map(|each| self.warps_with(each) / warps);
        // A kernel without shared memory needs none on a device that reserves none.
        let taken = (shared + self.reserved_shared_per_block).max(1);
        let by_shared = (self.shared_per_multiprocessor / taken) as u32;
        let limits = [
            (self.blocks_per_multiprocessor, Scarce::Blocks),
            (by_threads, Scarce::Threads),
            (by_registers.unwrap_or(u32::MAX), Scarce::Registers),
            (by_shared, Scarce::SharedMemory),
        ];
        let least = limits.into_iter().min_by_key(|(blocks, _)| *blocks);
        let (per_multiprocessor, scarce) = least.unwrap_or((1, Scarce::Blocks));
        let per_multiprocessor = per_multiprocessor.max(1);
        let blocks = self.multiprocessors * per_multiprocessor;
        Residency { per_multiprocessor, blocks, scarce, counts_registers: registers.is_some() }
    }

    /// Warps whose threads have `registers` each that a multiprocessor has room for. A warp gets them in
    /// units of 256, from one of the four parts of a multiprocessor (NVIDIA's occupancy calculator,
    /// `cuda_occupancy.h`: register allocation granularity, warp allocation granularity).
    fn warps_with(&self, registers: u32) -> u32 {
        const UNIT: u32 = 256;
        const PARTS: u32 = 4;
        const MAX_REGISTERS: u32 = 255;
        let of_warp = (registers.clamp(1, MAX_REGISTERS) * WARP as u32).next_multiple_of(UNIT);
        self.registers_per_multiprocessor / PARTS / of_warp * PARTS
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
    let count = thousands(threads);
    if threads > 1024 {
        return Err(format!("a block of {bx} x {by} x {bz} = {count} threads; at most 1,024 are possible"));
    }
    if bz > 64 {
        return Err(format!("a block of {bx} x {by} x {bz} threads; at most 64 are possible in z"));
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
