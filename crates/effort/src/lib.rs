//! Who does the work of a run on the simulator. Its counters say how much is done, not by whom.
//!
//! | file | job |
//! | --- | --- |
//! | `watcher.rs` | listens to a run, and follows words from warp to warp |
//! | `words.rs` | what is known of each word |
//! | `fences.rs` | reads of what another block has left, without the fences that order them |
//! | `sums.rs` | floats that are added in no order |
//! | `heard.rs` | what the tests let them hear |
//! | `place.rs` | which warp, and which word of memory |

mod fences;
#[cfg(test)]
mod heard;
mod place;
mod sums;
mod watcher;
mod words;

pub use fences::Unfenced;
pub use sums::Unordered;
pub use watcher::{Busiest, Effort, Wait, Watcher};
