//! A chart, drawn by plotters, and where everything stands on it.
//!
//! Places are whole units, a tenth of a pixel; the figure's `viewBox` scales it down.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::ops::Range;

use anyhow::{Context, Result};
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBAColor, RGBColor, ShapeStyle, TRANSPARENT, TextStyle};
use plotters_svg::SVGBackend;
use text::columns::wrapped;

use super::line::{Point, SERIES, Series, Style};
use super::scale::Scale;
use super::svg::{self, DASHED, GRID, MUTED, PAPER, TEXT};

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

/// Units of the drawing for one pixel of the figure. All other lengths here are in pixels.
const UNIT: f64 = 10.0;
/// Size of the text.
const FONT: f64 = 13.0;
/// What plotters takes for a size of 1 in an SVG file.
const SVG_FONT: f64 = 1.24;
/// From an axis to the end of its ticks.
const TICK: f64 = 5.0;
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

/// What is drawn on, and a place on it.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Place = (i32, i32);

/// Units, of pixels.
fn units(pixels: f64) -> i32 {
    (pixels * UNIT).round() as i32
}

/// The figure as a complete SVG file.
///
/// # Errors
/// What plotters says, if it cannot draw it.
pub fn svg(figure: &Figure, layout: &Layout) -> Result<String> {
    let head = head(figure, layout);
    let top = head.last().map_or(0.0, |(y, ..)| y + 20.0);
    let names = if layout.names_beside { 0.0 } else { ROW * figure.lines.len() as f64 + 8.0 };
    let height = top + layout.plot + TICK_LABELS + X_TITLE + names;
    let size = (units(layout.width) as u32, units(height) as u32);
    let mut drawn = String::new();
    draw(figure, layout, &head, top, &SVGBackend::with_string(&mut drawn, size).into_drawing_area())
        .with_context(|| format!("cannot draw the chart {:?}", figure.title))?;
    let class = format!("chart {}", layout.class);
    Ok(svg::file(&class, (layout.width, height), size, figure.description, &drawn))
}

/// What stands above the plot, from the top: title, subtitle, the name of the vertical axis; each line with
/// its middle and its style.
fn head(figure: &Figure, layout: &Layout) -> Vec<(f64, String, TextStyle<'static>)> {
    let mut lines = Vec::new();
    let mut middle = 20.0;
    for (words, style, character, gap) in [
        (figure.title, font(&TEXT, FONT + 2.0, FontStyle::Bold), 1.15 * CHARACTER, 3.0),
        (figure.subtitle, font(&MUTED, FONT - 0.5, FontStyle::Normal), 0.9 * CHARACTER, 11.0),
        (figure.y_title, font(&TEXT, FONT - 0.5, FontStyle::Normal), 0.9 * CHARACTER, 0.0),
    ] {
        for line in wrapped(words, ((layout.width - 2.0 * MARGIN) / character) as usize) {
            lines.push((middle, line, style.clone()));
            middle += ROW;
        }
        middle += gap;
    }
    lines
}

fn draw(
    figure: &Figure,
    layout: &Layout,
    head: &[(f64, String, TextStyle)],
    top: f64,
    root: &Area,
) -> Result<()> {
    for (middle, words, font) in head {
        text(root, words, (units(MARGIN), units(*middle)), font)?;
    }
    let right = if layout.names_beside { names_width(figure.lines, layout) } else { MARGIN };
    let below = top + layout.plot + TICK_LABELS;
    let (width, height) = root.dim_in_pixel();
    let x_scale = figure.x_scale.clone().thinned(layout.width - layout.left - right, 0.85 * CHARACTER);
    let label = font(&TEXT, FONT - 0.5, FontStyle::Normal);
    let mut chart = ChartBuilder::on(root)
        .margin_top(units(top))
        .margin_right(units(right))
        .x_label_area_size(height as i32 - units(top + layout.plot))
        .y_label_area_size(units(layout.left))
        .build_cartesian_2d(&x_scale, &figure.y_scale)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(pen(GRID, 1.0))
        .light_line_style(TRANSPARENT)
        .axis_style(pen(MUTED, 1.0))
        .label_style(label.clone())
        .set_all_tick_mark_size(units(TICK))
        .draw()?;
    let place = |x: f64, y: f64| chart.backend_coord(&(x, y));
    let x = units(layout.left)..width as i32 - units(right);
    let y = units(top)..units(top + layout.plot);
    let title = ((x.start + x.end) / 2, units(below + X_TITLE - 14.0));
    text(root, figure.x_title, title, &label.pos(Pos::new(HPos::Center, VPos::Center)))?;
    let part = |range: &Range<i32>, share: f64| (share * f64::from(range.end - range.start)) as i32;
    if let Some(gap) = figure.y_scale.gap() {
        break_axis(root, (x.start, y.end - part(&y, gap)), (0, 1))?;
    }
    if let Some(gap) = figure.x_scale.gap() {
        break_axis(root, (x.start + part(&x, gap), y.end), (1, 0))?;
    }

    // Lines between neighbours, and bars from minimum to maximum. No line leads to a zero, which is
    // infinitely far away on a logarithmic axis.
    let on_scale = |point: &Point| figure.x_scale.holds(point.x) && figure.y_scale.holds(point.y);
    for line in figure.lines {
        for piece in line.points.split(|point| !on_scale(point)).filter(|piece| piece.len() > 1) {
            path(root, piece.iter().map(|point| place(point.x, point.y)).collect(), line.style.line())?;
        }
        for (point, (low, high)) in line.points.iter().filter_map(|point| Some((point, point.spread?))) {
            path(root, vec![place(point.x, low), place(point.x, high)], pen(line.style.colour(), 1.2))?;
        }
    }
    // Filled markers last: where lines coincide, the larger hollow one shows behind them.
    for filled in [false, true] {
        for line in figure.lines {
            for point in line.points.iter().filter(|point| point.right == filled) {
                marker(root, line.style, place(point.x, point.y), filled)?;
            }
        }
    }
    if layout.names_beside {
        let lasts = figure.lines.iter().filter_map(|line| line.points.last());
        let ends: Vec<Place> = lasts.map(|point| place(point.x, point.y)).collect();
        let rows = spread(&ends, &y);
        for ((line, end), row) in figure.lines.iter().zip(ends).zip(rows) {
            let start = x.end + units(SAMPLE_GAP);
            let leader = vec![(end.0 + units(MARKER + 3.0), end.1), (start - units(3.0), row)];
            path(root, leader, pen(line.style.colour().mix(0.35), 1.0))?;
            name_line(root, line, (start, row))?;
        }
    } else {
        for (i, line) in figure.lines.iter().enumerate() {
            name_line(root, line, (units(MARGIN), units(below + X_TITLE + ROW * (i as f64 + 0.5))))?;
        }
    }
    Ok(())
}

