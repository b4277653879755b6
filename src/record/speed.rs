//! How fast the simulator is: what `cargo bench` measures, as JSON and as the tables that it prints and the
//! book shows.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::number::{thousands, two_digits};
use crate::record::columns::{Column, markdown_table};
use crate::record::{Timing, read_json, write_json};

/// The committed measurement, from the repository root.
pub const FILE: &str = "benches/simulator.json";

/// The chapter whose kernels are measured.
pub const STEM: &str = "ch3_blocks";

/// Version of the JSON layout.
pub const SCHEMA: u32 = 1;

/// One run of `cargo bench`. All times are microseconds of one launch on one CPU core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// [`SCHEMA`], when it was written.
    pub schema: u32,
    /// UTC, RFC 3339, to the second.
    pub date: String,
    /// The model of the CPU.
    pub cpu: String,
    /// `rustc 1.90.0`
    pub rustc: String,
    /// Identity of the PTX that ran: [`crate::build::kernels::Build::code_hash`].
    pub source_hash: String,
    /// The compiler that wrote the PTX.
    pub compiler: String,
    /// The kernels of chapter 3, at one size.
    pub kernels: Vec<Case>,
    /// The kernels of `benches/kernels.cu`.
    #[serde(default)]
    pub accesses: Vec<Case>,
    /// Beside numba, where there is one.
    pub numba: Option<Numba>,
}

/// One kernel at one size on the simulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its name in the source.
    pub kernel: String,
    /// Elements summed.
    pub n: u32,
    /// Threads per block.
    pub block: u32,
    /// PTX instructions times active lanes, as [`crate::sim::Counters`] counts them.
    pub thread_instructions: u64,
    /// A launch by [`crate::sim::Simulator::launch`].
    pub unchecked: Timing,
    /// A launch by [`crate::sim::Simulator::launch_checked`], right after one without checks.
    pub checked: Timing,
    /// The median over these pairs of how many times as long the second took.
    pub times_as_long: f64,
}

/// numba's CUDA simulator, and ours, on the same kernel at the same size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Numba {
    /// The version of numba.
    pub numba: String,
    /// The version of Python that ran it.
    pub python: String,
    /// Of a launch on numba's simulator.
    pub time: Timing,
    /// The same launch on ours.
    pub ours: Case,
}

impl Speed {
    /// Reads a measurement.
    ///
    /// # Errors
    /// A file that is missing or no measurement of this layout; names the file and what to do.
    pub fn read(path: &Path) -> Result<Speed> {
        read_json(path, SCHEMA).context("make it anew: WORKBOOK_PYTHON=… cargo bench -- --record")
    }

    /// Writes the measurement.
    ///
    /// # Errors
    /// A file that cannot be written, by name.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_json(self, path)
    }

    /// The tables, as Markdown that also reads in a terminal. Ends in a newline.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        if let Some(case) = self.kernels.first() {
            text += &format!("Chapter 3 {}, thread-instructions per second:\n\n", size(case));
        }
        text += &table(&self.kernels);
        if !self.accesses.is_empty() {
            text += "\nOther kernels (`benches/kernels.cu`), thread-instructions per second:\n\n";
            text += &table(&self.accesses);
        }
        if let Some(numba) = &self.numba {
            text += &numba.markdown();
        }
        text + &format!(
            "\nMedians [least .. most] over several launches, on one core of a machine that other work \
            shares: {}, {}, {}, {}.\n",
            self.cpu,
            self.rustc,
            self.compiler,
            self.date.get(..10).unwrap_or(&self.date),
        )
    }
}

/// Rates without the checks and with them, and how many times as long these take.
fn table(cases: &[Case]) -> String {
    let rates_of = |time: fn(&Case) -> &Timing| {
        cases.iter().map(move |case| rates(case.thread_instructions, time(case)))
    };
    markdown_table(&[
        Column::left("kernel", cases.iter().map(|case| format!("`{}`", case.kernel))),
        Column::right(
            "thread-instructions",
            cases.iter().map(|case| thousands(case.thread_instructions as i64)),
        ),
        Column::right("checks off", rates_of(|case| &case.unchecked)),
        Column::right("checks on", rates_of(|case| &case.checked)),
        Column::right("times as long", cases.iter().map(|case| two_digits(case.times_as_long))),
    ])
}

