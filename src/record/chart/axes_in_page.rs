//! In place of `axes.rs` in a browser, where plotters would bring the bindings of a whole page with it, to
//! ask that for the width of a text. It draws the same: a test compares the two to the byte.

use anyhow::Result;

use super::place::{FONT, Plot, font, units};
use super::svg::{Anchor, GRID, MUTED, Svg, TEXT};

/// From an axis to the end of its ticks, and to its tick labels.
const TICK: f64 = 5.0;
const TO_LABEL: f64 = 10.0;

/// A line across the plot for each tick of the vertical axis; both axes with their ticks and labels.
pub fn axes(svg: &mut Svg, plot: &Plot, _: (i32, i32)) -> Result<()> {
    let (line, tick, to_label, label) = (units(1.0), units(TICK), units(TO_LABEL), font(TEXT, FONT - 0.5));
    let right = plot.x.end - 1;
    let rows: Vec<_> = plot.y_scale.ticks.iter().map(|&value| (value, plot.y(value))).collect();
    for &(_, y) in &rows {
        svg.polyline(&[(plot.x.start, y), (right, y)], GRID, line);
    }
    let axis = plot.x.start - 1;
    svg.polyline(&[(axis, plot.y.start), (axis, plot.y.end - 1)], MUTED, line);
    for (value, y) in rows.into_iter().filter(|(_, y)| plot.y.contains(y)) {
        svg.text(&(plot.y_scale.label)(value), (plot.x.start - to_label, y), Anchor::Right, label);
        svg.polyline(&[(axis - tick, y), (axis, y)], MUTED, line);
    }
    let axis = plot.y.end;
    svg.polyline(&[(plot.x.start, axis), (right, axis)], MUTED, line);
    for &value in &plot.x_scale.ticks {
        let x = plot.x(value);
        if plot.x.contains(&x) {
            svg.text(&(plot.x_scale.label)(value), (x, axis + to_label), Anchor::Top, label);
            svg.polyline(&[(x, axis), (x, axis + tick)], MUTED, line);
        }
    }
    Ok(())
}
