//! Chapter 4: the slots of pending launches. They fill, and what finds none is dropped.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Trace};
use workbook::view::{Drawing, Film, Frame, Track};

use super::grids::{self, Grid};

const LEFT: f64 = 14.0;
const PITCH: f64 = 42.0;
const BOX: f64 = 36.0;
const SLOTS: f64 = 30.0;
const CHUNKS: f64 = 106.0;

struct Stage {
    pending: u64,
    limit: u64,
    dropped: Vec<u64>,
    /// The partial sum of each block, once it is there.
    sums: Vec<Option<u64>>,
    frames: Vec<Frame>,
}

/// The port of the textbook's kernel with room for as many launches as the first grid has blocks.
pub fn figure(from: &Sources) -> Result<Film> {
    let trace = from.trace("pending")?;
    let grids = grids::of(&trace);
    let blocks = grids[0].blocks;
    let words = "Eight slots for pending launches. The children of eight blocks fill them; the first two \
                 children find no room for children of their own, which are dropped. The host reads \
                 cudaSuccess.";
    let mut drawing = Drawing::new(360.0, 236.0, words);
    drawing.text("start quiet", (LEFT, 18.0), "slots for pending launches");
    drawing.text("start quiet", (LEFT, CHUNKS - 8.0), "partial sum of each block");
    for slot in 0..blocks {
        let x = LEFT + PITCH * slot as f64;
        drawing.keyed_rect(&format!("s{slot}"), "element", (x, SLOTS), (BOX, 30.0));
        drawing.keyed_rect(&format!("c{slot}"), "element", (x, CHUNKS), (BOX, 32.0));
        drawing.keyed_text(&format!("v{slot}"), "value", (x + BOX / 2.0, CHUNKS + 21.0), "");
    }
    drawing.keyed_text("dropped", "verdict wrong", (180.0, CHUNKS + 62.0), "");
    drawing.keyed_text("host", "off", (180.0, CHUNKS + 88.0), "the host is told: cudaSuccess");
    drawing.keyed_text("sum", "strong", (180.0, CHUNKS + 112.0), "");
    let limit = trace.events.iter().find_map(|event| match event.did {
        Did::Launch { limit, .. } => Some(limit),
        _ => None,
    });
    let mut stage = Stage {
        pending: 0,
        limit: limit.unwrap_or(0),
        dropped: Vec::new(),
        sums: vec![None; blocks as usize],
        frames: Vec::new(),
    };
    stage.play(&trace, &grids);
    let caption = format!(
        "Eight blocks of four elements, with room for {} pending launches instead of 2,048. Orange: a slot \
         that is taken. Red: a block whose sum never comes.",
        stage.limit
    );
    Ok(Film::new("pending", drawing, vec![Track::new("all", stage.frames)], caption))
}

impl Stage {
    fn play(&mut self, trace: &Trace, grids: &[Grid]) {
        let total: u64 = (1..=4 * grids[0].blocks).sum();
        self.show("The first grid runs; no launch is pending.");
        for event in &trace.events {
            match &event.did {
                Did::Launch { pending, refused, .. } => {
                    self.pending = *pending;
                    let chunk = chunk(grids, event.grid as usize, event.block);
                    if refused.is_some() {
                        self.dropped.push(chunk);
                        self.show(&format!(
                            "The child of block {chunk} launches, while it holds a slot itself. All {} are \
                             taken: the launch is dropped.",
                            self.limit
                        ));
                    } else if event.grid == 0 {
                        self.show(&format!(
                            "Block {chunk} launches its child: {pending} of {} slots.",
                            self.limit
                        ));
                    } else {
                        self.show(&format!("The child of block {chunk} launches, and finds a free slot."));
                    }
                }
                Did::Freed { pending } if *pending != self.pending => {
                    self.pending = *pending;
                    self.show("A grid has ended, and its slot is free.");
                }
                Did::Write(touch) if trace.buffers[touch.buffer].name == "g_odata" => {
                    let block = touch.at[0];
                    let value = touch.values[0];
                    self.sums[block as usize] = Some(value);
                    self.show(&format!("The last child of block {block} leaves its sum: {value}."));
                }
                _ => {}
            }
        }
        self.pending = 0;
        let sum: u64 = self.sums.iter().flatten().sum();
        let dropped = self.dropped.len();
        self.show(&format!(
            "{dropped} launches never happened. The host reads cudaSuccess, and {sum} for {total}."
        ));
        if let Some(last) = self.frames.last_mut() {
            last.class("host", "strong");
            last.words("sum", format!("and the sum is {sum}, not {total}"));
        }
    }

    fn show(&mut self, say: &str) {
        let mut frame = Frame { say: say.to_string(), ..Frame::default() };
        for slot in 0..self.pending.min(self.limit) {
            frame.class(&format!("s{slot}"), "element waits");
        }
        for (block, sum) in self.sums.iter().enumerate() {
            if let Some(sum) = sum {
                frame.class(&format!("c{block}"), "element written");
                frame.words(&format!("v{block}"), sum);
            } else if self.dropped.contains(&(block as u64)) {
                frame.class(&format!("c{block}"), "element bad");
                frame.words(&format!("v{block}"), "?");
            }
        }
        match self.dropped.len() {
            0 => {}
            1 => frame.words("dropped", "1 launch dropped"),
            more => frame.words("dropped", format!("{more} launches dropped")),
        }
        self.frames.push(frame);
    }
}

/// The block of the first grid that a grid descends from, or that launches.
fn chunk(grids: &[Grid], mut grid: usize, block: u64) -> u64 {
    let mut block = block;
    while let Some(parent) = grids[grid].parent {
        block = grids[grid].block;
        grid = parent;
    }
    block
}
