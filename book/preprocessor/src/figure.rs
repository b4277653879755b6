//! The figures of the chapters, from the committed traces, `book/records/traces/`, and from records.

use anyhow::{Context, Result, ensure};
use workbook::figure::Sources;

use crate::page::Page;
use crate::provenance::provenance;
use crate::records::named;
use crate::words::{Words, list};

/// One of the figures, as HTML.
pub fn figure(page: &mut Page, words: &Words) -> Result<String> {
    let (book, name) = (page.book, words.of[0]);
    let there_are = || list(chapters::figures().map(|figure| figure.name));
    let figure = chapters::figures().find(|figure| figure.name == name);
    let figure =
        figure.with_context(|| format!("there is no figure `{name}`; there are: {}", there_are()))?;
    let mut film = (figure.draw)(&Sources { root: &book.root, records: &book.records })?;
    ensure!(film.tracks.iter().all(|track| !track.frames.is_empty()), "the trace has no steps to show");
    if let Some(record) = figure.record {
        film.caption += &format!(" {}", provenance(&named(book, record)?));
    }
    Ok(film.html())
}
