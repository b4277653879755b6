//! The host's thread of a whole program: compiled for the device like the kernels, and run here by one thread
//! that is no part of any grid. It has no step limit of a launch, no counters and no races with itself; its
//! memory is the simulator's, each allocation with its owner ([`Owner`](crate::Owner)).
//!
//! What the program calls and does not define, the C library and the CUDA runtime, are [`Natives`].
//!
//! | file | job |
//! | --- | --- |
//! | `code.rs` | a function with its places resolved, one value in each register |
//! | `memory.rs` | the memory of a program, as its natives see it |
//! | `thread.rs` | the thread: its calls, its stack, and the loop that runs it |
//! | `values.rs` | what the seldom steps do to values |
//! | `undefined.rs` | values that were never written, followed while there are any |

mod code;
mod memory;
mod thread;
mod undefined;
mod values;

pub use crate::arith::math::{Math, Results};
pub use crate::exec::format;
pub use memory::{Aside, Note};
pub use thread::{Call, Given, Host, Natives, Stop};
pub use undefined::Lost;
