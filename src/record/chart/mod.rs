//! A record as SVG: which charts it has data for, what they show, and the same in words.
//!
//! | chart | against | for |
//! | --- | --- | --- |
//! | `time` | n | records with times (a GPU, a CPU) |
//! | `bandwidth` | n | the same: bytes of input over time |
//! | `divergence` | n | the simulator: divergent branches |
//! | `sectors` | n | the simulator: global sectors loaded and stored, and the fewest that would do |
//! | `launches` | launches by device code | time of nested kernels, and what a launch costs |
//! | `error` | n | results that may differ from the reference by a bound: how far they do, as a share of it |
//! | `block` | threads per block | time; on the simulator warp instructions |
//!
//! A page may ask for two more ([`on_demand`]):
//!
//! | chart | against | for |
//! | --- | --- | --- |
//! | `over-best` | n | times that differ by a factor of one to four: each over the shortest at its size |
//! | `per-launch` | launches by device code | the time of nested kernels, divided by their launches |
//!
//! Axes are logarithmic, except for the vertical one of these two; a page may ask for another vertical axis.
//! A chart has at most [`SERIES`] lines. A chapter may have charts of its own, by [`plot`]. plotters draws
//! them (`draw.rs`), and `svg.rs` makes a part of a page of that.

mod draw;
mod line;
mod plot;
mod scale;
mod svg;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use device::DeviceKind;
pub use line::{Point, SERIES, Series, Style};
pub use plot::{Against, Chart, Quantity, plot, plot_of};
use ptx_simulator::Counters;
pub use scale::{Scale, Vertical};
use text::number::{scientific, size, thousands, three_digits, time};

use crate::record::{Record, Run};

/// What an axis has room for; an edited record may hold anything.
const MAX_VALUE: f64 = 1e100;

/// Bytes of a sector of global memory.
const SECTOR: f64 = 32.0;

/// A value of a run.
struct Value {
    value: f64,
    /// Its minimum and maximum, where it has them.
    spread: Option<(f64, f64)>,
}

/// Reads something from a run, if the run has it.
type FromRun<'a, T> = &'a dyn Fn(&Run) -> Option<T>;

/// Bytes of input per second.
pub const BANDWIDTH: Quantity = Quantity {
    name: "bandwidth",
    title: "Bandwidth",
    axis: "bytes of input over time, GB/s",
    words: |value| format!("{} GB/s", three_digits(value)),
    scale: Scale::decades,
    vertical: Vertical::Logarithmic,
};

const TIME: Quantity =
    Quantity { name: "time", title: "Time", axis: "time", words: time, scale: Scale::times, ..BANDWIDTH };

const ERROR: Quantity = Quantity {
    name: "error",
    title: "Error",
    axis: "difference from the reference, as a share of it",
    words: scientific,
    ..BANDWIDTH
};

/// Something that the simulator counts.
const fn count(name: &'static str, title: &'static str, axis: &'static str) -> Quantity {
    Quantity { name, title, axis, words: |value| thousands(value as i64), ..BANDWIDTH }
}

const DIVERGENCE: Quantity = count("divergence", "Divergent branches", "branches at which a warp divided");
const SECTORS: Quantity = count("sectors", "Global memory traffic", "sectors of 32 bytes, loaded and stored");
// `against_block` names the chart.
const INSTRUCTIONS: Quantity = count("", "Instructions", "instructions executed by warps");

