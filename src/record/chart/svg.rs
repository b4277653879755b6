//! Writes what plotters draws as SVG: a class for each purpose of a colour, dashes, and raised exponents.
//!
//! plotters knows fixed colours only, and a page has themes. So what plotters carries as a colour is the
//! number of a purpose, written as a class for the page's style sheet and as a colour for a reader of the
//! file alone.

use std::convert::Infallible;

use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};

use super::line::SERIES;
use crate::number::powers;
use crate::record::columns::escape;

/// Classes, and their colours on white. Those of the lines follow the colour-blind safe set of Okabe and Ito
/// (<https://jfly.uni-koeln.de/color/>), darkened to a contrast of at least 4.5 so that a thin line holds.
const INKS: [(&str, &str); 4 + SERIES] = [
    ("paper", "#FFFFFF"),
    ("text", "#222222"),
    ("muted", "#5A5A5A"),
    ("grid", "#DDDDDD"),
    ("series-1", "#0072B2"),
    ("series-2", "#B84A00"),
    ("series-3", "#007A56"),
    ("series-4", "#A3457F"),
    ("series-5", "#7A6500"),
];

/// What plotters carries as a colour: a number of [`INKS`], and 1 where a line is to be dashed.
pub type Ink = RGBColor;

pub const PAPER: Ink = RGBColor(0, 0, 0);
pub const TEXT: Ink = RGBColor(1, 0, 0);
pub const MUTED: Ink = RGBColor(2, 0, 0);
pub const GRID: Ink = RGBColor(3, 0, 0);

/// The ink of the i-th line; after [`SERIES`] they begin again.
pub fn series(i: usize) -> Ink {
    RGBColor(4 + (i % SERIES) as u8, 0, 0)
}

/// The same for a dashed line.
pub fn dashed(ink: Ink) -> Ink {
    RGBColor(ink.0, 1, 0)
}

/// The same for a solid one.
pub fn solid(ink: Ink) -> Ink {
    RGBColor(ink.0, 0, 0)
}

/// A complete SVG file of these classes, of `width` by `height` pixels. `body` is what [`Svg`] has written, in
/// `unit` units per pixel. The text alternative is an attribute: the search of the book finds no words in it.
pub fn file(class: &str, width: f64, height: f64, unit: f64, description: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{class}\" role=\"img\" aria-label=\"{}\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" font-family=\"'Open Sans', system-ui, \
         sans-serif\" stroke-linejoin=\"round\" stroke-linecap=\"butt\">\n\
         <rect class=\"paper\" fill=\"{}\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escape(description),
        width * unit,
        height * unit,
        INKS[0].1
    )
}

/// `text` with its powers raised, `2^20`, `10^-7`.
fn superscripts(text: &str) -> String {
    let mut written = String::new();
    for (i, (base, exponent)) in powers(text).enumerate() {
        written += &match i {
            0 => escape(base),
            _ if base.is_empty() => String::new(),
            // 0.45 of 90% of the font size: back to the line.
            _ => format!("<tspan dy=\"0.405em\">{}</tspan>", escape(base)),
        };
        if !exponent.is_empty() {
            written += &format!("<tspan dy=\"-0.45em\" font-size=\"90%\">{exponent}</tspan>");
        }
    }
    written
}

/// The backend of plotters that writes an element per line.
pub struct Svg<'a> {
    pub written: &'a mut String,
    /// Width and height.
    pub size: (u32, u32),
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Svg<'_> {
    /// `paint` is the attribute that has the colour, `fill` or `stroke`; `rest` all from the other attributes
    /// on.
    fn element(&mut self, name: &str, paint: &str, colour: BackendColor, rest: &str) -> Drawn {
        let (number, dashed, _) = colour.rgb;
        let (class, on_white) = INKS.get(usize::from(number)).unwrap_or(&INKS[0]);
        let dash = if dashed > 0 { " stroke-dasharray=\"50 40\"" } else { "" };
        let opacity =
            if colour.alpha < 1.0 { format!(" opacity=\"{}\"", colour.alpha) } else { String::new() };
        if colour.alpha > 0.0 {
            *self.written +=
                &format!("<{name} class=\"{class}\" {paint}=\"{on_white}\"{dash}{opacity} {rest}\n");
        }
        Ok(())
    }
}

/// `1,2 3,4`
fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
    let points: Vec<String> = path.into_iter().map(|(x, y)| format!("{x},{y}")).collect();
    points.join(" ")
}

impl DrawingBackend for Svg<'_> {
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
        self.fill_polygon([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], &colour)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let (width, points) = (style.stroke_width(), points(path));
        let rest = format!("fill=\"none\" stroke-width=\"{width}\" points=\"{points}\"/>");
        self.element("polyline", "stroke", style.color(), &rest)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.element("polygon", "fill", style.color(), &format!("points=\"{}\"/>", points(path)))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let dy = match style.anchor().v_pos {
            VPos::Top => "0.76em",
            VPos::Center => "0.5ex",
            VPos::Bottom => "-0.5ex",
        };
        let weight = if matches!(style.style(), FontStyle::Bold) { " font-weight=\"bold\"" } else { "" };
        let (size, words) = (style.size(), superscripts(text));
        let rest = format!(
            "x=\"{x}\" y=\"{y}\" dy=\"{dy}\" text-anchor=\"{anchor}\" \
             font-size=\"{size}\"{weight}>{words}</text>"
        );
        self.element("text", "fill", style.color(), &rest)
    }
}
