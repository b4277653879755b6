//! A whole record, folded: every table and chart of every device that a chapter was recorded on.

use anyhow::{Result, bail};
use chapters::{charts, tables};
use workbook::record::Record;
use workbook::record::chart::Vertical;
use workbook::record::columns::{Column, escape, html_table};
use workbook::record::table::{columns, headline, notes};

use crate::Workbook;
use crate::cell::scrolling;
use crate::exercise::folded;
use crate::figure::{changed, figure, frame, full_provenance};
use crate::records::{KINDS, committed, missing};
use crate::version::changed_since;

/// All committed records of `stem`.
pub fn record(workbook: &Workbook, stem: &str) -> Result<String> {
    let mut text = String::new();
    for kind in KINDS {
        if let Some(record) = committed(workbook, stem, kind)? {
            text += &whole(workbook, &record)?;
        }
    }
    if text.is_empty() {
        bail!(missing(workbook, &format!("record of `{stem}`"), stem, None));
    }
    Ok(folded("class=\"record\"", &format!("The whole record: <code>{stem}</code>"), text.trim_end()))
}

fn whole(workbook: &Workbook, record: &Record) -> Result<String> {
    let device = record.device.title();
    let mut text = format!(
        "<p class=\"cell-head\"><strong>{}</strong> · {} · <code>{}</code></p>\n",
        escape(&device),
        escape(&headline(record)),
        escape(&record.command)
    );
    text.extend(changed_since(workbook, record)?.map(|note| changed(&note)));
    let mut runs = columns(record);
    runs.retain(Column::has_something_to_say);
    for columns in [vec![runs], tables(record)?].concat() {
        text +=
            &scrolling(&html_table(&columns), &format!("{} of {}, {device}", columns[0].name(), record.stem));
    }
    for note in notes(record) {
        text += &format!("<p class=\"cell-note\">{}</p>\n", escape(&note));
    }
    text.extend(charts(record, Vertical::Logarithmic)?.iter().map(frame));
    Ok(figure(&text, &full_provenance(record)))
}
