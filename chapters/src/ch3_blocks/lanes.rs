//! Chapter 3: the lanes of one warp at each branch that divides it: which work, and which are switched off.

use anyhow::{Context, Result};
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Event, Trace};
use workbook::text::number::percent;
use workbook::view::{Drawing, Film, Frame, Track, lines};

const LANES: u32 = 32;
const LEFT: f64 = 48.0;
const PITCH: f64 = 8.0;
const ROW: f64 = 16.0;
const TOP: f64 = 52.0;
const SOURCE: &str = "kernels/ch3_blocks.cu";

/// An `if` at which the warp divides.
struct Branch {
    /// `step 1`
    name: String,
    /// The line of the condition.
    test: u32,
    /// The first line in its body.
    body: u32,
    /// The lanes that execute the body, as a mask.
    lanes: u32,
}

impl Branch {
    fn has(&self, lane: u32) -> bool {
        self.lanes & (1 << lane) != 0
    }

    fn count(&self) -> u32 {
        self.lanes.count_ones()
    }
}

/// Where warp 0 divides. Its next event is in the body.
fn branches(trace: &Trace) -> Vec<Branch> {
    let of_warp: Vec<&Event> = trace.events.iter().filter(|event| event.warp == 0).collect();
    let has_barrier =
        |step: u32| of_warp.iter().any(|event| event.step == step && matches!(event.did, Did::Arrive { .. }));
    let branch = |pair: &[&Event]| {
        let [at, next] = pair else { return None };
        let Did::Diverge { .. } = at.did else { return None };
        let name = if has_barrier(at.step) { format!("step {}", at.step + 1) } else { "end".to_string() };
        Some(Branch { name, test: at.line?, body: next.line?, lanes: next.lanes })
    };
    of_warp.windows(2).filter_map(branch).collect()
}

/// Warp 0 of a block of 512 threads, beside the loop of `reduceNeighbored`.
pub fn figure(from: &Sources) -> Result<Film> {
    let branches = branches(&from.trace("neighbored")?);
    let first = branches.first().context("warp 0 does not diverge")?;
    let last = branches.last().context("warp 0 does not diverge")?;
    // From the `for` above the first branch to the last body.
    let listing = lines(&from.text(SOURCE)?, first.test - 1, last.body + 1);
    let words = format!(
        "The 32 lanes of a warp at {} branches. In each, the lanes for which the condition holds execute the \
         body, and the others are switched off: {}.",
        branches.len(),
        branches.iter().map(|branch| branch.count().to_string()).collect::<Vec<_>>().join(", ")
    );
    let mut drawing = Drawing::new(364.0, TOP + ROW * branches.len() as f64, &words);
    legend(&mut drawing);
    for (row, branch) in branches.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        drawing.text("end quiet", (LEFT - 6.0, y + 11.0), &branch.name);
        for lane in 0..LANES {
            let x = LEFT + PITCH * f64::from(lane);
            drawing.keyed_rect(&key(row, lane), "off", (x, y), (PITCH - 2.0, ROW - 4.0));
        }
        let right = LEFT + PITCH * f64::from(LANES) + 4.0;
        drawing.keyed_text(&format!("n{row}"), "start", (right, y + 11.0), "");
    }
    let mut frames = vec![Frame { say: "Before the loop.".to_string(), ..Frame::default() }];
    for turn in 0..branches.len() {
        frames.push(tested(&branches, turn));
        frames.push(worked(&branches, turn));
    }
    let caption = "Warp 0 of a block of 512 threads. Each box is a lane; each row is one execution of an \
                   <code>if</code>.";
    let track = Track { listing, ..Track::new("reduceNeighbored", frames) };
    Ok(Film::new("lanes", drawing, vec![track], caption))
}

fn key(row: usize, lane: u32) -> String {
    format!("{row}-{lane}")
}

fn legend(drawing: &mut Drawing) {
    for (x, class, words) in
        [(48.0, "all", "tests"), (110.0, "works", "executes the body"), (232.0, "idle", "switched off")]
    {
        drawing.rect(class, (x, 5.0), (PITCH - 2.0, ROW - 4.0));
        drawing.text("start", (x + 12.0, 15.0), words);
    }
    drawing.text("start quiet", (LEFT, TOP - 8.0), "lane 0");
    drawing.text("end quiet", (LEFT + PITCH * f64::from(LANES) - 2.0, TOP - 8.0), "lane 31");
}

/// The bodies of the first `turns` branches, as they stay in the drawing.
fn done(branches: &[Branch], turns: usize) -> Frame {
    let mut frame = Frame::default();
    for (row, branch) in branches.iter().enumerate().take(turns) {
        for lane in 0..LANES {
            frame.class(&key(row, lane), if branch.has(lane) { "works" } else { "idle" });
        }
        frame.words(&format!("n{row}"), format!("{} of {LANES}", branch.count()));
    }
    frame
}

/// All lanes are together and compute the condition.
fn tested(branches: &[Branch], turn: usize) -> Frame {
    let branch = &branches[turn];
    let mut frame = done(branches, turn);
    for lane in 0..LANES {
        frame.class(&key(turn, lane), "all");
    }
    frame.line = Some(branch.test);
    let lanes = in_lanes(branch.count());
    frame.say =
        format!("{}: all 32 lanes compute the condition. It holds in {lanes}.", capital(&branch.name));
    frame
}

/// Some lanes execute the body.
fn worked(branches: &[Branch], turn: usize) -> Frame {
    let branch = &branches[turn];
    let mut frame = done(branches, turn + 1);
    frame.line = Some(branch.body);
    let count = branch.count();
    let lanes = in_lanes(count);
    let work = if count == 1 { "executes" } else { "execute" };
    frame.say = format!(
        "{}: {lanes} {work} the body. The other {} are switched off until it is done.",
        capital(&branch.name),
        LANES - count
    );
    if turn + 1 == branches.len() {
        let works: u32 = branches.iter().map(Branch::count).sum();
        let all = LANES * branches.len() as u32;
        let share = percent(works.into(), all.into());
        frame.say = format!(
            "At the end {lanes} stores the sum. The warp has executed {} bodies, with room for {all} lanes; \
             {works} worked, {share}.",
            branches.len()
        );
    }
    frame
}

fn in_lanes(count: u32) -> String {
    if count == 1 { "1 lane".to_string() } else { format!("{count} lanes") }
}

fn capital(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}
