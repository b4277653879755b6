//! The CUDA runtime, as the programming guide and the runtime API's reference describe it.
//!
//! | file | job |
//! | --- | --- |
//! | `error.rs` | errors: their names, which of them stay, who asked |
//! | `memory.rs` | allocations, copies and sets |
//! | `launch.rs` | launches: parameters, limits, what became of them |
//! | `queue.rs` | streams: what is pending, and who waits for what |
//! | `stream.rs` | streams and events, as a program sees them |
//! | `device.rs` | the GPU: its properties, attributes, occupancy |
//! | `graph.rs` | graphs by capture |
//! | `touched.rs` | what operations read and write, so that those that nothing orders are told apart |

mod device;
mod error;
mod graph;
mod launch;
mod memory;
mod queue;
mod stream;
mod touched;

pub use launch::KernelRun;
pub use memory::{name_of_array, name_of_target, user_place};

use rustc_hash::FxHashMap;

use crate::runtime::Natives_;

/// All functions.
pub const NATIVES: &[&Natives_] =
    &[error::NATIVES, memory::NATIVES, launch::NATIVES, stream::NATIVES, device::NATIVES, graph::NATIVES];

/// What the runtime keeps.
#[derive(Default)]
pub struct Cuda {
    pub queue: queue::Queue,
    pub errors: error::Errors,
    /// What `cudaMalloc` and its like have given, by address: the line.
    made: FxHashMap<u64, memory::Made>,
    limits: device::Limits,
    graphs: graph::Graphs,
    pub kernels: Vec<KernelRun>,
    pub asked_for_times: bool,
}

impl Cuda {
    /// What was allocated, and not freed.
    fn made(&self) -> impl Iterator<Item = &memory::Made> {
        self.made.values()
    }
}
