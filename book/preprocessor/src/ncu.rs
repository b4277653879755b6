//! What Nsight Compute counted of some kernels (`benches/ncu.json`, made by `benches/ncu.py`): a table, where
//! warps spend their time, and the instruction roofline.

use std::collections::BTreeMap;
use std::iter;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use workbook::build::kernels;
use workbook::number::{percent, thousands, three_digits, two_digits};
use workbook::record::GpuInfo;
use workbook::record::chart::{Against, Chart, Point, Quantity, Scale, Series, Style, Vertical, plot_of};
use workbook::record::columns::{Column, escape, html_table};

use crate::Workbook;
use crate::cell::scrolling;
use crate::figure::{changed, figure, frame};
use crate::options::Options;
use crate::records::{list, named};

/// How a page writes [`ncu`].
pub const NCU: &str = "{{#ncu table|states|roofline kernel=A,B}}";
/// How a page writes [`value`].
pub const VALUE: &str = "{{#ncu-value KERNEL FIELD}} or, for a ratio, {{#ncu-value KERNEL/KERNEL FIELD}}, or \
                         {{#ncu-value limit FIELD}}";

const FILE: &str = "benches/ncu.json";
/// The record whose GPU is the one that was profiled: its clock and its memory.
const GPU: &str = "ch7_limit.gpu";
/// Warp schedulers of a multiprocessor; each issues one instruction per clock (CUDA C++ Programming Guide,
/// "Compute Capability 9.x").
const SCHEDULERS: f64 = 4.0;
/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// States of a warp, as a reader tells them apart, and what ncu calls them (Nsight Compute documentation,
/// "Warp Scheduler States"). What is in none of the first four is in the last.
const STATES: [(&str, &[&str]); 5] = [
    ("waiting for global memory", &["long_scoreboard"]),
    ("waiting at a barrier", &["barrier"]),
    ("waiting for shared memory", &["short_scoreboard"]),
    ("issuing, or ready to", &["selected", "not_selected", "wait"]),
    ("other", &[]),
];

/// What each kernel changes in the one before it in the tables.
const CHANGES: [(&str, &str); 12] = [
    ("reduceNeighbored", ""),
    ("reduceNeighboredMask", "a mask, no division"),
    ("reduceNeighboredLess", "adjacent threads work"),
    ("reduceInterleaved", "halves are added"),
    ("reduceSharedTree", "Less, in shared memory"),
    ("reduceSequential", "no bank conflicts"),
    ("reduceFirstAdd", "two per thread"),
    ("reduceInFlight", "eight per thread"),
    ("reduceShuffle", "shuffles, no barriers"),
    ("reduceVector", "loads of 16 bytes"),
    ("reduceSinglePass", "the last block finishes"),
    ("reduceLimit", "a shorter end"),
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
    /// Warps in each state, per instruction issued.
    states: BTreeMap<String, f64>,
}

impl Report {
    fn read(workbook: &Workbook) -> Result<Report> {
        let text = std::fs::read_to_string(workbook.root.join(FILE))
            .with_context(|| format!("cannot read {FILE}"))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{FILE} is no report; make it: python3 benches/ncu.py"))
    }

    fn kernel(&self, name: &str) -> Result<&Kernel> {
        let found = self.kernels.iter().find(|kernel| kernel.kernel == name);
        let there_are = || list(self.kernels.iter().map(|kernel| &kernel.kernel));
        found.with_context(|| format!("ncu has not profiled `{name}`; there are: {}", there_are()))
    }

    fn source(&self) -> String {
        format!("{} · driver {} · ncu {} · {}", self.device, self.driver, self.ncu, self.date)
    }

    /// A note if the kernels have changed since they were profiled.
    fn note(&self) -> String {
        let is_old = |(stem, code): (&String, &String)| {
            kernels::all().iter().any(|build| build.stem == stem && build.code_hash != code)
        };
        match self.code.iter().any(is_old) {
            true => changed(
                "The kernels have changed since they were profiled; run <code>python3 benches/ncu.py</code>.",
            ),
            false => String::new(),
        }
    }
}

impl Kernel {
    fn instructions_per_sector(&self) -> f64 {
        self.warp_instructions / (self.memory_bytes_read / SECTOR)
    }

    /// Shares of a warp's time, in the order of [`STATES`].
    fn shares(&self) -> [f64; STATES.len()] {
        let all: f64 = self.states.values().sum();
        let mut shares = STATES
            .map(|(_, names)| names.iter().filter_map(|name| self.states.get(*name)).sum::<f64>() / all);
        shares[STATES.len() - 1] = 1.0 - shares.iter().sum::<f64>();
        shares
    }

