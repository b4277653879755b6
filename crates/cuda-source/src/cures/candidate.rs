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

    /// Several as one; nothing, where two of them edit the same place otherwise.
    pub fn joined(parts: &[&Candidate]) -> Option<Candidate> {
        let says: Vec<&str> = parts.iter().map(|part| &*part.says).collect();
        let mut edits: Vec<Edit> = parts.iter().flat_map(|part| part.edits.clone()).collect();
        edits.sort_by_key(|edit| edit.range.start);
        edits.dedup();
        let meet = |pair: &[Edit]| {
            let [a, b] = [&pair[0].range, &pair[1].range];
            a.start == b.start || a.end > b.start
        };
        let selects = parts.iter().any(|part| part.selects);
        let joined = Candidate { says: format!("together: {}", says.join("; and ")), selects, edits };
        (!joined.edits.windows(2).any(meet)).then_some(joined)
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
