//! The figures of the chapters, from the committed traces, `book/records/traces/`, and from records.

use anyhow::{Result, ensure};
use workbook::figure::Sources;

use crate::page::Page;
use crate::provenance::provenance;
use crate::records::named;
use crate::words::{Words, pick};

/// One of the figures, as HTML.
pub fn figure(page: &mut Page, words: &Words) -> Result<String> {
    let (book, name) = (page.book, words.of[0]);
    let figure = pick(chapters::figures(), name, |figure| figure.name, "there is no figure")?;
    let mut film = (figure.draw)(&Sources { root: &book.root, records: &book.records })?;
    ensure!(film.tracks.iter().all(|track| !track.frames.is_empty()), "the trace has no steps to show");
    if let Some(record) = figure.record {
        film.caption += &format!(" {}", provenance(named(book, record)?.as_ref()));
    }
    Ok(film.html())
}
