//! What is shown of a record as it is: one of its charts, a figure drawn from it, or all of it, folded.

use anyhow::{Result, bail, ensure};
use chapters::{charts, tables};
use workbook::figure::Sources;
use workbook::record::Record;
use workbook::record::chart::{Vertical, on_demand};
use workbook::record::table::{columns, headline, notes};
use workbook::text::columns::{Column, escape};

use crate::directive::{Words, pick};
use crate::html::{self, folded, paragraph, scrolling};
use crate::ncu;
use crate::page::{Page, Workbook};
use crate::provenance::{changed_since, figure_of, full_provenance, provenance};
use crate::records::{self, KINDS, committed, missing, named};

/// One chart of a committed record, of at most five of its kernels, with where it came from; or one of what
/// ncu counted.
pub fn chart(page: &mut Page, words: &Words) -> Result<String> {
    let source = words.of[0];
    let name = words.of[1];
    if source == ncu::SOURCE {
        return ncu::chart(page.book, name, &words.list("kernel"));
    }
    let record = records::of_kernels(named(page.book, source)?, &words.list("kernel"))?;
    let linear = if words.get("scale").is_none() { Vertical::Linear } else { words.vertical()? };
    if let Some(chart) = on_demand(&record, name, linear)? {
        return figure_of(page.book, records::few_lines(&chart)?.html(), &[&record]);
    }
    let charts = charts(&record, words.vertical()?)?;
    let chart = records::few_lines(pick(&charts, name, |chart| chart.name, "the record has no chart")?)?;
    figure_of(page.book, chart.html(), &[&record])
}

/// One of the figures of the chapters, from the committed traces, `book/records/traces/`, or from a record.
pub fn figure(page: &mut Page, words: &Words) -> Result<String> {
    let book = page.book;
    let name = words.of[0];
    let figure = pick(chapters::figures(), name, |figure| figure.name, "there is no figure")?;
    let mut film = (figure.draw)(&Sources(&book.root))?;
    ensure!(film.tracks.iter().all(|track| !track.frames.is_empty()), "the trace has no steps to show");
    if let Some(record) = figure.record {
        film.caption += &format!(" {}", provenance(named(book, record)?));
    }
    Ok(film.html())
}

/// All committed records of a chapter.
pub fn record(page: &mut Page, words: &Words) -> Result<String> {
    let book = page.book;
    let stem = words.of[0];
    let mut text = String::new();
    for kind in KINDS {
        if let Some(record) = committed(book, stem, kind)? {
            text += &whole(book, record)?;
        }
    }
    if text.is_empty() {
        bail!(missing(book, stem, None));
    }
    Ok(folded("class=\"record\"", &format!("The whole record: <code>{stem}</code>"), &text))
}

fn whole(book: &Workbook, record: &Record) -> Result<String> {
    let device = record.device.title();
    let [shown, head, command] = [&device, &headline(record), &record.command].map(|text| escape(text));
    let head = format!("<strong>{shown}</strong> · {head} · <code>{command}</code>");
    let mut text = paragraph("cell-head", &head) + &changed_since(book, record)?;
    let mut runs = columns(record);
    runs.retain(Column::has_something_to_say);
    for columns in [vec![runs], tables(record)?].concat() {
        text += &scrolling(&columns, &format!("{} of {}, {device}", columns[0].name(), record.stem));
    }
    text.extend(notes(record).iter().map(|note| paragraph("cell-note", &escape(note))));
    text.extend(charts(record, Vertical::Logarithmic)?.iter().map(|chart| chart.html()));
    Ok(html::figure(&text, &full_provenance(record)))
}
