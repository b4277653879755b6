//! What the ways of launching take, on one axis of time that can be looked at from near and far.

use anyhow::{Context, Result};
use serde_json::json;
use workbook::figure::Sources;
use workbook::text::number::{thousands, time};
use workbook::view::{Drawing, Film, Frame, Track};

/// The record with the nested kernels; the others are in this chapter's.
pub const RECORD: &str = "ch4_nested.gpu";

/// A way of launching.
struct Bar {
    /// `tail launches`
    label: &'static str,
    /// Microseconds in all.
    time: f64,
    /// Launches that follow each other in it, to be told apart where there is room; 0: they overlap.
    launches: u64,
}

const LEFT: f64 = 8.0;
const WIDTH: f64 = 344.0;
const ROW: f64 = 40.0;
const TOP: f64 = 8.0;
/// Narrower parts are not told apart.
const NARROWEST: f64 = 4.0;

/// The ways of launching the same tree, 2^20 elements in blocks of 512.
fn bars(from: &Sources) -> Result<Vec<Bar>> {
    const N: u64 = 1 << 20;
    let nested = from.record(RECORD)?;
    let pays = from.record("ch4_when_it_pays.gpu")?;
    let levels = u64::from(N.ilog2());
    let bar = |(label, in_nested, kernel, launches): (_, bool, &str, Option<u64>)| {
        let record = if in_nested { &nested } else { &pays };
        let mut runs = record.runs.iter().chain(&record.sweep);
        let run = runs.find(|run| (run.kernel.as_str(), run.n, run.block) == (kernel, N, 512));
        let run = run.with_context(|| format!("{} has no {kernel} at 2^20, 512", record.stem))?;
        let time = run.time_us.with_context(|| format!("{kernel} has no time"))?.median;
        Ok(Bar { label, time, launches: launches.unwrap_or(run.device_launches.unwrap_or(0) + 1) })
    };
    // Launches that follow each other: the kernel's own, and the first grid of the nested ones.
    let all = [
        ("a tail launch per block", true, "gpuRecursiveReduce", None),
        ("fire-and-forget per block", true, "gpuRecursiveReduceFireAndForget", Some(0)),
        ("a tail launch per level", true, "gpuRecursiveReduceGridWide", None),
        ("the same levels launched by the host", false, "reduceLevel", Some(levels)),
        ("the same levels in a graph", false, "reduceLevelGraph", Some(levels)),
    ];
    all.into_iter().map(bar).collect()
}

/// The first sums of the introduction, with the chapters they are from: 2^20 elements.
fn sums(from: &Sources) -> Result<Vec<Bar>> {
    let of = |(label, record, kernel): (_, &str, &str)| {
        let record = from.record(record)?;
        let mut runs = record.runs.iter().chain(&record.sweep);
        let run = runs.find(|run| run.kernel == kernel && run.n == 1 << 20 && matches!(run.block, 0 | 512));
        let run = run.with_context(|| format!("{} has no {kernel} at 2^20", record.stem))?;
        let time = run.time_us.with_context(|| format!("{kernel} has no time"))?.median;
        Ok(Bar { label, time, launches: run.device_launches.map_or(0, |launches| launches + 1) })
    };
    let all = [
        ("a kernel that launches itself (chapter 4)", RECORD, "gpuRecursiveReduce"),
        ("a loop on one CPU core (chapter 1)", "ch1_serial.cpu", "loop"),
        ("a tree, a partial sum per block (chapter 3)", "ch3_blocks.gpu", "reduceInterleaved"),
        ("the last kernel of the book (chapter 7)", "ch7_limit.gpu", "reduceLimit"),
    ];
    all.into_iter().map(of).collect()
}

/// Four sums of the same numbers, for the introduction.
pub fn of_sums(from: &Sources) -> Result<Film> {
    let caption = "2<sup>20</sup> integers, medians of single calls. On the GPU they include the launch, \
                   of which a copy in front of it hides a part in chapters 3 and 4. There the host still has \
                   to add up a number per block, which is not timed. The cuts in the first bar are launches, \
                   drawn as if each took as long as the others. Each time is from its chapter's record; that \
                   of the first bar:";
    film("sums", &sums(from)?, caption)
}

/// The ways of launching the same additions.
pub fn figure(from: &Sources) -> Result<Film> {
    let caption = "2<sup>20</sup> elements in blocks of 512 threads, medians. The cuts are the launches, \
                   drawn as if each took as long as the others.";
    film("time", &bars(from)?, caption)
}

