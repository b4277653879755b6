//! The charts of a comparison: the rate of one call, and how many times as long CUB takes.

use anyhow::Result;
use workbook::device::{GpuInfo, Timing};
use workbook::record::chart::{
    self, Against, BANDWIDTH, Chart, Point, Quantity, SERIES, Scale, Series, Style, Vertical, plot, sizes,
};
use workbook::record::{Record, Run};

use super::comparison::{self, COMPARISON, CPU, CUB, LIMIT, THRUST, TYPES};

const ONE_CALL: Quantity =
    Quantity { name: "one-call", title: "One call, cold cache: bandwidth", ..BANDWIDTH };
const RATIO: Quantity = Quantity {
    name: "ratio",
    title: "CUB's time over ours",
    axis: "CUB's time over ours: above 1, ours is faster",
    words: |value| format!("{value:.2}"),
    scale: Scale::ratios,
    ..BANDWIDTH
};

/// Those of every record; then `one-call` for `i32` and `ratio`, as far as the record has data for them, both
/// against n.
pub fn charts(record: &Record, vertical: Vertical) -> Result<Vec<Chart>> {
    let mut charts = chart::charts(record, &references(record), vertical)?;
    let gpu = [(LIMIT, LIMIT), (CUB, "CUB"), (THRUST, "Thrust")];
    let cold = |run: &Run| run.timings?.one_call_cold;
    let lines = gpu.into_iter().enumerate();
    let mut one_call: Vec<Series> =
        lines.filter_map(|(i, line)| rate(record, line, Style::Kernel(i), cold)).collect();
    one_call.extend(rate(record, (CPU, "rayon, on the CPU"), Style::Host, |run| run.time_us));
    let own =
        [(ONE_CALL, one_call, limits(record)), (RATIO, ratios(record), vec![constant(record, "CUB", 1.0)])];
    let drawn = own.into_iter().filter(|(_, lines, _)| !lines.is_empty());
    let against =
        Against { word: "n", axis: "n, elements summed", scale: Scale::powers_of_two, detail: String::new() };
    for (quantity, mut lines, limits) in drawn {
        lines.extend(limits);
        charts.push(plot(record, &Quantity { vertical, ..quantity }, &against, lines)?);
    }
    Ok(charts)
}

/// What other kernels are measured against: what the memory could do, and CUB in one call with a warm cache,
/// which is how a chapter's own runs are timed. Empty without a comparison.
fn references(record: &Record) -> Vec<Series> {
    let mut lines = limits(record);
    lines.extend(rate(record, (CUB, "CUB, i32"), Style::Kernel(SERIES), |run| run.timings?.one_call_warm));
    lines
}

/// Bytes per second of a kernel, drawn by another name; `None` where it was not timed.
fn rate(
    record: &Record,
    (kernel, name): (&str, &str),
    style: Style,
    time: impl Fn(&Run) -> Option<Timing>,
) -> Option<Series> {
    let runs = record.section_runs(COMPARISON).iter().filter(|run| run.kernel == kernel);
    let point = |run: &Run| {
        let rate = run.rate(time(run)?)?;
        Some(Point { right: run.ok, ..Point::new(run.n as f64, rate) })
    };
    let points: Vec<Point> = runs.filter_map(point).collect();
    (!points.is_empty()).then(|| Series { name: name.to_string(), style, points })
}

/// What the memory could do; empty without a comparison.
fn limits(record: &Record) -> Vec<Series> {
    let datasheet = record.device.gpu.as_ref().map(GpuInfo::datasheet);
    let line = datasheet.map(|rate| constant(record, "memory at its peak", rate));
    line.into_iter().filter(|line| !line.points.is_empty()).collect()
}

/// CUB's time over ours for `i32` and `f32`: the work alone, and one call with a cold cache.
fn ratios(record: &Record) -> Vec<Series> {
    let mut lines = Vec::new();
    for (word, measure) in [("alone", "work alone"), ("cold", "one call")] {
        for of in &TYPES[..2] {
            let ratios = comparison::ratios(record, &of.run_of(CUB), &of.run_of(LIMIT), word);
            let points: Vec<Point> =
                ratios.into_iter().map(|(n, ratio)| Point::new(n as f64, ratio)).collect();
            if !points.is_empty() {
                let style = Style::Kernel(lines.len());
                lines.push(Series { name: format!("{}, {measure}", of.name), style, points });
            }
        }
    }
    lines
}

/// The same value at all sizes of the comparison.
fn constant(record: &Record, name: &str, value: f64) -> Series {
    let points = sizes(record.section_runs(COMPARISON).iter())
        .into_iter()
        .map(|n| Point::new(n as f64, value))
        .collect();
    Series { name: name.to_string(), style: Style::Limit, points }
}
