//! Where does a kernel run? [`Device`]: a GPU or the simulator behind one set of verbs, named as cudarc names
//! them.
//!
//! ```no_run
//! # use device::{Device, DeviceChoice, LaunchConfig};
//! # fn sum(build: &kernel_compiler::build::Build) -> anyhow::Result<()> {
//! # let (data, grid, block) = (vec![1; 1000], 2, 512);
//! let device = Device::open(DeviceChoice::Auto)?;
//! // SAFETY: nvcc has made it; the kernel reads `size` elements, and writes a sum per block.
//! let module = unsafe { device.load_module(build)? };
//! let reduce = module.load_function("reduceInterleaved")?;
//! let g_idata = device.clone_htod(&data)?;
//! let g_odata = device.alloc_zeros::<i32>(grid)?;
//! let mut launch = device.launch_builder(&reduce);
//! launch.arg(&g_idata).arg(&g_odata).arg(&(data.len() as u32));
//! launch.launch(LaunchConfig::new(grid as u32, block))?;
//! let partial_sums = device.clone_dtoh(&g_odata)?;
//! # Ok(())
//! # }
//! ```
//!
//! Each file adds its verbs to [`Device`], and knows of those above it alone:
//!
//! | file | job |
//! | --- | --- |
//! | `info.rs` | what a device says of itself |
//! | `timing.rs` | times of repeated runs |
//! | `levels.rs` | how a nested run unfolds |
//! | `measure.rs` | how a time is taken, and what else a measurement holds |
//! | `fault.rs` | what a GPU may be missing, and how it fails, in words |
//! | `cuda/` | the GPU; the only folder that names cudarc. `no_cuda.rs` takes its place in a browser |
//! | `names.rs` | what is found, with the names of the source: `g_data[2]` |
//! | `simulator.rs` | the simulator as a device: its options, its stream, what its launches have shown |
//! | `device.rs` | opens one of these; its name, its limits, what work costs there |
//! | `module.rs` | kernels |
//! | `buffer.rs` | device memory, and copies from and to it |
//! | `launch.rs` | launches: arguments, checks, start |
//! | `together.rs` | launches on several devices at the same time, and on one where they overlap |
//! | `graph.rs` | launches captured once, launched again with one call |
//! | `nccl.rs` | NCCL, from the library that the system has |
//! | `collective.rs` | one number per device becomes their sum on all of them |

mod buffer;
pub mod collective;
#[cfg_attr(target_family = "wasm", path = "no_cuda.rs")]
mod cuda;
mod device;
mod fault;
mod graph;
mod info;
mod launch;
pub mod levels;
pub mod measure;
mod module;
mod names;
#[cfg(not(target_family = "wasm"))]
pub use ::libloading;
#[cfg(target_family = "wasm")]
#[path = "no_libloading.rs"]
pub mod libloading;
mod nccl;
mod simulator;
mod timing;
mod together;

pub use buffer::{Buffer, View};
pub use device::{Device, DeviceChoice, Peers};
pub use fault::{Fault, NoGpu};
pub use graph::Graph;
pub use info::{DeviceInfo, DeviceKind, GpuInfo};
pub use launch::{Arg, KernelArg, LaunchArgs, MAX_BLOCK, MAX_GRID, MAX_SHARED_MEM_BYTES, Prepared};
pub use measure::Limit;
pub use module::{Function, Module};
pub use names::Called;
pub use ptx_simulator::{DEFAULT_PENDING_LAUNCHES, LaunchConfig};
pub use simulator::{Blocks, LaunchOrder, Simulator, SimulatorOptions};
pub use timing::Timing;
pub use together::{Launchers, launch_overlapping, launch_together};
