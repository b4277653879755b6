//! The figures of the chapters, from the committed traces, `book/records/traces/`, and from records.

use anyhow::{Context, Result, ensure};
use workbook::figure::Sources;

use crate::Workbook;
use crate::figure::provenance;
use crate::records::{list, named};

/// The figures that there are.
pub fn names() -> impl Iterator<Item = &'static str> {
    chapters::figures().map(|figure| figure.name)
}

/// The figure called `name`, as HTML.
pub fn figure(workbook: &Workbook, name: &str) -> Result<String> {
    let unknown = || format!("there is no figure `{name}`; there are: {}", list(names()));
    let figure = chapters::figures().find(|figure| figure.name == name).with_context(unknown)?;
    let mut film = (figure.draw)(&Sources { root: &workbook.root, records: &workbook.records })?;
    ensure!(film.tracks.iter().all(|track| !track.frames.is_empty()), "the trace has no steps to show");
    if let Some(record) = figure.record {
        film.caption += &format!(" {}", provenance(&named(workbook, record)?));
    }
    Ok(film.html())
}
