//! Edits that may cure what a run has found, at the places that the finding names. Somebody else compiles and
//! runs each: what is here only proposes, and touches no file.
//!
//! | file | job |
//! | --- | --- |
//! | `statements.rs` | a source as functions and statements: where an edit may stand |
//! | `assignment.rs` | a statement that writes a value, the elements that a text names |
//! | `places.rs` | between which statements a barrier or a fence may come |
//! | `barriers.rs` | barriers that are missing, or in a branch |
//! | `volatiles.rs` | which variables are volatile |
//! | `flags.rs` | flags that a loop waits for |
//! | `copies.rs` | asynchronous copies: their commit, and the wait |
//! | `indices.rs` | indices that mean other elements than they seem to |
//! | `values.rs` | updates, writes of many threads, bounds, initial values |
//! | `ends.rs` | elements beyond the ends of an array, and of its rows |
//! | `launches.rs` | children, their streams, and what a parent hands them |
//! | `results.rs` | slips that only a wrong result shows |
//! | `host.rs` | those of the host |
//! | `amounts.rs` | those by which it has the wrong amount |
//! | `names.rs` | those by which another variable is named |
//! | `claims.rs` | an element that a thread looks at and then takes |
//! | `locks.rs` | the number by which a thread takes a lock |
//! | `loops.rs` | the condition of a loop, and whether the loop changes it |
//! | `finding.rs` | what a run has found |
//! | `candidate.rs` | an edit that is proposed |
//! | `change.rs` | an edit as lines that change |

mod amounts;
mod assignment;
mod barriers;
mod candidate;
mod change;
mod claims;
mod copies;
mod ends;
mod finding;
mod flags;
mod host;
mod indices;
mod launches;
mod locks;
mod loops;
mod names;
mod places;
mod results;
mod statements;
mod values;
mod volatiles;

pub use candidate::Candidate;
pub use change::Change;
pub use finding::{Finding, Mistake, Sides};
pub use loops::{Condition, condition};

use change::Edit;
use statements::Source;

/// The edits of `source` that may cure `finding`, the one with the fewest words and the least cost first.
pub fn candidates(source: &str, finding: &Finding) -> Vec<Candidate> {
    let source = &Source::new(source);
    let mut all = match finding.mistake {
        Mistake::Race(Sides::Lanes | Sides::Block | Sides::Cluster) => {
            let mut all = claims::in_one_step(source, finding);
            all.extend(values::updates(source, finding));
            all.extend(indices::doubled_strides(source, finding));
            all.extend(barriers::missing(source, finding));
            all
        }
        Mistake::Race(Sides::Writers) => {
            let mut all = claims::in_one_step(source, finding);
            all.extend(values::first_values(source, finding));
            all.extend(indices::indices(source, finding));
            all.extend(values::updates(source, finding));
            all.extend(values::one_writer(source, finding));
            all.extend(launches::one_stream(source, finding));
            all.extend(barriers::missing(source, finding));
            all
        }
        Mistake::Race(Sides::Blocks) => {
            let mut all = claims::in_one_step(source, finding);
            all.extend(barriers::of_the_grid(source, finding));
            all.extend(values::set_flag(source, finding));
            all.extend(flags::made_volatile(source, finding));
            all.extend(flags::made_atomic(source, finding));
            all.extend(values::wider(source));
            all.extend(indices::indices(source, finding));
            all.extend(values::updates(source, finding));
            all.extend(barriers::fences(source, finding));
            all
        }
        Mistake::Race(Sides::Lock) => {
            let fences = barriers::fences(source, finding);
            let mut all = values::releases(source, finding);
            let own_number = locks::own_number(source, finding);
            for release in all.clone() {
                all.extend(fences.iter().filter_map(|fence| Candidate::joined(&[&release, fence])));
            }
            all.extend(fences);
            own_number.into_iter().chain(all).collect()
        }
        Mistake::Race(Sides::Grids) => launches::one_stream(source, finding),
        Mistake::Race(Sides::Family) => {
            let mut all = launches::before_the_launch(source, finding);
            all.extend(launches::as_tail(source, finding));
            all
        }
        Mistake::Copy => {
            let mut all = copies::waits(source, finding);
            all.extend(barriers::missing(source, finding));
            all
        }
        Mistake::Divergence => barriers::out_of_a_branch(source, finding),
        Mistake::OutOfBounds => {
            let mut all = indices::indices(source, finding);
            all.extend(values::bounds(source, finding));
            all
        }
        Mistake::Uninitialized => values::initial(source, finding),
    };
    retain_new(&mut all);
    all
}

/// Slips that are proposed, at most: more than anybody tries.
const MOST_SLIPS: usize = 256;

/// The edits of `source` that may give the expected result, where nothing else is wrong.
pub fn candidates_for_the_result(source: &str) -> Vec<Candidate> {
    let mut all = results::results(&Source::new(source));
    all.truncate(MOST_SLIPS);
    retain_new(&mut all);
    all
}

/// Each edit once.
fn retain_new(all: &mut Vec<Candidate>) {
    let mut known: Vec<Vec<Edit>> = Vec::new();
    all.retain(|candidate| {
        let is_new = !candidate.edits.is_empty() && !known.contains(&candidate.edits);
        known.push(candidate.edits.clone());
        is_new
    });
}

#[cfg(test)]
mod tests;
