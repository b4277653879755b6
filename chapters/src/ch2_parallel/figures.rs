//! Chapter 2: eight threads with a race, and with a barrier.

use anyhow::Result;
use workbook::figure::{Figure, Sources};
use workbook::sim::trace::Trace;
use workbook::view::{Film, Track, lines};

use super::block;

const THREADS: u32 = 8;

pub const FIGURES: &[Figure] = &[Figure::of_traces("race", race), Figure::of_traces("barrier", barrier)];

const SOURCE: &str = "kernels/ch2_parallel.cu";

/// The lines of a loop with the accesses of a trace: from the `for` above to the last line touched.
fn listing(trace: &Trace, source: &str) -> Vec<(u32, String)> {
    let touched: Vec<u32> = trace.events.iter().filter_map(|event| event.line).collect();
    let (Some(first), Some(last)) = (touched.iter().min(), touched.iter().max()) else { return Vec::new() };
    let texts: Vec<&str> = source.lines().collect();
    let is_loop =
        |line: &u32| texts.get(*line as usize - 1).is_some_and(|text| text.trim().starts_with("for"));
    let from = (1..=*first).rev().find(is_loop).unwrap_or(*first);
    let is_comment = |(_, text): &(u32, String)| text.trim().starts_with("//");
    lines(source, from, *last + 1).into_iter().filter(|line| !is_comment(line)).collect()
}

fn track(label: &str, trace: &Trace, source: &str) -> Track {
    block::track(label, trace, THREADS, listing(trace, source))
}

/// The kernel without a barrier, under two orders of turns.
fn race(from: &Sources) -> Result<Film> {
    let four = from.trace("race-4-first")?;
    let six = from.trace("race-6-first")?;
    let source = from.text(SOURCE)?;
    let words = "Eight threads add the numbers 1 to 8 in place, without a barrier. Thread 4 reads element 6 \
                 before thread 6 has written it, and the sum is 28 instead of 36.";
    Ok(Film::new(
        "race",
        block::drawing(THREADS, &[&four, &six], words),
        vec![track("thread 4 first", &four, &source), track("thread 6 first", &six, &source)],
        "Blue: reads. Green: writes. Red: a read and a write that nothing puts in order.",
    ))
}

/// The kernel with its barrier, and with the barrier inside the `if`.
fn barrier(from: &Sources) -> Result<Film> {
    let outside = from.trace("barrier")?;
    let inside = from.trace("barrier-inside")?;
    let words = "Eight threads with a barrier after each step. Those that have arrived wait until all eight \
                 are there.";
    let tracks = vec![
        track("outside the if", &outside, &from.text(SOURCE)?),
        track("inside the if", &inside, &from.text("chapters/tests/traces/barrier_inside.cu")?),
    ];
    // Most of the threads wait, and one works.
    let still = tracks[0].frames.iter().position(|frame| frame.say.contains("5 of 8"));
    let drawing = block::drawing(THREADS, &[&outside, &inside], words);
    let caption =
        "Orange: a thread that has arrived at the barrier and waits. It opens when all eight are there.";
    Ok(Film { still, ..Film::new("barrier", drawing, tracks, caption) })
}
