//! The times of all ways on each kind of rows, as multiples of the best.

use anyhow::{Context, Result};
use workbook::figure::Sources;
use workbook::text::number::{three_digits, time};
use workbook::view::{Drawing, Film, Frame, Track};

use super::rows::KINDS;

/// The record that it is drawn from.
pub const RECORD: &str = "ch4_ragged.gpu";

/// The ways, in the order of the page.
const WAYS: [&str; 10] = [
    "threadPerRow",
    "warpPerRow",
    "blockPerRow",
    "childPerRow",
    "childPerLongRow",
    "childPerBlock",
    "childPerBlockCoarse",
    "childPerGrid",
    "mergePath",
    "flattened",
];

const LEFT: f64 = 8.0;
const WIDTH: f64 = 344.0;
const TOP: f64 = 8.0;
const PITCH: f64 = 30.0;

/// Times in microseconds of each way on one kind of rows.
fn times(from: &Sources, kind: &str) -> Result<Vec<f64>> {
    let record = from.record(RECORD)?;
    let of = |way: &&str| {
        let name = format!("{way}_{kind}");
        let run = record.runs.iter().find(|run| run.kernel == name);
        let time = run.and_then(|run| run.time_us).with_context(|| format!("there is no time of {name}"))?;
        Ok(time.median)
    };
    WAYS.iter().map(of).collect()
}

/// A bar for each way, as long as the logarithm of its time over the best; a track for each kind.
pub fn figure(from: &Sources) -> Result<Film> {
    let all = KINDS.map(|kind| times(from, kind.suffix()));
    let all = all.into_iter().collect::<Result<Vec<_>>>()?;
    let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let over = |times: &[f64]| times.iter().map(|time| time / best(times)).collect::<Vec<_>>();
    let all_over: Vec<Vec<f64>> = all.iter().map(|times| over(times)).collect();
    let worst = all_over.iter().flatten().copied().fold(1.0, f64::max);
    let words = "For each kind of rows a bar for each way, as long as the logarithm of its time over that of \
                 the fastest.";
    let mut drawing = Drawing::new(360.0, TOP + PITCH * WAYS.len() as f64, words);
    for (row, way) in WAYS.iter().enumerate() {
        let y = TOP + PITCH * row as f64;
        drawing.text("start mono", (LEFT, y + 11.0), way);
        drawing.keyed_text(&format!("v{row}"), "end", (LEFT + WIDTH, y + 11.0), "");
        for (kind, over) in all_over.iter().enumerate() {
            let width = (WIDTH * over[row].ln() / worst.ln()).max(1.0);
            drawing.keyed_rect(&format!("{kind}-{row}"), "off", (LEFT, y + 16.0), (width, 9.0));
        }
    }
    let tracks = KINDS.iter().enumerate().map(|(kind, rows)| {
        Track::new(rows.words(), vec![frame(kind, rows.words(), &all[kind], &all_over[kind])])
    });
    let caption = "2<sup>20</sup> elements, one call. The axis is logarithmic; the fastest way is ×1, at its \
                   left end.";
    Ok(Film::new("ratios", drawing, tracks.collect(), caption))
}

fn frame(kind: usize, words: &str, times: &[f64], over: &[f64]) -> Frame {
    let mut frame = Frame::default();
    for (row, ratio) in over.iter().enumerate() {
        frame.class(&format!("{kind}-{row}"), if *ratio < 1.0 + 1e-9 { "written" } else { "works" });
        let ratio = if *ratio < 9.95 { format!("{ratio:.1}") } else { three_digits(ratio.round()) };
        frame.words(&format!("v{row}"), format!("{} · ×{ratio}", time(times[row])));
    }
    let place = |wanted: f64| over.iter().position(|ratio| *ratio == wanted).unwrap_or(0);
    let worst = over.iter().copied().fold(1.0, f64::max);
    frame.say = format!(
        "Rows: {words}. The fastest is {}, the slowest {}, which takes {} times as long.",
        WAYS[place(1.0)],
        WAYS[place(worst)],
        three_digits(worst)
    );
    frame
}
