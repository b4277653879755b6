//! Where the output of a chapter goes: [`Output`]. `terminal.rs` is that of a terminal; a page has its own.

use std::time::SystemTime;

use anyhow::Result;
use text::say;

use super::options::Options;
use super::variant::Chapter;
use crate::record::Record;

/// Takes what a chapter says, and knows what only its surroundings know. A chapter needs nothing else of
/// them, so it says the same wherever it runs.
pub trait Output {
    /// A line on stdout.
    fn print(&mut self, line: &str) {
        say::out(&format!("{line}\n"));
    }

    /// A line on stderr.
    fn complain(&mut self, line: &str) {
        say::err(&format!("{line}\n"));
    }

    /// A record as JSON on stdout.
    fn print_json(&mut self, json: &str) {
        say::json(&format!("{json}\n"));
    }

    /// What the checks have found, on stderr; in colour where [`Output::has_colour`].
    fn complain_in_colour(&mut self, text: &str) {
        say::err_in_colour(&format!("{text}\n"));
    }

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
    fn date(&self) -> String {
        humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
    }

    /// The command that gives the same record in `book/records/local/`.
    fn command(&self, chapter: &Chapter) -> String {
        let every = if chapter.variants.iter().all(|variant| variant.story) { "" } else { "--kernel all" };
        let options = std::env::args().skip(1).filter(|option| option != "--json");
        let options = options.map(|option| if option == "--record" { every.to_string() } else { option });
        let options: Vec<_> = options.filter(|option| !option.is_empty()).collect();
        let dashes = if options.is_empty() { "" } else { " -- " };
        format!("cargo run --example {}{dashes}{}", chapter.stem, options.join(" "))
    }

    /// Keeps a record. Returns a line that says where, if there is one.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn keep(&mut self, chapter: &Chapter, options: &Options, record: &Record) -> Result<Option<String>>;
}
