//! Chapter 3: which warps of a block split, in each step, under three kernels.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Trace};
use workbook::view::{Drawing, Film, Frame, Track};

const WARPS: u32 = 16;
const LEFT: f64 = 46.0;
const PITCH: f64 = 19.5;
const ROW: f64 = 11.5;
const PANEL: f64 = 172.0;

/// What the warps do in each step: `split`, `all`, `some` (without a branch that splits them) or nothing.
struct Block {
    name: String,
    rows: Vec<[&'static str; WARPS as usize]>,
    /// Branches that split a warp, by step.
    splits: Vec<u32>,
}

fn block(trace: &Trace) -> Block {
    let steps = trace.events.iter().map(|event| event.step).max().unwrap_or(0) as usize + 1;
    let mut rows = vec![["idle"; WARPS as usize]; steps];
    let mut splits = vec![0; steps];
    for event in &trace.events {
        let cell = &mut rows[event.step as usize][event.warp as usize];
        match &event.did {
            Did::Diverge { .. } => {
                *cell = "split";
                splits[event.step as usize] += 1;
            }
            Did::Read(_) if *cell == "idle" => *cell = "all",
            _ => {}
        }
    }
    Block { name: trace.kernel.clone(), rows, splits }
}

/// The kernels of one block of 512 threads, one below the other.
pub fn figure(from: &Sources) -> Result<Film> {
    let block = |name| Ok(block(&from.trace(name)?));
    let blocks: Vec<Block> =
        ["neighbored", "neighbored-less", "interleaved"].into_iter().map(block).collect::<Result<_>>()?;
    let totals: Vec<String> = blocks
        .iter()
        .map(|block| format!("{} of {}", block.splits.iter().sum::<u32>(), block.name))
        .collect();
    let words = format!(
        "The 16 warps of a block of 512 threads in each step of three kernels. Divergent branches: {}.",
        totals.join(", ")
    );
    let mut drawing = Drawing::new(360.0, 30.0 + PANEL * blocks.len() as f64, &words);
    legend(&mut drawing);
    for (number, block) in blocks.iter().enumerate() {
        panel(&mut drawing, number, block);
    }
    let steps = blocks.iter().map(|block| block.rows.len()).max().unwrap_or(0);
    let frames = (0..=steps).map(|step| frame(&blocks, step)).collect();
    let caption = "One block of 512 threads. Each box is a warp of 32 lanes in one step; the last row is \
                   <code>if (tid == 0)</code>.";
    Ok(Film::new("divergence", drawing, vec![Track::new("all", frames)], caption))
}

fn legend(drawing: &mut Drawing) {
    for (x, class, words) in
        [(46.0, "split", "splits"), (128.0, "all", "all lanes alike"), (262.0, "idle", "idle")]
    {
        drawing.rect(class, (x, 5.0), (16.0, ROW - 2.0));
        drawing.text("start", (x + 22.0, 14.0), words);
    }
}

fn panel(drawing: &mut Drawing, number: usize, block: &Block) {
    let top = 30.0 + PANEL * number as f64;
    let right = LEFT + PITCH * f64::from(WARPS) - 2.0;
    drawing.text("start strong", (LEFT, top + 14.0), &block.name);
    drawing.keyed_text(&format!("n{number}"), "end strong", (right, top + 14.0), "");
    for row in 0..block.rows.len() {
        let y = top + 22.0 + ROW * row as f64;
        if row == 0 || row + 2 == block.rows.len() {
            drawing.text("end quiet", (LEFT - 6.0, y + 9.0), &format!("step {}", row + 1));
        }
        for warp in 0..WARPS {
            let x = LEFT + PITCH * f64::from(warp);
            drawing.keyed_rect(&format!("{number}-{row}-{warp}"), "none", (x, y), (PITCH - 2.0, ROW - 2.0));
        }
    }
}

fn frame(blocks: &[Block], steps: usize) -> Frame {
    let mut frame = Frame::default();
    let mut counts = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for (row, warps) in block.rows.iter().enumerate().take(steps) {
            for (warp, class) in warps.iter().enumerate() {
                frame.class(&format!("{number}-{row}-{warp}"), class);
            }
        }
        let count: u32 = block.splits.iter().take(steps).sum();
        frame.words(&format!("n{number}"), format!("{count} splits"));
        counts.push(format!("{} {count}", block.name));
    }
    frame.say = match steps {
        0 => "Before the first step.".to_string(),
        step if step == blocks[0].rows.len() => {
            format!("After the last if (tid == 0), which splits warp 0: {}.", counts.join(", "))
        }
        step => format!("Divergent branches after step {step}: {}.", counts.join(", ")),
    };
    frame
}
