//! Thread-instructions per second of the simulator, checks off and on, and beside it numba's CUDA simulator:
//! `cargo bench`, and `cargo bench -- --record` to keep the measurement for the book.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use serde::Deserialize;
use workbook::build::kernels::{self, Build};
use workbook::device::measure;
use workbook::record::Timing;
use workbook::record::speed::{Case, FILE, Numba, SCHEMA, STEM, Speed};
use workbook::reduction::data;
use workbook::reduction::serial::recursive_reduce;
use workbook::sim::{LaunchConfig, Module, Simulator};

const KERNELS: [&str; 3] = ["reduceNeighbored", "reduceNeighboredLess", "reduceInterleaved"];
const N: u32 = 1 << 20;
const BLOCK: u32 = 512;

/// numba needs a few seconds for this many.
const NUMBA_N: u32 = 1 << 13;
const NUMBA_REPEATS: u32 = 3;
const NUMBA_SCRIPT: &str = "benches/numba_simulator.py";
const BRING_NUMBA: &str = "python3 -m venv target/numba && target/numba/bin/pip install -r \
                           benches/requirements.txt\n  WORKBOOK_PYTHON=target/numba/bin/python cargo bench";

/// How long the repeats of one case may take together, in microseconds.
const BUDGET: f64 = 2e6;

#[derive(Parser)]
#[command(
    about = "How fast the simulator is, beside numba's where WORKBOOK_PYTHON names a Python that has it"
)]
struct Options {
    /// Write benches/simulator.json, which the book shows; needs numba
    #[arg(long)]
    record: bool,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match bench(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(if error.is::<Wrong>() { 1 } else { 2 })
        }
    }
}

/// A kernel's sum is wrong, or the checks have found something.
#[derive(Debug)]
struct Wrong(String);

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Wrong {}

fn bench(options: &Options) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("WORKBOOK_PYTHON");
    ensure!(
        python.is_some() || !options.record,
        "a record compares with numba, and WORKBOOK_PYTHON names no Python that has it; bring it:\n  \
         {BRING_NUMBA} -- --record"
    );
    let build = kernels::get(STEM)?;
    let speed = Speed {
        schema: SCHEMA,
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        cpu: measure::cpu_name(),
        rustc: rustc(),
        source_hash: build.code_hash.to_string(),
        compiler: build.compiler.to_string(),
        kernels: KERNELS.iter().map(|kernel| case(build, kernel, N)).collect::<Result<_>>()?,
        numba: python.map(|python| numba(root, build, Path::new(&python))).transpose()?,
    };
    let mut said = format!("{}\n", speed.markdown());
    if speed.numba.is_none() {
        said += &format!("Not compared with numba's CUDA simulator. Bring it:\n  {BRING_NUMBA}\n\n");
    }
    if options.record {
        speed.write(&root.join(FILE))?;
        said += &format!("Recorded in {FILE}.\n");
    }
    // Nobody may be reading any more (`| head`).
    let _ = std::io::stdout().write_all(said.as_bytes());
    Ok(())
}

/// `kernel` at `n`, checks off and on.
fn case(build: &Build, kernel: &str, n: u32) -> Result<Case> {
    let module = Module::parse(build.ptx, build.source_path).map_err(|wrong| Wrong(wrong.to_string()))?;
    let (thread_instructions, unchecked) = launches(&module, kernel, n, false)?;
    let (_, checked) = launches(&module, kernel, n, true)?;
    Ok(Case { kernel: kernel.to_string(), n, block: BLOCK, thread_instructions, unchecked, checked })
}

/// Thread-instructions of a launch, and the time of many, without restoring the input and checking the sum.
fn launches(module: &Module, kernel: &str, n: u32, checked: bool) -> Result<(u64, Timing)> {
    let wrong = |diagnostic: &dyn std::fmt::Display| Wrong(format!("{kernel} at n = {n}: {diagnostic}"));
    let numbers = data::numbers(n as usize, 1);
    let expected = recursive_reduce(&mut numbers.clone());
    let grid = n.div_ceil(BLOCK);
    let mut partial_sums = vec![0i32; grid as usize];

    let mut simulator = Simulator::new();
    let input = simulator.alloc(u64::from(n) * 4).map_err(|d| wrong(&d))?;
    let output = simulator.alloc(u64::from(grid) * 4).map_err(|d| wrong(&d))?;
    let (config, args) = (LaunchConfig::new(grid, BLOCK), [input, output, n.into()]);
    let mut instructions = 0;
    let time = measure::repeat(BUDGET, || {
        simulator.write(input, bytemuck::cast_slice(&numbers)).map_err(|d| wrong(&d))?;
        let start = Instant::now();
        let counters = if checked {
            let launched = simulator.launch_checked(module, kernel, config, &args);
            if let Some(found) = launched.diagnostics.first() {
                return Err(wrong(found).into());
            }
            launched.counters
        } else {
            simulator.launch(module, kernel, config, &args).map_err(|d| wrong(&d))?
        };
        let microseconds = start.elapsed().as_secs_f64() * 1e6;
        instructions = counters.thread_instructions;
        simulator.read(output, bytemuck::cast_slice_mut(&mut partial_sums)).map_err(|d| wrong(&d))?;
        let sum = partial_sums.iter().fold(0i32, |sum, partial| sum.wrapping_add(*partial));
        ensure!(sum == expected, wrong(&format!("the sum is {sum}, not {expected}")));
        Ok(microseconds)
    })?;
    Ok((instructions, time.context("no run was measured")?))
}

/// What `numba_simulator.py` prints.
#[derive(Deserialize)]
struct Printed {
    numba: String,
    python: String,
    seconds: Vec<f64>,
}

/// The first kernel on numba's simulator and on ours, at a size that numba can do.
fn numba(root: &Path, build: &Build, python: &Path) -> Result<Numba> {
    let failed = || {
        format!(
            "numba's simulator did not run with WORKBOOK_PYTHON={}; bring it:\n  {BRING_NUMBA}",
            python.display()
        )
    };
    let output = Command::new(python)
        .arg(root.join(NUMBA_SCRIPT))
        .args([NUMBA_N, BLOCK, NUMBA_REPEATS].map(|number| number.to_string()))
        .output()
        .with_context(failed)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}\n{said}", failed());
    let printed: Printed = serde_json::from_slice(&output.stdout).with_context(failed)?;
    let microseconds = printed.seconds.iter().map(|seconds| seconds * 1e6).collect();
    Ok(Numba {
        numba: printed.numba,
        python: printed.python,
        time: Timing::of(microseconds).with_context(failed)?,
        ours: case(build, KERNELS[0], NUMBA_N)?,
    })
}

/// `rustc 1.90.0`
fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let words: Vec<_> = text.split_whitespace().take(2).collect();
    if words.is_empty() { "unknown rustc".to_string() } else { words.join(" ") }
}
