//! Charts as figures, and where a record came from, in words.

use anyhow::{Result, bail};
use chapters::charts;
use workbook::number::thousands;
use workbook::record::chart::Chart;
use workbook::record::columns::escape;
use workbook::record::{DeviceKind, Record};

use crate::options::Options;
use crate::records::{list, named};
use crate::version::{changed_since, compiler};
use crate::{Workbook, selection};

/// How a page writes [`chart`].
pub const CHART: &str = "{{#chart STEM.KIND NAME [kernel=A,B] [scale=linear]}}";

/// One chart of a committed record, `STEM.KIND`, of at most five of its kernels, with where it came from.
pub fn chart(workbook: &Workbook, record: &str, name: &str, words: &[&str]) -> Result<String> {
    let options = Options::parse(words, &["kernel", "scale"])?;
    let record = selection::of_kernels(&named(workbook, record)?, &options.list("kernel"))?;
    let charts = charts(&record, options.vertical()?)?;
    let Some(chart) = selection::chart(&charts, name)? else {
        bail!("the record has no chart `{name}`; there are: {}", list(charts.iter().map(|chart| chart.name)));
    };
    let note = changed_since(workbook, &record)?.map(|note| changed(&note)).unwrap_or_default();
    Ok(figure(&(frame(chart) + &note), &provenance(&record)))
}

/// A figure of the book's own: `content` without blank lines, and where it came from.
pub fn figure(content: &str, source: &str) -> String {
    format!("<figure class=\"measured\">\n{content}<figcaption>{source}</figcaption>\n</figure>\n")
}

/// A chart as HTML.
pub fn frame(chart: &Chart) -> String {
    chart.html()
}

/// The note of a record that is older than the code.
pub fn changed(note: &str) -> String {
    format!("<p class=\"changed\" role=\"note\">{note}</p>\n")
}

/// Device, date and source, as HTML.
pub fn provenance(record: &Record) -> String {
    parts(record, Vec::new())
}

/// The same with driver and clocks.
pub fn full_provenance(record: &Record) -> String {
    let mut machine = Vec::new();
    if let Some(gpu) = &record.device.gpu {
        machine.extend(gpu.driver.as_ref().map(|driver| format!("driver {}", escape(driver))));
        machine.push(format!("CUDA {}", escape(&gpu.cuda)));
        machine.push(format!(
            "{} multiprocessors at up to {} MHz",
            gpu.multiprocessors,
            thousands(gpu.sm_clock_mhz.into())
        ));
        machine.push(format!("memory at up to {} MHz", thousands(gpu.memory_clock_mhz.into())));
    }
    machine.extend(record.device.cpu.as_ref().map(|cpu| format!("serial recursion on {}", escape(cpu))));
    machine.extend(record.device.threads.map(|threads| format!("{threads} threads")));
    parts(record, machine)
}

fn parts(record: &Record, machine: Vec<String>) -> String {
    let mut parts = vec![escape(&record.device.title())];
    parts.extend(machine);
    parts.push(format!("<time>{}</time>", escape(record.date.get(..10).unwrap_or(&record.date))));
    if record.device.kind == DeviceKind::Sim {
        parts.push("exact counts, no times".to_string());
    }
    parts.push(format!("source <code>{}</code>", escape(&record.source_hash)));
    parts.extend(compiler(record).map(|name| escape(&name)));
    parts.join(" · ")
}
