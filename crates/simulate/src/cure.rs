//! What cures a finding, and how much is tried to find that.

use std::time::Duration;

use cuda_source::cures::Change;
use serde::Serialize;

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

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Edits, at most.
    pub edits: usize,
    /// How long tries may begin.
    pub time: Duration,
}

impl Default for Limits {
    /// That of a reader.
    fn default() -> Limits {
        Limits { edits: 8, time: Duration::from_secs(2) }
    }
}