/// The bars at scales that fit each of them in turn, from near to far.
fn film(name: &'static str, bars: &[Bar], caption: &str) -> Result<Film> {
    let height = TOP + ROW * bars.len() as f64 + 26.0;
    let all: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.label, time(bar.time))).collect();
    let mut drawing = Drawing::new(360.0, height, &format!("Times: {}.", all.join("; ")));
    let scales = scales(bars);
    for (row, bar) in bars.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        drawing.text("start", (LEFT, y + 12.0), bar.label);
        drawing.text("end strong", (LEFT + WIDTH, y + 12.0), &time(bar.time));
        for (number, scale) in scales.iter().enumerate() {
            draw(&mut drawing, &format!("b{row}-{number}"), bar, *scale, y + 17.0);
        }
    }
    let floor = TOP + ROW * bars.len() as f64;
    drawing.path("", &format!("M{LEFT} {floor}h{WIDTH}"));
    drawing.text("start quiet", (LEFT, floor + 16.0), "0");
    drawing.keyed_text("end", "end quiet", (LEFT + WIDTH, floor + 16.0), "");
    let tracks = scales.iter().enumerate().map(|(number, scale)| track(bars, number, *scale)).collect();
    let data = bars.iter().map(|bar| json!([bar.label, bar.time, bar.launches])).collect();
    Ok(Film { script: Some(("axis", data)), ..Film::new(name, drawing, tracks, caption) })
}

/// Round lengths of the axis: a little more than each bar that is much longer than the one before.
fn scales(bars: &[Bar]) -> Vec<f64> {
    let mut times: Vec<f64> = bars.iter().map(|bar| bar.time).collect();
    times.sort_by(f64::total_cmp);
    let mut scales: Vec<f64> = Vec::new();
    for (at, one) in times.iter().enumerate() {
        let next = times.get(at + 1).copied().unwrap_or(f64::INFINITY);
        if next > 4.0 * one {
            scales.push(round_up(*one));
        }
    }
    scales
}

/// 1, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten.
fn round_up(time: f64) -> f64 {
    let power = 10f64.powf(time.log10().floor());
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.iter().map(|step| step * power).find(|length| *length >= time).unwrap_or(time)
}

fn draw(drawing: &mut Drawing, key: &str, bar: &Bar, scale: f64, y: f64) {
    let whole = WIDTH * bar.time / scale;
    let width = whole.clamp(1.0, WIDTH);
    drawing.keyed_rect(key, "off", (LEFT, y), (width, 14.0));
    let part = whole / bar.launches.max(1) as f64;
    let mut marks = String::new();
    if bar.launches > 1 && part >= NARROWEST {
        let shown = (1..bar.launches).map(|at| part * at as f64).take_while(|x| *x < width);
        marks = shown.map(|x| format!("M{:.1} {y}v14", LEFT + x)).collect();
    }
    if whole > WIDTH {
        // It goes on.
        let x = LEFT + WIDTH;
        marks += &format!("M{:.1} {}l6 9l-6 9", x - 8.0, y - 2.0);
    }
    if !marks.is_empty() {
        drawing.keyed_path(&format!("{key}m"), "off", &marks);
    }
}

fn track(bars: &[Bar], number: usize, scale: f64) -> Track {
    let mut frame = Frame::default();
    let mut parts = Vec::new();
    for (row, bar) in bars.iter().enumerate() {
        frame.class(&format!("b{row}-{number}"), "asked");
        frame.class(&format!("b{row}-{number}m"), "cut");
        let part = bar.time / bar.launches.max(1) as f64;
        if bar.launches > 1 && WIDTH * part / scale >= NARROWEST && bar.time > scale {
            let shown = (scale / part).floor() as i64;
            parts.push(format!(
                "{}, after about {shown} of {} launches, the host's included",
                bar.label,
                thousands(bar.launches as i64)
            ));
        }
    }
    frame.words("end", time(scale));
    let fit: Vec<&str> = bars.iter().filter(|bar| bar.time <= scale).map(|bar| bar.label).collect();
    frame.say = format!("The first {}. What has ended: {}.", time(scale), fit.join(", "));
    if !parts.is_empty() {
        frame.say += &format!(" Still at work: {}.", parts.join("; "));
    }
    Track::new(time(scale).replace(".0 ", " "), vec![frame])
}
