//! A cell: the command to run, and for each record of the chapter what came out: a table, what the simulator
//! says, a chart.

use anyhow::{Context, Result, bail, ensure};
use chapters::charts;
use workbook::number::size;
use workbook::record::chart::{Chart, Vertical};
use workbook::record::columns::{Column, escape, html_table};
use workbook::record::table::{columns, headline, notes, shown_columns};
use workbook::record::{DeviceKind, Record};

use crate::code::verbatim;
use crate::expand::Page;
use crate::figure::{changed, frame, provenance};
use crate::live::{self, Asked};
use crate::options::{Options, threads};
use crate::records::{KINDS, committed, list, local, missing};
use crate::version::changed_since;
use crate::{Workbook, selection};

/// How a page writes [`cell`].
pub const CELL: &str = "{{#cell STEM [kernel=A,B] [n=N] [block=B] [on=gpu,sim] [chart=NAME] [scale=linear] \
                        [columns=sum,check,time] [message=no]}}";
const OPTIONS: [&str; 8] = ["kernel", "n", "block", "on", "chart", "scale", "columns", "message"];

/// The most rows that a reader compares.
const ROWS: usize = 12;

/// What a cell shows of each record.
struct Wanted<'a> {
    kernels: Vec<&'a str>,
    n: Option<u64>,
    block: Option<u32>,
    columns: Vec<&'a str>,
    chart: Option<&'a str>,
    vertical: Vertical,
    message: bool,
}

/// The cell of chapter `stem`: every committed record, or those `on=` names, each followed by the reader's
/// own run if there is one. Without options the whole record.
pub fn cell(workbook: &Workbook, page: &mut Page, stem: &str, words: &[&str]) -> Result<String> {
    let options = Options::parse(words, &OPTIONS)?;
    let wanted = Wanted {
        kernels: options.list("kernel"),
        n: options.number("n")?,
        block: options.number("block")?.map(threads),
        columns: options.list("columns"),
        chart: options.get("chart"),
        vertical: options.vertical()?,
        message: options.get("message") != Some("no"),
    };
    let whole = options.is_empty();
    let records = records(workbook, stem, &options)?;
    wanted.check(stem, &records)?;
    page.cells += 1;
    let number = page.cells;
    let mut outputs = String::new();
    let mut known_charts = Vec::new();
    let mut shown_charts = 0;
    for (kind, record) in &records {
        let place = || in_record(record, &wanted);
        let Some(part) = part(record, &wanted, whole).with_context(place)? else { continue };
        let all = charts(&part, wanted.vertical)?;
        known_charts.extend(all.iter().map(|chart| chart.name));
        let shown: Vec<&Chart> = match wanted.chart {
            Some(name) => selection::chart(&all, name).with_context(place)?.into_iter().collect(),
            None if whole => all.iter().collect(),
            None => Vec::new(),
        };
        shown_charts += shown.len();
        outputs += &output(workbook, &part, number, "Recorded", &wanted, &shown)?;
        if let Some(own) = local(workbook, stem, *kind)? {
            outputs += &readers_own(workbook, &own, number, &wanted, whole)?;
        }
    }
    if let Some(name) = wanted.chart.filter(|_| shown_charts == 0) {
        bail!("no record of `{stem}` has a chart `{name}`; there are: {}", list(known_charts));
    }
    let asked = Asked {
        kernels: &wanted.kernels,
        n: wanted.n,
        block: wanted.block,
        columns: &wanted.columns,
        chart: wanted.chart,
        scale: options.get("scale"),
        message: wanted.message,
        shows_simulator: records.iter().any(|(kind, _)| *kind == DeviceKind::Sim),
    };
    let live = live::attribute(workbook, stem, &asked)?;
    Ok(format!(
        "<div class=\"cell\" id=\"cell-{number}\"{live}>\n<p class=\"cell-label\">In [{number}]</p>\n\n\
         ```sh\n{}\n```\n\n{outputs}</div>\n\n",
        command(stem, &wanted, &options)
    ))
}

impl Wanted<'_> {
    /// Refuses kernels and columns that none of `records` has.
    fn check(&self, stem: &str, records: &[(DeviceKind, Record)]) -> Result<()> {
        let runs = || records.iter().flat_map(|(_, record)| record.runs.iter().chain(&record.sweep));
        for kernel in &self.kernels {
            if !runs().any(|run| run.kernel == *kernel) {
                bail!(
                    "`{stem}` has no kernel `{kernel}`; there are: {}",
                    list(runs().map(|run| &run.kernel))
                );
            }
        }
        let known: Vec<Column> =
            records.iter().flat_map(|(_, record)| columns(record).split_off(1)).collect();
        let known = || known.iter().filter(|column| column.has_values()).map(Column::name);
        for column in &self.columns {
            if !known().any(|name| name == *column) {
                bail!("`{stem}` has no column `{column}`; there are: {}", list(known()));
            }
        }
        Ok(())
    }
}

/// The committed records that the cell shows.
fn records(workbook: &Workbook, stem: &str, options: &Options) -> Result<Vec<(DeviceKind, Record)>> {
    let asked = options.list("on");
    if let Some(wrong) = asked.iter().find(|word| !KINDS.iter().any(|kind| kind.as_str() == **word)) {
        bail!("there is no kind of device `{wrong}`; there are: gpu, sim, cpu");
    }
    let mut records = Vec::new();
    for kind in KINDS {
        if !asked.is_empty() && !asked.contains(&kind.as_str()) {
            continue;
        }
        match committed(workbook, stem, kind)? {
            Some(record) => records.push((kind, record)),
            None if asked.is_empty() => {}
            None => bail!(missing(workbook, &Record::file_name(stem, kind), stem, Some(kind))),
        }
    }
    if records.is_empty() {
        bail!(missing(workbook, &format!("record of `{stem}`"), stem, None));
    }
    Ok(records)
}