/// A sample of a line from the place given on, and its name.
fn name_line(root: &Area, line: &Series, (start, row): Place) -> Result<()> {
    path(root, vec![(start, row), (start + units(SAMPLE), row)], line.style.line())?;
    marker(root, line.style, (start + units(SAMPLE / 2.0), row), true)?;
    let name = (start + units(SAMPLE + NAME_GAP), row);
    text(root, &line.name, name, &font(&TEXT, FONT, FontStyle::Normal))
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
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by_key(|&i| ends[i].1);
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
fn marker(root: &Area, style: Style, at: Place, filled: bool) -> Result<()> {
    let (corners, first, radius) = match style {
        Style::Limit => return Ok(()),
        Style::Host => (6, UP, 0.9),
        Style::Kernel(i) => SHAPES[i % SERIES],
    };
    let radius = MARKER * UNIT * if filled { radius } else { radius * 1.4 };
    let corner = |i: usize| {
        let (sin, cos) = (TAU * i as f64 / corners as f64).sin_cos();
        let x = first.0 * cos - first.1 * sin;
        let y = first.0 * sin + first.1 * cos;
        (at.0 + (x * radius).round() as i32, at.1 + (y * radius).round() as i32)
    };
    let colour = style.colour();
    let (inside, edge, width) = if filled { (colour, PAPER, 0.8) } else { (PAPER, colour, 1.6) };
    root.draw(&Polygon::new((0..corners).map(corner).collect::<Vec<_>>(), inside))?;
    path(root, (0..=corners).map(|i| corner(i % corners)).collect(), pen(edge, width))
}

/// Breaks the line of an axis, which goes along `(1, 0)` or `(0, 1)`, between the row for zero and the
/// logarithmic part.
fn break_axis(root: &Area, (x, y): Place, along: Place) -> Result<()> {
    let half = units(5.0);
    let slant = units(2.5);
    let right = slant * along.0;
    let down = slant * along.1;
    let sides = [(x - right, y - down), (x + right, y + down)];
    path(root, sides.to_vec(), pen(PAPER, 3.0))?;
    let wide = half * along.1 + right;
    let high = half * along.0 + down;
    sides
        .into_iter()
        .try_for_each(|(x, y)| path(root, vec![(x - wide, y + high), (x + wide, y - high)], pen(MUTED, 1.0)))
}

/// A line of `width` pixels.
fn pen(colour: impl Into<RGBAColor>, width: f64) -> ShapeStyle {
    colour.into().stroke_width(units(width) as u32)
}

fn path(root: &Area, points: Vec<Place>, pen: ShapeStyle) -> Result<()> {
    Ok(root.draw(&PathElement::new(points, pen))?)
}

/// Text of `size` pixels, which begins at its place, in the middle of its height.
fn font(colour: &'static RGBColor, size: f64, style: FontStyle) -> TextStyle<'static> {
    let font = ("inherit", size * UNIT * SVG_FONT, style).into_font();
    TextStyle::from(font).color(colour).pos(Pos::new(HPos::Left, VPos::Center))
}

fn text(root: &Area, words: &str, at: Place, style: &TextStyle) -> Result<()> {
    Ok(root.draw(&Text::new(words, at, style.clone()))?)
}

impl Style {
    fn colour(self) -> RGBColor {
        match self {
            Style::Kernel(i) => svg::series(i),
            Style::Host | Style::Limit => MUTED,
        }
    }

    fn line(self) -> ShapeStyle {
        match self {
            Style::Kernel(i) => pen(self.colour(), WIDTHS[i % SERIES]),
            Style::Host | Style::Limit => pen(DASHED, 1.6),
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
