//! The loads of one thread on their way, one at a time or eight.

use anyhow::{Context, Result};
use serde_json::Value;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Trace};
use workbook::text::number::{thousands, three_digits};
use workbook::view::{Drawing, Film, Frame, Track};

/// Parts of the way from memory, and of the latency.
const PLACES: usize = 10;
const LEFT: f64 = 8.0;
const PITCH: f64 = 34.4;
const TOP: f64 = 30.0;
const ROW: f64 = 84.0;

/// Loads from global memory that warp 0 issues before anything uses one of them: until it writes.
fn in_flight(trace: &Trace) -> usize {
    let of_warp = trace.events.iter().filter(|event| event.warp == 0);
    let mut loads = 0;
    for event in of_warp {
        match &event.did {
            Did::Read(touch) if trace.buffers[touch.buffer].space == "global" => loads += 1,
            Did::Read(_) | Did::Write(_) | Did::Arrive { .. } => break,
            _ => {}
        }
    }
    loads
}

/// The latency of memory in clocks, as chapter 5 has measured it.
pub fn latency(from: &Sources) -> Result<f64> {
    let spaces: Vec<Value> = from.record("ch5_shared.gpu")?.section("memory_spaces")?.unwrap_or_default();
    let global = spaces.iter().find(|space| space["space"] == "global");
    let clocks = global.and_then(|space| space["clocks"].as_f64());
    clocks.context("the record has no latency of global memory")
}

/// Two kernels.
pub fn figure(from: &Sources) -> Result<Film> {
    let traces = [from.trace("load-one")?, from.trace("load-eight")?];
    let clocks = latency(from)?;
    let words = "The way from memory to a thread as a pipe. With one load at a time it is almost empty; with \
                 eight loads before the first is used it is almost full.";
    let mut drawing = Drawing::new(360.0, TOP + 2.0 * ROW + 6.0, words);
    drawing.text("start quiet", (LEFT, 15.0), "memory");
    drawing.text("end quiet", (352.0, 15.0), "one thread");
    let kernels: Vec<(&str, usize)> =
        traces.iter().map(|trace| (trace.kernel.as_str(), in_flight(trace))).collect();
    for (row, (name, loads)) in kernels.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let end = LEFT + PITCH * PLACES as f64;
        drawing.path("", &format!("M{LEFT} {y}H{end}M{LEFT} {}H{end}", y + 26.0));
        for place in 0..PLACES {
            let x = LEFT + PITCH * place as f64;
            drawing.keyed_rect(&format!("p{row}-{place}"), "off", (x + 5.0, y + 5.0), (PITCH - 10.0, 16.0));
        }
        drawing.text("start mono", (LEFT, y + 43.0), name);
        let word = if *loads == 1 { "load" } else { "loads" };
        drawing.text("start", (LEFT, y + 59.0), &format!("{loads} {word} before it waits"));
        drawing.keyed_text(&format!("n{row}"), "end strong", (352.0, y + 43.0), "");
    }
    let frames = (0..=2 * PLACES).map(|now| frame(&kernels, now, clocks)).collect();
    let caption = format!(
        "Loads of four bytes on their way to one thread, drawn further apart than they are issued. The trip \
         takes {} clocks on the H200.",
        three_digits(clocks)
    );
    Ok(Film { still: Some(8), ..Film::new("flight", drawing, vec![Track::new("all", frames)], caption) })
}

fn frame(kernels: &[(&str, usize)], now: usize, clocks: f64) -> Frame {
    let mut frame = Frame::default();
    let mut said = Vec::new();
    for (row, (name, loads)) in kernels.iter().enumerate() {
        let mut flying = 0;
        let mut arrived = 0;
        // One load is issued after the other; the next ones when all of these are back.
        let round = PLACES.max(loads + 2);
        for start in (0..=now).filter(|start| start % round < *loads) {
            match now - start {
                place if place < PLACES => {
                    frame.class(&format!("p{row}-{place}"), "asked");
                    flying += 1;
                }
                _ => arrived += 1,
            }
        }
        frame.words(&format!("n{row}"), format!("{flying} in flight, {arrived} back"));
        said.push(format!("{name} has {flying} in flight and {arrived} back"));
    }
    let time = thousands((clocks * now as f64 / PLACES as f64).round() as i64);
    frame.say = format!("After {time} clocks: {}.", said.join("; "));
    frame
}
