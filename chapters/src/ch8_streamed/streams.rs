//! One stream, and two that overlap: who copies and who adds, as time goes on.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::view::{Drawing, Film, Frame, Track};

/// How long a piece takes, in units of the drawing's time.
const COPY: usize = 3;
const SUM: usize = 1;
const END: usize = 13;
const PIECES: usize = 4;

const LEFT: f64 = 62.0;
const UNIT: f64 = 22.0;
const ROW: f64 = 24.0;
/// Above the two rows of each run.
const TOPS: [f64; 2] = [24.0, 104.0];
const NAMES: [&str; 2] = ["One stream", "Two streams"];

/// What a piece keeps busy: the link to the GPU, then its multiprocessors.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Link,
    Kernel,
}

/// A piece that is copied, or added.
struct Task {
    piece: usize,
    unit: Unit,
    from: usize,
    to: usize,
}

/// All pieces, dealt out to `streams`. A stream does one thing after the other, and the link copies one piece
/// at a time.
fn tasks(streams: usize) -> Vec<Task> {
    let mut link = 0;
    let mut free = vec![0; streams];
    let mut tasks = Vec::new();
    for piece in 1..=PIECES {
        let stream = &mut free[(piece - 1) % streams];
        let from = link.max(*stream);
        link = from + COPY;
        *stream = link + SUM;
        tasks.push(Task { piece, unit: Unit::Link, from, to: link });
        tasks.push(Task { piece, unit: Unit::Kernel, from: link, to: *stream });
    }
    tasks
}

/// Both runs side by side, until the faster one has added all pieces.
pub fn figure(_: &Sources) -> Result<Film> {
    let runs = [tasks(1), tasks(2)];
    let words = format!(
        "{PIECES} pieces are copied and added. With one stream the link is idle during every sum. With two \
         streams it never is: the sum of a piece runs while the next piece is copied."
    );
    let mut drawing = Drawing::new(LEFT + UNIT * END as f64 + 8.0, TOPS[1] + 2.0 * ROW + 8.0, &words);
    for (run, tasks) in runs.iter().enumerate() {
        drawing.text("start strong", (LEFT, TOPS[run] - 8.0), NAMES[run]);
        for (row, name) in ["PCIe", "kernel"].iter().enumerate() {
            drawing.text("end quiet", (LEFT - 8.0, TOPS[run] + ROW * row as f64 + 15.0), name);
        }
        for task in tasks.iter().filter(|task| task.to <= END) {
            let y = TOPS[run] + ROW * f64::from(u8::from(task.unit == Unit::Kernel));
            let x = LEFT + UNIT * task.from as f64;
            let width = UNIT * (task.to - task.from) as f64;
            drawing.keyed_rect(&key(run, task), "off", (x, y), (width, ROW - 4.0));
            let words = key(run, task) + " words";
            drawing.keyed_text(&words, "off", (x + width / 2.0, y + 15.0), &task.piece.to_string());
        }
    }
    let frames = (0..=END).map(|time| frame(&runs, time)).collect();
    let caption = "The numbers are pieces. Blue: it is being copied, or added. The sums are drawn far too \
                   long: of each piece, nearly all the time is its copy.";
    Ok(Film::new("streams", drawing, vec![Track::new("both", frames)], caption))
}

fn key(run: usize, task: &Task) -> String {
    let unit = if task.unit == Unit::Link { "copy" } else { "sum" };
    format!("{run} {unit} {}", task.piece)
}

fn frame(runs: &[Vec<Task>; 2], time: usize) -> Frame {
    let mut frame = Frame::default();
    for (run, tasks) in runs.iter().enumerate() {
        for task in tasks.iter().filter(|task| task.from <= time && task.to <= END) {
            frame.class(&key(run, task), if task.to <= time { "ended" } else { "works" });
            frame.class(&(key(run, task) + " words"), "");
        }
    }
    let said: Vec<String> = (0..2).map(|run| format!("{}: {}.", NAMES[run], at(&runs[run], time))).collect();
    frame.say = match time {
        END => {
            let added = |tasks: &[Task]| {
                tasks.iter().filter(|task| task.unit == Unit::Kernel && task.to <= END).count()
            };
            let [one, two] = [added(&runs[0]), added(&runs[1])];
            format!("With two streams {two} pieces are added, with one stream {one}.")
        }
        _ => said.join(" "),
    };
    frame
}

/// `copies piece 2, adds piece 1`
fn at(tasks: &[Task], time: usize) -> String {
    let now =
        |unit: Unit| tasks.iter().find(|task| task.unit == unit && (task.from..task.to).contains(&time));
    match (now(Unit::Link), now(Unit::Kernel)) {
        (Some(copy), Some(sum)) => format!("copies piece {}, adds piece {}", copy.piece, sum.piece),
        (Some(copy), None) => format!("copies piece {}", copy.piece),
        (None, Some(sum)) => format!("adds piece {}, and PCIe is idle", sum.piece),
        (None, None) => "idle".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_is_idle_during_every_sum_of_one_stream_and_never_with_two() {
        let starts = |streams: usize| -> Vec<usize> {
            let tasks = tasks(streams);
            tasks.iter().filter(|task| task.unit == Unit::Link).map(|task| task.from).collect()
        };
        assert_eq!(starts(1), [0, 4, 8, 12]);
        assert_eq!(starts(2), [0, 3, 6, 9]);
        assert_eq!(tasks(2).last().unwrap().to, END);
    }
}
