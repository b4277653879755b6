//! Kernels of the reader's own: what the terminal's `simulate` does and prints, and what the notebook shows.

use anyhow::{Context, Result};
use launch::{Element, Held, Shape};
use serde::Serialize;
use simulate::{Finding, Launched, Options, Report, buffers, counts, film};
use workbook::text::columns::{Column, escape, html_table};
use workbook::text::printed::first_lines;
use workbook::text::say;

use super::{compile, cures, program};

/// What the page gets.
#[derive(Serialize)]
struct Shown<'a> {
    /// The last line of what the terminal prints.
    verdict: String,
    diagnostics: Vec<Finding<'a>>,
    /// The same with their source lines.
    messages: Vec<String>,
    /// What is not as expected.
    wrong: Vec<String>,
    printed: String,
    buffers: Vec<Buffer>,
    /// The counts of each launch, as HTML, and what is to be known of them.
    counts: String,
    note: &'static str,
    /// A figure that plays, as HTML, where there are not too many steps.
    film: Option<String>,
}

#[derive(Serialize)]
struct Buffer {
    title: String,
    /// The elements, as HTML.
    table: String,
    /// A drawing of them, as HTML, where it says something.
    plot: Option<String>,
    /// The same of two dimensions, in which the plot is left out.
    picture: Option<Picture>,
}

/// Numbers in rows and columns, which the page draws.
#[derive(Serialize)]
struct Picture {
    rows: u64,
    columns: u64,
    /// Whether a launch says so, and not the buffer's line.
    is_of_launch: bool,
    /// As they are shown, with a blank between them; `?` where nobody has written.
    numbers: String,
}

/// Runs it with the command line of this process.
pub fn run() -> Result<u8> {
    let wants_cures = cures::are_wanted();
    let compile = wants_cures.then_some(compile::own as _);
    let options = Options { remembers: !wants_cures, compile, ..Options::parse_or_exit() };
    if let Ok(variables) = std::fs::read_to_string("/program.json") {
        return program::run(&options, &variables);
    }
    let (status, report) = simulate::done(&options);
    if wants_cures {
        cures::leave(report.map_or_else(Vec::new, |report| report.launched.cures))?;
        return Ok(status);
    }
    if let Some(report) = report {
        let shown = serde_json::to_vec(&shown(&report, &options))?;
        std::fs::write("/shown.json", shown).context("cannot write shown.json")?;
    }
    Ok(status)
}

fn shown<'a>(report: &'a Report, options: &Options) -> Shown<'a> {
    let Launched { ran, printed, trace, .. } = &report.launched;
    let all = trace.as_ref().filter(|trace| trace.left_out == 0 && !trace.events.is_empty());
    Shown {
        verdict: report.verdict(options.checks),
        diagnostics: report.found(),
        messages: report.messages(false).collect(),
        wrong: ran.wrong.iter().map(|wrong| say::visible(wrong)).collect(),
        printed: first_lines(printed),
        buffers: ran.buffers.iter().map(buffer).collect(),
        counts: html_table(&counts::columns(&report.counts())),
        note: counts::NOTE,
        film: all.map(|trace| film(trace, &report.sources).html()),
    }
}

/// Elements in a row of a table.
const ROW: usize = 8;

fn buffer(held: &Held) -> Buffer {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for part in buffers::shown(held).into_iter().filter(|part| !part.is_empty()) {
        if part.start > 0 {
            rows.push(("…".into(), Vec::new()));
        }
        for first in part.clone().step_by(ROW) {
            let elements = first..part.end.min(first + ROW);
            rows.push((format!("[{first}]"), elements.map(|i| held.element(i).to_string()).collect()));
        }
    }
    let column = |place: usize| {
        let cells = rows.iter().map(|(_, elements)| elements.get(place).map_or("", String::as_str));
        Column::right(&format!("+{place}"), cells)
    };
    let labels = Column::left("element", rows.iter().map(|(label, _)| label.as_str()));
    let columns: Vec<Column> = [labels].into_iter().chain((0..held.count().min(ROW)).map(column)).collect();
    let picture = picture(held);
    let plot = if picture.is_some() { None } else { plot(held) };
    Buffer { title: say::visible(&buffers::title(held)), table: html_table(&columns), plot, picture }
}

/// Elements of a picture, at most, and of a row or a column.
const MAX_PICTURE: usize = 1 << 16;
const MAX_SIDE: u64 = 1 << 10;

fn picture(held: &Held) -> Option<Picture> {
    let is_seen =
        |shape: &Shape| (2..=MAX_SIDE).contains(&shape.rows) && (2..=MAX_SIDE).contains(&shape.columns);
    let Shape { rows, columns, is_of_launch } =
        held.shape.filter(is_seen).filter(|_| held.count() <= MAX_PICTURE)?;
    let numbers: Vec<String> = (0..held.count()).map(|index| held.element(index).to_string()).collect();
    Some(Picture { rows, columns, is_of_launch, numbers: numbers.join(" ") })
}

/// Fewer elements are seen at a glance.
const FEWEST: usize = 16;
const WIDTH: usize = 320;
const HEIGHT: f64 = 60.0;

/// A bar from 0 for each element, or, of many, for as many as stand in its place; nothing if all are alike.
fn plot(held: &Held) -> Option<String> {
    let value = |index| match held.element(index) {
        Element::Signed(n) => Some(n as f64),
        Element::Unsigned(n) => Some(n as f64),
        Element::Float(x, _) => Some(x).filter(|x| x.is_finite()),
        Element::Unwritten | Element::Address(_) => None,
    };
    let count = held.count();
    let ends = |from, to| {
        let values = (from..to).filter_map(value);
        values.fold(None, |ends: Option<(f64, f64)>, x| {
            Some(ends.map_or((x, x), |(low, high)| (low.min(x), high.max(x))))
        })
    };
    let (low, high) = ends(0, count).filter(|(low, high)| count >= FEWEST && low < high)?;
    let bottom = low.min(0.0);
    let top = high.max(0.0);
    let y = |x: f64| HEIGHT * (top - x) / (top - bottom);
    let bars = count.min(WIDTH);
    let bar = |bar: usize| {
        let (low, high) = ends(bar * count / bars, (bar + 1) * count / bars)?;
        Some(format!("M{} {:.2}V{:.2}", bar as f64 + 0.5, y(low.min(0.0)), y(high.max(0.0))))
    };
    let path: String = (0..bars).filter_map(bar).collect();
    let words = escape(&format!("from {} to {}", short(low), short(high)));
    let zero = y(0.0);
    Some(format!(
        "<figure class=\"buffer-plot\"><svg viewBox=\"0 0 {bars} {HEIGHT}\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\"><path d=\"{path}\"/><path class=\"zero\" d=\"M0 {zero:.2}H{bars}\"/></svg>\
         <figcaption>{words}</figcaption></figure>"
    ))
}

/// A number as one reads it at a drawing.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) {
        ((x * 1e3).round() / 1e3).to_string()
    } else {
        format!("{x:.3e}")
    }
}
