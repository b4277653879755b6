//! The chapters as a reader runs them: the examples' programs, their output, their records, their exit
//! status. Kernels run on the simulator, whatever the machine has.

mod ch1_serial;
mod ch2_parallel;
mod ch4_cutoff;
mod ch4_legacy;
mod ch4_nested;
mod ch4_quadrature;
mod ch4_ragged;
mod ch5_kernels;
mod ch5_shared;
mod ch6_in_use;
mod ch6_operator_laws;
mod ch6_operators;
mod ch7_kernels;
mod ch7_limit;
mod ch8_combine;
mod ch8_many_gpus;
mod ch8_streamed;
mod compilers;
mod first_launch;
mod options;
mod ranks;
mod record_files;
mod sum_file;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// One run of an example, with a records directory of its own.
struct Run {
    output: Output,
    records: PathBuf,
}

/// Runs `stem` with the arguments of `line`; `name` tells this run's records from those of other tests.
fn run(name: &str, stem: &str, line: &str) -> Run {
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records").join(name);
    let _ = std::fs::remove_dir_all(&records);
    run_in(records, stem, line)
}

fn run_in(records: PathBuf, stem: &str, line: &str) -> Run {
    let output = example(stem)
        .args(line.split_whitespace())
        .env("WORKBOOK_RECORDS_DIR", &records)
        .env("CUDA_VISIBLE_DEVICES", "") // a machine with a GPU passes these tests too
        .output()
        .unwrap();
    Run { output, records }
}

/// The program of an example, to be started.
fn example(name: &str) -> Command {
    Command::new(testing::example::program(name))
}

impl Run {
    fn status(&self) -> Option<i32> {
        self.output.status.code()
    }
    fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }
    fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout()).unwrap_or_else(|error| panic!("{error}\n{}", self.stdout()))
    }
    /// The files that it left, from its records directory on.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        for directory in [self.records.clone(), self.records.join("local")] {
            for entry in std::fs::read_dir(&directory).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    let path = path.strip_prefix(&self.records).unwrap();
                    files.push(workbook::text::path::committed(&path.to_string_lossy()));
                }
            }
        }
        files.sort();
        files
    }
}

fn names(runs: &Value) -> Vec<&str> {
    runs.as_array().unwrap().iter().map(|run| run["kernel"].as_str().unwrap()).collect()
}

/// Programs of chapters.
const CHAPTERS: usize = 16;

/// Every chapter: the examples whose names begin with `ch`.
fn stems() -> Vec<String> {
    let examples = std::fs::read_dir(workbook::root().unwrap().join("examples")).unwrap();
    let paths = examples.map(|entry| entry.unwrap().path());
    let mut stems: Vec<_> =
        paths.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string()).collect();
    stems.retain(|stem| stem.starts_with("ch"));
    stems.sort();
    assert_eq!(stems.len(), CHAPTERS, "CHAPTERS in tests/chapters/main.rs counts examples/ch*: {stems:?}");
    stems
}

/// Elements: none, one, and around the sizes of warps and blocks.
const SIZES: [u64; 9] = [0, 1, 2, 3, 31, 33, 1000, 1025, 65_553];

/// Each of `sizes` with one of `blocks`, and each of `blocks` with 1,000 elements.
fn shapes(sizes: &[u64], blocks: &[u32]) -> Vec<(u64, u32)> {
    let sizes = sizes.iter().zip(blocks.iter().cycle()).map(|(n, block)| (*n, *block));
    sizes.chain(blocks.iter().map(|block| (1000, *block))).collect()
}
