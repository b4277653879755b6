//! Thread-instructions per second of the simulator, checks off and on, and beside it numba's CUDA simulator:
//! `cargo bench`, and `cargo bench -- --record` to keep the measurement for the book.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use serde::Deserialize;
use workbook::build::kernels;
use workbook::device::measure;
use workbook::record::Timing;
use workbook::record::speed::{Case, FILE, Numba, SCHEMA, STEM, Speed};
use workbook::reduction::data;
use workbook::reduction::serial::recursive_reduce;
use workbook::say;
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

/// How long the launches of one case may take together, in microseconds.
const BUDGET: f64 = 8e6;

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
        Ok(()) => say::status(0),
        Err(error) => {
            say::err(&format!("error: {error:#}\n"));
            say::status(if error.is::<Wrong>() { 1 } else { 2 })
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
    let parse = |ptx: &str, name: &str| Module::parse(ptx, name).map_err(|wrong| Wrong(wrong.to_string()));
    let chapter = parse(build.ptx, build.source_path)?;
    let others = parse(include_str!("kernels.ptx"), "benches/kernels.cu")?;
    let speed = Speed {
        schema: SCHEMA,
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        cpu: measure::cpu_name(),
        rustc: rustc(),
        source_hash: build.code_hash.to_string(),
        compiler: build.compiler.to_string(),
        kernels: KERNELS.iter().map(|kernel| case(&chapter, &reduction(kernel, N))).collect::<Result<_>>()?,
        accesses: accesses().iter().map(|work| case(&others, work)).collect::<Result<_>>()?,
        numba: python.map(|python| numba(root, &chapter, Path::new(&python))).transpose()?,
    };
    let mut said = format!("{}\n", speed.markdown());
    if speed.numba.is_none() {
        said += &format!("Not compared with numba's CUDA simulator. Bring it:\n  {BRING_NUMBA}\n\n");
    }
    if options.record {
        speed.write(&root.join(FILE))?;
        said += &format!("Recorded in {FILE}.\n");
    }
    say::out(&said);
    Ok(())
}

/// A launch that is measured.
struct Work<'a> {
    kernel: &'a str,
    n: u32,
    config: LaunchConfig,
    /// The first is written anew before every launch.
    buffers: Vec<Vec<u8>>,
    number: u32,
    /// What the ints of the last buffer add up to.
    sum: Option<i32>,
}

impl Work<'_> {
    fn wrong(&self, why: &dyn std::fmt::Display) -> Wrong {
        Wrong(format!("{} at {}: {why}", self.kernel, self.n))
    }
}

/// A kernel of chapter 3 at `n`.
fn reduction(kernel: &str, n: u32) -> Work<'_> {
    let numbers = data::numbers(n as usize, 1);
    let grid = n.div_ceil(BLOCK);
    Work {
        kernel,
        n,
        config: LaunchConfig::new(grid, BLOCK),
        buffers: vec![bytemuck::cast_slice(&numbers).to_vec(), vec![0; 4 * grid as usize]],
        number: n,
        sum: Some(recursive_reduce(&mut numbers.clone())),
    }
}

/// The kernels of `benches/kernels.cu`.
fn accesses() -> Vec<Work<'static>> {
    let of = |kernel, n: u32, grid_dim, block_dim, buffers: &[u32], number| Work {
        kernel,
        n,
        config: LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 },
        buffers: buffers.iter().map(|bytes| vec![1; *bytes as usize]).collect(),
        number,
        sum: None,
    };
    let (side, n) = (256, 1 << 20);
    let line = (n / BLOCK, 1, 1);
    vec![
        of("matrixProduct", side * side, (side / 16, side / 16, 1), (16, 16, 1), &[4 * side * side; 3], side),
        of("copyBytes", n, line, (BLOCK, 1, 1), &[n; 2], n),
        of("scan", n, line, (BLOCK, 1, 1), &[4 * n; 2], n),
        of("transpose", n, (32, 32, 1), (32, 8, 1), &[4 * n; 2], 1024),
    ]
}

