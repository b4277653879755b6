//! What Nsight Compute counted of some kernels (`benches/ncu.json`, made by `benches/ncu.py`): numbers, a
//! table, where warps spend their time, and the instruction roofline.

use std::collections::BTreeMap;
use std::iter;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use workbook::device::GpuInfo;
use workbook::record::chart::{Against, Chart, Point, Quantity, Scale, Series, Style, Vertical, plot_of};
use workbook::text::columns::{Column, escape};
use workbook::text::number::{percent, thousands, three_digits, two_digits};

use crate::directive::pick;
use crate::html::{figure, note_unless, scrolling};
use crate::number::Number;
use crate::page::Workbook;
use crate::provenance::is_current;
use crate::records::named;

/// What a page calls the report.
pub const SOURCE: &str = "benches/ncu";
const FILE: &str = "benches/ncu.json";
/// The record whose GPU is the one that was profiled: its clock and its memory.
const GPU: &str = "ch7_limit.gpu";
/// Warp schedulers of a multiprocessor; each issues one instruction per clock (CUDA C++ Programming Guide,
/// "Compute Capability 9.x").
const SCHEDULERS: f64 = 4.0;
/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// A state of a warp.
struct State {
    /// As a reader tells it from the others.
    name: &'static str,
    /// In a bar of the chart.
    short: &'static str,
    /// What the warp waits for in it, if it waits.
    waits_for: Option<&'static str>,
    /// What ncu calls it (Nsight Compute documentation, "Warp Scheduler States").
    ncu: &'static [&'static str],
}

