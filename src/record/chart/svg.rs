//! What plotters has drawn as SVG, for a page: a class for each purpose of a colour, dashes, and raised
//! exponents.
//!
//! A page has themes. So a colour is written twice: as a class for the page's style sheet, and as a colour
//! for a reader of the file alone. plotters knows colours alone, so each purpose has one of its own.

use plotters::style::RGBColor;
use text::columns::escape;
use text::number::powers;

use super::line::SERIES;

/// Colours on white, and the class of what has one. Those of the lines follow the colour-blind safe set of
/// Okabe and Ito (<https://jfly.uni-koeln.de/color/>), darkened to a contrast of at least 4.5 so that a thin
/// line holds.
const COLOURS: [(RGBColor, &str); 5 + SERIES] = [
    (RGBColor(0xFF, 0xFF, 0xFF), "paper"),
    (RGBColor(0x22, 0x22, 0x22), "text"),
    (RGBColor(0x5A, 0x5A, 0x5A), "muted"),
    (RGBColor(0x5A, 0x5A, 0x5B), "muted\" stroke-dasharray=\"50 40"),
    (RGBColor(0xDD, 0xDD, 0xDD), "grid"),
    (RGBColor(0x00, 0x72, 0xB2), "series-1"),
    (RGBColor(0xB8, 0x4A, 0x00), "series-2"),
    (RGBColor(0x00, 0x7A, 0x56), "series-3"),
    (RGBColor(0xA3, 0x45, 0x7F), "series-4"),
    (RGBColor(0x7A, 0x65, 0x00), "series-5"),
];
pub const PAPER: RGBColor = COLOURS[0].0;
pub const TEXT: RGBColor = COLOURS[1].0;
pub const MUTED: RGBColor = COLOURS[2].0;
/// The same for a line with dashes.
pub const DASHED: RGBColor = COLOURS[3].0;
pub const GRID: RGBColor = COLOURS[4].0;

/// Of the i-th line; after [`SERIES`] they begin again.
pub fn series(i: usize) -> RGBColor {
    COLOURS[5 + i % SERIES].0
}

/// A complete SVG file of these classes, of `size` pixels, from what plotters has `drawn` on so many `units`.
/// The text alternative is an attribute: the search of the book finds no words in it.
pub fn file(
    class: &str,
    (width, height): (f64, f64),
    units: (u32, u32),
    description: &str,
    drawn: &str,
) -> String {
    let mut written = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{class}\" role=\"img\" aria-label=\"{}\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" font-family=\"'Open Sans', system-ui, \
         sans-serif\" stroke-linejoin=\"round\" stroke-linecap=\"butt\">\n\
         <rect class=\"paper\" fill=\"#FFFFFF\" width=\"100%\" height=\"100%\"/>\n",
        escape(description),
        units.0,
        units.1
    );
    let drawn =
        drawn.replace(" opacity=\"1\"", "").replace(" font-family=\"inherit\"", "").replace(" \"/>", "\"/>");
    let classes = COLOURS.map(|(RGBColor(r, g, b), class)| (format!("=\"#{r:02X}{g:02X}{b:02X}\""), class));
    // An element per line, but for a text, whose words have a line of their own.
    for line in drawn.lines().skip(1) {
        let class = classes.iter().find(|(colour, _)| line.contains(colour));
        written += &match (line.split_once(' '), class) {
            (Some(("<text", rest)), Some((_, class))) => format!("<text class=\"{class}\" {rest}"),
            (Some((tag, rest)), Some((_, class))) => format!("{tag} class=\"{class}\" {rest}\n"),
            _ if line.starts_with('<') => format!("{line}\n"),
            _ => superscripts(line),
        };
    }
    written
}

/// `text` with its powers raised, `2^20`, `10^-7`.
fn superscripts(text: &str) -> String {
    let mut written = String::new();
    for (i, (base, exponent)) in powers(text).enumerate() {
        written += &match i {
            0 => base.to_string(),
            _ if base.is_empty() => String::new(),
            // 0.45 of 90% of the font size: back to the line.
            _ => format!("<tspan dy=\"0.405em\">{base}</tspan>"),
        };
        if !exponent.is_empty() {
            written += &format!("<tspan dy=\"-0.45em\" font-size=\"90%\">{exponent}</tspan>");
        }
    }
    // plotters escapes for XML; in a page, what a record says is no Markdown and no directive either.
    let escaped = |c: char| match c {
        '{' | '}' | '[' | ']' | '`' | '*' | '_' | '~' | '|' | '\\' => format!("&#{};", c as u32),
        c if c.is_control() => char::REPLACEMENT_CHARACTER.to_string(),
        c => c.to_string(),
    };
    written.chars().map(escaped).collect()
}
