//! Reads the record's sections on the last rung beside CUB and the other ways, and charts them.

use std::collections::BTreeMap;

use anyhow::Result;
use workbook::record::chart::{
    self, Against, BANDWIDTH, Chart, Point, Quantity, Scale, Series, Style, Vertical, plot,
};
use workbook::record::{Record, Run};
use workbook::text::columns::{Column, NONE};
use workbook::text::number::{percent, size, time};

use super::rows::Kind;

/// The section of the runs, and that of the rows in each kind and size.
pub const COMPARISON: &str = "comparison";
pub const ROWS: &str = "rows";

/// Sizes of the comparison.
pub const SIZES: [u64; 6] = [1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 28];
/// Kinds of the comparison; the last one is there to mislead.
pub const KINDS: [Kind; 7] = [
    Kind::Equal(64),
    Kind::Equal(1024),
    Kind::Equal(65536),
    Kind::Power,
    Kind::Giant,
    Kind::Empty,
    Kind::Misleading,
];

fn run<'a>(record: &'a Record, name: &str, kind: Kind, n: u64) -> Option<&'a Run> {
    let name = format!("{name}_{}", kind.suffix());
    record.section_runs(COMPARISON).iter().find(|run| run.kernel == name && run.n == n && run.ok)
}

/// The work alone of `name` on rows of a kind, in microseconds.
fn alone(record: &Record, name: &str, kind: Kind, n: u64) -> Option<f64> {
    Some(run(record, name, kind, n)?.timings?.work_alone?.median)
}

/// CUB's time over that of the last rung, of elements whose kernels end in `suffix`.
fn ratio(record: &Record, suffix: &str, kind: Kind, n: u64) -> Option<f64> {
    let cub = alone(record, &format!("cub{suffix}"), kind, n)?;
    Some(cub / alone(record, &format!("rowSums{suffix}"), kind, n)?)
}

/// GB/s of what has to be read and written, elements, offsets and sums, by the last rung.
fn rate(record: &Record, rows: &BTreeMap<String, u64>, suffix: &str, kind: Kind, n: u64) -> Option<f64> {
    let m = rows.get(&format!("{}-{n}", kind.suffix()))?;
    Some((4 * n + 8 * m) as f64 / alone(record, &format!("rowSums{suffix}"), kind, n)? / 1e3)
}

fn rows(record: &Record) -> Result<BTreeMap<String, u64>> {
    Ok(record.section(ROWS)?.unwrap_or_default())
}

/// A table of times at the largest size, and one of CUB's times over ours; none without a comparison.
pub fn tables(record: &Record) -> Result<Vec<Vec<Column>>> {
    let sizes = chart::sizes(record.section_runs(COMPARISON).iter());
    let Some(&largest) = sizes.last() else { return Ok(Vec::new()) };
    let rows = rows(record)?;
    let cell = |value: Option<f64>, write: &dyn Fn(f64) -> String| value.map_or(NONE.to_string(), write);
    let kinds = || KINDS.map(Kind::words);
    let mut times = vec![Column::left(&format!("work alone, {} elements", size(largest)), kinds())];
    for name in ["rowSums", "rowSumsF32", "cub", "cubF32", "warpPerRow", "blockPerRow", "mergePath"] {
        times.push(Column::right(name, KINDS.map(|kind| cell(alone(record, name, kind, largest), &time))));
    }
    let datasheet = record.device.gpu.as_ref().map(|gpu| gpu.datasheet());
    let share = |rate: f64| datasheet.map_or(NONE.to_string(), |whole| percent(rate / whole, 1.0));
    for (title, suffix) in [("share of the data sheet's rate", ""), ("of f32", "F32")] {
        let of = |kind| cell(rate(record, &rows, suffix, kind, largest), &share);
        times.push(Column::right(title, KINDS.map(of)));
    }
    let mut ratios = vec![Column::left("CUB's time over ours", kinds())];
    for (name, suffix) in [("i32", ""), ("f32", "F32")] {
        for &n in &sizes {
            let of = |kind| cell(ratio(record, suffix, kind, n), &|ratio| format!("{ratio:.2}"));
            ratios.push(Column::right(&format!("{name}, {}", size(n)), KINDS.map(of)));
        }
    }
    for columns in [&mut times, &mut ratios] {
        columns.retain(Column::has_values);
    }
    Ok([times, ratios].into_iter().filter(|columns| columns.len() > 1).collect())
}

const RATIO: Quantity = Quantity {
    name: "ratio",
    title: "CUB's time over ours",
    axis: "CUB's time over ours: above 1, ours is faster",
    words: |value| format!("{value:.2}"),
    scale: Scale::decades,
    ..BANDWIDTH
};
const RATE: Quantity = Quantity {
    name: "rate",
    title: "Rate of rowSums",
    axis: "elements, offsets and sums over time, GB/s",
    ..BANDWIDTH
};
/// The kinds that a chart has room for.
const DRAWN: [Kind; 5] = [Kind::Equal(64), Kind::Equal(65536), Kind::Power, Kind::Giant, Kind::Empty];

/// A quantity of rows of a kind, at a size.
type At<'a> = &'a dyn Fn(Kind, u64) -> Option<f64>;

/// Those of every record; then `ratio` and `rate` of `i32`, against n.
pub fn charts(record: &Record, vertical: Vertical) -> Result<Vec<Chart>> {
    let mut charts = chart::charts(record, &[], vertical)?;
    let sizes = chart::sizes(record.section_runs(COMPARISON).iter());
    let rows = rows(record)?;
    let ratio_at = |kind, n| ratio(record, "", kind, n);
    let rate_at = |kind, n| rate(record, &rows, "", kind, n);
    let datasheet = record.device.gpu.as_ref().map(|gpu| ("memory by datasheet", gpu.datasheet()));
    let drawn: [(Quantity, At, _); 2] = [(RATIO, &ratio_at, Some(("CUB", 1.0))), (RATE, &rate_at, datasheet)];
    let against =
        Against { word: "n", axis: "n, elements summed", scale: Scale::powers_of_two, detail: String::new() };
    for (quantity, value, limit) in drawn {
        let line = |(place, kind): (usize, Kind)| {
            let points = sizes.iter().filter_map(|&n| Some(Point::new(n as f64, value(kind, n)?)));
            Series { name: kind.words().to_string(), style: Style::Kernel(place), points: points.collect() }
        };
        let mut lines: Vec<Series> = DRAWN.into_iter().enumerate().map(line).collect();
        lines.retain(|line| !line.points.is_empty());
        if lines.is_empty() {
            continue;
        }
        lines.extend(limit.map(|(name, value)| Series {
            name: name.to_string(),
            style: Style::Limit,
            points: sizes.iter().map(|&n| Point::new(n as f64, value)).collect(),
        }));
        charts.push(plot(record, &Quantity { vertical, ..quantity }, &against, lines)?);
    }
    Ok(charts)
}
