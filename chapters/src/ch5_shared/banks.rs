//! Chapter 5: the words that the lanes of a warp read from shared memory, stacked in their banks.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Trace};
use workbook::view::{Drawing, Film, Frame, Track, lanes};

const BANKS: u64 = 32;
const LEFT: f64 = 8.0;
const PITCH: f64 = 10.8;
const FLOOR: f64 = 118.0;

/// One load of warp 0 from shared memory in each step of the tree: lanes and words.
fn loads(trace: &Trace) -> Vec<Vec<u64>> {
    let shared = trace.buffers.iter().position(|buffer| buffer.space == "shared");
    let mut loads: Vec<(u32, Vec<u64>)> = Vec::new();
    for event in trace.events.iter().filter(|event| event.warp == 0 && event.step > 0) {
        if let Did::Read(touch) = &event.did
            && Some(touch.buffer) == shared
            && loads.last().is_none_or(|(step, _)| *step != event.step)
            && lanes(event.lanes).count() > 1
        {
            loads.push((event.step, touch.at.clone()));
        }
    }
    loads.into_iter().map(|(_, load)| load).collect()
}

/// The tree whose words lie 2, 4, 8 … apart, and the one whose words lie side by side.
pub fn figure(from: &Sources) -> Result<Film> {
    let traces = [from.trace("banks-strided")?, from.trace("banks")?];
    let words = "The words that 32 lanes read from shared memory, stacked above the bank in which each lies. \
                 A bank serves one word at a time, so the tallest stack is the number of turns.";
    let mut drawing = Drawing::new(360.0, 162.0, words);
    drawing.keyed_text("turns", "start strong", (LEFT, 15.0), "");
    for bank in 0..BANKS {
        let x = LEFT + PITCH * bank as f64;
        let height = |load: &Vec<u64>| load.iter().filter(|word| *word % BANKS == bank).count();
        let highest = traces.iter().flat_map(loads).map(|load| height(&load)).max();
        for row in 0..highest.unwrap_or(0) {
            let y = FLOOR - 11.0 * (row + 1) as f64;
            drawing.keyed_rect(&format!("{bank}-{row}"), "off", (x, y), (PITCH - 2.0, 9.0));
        }
        drawing.rect("sector", (x, FLOOR + 2.0), (PITCH - 2.0, 5.0));
    }
    for bank in [0, 8, 16, 24, 31] {
        let x = LEFT + PITCH * bank as f64 + PITCH / 2.0 - 1.0;
        drawing.text("quiet", (x, FLOOR + 20.0), &bank.to_string());
    }
    drawing.text("quiet", (180.0, FLOOR + 34.0), "bank");
    let track = |trace: &Trace| {
        let frames = loads(trace).into_iter().enumerate().map(|(step, load)| frame(step, &load));
        Track::new(&trace.kernel, frames.collect())
    };
    let caption = "One load of warp 0 from shared memory. Each box is a word that a lane reads, above its \
                   bank; orange ones must wait for those below.";
    Ok(Film { still: Some(3), ..Film::new("banks", drawing, traces.iter().map(track).collect(), caption) })
}

fn frame(step: usize, load: &[u64]) -> Frame {
    let mut frame = Frame::default();
    let mut heights = [0u64; BANKS as usize];
    for word in load {
        let bank = word % BANKS;
        let height = &mut heights[bank as usize];
        frame.class(&format!("{bank}-{height}"), if *height == 0 { "asked" } else { "queued" });
        *height += 1;
    }
    let turns = heights.iter().max().copied().unwrap_or(0);
    let word = if turns == 1 { "turn" } else { "turns" };
    frame.words("turns", format!("{} lanes, {turns} {word}", load.len()));
    let apart = load.get(1).map_or(0, |second| second - load[0]);
    let used = heights.iter().filter(|height| **height > 0).count();
    frame.say = format!(
        "Step {}: {} lanes read words that are {apart} apart. They lie in {used} bank{}: {turns} {word}.",
        step + 1,
        load.len(),
        if used == 1 { "" } else { "s" }
    );
    frame
}
