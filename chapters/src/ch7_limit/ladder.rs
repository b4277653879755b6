//! The rungs of the ladder against the peak rate of the memory.

use std::iter;

use anyhow::{Context, Result};
use workbook::figure::Sources;
use workbook::text::number::three_digits;
use workbook::view::{Drawing, Film, Frame, Track};

use super::{VARIANTS, comparison};

/// The record that it is drawn from.
pub const RECORD: &str = "ch7_limit.gpu";

/// A rung.
struct Rung {
    kernel: &'static str,
    /// GB/s.
    rate: f64,
}

const LEFT: f64 = 8.0;
const WIDTH: f64 = 300.0;
const ROW: f64 = 34.0;
const TOP: f64 = 24.0;

/// One bar for each rung of `i32`, the work alone, on a linear axis that ends at the memory's peak rate.
pub fn figure(from: &Sources) -> Result<Film> {
    let record = from.record(RECORD)?;
    let rung = |kernel| {
        let timed = comparison::timed(&record, kernel, 1 << 30, "alone");
        let rate = timed.and_then(|(run, time)| run.rate(time));
        let rate = rate.with_context(|| format!("the record has no {kernel} at 2^30, work alone"))?;
        Ok(Rung { kernel, rate })
    };
    let rungs = VARIANTS.iter().filter(|variant| variant.story).map(|variant| rung(variant.name));
    let rungs = &rungs.collect::<Result<Vec<_>>>()?[..];
    let datasheet = record.device.gpu.as_ref().context("the record is not of a GPU")?.datasheet();
    let rates: Vec<String> =
        rungs.iter().map(|rung| format!("{} {} GB/s", rung.kernel, three_digits(rung.rate))).collect();
    let words = format!("{}. The peak rate: {} GB/s.", rates.join("; "), three_digits(datasheet));
    let mut drawing = Drawing::new(360.0, TOP + ROW * rungs.len() as f64 + 8.0, &words);
    let end = LEFT + WIDTH;
    drawing.path("", &format!("M{end} {}V{}", TOP - 4.0, TOP + ROW * rungs.len() as f64));
    drawing.text("end quiet", (352.0, 14.0), &format!("peak rate: {} GB/s", three_digits(datasheet)));
    for (row, rung) in rungs.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        drawing.text("start mono", (LEFT, y + 11.0), rung.kernel);
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
    // First the whole ladder, then rung by rung.
    let all = Frame {
        say: format!(
            "All {} rungs: from {:.0}% to {:.0}% of the peak rate.",
            rungs.len(),
            100.0 * rungs[0].rate / datasheet,
            100.0 * rungs[rungs.len() - 1].rate / datasheet
        ),
        ..frame(rungs, rungs.len(), datasheet)
    };
    let steps = (1..=rungs.len()).map(|shown| frame(rungs, shown, datasheet));
    let frames = iter::once(all).chain(steps).collect();
    let caption = "2<sup>30</sup> <code>int</code>s, the work alone.";
    Ok(Film::new("ladder", drawing, vec![Track::new("all", frames)], caption))
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
        "{}: {} GB/s, {:.0}% of the peak rate",
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
