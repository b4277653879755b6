//! Chapter 3: the elements that one load of a warp asks for, and the sectors that it moves.

use std::collections::BTreeSet;

use anyhow::Result;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Trace};
use workbook::text::number::thousands;
use workbook::view::{Drawing, Film, Frame, Track};

const SECTOR: u64 = 32;
const ELEMENT: u64 = 4;
const PER_ROW: u64 = 64;
const LEFT: f64 = 8.0;
const PITCH: f64 = 5.0;
const GAP: f64 = 3.0;
const ROW: f64 = 15.0;
const TOP: f64 = 26.0;

/// The first load of warp 0 in each step.
fn loads(trace: &Trace) -> Vec<Vec<u64>> {
    let mut loads: Vec<Vec<u64>> = Vec::new();
    for event in trace.events.iter().filter(|event| event.warp == 0) {
        if let Did::Read(touch) = &event.did
            && touch.buffer == 0
            && loads.len() == event.step as usize
        {
            loads.push(touch.at.clone());
        }
    }
    // Fewer lanes load in the later steps.
    loads.retain(|load| load.len() == 32);
    loads
}

fn place(element: u64) -> (f64, f64) {
    let row = element / PER_ROW;
    let column = element % PER_ROW;
    let x = LEFT + PITCH * column as f64 + GAP * (column / (SECTOR / ELEMENT)) as f64;
    (x, TOP + ROW * row as f64)
}

/// The chunk of a block, 512 elements, under a tree whose elements move apart and under one where they don't.
pub fn figure(from: &Sources) -> Result<Film> {
    let traces = [from.trace("neighbored-less")?, from.trace("interleaved")?];
    let words = "The 512 elements of a block in sectors of eight. The 32 lanes of a warp read elements that \
                 lie further apart in every step, and each load moves more sectors.";
    let mut drawing = Drawing::new(360.0, 214.0, words);
    drawing.text("start quiet", (LEFT, 15.0), "512 elements; eight are one sector of 32 bytes");
    let elements = 512;
    for sector in 0..elements * ELEMENT / SECTOR {
        let (x, y) = place(sector * SECTOR / ELEMENT);
        drawing.keyed_rect(&format!("s{sector}"), "sector", (x - 1.0, y), (8.0 * PITCH + 1.0, ROW - 3.0));
    }
    let asked: BTreeSet<u64> = traces.iter().flat_map(loads).flatten().collect();
    for element in asked {
        let (x, y) = place(element);
        drawing.keyed_rect(&format!("e{element}"), "off", (x, y + 1.5), (PITCH - 1.0, ROW - 6.0));
    }
    bars(&mut drawing);
    let track = |trace: &Trace| {
        let frames = loads(trace).into_iter().enumerate().map(|(step, load)| frame(step, &load));
        Track::new(&trace.kernel, frames.collect())
    };
    let caption = "One load of warp 0. Blue: the 32 elements that its lanes ask for. Orange: the sectors \
                   that are moved for it.";
    Ok(Film { still: Some(2), ..Film::new("sectors", drawing, traces.iter().map(track).collect(), caption) })
}

const BAR: f64 = 160.0;

fn bars(drawing: &mut Drawing) {
    let top = TOP + ROW * 8.0 + 12.0;
    drawing.text("start", (LEFT, top + 11.0), "used");
    drawing.text("start", (LEFT, top + 33.0), "moved");
    for part in 1..=8 {
        let x = LEFT + 48.0;
        for (name, y) in [("used", top), ("moved", top + 22.0)] {
            let key = format!("{name}{part}");
            drawing.keyed_rect(&key, "off", (x, y), (BAR * f64::from(part) / 8.0, 14.0));
        }
    }
    drawing.keyed_text("used", "start", (LEFT + 216.0, top + 11.0), "");
    drawing.keyed_text("moved", "start strong", (LEFT + 216.0, top + 33.0), "");
}

fn frame(step: usize, load: &[u64]) -> Frame {
    let mut frame = Frame::default();
    let mut sectors: Vec<u64> = load.iter().map(|element| element * ELEMENT / SECTOR).collect();
    sectors.dedup();
    for sector in &sectors {
        frame.class(&format!("s{sector}"), "sector moved");
    }
    for element in load {
        frame.class(&format!("e{element}"), "asked");
    }
    let used = load.len() as u64 * ELEMENT;
    let moved = sectors.len() as u64 * SECTOR;
    // Eighths of what 32 sectors hold.
    for (name, bytes, class) in [("used", used, "asked"), ("moved", moved, "moved")] {
        frame.class(&format!("{name}{}", (bytes * 8).div_ceil(1024)), class);
        frame.words(name, format!("{} bytes", thousands(bytes as i64)));
    }
    let elements = match load.get(1).map_or(0, |second| second - load[0]) {
        1 => "32 elements in a row".to_string(),
        apart => format!("every {apart}th element").replace("2th", "2nd"),
    };
    frame.say = format!(
        "Step {}: the lanes read {elements}. {} sectors move, {} bytes, and {used} of them are used.",
        step + 1,
        sectors.len(),
        thousands(moved as i64)
    );
    frame
}
