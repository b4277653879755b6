//! Chapter 6: a result and a ticket that another block sees in the wrong order, and what fences do about it.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::view::{Drawing, Film, Frame, Track};

/// What block 0 and block 1 have added up.
const RESULTS: [u32; 2] = [10, 26];

const LEFT: f64 = 14.0;
const ROWS: [(f64, &str); 2] = [(46.0, "result"), (92.0, "ticket")];
const BOX: (f64, f64) = (64.0, 28.0);
/// Where block 0 has a value, where it is on its way, and where block 1 sees it.
const PLACES: [f64; 3] = [LEFT + 50.0, LEFT + 136.0, LEFT + 222.0];

/// One store of block 0 at one moment.
#[derive(Clone, Copy)]
enum Store {
    NotYet,
    OnItsWay,
    Visible,
}
use Store::{NotYet, OnItsWay, Visible};

/// What the rules allow without a fence, and what they leave with one on each side.
pub fn figure(_: &Sources) -> Result<Film> {
    let [first, second] = RESULTS;
    let sum = first + second;
    let words = "Block 0 stores its result and then takes a ticket. Without a fence block 1 may see the \
                 ticket before the result, and adds an old 0. With fences it sees the result first.";
    let mut drawing = Drawing::new(360.0, 186.0, words);
    for (place, name) in PLACES.iter().zip(["block 0", "on its way", "what block 1 sees"]) {
        drawing.text("quiet", (place + BOX.0 / 2.0, 18.0), name);
    }
    for (row, (y, name)) in ROWS.iter().enumerate() {
        drawing.text("end quiet", (PLACES[0] - 8.0, y + 18.0), name);
        for (place, x) in PLACES.iter().enumerate() {
            drawing.keyed_rect(&format!("b{row}-{place}"), "element", (*x, *y), BOX);
            drawing.keyed_text(&format!("v{row}-{place}"), "value", (x + BOX.0 / 2.0, y + 19.0), "");
        }
    }
    let middle = (ROWS[0].0 + BOX.1 + ROWS[1].0) / 2.0;
    drawing.keyed_path("fence", "off", &format!("M{LEFT} {middle}H{}", PLACES[1] - 8.0));
    drawing.keyed_text("verdict", "verdict", (180.0, 150.0), "");
    let wrong = format!("block 1 adds {second} + 0");
    let right = format!("block 1 adds {second} + {first} = {sum}");
    let without = vec![
        frame(
            [OnItsWay, NotYet],
            false,
            "",
            format!("Block 0 stores its result, {first}. The store is on its way."),
        ),
        frame(
            [OnItsWay, Visible],
            false,
            "",
            "It takes ticket 0. Nothing orders the two: the ticket may be visible first.".to_string(),
        ),
        frame(
            [OnItsWay, Visible],
            false,
            &wrong,
            format!(
                "Block 1 takes ticket 1, the last one, and reads block 0's result: still 0. The sum is \
                 {second}."
            ),
        ),
        frame([Visible, Visible], false, &wrong, "The result arrives, too late.".to_string()),
    ];
    let with = vec![
        frame(
            [OnItsWay, NotYet],
            false,
            "",
            format!("Block 0 stores its result, {first}. The store is on its way."),
        ),
        frame(
            [Visible, NotYet],
            true,
            "",
            "The fence: whoever sees what comes after it also sees what came before.".to_string(),
        ),
        frame([Visible, Visible], true, "", "Block 0 takes ticket 0.".to_string()),
        frame(
            [Visible, Visible],
            true,
            &right,
            format!(
                "Block 1 takes ticket 1, the last one. A fence of its own keeps its reads behind the ticket: \
                 it reads {first}. The sum is {sum}."
            ),
        ),
    ];
    let tracks = vec![Track::new("without fences", without), Track::new("with fences", with)];
    let caption =
        "What the rules allow, not a recorded run: on the H200 of the record below no sum was wrong.";
    Ok(Film::new("fence", drawing, tracks, caption))
}

fn frame(stores: [Store; 2], fence: bool, verdict: &str, say: String) -> Frame {
    let mut frame = Frame { say, ..Frame::default() };
    for (row, store) in stores.into_iter().enumerate() {
        let value = if row == 0 { RESULTS[0].to_string() } else { "0".to_string() };
        // What is at each place: the value as block 0 has it, as it travels, and as block 1 sees it.
        let old = if row == 0 { "0" } else { "–" };
        let (own, travels, seen) = match store {
            NotYet => ("", "", old),
            OnItsWay => (&*value, &*value, old),
            Visible => (&*value, "", &*value),
        };
        for (place, words) in [own, travels, seen].into_iter().enumerate() {
            frame.words(&format!("v{row}-{place}"), words.to_string());
            let class = match (store, place) {
                (OnItsWay, 1) => "waits",
                (Visible, 2) => "written",
                _ => "element",
            };
            frame.class(&format!("b{row}-{place}"), class);
        }
    }
    if fence {
        frame.class("fence", "barrier");
    }
    if !verdict.is_empty() {
        frame.words("verdict", verdict.to_string());
        let is_right = verdict.contains('=');
        frame.class("verdict", if is_right { "verdict right" } else { "verdict wrong" });
    }
    frame
}