/// The charts that every record has if it has data for them, in the order in which a page shows them.
/// `references` are rates that the kernels' bandwidth is drawn beside, in GB/s against n, as far as a chart
/// has room for them.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn charts(record: &Record, references: &[Series], vertical: Vertical) -> Result<Vec<Chart>> {
    let exactly = |value: f64| Value { value, spread: None };
    let run_time =
        |run: &Run| run.time_us.map(|time| Value { value: time.median, spread: Some((time.min, time.max)) });
    let rate = |run: &Run| run.gigabytes_per_second().map(exactly);
    let error = |run: &Run| run.relative_error().map(exactly);
    let counted = |field: fn(&Counters) -> u64| {
        move |run: &Run| run.counters.as_ref().map(|counters| exactly(field(counters) as f64))
    };
    let sectors = counted(|c| c.global_load_sectors.saturating_add(c.global_store_sectors));
    let by_size = |quantity, value: FromRun<Value>, references: &[Series]| {
        against_size(record, &Quantity { vertical, ..quantity }, value, references)
    };
    let by_block =
        |quantity, value: FromRun<Value>| against_block(record, Quantity { vertical, ..quantity }, value);
    let charts = match record.device.kind {
        DeviceKind::Gpu | DeviceKind::Cpu => vec![
            by_size(TIME, &run_time, &[])?,
            by_size(BANDWIDTH, &rate, references)?,
            by_size(ERROR, &error, &[])?,
            against_launches(record, vertical, &run_time)?,
            by_block(TIME, &run_time)?,
        ],
        DeviceKind::Sim => vec![
            by_size(DIVERGENCE, &counted(|c| c.divergent_branches), &[])?,
            by_size(SECTORS, &sectors, &fewest_sectors(record))?,
            by_size(ERROR, &error, &[])?,
            by_block(INSTRUCTIONS, &counted(|c| c.warp_instructions))?,
        ],
    };
    Ok(charts.into_iter().flatten().collect())
}

/// Each time over the shortest at its size.
const OVER_BEST: Quantity = Quantity {
    name: "over-best",
    title: "Time over the shortest",
    axis: "time over the shortest at this n",
    words: |ratio| format!("{ratio:.2}×"),
    ..BANDWIDTH
};

/// The chart of that name, if it is one that a page has to ask for; `None` of another name, or if the record
/// has no times for it. Of `over-best`, the sizes at which all of the record's kernels were timed.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn on_demand(record: &Record, name: &str, vertical: Vertical) -> Result<Option<Chart>> {
    match name {
        "over-best" => over_best(record, vertical),
        "per-launch" => per_launch(record, vertical),
        _ => Ok(None),
    }
}

fn over_best(record: &Record, vertical: Vertical) -> Result<Option<Chart>> {
    let run_time = |run: &Run| run.time_us.map(|time| Value { value: time.median, spread: None });
    let mut lines = leave_out_points(series_of(record, &|run| Some(run.n), &run_time));
    let y_at = |line: &Series, x: f64| line.points.iter().find(|point| point.x == x).map(|point| point.y);
    // The lines as measured, since the loop overwrites them.
    let measured = lines.clone();
    for line in &mut lines {
        line.points.retain(|point| measured.iter().all(|other| y_at(other, point.x).is_some()));
        for point in &mut line.points {
            let times = measured.iter().filter_map(|other| y_at(other, point.x));
            let shortest = times.fold(f64::INFINITY, f64::min);
            point.y /= shortest;
        }
    }
    lines.retain(|line| !line.points.is_empty());
    if lines.is_empty() {
        return Ok(None);
    }
    let against = sizes_of(record, &lines);
    plot(record, &Quantity { vertical, ..OVER_BEST }, &against, lines).map(Some)
}

fn per_launch(record: &Record, vertical: Vertical) -> Result<Option<Chart>> {
    let launches = |run: &Run| run.device_launches.filter(|launches| run.ok && *launches > 0);
    let each = |run: &Run| {
        let launches = run.device_launches? as f64;
        run.time_us.map(|time| Value { value: time.median / launches, spread: None })
    };
    let lines = series_of(record, &launches, &each);
    if lines.is_empty() {
        return Ok(None);
    }
    let against = Against {
        word: "device launches",
        axis: "launches by device code",
        scale: Scale::decades,
        detail: " · all sizes and blocks".to_string(),
    };
    let quantity = Quantity {
        name: "per-launch",
        title: "Time per launch",
        axis: "time over launches",
        vertical,
        ..TIME
    };
    plot(record, &quantity, &against, lines).map(Some)
}

