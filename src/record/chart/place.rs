//! Places on a chart: whole units, a tenth of a pixel; the figure's `viewBox` scales them down.

use std::ops::Range;

use super::scale::Scale;
use super::svg::{Font, Ink, Place};

/// Units of the drawing for one pixel of the figure. All other lengths here are in pixels.
pub const UNIT: f64 = 10.0;
/// Size of the text.
pub const FONT: f64 = 13.0;

/// Units, of pixels.
pub fn units(pixels: f64) -> i32 {
    (pixels * UNIT).round() as i32
}

/// Plain text of this many pixels.
pub fn font(ink: Ink, size: f64) -> Font {
    Font { ink, size: size * UNIT, bold: false }
}

/// Where values stand on the drawing.
pub struct Plot<'a> {
    pub x_scale: &'a Scale,
    pub y_scale: &'a Scale,
    /// From left to right, and from top to bottom; the ends are just outside.
    pub x: Range<i32>,
    pub y: Range<i32>,
}

impl Plot<'_> {
    pub fn x(&self, value: f64) -> i32 {
        self.x.start
            + (self.x_scale.position(value) * f64::from(self.x.end - 1 - self.x.start)).round() as i32
    }

    pub fn y(&self, value: f64) -> i32 {
        self.y.end
            - 1
            - (self.y_scale.position(value) * f64::from(self.y.end - 1 - self.y.start)).round() as i32
    }

    pub fn place(&self, x: f64, y: f64) -> Place {
        (self.x(x), self.y(y))
    }
}
