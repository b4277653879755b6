//! Chapter 2: eight threads with a race, and with a barrier.

use super::block;
use super::film::Film;
use crate::sim::trace::Trace;

const THREADS: u32 = 8;

/// Lines of a source, without the indent that they share.
pub fn lines(source: &str, from: u32, to: u32) -> Vec<(u32, String)> {
    let all = (1..).zip(source.lines()).filter(|(line, _)| (from..=to).contains(line));
    let all: Vec<(u32, &str)> = all.collect();
    let indent = |text: &str| text.len() - text.trim_start().len();
    let shared = all
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(_, text)| indent(text))
        .min()
        .unwrap_or(0);
    all.into_iter().map(|(line, text)| (line, text.get(shared..).unwrap_or("").to_string())).collect()
}

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

/// The kernel without a barrier, under two orders of turns.
pub fn race(four_first: &Trace, six_first: &Trace, source: &str) -> Film {
    let words = "Eight threads add the numbers 1 to 8 in place, without a barrier. Thread 4 reads element 6 \
                 before thread 6 has written it, and the sum is 28 instead of 36.";
    let track = |label, trace| block::track(label, trace, THREADS, listing(trace, source));
    Film {
        name: "race".into(),
        drawing: block::drawing(THREADS, &[four_first, six_first], words),
        tracks: vec![track("thread 4 first", four_first), track("thread 6 first", six_first)],
        still: None,
        caption: "Blue: reads. Green: writes. Red: a read and a write that nothing puts in order.".into(),
    }
}

/// The kernel with its barrier, and with the barrier inside the `if`.
pub fn barrier(outside: &Trace, inside: &Trace, source: &str, inside_source: &str) -> Film {
    let words = "Eight threads with a barrier after each step. Those that have arrived wait until all eight \
                 are there.";
    let track = |label, trace, source| block::track(label, trace, THREADS, listing(trace, source));
    let outside_track = track("outside the if", outside, source);
    // Most of the threads wait, and one works.
    let still = outside_track.frames.iter().position(|frame| frame.say.contains("5 of 8"));
    Film {
        name: "barrier".into(),
        drawing: block::drawing(THREADS, &[outside, inside], words),
        tracks: vec![outside_track, track("inside the if", inside, inside_source)],
        still,
        caption:
            "Orange: a thread that has arrived at the barrier and waits. It opens when all eight are there."
                .into(),
    }
}
