//! Chapter 5: how far away each memory is, drawn to scale.

use anyhow::{Result, ensure};
use workbook::figure::Sources;
use workbook::text::number::three_digits;
use workbook::view::{Drawing, Film, Frame, Track};

use super::spaces::spaces;

/// The record with the memory spaces.
pub const RECORD: &str = "ch5_shared.gpu";

const LEFT: f64 = 92.0;
const WIDTH: f64 = 220.0;
const ROW: f64 = 22.0;

/// A bar per memory space, as long as a load from it takes clocks.
pub fn figure(from: &Sources) -> Result<Film> {
    let spaces = spaces(&from.record(RECORD)?)?;
    let longest = spaces.iter().map(|space| space.clocks).fold(0.0, f64::max);
    ensure!(longest > 0.0, "{RECORD} has no memory spaces; record it on a GPU");
    let told: Vec<String> = spaces
        .iter()
        .map(|space| format!("{} {} clocks", name(&space.space), three_digits(space.clocks)))
        .collect();
    let mut drawing = Drawing::new(360.0, 8.0 + ROW * spaces.len() as f64, &format!("{}.", told.join(", ")));
    for (row, space) in spaces.iter().enumerate() {
        let y = 4.0 + ROW * row as f64;
        let width = WIDTH * space.clocks / longest;
        drawing.text("end", (LEFT - 8.0, y + 13.0), name(&space.space));
        drawing.keyed_rect(&format!("b{row}"), "off", (LEFT, y + 2.0), (width, 14.0));
        drawing.text("start quiet", (LEFT + width + 6.0, y + 13.0), &three_digits(space.clocks));
    }
    // First all of them, then one after the other, from near to far.
    let mut frames = vec![frame(spaces.len(), "All memories, to scale.".to_string())];
    for (row, space) in spaces.iter().enumerate() {
        let clocks = three_digits(space.clocks);
        frames.push(frame(row + 1, format!("{}: {clocks} clocks.", name(&space.space))));
    }
    let caption = "Clocks from one load to the next, to scale.";
    Ok(Film::new("latency", drawing, vec![Track::new("all", frames)], caption))
}

/// The first `shown` bars.
fn frame(shown: usize, say: String) -> Frame {
    let mut frame = Frame { say, ..Frame::default() };
    for row in 0..shown {
        frame.class(&format!("b{row}"), "asked");
    }
    frame
}

/// What a reader calls the space.
fn name(space: &str) -> &str {
    match space {
        "global-l1" => "global, in L1",
        "global-l2" => "global, in L2",
        "global" => "memory",
        other => other,
    }
}
