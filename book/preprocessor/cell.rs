//! A cell: the command to run, and for each record of the chapter its output, its charts and where they came
//! from.

use anyhow::{Result, bail};
use workbook::chapters::{charts, table};
use workbook::record::{DeviceKind, Record};

use crate::Workbook;
use crate::figure::{changed, escape, frame, provenance};
use crate::records::{KINDS, committed, local, missing};
use crate::version::changed_since;

/// The cell of chapter `stem`: every committed record, each followed by the reader's own run if there is one.
pub fn cell(workbook: &Workbook, stem: &str) -> Result<String> {
    let mut blocks = String::new();
    let mut any_committed = false;
    for kind in KINDS {
        if let Some(record) = committed(workbook, stem, kind)? {
            any_committed = true;
            blocks.push_str(&block(workbook, &record, "Recorded", "recorded")?);
        }
        if let Some(record) = local(workbook, stem, kind)? {
            blocks.push_str(&block(workbook, &record, "Your own run", "local")?);
        }
    }
    if !any_committed {
        bail!(missing(workbook, &format!("record of `{stem}`"), stem, None));
    }
    Ok(format!("```sh\ncargo run --example {stem}\n```\n\n{blocks}"))
}

/// One record. The blank lines let Markdown into the HTML, for the code block that holds the output.
fn block(workbook: &Workbook, record: &Record, whose: &str, class: &str) -> Result<String> {
    let on = match record.device.kind {
        DeviceKind::Gpu | DeviceKind::Cpu => format!("on {}", escape(&record.device.name)),
        DeviceKind::Sim => "on the simulator".to_string(),
    };
    let note = changed_since(workbook, record)?.map(|note| changed(&note)).unwrap_or_default();
    let drawings: String = charts(record)?.iter().map(|chart| frame(chart) + "\n").collect();
    Ok(format!(
        "<figure class=\"cell {class}\">\n<p class=\"cell-head\"><strong>{whose} {on}</strong> \
         <code>{}</code></p>\n{note}\n```text\n{}\n```\n\n{drawings}\
         <figcaption>{}</figcaption>\n</figure>\n\n",
        escape(&record.command),
        table(record).trim_end(),
        provenance(record),
    ))
}