impl Numba {
    fn markdown(&self) -> String {
        let ours = &self.ours;
        let rows = [
            (format!("numba {}, Python {}", self.numba, self.python), &self.time, "1".to_string()),
            ("workbook, checks on".to_string(), &ours.checked, self.ratio(&ours.checked)),
            ("workbook, checks off".to_string(), &ours.unchecked, self.ratio(&ours.unchecked)),
        ];
        let table = markdown_table(&[
            Column::left("simulator", rows.iter().map(|(name, ..)| name)),
            Column::right("per launch", rows.iter().map(|(_, time, _)| time.to_string())),
            Column::right(
                "thread-instructions per second",
                rows.iter().map(|(_, time, _)| rates(ours.thread_instructions, time)),
            ),
            Column::right("times numba", rows.iter().map(|(.., ratio)| ratio)),
        ]);
        format!(
            "\n`{}` {}, and the same kernel on numba's CUDA simulator, in the same run:\n\n{table}\nnumba \
            runs Python, not PTX: its rate counts the thread-instructions of the PTX that nvcc makes of this \
            kernel. The ratio is one of times.\n",
            ours.kernel,
            size(ours)
        )
    }

    /// How many times as long numba takes.
    fn ratio(&self, ours: &Timing) -> String {
        two_digits(self.time.median / ours.median)
    }
}

/// `at n = 1,048,576, 512 threads per block`
fn size(case: &Case) -> String {
    format!("at n = {}, {} threads per block", thousands(case.n.into()), case.block)
}

/// `980 million [955 .. 1,010]`: instructions per second in the median launch, the slowest and the fastest.
fn rates(instructions: u64, time: &Timing) -> String {
    let per_second = |microseconds: f64| instructions as f64 / microseconds * 1e6;
    let (scale, unit) = if per_second(time.median) >= 1e6 { (1e6, "million") } else { (1e3, "thousand") };
    let shown = |microseconds: f64| thousands((per_second(microseconds) / scale).round() as i64);
    format!("{} {unit} [{} .. {}]", shown(time.median), shown(time.max), shown(time.min))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(median: f64, min: f64, max: f64) -> Timing {
        Timing { median, min, max, repeats: 5 }
    }

    fn case(n: u32, instructions: u64, unchecked: f64) -> Case {
        Case {
            kernel: "reduce".into(),
            n,
            block: 512,
            thread_instructions: instructions,
            unchecked: timing(unchecked, unchecked / 2.0, unchecked * 2.0),
            checked: timing(unchecked * 4.0, unchecked * 2.0, unchecked * 8.0),
            times_as_long: 4.0,
        }
    }

    #[test]
    fn rates_and_ratios_come_from_the_medians() {
        let speed = Speed {
            schema: SCHEMA,
            date: "2025-01-02T03:04:05Z".into(),
            cpu: "a CPU".into(),
            rustc: "rustc 1.90.0".into(),
            source_hash: "0".into(),
            compiler: "nvcc 13.0.88".into(),
            kernels: vec![case(1 << 20, 100_000_000, 100_000.0)],
            accesses: vec![Case {
                kernel: "inTurn".into(),
                times_as_long: 2.5,
                ..case(1 << 20, 100_000_000, 100_000.0)
            }],
            numba: Some(Numba {
                numba: "0.68.1".into(),
                python: "3.11.7".into(),
                time: timing(2.04e6, 1e6, 4e6),
                ours: case(8192, 800_000, 1000.0),
            }),
        };
        let text = speed.markdown();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        let of = |name: &str| rows.iter().find(|row| row[0].starts_with(name)).unwrap()[1..].to_vec();
        assert_eq!(
            of("`reduce`"),
            ["100,000,000", "1,000 million [500 .. 2,000]", "250 million [125 .. 500]", "4.0"]
        );
        assert_eq!(of("`inTurn`")[3], "2.5", "the median of the pairs");
        assert_eq!(of("numba 0.68.1"), ["2.04 s [1.00 .. 4.00]", "392 thousand [200 .. 800]", "1"]);
        assert_eq!(of("workbook, checks on"), ["4.00 ms [2.00 .. 8.00]", "200 million [100 .. 400]", "510"]);
        assert_eq!(
            of("workbook, checks off"),
            ["1.00 ms [0.50 .. 2.00]", "800 million [400 .. 1,600]", "2,000"]
        );
        for part in ["a CPU", "rustc 1.90.0", "2025-01-02", "nvcc 13.0.88"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
