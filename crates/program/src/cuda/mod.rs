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

pub use graph::Graphs;
pub use launch::{KernelRun, Launches};
pub use memory::{Allocations, name_of_array, name_of_target, user_place};
pub use queue::Queue;

use crate::runtime::Natives_;

/// All functions.
pub const NATIVES: &[&Natives_] =
    &[error::NATIVES, memory::NATIVES, launch::NATIVES, stream::NATIVES, device::NATIVES, graph::NATIVES];
