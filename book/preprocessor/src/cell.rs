//! A cell: the command to run, and for each record of the chapter what came out: a table, what the simulator
//! says, a chart.

use std::iter;

use anyhow::{Context, Result, bail, ensure};
use chapters::charts;
use workbook::device::DeviceKind;
use workbook::record::Record;
use workbook::record::chart::Chart;
use workbook::record::table::{columns, headline, notes, shown_columns};
use workbook::text::columns::{Column, escape};
use workbook::text::number::{raised, size};

use crate::directive::{Words, list, pick};
use crate::html::{paragraph, scrolling, verbatim};
use crate::live::{self, Asked};
use crate::own;
use crate::page::{Page, Workbook};
use crate::provenance::{changed_since, provenance};
use crate::records::{self, KINDS, committed, local, missing, runs};

/// The most rows that a reader compares.
const ROWS: usize = 12;

/// The cell of a chapter: every committed record, or those `on=` names, each followed by the reader's own run
/// if there is one.
pub fn cell(page: &mut Page, words: &Words) -> Result<String> {
    let book = page.book;
    let stem = words.of[0];
    let on = words.list("on");
    let records = committed_records(book, stem, &on)?;
    let asked = Asked {
        kernels: words.list("kernel"),
        n: words.number("n")?,
        block: words.number("block")?,
        columns: words.list("columns"),
        chart: words.get("chart"),
        scale: words.get("scale"),
        message: words.get("message") != Some("no"),
        is_comparable: records.iter().any(|record| record.device.kind != DeviceKind::Gpu),
    };
    let vertical = words.vertical()?;
    check(stem, &records, &asked)?;
    page.cells += 1;
    let number = page.cells;
    let mut outputs = String::new();
    let mut known_charts = Vec::new();
    let mut above = None;
    let mut drawn = 0;
    for &committed in &records {
        let own = local(book, stem, committed.device.kind)?;
        let both = iter::once((committed, false)).chain(own.iter().map(|own| (own, true)));
        let mut recorded = None;
        for (record, is_own) in both {
            let place = || in_record(record, &asked);
            let Some(part) = shown_part(record, &asked, is_own).with_context(place)? else { continue };
            let charts = charts(&part, vertical)?;
            let is_shown = |chart: &&Chart| asked.chart == Some(chart.name);
            let shown: Vec<&Chart> = charts.iter().filter(is_shown).collect();
            if !is_own && asked.chart.is_some() {
                drawn += shown.len();
                known_charts.extend(charts.iter().map(|chart| chart.name));
                for chart in &shown {
                    records::few_lines(chart).with_context(place)?;
                }
            }
            let beside = recorded.as_ref().filter(|_| is_own);
            let size = part.runs.first().map(|run| run.n);
            let note = size.filter(|_| !is_own).map_or(String::new(), |n| another_size(above, n));
            above = above.or(size);
            outputs += &output(book, (&part, beside, is_own), number, &asked, &shown, &note)?;
            recorded = recorded.or(Some(part));
        }
    }
    if let Some(name) = asked.chart.filter(|_| drawn == 0) {
        bail!("no record of `{stem}` has a chart `{name}`; there are: {}", list(known_charts));
    }
    let live = live::attribute(book, stem, &asked)?;
    Ok(format!(
        "<div class=\"cell\" id=\"cell-{number}\"{live}>\n<p class=\"cell-label\">In [{number}]</p>\n\n\
         ```sh\n{}\n```\n\n{outputs}</div>\n\n",
        command(stem, &asked, on == ["sim"])
    ))
}

/// What a reader must know before comparing records of two sizes; nothing of one size.
fn another_size(above: Option<u64>, n: u64) -> String {
    match above {
        Some(above) if above != n => {
            let [n, above] = [n, above].map(|n| raised(&size(n)));
            paragraph("cell-note", &escape(&format!("Another size than above: n = {n}, not {above}.")))
        }
        _ => String::new(),
    }
}

/// The committed records that the cell shows.
fn committed_records<'a>(book: &'a Workbook, stem: &str, on: &[&str]) -> Result<Vec<&'a Record>> {
    for word in on {
        pick(KINDS, word, |kind| kind.as_str(), "there is no kind of device")?;
    }
    let mut records = Vec::new();
    for kind in KINDS.into_iter().filter(|kind| on.is_empty() || on.contains(&kind.as_str())) {
        let record = committed(book, stem, kind)?;
        if record.is_none() && !on.is_empty() {
            bail!(missing(book, stem, Some(kind)));
        }
        records.extend(record);
    }
    if records.is_empty() {
        bail!(missing(book, stem, None));
    }
    Ok(records)
}

