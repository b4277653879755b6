//! The CUDA runtime, as the programming guide and the runtime API's reference describe it.
//!
//! | file | job |
//! | --- | --- |
//! | `error.rs` | errors: their names, which of them stay, who asked |
//! | `allocations.rs` | what is allocated, and what was freed |
//! | `memory.rs` | how |
//! | `transfers.rs` | copies and sets |
//! | `planes.rs` | memory of two and three dimensions |
//! | `counts.rs` | elements given for bytes, and pointers given for what they point to |
//! | `names.rs` | what the source calls an allocation, an array or an argument |
//! | `never.rs` | what the host reads that was never written, and who was to write it |
//! | `shape.rs` | whether a launch's sizes look exchanged |
//! | `covered.rs` | whether a launch's threads cover a plane of elements |
//! | `launches.rs` | what has been launched |
//! | `passes.rs` | what a launch has left that nothing reads, though a later one is for so much |
//! | `unused.rs` | in a program that fails: what nobody reads of what was copied, or left by a launch |
//! | `meetings.rs` | what is said of two operations that nothing orders, and of one and the host |
//! | `launch.rs` | how: parameters, limits, what became of it |
//! | `queue.rs` | streams: what is pending, and who waits for what |
//! | `stream.rs` | streams and events, as a program sees them |
//! | `device.rs` | the GPU: its properties, attributes, occupancy |
//! | `graph.rs` | graphs by capture |
//! | `touched.rs` | what operations read and write, so that those that nothing orders are told apart |

mod allocations;
mod counts;
mod covered;
mod device;
mod error;
mod graph;
mod launch;
mod launches;
mod meetings;
mod memory;
mod names;
mod never;
mod passes;
mod planes;
mod queue;
mod shape;
mod stream;
mod touched;
mod transfers;
mod unused;

pub use allocations::Allocations;
pub use covered::{Uncovered, uncovered};
pub use graph::Graphs;
pub use launches::{KernelRun, Launches};
pub use names::{name_of_array, name_of_target, user_place};
pub use queue::Queue;

use crate::runtime::Natives_;

/// All functions.
pub const NATIVES: &[&Natives_] = &[
    error::NATIVES,
    memory::NATIVES,
    transfers::NATIVES,
    planes::NATIVES,
    launch::NATIVES,
    stream::NATIVES,
    device::NATIVES,
    graph::NATIVES,
];
