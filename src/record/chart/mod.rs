//! A record as SVG: which charts it has data for, what they show, and the same in words.
//!
//! | chart | against | for |
//! | --- | --- | --- |
//! | `time` | n | records with times (a GPU, a CPU) |
//! | `bandwidth` | n | the same: bytes of input over time; with a contest, beside CUB and what the memory could do |
//! | `divergence` | n | the simulator: divergent branches |
//! | `sectors` | n | the simulator: global sectors loaded and stored, and the fewest that would do |
//! | `one-call`, `work-alone` | n | a contest: bytes of input over time by that measure, beside CUB and what the memory could do |
//! | `ratio` | n | a contest: CUB's time over ours |
//! | `launches` | launches by device code | time of nested kernels, and what a launch costs |
//! | `error` | n | results that may differ from the reference by a bound: how far they do, as a share of it |
//! | `block` | threads a block | time, or warp instructions on the simulator; where more than one block size was run |
//!
//! Both axes of every chart are logarithmic. `draw.rs` is the only file that names plotters.

mod contest;
mod draw;
mod fit;
mod ink;
mod scale;

use std::collections::BTreeMap;

use anyhow::Result;

use crate::record::table::{self, thousands};
use crate::record::{DeviceKind, Record, Run};
use crate::sim::Counters;
use scale::Scale;

/// One chart of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// `time`, `bandwidth`, `launches`, `block`, `divergence`, `sectors` or `error`: part of a file name and of a page's
    /// directive.
    pub name: &'static str,
    pub title: String,
    /// What the chart shows, in words: axes, device, date, and the ends of every line.
    pub description: String,
    /// A complete SVG file. Its colours are fixed for a reader of the file alone; the book's style sheet replaces
    /// them by those of the page's theme, by the classes `paper`, `ink`, `grid`, `series-1` to `series-6`.
    pub svg: String,
}

/// One line of a chart.
struct Series {
    name: String,
    style: Style,
    /// Sorted by x.
    points: Vec<Point>,
}

/// How a line is told from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// The i-th kernel of the record: its colour and marker, the same in all charts of the record.
    Kernel(usize),
    /// The same, launched as a graph: the kernel's line, dashed.
    Graph(usize),
    /// Work of the host that kernels are compared with.
    Host,
    /// A computed limit, not a measurement.
    Limit,
}

/// A value, with its spread where it has one.
struct Point {
    x: f64,
    y: f64,
    spread: Option<(f64, f64)>,
    /// Threads a block; 0 where there is no kernel.
    block: u32,
    /// Whether the run was ok.
    right: bool,
}

/// What a chart plots.
struct Quantity {
    name: &'static str,
    title: &'static str,
    /// Axis title of the values.
    axis: &'static str,
    /// A value in words, with its unit.
    words: fn(f64) -> String,
    /// The same, as short as an axis wants it.
    tick: fn(f64) -> String,
    value: fn(&Run) -> Option<Value>,
}

/// A value of one run, and its minimum and maximum.
type Value = (f64, Option<(f64, f64)>);

const TIME: Quantity = Quantity {
    name: "time",
    title: "Time",
    axis: "time",
    words: table::time,
    tick: scale::time,
    value: |run| run.time_us.map(|time| (time.median, Some((time.min, time.max)))),
};

const LAUNCHES: Quantity = Quantity { name: "launches", ..TIME };

const BANDWIDTH: Quantity = Quantity {
    name: "bandwidth",
    title: "Bandwidth",
    axis: "bytes of input over time, GB/s",
    words: |value| format!("{} GB/s", scale::three_digits(value)),
    tick: scale::plain,
    value: |run| run.gigabytes_per_second().map(|value| (value, None)),
};

const DIVERGENCE: Quantity = Quantity {
    name: "divergence",
    title: "Divergent branches",
    axis: "branches at which a warp divided",
    words: |value| thousands(value as i64),
    tick: scale::count,
    value: |run| count(run, |counters| counters.divergent_branches),
};

