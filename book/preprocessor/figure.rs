//! Charts as figures, and where a record came from, in words.

use anyhow::{Result, bail};
use workbook::chapters::charts;
use workbook::number::thousands;
use workbook::record::chart::Chart;
use workbook::record::{DeviceKind, Record};

use crate::Workbook;
use crate::records::{list, named};
use crate::version::changed_since;

/// One chart of a committed record, `STEM.KIND`, with where it came from.
pub fn chart(workbook: &Workbook, record: &str, name: &str) -> Result<String> {
    let record = named(workbook, record)?;
    let charts = charts(&record)?;
    let Some(chart) = charts.iter().find(|chart| chart.name == name) else {
        bail!("the record has no chart `{name}`; there are: {}", list(charts.iter().map(|chart| chart.name)));
    };
    let note = changed_since(workbook, &record)?.map(|note| changed(&note)).unwrap_or_default();
    Ok(format!(
        "<figure class=\"cell\">\n{}{note}<figcaption>{}</figcaption>\n</figure>\n",
        frame(chart),
        provenance(&record)
    ))
}

/// The drawing in a frame that scrolls where the page is too narrow for it.
pub fn frame(chart: &Chart) -> String {
    // A blank line would end the HTML block in Markdown; the drawing has none.
    format!("<div class=\"chart-frame\">\n{}</div>\n", chart.svg)
}

/// The note of a record that is older than the code.
pub fn changed(note: &str) -> String {
    format!("<p class=\"changed\" role=\"note\">{note}</p>\n")
}

/// Device, driver, clocks, date and source, as HTML.
pub fn provenance(record: &Record) -> String {
    let mut parts = vec![escape(&record.device.name)];
    if let Some(gpu) = &record.device.gpu {
        if let Some(driver) = &gpu.driver {
            parts.push(format!("driver {}", escape(driver)));
        }
        parts.push(format!("CUDA {}", escape(&gpu.cuda)));
        parts.push(format!(
            "{} multiprocessors at up to {} MHz",
            gpu.multiprocessors,
            thousands(gpu.sm_clock_mhz.into())
        ));
        parts.push(format!("memory at up to {} MHz", thousands(gpu.memory_clock_mhz.into())));
    }
    if let Some(cpu) = &record.device.cpu {
        parts.push(format!("serial recursion on {}", escape(cpu)));
    }
    if let Some(threads) = record.device.threads {
        parts.push(format!("{threads} threads"));
    }
    let day = escape(record.date.get(..10).unwrap_or(&record.date));
    parts.push(format!("<time>{day}</time>"));
    if record.device.kind == DeviceKind::Sim {
        parts.push("exact counts, no times".to_string());
    }
    parts.push(format!("source <code>{}</code>", escape(&record.source_hash)));
    parts.join(" · ")
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
