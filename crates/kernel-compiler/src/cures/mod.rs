//! Edits that may cure what a run has found, at the places that the finding names. Somebody else compiles and
//! runs each: what is here only proposes, and touches no file.
//!
//! | file | job |
//! | --- | --- |
//! | `statements.rs` | a source as functions and statements: where an edit may stand |
//! | `places.rs` | between which statements a barrier or a fence may come |
//! | `barriers.rs` | barriers that are missing, or in a branch |
//! | `values.rs` | updates, writes of many threads, bounds, initial values |
//! | `launches.rs` | children, their streams, and what a parent hands them |
//! | `change.rs` | an edit as lines that change |

mod barriers;
mod change;
mod launches;
mod places;
mod statements;
mod values;

pub use change::Change;

use crate::lex::Lines;
use change::Edit;
use statements::{Function, functions};

/// Who the two sides of a race are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Lanes of one warp.
    Lanes,
    /// Threads of one block.
    Block,
    /// Threads of one cluster.
    Cluster,
    /// Threads that write the same element, wherever they are.
    Writers,
    /// Threads of two blocks.
    Blocks,
    /// Threads of two grids.
    Grids,
    /// A parent and its child.
    Family,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Nothing orders two accesses.
    Race(Sides),
    /// A barrier that some threads do not reach.
    Divergence,
    /// An access outside of its array.
    OutOfBounds,
    /// A value that nobody has written.
    Uninitialized,
}

/// What a run has found in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub mistake: Mistake,
    /// Its lines in the source, from 1: its own, then those that belong to it.
    pub lines: Vec<u32>,
}

/// An edit that may be the cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What to do, in a sentence without its full stop.
    pub says: String,
    /// It takes one of several outcomes that the program had: after it, what is left has to be one of them.
    pub selects: bool,
    edits: Vec<Edit>,
}

impl Candidate {
    fn new(says: impl Into<String>, edits: Vec<Edit>) -> Candidate {
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

/// A source, taken apart once.
struct Source<'a> {
    text: &'a str,
    lines: Lines,
    functions: Vec<Function<'a>>,
}

/// The edits of `source` that may cure `finding`, the one with the fewest words and the least cost first.
pub fn candidates(source: &str, finding: &Finding) -> Vec<Candidate> {
    let source = &Source { text: source, lines: Lines::new(source), functions: functions(source) };
    let mut all = match finding.mistake {
        Mistake::Race(Sides::Lanes | Sides::Block | Sides::Cluster) => {
            let mut all = values::updates(source, finding);
            all.extend(barriers::missing(source, finding));
            all
        }
        Mistake::Race(Sides::Writers) => {
            let mut all = values::updates(source, finding);
            all.extend(values::one_writer(source, finding));
            all.extend(launches::one_stream(source, finding));
            all.extend(barriers::missing(source, finding));
            all
        }
        Mistake::Race(Sides::Blocks) => {
            let mut all = values::wider(source);
            all.extend(values::updates(source, finding));
            all.extend(barriers::fences(source, finding));
            all
        }
        Mistake::Race(Sides::Grids) => launches::one_stream(source, finding),
        Mistake::Race(Sides::Family) => launches::before_the_launch(source, finding),
        Mistake::Divergence => barriers::out_of_a_branch(source, finding),
        Mistake::OutOfBounds => values::bounds(source, finding),
        Mistake::Uninitialized => values::initial(source, finding),
    };
    let mut known: Vec<Vec<Edit>> = Vec::new();
    all.retain(|candidate| {
        let is_new = !candidate.edits.is_empty() && !known.contains(&candidate.edits);
        known.push(candidate.edits.clone());
        is_new
    });
    all
}

#[cfg(test)]
mod tests;
