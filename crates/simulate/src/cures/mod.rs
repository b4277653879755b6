//! Edits of the reader's source that may cure what was found: each is compiled and run as the source was, and
//! only what leaves less wrong than before, and nothing new, is advised.
//!
//! | file | job |
//! | --- | --- |
//! | `mod.rs` | what a cure is, and what can be cured: a [`Subject`] |
//! | `findings.rs` | what the simulator has found, as an edit may cure it |
//! | `tries.rs` | the edits, one after the other, within a budget |
//! | `results.rs` | what a run leaves, compared with what it is to leave |
//! | `launches.rs` | the launches of a script |
//! | `programs.rs` | a whole program |

mod findings;
mod launches;
mod programs;
mod results;
mod tries;

use std::path::Path;
use std::time::Duration;

use ::launch::{Held, Type};
use anyhow::Result;
use kernel_compiler::cures::Change;
use kernel_compiler::in_page::Compiled;
use ptx_simulator::{Budget, Diagnostic};
use serde::Serialize;

pub use launches::of_launches;
pub use programs::of_program;
pub use tries::{Patience, cures};

/// What cures a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Cure {
    /// Which finding, from 0.
    #[serde(skip)]
    pub finding: usize,
    /// What to do, in a sentence.
    pub says: String,
    /// Whether nothing at all is wrong after it.
    pub cures_all: bool,
    /// The lines of the reader's file that change, from the top.
    pub edits: Vec<Change>,
}

/// What a reader's source does, as often as it is asked to.
pub trait Subject {
    /// The reader's file, as findings name it.
    fn file(&self) -> &Path;

    /// Compiles `text` in place of what the file holds.
    ///
    /// # Errors
    /// It does not compile, or not within `limit`.
    fn compiled(&self, text: &str, limit: Duration) -> Result<Compiled>;

    /// Runs what was made of `text`.
    ///
    /// # Errors
    /// It does not fit what it is to run with.
    fn run(&self, built: &Compiled, text: &str, how: &How) -> Result<Outcome>;
}

/// How a source is run.
#[derive(Clone, Debug)]
pub struct How {
    /// The order of turns; none: the reader's own.
    pub schedule: Option<u64>,
    /// Which orders of strong operations are tried, where the order of turns is the reader's own.
    pub orders: Budget,
    /// Instructions that its warps may execute.
    pub steps: u64,
}

/// What a run shows.
pub struct Outcome {
    /// What is wrong.
    pub found: Vec<Diagnostic>,
    /// Whether it came to its end.
    pub completed: bool,
    /// Whether the result is what is expected; none where nothing says what that is.
    pub is_right: Option<bool>,
    /// What it leaves.
    pub left: Vec<Held>,
    /// Instructions that its warps have executed.
    pub instructions: u64,
}

/// A text that a run has printed, as something that it leaves.
pub fn printed(text: &str) -> Held {
    Held { name: String::new(), kind: Type::Unsigned(8), bytes: text.as_bytes().to_vec(), written: None }
}
