//! What a run leaves behind: one [`Record`], the only source of every number, table and chart on a page.
//!
//! `--json` prints the same object. Files live in `book/records/<stem>.<kind>.json` (committed, written with
//! `--record`) and `book/records/local/` (a reader's own runs, ignored by git).

pub mod chart;
mod failure;
pub mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use device::{DeviceInfo, DeviceKind, Timing};
use ptx_simulator::{Counters, Kind};
use reduction::operation::Operation;
use reduction::value::{Answer, Difference, Expected, Value, agrees};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use text::files::{read_lines, write_whole};
use text::path::shown;

pub use self::failure::{Failure, Wrong};

/// Version of the JSON layout.
pub const SCHEMA: u32 = 1;

/// One run of one chapter on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`], when it was written.
    pub schema: u32,
    /// The chapter: `ch4_nested`.
    pub stem: String,
    /// Where it was made.
    pub device: DeviceInfo,
    /// UTC, RFC 3339, to the second.
    pub date: String,
    /// The command that gave this record, as a reader would type it.
    pub command: String,
    /// Identity of the code that ran: the [`code_hash`](kernel_compiler::build::Build::code_hash) of the
    /// chapter's kernel, or the hash of the example's source for a chapter without a kernel.
    pub source_hash: String,
    /// What compiled that code: `nvcc 13.0.88`. None for a chapter without a kernel, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// Elements in the runs of [`Record::runs`].
    pub n: u64,
    /// Threads per block in the runs of [`Record::runs`].
    pub block: u32,
    /// Blocks in the runs of [`Record::runs`].
    pub grid: u32,
    /// Seed of the input data.
    pub seed: u64,
    /// Every kernel of the chapter once, at `n`.
    pub runs: Vec<Run>,
    /// The same kernels over other sizes and block sizes; what the charts draw.
    pub sweep: Vec<Run>,
    /// What only this chapter measures, by name: the chapter says what it means.
    #[serde(flatten)]
    pub sections: BTreeMap<String, Section>,
    /// Whether every run agreed with the serial recursion, runs that are kept to show a mistake apart.
    pub ok: bool,
}

/// One kernel, run at one size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The variant's name.
    pub kernel: String,
    /// The kernel's name in the source, where the variant's name is another. Variants of one kernel share a
    /// colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Elements summed.
    pub n: u64,
    /// Elements between the start of an aligned buffer and the first that is summed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: u64,
    /// Threads per block; 0 where there is no kernel.
    pub block: u32,
    /// Blocks of the first grid; 0 where there is no kernel.
    pub grid: u32,
    /// What is computed ([`Operation::name`]), where it is not the sum of `i32`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The result. Sums of integers wrap. Of an array what [`Answer::shown`] says.
    pub sum: Value,
    /// The same of the serial recursion.
    pub expected: Value,
    /// How far apart the two may be, where rounding lets them differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Bytes of input per element, where it is not 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_bytes: Option<u32>,
    /// Where the result is an array that is not the right one: its first wrong element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The result is the expected one (within `bound`; an array in each element), and no device launch was
    /// dropped, and no diagnostic of severity error.
    pub ok: bool,
    /// Kinds of the diagnostics of severity error; the simulator only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Kind>,
    /// The first of these diagnostics, or else the first warning, as the terminal shows it, in plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// On how many orders of its operations this rests, in words, where others were asked for; the simulator
    /// only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<String>,
    /// What a wrong run is kept to show.
    #[serde(rename = "teaches")]
    pub expected_failure: Option<Failure>,
    /// Microseconds; none on the simulator, which has no clock.
    pub time_us: Option<Timing>,
    /// The times of a comparison; such a run has no `time_us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timings: Option<Timings>,
    /// Whose work it is, where it is not that of the chapter's kernels alone: `CUB 3.0.1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Exact counts; the simulator only.
    pub counters: Option<Counters>,
    /// Kernels that device code launches in one run if none is dropped; absent if it launches none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_launches: Option<u64>,
    /// Device launches that the device refused, with the first error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
}

/// A part of a record that one chapter has beyond what all have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Section {
    /// Further runs.
    Runs(Vec<Run>),
    /// What only the chapter can read.
    Other(serde_json::Value),
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Device launches that did not happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// How many.
    pub launches: u64,
    /// The first `cudaError_t` that the device code saw, with its name.
    pub error: u32,
    /// The name of that error.
    pub name: String,
}

impl Dropped {
    /// From the failure words of a kernel: the first `cudaError_t`, and how many launches did not happen.
    pub fn from_words(words: &[u32]) -> Option<Dropped> {
        let [error, launches] = *words else { return None };
        (error != 0 || launches != 0).then(|| Dropped {
            launches: launches.into(),
            error,
            name: cuda_error(error).to_string(),
        })
    }
}

/// Names of the errors that a device launch meets (CUDA Runtime API, `cudaError_t`).
fn cuda_error(error: u32) -> &'static str {
    match error {
        1 => "cudaErrorInvalidValue",
        2 => "cudaErrorMemoryAllocation",
        9 => "cudaErrorInvalidConfiguration",
        65 => "cudaErrorLaunchMaxDepthExceeded",
        69 => "cudaErrorLaunchPendingCountExceeded",
        98 => "cudaErrorInvalidDeviceFunction",
        209 => "cudaErrorNoKernelImageForDevice",
        701 => "cudaErrorLaunchOutOfResources",
        _ => "another cudaError_t",
    }
}

