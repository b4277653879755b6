//! Writes a drawing as SVG: a class for each purpose of a colour, dashes, and raised exponents.
//!
//! A page has themes. So a colour is written twice: as a class for the page's style sheet, and as a colour
//! for a reader of the file alone.

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

/// A colour by its purpose, and how a line has it.
#[derive(Clone, Copy)]
pub struct Ink {
    /// Place in [`INKS`].
    number: usize,
    dashed: bool,
    opacity: Option<f64>,
}

impl Ink {
    const fn new(number: usize) -> Ink {
        Ink { number, dashed: false, opacity: None }
    }

    /// The ink with that number.
    pub fn numbered(number: usize) -> Ink {
        Ink::new(number.min(INKS.len() - 1))
    }

    /// Its number.
    pub fn number(self) -> usize {
        self.number
    }

    /// The ink of the i-th line; after [`SERIES`] they begin again.
    pub fn series(i: usize) -> Ink {
        Ink::new(4 + i % SERIES)
    }

    /// The same for a dashed line.
    pub fn dashed(self) -> Ink {
        Ink { dashed: true, ..self }
    }

    /// The same for a solid one.
    pub fn solid(self) -> Ink {
        Ink { dashed: false, ..self }
    }

    /// The same, so faint that `opacity` of it is left.
    pub fn faint(self, opacity: f64) -> Ink {
        Ink { opacity: Some(opacity), ..self }
    }
}

pub const PAPER: Ink = Ink::new(0);
pub const TEXT: Ink = Ink::new(1);
pub const MUTED: Ink = Ink::new(2);
pub const GRID: Ink = Ink::new(3);

/// A complete SVG file of these classes, of `width` by `height` pixels. `body` is what [`Svg`] has written,
/// in `unit` units per pixel. The text alternative is an attribute: the search of the book finds no words in
/// it.
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

/// A place on the drawing, in units.
pub type Place = (i32, i32);

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end of its middle.
    Left,
    /// The centre.
    Centre,
    /// The right end of its middle.
    Right,
    /// The middle of its top.
    Top,
}

/// How a text is written; the size is in units.
#[derive(Clone, Copy)]
pub struct Font {
    pub ink: Ink,
    pub size: f64,
    pub bold: bool,
}

/// A drawing, an element per line.
#[derive(Default)]
pub struct Svg {
    pub written: String,
}

impl Svg {
    /// `paint` is the attribute that has the colour, `fill` or `stroke`; `rest` all from the other attributes
    /// on.
    fn element(&mut self, name: &str, paint: &str, ink: Ink, rest: &str) {
        let (class, on_white) = INKS[ink.number];
        let dash = if ink.dashed { " stroke-dasharray=\"50 40\"" } else { "" };
        let opacity = ink.opacity.map(|opacity| format!(" opacity=\"{opacity}\"")).unwrap_or_default();
        self.written += &format!("<{name} class=\"{class}\" {paint}=\"{on_white}\"{dash}{opacity} {rest}\n");
    }

    /// A line through `path`, `width` units wide.
    pub fn polyline(&mut self, path: &[Place], ink: Ink, width: i32) {
        let rest = format!("fill=\"none\" stroke-width=\"{width}\" points=\"{}\"/>", points(path));
        self.element("polyline", "stroke", ink, &rest);
    }

    /// The inside of a closed path.
    pub fn polygon(&mut self, path: &[Place], ink: Ink) {
        self.element("polygon", "fill", ink, &format!("points=\"{}\"/>", points(path)));
    }

    /// Words at a place.
    pub fn text(&mut self, words: &str, (x, y): Place, anchor: Anchor, font: Font) {
        let (horizontally, down) = match anchor {
            Anchor::Left => ("start", "0.5ex"),
            Anchor::Centre => ("middle", "0.5ex"),
            Anchor::Right => ("end", "0.5ex"),
            Anchor::Top => ("middle", "0.76em"),
        };
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        let (size, words) = (font.size, superscripts(words));
        let rest = format!(
            "x=\"{x}\" y=\"{y}\" dy=\"{down}\" text-anchor=\"{horizontally}\" \
             font-size=\"{size}\"{weight}>{words}</text>"
        );
        self.element("text", "fill", font.ink, &rest);
    }
}

/// `1,2 3,4`
fn points(path: &[Place]) -> String {
    let points: Vec<String> = path.iter().map(|(x, y)| format!("{x},{y}")).collect();
    points.join(" ")
}