const SECTORS: Quantity = Quantity {
    name: "sectors",
    title: "Global memory traffic",
    axis: "sectors of 32 bytes, loaded and stored",
    words: |value| thousands(value as i64),
    tick: scale::count,
    value: |run| {
        count(run, |counters| counters.global_load_sectors.saturating_add(counters.global_store_sectors))
    },
};

const ERROR: Quantity = Quantity {
    name: "error",
    title: "Error",
    axis: "difference from the reference, as a share of it",
    words: |value| if value == 0.0 { "0".to_string() } else { format!("{value:.1e}") },
    tick: scale::power,
    value: |run| run.relative_error().map(|error| (error, None)),
};

const INSTRUCTIONS: Quantity = Quantity {
    name: "block",
    title: "Instructions",
    axis: "instructions executed by warps",
    words: |value| thousands(value as i64),
    tick: scale::count,
    value: |run| count(run, |counters| counters.warp_instructions),
};

fn count(run: &Run, field: fn(&Counters) -> u64) -> Option<Value> {
    run.counters.as_ref().map(|counters| (field(counters) as f64, None))
}

/// The charts that `record` has data for, in the order in which a page shows them.
pub fn charts(record: &Record) -> Result<Vec<Chart>> {
    let (sizes, blocks) = match record.device.kind {
        DeviceKind::Gpu | DeviceKind::Cpu => (&[TIME, BANDWIDTH][..], Quantity { name: "block", ..TIME }),
        DeviceKind::Sim => (&[DIVERGENCE, SECTORS][..], INSTRUCTIONS),
    };
    let mut charts = Vec::new();
    for quantity in sizes {
        charts.extend(against_size(record, quantity)?);
    }
    charts.extend(against_size(record, &ERROR)?);
    charts.extend(against_launches(record, &LAUNCHES)?);
    charts.extend(against_block(record, &blocks)?);
    charts.extend(contest::charts(record)?);
    Ok(charts)
}

/// `quantity` against n, at the record's block size; `None` if no run has it.
fn against_size(record: &Record, quantity: &Quantity) -> Result<Option<Chart>> {
    let mut lines = lines(record, |kernel| {
        let mut at_size: BTreeMap<u64, &Run> = BTreeMap::new();
        for run in runs(record).filter(|run| run.kernel == kernel) {
            let chosen = at_size.entry(run.n).or_insert(run);
            if chosen.block != record.block && run.block == record.block {
                *chosen = run;
            }
        }
        at_size.values().filter_map(|run| point(run.n as f64, run, quantity)).collect()
    });
    leave_out_points(&mut lines);
    if lines.is_empty() {
        return Ok(None);
    }
    let reads = runs(record).any(|run| run.element_bytes != Some(0));
    if quantity.name == SECTORS.name && reads {
        let mut sizes: Vec<f64> = lines.iter().flat_map(|line| line.points.iter().map(|p| p.x)).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let bytes = runs(record).map(Run::bytes_per_element).min().unwrap_or(4);
        let fewest = |n: f64| Point {
            x: n,
            y: (n * f64::from(bytes) / 32.0).ceil(),
            spread: None,
            block: 0,
            right: true,
        };
        lines.push(Series {
            name: "every element once".to_string(),
            style: Style::Limit,
            points: sizes.into_iter().map(fewest).collect(),
        });
    }
    if quantity.name == BANDWIDTH.name {
        let last = lines.iter().flat_map(|line| &line.points).map(|point| point.x).fold(0.0, f64::max);
        lines.extend(contest::references(record, last));
    }
    let scale = Scale::powers_of_two(lines.iter().flat_map(|line| line.points.iter().map(|p| p.x)));
    let one_block =
        lines.iter().filter(|line| matches!(line.style, Style::Kernel(_) | Style::Graph(_))).all(|line| {
            let mut blocks = line.points.iter().map(|point| point.block);
            blocks.all(|block| block == record.block)
        });
    let detail = if one_block && record.block > 0 {
        format!(" · {} threads a block", thousands(record.block.into()))
    } else {
        String::new()
    };
    let axis = if reads { "n, elements summed" } else { "n" };
    finish(record, quantity, Against { word: "n", axis, scale, detail }, lines).map(Some)
}

