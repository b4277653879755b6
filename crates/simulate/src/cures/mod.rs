//! Edits of the reader's source that may cure what was found: each is compiled and run as the source was, and
//! only what leaves less wrong than before, and nothing new, is advised.
//!
//! | file | job |
//! | --- | --- |
//! | `subject.rs` | what is edited and run again: a [`Subject`] |
//! | `findings.rs` | what the simulator has found, as an edit may cure it |
//! | `tries.rs` | the edits, one after the other, then together, within a budget |
//! | `slips.rs` | what only a wrong result shows |
//! | `results.rs` | what a run leaves, compared with what it is to leave |
//! | `launches.rs` | the launches of a script |
//! | `ways.rs` | what compiles them |
//! | `programs.rs` | a whole program |

mod findings;
mod launches;
mod programs;
mod results;
mod slips;
mod subject;
mod tries;
mod ways;

pub use launches::of_launches;
pub use programs::of_program;
pub use subject::{How, Outcome, Subject, printed};
pub use tries::cures;

#[cfg(test)]
mod tests;