/// Refuses kernels and columns that none of `records` has.
fn check(stem: &str, records: &[&Record], asked: &Asked) -> Result<()> {
    for kernel in &asked.kernels {
        let all = records.iter().flat_map(|record| runs(record));
        pick(all, kernel, |run| &run.kernel, &format!("`{stem}` has no kernel"))?;
    }
    for column in &asked.columns {
        let all = records.iter().flat_map(|record| columns(record).split_off(1));
        pick(all.filter(Column::has_values), column, Column::name, &format!("`{stem}` has no column"))?;
    }
    Ok(())
}

/// What the cell shows of `record`; `None` if that has none of the kernels or none of the columns. Nothing in
/// a reader's own record is an error: what was not run at the cell's size is shown at its own.
fn shown_part(record: &Record, asked: &Asked, is_own: bool) -> Result<Option<Record>> {
    let has = |kernel: &&str| runs(record).any(|run| run.kernel == **kernel);
    let kernels: Vec<&str> = asked.kernels.iter().copied().filter(has).collect();
    if kernels.is_empty() && !asked.kernels.is_empty() {
        return Ok(None);
    }
    let part = match records::at(record, &kernels, asked.n, asked.block) {
        Err(_) if is_own => records::of_kernels(record, &kernels)?,
        part => part?,
    };
    ensure!(
        is_own || part.runs.len() <= ROWS,
        "the cell has {} rows, and a reader compares {ROWS} at most; say which: kernel=A,B",
        part.runs.len()
    );
    // The first column has the kernels' names.
    let has_columns = shown_columns(&part, &asked.columns).len() > 1;
    Ok(has_columns.then_some(part))
}

fn in_record(record: &Record, asked: &Asked) -> String {
    let name = format!("{}.{}", record.stem, record.device.kind.as_str());
    if asked.n.is_some() || asked.block.is_some() {
        format!("in {name} (another kind of record may have it: on=gpu, on=sim)")
    } else {
        format!("in {name}")
    }
}

/// The command that runs what the cell shows.
fn command(stem: &str, asked: &Asked, on_simulator: bool) -> String {
    let mut words: Vec<String> = asked.kernels.iter().map(|kernel| format!("--kernel {kernel}")).collect();
    words.extend(asked.n.map(|n| format!("--n {}", size(n).replace(',', "_"))));
    words.extend(asked.block.map(|block| format!("--block {block}")));
    words.extend(on_simulator.then(|| "--device sim".to_string()));
    let dashes = if words.is_empty() { "" } else { " -- " };
    format!("cargo run --example {stem}{dashes}{}", words.join(" "))
}

/// What came out of one record; of the reader's own, beside the recorded one if there is one.
fn output(
    book: &Workbook,
    (part, beside, is_own): (&Record, Option<&Record>, bool),
    number: usize,
    asked: &Asked,
    charts: &[&Chart],
    note: &str,
) -> Result<String> {
    let on = match part.device.kind {
        DeviceKind::Gpu | DeviceKind::Cpu => format!("on {}", part.device.title()),
        DeviceKind::Sim => "on the simulator".to_string(),
    };
    let (class, whose) = if is_own { ("local", "Your own run") } else { ("recorded", "Recorded") };
    let mut text = format!(
        "<figure class=\"cell-out {class}\" data-kind=\"{}\">\n<p class=\"cell-head\"><span \
         class=\"cell-label\">Out [{number}]</span> <strong>{whose} {}</strong> · {}</p>\n{note}{}",
        part.device.kind.as_str(),
        escape(&on),
        escape(&headline(part)),
        changed_since(book, part)?
    );
    if let Some(differs) = beside.and_then(|recorded| own::difference(recorded, part, &asked.columns)) {
        text += &paragraph("cell-note differs", &format!("<strong>{}</strong>", escape(&differs)));
    }
    text += &scrolling(&shown_columns(part, &asked.columns), &format!("Out [{number}] {on}"));
    text.extend(notes(part).iter().map(|note| paragraph("cell-note", &escape(note))));
    // The first message of the simulator.
    let mut messages = part.runs.iter().filter_map(|run| Some((&run.kernel, run.message.as_ref()?)));
    if let Some((kernel, message)) = messages.next().filter(|_| asked.message) {
        let kernel = format!("The simulator says of <code>{}</code>:", escape(kernel));
        text += &format!("{}{}\n", paragraph("cell-note", &kernel), verbatim(message));
    }
    text.extend(charts.iter().map(|chart| chart.html()));
    Ok(text + &format!("<figcaption>{}</figcaption>\n</figure>\n\n", provenance(part)))
}
