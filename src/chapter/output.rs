//! Where the output of a chapter goes: [`Output`]. `terminal.rs` is that of a process; a page has its own.

use anyhow::Result;

use super::options::Options;
use super::variant::Chapter;
use crate::record::Record;

/// Takes what a chapter says, and knows what only its surroundings know. A chapter needs nothing else of
/// them, so it says the same wherever it runs.
pub trait Output {
    /// A line on stdout.
    fn print(&mut self, line: &str);

    /// A line on stderr.
    fn complain(&mut self, line: &str);

    /// Whether stderr shows colours.
    fn has_colour(&self) -> bool {
        false
    }

    /// A run begins, described by `name`; the runs before it had `done` of `all` elements.
    fn begin(&mut self, name: &str, done: u64, all: u64);

    /// What to call with the progress of the current run of `n` elements, a share from 0 to 1.
    fn within(&self, _n: u64) -> Option<Box<dyn Fn(f64)>> {
        None
    }

    /// The runs that were begun have ended, and lines may follow.
    fn end(&mut self) {}

    /// UTC, RFC 3339, to the second.
    fn date(&self) -> String;

    /// The command that gives the same record.
    fn command(&self, chapter: &Chapter) -> String;

    /// Keeps a record. Returns a line that says where, if there is one.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn keep(&mut self, chapter: &Chapter, options: &Options, record: &Record) -> Result<Option<String>>;
}
