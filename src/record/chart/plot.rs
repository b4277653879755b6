//! From lines to a chart: its title, its axes, and the same in words.

use anyhow::Result;
use text::number::thousands;

use super::draw::{self, Figure, NARROW, WIDE};
use super::line::{Point, SERIES, Series, Style};
use super::scale::{Scale, Vertical};
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
    /// `series-1` to `series-5`.
    pub svg: String,
    /// The same drawing for a page of a phone's width.
    pub narrow: String,
    /// Measured lines beyond the first [`SERIES`], which are not drawn.
    pub left_out: usize,
}

impl Chart {
    /// The drawing for a page and that for a phone, as HTML; the style sheet shows the one that fits.
    pub fn html(&self) -> String {
        // A blank line would end the HTML block in Markdown; the drawings have none.
        format!("<div class=\"chart-frame\">\n{}{}</div>\n", self.svg, self.narrow)
    }
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
    /// How that axis counts.
    pub vertical: Vertical,
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

/// The chart of the first [`SERIES`] of `lines`, which were measured in `record`; a computed limit has a
/// place only where a measurement needs none.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn plot(record: &Record, quantity: &Quantity, against: &Against, lines: Vec<Series>) -> Result<Chart> {
    let day = record.date.get(..10).unwrap_or(&record.date);
    plot_of(&format!("{} · {day}", record.device.title()), quantity, against, lines)
}

/// [`plot`] of something else than a record: `source` is the device and the day of the measurement.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn plot_of(source: &str, quantity: &Quantity, against: &Against, lines: Vec<Series>) -> Result<Chart> {
    let (limits, measured): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.style == Style::Limit);
    let all = measured.len();
    let lines: Vec<Series> = measured.into_iter().chain(limits).take(SERIES).collect();
    let lines = &distinct(lines)[..];
    let title = format!("{} against {}", quantity.title, against.word);
    let mut subtitle = format!("{source}{}", against.detail);
    if all > SERIES {
        subtitle += &format!(" · the first {SERIES} of {all}");
    }
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
    let values: Vec<f64> = points().flat_map(values).collect();
    let y_scale = (quantity.scale)(&values);
    let figure = Figure {
        title: &title,
        subtitle: &subtitle,
        description: &description,
        x_title: against.axis,
        y_title: &axis,
        x_scale: (against.scale)(&points().map(|point| point.x).collect::<Vec<_>>()),
        y_scale: if quantity.vertical == Vertical::Linear { y_scale.from_zero(&values) } else { y_scale },
        lines,
    };
    let narrow = draw::svg(&figure, &NARROW)?;
    let svg = draw::svg(&figure, &WIDE)?;
    Ok(Chart { name: quantity.name, svg, narrow, left_out: all.saturating_sub(SERIES), title, description })
}

/// The lines with a colour and a marker of its own for each kernel: those that it has in all charts of the
/// record, where that has no more kernels than a chart has lines.
fn distinct(mut lines: Vec<Series>) -> Vec<Series> {
    let is_beyond = |line: &Series| matches!(line.style, Style::Kernel(i) if i >= SERIES);
    if lines.iter().any(is_beyond) {
        let kernels = lines.iter_mut().filter(|line| matches!(line.style, Style::Kernel(_)));
        for (i, line) in kernels.enumerate() {
            line.style = Style::Kernel(i);
        }
    }
    lines
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
    let scales = match quantity.vertical {
        Vertical::Logarithmic => "both on logarithmic scales",
        Vertical::Linear => "from zero on, against a logarithmic scale",
    };
    let mut text = format!("{title}, {scales}. {subtitle}. Values: {axis}.");
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