    /// What a warp waits for most, with its share of the warp's time.
    fn waits_most(&self) -> String {
        let waiting = STATES.iter().zip(self.shares()).filter(|((name, _), _)| name.starts_with("waiting "));
        let most = waiting.max_by(|(_, a), (_, b)| a.total_cmp(b));
        most.map_or(String::new(), |((name, _), share)| {
            let what = name.trim_start_matches(|letter| letter != ' ').trim_start();
            let what = ["at a ", "for global ", "for "].iter().find_map(|start| what.strip_prefix(start));
            format!("{} {:.0}%", what.unwrap_or(name), share * 100.0)
        })
    }

    /// A field as a number.
    fn field(&self, name: &str) -> Result<f64> {
        Ok(match name {
            "time" => self.time_us,
            "warp-instructions" => self.warp_instructions,
            "instructions-per-sector" => self.instructions_per_sector(),
            "issue" => self.issue_slots_used,
            "occupancy" => self.occupancy,
            "memory-share" => self.shares()[0],
            "barrier-share" => self.shares()[1],
            "megabytes" => self.memory_bytes_read / 1e6,
            _ => bail!(
                "there is no field `{name}`; there are: time, warp-instructions, instructions-per-sector, \
                 issue, occupancy, memory-share, barrier-share, megabytes"
            ),
        })
    }
}

/// One number of a kernel, or the ratio of two kernels' numbers; of `limit`, a number of the GPU.
pub fn value(workbook: &Workbook, kernel: &str, field: &str) -> Result<String> {
    if kernel == "limit" {
        let (instructions, sectors) = limits(&gpu(workbook)?);
        return Ok(match field {
            "instructions" => format!("{} billion", thousands(instructions.round() as i64)),
            "sectors" => format!("{sectors:.0} billion"),
            "instructions-per-sector" => format!("{:.0}", instructions / sectors),
            _ => bail!("a limit has no `{field}`; there are: instructions, sectors, instructions-per-sector"),
        });
    }
    let report = Report::read(workbook)?;
    if let Some((above, below)) = kernel.split_once('/') {
        return Ok(two_digits(report.kernel(above)?.field(field)? / report.kernel(below)?.field(field)?));
    }
    let value = report.kernel(kernel)?.field(field)?;
    Ok(match field {
        "issue" | "occupancy" | "memory-share" | "barrier-share" => percent(value, 1.0),
        "megabytes" => format!("{} MB", three_digits(value)),
        "time" => format!("{} µs", three_digits(value)),
        "warp-instructions" => thousands(value as i64),
        _ => two_digits(value),
    })
}

/// The GPU that was profiled.
fn gpu(workbook: &Workbook) -> Result<GpuInfo> {
    named(workbook, GPU)?.device.gpu.with_context(|| format!("{GPU} names no GPU"))
}

/// Billions of warp instructions that a GPU can issue per second, and of sectors that its memory delivers.
fn limits(gpu: &GpuInfo) -> (f64, f64) {
    let issued = f64::from(gpu.multiprocessors) * SCHEDULERS * f64::from(gpu.sm_clock_mhz) / 1e3;
    (issued, gpu.datasheet() / SECTOR)
}

/// A figure of the kernels of `kernel=`.
pub fn ncu(workbook: &Workbook, what: &str, words: &[&str]) -> Result<String> {
    let report = Report::read(workbook)?;
    let options = Options::parse(words, &["kernel"])?;
    let kernels: Vec<&Kernel> =
        options.list("kernel").into_iter().map(|name| report.kernel(name)).collect::<Result<_>>()?;
    ensure!(!kernels.is_empty(), "wants {NCU}");
    let content = match what {
        "table" => scrolling(&table(&kernels, gpu(workbook)?.datasheet()), "What ncu counted"),
        "states" => states(&kernels),
        "roofline" => frame(&roofline(workbook, &report, &kernels)?),
        _ => bail!("there is no `{what}`; wants {NCU}"),
    };
    let n = format!(" · n = {}", thousands(report.n as i64));
    Ok(figure(&(content + &report.note()), &escape(&(report.source() + &n))))
}

