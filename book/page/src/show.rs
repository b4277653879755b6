//! How a page shows a record.

use anyhow::Result;
use chapters::ch4_nested::grids::grids;
use serde::{Deserialize, Serialize};
use workbook::chapter::{Printed, Report};
use workbook::kernel_compiler::build::{Build, State};
use workbook::record::Record;
use workbook::record::chart::Vertical;
use workbook::record::table::{headline, notes, shown_columns};
use workbook::sim::Diagnostic;
use workbook::sim::trace::Trace;
use workbook::text::columns::html_table;
use workbook::view;

/// What a page shows of a record.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wanted {
    /// Of the table, by name; none: all.
    columns: Vec<String>,
    chart: Option<String>,
    /// `linear`: the chart's vertical axis starts at 0.
    scale: Option<String>,
    /// `grids`: the steps of all runs in one figure of their grids, in place of one of each.
    figure: Option<String>,
}

/// More events of a launch have no figure; a kernel that was taken for endless has many, all alike.
const MAX_EVENTS: usize = 10_000;

/// What the page gets.
#[derive(Serialize)]
pub struct Shown {
    record: Record,
    headline: String,
    notes: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// What kernels printed, run by run.
    printed: Vec<Printed>,
    /// The table of a cell, as HTML.
    table: String,
    /// The chart that was asked for, as HTML, if the record has data for it.
    chart: Option<String>,
    /// A figure that plays for each run, as HTML, if steps were asked for.
    films: Vec<String>,
}

/// Table, chart and figures of what the runs of `build` gave; the table and the chart begin with `kernels`,
/// in that order.
pub fn shown(report: Report, build: Option<&Build>, kernels: &[String], wanted: &Wanted) -> Result<Shown> {
    let mut record = report.record;
    if build.is_some_and(|build| build.state == State::Built) {
        // What the printed kernel is kept to show, an edited one need not.
        for run in &mut record.runs {
            run.expected_failure = None;
        }
    }
    let mut ordered = record.clone();
    let place = |name: &String| kernels.iter().position(|kernel| kernel == name).unwrap_or(kernels.len());
    ordered.runs.sort_by_key(|run| place(&run.kernel));
    let columns: Vec<&str> = wanted.columns.iter().map(String::as_str).collect();
    let linear = wanted.scale.as_deref() == Some("linear");
    let vertical = if linear { Vertical::Linear } else { Vertical::Logarithmic };
    let charts = match wanted.chart {
        Some(_) => chapters::charts(&ordered, vertical)?,
        None => Vec::new(),
    };
    let chart = charts.into_iter().find(|chart| Some(chart.name) == wanted.chart.as_deref());
    let source = build.map(|build| &*build.source);
    let can_be_drawn = |trace: &&Trace| (1..=MAX_EVENTS).contains(&trace.events.len());
    let moving: Vec<&Trace> = report.steps.iter().filter(can_be_drawn).collect();
    let films = match wanted.figure.as_deref() {
        Some("grids") if !moving.is_empty() => vec![grids(&moving).html()],
        _ => moving.iter().map(|trace| view::launch(trace, source).html()).collect(),
    };
    Ok(Shown {
        headline: headline(&record),
        notes: notes(&record),
        diagnostics: report.diagnostics,
        printed: report.printed,
        table: html_table(&shown_columns(&ordered, &columns)),
        chart: chart.map(|chart| chart.html()),
        films,
        record,
    })
}
