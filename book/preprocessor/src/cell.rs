//! A cell: the command to run, and for each record of the chapter what came out: a table, what the simulator
//! says, a chart.

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

/// Whose run an output shows.
#[derive(Clone, Copy)]
enum Whose<'a> {
    Committed,
    /// The reader's own, compared with the committed one if that is shown too.
    Own {
        committed: Option<&'a Record>,
    },
}

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
    // The size of the first output.
    let mut first_n = None;
    let mut drawn = 0;
    let is_asked_for = |chart: &&Chart| asked.chart == Some(chart.name);
    for &committed in &records {
        let own = local(book, stem, committed.device.kind)?;
        let place = || in_record(committed, &asked);
        let recorded = shown_part(committed, &asked, false).with_context(place)?;
        if let Some(part) = &recorded {
            let all = charts(part, vertical)?;
            let shown: Vec<&Chart> = all.iter().filter(is_asked_for).collect();
            drawn += shown.len();
            known_charts.extend(all.iter().map(|chart| chart.name));
            for chart in &shown {
                // Refuses a chart of too many lines.
                records::few_lines(chart).with_context(place)?;
            }
            let n = part.runs.first().map(|run| run.n);
            let note = n.map_or(String::new(), |n| another_size(first_n, n));
            first_n = first_n.or(n);
            outputs += &output(book, part, Whose::Committed, number, &asked, &shown, &note)?;
        }
        let Some(own) = own else { continue };
        for part in own_parts(&own, &asked).with_context(|| in_record(&own, &asked))? {
            let all = charts(&part, vertical)?;
            let shown: Vec<&Chart> = all.iter().filter(is_asked_for).collect();
            first_n = first_n.or(part.runs.first().map(|run| run.n));
            let whose = Whose::Own { committed: recorded.as_ref() };
            outputs += &output(book, &part, whose, number, &asked, &shown, "")?;
        }
    }
    if let Some(name) = asked.chart.filter(|_| drawn == 0) {
        bail!("no record of `{stem}` has a chart `{name}`; there are: {}", list(known_charts));
    }
    let live = live::attribute(book, stem, &asked)?;
    Ok(format!(
        "<div class=\"cell\" id=\"cell-{number}\"{live}>\n<p class=\"cell-label\">In [{number}]</p>\n\n\
         ```sh\n{}\n```\n\n{outputs}</div>\n\n",
        command(stem, &asked, (on == ["sim"]).then_some("sim"))
    ))
}

/// A note that this record's size differs from the first one's; empty if it does not.
fn another_size(first_n: Option<u64>, n: u64) -> String {
    match first_n {
        Some(first_n) if first_n != n => {
            let [n, first_n] = [n, first_n].map(|n| raised(&size(n)));
            paragraph("cell-note", &escape(&format!("Another size than above: n = {n}, not {first_n}.")))
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
        // All but the first, which has the kernels' names.
        let all = records.iter().flat_map(|record| columns(record).into_iter().skip(1));
        pick(all.filter(Column::has_values), column, Column::name, &format!("`{stem}` has no column"))?;
    }
    Ok(())
}

/// What the cell shows of `record`; `None` if it has none of the kernels or none of the columns. A reader's
/// own record is never refused: what was not run at the cell's size is shown at its own.
fn shown_part(record: &Record, asked: &Asked, is_own: bool) -> Result<Option<Record>> {
    let has = |kernel: &&str| runs(record).any(|run| run.kernel == **kernel);
    let kernels: Vec<&str> = asked.kernels.iter().copied().filter(has).collect();
    if kernels.is_empty() && !asked.kernels.is_empty() {
        return Ok(None);
    }
    let mut part = records::at(record, &kernels, asked.n, asked.block);
    if is_own && part.is_err() {
        part = records::of_kernels(record, &kernels);
    }
    let part = part?;
    ensure!(
        is_own || part.runs.len() <= ROWS,
        "the cell has {} rows, and a reader compares {ROWS} at most; say which: kernel=A,B",
        part.runs.len()
    );
    // The first column has the kernels' names.
    let has_columns = shown_columns(&part, &asked.columns).len() > 1;
    Ok(has_columns.then_some(part))
}

/// What the cell shows of the reader's own record: first the runs at the size that they asked for, if the
/// cell has another one, then what [`shown_part`] has.
fn own_parts(own: &Record, asked: &Asked) -> Result<Vec<Record>> {
    let is_another_size = own.names_size() && asked.n.is_some_and(|n| n != own.n);
    let requested = if is_another_size {
        shown_part(own, &Asked { n: Some(own.n), ..asked.clone() }, true)?
    } else {
        None
    };
    let beside = shown_part(own, asked, true)?;
    let mut parts: Vec<Record> = requested.into_iter().chain(beside).collect();
    // A cell whose size was not run shows the record's own.
    parts.dedup_by_key(|part| part.n);
    Ok(parts)
}

fn in_record(record: &Record, asked: &Asked) -> String {
    let name = format!("{}.{}", record.stem, record.device.kind.as_str());
    if asked.n.is_some() || asked.block.is_some() {
        format!("in {name} (another kind of record may have it: on=gpu, on=sim)")
    } else {
        format!("in {name}")
    }
}

/// The command that runs what the cell shows. `device`: that of `--device`, if the cell asks for one.
fn command(stem: &str, asked: &Asked, device: Option<&str>) -> String {
    let mut words: Vec<String> = asked.kernels.iter().map(|kernel| format!("--kernel {kernel}")).collect();
    words.extend(asked.n.map(|n| format!("--n {}", size(n).replace(',', "_"))));
    words.extend(asked.block.map(|block| format!("--block {block}")));
    words.extend(device.map(|device| format!("--device {device}")));
    let dashes = if words.is_empty() { "" } else { " -- " };
    format!("cargo run --example {stem}{dashes}{}", words.join(" "))
}

/// The figure of one record: its table, notes, messages and charts.
fn output(
    book: &Workbook,
    part: &Record,
    whose: Whose,
    number: usize,
    asked: &Asked,
    charts: &[&Chart],
    note: &str,
) -> Result<String> {
    let on = match part.device.kind {
        DeviceKind::Gpu | DeviceKind::Cpu => format!("on {}", part.device.title()),
        DeviceKind::Sim => "on the simulator".to_string(),
    };
    let (class, title, compared_with) = match whose {
        Whose::Committed => ("recorded", "Recorded", None),
        Whose::Own { committed } => ("local", "Your own run", committed),
    };
    let mut text = format!(
        "<figure class=\"cell-out {class}\" data-kind=\"{}\">\n<p class=\"cell-head\"><span \
         class=\"cell-label\">Out [{number}]</span> <strong>{title} {}</strong> · {}</p>\n{note}{}",
        part.device.kind.as_str(),
        escape(&on),
        escape(&headline(part)),
        changed_since(book, part)?
    );
    let difference = |recorded| own::difference(recorded, part, &asked.columns);
    if let Some(differs) = compared_with.and_then(difference) {
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
