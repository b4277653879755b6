//! Chapter 5: a warp adds up its numbers by shuffles, each lane reading another one's register.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::view::{Drawing, Film, Frame, Track, arrow};

/// Of 32, as many as a reader follows.
const LANES: usize = 8;
const LEFT: f64 = 14.0;
const PITCH: f64 = 42.0;
const BOX: (f64, f64) = (36.0, 26.0);
const TOP: f64 = 26.0;
const ROW: f64 = 62.0;

/// What all lanes hold before the first shuffle and after each: by `__shfl_down_sync` a lane gets the
/// register of the lane `distance` above it, and its own where there is none.
pub fn registers() -> Vec<(usize, [u32; LANES])> {
    let mut held = [0; LANES];
    for (lane, number) in held.iter_mut().enumerate() {
        *number = lane as u32 + 1;
    }
    let mut all = vec![(0, held)];
    let mut distance = LANES / 2;
    while distance > 0 {
        let before = held;
        for (lane, number) in held.iter_mut().enumerate() {
            *number += before.get(lane + distance).copied().unwrap_or(before[lane]);
        }
        all.push((distance, held));
        distance /= 2;
    }
    all
}

fn middle(lane: usize) -> f64 {
    LEFT + PITCH * lane as f64 + BOX.0 / 2.0
}

/// The registers of a warp of eight lanes, a row after each shuffle.
pub fn figure(_: &Sources) -> Result<Film> {
    let all = registers();
    let words = "Eight lanes hold 1 to 8. After a shuffle over a distance of 4, lanes 0 to 3 hold 6, 8, 10 \
                 and 12. After one over 2, lanes 0 and 1 hold 16 and 20. After one over 1, lane 0 holds the \
                 sum, 36.";
    let mut drawing = Drawing::new(360.0, TOP + ROW * all.len() as f64 - 24.0, words);
    for lane in 0..LANES {
        drawing.text("quiet", (middle(lane), 16.0), &format!("lane {lane}"));
    }
    for (row, (distance, held)) in all.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        for (lane, number) in held.iter().enumerate() {
            let x = LEFT + PITCH * lane as f64;
            drawing.keyed_rect(&format!("r{row}-{lane}"), "off", (x, y), BOX);
            drawing.keyed_text(
                &format!("v{row}-{lane}"),
                "off",
                (middle(lane), y + 18.0),
                &number.to_string(),
            );
            let from = lane + distance;
            if row > 0 && lane < *distance && from < LANES {
                let above = (middle(from), y - ROW + BOX.1);
                drawing.keyed_path(&format!("a{row}-{lane}"), "off", &arrow(above, (middle(lane), y)));
            }
        }
    }
    let frames = (0..all.len()).map(|shown| frame(&all, shown)).collect();
    let caption = "A warp of eight lanes, to have room; a real one has 32, and two more shuffles. Pale lanes \
                   hold numbers that no lane needs any more.";
    Ok(Film::new("shuffle", drawing, vec![Track::new("all", frames)], caption))
}

fn frame(all: &[(usize, [u32; LANES])], shown: usize) -> Frame {
    let mut frame = Frame::default();
    for (row, (distance, _)) in all.iter().enumerate().take(shown + 1) {
        let needed = if row == 0 { LANES } else { *distance };
        for lane in 0..LANES {
            let is_needed = lane < needed;
            let (shape, text) = match (is_needed, row == shown) {
                (true, true) => ("works", "value"),
                (true, false) => ("element", "value"),
                (false, _) => ("unborn", "quiet"),
            };
            frame.class(&format!("r{row}-{lane}"), shape);
            frame.class(&format!("v{row}-{lane}"), text);
            if row > 0 && is_needed {
                frame.class(&format!("a{row}-{lane}"), "read");
            }
        }
    }
    let (distance, held) = &all[shown];
    frame.say = match (shown, distance) {
        (0, _) => "Each lane holds one number in a register.".to_string(),
        (_, 1) => {
            format!("A shuffle over 1: lane 0 reads lane 1's register, and holds the sum, {}.", held[0])
        }
        (_, distance) => format!(
            "A shuffle over {distance}: lanes 0 to {} each read the register {distance} lanes further on, \
             and add it. No memory, no barrier.",
            distance - 1
        ),
    };
    frame
}