/// `quantity` against launches by device code, over all runs of nested kernels, with a straight line through those of
/// the first; `None` unless that has several numbers of launches.
fn against_launches(record: &Record, quantity: &Quantity) -> Result<Option<Chart>> {
    let mut lines = lines(record, |kernel| {
        let mut at: BTreeMap<u64, &Run> = BTreeMap::new();
        for run in runs(record).filter(|run| run.kernel == kernel && run.ok) {
            let Some(launches) = run.device_launches else { continue };
            let chosen = at.entry(launches).or_insert(run);
            if chosen.block != record.block && run.block == record.block {
                *chosen = run;
            }
        }
        at.iter().filter_map(|(&launches, run)| point(launches as f64, run, quantity)).collect()
    });
    lines.retain(|line| line.points.len() > 2);
    let Some(first) = lines.first() else { return Ok(None) };
    let points: Vec<(f64, f64)> = first.points.iter().map(|point| (point.x, point.y)).collect();
    if let Some((start, each)) = fit::line(&points) {
        let ends = [points.first(), points.last()].into_iter().flatten();
        let fitted =
            |&(x, _): &(f64, f64)| Point { x, y: start + each * x, spread: None, block: 0, right: true };
        lines.push(Series {
            name: match start {
                0.0 => format!("{} a launch", table::time(each)),
                _ => format!("{} + {} a launch", table::time(start), table::time(each)),
            },
            style: Style::Limit,
            points: ends.map(fitted).collect(),
        });
    }
    let scale = Scale::decades(lines.iter().flat_map(|line| line.points.iter().map(|p| p.x)), scale::count);
    let detail = " · all sizes and blocks; dashed: fitted to the first kernel".to_string();
    let against = Against { word: "device launches", axis: "launches by device code", scale, detail };
    finish(record, quantity, against, lines).map(Some)
}

/// `quantity` against the block size, at the record's n; `None` unless a kernel has two block sizes there.
fn against_block(record: &Record, quantity: &Quantity) -> Result<Option<Chart>> {
    let mut lines = lines(record, |kernel| {
        let mut at_block: BTreeMap<u32, &Run> = BTreeMap::new();
        for run in runs(record).filter(|run| run.kernel == kernel && run.n == record.n && run.block > 0) {
            at_block.entry(run.block).or_insert(run);
        }
        at_block.values().filter_map(|run| point(run.block.into(), run, quantity)).collect()
    });
    if !lines.iter().any(|line| line.points.len() > 1) {
        return Ok(None);
    }
    leave_out_points(&mut lines);
    let scale = Scale::powers_of_two(lines.iter().flat_map(|line| line.points.iter().map(|p| p.x)));
    let detail = format!(" · n = {}", scale::size(record.n));
    finish(record, quantity, Against { word: "block size", axis: "threads a block", scale, detail }, lines)
        .map(Some)
}

/// A kernel that is not swept is a point, and no line: it is left out where there are lines.
fn leave_out_points(lines: &mut Vec<Series>) {
    if lines.iter().any(|line| line.points.len() > 1) {
        lines.retain(|line| line.points.len() > 1);
    }
}

/// The horizontal axis of a chart.
struct Against {
    word: &'static str,
    axis: &'static str,
    scale: Scale,
    /// What was held fixed.
    detail: String,
}

