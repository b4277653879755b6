//! Where everything stands on a chart; [`super::svg`] writes it.
//!
//! Places are whole units, a tenth of a pixel; the figure's `viewBox` scales it down.

use std::f64::consts::FRAC_1_SQRT_2;
use std::ops::Range;

use anyhow::{Context, Result};

use super::axes::axes;
use super::line::{Point, SERIES, Series, Style};
use super::place::{FONT, Plot, UNIT, font, units};
use super::scale::Scale;
use super::svg::{self, Anchor, Font, Ink, MUTED, PAPER, Place, Svg, TEXT};
use crate::record::columns::wrapped;

/// Everything on a chart.
pub struct Figure<'a> {
    pub title: &'a str,
    pub subtitle: &'a str,
    /// The text alternative.
    pub description: &'a str,
    pub x_title: &'a str,
    pub y_title: &'a str,
    pub x_scale: Scale,
    pub y_scale: Scale,
    pub lines: &'a [Series],
}

/// What differs between a drawing for a page and one for a phone.
pub struct Layout {
    /// The class by which the page's style sheet chooses one of the two.
    class: &'static str,
    width: f64,
    /// Height of the plot.
    plot: f64,
    /// Space for the tick labels of the vertical axis.
    left: f64,
    /// Whether the names of the lines stand beside their ends, or in a list below the plot.
    names_beside: bool,
}

/// For a column of text on a page.
pub const WIDE: Layout = Layout { class: "wide", width: 760.0, plot: 244.0, left: 72.0, names_beside: true };
/// For a phone.
pub const NARROW: Layout =
    Layout { class: "narrow", width: 330.0, plot: 190.0, left: 62.0, names_beside: false };

/// Space beside everything; below the plot for tick labels and the name of the horizontal axis.
const MARGIN: f64 = 16.0;
const TICK_LABELS: f64 = 24.0;
const X_TITLE: f64 = 30.0;
/// Height of a row of text, and width of a character that no usual font exceeds on average.
const ROW: f64 = 19.0;
const CHARACTER: f64 = 7.8;
/// From the plot to the sample of a line in its name, the sample, and from it to the name.
const SAMPLE_GAP: f64 = 14.0;
const SAMPLE: f64 = 24.0;
const NAME_GAP: f64 = 6.0;
/// Radius of a marker; and of each kernel's, the corners, the direction of the first, and the share of the
/// radius. The first are the largest, and their lines the widest, so that they still show where another
/// kernel's values are the same.
const MARKER: f64 = 4.4;
const SHAPES: [(usize, Direction, f64); SERIES] = [
    (16, UP, 1.2),
    (4, (FRAC_1_SQRT_2, -FRAC_1_SQRT_2), 1.2),
    (3, UP, 1.25),
    (4, UP, 1.1),
    (3, (0.0, 1.0), 1.1),
];
/// Of length 1, down positive.
type Direction = (f64, f64);
const UP: Direction = (0.0, -1.0);
const WIDTHS: [f64; SERIES] = [3.0, 2.6, 2.2, 1.9, 1.7];

/// The figure as a complete SVG file.
///
/// # Errors
/// What plotters says, if it cannot lay out the axes.
pub fn svg(figure: &Figure, layout: &Layout) -> Result<String> {
    let head = head(figure, layout);
    let top = head.last().map_or(0.0, |(y, ..)| y + 20.0);
    let names = if layout.names_beside { 0.0 } else { ROW * figure.lines.len() as f64 + 8.0 };
    let height = top + layout.plot + TICK_LABELS + X_TITLE + names;
    let mut drawing = Svg::default();
    draw(figure, layout, &head, (top, height), &mut drawing)
        .with_context(|| format!("cannot draw the chart {:?}", figure.title))?;
    let class = format!("chart {}", layout.class);
    Ok(svg::file(&class, layout.width, height, UNIT, figure.description, &drawing.written))
}

/// What stands above the plot, from the top: title, subtitle, the name of the vertical axis; each line with
/// its middle and its style.
fn head(figure: &Figure, layout: &Layout) -> Vec<(f64, String, Font)> {
    let bold = Font { bold: true, ..font(TEXT, FONT + 2.0) };
    let mut lines = Vec::new();
    let mut middle = 20.0;
    for (words, style, character, gap) in [
        (figure.title, bold, 1.15 * CHARACTER, 3.0),
        (figure.subtitle, font(MUTED, FONT - 0.5), 0.9 * CHARACTER, 11.0),
        (figure.y_title, font(TEXT, FONT - 0.5), 0.9 * CHARACTER, 0.0),
    ] {
        for line in wrapped(words, ((layout.width - 2.0 * MARGIN) / character) as usize) {
            lines.push((middle, line, style));
            middle += ROW;
        }
        middle += gap;
    }
    lines
}

