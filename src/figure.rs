//! What a chapter draws: films from traces and from records. The drawings themselves lie in `chapters/`,
//! beside the chapter's host code.

use std::path::Path;

use anyhow::{Context, Result};
use ptx_simulator::trace::Trace;
use view::Film;

use crate::record::Record;

/// A figure that a chapter's pages show.
pub struct Figure {
    /// What a page calls it.
    pub name: &'static str,
    /// The record that it is drawn from, if it is: `ch7_limit.gpu`. The caption says where that was made.
    pub record: Option<&'static str>,
    /// Draws it.
    pub draw: fn(&Sources) -> Result<Film>,
}

impl Figure {
    /// A figure drawn from traces.
    pub const fn of_traces(name: &'static str, draw: fn(&Sources) -> Result<Film>) -> Figure {
        Figure { name, record: None, draw }
    }
}

/// Where figures find what they show: the repository.
pub struct Sources<'a>(pub &'a Path);

impl Sources<'_> {
    /// The text of a file of the repository.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn text(&self, path: &str) -> Result<String> {
        std::fs::read_to_string(self.0.join(path)).with_context(|| format!("cannot read {path}"))
    }

    /// The committed trace of that name.
    ///
    /// # Errors
    /// If there is none, or the file is no trace.
    pub fn trace(&self, name: &str) -> Result<Trace> {
        let path = format!("book/records/traces/{name}.json");
        serde_json::from_str(&self.text(&path)?).with_context(|| format!("{path} is not a trace"))
    }

    /// A committed record: `ch7_limit.gpu`.
    ///
    /// # Errors
    /// If there is none, or the file is no record.
    pub fn record(&self, name: &str) -> Result<Record> {
        Record::read(&self.0.join(format!("book/records/{name}.json")))
    }
}
