//! Why a rung is faster than the one below it: what Nsight Compute counted of each kernel, where its warps
//! spend their time, and how far it is from the machine's two limits.

use std::collections::BTreeMap;
use std::iter;

use anyhow::Result;
use serde::Deserialize;
use workbook::device::GpuInfo;
use workbook::record::chart::{Against, Chart, Point, Quantity, Scale, Series, Style, Vertical, plot_of};
use workbook::text::columns::Column;
use workbook::text::number::{percent, thousands, three_digits, two_digits};

/// Warp schedulers of a multiprocessor; each issues one instruction per clock (CUDA C++ Programming Guide,
/// "Compute Capability 9.x").
const SCHEDULERS: f64 = 4.0;
/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// A state of a warp.
pub struct State {
    /// As a reader tells it from the others.
    pub name: &'static str,
    /// In a bar of the chart.
    pub short: &'static str,
    /// What the warp waits for in it, if it waits.
    waits_for: Option<&'static str>,
    /// What ncu calls it (Nsight Compute documentation, "Warp Scheduler States").
    ncu: &'static [&'static str],
}

/// All states. What is in none of the first four is in the last.
pub const STATES: [State; 5] = [
    State {
        name: "waiting for global memory",
        short: "memory",
        waits_for: Some("memory"),
        ncu: &["long_scoreboard"],
    },
    State { name: "waiting at a barrier", short: "barrier", waits_for: Some("barrier"), ncu: &["barrier"] },
    State {
        name: "waiting for shared memory",
        short: "shared",
        waits_for: Some("shared memory"),
        ncu: &["short_scoreboard"],
    },
    State {
        name: "issuing, or ready to",
        short: "issuing",
        waits_for: None,
        ncu: &["selected", "not_selected", "wait"],
    },
    State { name: "other", short: "other", waits_for: None, ncu: &[] },
];

/// What `benches/ncu.py` writes.
#[derive(Deserialize)]
pub struct Report {
    pub date: String,
    pub device: String,
    pub driver: String,
    pub ncu: String,
    pub n: u64,
    pub code: BTreeMap<String, String>,
    pub kernels: Vec<Kernel>,
}

/// What was counted of a kernel.
#[derive(Deserialize)]
pub struct Kernel {
    pub kernel: String,
    pub time_us: f64,
    pub warp_instructions: f64,
    /// Of 1.
    pub issue_slots_used: f64,
    /// Of 1.
    pub occupancy: f64,
    pub memory_bytes_read: f64,
    pub memory_bytes_written: f64,
    /// Warps in each state, per instruction issued.
    pub states: BTreeMap<String, f64>,
}

