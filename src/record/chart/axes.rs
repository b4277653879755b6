//! The axes of a chart with their ticks and labels, and the lines across it: plotters lays them out.

use std::convert::Infallible;
use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::chart::ChartBuilder;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, TRANSPARENT, TextStyle};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::place::{FONT, Plot, units};
use super::scale::Scale;
use super::svg::{Anchor, Font, GRID, Ink, MUTED, Svg, TEXT};

/// From an axis to the end of its ticks.
const TICK: f64 = 5.0;

/// Draws the axes of `plot`, and a line across it for each tick of the vertical one, on a drawing of `size`
/// units.
///
/// # Errors
/// What plotters says, if there is no room.
pub fn axes(svg: &mut Svg, plot: &Plot, size: (i32, i32)) -> Result<()> {
    draw(svg, plot, size).map_err(|error| anyhow!("plotters cannot lay out the axes: {error}"))
}

fn draw(
    svg: &mut Svg,
    plot: &Plot,
    (width, height): (i32, i32),
) -> Result<(), DrawingAreaErrorKind<Infallible>> {
    let root = Backend { svg, size: (width as u32, height as u32) }.into_drawing_area();
    ChartBuilder::on(&root)
        .margin_top(plot.y.start)
        .margin_right(width - plot.x.end)
        .x_label_area_size(height - plot.y.end)
        .y_label_area_size(plot.x.start)
        .build_cartesian_2d(plot.x_scale.clone(), plot.y_scale.clone())?
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(stroke(GRID))
        .light_line_style(TRANSPARENT)
        .axis_style(stroke(MUTED))
        .label_style(
            TextStyle::from(("inherit", f64::from(units(FONT - 0.5))).into_font()).color(&colour(TEXT)),
        )
        .set_all_tick_mark_size(units(TICK))
        .draw()
}

/// A line of that ink, a pixel wide.
fn stroke(ink: Ink) -> ShapeStyle {
    Color::stroke_width(&colour(ink), units(1.0) as u32)
}

/// What plotters carries as a colour: the number of an ink.
fn colour(ink: Ink) -> RGBColor {
    RGBColor(ink.number() as u8, 0, 0)
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.position(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        0.0..f64::MAX
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

/// Writes what plotters draws into an [`Svg`].
struct Backend<'a> {
    svg: &'a mut Svg,
    /// Width and height.
    size: (u32, u32),
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// None for what cannot be seen.
fn ink(colour: BackendColor) -> Option<Ink> {
    (colour.alpha > 0.0).then(|| Ink::numbered(colour.rgb.0.into()))
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        if let Some(ink) = ink(colour) {
            self.svg.polygon(&[(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], ink);
        }
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        if let Some(ink) = ink(style.color()) {
            let path: Vec<BackendCoord> = path.into_iter().collect();
            self.svg.polyline(&path, ink, style.stroke_width() as i32);
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let anchor = match (style.anchor().h_pos, style.anchor().v_pos) {
            (_, VPos::Top) => Anchor::Top,
            (HPos::Right, _) => Anchor::Right,
            (HPos::Center, _) => Anchor::Centre,
            (HPos::Left, _) => Anchor::Left,
        };
        if let Some(ink) = ink(style.color()) {
            self.svg.text(text, at, anchor, Font { ink, size: style.size(), bold: false });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::axes_in_page;
    use super::*;

    #[test]
    fn a_page_draws_the_same_axes() {
        let values = [0.0, 3.0, 1024.0, 65_536.0, 1_048_576.0];
        let scales = [
            Scale::powers_of_two(&values),
            Scale::decades(&values[1..]),
            Scale::decades(&values),
            Scale::times(&values[1..]),
            Scale::ratios(&[0.5, 1.0, 2.3]),
            Scale::times(&values).from_zero(&values),
        ];
        for x_scale in &scales {
            for y_scale in &scales {
                let plot = Plot { x_scale, y_scale, x: 720..5430, y: 913..3353 };
                let (mut here, mut in_page) = (Svg::default(), Svg::default());
                axes(&mut here, &plot, (7600, 3900)).unwrap();
                axes_in_page::axes(&mut in_page, &plot, (7600, 3900)).unwrap();
                assert!(here.written.contains("<polyline") && here.written.contains("<text"));
                assert_eq!(here.written, in_page.written);
            }
        }
    }
}
