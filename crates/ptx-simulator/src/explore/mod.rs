//! Every order that matters: which operations of a launch could change places, and a run for each order of
//! them.
//!
//! | file | job |
//! | --- | --- |
//! | `operation.rs` | operations, and which of them depend on their order |
//! | `past.rs`, `set.rs` | what must come before what |
//! | `tree.rs` | the orders that have been tried, and the next one |
//! | `turns.rs` | one run, operation by operation |
//! | `effects.rs` | what its operations have done |

mod effects;
mod operation;
mod past;
mod set;
#[cfg(test)]
mod tests;
mod tree;
mod turns;

pub use effects::Hears;
pub use operation::{Does, Operation, Process, Uneven, WORD, Word};
pub use tree::Reversal;
pub use turns::{GivenUp, Interleaving, Pick, Turns};
