//! The simulator: executes the very PTX that `nvcc` wrote, counts, and stops at the first thing that cannot go on.
//!
//! | file | job |
//! | --- | --- |
//! | `ptx.rs` | text -> typed program, decoded once |
//! | `exec.rs` | what each instruction does |
//! | `warp.rs` | 32 lanes in lockstep: divergence and reconvergence |
//! | `memory.rs` | state spaces, allocations, bounds |
//! | `launch.rs` | grids, blocks, barriers, child grids |
//! | `counters.rs` | what is counted |
//! | `diagnostic.rs` | what is said when something is wrong |

mod counters;
mod diagnostic;

pub use counters::Counters;
pub use diagnostic::{Diagnostic, Kind, Severity, Site};

/// Grid and block of a launch, named as cudarc names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y, z.
    pub grid_dim: (u32, u32, u32),
    /// Threads a block in x, y, z.
    pub block_dim: (u32, u32, u32),
    /// Dynamic shared memory, in bytes a block.
    pub shared_mem_bytes: u32,
}

impl LaunchConfig {
    /// A grid of `grid` blocks of `block` threads, in one dimension, without dynamic shared memory.
    pub fn new(grid: u32, block: u32) -> LaunchConfig {
        LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 }
    }
}

/// A parameter of a kernel, from its PTX signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    /// Size in bytes: 8 for a pointer, 4 for an `int`.
    pub size: usize,
}

/// Parsed PTX, ready to launch. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Module {}

impl Module {
    /// Reads PTX text. `name` stands in messages. The error names what is wrong and the PTX line.
    pub fn parse(ptx: &str, name: &str) -> Result<Module, Diagnostic> {
        let _ = (ptx, name);
        todo!()
    }
    /// Names of the kernels (`.entry`), in the order of the text.
    pub fn kernels(&self) -> Vec<&str> {
        todo!()
    }
    /// The parameters of `kernel`, if there is such a kernel.
    pub fn params(&self, kernel: &str) -> Option<&[Param]> {
        let _ = kernel;
        todo!()
    }
}

/// The simulated device: its memory and its limits.
#[derive(Debug, Default)]
pub struct Simulator {}

impl Simulator {
    pub fn new() -> Simulator {
        Simulator::default()
    }
    /// `bytes` bytes of global memory, contents undefined; the address is 256-byte aligned and never 0.
    pub fn alloc(&mut self, bytes: u64) -> u64 {
        let _ = bytes;
        todo!()
    }
    /// Gives an allocation back; an address that is not the start of a live allocation is ignored.
    pub fn free(&mut self, address: u64) {
        let _ = address;
        todo!()
    }
    /// Copies host bytes to device memory.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Diagnostic> {
        let _ = (address, bytes);
        todo!()
    }
    /// Copies device memory to the host.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Diagnostic> {
        let _ = (address, bytes);
        todo!()
    }
    /// `cudaLimitDevRuntimePendingLaunchCount`; 2,048 unless set.
    pub fn set_pending_launch_limit(&mut self, launches: u64) {
        let _ = launches;
        todo!()
    }
    /// Runs `kernel` of `module` to its end, child grids included. `args`: one cell a parameter, the value in its
    /// low bytes (a pointer is an address from [`Simulator::alloc`]). The first thing that is wrong stops the
    /// launch and comes back as a [`Diagnostic`].
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
    ) -> Result<Counters, Box<Diagnostic>> {
        let _ = (module, kernel, config, args);
        todo!()
    }
}