/// Microseconds, by what is between the two events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// A single call, with none of the input in the L2 cache.
    pub one_call_cold: Option<Timing>,
    /// A single call, with as much of the input as L2 holds.
    pub one_call_warm: Option<Timing>,
    /// One call of a graph of many, each on another copy of the input.
    pub work_alone: Option<Timing>,
}

impl Run {
    /// A run of `n` elements that gave `answer`: ok if that is `expected`. All else is as for work of the
    /// host that was not timed, to be set with `Run { block, grid, ..Run::of(…) }`.
    pub fn of(kernel: &str, n: u64, operation: &Operation, answer: &Answer, expected: &Expected) -> Run {
        Run {
            kernel: kernel.to_string(),
            n,
            operation: (operation.name != Operation::SUM.name).then(|| operation.name.to_string()),
            ok: expected.admits(answer),
            difference: expected.difference(answer),
            sum: answer.shown(),
            expected: expected.answer.shown(),
            bound: expected.bound,
            element_bytes: (operation.element_bytes != 4).then_some(operation.element_bytes),
            ..Run::default()
        }
    }

    /// Whether the result is the expected one.
    pub fn is_right(&self) -> bool {
        self.difference.is_none() && agrees(&self.sum, &self.expected, self.bound)
    }

    /// Whether all is as it should be: the run is ok, or wrong in the way that it is kept to show.
    pub fn as_expected(&self) -> bool {
        let fails_by = |kind: Kind| self.expected_failure == Some(Failure::Found(kind));
        // A barrier that threads go past separates nothing, so races follow from it.
        let is_expected =
            |&kind: &Kind| fails_by(kind) || (kind == Kind::DataRace && fails_by(Kind::BarrierDivergence));
        self.ok || (self.expected_failure.is_some() && self.found.iter().all(is_expected))
    }

    /// The kernel's name in the source.
    pub fn symbol(&self) -> &str {
        self.symbol.as_deref().unwrap_or(&self.kernel)
    }

    /// How far the result of a right run is from the reference, as a share of it, where rounding lets the two
    /// differ.
    pub fn relative_error(&self) -> Option<f64> {
        match (&self.sum, &self.expected) {
            (Value::Float(sum), Value::Float(expected)) if self.bound.is_some() && self.ok => {
                (*expected != 0.0).then(|| ((sum - expected) / expected).abs())
            }
            _ => None,
        }
    }

    /// Bytes of input per element.
    pub fn bytes_per_element(&self) -> u32 {
        self.element_bytes.unwrap_or(4)
    }

    /// Bytes of input per second, in GB/s (10^9): those of all elements over the median time. `None` without
    /// input.
    pub fn gigabytes_per_second(&self) -> Option<f64> {
        self.rate(self.time_us?)
    }

    /// The same over another time of this run.
    pub fn rate(&self, time: Timing) -> Option<f64> {
        let bytes = self.bytes_per_element();
        (time.median > 0.0 && bytes > 0).then(|| self.n as f64 * f64::from(bytes) / time.median / 1e3)
    }
}

impl Record {
    /// Whether its command names the size of [`Record::runs`]: `--n 77777`.
    pub fn names_size(&self) -> bool {
        self.command.split_whitespace().any(|word| word == "--n" || word.starts_with("--n="))
    }

    /// The runs of the section `name`; none if there is no such section.
    pub fn section_runs(&self, name: &str) -> &[Run] {
        match self.sections.get(name) {
            Some(Section::Runs(runs)) => runs,
            _ => &[],
        }
    }

    /// All runs of sections, each with the name of its section.
    pub fn all_section_runs(&self) -> impl Iterator<Item = (&str, &Run)> {
        let names = self.sections.keys();
        names.flat_map(|name| self.section_runs(name).iter().map(move |run| (name.as_str(), run)))
    }

    /// The section `name` as the chapter has stored it; `None` if there is no such section.
    ///
    /// # Errors
    /// A section of another layout, by name.
    pub fn section<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(Section::Other(value)) = self.sections.get(name) else { return Ok(None) };
        let read = serde_json::from_value(value.clone());
        read.map(Some).with_context(|| format!("the record's `{name}` cannot be read"))
    }

    /// `ch4_nested.gpu.json`
    pub fn file_name(stem: &str, kind: DeviceKind) -> String {
        format!("{stem}.{}.json", kind.as_str())
    }

    /// Reads a record.
    ///
    /// # Errors
    /// A file that is missing or no record of this layout; names the file and what is wrong with it.
    pub fn read(path: &Path) -> Result<Record> {
        let text = read_lines(path).with_context(|| format!("cannot read {}", shown(path)))?;
        let foreign = || format!("{} is not a record of this workbook", shown(path));
        serde_json::from_str(&text).with_context(foreign)
    }

    /// Writes the record into `directory` under [`Record::file_name`], creating the directory; a reader of
    /// the file never sees half of it. Returns the path.
    ///
    /// # Errors
    /// A directory or file that cannot be written, by name.
    pub fn write(&self, directory: &Path) -> Result<PathBuf> {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", shown(directory)))?;
        let path = directory.join(Record::file_name(&self.stem, self.device.kind));
        write_json(self, &path)?;
        Ok(path)
    }
}

/// Writes what was measured as JSON; a reader of the file never sees half of it.
///
/// # Errors
///
/// If it cannot be written as JSON, or the file or its folder cannot be written.
pub fn write_json(measured: &impl Serialize, path: &Path) -> Result<()> {
    let mut text = serde_json::to_string_pretty(measured)?;
    text.push('\n');
    write_whole(path, text).with_context(|| format!("cannot write {}", shown(path)))
}
