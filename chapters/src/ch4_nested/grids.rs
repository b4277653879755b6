//! Chapter 4: grids that launch grids. Each stands below the block that launched it, as wide as it has
//! threads.

use anyhow::Result;
use serde_json::json;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Trace};
use workbook::text::number::thousands;
use workbook::view::{Drawing, Film, Frame, Track};

const LEFT: f64 = 8.0;
const WIDTH: f64 = 344.0;
const ROW: f64 = 17.0;
const TOP: f64 = 24.0;

/// A grid of a trace.
#[derive(Clone, Debug)]
pub struct Grid {
    pub parent: Option<usize>,
    /// The block of the parent that launched it.
    pub block: u64,
    pub depth: u32,
    pub blocks: u64,
    pub threads: u32,
}

/// The grids in the order in which they start.
pub fn of(trace: &Trace) -> Vec<Grid> {
    let mut grids: Vec<Grid> = Vec::new();
    for event in &trace.events {
        let Did::Start { parent, depth, blocks, threads, .. } = event.did else { continue };
        let parent = parent.map(|parent| parent as usize);
        // The children of a grid start in the order of its launches.
        let older = grids.iter().filter(|grid| grid.parent == parent && parent.is_some()).count();
        let launches = trace.events.iter().filter(|other| {
            Some(other.grid as usize) == parent && matches!(other.did, Did::Launch { refused: None, .. })
        });
        let block = launches.map(|launch| launch.block).nth(older).unwrap_or(0);
        grids.push(Grid { parent, block, depth, blocks, threads });
    }
    grids
}

/// What becomes of the grids, moment by moment: those that start together, do so in one.
fn moments(trace: &Trace) -> Vec<Vec<&'static str>> {
    let grids = of(trace);
    let mut left: Vec<u64> = grids.iter().map(|grid| grid.blocks).collect();
    let mut state = vec!["unborn"; grids.len()];
    let mut moments = Vec::new();
    let mut starting = false;
    for event in &trace.events {
        let grid = event.grid as usize;
        match event.did {
            Did::Start { .. } => {
                state[grid] = "works";
                starting = true;
            }
            Did::Freed { .. } => {}
            _ if starting => {
                moments.push(state.clone());
                starting = false;
            }
            _ => {}
        }
        if let Did::End = event.did {
            left[grid] -= 1;
            if left[grid] == 0 {
                state[grid] = "ended";
            }
        }
    }
    moments.push(state.iter().map(|_| "ended").collect());
    moments
}

/// Where each grid stands: from where to where, of all that the first one has.
fn spans(grids: &[Grid]) -> Vec<(f64, f64)> {
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for grid in grids {
        let span = match grid.parent {
            None => (0.0, 1.0),
            Some(parent) => {
                let (from, width) = spans[parent];
                let above = &grids[parent];
                let share = width / above.blocks as f64;
                let wide = share * grid.threads as f64 * grid.blocks as f64 / f64::from(above.threads);
                (from + share * grid.block as f64, wide.min(width))
            }
        };
        spans.push(span);
    }
    spans
}

/// The kernels whose grids a figure compares, by the way in which they launch.
const WAYS: [(&str, &str); 3] = [
    ("gpuRecursiveReduce", "tail launches"),
    ("gpuRecursiveReduceFireAndForget", "fire-and-forget"),
    ("gpuRecursiveReduceGridWide", "one per level"),
];

fn label(trace: &Trace) -> &str {
    WAYS.iter().find(|(kernel, _)| trace.kernel == *kernel).map_or(&trace.kernel, |(_, label)| label)
}

/// The ways of launching, and sliders for a reader's own grids.
pub fn figure(from: &Sources) -> Result<Film> {
    let traces = [from.trace("nested-tail")?, from.trace("nested-forget")?, from.trace("nested-levels")?];
    let kernels = WAYS.iter().map(|(kernel, _)| format!("--kernel {kernel}"));
    let options = ["--device sim", "--no-sweep", "--steps"].map(str::to_string);
    let own = json!({
        "request": {
            "stem": "ch4_nested",
            "options": kernels.chain(options).collect::<Vec<_>>(),
            "show": {"figure": "grids"},
        },
        "n": {"label": "elements", "values": [16, 32, 64, 128, 256], "value": 64},
        "block": {"label": "threads per block", "values": [4, 8, 16, 32], "value": 8},
    });
    Ok(Film { script: Some(("own", own)), ..grids(&traces.each_ref()) })
}