///
/// `gbps`: what the memory delivers, by its data sheet.
fn table(kernels: &[&Kernel], gbps: f64) -> String {
    let column = |title: &str, cell: &dyn Fn(&Kernel) -> String| {
        Column::right(title, kernels.iter().map(|kernel| cell(kernel)))
    };
    let steps = kernels.windows(2).map(|pair| format!("{}×", two_digits(pair[0].time_us / pair[1].time_us)));
    let gained: Vec<String> = iter::once(String::new()).chain(steps).collect();
    let change = |kernel: &&Kernel| {
        CHANGES.iter().find(|(name, _)| *name == kernel.kernel).map_or("", |&(_, change)| change)
    };
    html_table(&[
        Column::left("kernel", kernels.iter().map(|kernel| kernel.kernel.as_str())),
        Column::left("what it changes", kernels.iter().map(change)),
        column("time under ncu", &|kernel| format!("{} µs", three_digits(kernel.time_us))),
        Column::right("gained", gained),
        column("warp instructions", &|kernel| format!("{} M", three_digits(kernel.warp_instructions / 1e6))),
        column("issue slots used", &|kernel| percent(kernel.issue_slots_used, 1.0)),
        column("of memory's rate", &|kernel| percent(kernel.memory_bytes_read / kernel.time_us / 1e3, gbps)),
        Column::left("waits most", kernels.iter().map(|kernel| kernel.waits_most())),
    ])
}

/// A bar per kernel, in parts as long as the time that its warps spend in each state.
fn states(kernels: &[&Kernel]) -> String {
    let mut html = String::from("<div class=\"states\">\n");
    for kernel in kernels {
        html += &format!("<p><code>{}</code></p>\n<div class=\"bar\">", escape(&kernel.kernel));
        for (series, ((name, _), share)) in (1..).zip(STATES.iter().zip(kernel.shares())) {
            let words = percent(share, 1.0);
            // A narrow part has no room for its number.
            let shown = if share >= 0.08 { format!("{:.0}%", share * 100.0) } else { String::new() };
            html += &format!(
                "<span class=\"series-{series}\" style=\"flex-grow:{:.0}\" title=\"{name}: {words}\">{shown}\
                 <span class=\"visually-hidden\">{name}: {words}; </span></span>",
                share * 1000.0
            );
        }
        html += "</div>\n";
    }
    html += "<ul class=\"legend\" aria-hidden=\"true\">";
    for (series, (name, _)) in (1..).zip(STATES) {
        html += &format!("<li><span class=\"series-{series}\"></span>{name}</li>");
    }
    html + "</ul>\n</div>\n"
}

/// Instructions issued per second against instructions per sector, below what the GPU can issue and what its
/// memory can deliver (Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019).
fn roofline(workbook: &Workbook, report: &Report, kernels: &[&Kernel]) -> Result<Chart> {
    let gpu = gpu(workbook)?;
    let (giga_issued, giga_sectors) = limits(&gpu);
    let mut lines: Vec<Series> = (0..)
        .zip(kernels)
        .map(|(i, kernel)| Series {
            name: kernel.kernel.clone(),
            style: Style::Kernel(i),
            points: vec![Point::new(
                kernel.instructions_per_sector(),
                kernel.warp_instructions / kernel.time_us / 1e3,
            )],
        })
        .collect();
    let at = |x: f64| Point::new(x, (x * giga_sectors).min(giga_issued));
    let (first, last) = (0.5, 200.0);
    lines.push(Series {
        name: "the limit".to_string(),
        style: Style::Limit,
        points: vec![at(first), at(giga_issued / giga_sectors), at(last)],
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
        axis: "warp instructions per sector read from memory",
        scale: Scale::decades,
        detail: String::new(),
    };
    plot_of(&format!("{} · {}", report.device, report.date), &quantity, &against, lines)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn workbook() -> Workbook {
        let book = Path::new(workbook::ROOT).join("book");
        Workbook {
            root: PathBuf::from(workbook::ROOT),
            records: book.join("records"),
            local: PathBuf::from("not there"),
        }
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
        let table = ncu(&workbook(), "table", &["kernel=reduceNeighbored,reduceNeighboredMask"]).unwrap();
        for words in ["a mask, no division", "<td>barrier 17%", ">85.5 M<"] {
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

    #[test]
    fn an_unknown_kernel_or_field_is_told_what_there_is() {
        let of = |kernel, field| format!("{:#}", value(&workbook(), kernel, field).unwrap_err());
        assert!(of("reduceAll", "time").contains("reduceInterleaved"));
        assert!(of("reduceLimit", "speed").contains("memory-share"));
        assert!(of("limit", "speed").contains("sectors"));
        assert_eq!(value(&workbook(), "limit", "instructions-per-sector").unwrap(), "7");
    }
}
