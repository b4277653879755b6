//! One machine: the warps of a multiprocessor, the loads that they have under way, and the rate that Little's
//! law allows, beside what was measured. In the page `book/src/live/film_machine.js` adds sliders.

use anyhow::{Context, Result};
use serde_json::json;
use workbook::figure::Sources;
use workbook::text::number::{thousands, three_digits};
use workbook::view::{Drawing, Film, Frame, Track};

use super::{comparison, flight, ladder};

/// A multiprocessor has room for so many.
const THREADS: u64 = 2048;
const BLOCKS: u64 = 32;
const WARPS: usize = 64;
/// Parts of the pipe, which holds as many bytes as the law asks for.
const PARTS: usize = 20;

/// The diagram: bytes in flight per multiprocessor from 2^LEAST to 2^MOST, and the rate up to the peak.
const LEAST: f64 = 8.0;
const MOST: f64 = 17.0;
const LEFT: f64 = 30.0;
const WIDTH: f64 = 312.0;
const TOP: f64 = 166.0;
const HEIGHT: f64 = 110.0;

/// What is launched.
struct Launch {
    kernel: &'static str,
    threads: u64,
    blocks: u64,
    /// Of four bytes, under way before the thread waits for the first.
    loads: u64,
    /// GB/s.
    recorded: f64,
}

/// The GPU of the record.
struct Machine {
    multiprocessors: u64,
    /// Of a load from memory, in nanoseconds.
    latency: f64,
    /// GB/s.
    peak: f64,
}

impl Machine {
    fn of(from: &Sources) -> Result<Machine> {
        let record = from.record(ladder::RECORD)?;
        let gpu = record.device.gpu.as_ref().context("the record is not of a GPU")?;
        Ok(Machine {
            multiprocessors: gpu.multiprocessors.into(),
            latency: flight::latency(from)? / f64::from(gpu.sm_clock_mhz) * 1e3,
            peak: gpu.datasheet(),
        })
    }

    /// Blocks on a multiprocessor at the same time.
    fn resident(&self, launch: &Launch) -> u64 {
        let room = (THREADS / launch.threads).min(BLOCKS);
        launch.blocks.div_ceil(self.multiprocessors).min(room)
    }

    /// On average over all multiprocessors, at most.
    fn bytes_in_flight(&self, launch: &Launch) -> f64 {
        let at_once = launch.blocks.min(self.resident(launch) * self.multiprocessors);
        (at_once * launch.threads * launch.loads * 4) as f64 / self.multiprocessors as f64
    }

    /// The law: bytes in flight on each multiprocessor that fill the pipe.
    fn full(&self) -> f64 {
        self.latency * self.peak / self.multiprocessors as f64
    }

    /// GB/s with so many bytes in flight on each multiprocessor, at most.
    fn rate(&self, bytes: f64) -> f64 {
        (bytes * self.multiprocessors as f64 / self.latency).min(self.peak)
    }
}

fn launches(from: &Sources, machine: &Machine) -> Result<Vec<Launch>> {
    let dot = from.record("ch5_shared.gpu")?;
    let of_dot = dot.sweep.iter().find(|run| run.kernel == "dot" && run.n == 1 << 26);
    let rate = of_dot.and_then(|run| run.gigabytes_per_second()).context("the record has no dot at 2^26")?;
    let mut launches = vec![Launch { kernel: "dot", threads: 256, blocks: 32, loads: 2, recorded: rate }];
    let limit = from.record(ladder::RECORD)?;
    for (kernel, loads) in [("reduceSequential", 1), ("reduceFirstAdd", 2), ("reduceInFlight", 8)] {
        let timed = comparison::timed(&limit, kernel, 1 << 30, "alone");
        let rate = timed.and_then(|(run, time)| run.rate(time));
        let recorded = rate.with_context(|| format!("the record has no {kernel} at 2^30, work alone"))?;
        let blocks = 4 * machine.multiprocessors; // what fits at once; further ones follow
        launches.push(Launch { kernel, threads: 512, blocks, loads, recorded });
    }
    Ok(launches)
}

/// Four kernels that are measured elsewhere in the book.
pub fn figure(from: &Sources) -> Result<Film> {
    let machine = Machine::of(from)?;
    let launches = launches(from, &machine)?;
    let drawing = drawing(&machine, &launches);
    let track =
        |(number, launch): (usize, &Launch)| Track::new(launch.kernel, vec![frame(&machine, number, launch)]);
    let tracks = launches.iter().enumerate().map(track).collect();
    let caption = format!(
        "A model: bytes in flight over a latency of {} ns, up to the peak rate. The large mark is the \
         model's; the small ones are measured: 2<sup>26</sup> pairs of <code>float</code>s in one call for \
         <code>dot</code>; 2<sup>30</sup> <code>int</code>s, the work alone, for the others, whose blocks \
         are more than fit at once.",
        machine.latency.round()
    );
    let of = json!({
        "multiprocessors": machine.multiprocessors, "latency": machine.latency, "peak": machine.peak,
        "launches": launches.iter().map(|l| [l.threads, l.blocks, l.loads]).collect::<Vec<_>>(),
        "diagram": [LEAST, MOST, LEFT, WIDTH, TOP, HEIGHT],
    });
    Ok(Film { script: Some(("machine", of)), ..Film::new("machine", drawing, tracks, caption) })
}

/// Where `bytes` and `rate` stand in the diagram.
fn place(machine: &Machine, bytes: f64, rate: f64) -> (f64, f64) {
    let along = ((bytes.log2() - LEAST) / (MOST - LEAST)).clamp(0.0, 1.0);
    (LEFT + WIDTH * along, TOP + HEIGHT * (1.0 - rate / machine.peak))
}