/// Ways of launching, a trace for each; the first is shown first.
pub fn grids(ways: &[&Trace]) -> Film {
    let [blocks, threads] = [ways[0].grid[0], ways[0].block[0]];
    let elements = thousands(i64::from(blocks * threads));
    let words = format!(
        "Grids that launch grids, for {elements} elements. With tail launches one grid runs at a time; \
         fire-and-forget children run side by side; with one child per level there are few grids."
    );
    let deepest = ways.iter().flat_map(|trace| of(trace)).map(|grid| grid.depth).max().unwrap_or(0);
    let depth = f64::from(deepest + 1);
    let mut drawing = Drawing::new(360.0, TOP + depth * ROW, &words);
    drawing.text("start quiet", (LEFT, 15.0), "host");
    for (number, trace) in ways.iter().enumerate() {
        draw(&mut drawing, &format!("w{number}-"), &of(trace));
    }
    drawing.keyed_text("count", "end strong", (LEFT + WIDTH, 15.0), "");
    let tracks = ways.iter().enumerate();
    let tracks: Vec<Track> =
        tracks.map(|(number, trace)| track(&format!("w{number}-"), label(trace), trace)).collect();
    let caption = format!(
        "Each box is a grid, below the block that launched it and as wide as it has threads. Blue: runs. \
         Filled grey: has ended. {elements} elements in blocks of {threads}."
    );
    // Some grids have ended, one runs, some are to come.
    let still = Some(6.min(tracks[0].frames.len() - 1));
    Film { still, ..Film::new("grids", drawing, tracks, caption) }
}

fn draw(drawing: &mut Drawing, prefix: &str, grids: &[Grid]) {
    for (number, (grid, (from, width))) in grids.iter().zip(spans(grids)).enumerate() {
        let x = LEFT + WIDTH * from;
        let y = TOP + ROW * f64::from(grid.depth);
        let wide = (WIDTH * width - 2.0).max(3.0);
        drawing.keyed_rect(&format!("{prefix}{number}"), "off", (x, y), (wide, ROW - 5.0));
        if grid.blocks > 1 {
            let lines: String = (1..grid.blocks)
                .map(|block| {
                    let x = x - 1.0 + WIDTH * width * block as f64 / grid.blocks as f64;
                    format!("M{x:.1} {y}v{}", ROW - 5.0)
                })
                .collect();
            drawing.keyed_path(&format!("{prefix}{number}b"), "off", &lines);
        }
    }
}

fn track(prefix: &str, label: &str, trace: &Trace) -> Track {
    let grids = of(trace);
    let moments = moments(trace);
    let frames = moments
        .iter()
        .enumerate()
        .map(|(at, states)| {
            let mut frame = Frame::default();
            for (number, state) in states.iter().enumerate() {
                frame.class(&format!("{prefix}{number}"), &format!("grid {state}"));
                if grids[number].blocks > 1 {
                    frame.class(&format!("{prefix}{number}b"), "blocks");
                }
            }
            let running = states.iter().filter(|state| **state == "works").count();
            let ended = states.iter().filter(|state| **state == "ended").count();
            frame.say = say(&grids, states, at, ended);
            frame.words(
                "count",
                match running {
                    0 => format!("{} launches by device code", thousands(ended as i64 - 1)),
                    1 => "1 grid runs".to_string(),
                    more => format!("{more} grids run side by side"),
                },
            );
            frame
        })
        .collect();
    Track::new(label, frames)
}

fn say(grids: &[Grid], states: &[&str], at: usize, ended: usize) -> String {
    let running: Vec<&Grid> =
        grids.iter().zip(states).filter(|(_, state)| **state == "works").map(|(grid, _)| grid).collect();
    match &running[..] {
        [] => "All grids have ended.".to_string(),
        [one] if at == 0 => {
            format!("The host launches one grid: {} blocks of {} threads.", one.blocks, one.threads)
        }
        [one] => {
            let threads = match (one.threads, one.blocks) {
                (1, _) => "thread".to_string(),
                (_, 1) => "threads".to_string(),
                (_, blocks) => format!("threads in {blocks} blocks"),
            };
            format!("One grid of {} {threads} runs, and nothing else.", u64::from(one.threads) * one.blocks)
        }
        more => format!("{} grids run side by side; {ended} of {} have ended.", more.len(), grids.len()),
    }
}
