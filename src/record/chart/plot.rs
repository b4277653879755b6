//! From lines to a chart: its title, its axes, and the same in words.

use anyhow::Result;

use super::draw::{self, Figure};
use super::line::{Point, Series};
use super::scale::Scale;
use crate::number::thousands;
use crate::record::Record;

/// One chart of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// `time`, `bandwidth`, …: part of a file name and of a page's directive.
    pub name: &'static str,
    /// What is plotted against what.
    pub title: String,
    /// What the chart shows, in words: axes, device, date, and the ends of every line.
    pub description: String,
    /// A complete SVG file. Its colours are fixed for a reader of the file alone; the book's style sheet
    /// replaces them by those of the page's theme, by the classes `paper`, `text`, `muted`, `grid`,
    /// `series-1` to `series-6`.
    pub svg: String,
}

/// What a chart plots: its vertical axis.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// The name of the chart.
    pub name: &'static str,
    /// What is plotted, for the title of the chart.
    pub title: &'static str,
    /// Title of the axis, with the unit.
    pub axis: &'static str,
    /// A value in words, with its unit.
    pub words: fn(f64) -> String,
    /// The axis for these values.
    pub scale: fn(&[f64]) -> Scale,
}

/// What it is plotted against: the horizontal axis.
pub struct Against {
    /// What it is plotted against, for the title of the chart.
    pub word: &'static str,
    /// Title of the axis.
    pub axis: &'static str,
    /// The axis for these values.
    pub scale: fn(&[f64]) -> Scale,
    /// What was held fixed, for the subtitle: ` · n = 2^20`.
    pub detail: String,
}

/// The chart of `lines`, which were measured in `record`.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn plot(record: &Record, quantity: &Quantity, against: &Against, lines: &[Series]) -> Result<Chart> {
    let title = format!("{} against {}", quantity.title, against.word);
    let day = record.date.get(..10).unwrap_or(&record.date);
    let subtitle = format!("{} · {day}{}", record.device.name, against.detail);
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut axis = quantity.axis.to_string();
    if points().any(|point| point.spread.is_some()) {
        axis.push_str(", median; bar from minimum to maximum");
    }
    if points().any(|point| !point.right) {
        axis.push_str("; hollow marker: a run that went wrong");
    }
    let description = describe(&title, &subtitle, &axis, quantity, against, lines);
    let values = |point: &Point| {
        let (low, high) = point.spread.unwrap_or((point.y, point.y));
        [point.y, low, high]
    };
    let svg = draw::svg(&Figure {
        title: &title,
        subtitle: &subtitle,
        description: &description,
        x_title: against.axis,
        y_title: &axis,
        x_scale: (against.scale)(&points().map(|point| point.x).collect::<Vec<_>>()),
        y_scale: (quantity.scale)(&points().flat_map(values).collect::<Vec<_>>()),
        lines,
    })?;
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