/// Launches without the checks and with them, in turn, so that a change of the machine's speed meets both.
///
/// How many times as long the checks take is the median over these pairs, not the ratio of the two medians:
/// when the speed changes halfway, the two medians may come from either side of the change, and a pair hardly
/// does.
fn case(module: &Module, work: &Work) -> Result<Case> {
    let mut launches = Launches::new(module, work)?;
    let mut pairs = Vec::new();
    measure::repeat(BUDGET, || {
        let pair = [launches.once(false)?, launches.once(true)?];
        pairs.push(pair);
        Ok(pair[0] + pair[1])
    })?;
    // The first warms up, unless it took so long that it is the only one.
    let pairs = if pairs.len() > 1 { &pairs[1..] } else { &pairs };
    let of = |value: fn(&[f64; 2]) -> f64| {
        Timing::of(pairs.iter().map(value).collect()).context("no launch was measured")
    };
    let (kernel, n, (x, y, _)) = (work.kernel.to_string(), work.n, work.config.block_dim);
    Ok(Case {
        kernel,
        n,
        block: x * y,
        thread_instructions: launches.thread_instructions,
        unchecked: of(|[unchecked, _]| *unchecked)?,
        checked: of(|[_, checked]| *checked)?,
        times_as_long: of(|[unchecked, checked]| checked / unchecked)?.median,
    })
}

/// A simulator with the buffers of a launch that is repeated.
struct Launches<'a> {
    module: &'a Module,
    work: &'a Work<'a>,
    simulator: Simulator,
    args: Vec<u64>,
    thread_instructions: u64,
}

impl<'a> Launches<'a> {
    fn new(module: &'a Module, work: &'a Work) -> Result<Launches<'a>> {
        let mut simulator = Simulator::new();
        let mut args = Vec::new();
        for buffer in &work.buffers {
            let address = simulator.alloc(buffer.len() as u64).map_err(|d| work.wrong(&d))?;
            simulator.write(address, buffer).map_err(|d| work.wrong(&d))?;
            args.push(address);
        }
        args.push(work.number.into());
        Ok(Launches { module, work, simulator, args, thread_instructions: 0 })
    }

    /// The microseconds of a launch, without restoring the input and checking the sum.
    fn once(&mut self, checked: bool) -> Result<f64> {
        let Launches { module, work, simulator, args, .. } = self;
        let (input, output) = (args[0], args[work.buffers.len() - 1]);
        simulator.write(input, &work.buffers[0]).map_err(|d| work.wrong(&d))?;
        let start = Instant::now();
        let counters = if checked {
            let launched = simulator.launch_checked(module, work.kernel, work.config, args);
            if let Some(found) = launched.diagnostics.first() {
                return Err(work.wrong(found).into());
            }
            launched.counters
        } else {
            simulator.launch(module, work.kernel, work.config, args).map_err(|d| work.wrong(&d))?
        };
        let microseconds = start.elapsed().as_secs_f64() * 1e6;
        self.thread_instructions = counters.thread_instructions;
        if let Some(expected) = work.sum {
            let mut ints = vec![0i32; work.buffers[work.buffers.len() - 1].len() / 4];
            simulator.read(output, bytemuck::cast_slice_mut(&mut ints)).map_err(|d| work.wrong(&d))?;
            let sum = ints.iter().fold(0i32, |sum, partial| sum.wrapping_add(*partial));
            ensure!(sum == expected, work.wrong(&format!("the sum is {sum}, not {expected}")));
        }
        Ok(microseconds)
    }
}

/// What `numba_simulator.py` prints.
#[derive(Deserialize)]
struct Printed {
    numba: String,
    python: String,
    seconds: Vec<f64>,
}

/// The first kernel on numba's simulator and on ours, at a size that numba can do.
fn numba(root: &Path, chapter: &Module, python: &Path) -> Result<Numba> {
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
        ours: case(chapter, &reduction(KERNELS[0], NUMBA_N))?,
    })
}

/// `rustc 1.90.0`
fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let words: Vec<_> = text.split_whitespace().take(2).collect();
    if words.is_empty() { "unknown rustc".to_string() } else { words.join(" ") }
}
