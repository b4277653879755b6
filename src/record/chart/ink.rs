//! From what plotters writes to what a page can show: colours by purpose, the text alternative, superscripts.
//!
//! plotters knows fixed colours only, and a page has themes. So each [`Ink`] is drawn in a code colour of its own,
//! which [`finish`] replaces by a class for the page's style sheet and a colour for a reader of the file alone.

use super::draw::{HEIGHT, UNIT, WIDTH};

/// What a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Paper,
    Text,
    Muted,
    Grid,
    /// A dashed line.
    Dashed,
    /// One of [`SERIES`].
    Series(usize),
    /// The same, as a dashed line.
    DashedSeries(usize),
}

/// Colours of the lines on white, after the colour-blind safe set of Okabe and Ito (<https://jfly.uni-koeln.de/color/>),
/// darkened to a contrast of at least 4.5 so that a thin line holds.
pub const SERIES: [&str; 6] = ["#0072B2", "#B84A00", "#007A56", "#A3457F", "#7A6500", "#4A4FB8"];

impl Ink {
    pub fn series(i: usize) -> Ink {
        Ink::Series(i % SERIES.len())
    }

    pub fn dashed_series(i: usize) -> Ink {
        Ink::DashedSeries(i % SERIES.len())
    }

    /// Red, green and blue that stand for this ink until [`finish`]: any will do that no other ink has.
    pub fn code(self) -> (u8, u8, u8) {
        match self {
            Ink::Paper => (1, 2, 1),
            Ink::Text => (1, 2, 2),
            Ink::Muted => (1, 2, 3),
            Ink::Grid => (1, 2, 4),
            Ink::Dashed => (1, 2, 5),
            Ink::Series(i) => (1, 3, i as u8),
            Ink::DashedSeries(i) => (1, 4, i as u8),
        }
    }

    fn class(self) -> String {
        match self {
            Ink::Paper => "paper".to_string(),
            Ink::Text => "text".to_string(),
            Ink::Muted => "muted".to_string(),
            Ink::Grid => "grid".to_string(),
            Ink::Dashed => "dashed".to_string(),
            Ink::Series(i) | Ink::DashedSeries(i) => format!("series-{}", i + 1),
        }
    }

    fn on_white(self) -> &'static str {
        match self {
            Ink::Paper => "#FFFFFF",
            Ink::Text => "#222222",
            Ink::Muted | Ink::Dashed => "#5A5A5A",
            Ink::Grid => "#DDDDDD",
            Ink::Series(i) | Ink::DashedSeries(i) => SERIES[i],
        }
    }
}

/// A complete SVG file of what plotters drew.
pub fn finish(drawing: &str, title: &str, description: &str) -> String {
    // plotters' first line opens <svg> with a width and a height in its own units.
    let body = drawing.split_once('\n').map_or("", |(_, body)| body);
    let mut body = body.replace(" opacity=\"1\"", "").replace(" font-family=\"inherit\"", "");
    let series = (0..SERIES.len()).flat_map(|i| [Ink::Series(i), Ink::DashedSeries(i)]);
    for ink in [Ink::Paper, Ink::Text, Ink::Muted, Ink::Grid, Ink::Dashed].into_iter().chain(series) {
        let (red, green, blue) = ink.code();
        let (class, colour) = (ink.class(), ink.on_white());
        let is_dashed = matches!(ink, Ink::Dashed | Ink::DashedSeries(_));
        let dash = if is_dashed { " stroke-dasharray=\"50 40\"" } else { "" };
        body = body
            .replace(
                &format!("stroke=\"#{red:02X}{green:02X}{blue:02X}\""),
                &format!("class=\"{class}\" stroke=\"{colour}\"{dash}"),
            )
            .replace(
                &format!("fill=\"#{red:02X}{green:02X}{blue:02X}\""),
                &format!("class=\"{class}\" fill=\"{colour}\""),
            );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" viewBox=\"0 0 {} {}\" font-family=\"'Open Sans', system-ui, sans-serif\" \
         stroke-linejoin=\"round\" stroke-linecap=\"butt\">\n<title>{}</title>\n<desc>{}</desc>\n{}",
        WIDTH * UNIT,
        HEIGHT * UNIT,
        escape(title),
        escape(description),
        superscripts(&body)
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Raises the number after each `^` of a text, `2^20`, `10^-7`, and joins plotters' three lines of a text element.
fn superscripts(svg: &str) -> String {
    let mut lines = svg.lines();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        out.push_str(line);
        if line.starts_with("<text ") {
            let text = lines.next().unwrap_or_default();
            let mut parts = text.split('^');
            out.push_str(parts.next().unwrap_or_default());
            for part in parts {
                let exponent = |c: char| c.is_ascii_digit() || c == '-';
                let digits = part.len() - part.trim_start_matches(exponent).len();
                let (raised, rest) = part.split_at(digits);
                out.push_str(&format!("<tspan dy=\"-0.45em\" font-size=\"72%\">{raised}</tspan>"));
                if !rest.is_empty() {
                    // 0.45 of 72% of the font size: back to the line.
                    out.push_str(&format!("<tspan dy=\"0.324em\">{rest}</tspan>"));
                }
            }
            out.push_str(lines.next().unwrap_or_default());
        }
        out.push('\n');
    }
    out
}