/// What the cell shows of `record`; `None` if that has none of the kernels or none of the columns.
fn part(record: &Record, wanted: &Wanted, whole: bool) -> Result<Option<Record>> {
    let has = |kernel: &&str| record.runs.iter().chain(&record.sweep).any(|run| run.kernel == **kernel);
    let kernels: Vec<&str> = wanted.kernels.iter().copied().filter(|kernel| has(kernel)).collect();
    if kernels.is_empty() && !wanted.kernels.is_empty() {
        return Ok(None);
    }
    let part = selection::at(record, &kernels, wanted.n, wanted.block)?;
    ensure!(
        whole || part.runs.len() <= ROWS,
        "the cell has {} rows, and a reader compares {ROWS} at most; say which: kernel=A,B",
        part.runs.len()
    );
    Ok(Some(part).filter(|part| shown_columns(part, &wanted.columns).len() > 1))
}

fn in_record(record: &Record, wanted: &Wanted) -> String {
    let name = format!("{}.{}", record.stem, record.device.kind.as_str());
    match wanted.n.is_some() || wanted.block.is_some() {
        true => format!("in {name} (another kind of record may have it: on=gpu, on=sim)"),
        false => format!("in {name}"),
    }
}

/// The command that runs what the cell shows.
fn command(stem: &str, wanted: &Wanted, options: &Options) -> String {
    let mut words: Vec<String> = wanted.kernels.iter().map(|kernel| format!("--kernel {kernel}")).collect();
    words.extend(wanted.n.map(|n| format!("--n {}", size(n).replace(',', "_"))));
    words.extend(wanted.block.map(|block| format!("--block {block}")));
    if options.list("on") == ["sim"] {
        words.push("--device sim".to_string());
    }
    let dashes = if words.is_empty() { "" } else { " -- " };
    format!("cargo run --example {stem}{dashes}{}", words.join(" "))
}

/// The reader's own run: the kernels of the cell that it has, at the cell's size if it was run there, else at
/// its own. Nothing in it is an error; empty if it has none of the kernels.
fn readers_own(
    workbook: &Workbook,
    own: &Record,
    number: usize,
    wanted: &Wanted,
    whole: bool,
) -> Result<String> {
    let has = |kernel: &&str| own.runs.iter().any(|run| run.kernel == **kernel);
    let kernels: Vec<&str> = wanted.kernels.iter().copied().filter(|kernel| has(kernel)).collect();
    if own.runs.is_empty() || (kernels.is_empty() && !wanted.kernels.is_empty()) {
        return Ok(String::new());
    }
    let part = match selection::at(own, &kernels, wanted.n, wanted.block) {
        Ok(part) if wanted.n.is_some() || wanted.block.is_some() => part,
        _ => selection::of_kernels(own, &kernels)?,
    };
    let all = charts(&part, wanted.vertical)?;
    let shown = match wanted.chart {
        Some(name) => all.iter().filter(|chart| chart.name == name).collect(),
        None if whole => all.iter().collect(),
        None => Vec::new(),
    };
    output(workbook, &part, number, "Your own run", wanted, &shown)
}

/// What came out of one record.
fn output(
    workbook: &Workbook,
    part: &Record,
    number: usize,
    whose: &str,
    wanted: &Wanted,
    charts: &[&Chart],
) -> Result<String> {
    let on = match part.device.kind {
        DeviceKind::Gpu | DeviceKind::Cpu => format!("on {}", part.device.title()),
        DeviceKind::Sim => "on the simulator".to_string(),
    };
    let class = if whose == "Recorded" { "recorded" } else { "local" };
    let note = changed_since(workbook, part)?.map(|note| changed(&note)).unwrap_or_default();
    let mut text = format!(
        "<figure class=\"cell-out {class}\" data-kind=\"{}\">\n<p class=\"cell-head\"><span \
         class=\"cell-label\">Out [{number}]</span> <strong>{whose} {}</strong> · {}</p>\n{note}",
        part.device.kind.as_str(),
        escape(&on),
        escape(&headline(part)),
    );
    text += &scrolling(&html_table(&shown_columns(part, &wanted.columns)), &format!("Out [{number}] {on}"));
    for note in notes(part) {
        text += &format!("<p class=\"cell-note\">{}</p>\n", escape(&note));
    }
    if let Some((kernel, message)) = message(part).filter(|_| wanted.message) {
        text += &format!(
            "<p class=\"cell-note\">The simulator says of <code>{}</code>:</p>\n{}\n",
            escape(kernel),
            verbatim(message)
        );
    }
    text.extend(charts.iter().map(|chart| frame(chart)));
    Ok(text + &format!("<figcaption>{}</figcaption>\n</figure>\n\n", provenance(part)))
}

/// The first message of the simulator among the runs, and the kernel that it is about.
fn message(record: &Record) -> Option<(&str, &str)> {
    record.runs.iter().find_map(|run| Some((run.kernel.as_str(), run.message.as_deref()?.trim_end())))
}

/// A table in a frame that scrolls, by keyboard too, where the page is too narrow for it.
pub fn scrolling(table: &str, label: &str) -> String {
    format!(
        "<div class=\"table-frame\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n{table}</div>\n",
        escape(label)
    )
}