fn draw(
    figure: &Figure,
    layout: &Layout,
    head: &[(f64, String, Font)],
    (top, height): (f64, f64),
    svg: &mut Svg,
) -> Result<()> {
    for (middle, words, font) in head {
        text(svg, words, (MARGIN, *middle), Anchor::Left, *font);
    }
    let right = if layout.names_beside { names_width(figure.lines, layout) } else { MARGIN };
    let room = layout.width - layout.left - right;
    let below = top + layout.plot + TICK_LABELS;
    let plot = &Plot {
        x_scale: &figure.x_scale.clone().thinned(room, 0.85 * CHARACTER),
        y_scale: &figure.y_scale,
        x: units(layout.left)..units(layout.width) - units(right),
        y: units(top)..units(top + layout.plot),
    };
    axes(svg, plot, (units(layout.width), units(height)))?;
    let middle = f64::from(plot.x.start + plot.x.end) / 2.0 / UNIT;
    text(svg, figure.x_title, (middle, below + X_TITLE - 14.0), Anchor::Centre, font(TEXT, FONT - 0.5));
    let part = |range: &Range<i32>, share: f64| (share * f64::from(range.end - range.start)) as i32;
    if let Some(gap) = figure.y_scale.gap() {
        break_axis(svg, (plot.x.start, plot.y.end - part(&plot.y, gap)), (0, 1));
    }
    if let Some(gap) = figure.x_scale.gap() {
        break_axis(svg, (plot.x.start + part(&plot.x, gap), plot.y.end), (1, 0));
    }

    for line in figure.lines {
        draw_line(svg, line, plot);
    }
    // Filled markers last: where lines coincide, the larger hollow one shows behind them.
    for filled in [false, true] {
        for line in figure.lines {
            for point in line.points.iter().filter(|point| point.right == filled) {
                marker(svg, line.style, plot.place(point.x, point.y), filled);
            }
        }
    }
    if layout.names_beside {
        let lasts = figure.lines.iter().filter_map(|line| line.points.last());
        let ends: Vec<Place> = lasts.map(|point| plot.place(point.x, point.y)).collect();
        let rows = spread(&ends, &plot.y);
        for ((line, end), row) in figure.lines.iter().zip(ends).zip(rows) {
            let start = plot.x.end + units(SAMPLE_GAP);
            let leader = [(end.0 + units(MARKER + 3.0), end.1), (start - units(3.0), row)];
            stroke(svg, &leader, line.style.ink().solid().faint(0.35), 1.0);
            name_line(svg, line, (start, row));
        }
    } else {
        for (i, line) in figure.lines.iter().enumerate() {
            name_line(svg, line, (units(MARGIN), units(below + X_TITLE + ROW * (i as f64 + 0.5))));
        }
    }
    Ok(())
}

/// Lines between neighbours, and bars from minimum to maximum. No line leads to a zero, which is infinitely
/// far away on a logarithmic axis.
fn draw_line(svg: &mut Svg, line: &Series, plot: &Plot) {
    let ink = line.style.ink();
    let on_scale = |point: &Point| plot.x_scale.holds(point.x) && plot.y_scale.holds(point.y);
    for piece in line.points.split(|point| !on_scale(point)).filter(|piece| piece.len() > 1) {
        let path: Vec<Place> = piece.iter().map(|point| plot.place(point.x, point.y)).collect();
        stroke(svg, &path, ink, line.style.width());
    }
    for point in &line.points {
        if let Some((low, high)) = point.spread {
            let bar = [plot.place(point.x, low), plot.place(point.x, high)];
            stroke(svg, &bar, ink.solid(), 1.2);
        }
    }
}

/// A sample of a line from the place given on, and its name.
fn name_line(svg: &mut Svg, line: &Series, (start, row): Place) {
    let sample = [(start, row), (start + units(SAMPLE), row)];
    stroke(svg, &sample, line.style.ink(), line.style.width());
    marker(svg, line.style, (start + units(SAMPLE / 2.0), row), true);
    let name = (f64::from(start) / UNIT + SAMPLE + NAME_GAP, f64::from(row) / UNIT);
    text(svg, &line.name, name, Anchor::Left, font(TEXT, FONT));
}

/// The column at the right that the names take, and no more than half of the figure.
fn names_width(lines: &[Series], layout: &Layout) -> f64 {
    let longest = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    (SAMPLE_GAP + SAMPLE + NAME_GAP + CHARACTER * longest as f64 + 10.0).min(layout.width / 2.0)
}