/// A quantity against n, at the record's block size, beside `references` at the same sizes; `None` if no run
/// has it.
fn against_size(
    record: &Record,
    quantity: &Quantity,
    value: FromRun<Value>,
    references: &[Series],
) -> Result<Option<Chart>> {
    let mut lines = leave_out_points(series_of(record, &|run| Some(run.n), value));
    if lines.is_empty() {
        return Ok(None);
    }
    let against = sizes_of(record, &lines);
    let last = lines.iter().flat_map(|line| &line.points).map(|point| point.x).fold(0.0, f64::max);
    for line in references {
        let points: Vec<Point> = line.points.iter().filter(|point| point.x <= last).cloned().collect();
        if !points.is_empty() {
            lines.push(Series { name: line.name.clone(), style: line.style, points });
        }
    }
    plot(record, quantity, &against, lines).map(Some)
}

/// The axis of n, below a head that names the block size if all points of kernels are of one.
fn sizes_of(record: &Record, lines: &[Series]) -> Against {
    let of_kernels = lines.iter().filter(|line| matches!(line.style, Style::Kernel(_)));
    let one_block = of_kernels.flat_map(|line| &line.points).all(|point| point.block == record.block);
    let detail = if one_block && record.block > 0 {
        format!(" · {} threads per block", thousands(record.block.into()))
    } else {
        String::new()
    };
    let axis = if reads(record) { "n, elements summed" } else { "n" };
    Against { word: "n", axis, scale: Scale::powers_of_two, detail }
}

/// Time against launches by device code, over all runs of nested kernels. Kernels with fewer than three
/// numbers of launches are left out; a straight line is fitted to the first of the others. `None` if there
/// are none.
fn against_launches(record: &Record, vertical: Vertical, value: FromRun<Value>) -> Result<Option<Chart>> {
    let mut lines = series_of(record, &|run| run.device_launches.filter(|_| run.ok), value);
    lines.retain(|line| line.points.len() > 2);
    let Some(first) = lines.first() else { return Ok(None) };
    let points: Vec<(f64, f64)> = first.points.iter().map(|point| (point.x, point.y)).collect();
    if let Some((constant, per_launch)) = line::fit(&points) {
        // `fit` gives exactly 0 where the best constant would be negative.
        let name = if constant == 0.0 {
            format!("{} per launch", time(per_launch))
        } else {
            format!("{} + {} per launch", time(constant), time(per_launch))
        };
        let ends = [points[0].0, points[points.len() - 1].0];
        let points = ends.map(|x| Point::new(x, constant + per_launch * x)).to_vec();
        lines.push(Series { name, style: Style::Limit, points });
    }
    let against = Against {
        word: "device launches",
        axis: "launches by device code",
        scale: Scale::decades,
        detail: " · all sizes and blocks; dashed: fitted to the first kernel".to_string(),
    };
    plot(record, &Quantity { name: "launches", vertical, ..TIME }, &against, lines).map(Some)
}

/// A quantity against the block size, at the record's n; `None` unless a kernel has two block sizes there.
fn against_block(record: &Record, quantity: Quantity, value: FromRun<Value>) -> Result<Option<Chart>> {
    let block = |run: &Run| (run.n == record.n && run.block > 0).then_some(run.block.into());
    let lines = series_of(record, &block, value);
    if !lines.iter().any(|line| line.points.len() > 1) {
        return Ok(None);
    }
    let against = Against {
        word: "block size",
        axis: "threads per block",
        scale: Scale::powers_of_two,
        detail: format!(" · n = {}", size(record.n)),
    };
    plot(record, &Quantity { name: "block", ..quantity }, &against, leave_out_points(lines)).map(Some)
}

/// A kernel that is not swept is a point, and no line: it is left out where there are lines.
fn leave_out_points(mut lines: Vec<Series>) -> Vec<Series> {
    if lines.iter().any(|line| line.points.len() > 1) {
        lines.retain(|line| line.points.len() > 1);
    }
    lines
}

