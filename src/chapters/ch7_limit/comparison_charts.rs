//! The charts of a [`comparison`]: rates by each measure, and how many times as long CUB takes.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::chapters::ch7_limit::comparison;
use crate::record::chart::{
    Against, BANDWIDTH, Chart, Point, Quantity, SERIES, Scale, Series, Style, Vertical, plot,
};
use crate::record::{Record, Run, Timing, Timings};

/// Our kernels, and those that they meet.
const OURS: [(&str, &str); 2] = [("reduceLimit", "i32"), ("reduceLimitF32", "f32")];
const LIBRARIES: [(&str, &str); 3] = [("cub", "CUB, i32"), ("cubF32", "CUB, f32"), ("thrust", "Thrust, i32")];
const CPU: &str = "rayon";

const ONE_CALL: Quantity =
    Quantity { name: "one-call", title: "One call, cold cache: bandwidth", ..BANDWIDTH };
const WORK_ALONE: Quantity = Quantity { name: "work-alone", title: "The work alone: bandwidth", ..BANDWIDTH };
const RATIO: Quantity = Quantity {
    name: "ratio",
    title: "CUB's time over ours",
    axis: "CUB's time over ours: above 1, ours is faster",
    words: |value| format!("{value:.2}"),
    scale: Scale::ratios,
    ..BANDWIDTH
};

/// `one-call`, `work-alone` and `ratio`, as far as the record has data for them; all against n.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn charts(record: &Record, vertical: Vertical) -> Result<Vec<Chart>> {
    let mut one_call = rates(record, |timings| timings.one_call_cold);
    one_call.extend(rate(record, (CPU, "rayon, i32 (CPU)"), Style::Host, |run| run.time_us));
    let work_alone = rates(record, |timings| timings.work_alone);
    let limits = || limits(record);
    let charts = [
        (ONE_CALL, one_call, limits()),
        (WORK_ALONE, work_alone, limits()),
        (RATIO, ratios(record), vec![constant(record, "CUB", 1.0)]),
    ];
    let drawn = charts.into_iter().filter(|(_, lines, _)| !lines.is_empty());
    let against =
        Against { word: "n", axis: "n, elements summed", scale: Scale::powers_of_two, detail: String::new() };
    drawn
        .map(|(quantity, mut lines, limits)| {
            lines.extend(limits);
            plot(record, &Quantity { vertical, ..quantity }, &against, lines)
        })
        .collect()
}

/// What other kernels are measured against: what the memory could do, and CUB in one call with a warm cache,
/// which is how a chapter's own runs are timed. Empty without a comparison.
pub fn references(record: &Record) -> Vec<Series> {
    let mut lines = limits(record);
    lines.extend(rate(record, LIBRARIES[0], Style::Kernel(SERIES), |run| run.timings?.one_call_warm));
    lines
}

/// Bytes per second of ours and of the libraries.
fn rates(record: &Record, time: fn(&Timings) -> Option<Timing>) -> Vec<Series> {
    let contenders = OURS.into_iter().chain(LIBRARIES).enumerate();
    let line = |(i, contender)| rate(record, contender, Style::Kernel(i), |run| time(run.timings.as_ref()?));
    contenders.filter_map(line).collect()
}

/// Bytes per second of a kernel, drawn by another name; `None` where it was not timed.
fn rate(
    record: &Record,
    (kernel, name): (&str, &str),
    style: Style,
    time: impl Fn(&Run) -> Option<Timing>,
) -> Option<Series> {
    let runs = record.comparison.iter().filter(|run| run.kernel == kernel);
    let point = |run: &Run| {
        let rate = run.rate(time(run)?)?;
        Some(Point { right: run.ok, ..Point::new(run.n as f64, rate) })
    };
    let points: Vec<Point> = runs.filter_map(point).collect();
    (!points.is_empty()).then(|| Series { name: name.to_string(), style, points })
}

/// What the memory could do; empty without a comparison.
fn limits(record: &Record) -> Vec<Series> {
    let datasheet = record.device.gpu.as_ref().map(comparison::datasheet);
    let line = datasheet.map(|rate| constant(record, "memory by datasheet", rate));
    line.into_iter().filter(|line| !line.points.is_empty()).collect()
}

/// CUB's time over ours, for each type and measure.
fn ratios(record: &Record) -> Vec<Series> {
    let mut lines = Vec::new();
    for (word, measure) in [("alone", "work alone"), ("cold", "one call, cold"), ("warm", "one call, warm")] {
        for ((ours, name), (library, _)) in OURS.iter().zip(LIBRARIES) {
            let ratios = comparison::ratios(record, library, ours, word);
            let points: Vec<Point> =
                ratios.into_iter().map(|(n, ratio)| Point::new(n as f64, ratio)).collect();
            if !points.is_empty() {
                let style = Style::Kernel(lines.len());
                lines.push(Series { name: format!("{name}, {measure}"), style, points });
            }
        }
    }
    lines
}

/// The same value at all sizes of the comparison.
fn constant(record: &Record, name: &str, value: f64) -> Series {
    let sizes: BTreeSet<u64> = record.comparison.iter().map(|run| run.n).collect();
    let points = sizes.into_iter().map(|n| Point::new(n as f64, value)).collect();
    Series { name: name.to_string(), style: Style::Limit, points }
}
