//! What cures a finding.

use kernel_compiler::cures::Change;
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
