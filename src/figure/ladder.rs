//! Chapter 7: the rungs of the ladder against what the memory delivers by its data sheet.

use super::drawing::Drawing;
use super::film::{Film, Frame, Track};
use crate::number::three_digits;

/// A rung.
pub struct Rung {
    /// The kernel.
    pub kernel: String,
    /// GB/s.
    pub rate: f64,
}

const LEFT: f64 = 8.0;
const WIDTH: f64 = 300.0;
const ROW: f64 = 34.0;
const TOP: f64 = 24.0;

/// One bar for each rung, on a linear axis that ends at the data sheet's rate.
pub fn ladder(rungs: &[Rung], datasheet: f64, caption: &str) -> Film {
    let rates: Vec<String> =
        rungs.iter().map(|rung| format!("{} {} GB/s", rung.kernel, three_digits(rung.rate))).collect();
    let words = format!("{}. The data sheet: {} GB/s.", rates.join("; "), three_digits(datasheet));
    let mut drawing = Drawing::new(360.0, TOP + ROW * rungs.len() as f64 + 8.0, &words);
    let end = LEFT + WIDTH;
    drawing.path("", &format!("M{end} {}V{}", TOP - 4.0, TOP + ROW * rungs.len() as f64));
    drawing.text("end quiet", (352.0, 14.0), &format!("data sheet: {} GB/s", three_digits(datasheet)));
    for (row, rung) in rungs.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        drawing.text("start mono", (LEFT, y + 11.0), &rung.kernel);
        let width = WIDTH * rung.rate / datasheet;
        drawing.keyed_rect(&format!("b{row}"), "off", (LEFT, y + 16.0), (width, 12.0));
        let inside = width > WIDTH / 2.0;
        let (class, x) =
            if inside { ("off end on-bar", LEFT + width - 6.0) } else { ("off start", LEFT + width + 6.0) };
        let value = format!("{} GB/s", three_digits(rung.rate));
        drawing.keyed_text(&format!("v{row}"), class, (x, y + 26.0), &value);
        if row > 0 {
            let factor = rung.rate / rungs[row - 1].rate;
            drawing.keyed_text(&format!("f{row}"), "off", (334.0, y + 26.0), &format!("×{factor:.2}"));
        }
    }
    let frames = (1..=rungs.len()).map(|shown| frame(rungs, shown, datasheet)).collect();
    let track = Track { label: "all".into(), message: None, listing: Vec::new(), frames };
    Film { name: "ladder".into(), drawing, tracks: vec![track], still: None, caption: caption.to_string() }
}

fn frame(rungs: &[Rung], shown: usize, datasheet: f64) -> Frame {
    let mut frame = Frame::default();
    for (row, rung) in rungs.iter().enumerate().take(shown) {
        let inside = rung.rate > datasheet / 2.0;
        frame.class(&format!("b{row}"), "asked");
        frame.class(&format!("v{row}"), if inside { "end on-bar" } else { "start" });
        let leap = row > 0 && rung.rate / rungs[row - 1].rate > 1.5;
        frame.class(&format!("f{row}"), if leap { "strong" } else { "quiet" });
    }
    let rung = &rungs[shown - 1];
    frame.say = format!(
        "{}: {} GB/s, {:.0}% of the data sheet's rate",
        rung.kernel,
        three_digits(rung.rate),
        100.0 * rung.rate / datasheet
    );
    frame.say += &match shown {
        1 => ".".to_string(),
        _ => format!(", {:.2} times the rung before.", rung.rate / rungs[shown - 2].rate),
    };
    frame
}
