//! The host's thread of a whole program: compiled for the device like the kernels, and run here by one thread
//! that is no part of any grid. It has no step limit of a launch, no counters and no races with itself; its
//! memory is the simulator's, each allocation with its owner ([`Owner`](crate::Owner)).
//!
//! What the program calls and does not define, the C library and the CUDA runtime, are [`Natives`].
//!
//! | file | job |
//! | --- | --- |
//! | `thread.rs` | the thread: what it consists of, and what one may ask it |
//! | `code.rs` | a function with its places resolved, one value in each register |
//! | `steps.rs` | the loop that does a function's steps |
//! | `values.rs` | what the seldom steps do to values |
//! | `calls.rs` | calls of functions and of natives |
//! | `natives.rs` | what the program calls and does not define |
//! | `memory.rs` | the memory of a program, as its natives see it |
//! | `undefined.rs` | values that were never written, followed while there are any |
//! | `places.rs` | the lines where the thread is |
//! | `wrong.rs` | what is said of the host's own mistakes |

mod calls;
mod code;
mod memory;
mod natives;
mod places;
mod steps;
mod thread;
mod undefined;
mod values;
mod wrong;

pub use crate::arith::math::{Math, Results};
pub use crate::exec::format;
pub use memory::{Aside, Note};
pub use natives::{Call, Given, Natives, Stop};
pub use thread::Host;
pub use undefined::Lost;