/// A row for each end of a line: as near to it as possible, without touching another, in the plot where there
/// is room. Rows that would touch form a group around the middle of their ends.
fn spread(ends: &[Place], plot: &Range<i32>) -> Vec<i32> {
    let row = units(ROW);
    let mut order: Vec<usize> = Vec::new();
    for i in 0..ends.len() {
        order.insert(order.partition_point(|&above| ends[above].1 <= ends[i].1), i);
    }
    // Groups from the top: how many rows, and the first row's place.
    let mut groups: Vec<(i32, i32)> = Vec::new();
    for &i in &order {
        groups.push((1, ends[i].1));
        while let [.., (above, first), (below, next)] = groups[..]
            && first + above * row > next
        {
            groups.truncate(groups.len() - 2);
            let middle = (above * first + below * (next - above * row)) / (above + below);
            groups.push((above + below, middle));
        }
    }
    let mut places = Vec::new();
    let mut free = plot.start;
    for (count, first) in groups {
        let first = first.min(plot.end - (count - 1) * row).max(free);
        places.extend((0..count).map(|i| first + i * row));
        free = first + count * row;
    }
    // Up again where a group below had no room left. Too many rows for the plot end below it.
    let mut last = plot.end.max(plot.start + (places.len() as i32 - 1) * row);
    for place in places.iter_mut().rev() {
        *place = last.min(*place);
        last = *place - row;
    }
    let mut rows = vec![0; ends.len()];
    for (&i, place) in order.iter().zip(places) {
        rows[i] = place;
    }
    rows
}

/// A marker's shape tells the lines apart without their colours. Hollow: the run went wrong.
fn marker(svg: &mut Svg, style: Style, at: Place, filled: bool) {
    let (corners, first, radius) = match style {
        Style::Limit => return,
        Style::Host => (6, UP, 0.9),
        Style::Kernel(i) => SHAPES[i % SERIES],
    };
    let radius = MARKER * UNIT * if filled { radius } else { radius * 1.4 };
    // Cosine and sine of the angle from corner to corner; those of the library are 6 KB in a page.
    let (cos, sin) = match corners {
        3 => (-0.5, 0.866_025_403_784_438_6),
        4 => (0.0, 1.0),
        6 => (0.5, 0.866_025_403_784_438_6),
        _ => (0.923_879_532_511_286_7, 0.382_683_432_365_089_8), // of 16
    };
    let directions =
        std::iter::successors(Some(first), |(x, y)| Some((x * cos - y * sin, x * sin + y * cos)));
    let corner = |(x, y): Direction| (at.0 + (x * radius).round() as i32, at.1 + (y * radius).round() as i32);
    let mut outline: Vec<Place> = directions.take(corners).map(corner).collect();
    let shape = outline.clone();
    outline.push(shape[0]);
    let ink = style.ink().solid();
    let (inside, edge, width) = if filled { (ink, PAPER, 0.8) } else { (PAPER, ink, 1.6) };
    svg.polygon(&shape, inside);
    stroke(svg, &outline, edge, width);
}

/// Breaks the line of an axis, which goes along `(1, 0)` or `(0, 1)`, between the row for zero and the
/// logarithmic part.
fn break_axis(svg: &mut Svg, (x, y): Place, along: Place) {
    let (half, slant) = (units(5.0), units(2.5));
    let (right, down) = (slant * along.0, slant * along.1);
    let sides = [(x - right, y - down), (x + right, y + down)];
    stroke(svg, &sides, PAPER, 3.0);
    let (wide, high) = (half * along.1 + right, half * along.0 + down);
    for (x, y) in sides {
        stroke(svg, &[(x - wide, y + high), (x + wide, y - high)], MUTED, 1.0);
    }
}

fn stroke(svg: &mut Svg, path: &[Place], ink: Ink, width: f64) {
    svg.polyline(path, ink, units(width));
}

fn text(svg: &mut Svg, words: &str, at: (f64, f64), anchor: Anchor, font: Font) {
    svg.text(words, (units(at.0), units(at.1)), anchor, font);
}

impl Style {
    fn ink(self) -> Ink {
        match self {
            Style::Kernel(i) => Ink::series(i),
            Style::Host | Style::Limit => MUTED.dashed(),
        }
    }

    fn width(self) -> f64 {
        match self {
            Style::Kernel(i) => WIDTHS[i % WIDTHS.len()],
            Style::Host | Style::Limit => 1.6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_plot_while_there_is_room() {
        let row = units(ROW);
        let rows = |ends: &[i32], height: i32| {
            spread(&ends.iter().map(|&end| (0, end)).collect::<Vec<_>>(), &(0..height * row))
        };
        assert_eq!(rows(&[row, 3 * row], 9), [row, 3 * row], "each at its end");
        // The lowest three push each other up, and those the one above them.
        let low = [13 * row / 2, 8 * row, 8 * row, 8 * row];
        assert_eq!(rows(&low, 8), [5, 6, 7, 8].map(|place| place * row));
        let from_top_to_bottom: Vec<i32> = (0..=8).map(|place| place * row).collect();
        assert_eq!(rows(&[8 * row; 9], 8), from_top_to_bottom);
        assert_eq!(rows(&[4 * row; 9], 6), from_top_to_bottom, "no room: they end below it");
    }
}