fn finish(record: &Record, quantity: &Quantity, against: Against, lines: Vec<Series>) -> Result<Chart> {
    let title = format!("{} against {}", quantity.title, against.word);
    let day = record.date.get(..10).unwrap_or(&record.date);
    let subtitle = format!("{} · {day}{}", record.device.name, against.detail);
    let mut axis = quantity.axis.to_string();
    if lines.iter().flat_map(|line| &line.points).any(|point| point.spread.is_some()) {
        axis.push_str(", median; bar from minimum to maximum");
    }
    if lines.iter().flat_map(|line| &line.points).any(|point| !point.right) {
        axis.push_str("; hollow marker: a run that went wrong");
    }
    let description = describe(&title, &subtitle, &axis, quantity, &against, &lines);
    let values = lines.iter().flat_map(|line| &line.points).flat_map(|point| {
        let (low, high) = point.spread.unwrap_or((point.y, point.y));
        [point.y, low, high]
    });
    let figure = draw::Figure {
        title: &title,
        subtitle: &subtitle,
        description: &description,
        x_title: against.axis,
        y_title: &axis,
        y_scale: match quantity.name == contest::RATIO.name {
            true => Scale::ratios(values, quantity.tick),
            false => Scale::decades(values, quantity.tick),
        },
        x_scale: against.scale,
        lines: &lines,
    };
    let svg = draw::svg(&figure)?;
    Ok(Chart { name: quantity.name, title, description, svg })
}

/// The chart in words: every line from its first point to its last, and how many runs went wrong.
fn describe(
    title: &str,
    subtitle: &str,
    axis: &str,
    quantity: &Quantity,
    against: &Against,
    lines: &[Series],
) -> String {
    let mut text = format!("{title}, both on logarithmic scales. {subtitle}. Values: {axis}.");
    for line in lines {
        let end = |point: &Point| {
            format!("{} at {} = {}", (quantity.words)(point.y), against.word, thousands(point.x as i64))
        };
        let (Some(first), Some(last)) = (line.points.first(), line.points.last()) else { continue };
        text.push_str(&format!(" {}: {}", line.name, end(first)));
        if line.points.len() > 1 {
            text.push_str(&format!(", {}", end(last)));
        }
        let wrong = line.points.iter().filter(|point| !point.right).count();
        if wrong > 0 {
            text.push_str(&format!("; {wrong} of {} went wrong", line.points.len()));
        }
        text.push('.');
    }
    text
}

/// What the name of a kernel begins with whose launches the host made as one graph.
const IN_A_GRAPH: &str = "graph/";

/// One line a kernel that has points, in the order in which the record names the kernels.
fn lines(record: &Record, points: impl Fn(&str) -> Vec<Point>) -> Vec<Series> {
    let mut names: Vec<(&str, Style)> = Vec::new();
    let mut kernels = 0;
    for run in runs(record) {
        if names.iter().any(|(name, _)| *name == run.kernel) {
            continue;
        }
        // A run without a block is the host's: beside kernels it is what they are compared with.
        let by_host = run.block == 0 && record.device.kind != DeviceKind::Cpu;
        let in_a_graph = run.kernel.strip_prefix(IN_A_GRAPH);
        let same = names.iter().find(|(name, _)| Some(*name) == in_a_graph);
        if let Some(&(_, Style::Kernel(i))) = same {
            names.push((&run.kernel, Style::Graph(i)));
            continue;
        }
        if by_host {
            names.push((&run.kernel, Style::Host));
        } else {
            names.push((&run.kernel, Style::Kernel(kernels)));
            kernels += 1;
        }
    }
    names
        .into_iter()
        .map(|(name, style)| {
            let label = if style == Style::Host { format!("{name} (CPU)") } else { name.to_string() };
            Series { name: label, style, points: points(name) }
        })
        .filter(|line| !line.points.is_empty())
        .collect()
}

/// The runs to draw. Where there is a sweep, a kernel outside it would be a single point.
fn runs(record: &Record) -> impl Iterator<Item = &Run> {
    let swept =
        |run: &&Run| record.sweep.is_empty() || record.sweep.iter().any(|other| other.kernel == run.kernel);
    record.runs.iter().filter(swept).chain(&record.sweep)
}

/// What an axis has room for; an edited record may hold anything.
const LARGEST: f64 = 1e100;

fn point(x: f64, run: &Run, quantity: &Quantity) -> Option<Point> {
    let (y, spread) = (quantity.value)(run)?;
    let (low, high) = spread.unwrap_or((y, y));
    let fits = |value: f64| value <= 0.0 || (LARGEST.recip()..=LARGEST).contains(&value);
    [y, low, high].into_iter().all(fits).then_some(Point { x, y, spread, block: run.block, right: run.ok })
}