/// A number of a kernel by its name: what it is, and how it is written.
pub type Field = (&'static str, fn(&Kernel) -> f64, fn(f64) -> String);

/// Numbers of a kernel that stand in prose.
pub const FIELDS: [Field; 8] = [
    ("warp-instructions", |kernel| kernel.warp_instructions, |count| thousands(count as i64)),
    ("instructions-per-sector", Kernel::instructions_per_sector, two_digits),
    ("issue", |kernel| kernel.issue_slots_used, of_one),
    ("occupancy", |kernel| kernel.occupancy, of_one),
    ("memory-share", |kernel| kernel.shares()[0], of_one),
    ("barrier-share", |kernel| kernel.shares()[1], of_one),
    ("read", |kernel| kernel.memory_bytes_read, megabytes),
    ("written", |kernel| kernel.memory_bytes_written, megabytes),
];

/// A share of 1.
pub fn of_one(share: f64) -> String {
    percent(share, 1.0)
}

fn millions(count: f64) -> String {
    format!("{} M", three_digits(count / 1e6))
}

fn megabytes(bytes: f64) -> String {
    format!("{} MB", three_digits(bytes / 1e6))
}

/// What each kernel changes in the one before it in the tables.
pub const CHANGES: [(&str, &str); 14] = [
    ("reduceNeighbored", ""),
    ("reduceNeighboredMask", "a mask, no division"),
    ("reduceNeighboredLess", "adjacent threads work"),
    ("reduceInterleaved", "halves are added"),
    ("reduceSharedTree", "Less, in shared memory"),
    ("reduceSequential", "no bank conflicts"),
    ("reduceFirstAdd", "two loads, half the blocks"),
    ("reduceInFlight", "eight loads, fixed grid"),
    ("reduceShuffle", "shuffles, one barrier"),
    ("reduceVector", "loads of 16 bytes"),
    ("reduceSinglePass", "the last block finishes"),
    ("reduceOneAtomic", "one atomic, one round"),
    ("reduceFourLoads", "4 × 16 bytes, past L1"),
    ("reduceLimit", "shape by size"),
];

impl Kernel {
    /// Bytes that memory has moved, in both directions: they share its rate.
    fn memory_bytes(&self) -> f64 {
        self.memory_bytes_read + self.memory_bytes_written
    }

    pub fn instructions_per_sector(&self) -> f64 {
        self.warp_instructions / (self.memory_bytes() / SECTOR)
    }

    /// Gigabytes that memory has moved per second.
    fn gigabytes_per_second(&self) -> f64 {
        self.memory_bytes() / self.time_us / 1e3
    }

    /// Shares of a warp's time, in the order of [`STATES`].
    pub fn shares(&self) -> [f64; STATES.len()] {
        let all: f64 = self.states.values().sum();
        let mut shares =
            STATES.map(|state| state.ncu.iter().filter_map(|name| self.states.get(*name)).sum::<f64>() / all);
        shares[STATES.len() - 1] = 1.0 - shares.iter().sum::<f64>();
        shares
    }

    /// What a warp waits for most, with its share of the warp's time.
    fn waits_most(&self) -> String {
        let all = STATES.iter().zip(self.shares());
        let waiting = all.filter_map(|(state, share)| Some((state.waits_for?, share)));
        let most = waiting.max_by(|(_, a), (_, b)| a.total_cmp(b));
        most.map_or(String::new(), |(what, share)| format!("{what} {:.0}%", share * 100.0))
    }
}

/// Billions of warp instructions that a GPU can issue per second, and of sectors that its memory delivers.
pub fn limits(gpu: &GpuInfo) -> (f64, f64) {
    let issued = f64::from(gpu.multiprocessors) * SCHEDULERS * f64::from(gpu.sm_clock_mhz) / 1e3;
    (issued, gpu.datasheet() / SECTOR)
}

/// The columns that a table can have, each by the name that a page has for it; `gbps` is memory's peak rate.
pub fn columns(kernels: &[&Kernel], gbps: f64) -> Vec<Column> {
    let number = |name: &str, title: &str, cell: &dyn Fn(&Kernel) -> String| {
        Column::right(title, kernels.iter().map(|kernel| cell(kernel))).named(name)
    };
    let changes = kernels.iter().map(|kernel| change(&kernel.kernel));
    let waits = kernels.iter().map(|kernel| kernel.waits_most());
    vec![
        Column::left("what it changes", changes).named("changes"),
        number("time", "time under ncu", &|kernel| format!("{} µs", three_digits(kernel.time_us))),
        Column::right("gained", gained(kernels)),
        number("instructions", "warp instructions", &|kernel| millions(kernel.warp_instructions)),
        number("issue", "issue slots used", &|kernel| of_one(kernel.issue_slots_used)),
        number("read", "read from memory", &|kernel| megabytes(kernel.memory_bytes_read)),
        number("written", "written to memory", &|kernel| megabytes(kernel.memory_bytes_written)),
        number("rate", "of memory's rate", &|kernel| percent(kernel.gigabytes_per_second(), gbps)),
        Column::left("waits most", waits).named("waits"),
    ]
}

/// What a kernel changes in the one before it.
fn change(kernel: &str) -> &'static str {
    CHANGES.iter().find(|(name, _)| *name == kernel).map_or("", |(_, change)| change)
}

/// How many times as fast each kernel is as the one before it; nothing of the first.
fn gained(kernels: &[&Kernel]) -> Vec<String> {
    let steps = kernels.windows(2).map(|pair| format!("{}×", two_digits(pair[0].time_us / pair[1].time_us)));
    iter::once(String::new()).chain(steps).collect()
}

/// Instructions issued per second against instructions per sector, below what the GPU can issue and what its
/// memory can deliver (Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019).
pub fn roofline(report: &Report, gpu: &GpuInfo, kernels: &[&Kernel]) -> Result<Chart> {
    let (giga_issued, giga_sectors) = limits(gpu);
    let line = |(i, kernel): (usize, &&Kernel)| {
        let rate = kernel.warp_instructions / kernel.time_us / 1e3;
        let points = vec![Point::new(kernel.instructions_per_sector(), rate)];
        Series { name: kernel.kernel.clone(), style: Style::Kernel(i), points }
    };
    let mut lines: Vec<Series> = kernels.iter().enumerate().map(line).collect();
    let at = |x: f64| Point::new(x, (x * giga_sectors).min(giga_issued));
    lines.push(Series {
        name: "the limit".to_string(),
        style: Style::Limit,
        points: vec![at(0.5), at(giga_issued / giga_sectors), at(200.0)],
    });
    let quantity = Quantity {
        name: "roofline",
        title: "Instructions per second",
        axis: "billion warp instructions per second",
        words: |value| format!("{} billion", three_digits(value)),
        scale: Scale::decades,
        vertical: Vertical::Logarithmic,
    };
    let against = Against {
        word: "instructions per sector",
        axis: "warp instructions per sector that memory moves",
        scale: Scale::decades,
        detail: String::new(),
    };
    plot_of(&format!("{} · {}", report.device, report.date), &quantity, &against, lines)
}
