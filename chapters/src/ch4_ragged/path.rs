//! The merge path of a small ragged array, and who walks which part of it.

use anyhow::{Context, Result};
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Touch, Trace};
use workbook::view::{Drawing, Film, Frame, Track, lanes};

/// Steps per thread in the page's figure.
const EACH: usize = 8;

/// What a thread does in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Reads element .0.
    Element(u64),
    /// Reaches the end of row .0, which is its alone.
    Store(u64),
    /// Adds to the sum of row .0, which it shares.
    Add(u64),
}

/// The steps of each thread, from a trace of `mergePath`; its carry, if it has one, comes after the others.
fn steps(trace: &Trace) -> Vec<Vec<Step>> {
    let is = |touch: &Touch, name: &str| trace.buffers[touch.buffer].name == name;
    let threads = trace.block[0] as usize;
    let mut steps = vec![Vec::new(); threads];
    for event in &trace.events {
        let mut all = |touch: &Touch, step: fn(u64) -> Step| {
            for (lane, at) in lanes(event.lanes).zip(&touch.at) {
                steps[event.warp as usize * 32 + lane as usize].push(step(*at));
            }
        };
        match &event.did {
            Did::Read(touch) if is(touch, "values") => all(touch, Step::Element),
            Did::Write(touch) if is(touch, "sums") => all(touch, Step::Store),
            Did::Atomic { touch, .. } if is(touch, "sums") => all(touch, Step::Add),
            _ => {}
        }
    }
    steps.retain(|steps| !steps.is_empty());
    steps
}

const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const COLUMN: f64 = 30.0;
const ROW: f64 = 11.0;

/// A place on the path: row ends and elements that are behind.
type Place = (usize, usize);

/// The places of a thread before and after each of its steps on the path, from the place where it begins.
fn places(steps: &[Step], mut at: Place) -> Vec<Place> {
    let mut places = vec![at];
    for step in steps.iter().take(EACH) {
        match step {
            Step::Element(_) => at.1 += 1,
            Step::Store(_) | Step::Add(_) => at.0 += 1,
        }
        places.push(at);
    }
    places
}

/// From a trace of `mergePath`: row ends to the right, elements down, and the path in the threads' colours.
pub fn figure(from: &Sources) -> Result<Film> {
    let trace = &from.trace("merge-path")?;
    let steps = &steps(trace)[..];
    let mut walks = Vec::new();
    let mut at = (0, 0);
    for steps in steps {
        let walk = places(steps, at);
        at = *walk.last().context("a thread without steps")?;
        walks.push(walk);
    }
    let (rows, elements) = at;
    let words = format!(
        "A grid with {rows} rows from left to right and {elements} elements from top to bottom. A staircase \
         leads from its upper left to its lower right corner: down for an element, right for a row's end. \
         {} threads walk {EACH} steps each.",
        steps.len()
    );
    let place = |(row, element): Place| (LEFT + COLUMN * row as f64, TOP + ROW * element as f64);
    let (right, bottom) = place(at);
    let mut drawing = Drawing::new(360.0, bottom + 28.0, &words);
    drawing.text("quiet", ((LEFT + right) / 2.0, 12.0), "rows");
    for row in 0..rows {
        drawing.text("quiet", (LEFT + COLUMN * (row as f64 + 0.5), 30.0), &row.to_string());
    }
    for element in (0..elements).step_by(4) {
        let (_, y) = place((0, element));
        drawing.text("end quiet", (LEFT - 8.0, y + ROW - 1.0), &element.to_string());
    }
    drawing.rect("", (LEFT, TOP), (right - LEFT, bottom - TOP));
    for (thread, walk) in walks.iter().enumerate() {
        for (number, pair) in walk.windows(2).enumerate() {
            let (x, y) = place(pair[0]);
            let is_down = pair[1].1 > pair[0].1;
            // A thick line: a box around each step.
            let size = if is_down { (6.0, ROW) } else { (COLUMN, 6.0) };
            drawing.keyed_rect(&format!("{thread}-{number}"), "off", (x - 3.0, y - 3.0), size);
        }
        // Right of all that the path has beside the words.
        let (_, y) = place(walk[0]);
        let beside = walk.iter().map(|at| place(*at)).filter(|(_, below)| *below <= y + 20.0);
        let x = beside.map(|(x, _)| x).fold(LEFT, f64::max);
        drawing.text("start quiet", ((x + 10.0).min(right - 52.0), y + 17.0), &format!("thread {thread}"));
    }
    drawing.keyed_text("carries", "start", (LEFT, bottom + 20.0), "");
    let most = steps.iter().map(Vec::len).max().unwrap_or(0).max(EACH + 1);
    let frames = (1..=most).map(|shown| frame(steps, shown)).collect();
    let caption = "The path of 8 rows with 24 elements, from a trace of <code>mergePath</code>: down for an \
                   element, right for the end of a row. Green: a sum that is stored. Orange: one that is \
                   added to what other threads have.";
    Ok(Film::new("path", drawing, vec![Track::new("all", frames)], caption))
}

fn frame(steps: &[Vec<Step>], shown: usize) -> Frame {
    let mut frame = Frame::default();
    let mut said = Vec::new();
    for (thread, steps) in steps.iter().enumerate() {
        for (number, step) in steps.iter().enumerate().take(shown.min(EACH)) {
            let class = match step {
                Step::Element(_) => "works",
                Step::Store(_) => "written",
                Step::Add(_) => "waits",
            };
            frame.class(&format!("{thread}-{number}"), class);
        }
        let now = if shown > EACH { steps.get(EACH..).unwrap_or_default() } else { &steps[shown - 1..shown] };
        said.extend(now.iter().map(|step| match step {
            Step::Element(at) => format!("thread {thread} adds element {at}"),
            Step::Store(row) => format!("thread {thread} stores the sum of row {row}"),
            Step::Add(row) if shown > EACH => format!("thread {thread} adds what it has to row {row}"),
            Step::Add(row) => format!("thread {thread} adds its part to row {row}, at its end"),
        }));
    }
    if shown > EACH {
        frame.words("carries", "the carries");
        frame.say = format!("All steps are done. Then the carries: {}.", said.join("; "));
    } else {
        frame.say = format!("Step {shown} of {EACH}: {}.", said.join("; "));
    }
    frame
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn the_threads_share_the_path_equally_and_leave_nothing_out() {
        let trace = Sources(workbook::root().unwrap()).trace("merge-path").unwrap();
        let steps = steps(&trace);
        assert_eq!(steps.len(), 4);
        let elements = steps.iter().flatten().filter_map(|step| match step {
            Step::Element(at) => Some(*at),
            _ => None,
        });
        assert_eq!(elements.collect::<Vec<_>>(), (0..24).collect::<Vec<_>>());
        let ends = steps.iter().flat_map(|steps| &steps[..EACH]);
        let ends = ends.filter_map(|step| match step {
            Step::Store(row) | Step::Add(row) => Some(*row),
            Step::Element(_) => None,
        });
        assert_eq!(ends.collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        let carries: Vec<&Step> = steps.iter().flat_map(|steps| &steps[EACH..]).collect();
        assert!(carries.len() > 1 && carries.iter().all(|step| matches!(step, Step::Add(_))), "{carries:?}");
    }
}