/// Whether the record's kernels have input at all.
fn reads(record: &Record) -> bool {
    runs(record).any(|run| run.element_bytes != Some(0))
}

/// The sectors that every element takes if it is read once, at each size; of the smallest elements in the
/// record.
fn fewest_sectors(record: &Record) -> Vec<Series> {
    if !reads(record) {
        return Vec::new();
    }
    let Some(bytes) = runs(record).map(Run::bytes_per_element).min() else { return Vec::new() };
    let fewest = |n: u64| Point::new(n as f64, (n as f64 * f64::from(bytes) / SECTOR).ceil());
    let name = "every element once".to_string();
    let points = sizes(runs(record)).into_iter().map(fewest).collect();
    vec![Series { name, style: Style::Limit, points }]
}

/// The sizes of runs, each once, in their order.
pub fn sizes<'a>(runs: impl Iterator<Item = &'a Run>) -> Vec<u64> {
    runs.map(|run| run.n).collect::<BTreeSet<_>>().into_iter().collect()
}

/// One line per kernel that has points, in the order in which the record names the kernels. `x` is a run's
/// place on the horizontal axis, if it has one.
fn series_of(record: &Record, x: FromRun<u64>, value: FromRun<Value>) -> Vec<Series> {
    let line = |(run, style): (&Run, Style)| {
        let cpu = if style == Style::Host { " (CPU)" } else { "" };
        let places = runs_by_place(record, &run.kernel, x).into_iter();
        let points = places.filter_map(|(x, run)| point(x, run, value)).collect();
        Series { name: format!("{}{cpu}", run.kernel), style, points }
    };
    styles(record).into_iter().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// The runs of a kernel by their place; of several at one place, that at the record's block size.
fn runs_by_place<'a>(record: &'a Record, kernel: &str, x: FromRun<u64>) -> BTreeMap<u64, &'a Run> {
    let mut by_place: BTreeMap<u64, &Run> = BTreeMap::new();
    for run in runs(record).filter(|run| run.kernel == kernel) {
        let Some(x) = x(run) else { continue };
        let held = by_place.entry(x).or_insert(run);
        if held.block != record.block && run.block == record.block {
            *held = run;
        }
    }
    by_place
}

/// The point of a run; `None` if it has no value, or one that an axis has no room for.
fn point(x: u64, run: &Run, value: FromRun<Value>) -> Option<Point> {
    let Value { value: y, spread } = value(run)?;
    let (low, high) = spread.unwrap_or((y, y));
    let fits = |value: f64| value <= 0.0 || (MAX_VALUE.recip()..=MAX_VALUE).contains(&value);
    let point = Point { x: x as f64, y, spread, block: run.block, right: run.ok };
    [y, low, high].into_iter().all(fits).then_some(point)
}

/// The first run of each kernel, and the style of its line.
fn styles(record: &Record) -> Vec<(&Run, Style)> {
    let mut styles: Vec<(&Run, Style)> = Vec::new();
    let mut kernels = 0..;
    for run in runs(record) {
        if styles.iter().any(|(first, _)| first.kernel == run.kernel) {
            continue;
        }
        // A run without a block is the host's: beside kernels it is what they are compared with.
        let is_host = run.block == 0 && record.device.kind != DeviceKind::Cpu;
        styles.push((run, if is_host { Style::Host } else { Style::Kernel(kernels.next().unwrap_or(0)) }));
    }
    styles
}

/// The runs to draw: all of them or, if there is a sweep, those of the kernels in it. Any other kernel would
/// be a single point.
fn runs(record: &Record) -> impl Iterator<Item = &Run> {
    let swept =
        |run: &&Run| record.sweep.is_empty() || record.sweep.iter().any(|other| other.kernel == run.kernel);
    record.runs.iter().filter(swept).chain(&record.sweep)
}