fn drawing(machine: &Machine, launches: &[Launch]) -> Drawing {
    let words = "A multiprocessor with room for 64 warps; below it a pipe to memory, which holds the loads \
                 under way; below that the rate over the bytes in flight: it rises in proportion up to the \
                 peak rate, and stays there.";
    let mut drawing = Drawing::new(360.0, TOP + HEIGHT + 34.0, words);
    drawing.text("start", (LEFT, 14.0), &format!("one of {} multiprocessors", machine.multiprocessors));
    for warp in 0..WARPS {
        let (column, row) = ((warp % 16) as f64, (warp / 16) as f64);
        let at = (LEFT + 10.5 * column, 22.0 + 10.5 * row);
        drawing.keyed_rect(&format!("w{warp}"), "idle", at, (8.5, 8.5));
    }
    drawing.keyed_text("blocks", "start", (210.0, 33.0), "");
    drawing.keyed_text("occupancy", "start", (210.0, 50.0), "");
    drawing.text("start", (LEFT, 86.0), "loads under way, from memory through L2");
    let part = WIDTH / PARTS as f64;
    for number in 0..PARTS {
        let at = (LEFT + part * number as f64, 93.0);
        drawing.keyed_rect(&format!("p{number}"), "idle", at, (part - 2.0, 16.0));
    }
    drawing.keyed_text("bytes", "start strong", (LEFT, 127.0), "");
    let full = thousands(machine.full().round() as i64);
    drawing.text("end quiet", (LEFT + WIDTH, 127.0), &format!("{full} fill it"));
    diagram(&mut drawing, machine, launches);
    drawing
}

fn diagram(drawing: &mut Drawing, machine: &Machine, launches: &[Launch]) {
    drawing.text(
        "start quiet",
        (LEFT, TOP - 8.0),
        &format!("rate; peak: {} GB/s", three_digits(machine.peak)),
    );
    drawing.path("", &format!("M{LEFT} {TOP}V{}H{}", TOP + HEIGHT, LEFT + WIDTH));
    let steps = (0..=36).map(|step| (LEAST + (MOST - LEAST) * f64::from(step) / 36.0).exp2());
    let (rising, level): (Vec<f64>, Vec<f64>) = steps.partition(|bytes| *bytes < machine.full());
    let curve = rising.into_iter().chain([machine.full()]).chain(level).map(|bytes| {
        let (x, y) = place(machine, bytes, machine.rate(bytes));
        format!("{x:.1} {y:.1}")
    });
    drawing.path("model", &format!("M{}", curve.collect::<Vec<_>>().join("L")));
    for power in [8, 11, 14, 17] {
        let (x, _) = place(machine, f64::from(power).exp2(), 0.0);
        let class = if power == 17 { "end quiet" } else { "quiet" };
        drawing.text(class, (x, TOP + HEIGHT + 15.0), &thousands(1 << power));
    }
    drawing.text("end quiet", (LEFT + WIDTH, TOP + HEIGHT + 30.0), "bytes in flight per multiprocessor");
    for (number, launch) in launches.iter().enumerate() {
        let bytes = machine.bytes_in_flight(launch);
        let (x, y) = place(machine, bytes, machine.rate(bytes));
        drawing.keyed_rect(&format!("m{number}"), "off", (x - 4.0, y - 4.0), (8.0, 8.0));
        let (x, y) = place(machine, bytes, launch.recorded);
        drawing.keyed_rect(&format!("r{number}"), "ended", (x - 3.0, y - 3.0), (6.0, 6.0));
    }
}

fn frame(machine: &Machine, number: usize, launch: &Launch) -> Frame {
    let mut frame = Frame::default();
    let resident = machine.resident(launch);
    let warps = resident * launch.threads.div_ceil(32);
    let per_block = launch.threads.div_ceil(32);
    for warp in 0..warps.min(WARPS as u64) {
        // Blocks side by side look different.
        let class = if (warp / per_block).is_multiple_of(2) { "works" } else { "written" };
        frame.class(&format!("w{warp}"), class);
    }
    let blocks = if resident == 1 { "block" } else { "blocks" };
    frame.words("blocks", format!("{resident} {blocks} of {} threads", thousands(launch.threads as i64)));
    let threads = resident * launch.threads;
    let occupancy = 100.0 * threads as f64 / THREADS as f64;
    frame.words("occupancy", format!("occupancy {}%", occupancy.round()));
    let bytes = machine.bytes_in_flight(launch);
    let filled = (PARTS as f64 * bytes / machine.full()).round() as usize;
    for part in 0..filled.clamp(1, PARTS) {
        frame.class(&format!("p{part}"), "asked");
    }
    frame.words("bytes", format!("{} bytes on average, at most", thousands(bytes.round() as i64)));
    frame.class(&format!("m{number}"), "written");
    frame.class(&format!("r{number}"), "asked");
    frame.say = say(machine, launch, bytes);
    frame
}

fn say(machine: &Machine, launch: &Launch, bytes: f64) -> String {
    let Launch { threads, blocks, loads, recorded, .. } = *launch;
    let word = if loads == 1 { "load" } else { "loads" };
    let share = |rate: f64| 100.0 * rate / machine.peak;
    let model = machine.rate(bytes);
    format!(
        "{} blocks of {threads} threads, each with {loads} {word} of 4 bytes under way: the law allows \
         {:.0}% of the peak rate, and {:.0}% is recorded.",
        thousands(blocks as i64),
        share(model),
        share(recorded)
    )
}
