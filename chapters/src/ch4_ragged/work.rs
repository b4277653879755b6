//! What each warp does, turn by turn: how many of its lanes add an element.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Trace};
use workbook::text::number::thousands;
use workbook::view::{Drawing, Film, Frame, Track, lanes};

/// The traces, and what the ways are called.
const WAYS: [(&str, &str); 4] = [
    ("ragged-thread", "a thread per row"),
    ("ragged-warp", "a warp per row"),
    ("ragged-block", "a block per row"),
    ("ragged-path", "merge path"),
];

/// For each warp that has work, how many of its lanes read an element in each of its turns. The warps of a
/// block that have none count too: they hold a place.
fn turns(trace: &Trace) -> Vec<Vec<usize>> {
    let warps = trace.block[0].div_ceil(32) as usize;
    let mut turns = vec![Vec::new(); trace.grid[0] as usize * warps];
    for event in &trace.events {
        if let Did::Read(touch) = &event.did
            && trace.buffers[touch.buffer].name == "values"
        {
            turns[event.block as usize * warps + event.warp as usize].push(lanes(event.lanes).count());
        }
    }
    turns
}

const LEFT: f64 = 8.0;
const WIDTH: f64 = 344.0;
const TOP: f64 = 26.0;
const HEIGHT: f64 = 150.0;

/// A bar for each warp: a turn is a step down, as wide as the lanes that have an element.
pub fn figure(from: &Sources) -> Result<Film> {
    let traces: Vec<Trace> = WAYS.iter().map(|(name, _)| from.trace(name)).collect::<Result<_>>()?;
    let all: Vec<Vec<Vec<usize>>> = traces.iter().map(turns).collect();
    let most = all.iter().flatten().map(Vec::len).max().unwrap_or(1);
    let words = "For each way of adding up the same rows a bar per warp: its height is the number of turns \
                 in which the warp reads elements, its width in each turn the lanes that have one.";
    let mut drawing = Drawing::new(360.0, TOP + HEIGHT + 26.0, words);
    drawing.keyed_text("said", "start strong", (LEFT, 14.0), "");
    let turn = HEIGHT / most as f64;
    for (way, warps) in all.iter().enumerate() {
        let pitch = (WIDTH / warps.len() as f64).min(60.0);
        let room = pitch - 1.5;
        for (warp, turns) in warps.iter().enumerate() {
            let x = LEFT + pitch * warp as f64;
            // Where as many lanes are at work turn after turn, one box stands for all.
            let mut begin = 0;
            while begin < turns.len() {
                let same = turns[begin..].iter().take_while(|lanes| **lanes == turns[begin]).count();
                let y = TOP + turn * begin as f64;
                let width = (room * turns[begin] as f64 / 32.0).max(0.8);
                let key = format!("{way}-{warp}-{begin}");
                drawing.keyed_rect(&key, "off", (x, y), (width, turn * same as f64));
                begin += same;
            }
            drawing.keyed_path(&format!("{way}-{warp}"), "off", &format!("M{x:.1} {TOP}h{room:.1}"));
        }
    }
    drawing.text("start quiet", (LEFT, TOP + HEIGHT + 20.0), "turns go down, warps to the right");
    let tracks = WAYS
        .iter()
        .zip(&all)
        .enumerate()
        .map(|(way, ((_, label), warps))| Track::new(*label, vec![frame(way, label, warps)]));
    let caption = "32 rows with 189 elements: one has 96, the others 3 each. Each bar is a warp. It goes \
                   down a step per turn, as wide as the lanes that add an element in that turn. Those with \
                   3 elements take turns of their own, in the rest of a loop of which the compiler does \
                   four turns at once. From recorded runs.";
    Ok(Film::new("work", drawing, tracks.collect(), caption))
}

fn frame(way: usize, label: &str, warps: &[Vec<usize>]) -> Frame {
    let mut frame = Frame::default();
    for (warp, turns) in warps.iter().enumerate() {
        frame.class(&format!("{way}-{warp}"), "");
        let mut begin = 0;
        while begin < turns.len() {
            let same = turns[begin..].iter().take_while(|lanes| **lanes == turns[begin]).count();
            frame.class(&format!("{way}-{warp}-{begin}"), "works");
            begin += same;
        }
    }
    let longest = warps.iter().map(Vec::len).max().unwrap_or(0);
    let all: usize = warps.iter().map(Vec::len).sum();
    let lanes: usize = warps.iter().flatten().sum();
    let share = 100.0 * lanes as f64 / (32 * all.max(1)) as f64;
    let mean = all as f64 / warps.len().max(1) as f64;
    frame.words("said", format!("longest warp {longest}, mean {mean:.1}; lanes in use {share:.0}%"));
    let count = if warps.len() == 1 { "1 warp".into() } else { format!("{} warps", warps.len()) };
    frame.say = format!(
        "With {label}: {count} and {} turns in all; the longest warp has {longest}, the mean is {mean:.1}. \
         {share:.0}% of the lanes of these turns add an element.",
        thousands(all as i64)
    );
    frame
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn every_way_reads_every_element_once() {
        for (name, _) in WAYS {
            let trace = Sources(workbook::root().unwrap()).trace(name).unwrap();
            assert_eq!(turns(&trace).iter().flatten().sum::<usize>(), 189, "{name}");
        }
        let of = |name| turns(&Sources(workbook::root().unwrap()).trace(name).unwrap());
        // The lanes with 3 elements part from the one with 96, and take turns of their own.
        assert!((96..100).contains(&of("ragged-thread")[0].len()));
        assert_eq!(of("ragged-warp").iter().map(Vec::len).max(), Some(3));
        assert_eq!(of("ragged-block").len(), 64);
    }
}
