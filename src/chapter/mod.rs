//! What a chapter does with its kernels: runs them on a device, checks every result against the serial
//! recursion, prints a table, leaves a record, and ends with an exit status.
//!
//! A chapter is a list of [`Variant`]s; the crate `chapters` declares them, and an example calls [`run`].
//!
//! | file | job |
//! | --- | --- |
//! | `variant.rs` | [`Chapter`], [`Variant`]: a kernel with its host side, shape and expected failures |
//! | `shape.rs` | [`Shape`], [`Place`]: threads per block and blocks, and the sizes that suit a chapter |
//! | `options.rs` | the command line |
//! | `plan.rs` | which runs are made: the requested size, then a sweep |
//! | `needs.rs` | where it can run, and whether there is memory for it |
//! | `run.rs` | makes them, checks them, collects the record |
//! | `lines.rs` | what it prints beside its tables |
//! | `output.rs` | where output goes, and what else a run needs of its surroundings |
//! | `terminal.rs` | those of a terminal: the command line, the record's file, a bar |

mod lines;
mod needs;
mod options;
mod output;
mod plan;
mod run;
mod shape;
mod terminal;
mod variant;

pub use options::Options;
pub use output::Output;
pub use run::{Printed, Ran, Report, run_with};
pub use shape::{Place, Shape};
pub use terminal::{Progress, run};
pub use variant::{Case, Chapter, Extras, Launches, Outcome, Sweep, Variant};