/// All states. What is in none of the first four is in the last.
const STATES: [State; 5] = [
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

type Field = (&'static str, fn(&Kernel) -> f64, fn(f64) -> String);

/// Numbers of a kernel that stand in prose.
const FIELDS: [Field; 8] = [
    ("warp-instructions", |kernel| kernel.warp_instructions, |count| thousands(count as i64)),
    ("instructions-per-sector", Kernel::instructions_per_sector, two_digits),
    ("issue", |kernel| kernel.issue_slots_used, of_one),
    ("occupancy", |kernel| kernel.occupancy, of_one),
    ("memory-share", |kernel| kernel.shares()[0], of_one),
    ("barrier-share", |kernel| kernel.shares()[1], of_one),
    ("read", |kernel| kernel.memory_bytes_read, megabytes),
    ("written", |kernel| kernel.memory_bytes_written, megabytes),
];

fn of_one(share: f64) -> String {
    percent(share, 1.0)
}

fn millions(count: f64) -> String {
    format!("{} M", three_digits(count / 1e6))
}

fn megabytes(bytes: f64) -> String {
    format!("{} MB", three_digits(bytes / 1e6))
}

/// What each kernel changes in the one before it in the tables.
const CHANGES: [(&str, &str); 12] = [
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
    ("reduceLimit", "short end, 4 × 16 bytes, shape"),
];

#[derive(Deserialize)]
struct Report {
    date: String,
    device: String,
    driver: String,
    ncu: String,
    n: u64,
    code: BTreeMap<String, String>,
    kernels: Vec<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    kernel: String,
    time_us: f64,
    warp_instructions: f64,
    /// Of 1.
    issue_slots_used: f64,
    /// Of 1.
    occupancy: f64,
    memory_bytes_read: f64,
    memory_bytes_written: f64,
    /// Warps in each state, per instruction issued.
    states: BTreeMap<String, f64>,
}

impl Report {
    fn read(book: &Workbook) -> Result<Report> {
        serde_json::from_str(&book.read(FILE)?)
            .with_context(|| format!("{FILE} is not a report; make it: python3 benches/ncu.py"))
    }

    fn kernel(&self, name: &str) -> Result<&Kernel> {
        pick(&self.kernels, name, |kernel| &kernel.kernel, "ncu has not profiled")
    }

    fn chosen(&self, names: &[&str]) -> Result<Vec<&Kernel>> {
        ensure!(!names.is_empty(), "names no kernel: kernel=A,B");
        names.iter().map(|name| self.kernel(name)).collect()
    }

    /// `content` with its source, and a note if the kernels have changed since they were profiled.
    fn figure(&self, book: &Workbook, content: &str) -> String {
        let note = note_unless(
            self.code.iter().all(|(stem, code)| is_current(book, stem, code)),
            "The kernels have changed since they were profiled; run <code>python3 benches/ncu.py</code>.",
        );
        let Report { device, driver, ncu, date, n, .. } = self;
        let n = thousands(*n as i64);
        let source = format!("{device} · driver {driver} · ncu {ncu} · {date} · n = {n}");
        figure(&format!("{content}{note}"), &escape(&source))
    }
}

impl Kernel {
    /// Bytes that memory has moved, in both directions: they share its rate.
    fn memory_bytes(&self) -> f64 {
        self.memory_bytes_read + self.memory_bytes_written
    }

    fn instructions_per_sector(&self) -> f64 {
        self.warp_instructions / (self.memory_bytes() / SECTOR)
    }

    /// Gigabytes that memory has moved per second.
    fn gigabytes_per_second(&self) -> f64 {
        self.memory_bytes() / self.time_us / 1e3
    }

    /// Shares of a warp's time, in the order of [`STATES`].
    fn shares(&self) -> [f64; STATES.len()] {
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

/// A number of a kernel; without one, of the GPU that was profiled.
pub fn number(book: &Workbook, kernel: Option<&str>, field: &str) -> Result<Number> {
    let Some(kernel) = kernel else {
        let (instructions, sectors) = limits(&gpu(book)?);
        let billion = |count: f64| format!("{} billion", thousands(count.round() as i64));
        return Ok(match field {
            "instructions" => Number::of(instructions, billion),
            "sectors" => Number::of(sectors, billion),
            "instructions-per-sector" => Number::of(instructions / sectors, |ratio| format!("{ratio:.0}")),
            _ => bail!("a GPU has no `{field}`; there are: instructions, sectors, instructions-per-sector"),
        });
    };
    let report = Report::read(book)?;
    let kernel = report.kernel(kernel)?;
    let (_, of, write) = pick(FIELDS, field, |(name, ..)| name, "there is no field")?;
    Ok(Number::of(of(kernel), write))
}

/// The GPU that was profiled.
fn gpu(book: &Workbook) -> Result<GpuInfo> {
    named(book, GPU)?.device.gpu.clone().with_context(|| format!("{GPU} names no GPU"))
}

/// Billions of warp instructions that a GPU can issue per second, and of sectors that its memory delivers.
fn limits(gpu: &GpuInfo) -> (f64, f64) {
    let issued = f64::from(gpu.multiprocessors) * SCHEDULERS * f64::from(gpu.sm_clock_mhz) / 1e3;
    (issued, gpu.datasheet() / SECTOR)
}

/// What was counted, a row per kernel; `fields` names the columns.
pub fn table(book: &Workbook, fields: &[&str], kernels: &[&str]) -> Result<String> {
    let report = Report::read(book)?;
    let kernels = report.chosen(kernels)?;
    let all = columns(&kernels, gpu(book)?.datasheet());
    let mut shown = vec![Column::left("kernel", kernels.iter().map(|kernel| kernel.kernel.as_str()))];
    for field in fields {
        shown.push(pick(&all, field, |column| column.name(), "there is no column")?.clone());
    }
    Ok(report.figure(book, &scrolling(&shown, &format!("Counted by ncu: {}", fields.join(", ")))))
}

/// The columns that a table can have, each by the name that a page has for it; `gbps` is memory's peak rate.
fn columns(kernels: &[&Kernel], gbps: f64) -> Vec<Column> {
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

/// The chart `states` or `roofline` of some kernels.
pub fn chart(book: &Workbook, name: &str, kernels: &[&str]) -> Result<String> {
    let report = Report::read(book)?;
    let kernels = report.chosen(kernels)?;
    Ok(report.figure(
        book,
        &match name {
            "states" => states(&kernels),
            "roofline" => roofline(book, &report, &kernels)?.html(),
            _ => bail!("{SOURCE} has no chart `{name}`; there are: states, roofline"),
        },
    ))
}

/// Shares that leave room for a number, and for a name beside it, on a phone too.
const ROOM_FOR_NUMBER: f64 = 0.08;
const ROOM_FOR_NAME: f64 = 0.3;

/// A bar per kernel, in parts as long as the time that its warps spend in each state. The style sheet gives
/// each its colour and its texture.
fn states(kernels: &[&Kernel]) -> String {
    let mut html = String::from("<div class=\"states\">\n");
    for kernel in kernels {
        html += &format!("<p><code>{}</code></p>\n<div class=\"bar\">", escape(&kernel.kernel));
        for (series, (State { name, short, .. }, share)) in (1..).zip(STATES.iter().zip(kernel.shares())) {
            let words = of_one(share);
            let number = format!("{:.0}%", share * 100.0);
            let shown = match share {
                ROOM_FOR_NAME.. => format!("<b aria-hidden=\"true\">{short} {number}</b>"),
                ROOM_FOR_NUMBER.. => format!("<b aria-hidden=\"true\">{number}</b>"),
                _ => String::new(),
            };
            html += &format!(
                "<span class=\"series-{series}\" style=\"flex-grow:{:.0}\" title=\"{name}: {words}\">{shown}\
                 <span class=\"visually-hidden\">{name}: {words}; </span></span>",
                share * 1000.0
            );
        }
        html += "</div>\n";
    }
    html += "<ul class=\"legend\" aria-hidden=\"true\">";
    for (series, state) in (1..).zip(&STATES) {
        html += &format!("<li><span class=\"series-{series}\"></span>{}</li>", state.name);
    }
    html + "</ul>\n</div>\n"
}

/// Instructions issued per second against instructions per sector, below what the GPU can issue and what its
/// memory can deliver (Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019).
fn roofline(book: &Workbook, report: &Report, kernels: &[&Kernel]) -> Result<Chart> {
    let (giga_issued, giga_sectors) = limits(&gpu(book)?);
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn workbook() -> Workbook {
        Workbook::new(workbook::root().unwrap().to_owned(), PathBuf::from("not there"))
    }

    #[test]
    fn the_states_are_all_of_a_warps_time() {
        for kernel in &Report::read(&workbook()).unwrap().kernels {
            let shares = kernel.shares();
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{}: {shares:?}", kernel.kernel);
            assert!(shares.iter().all(|share| (0.0..1.0).contains(share)), "{}: {shares:?}", kernel.kernel);
        }
    }

    #[test]
    fn no_kernel_is_above_its_limit() {
        let workbook = workbook();
        let report = Report::read(&workbook).unwrap();
        let kernels: Vec<&Kernel> = report.kernels.iter().take(4).collect();
        let chart = roofline(&workbook, &report, &kernels).unwrap();
        assert!(chart.description.contains("the limit: 75.2 billion"), "{}", chart.description);
        for kernel in &report.kernels {
            let rate = kernel.warp_instructions / kernel.time_us / 1e3;
            assert!(
                rate < (150.5 * kernel.instructions_per_sector()).min(1046.0),
                "{}: {rate}",
                kernel.kernel
            );
        }
    }

    /// The table's words for each kernel that was profiled, in the order of the account.
    #[test]
    fn every_kernel_says_what_it_changes() {
        let report = Report::read(&workbook()).unwrap();
        let profiled: Vec<&str> = report.kernels.iter().map(|kernel| kernel.kernel.as_str()).collect();
        assert_eq!(profiled, CHANGES.map(|(name, _)| name));
        let fields = ["changes", "instructions", "rate", "waits"];
        let table = table(&workbook(), &fields, &["reduceNeighbored", "reduceNeighboredMask"]).unwrap();
        for words in ["a mask, no division", "<td>barrier 17%", ">85.5 M<", ">18.8%<"] {
            assert!(table.contains(words), "{words}: {table}");
        }
        // The division is most of what separates the two trees: the page gives each cause its share.
        let ratio = |above: &str, below: &str| {
            let time = |kernel| report.kernel(kernel).unwrap().time_us;
            time(above) / time(below)
        };
        let division = ratio("reduceNeighbored", "reduceNeighboredMask");
        assert!(division > ratio("reduceNeighboredMask", "reduceNeighboredLess"), "{division}");
    }

    /// Every element is read from memory once. A block that works in place changes every second element in
    /// its first step: all sectors if the two are neighbours, half of them if the second half is added to the
    /// first.
    #[test]
    fn memory_reads_the_array_once_and_writes_what_kernels_change_in_it() {
        let report = Report::read(&workbook()).unwrap();
        let array = 4.0 * report.n as f64;
        for kernel in &report.kernels {
            let read = kernel.memory_bytes_read / array;
            assert!((1.0..1.01).contains(&read), "{}: {read}", kernel.kernel);
            let most = match kernel.kernel.as_str() {
                "reduceNeighbored" | "reduceNeighboredMask" | "reduceNeighboredLess" => 1.0,
                "reduceInterleaved" => 0.5,
                _ => 0.04,
            };
            let written = kernel.memory_bytes_written / array;
            assert!((0.4 * most..most).contains(&written), "{}: {written}", kernel.kernel);
        }
    }

    #[test]
    fn an_unknown_kernel_or_field_is_told_what_there_is() {
        let of = |kernel, field| match number(&workbook(), kernel, field) {
            Ok(number) => number.text,
            Err(error) => format!("{error:#}"),
        };
        assert!(of(Some("reduceAll"), "issue").contains("there are: reduceNeighbored"));
        assert!(of(Some("reduceLimit"), "speed").contains("memory-share"));
        assert!(of(None, "speed").contains("sectors"));
        let table = table(&workbook(), &["speed"], &["reduceLimit"]).unwrap_err().to_string();
        assert!(table.contains("there are: changes, time"), "{table}");
        assert_eq!(of(None, "instructions-per-sector"), "7");
        let chart = chart(&workbook(), "pie", &["reduceLimit"]).unwrap_err().to_string();
        assert!(chart.contains("there are: states, roofline"), "{chart}");
    }
}
