//! The charts of a contest ([`crate::chapters::limit::comparison`]): rates by each measure, and how many times as long CUB takes.

use std::collections::BTreeSet;

use anyhow::Result;

use super::scale::Scale;
use super::{Against, BANDWIDTH, Chart, Point, Quantity, Series, Style, finish};
use crate::chapters::limit::comparison;
use crate::record::{Record, Run, Timing, Timings};

/// Our kernels, and those that they meet.
const OURS: [(&str, &str); 2] = [("reduceLimit", "i32"), ("reduceLimitF32", "f32")];
const PEERS: [(&str, &str); 3] = [("cub", "CUB, i32"), ("cubF32", "CUB, f32"), ("thrust", "Thrust, i32")];
const CPU: &str = "rayon";

const ONE_CALL: Quantity =
    Quantity { name: "one-call", title: "One call, cold cache: bandwidth", ..BANDWIDTH };
const WORK_ALONE: Quantity = Quantity { name: "work-alone", title: "The work alone: bandwidth", ..BANDWIDTH };
pub(super) const RATIO: Quantity = Quantity {
    name: "ratio",
    title: "CUB's time over ours",
    axis: "CUB's time over ours: above 1, ours is faster",
    words: |value| format!("{value:.2}"),
    tick: |value| format!("{value}"),
    value: |_| None,
};

pub(super) fn charts(record: &Record) -> Result<Vec<Chart>> {
    if record.contest.is_empty() {
        return Ok(Vec::new());
    }
    let against = |lines: &[Series]| Against {
        word: "n",
        axis: "n, elements summed",
        scale: Scale::powers_of_two(lines.iter().flat_map(|line| line.points.iter().map(|point| point.x))),
        detail: String::new(),
    };
    let rates = [
        (&ONE_CALL, rates(record, |t| t.one_call_cold, true)),
        (&WORK_ALONE, rates(record, |t| t.work_alone, false)),
    ];
    let ratios = [(&RATIO, ratios(record))];
    let all = rates.into_iter().chain(ratios).filter(|(_, lines)| lines.len() > 1);
    all.map(|(quantity, lines)| finish(record, quantity, against(&lines), lines)).collect()
}

/// Bytes a second of ours, of their peers and of the CPU, with what the memory could do.
fn rates(record: &Record, time: fn(&Timings) -> Option<Timing>, with_cpu: bool) -> Vec<Series> {
    let line =
        |kernel, name, style, time: &dyn Fn(&Run) -> Option<Timing>| rate(record, kernel, name, style, time);
    let of_contest = |run: &Run| time(run.timings.as_ref()?);
    let contenders = OURS.iter().chain(&PEERS).enumerate();
    let mut lines: Vec<Series> =
        contenders.map(|(i, (kernel, name))| line(kernel, name, Style::Kernel(i), &of_contest)).collect();
    if with_cpu {
        lines.push(line(CPU, "rayon, i32 (CPU)", Style::Host, &|run| run.time_us));
    }
    lines.retain(|line| !line.points.is_empty());
    lines.extend(limits(record));
    lines
}

/// Bytes a second of `kernel`.
fn rate(
    record: &Record,
    kernel: &str,
    name: &str,
    style: Style,
    time: impl Fn(&Run) -> Option<Timing>,
) -> Series {
    let runs = record.contest.iter().filter(|run| run.kernel == kernel);
    let point = |run: &Run| Some(plain(run.n, run.rate(time(run)?)?, run.ok));
    Series { name: name.to_string(), style, points: runs.filter_map(point).collect() }
}

/// What other kernels are measured against: what the memory could do, and CUB in one call with a warm cache, which is
/// how a chapter's own runs are timed. Up to the size `last`; empty without a contest.
pub(super) fn references(record: &Record, last: f64) -> Vec<Series> {
    let (kernel, name) = PEERS[0];
    let cub = rate(record, kernel, name, Style::Limit, |run| run.timings?.one_call_warm);
    let mut lines = limits(record);
    lines.push(cub);
    lines.iter_mut().for_each(|line| line.points.retain(|point| point.x <= last));
    lines.retain(|line| !line.points.is_empty());
    lines
}

/// What the memory could do.
fn limits(record: &Record) -> Vec<Series> {
    let limits = [
        ("memory by datasheet", record.device.gpu.as_ref().map(comparison::datasheet)),
        ("best measured", comparison::best_rate(record)),
    ];
    let sizes: BTreeSet<u64> = record.contest.iter().map(|run| run.n).collect();
    let line = |(name, rate): (&str, Option<f64>)| {
        let points = rate.iter().flat_map(|rate| sizes.iter().map(|&n| plain(n, *rate, true))).collect();
        Series { name: name.to_string(), style: Style::Limit, points }
    };
    limits.into_iter().map(line).collect()
}

/// CUB's time over ours, for each type and measure.
fn ratios(record: &Record) -> Vec<Series> {
    let mut lines = Vec::new();
    for (word, measure) in [("alone", "work alone"), ("cold", "one call, cold"), ("warm", "one call, warm")] {
        for ((ours, name), (peer, _)) in OURS.iter().zip(PEERS) {
            let points: Vec<Point> = comparison::ratios(record, peer, ours, word)
                .into_iter()
                .map(|(n, ratio)| plain(n, ratio, true))
                .collect();
            if !points.is_empty() {
                lines.push(Series {
                    name: format!("{name}, {measure}"),
                    style: Style::Kernel(lines.len()),
                    points,
                });
            }
        }
    }
    let sizes: BTreeSet<u64> = record.contest.iter().map(|run| run.n).collect();
    let one = sizes.iter().map(|&n| plain(n, 1.0, true)).collect();
    lines.push(Series { name: "CUB".to_string(), style: Style::Limit, points: one });
    lines
}

fn plain(n: u64, y: f64, right: bool) -> Point {
    Point { x: n as f64, y, spread: None, block: 0, right }
}
