//! An edit that is proposed.

use super::change::{self, Change, Edit};

/// An edit that may be the cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What to do, in a sentence without its full stop.
    pub says: String,
    /// It takes one of several outcomes that the program had: after it, what is left has to be one of them.
    pub selects: bool,
    pub(super) edits: Vec<Edit>,
}

impl Candidate {
    pub(super) fn new(says: impl Into<String>, edits: Vec<Edit>) -> Candidate {
        Candidate { says: says.into(), selects: false, edits }
    }

    /// `source` with the edit, in which every line keeps its number.
    pub fn tried(&self, source: &str) -> String {
        change::in_place(source, &self.edits)
    }

    /// The edit as somebody would write it, line by line, from the top.
    pub fn changes(&self, source: &str) -> Vec<Change> {
        change::changes(source, &self.edits)
    }
}
