//! A whole record, folded: every table and chart of every device that a chapter was recorded on.

use anyhow::{Result, bail};
use chapters::{charts, tables};
use workbook::record::Record;
use workbook::record::chart::Vertical;
use workbook::record::columns::{Column, escape};
use workbook::record::table::{columns, headline, notes};

use crate::html::{figure, folded, paragraph, scrolling};
use crate::page::{Page, Workbook};
use crate::provenance::{changed_since, full_provenance};
use crate::records::{KINDS, committed, missing};
use crate::words::Words;

/// All committed records of a chapter.
pub fn record(page: &mut Page, words: &Words) -> Result<String> {
    let (book, stem) = (page.book, words.of[0]);
    let mut text = String::new();
    for kind in KINDS {
        if let Some(record) = committed(book, stem, kind)? {
            text += &whole(book, &record)?;
        }
    }
    if text.is_empty() {
        bail!(missing(book, &format!("record of `{stem}`"), stem, None));
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
    Ok(figure(&text, &full_provenance(record)))
}
