//! What a chapter does with its kernels: sizes, sweep, checks against the serial recursion, record, exit status.
//!
//! A run of a chapter is every kernel at the asked `n` ([`Record::runs`]) and the same kernels over other sizes
//! and block sizes ([`Record::sweep`]). What an option asks for is not swept: with `--n` the sizes go no further
//! than `n`, with `--block` or `--grid` there is one block size.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::backend::{Device, DeviceChoice, Fault, MAX_BLOCK, Module};
use crate::cli::{Options, Shape};
use crate::measure::{self, Measurement};
use crate::record::{DeviceInfo, DeviceKind, Dropped, Record, Run, SCHEMA};
use crate::sim::Diagnostic;
use crate::table::{table, thousands, time};
use crate::{chart, data, kernels, report, serial};

/// A chapter: its kernels, and where they run.
pub struct Chapter {
    /// `ch3_blocks`: names the kernel's source, the example, the record and the page.
    pub stem: &'static str,
    /// One line for `--help`.
    pub about: &'static str,
    pub place: Place,
    pub kernels: &'static [Kernel],
    /// Elements, where the reader does not say.
    pub default_n: fn(DeviceKind) -> u64,
}

/// Where a chapter's kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the CPU: there is nothing to launch.
    Cpu,
    /// In one block, a thread an element.
    OneBlock,
    /// In as many blocks as the elements need.
    ManyBlocks,
}

/// One way to add up.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub name: &'static str,
    /// What a wrong run of `n` elements is kept to show: a diagnostic kind or a word of its own.
    pub teaches: fn(n: u64) -> Option<&'static str>,
    /// Blocks of the first grid.
    pub grid: fn(n: u64, shape: Shape) -> u32,
    /// What the device launches by itself.
    pub launches: fn(shape: Shape) -> Launches,
}

impl Kernel {
    /// A kernel that is right, runs in the asked shape and launches nothing.
    pub const fn new(name: &'static str) -> Kernel {
        Kernel {
            name,
            teaches: |_| None,
            grid: |_, shape| shape.grid,
            launches: |_| Launches { total: 0, pending: 0, microseconds: 0.0 },
        }
    }
}

/// Launches made by device code in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Launches {
    pub total: u64,
    /// How many may be waiting or running at a time.
    pub pending: u64,
    /// What one costs on a GPU, about.
    pub microseconds: f64,
}

/// One run of one kernel on a device.
pub struct Case<'a> {
    pub device: &'a Device,
    pub module: &'a Module,
    pub kernel: &'static str,
    pub data: &'a [i32],
    /// Threads a block, and blocks of the first grid.
    pub block: u32,
    pub grid: u32,
    pub launches: Launches,
}

/// What came of a run.
pub struct Outcome {
    pub sum: i32,
    pub cost: Measurement,
    pub dropped: Option<Dropped>,
}

/// The serial recursion on the CPU, beside the kernels of a GPU. Chapter 1 calls it by this name too.
const SERIAL: Kernel = Kernel::new("recursiveReduceAnyLength");

/// Elements that the simulator takes, at most: some minutes and some hundred megabytes.
const SIM_MAX_N: u64 = 1 << 26;
/// A run of the sweep that would take longer on a GPU is left out, in microseconds; so is one with more pending
/// launches than this, each of which costs device memory.
const SWEEP_MICROSECONDS: f64 = 5e6;
const SWEEP_PENDING: u64 = 1 << 18;
/// A run that would take longer on a GPU is refused, in microseconds.
const MAX_MICROSECONDS: f64 = 180e6;

/// Runs a chapter of kernels: `reduce` is its host side, called once for every run. Returns the exit status.
pub fn run(chapter: &Chapter, reduce: fn(&Case) -> Result<Outcome>) -> ExitCode {
    let options = Options::parse_for(chapter.stem, chapter.about);
    exit(on_device(chapter, &options, reduce))
}

/// Runs a chapter without a kernel: `sum` adds up on the CPU by the way of that name. `source` is the text of
/// the example, whose hash identifies the code.
pub fn run_on_cpu(chapter: &Chapter, source: &str, sum: fn(&str, &mut [i32]) -> i32) -> ExitCode {
    let options = Options::parse_for(chapter.stem, chapter.about);
    exit(on_cpu(chapter, &options, source, sum))
}

fn on_device(chapter: &Chapter, options: &Options, reduce: fn(&Case) -> Result<Outcome>) -> Result<bool> {
    let build = kernels::get(chapter.stem)?;
    let device = Device::open(options.device)?;
    let mut bench = Bench::new(chapter, options, device.info(), build.code_hash.to_string())?;
    let module = device.load_module(build)?;
    bench.say(&first_line(&device));
    let finished = bench.run_all(&mut |case, data| {
        if case.kernel.name == SERIAL.name {
            let (sum, cost) = measure::on_cpu(data, serial::recursive_reduce)?;
            return Ok(Outcome { sum, cost, dropped: None });
        }
        reduce(&Case {
            device: &device,
            module: &module,
            kernel: case.kernel.name,
            data,
            block: case.shape.block,
            grid: case.shape.grid,
            launches: (case.kernel.launches)(case.shape),
        })
    });
    bench.conclude(finished)
}

fn on_cpu(
    chapter: &Chapter,
    options: &Options,
    source: &str,
    sum: fn(&str, &mut [i32]) -> i32,
) -> Result<bool> {
    ensure!(
        options.device == DeviceChoice::Auto,
        "{} runs on the CPU; leave --device out, or go on to chapter 2",
        chapter.stem
    );
    ensure!(
        options.block.is_none() && options.grid.is_none(),
        "{} runs on the CPU, which has no blocks; leave --block and --grid out",
        chapter.stem
    );
    let info = DeviceInfo {
        kind: DeviceKind::Cpu,
        name: cpu_name(),
        gpu: None,
        threads: Some(rayon::current_num_threads()),
    };
    let first_line = format!("On the CPU: {}, {} threads", info.name, rayon::current_num_threads());
    let mut bench = Bench::new(chapter, options, info, source_hash(source))?;
    bench.say(&first_line);
    let finished = bench.run_all(&mut |case, data| {
        let (sum, cost) = measure::on_cpu(data, |data| sum(case.kernel.name, data))?;
        Ok(Outcome { sum, cost, dropped: None })
    });
    bench.conclude(finished)
}

/// Where the kernels run, and why there.
fn first_line(device: &Device) -> String {
    let info = device.info();
    match (&info.gpu, device.no_gpu()) {
        (Some(gpu), _) => format!(
            "On the GPU: {} (compute capability {}, driver {}, CUDA {})",
            info.name,
            gpu.compute_capability,
            gpu.driver.as_deref().unwrap_or("unknown"),
            gpu.cuda
        ),
        (None, Some(no_gpu)) => format!("On the simulator, since there is no usable GPU: {}", no_gpu.reason),
        (None, None) => "On the simulator".to_string(),
    }
}

/// A run that is to be made.
#[derive(Clone, Copy)]
struct Planned {
    kernel: Kernel,
    n: u64,
    shape: Shape,
}

/// A chapter in progress.
struct Bench<'a> {
    chapter: &'a Chapter,
    options: &'a Options,
    record: Record,
    /// What the sweep leaves out, and why; one line a kernel.
    left_out: Vec<String>,
}

impl<'a> Bench<'a> {
    /// Checks the options against the chapter and the device.
    fn new(
        chapter: &'a Chapter,
        options: &'a Options,
        device: DeviceInfo,
        source_hash: String,
    ) -> Result<Self> {
        let n = options.n.unwrap_or((chapter.default_n)(device.kind));
        ensure!(
            device.kind != DeviceKind::Sim || n <= SIM_MAX_N,
            "{} elements are too many for the simulator; give --n 2^26 or less, or use a GPU",
            thousands(n as i64)
        );
        let shape = chapter.place.shape(n, options)?;
        let record = Record {
            schema: SCHEMA,
            stem: chapter.stem.to_string(),
            device,
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            command: command(chapter.stem),
            source_hash,
            n,
            block: shape.block,
            grid: shape.grid,
            seed: options.seed,
            runs: Vec::new(),
            sweep: Vec::new(),
            ok: false,
        };
        Ok(Bench { chapter, options, record, left_out: Vec::new() })
    }

    /// Makes every run, at the asked size first.
    fn run_all(&mut self, run: &mut dyn FnMut(&Planned, &[i32]) -> Result<Outcome>) -> Result<()> {
        let asked = self.asked()?;
        let sweep = self.sweep();
        let most = asked.iter().chain(&sweep).map(|case| case.n).max().unwrap_or(0);
        let data = data::numbers(most as usize, self.options.seed);
        let mut expected = HashMap::new();
        let mut progress = Progress::new(asked.len() + sweep.len());
        let runs = asked.len();
        for (position, case) in asked.into_iter().chain(sweep).enumerate() {
            progress.step(&case);
            let data = &data[..case.n as usize];
            let expected =
                *expected.entry(case.n).or_insert_with(|| serial::recursive_reduce(&mut data.to_vec()));
            let outcome = run(&case, data)?;
            let run = Run {
                kernel: case.kernel.name.to_string(),
                n: case.n,
                block: case.shape.block,
                grid: case.shape.grid,
                sum: outcome.sum.into(),
                expected: expected.into(),
                ok: outcome.sum == expected && outcome.dropped.is_none(),
                teaches: (case.kernel.teaches)(case.n).map(str::to_string),
                time_us: outcome.cost.time,
                counters: outcome.cost.counters,
                dropped: outcome.dropped,
            };
            if position < runs { &mut self.record.runs } else { &mut self.record.sweep }.push(run);
        }
        let mut all = self.record.runs.iter().chain(&self.record.sweep);
        self.record.ok = all.all(|run| run.ok || run.teaches.is_some());
        Ok(())
    }

    /// The kernels at the asked size and shape; refused if one would take minutes.
    fn asked(&self) -> Result<Vec<Planned>> {
        let shape = Shape { block: self.record.block, grid: self.record.grid };
        let cases = self.cases(self.record.n, shape);
        for case in &cases {
            let launches = (case.kernel.launches)(case.shape);
            let microseconds = launches.total as f64 * launches.microseconds;
            if self.record.device.kind == DeviceKind::Gpu && microseconds > MAX_MICROSECONDS {
                bail!(
                    "{} would make {} device launches one after the other, about {} minutes; give a smaller --n \
                     or a larger --block",
                    case.kernel.name,
                    thousands(launches.total as i64),
                    (microseconds / 60e6).round()
                );
            }
        }
        Ok(cases)
    }

    /// The sweep: other sizes at the asked block size, then other block sizes at the asked size. On a GPU
    /// without runs that take too long.
    fn sweep(&mut self) -> Vec<Planned> {
        let Record { n, block, .. } = self.record;
        let place = self.chapter.place;
        let mut cases = Vec::new();
        for size in place.sizes(self.record.device.kind, self.options.n) {
            if size != n {
                cases.extend(self.cases(size, place.shape_of(size, block)));
            }
        }
        if self.options.block.is_none() && self.options.grid.is_none() {
            for other in place.blocks(self.record.device.kind, n) {
                if other != block {
                    cases.extend(self.cases(n, Shape::of_blocks(n, other)));
                }
            }
        }
        cases.retain(|case| case.kernel.name != SERIAL.name || case.n != n || place == Place::Cpu);
        if self.record.device.kind == DeviceKind::Gpu {
            let (sane, long) = cases.into_iter().partition(is_sane);
            cases = sane;
            self.left_out = left_out(long);
        }
        cases
    }

    /// Every kernel of the chapter at `n`, and on a GPU the serial recursion beside them.
    fn cases(&self, n: u64, shape: Shape) -> Vec<Planned> {
        let planned = |kernel: &Kernel| Planned {
            kernel: *kernel,
            n,
            shape: Shape { grid: (kernel.grid)(n, shape), ..shape },
        };
        let mut cases: Vec<_> = self.chapter.kernels.iter().map(planned).collect();
        if self.record.device.kind == DeviceKind::Gpu {
            cases.push(Planned { kernel: SERIAL, n, shape: Shape { block: 0, grid: 0 } });
        }
        cases
    }

    /// Prints and writes what there is; whether all is well.
    fn conclude(mut self, finished: Result<()>) -> Result<bool> {
        let mut diagnostics = Vec::new();
        if let Err(error) = finished {
            let found = error.downcast::<Diagnostic>()?;
            self.record.ok = false;
            eprint!("{}", report::render(&found, std::io::stderr().is_terminal()));
            diagnostics.push(found);
        }
        if diagnostics.is_empty() {
            self.say(&format!("\n{}", table(&self.record)));
            self.left_out.iter().for_each(|line| self.say(line));
            self.write()?;
        }
        if self.options.json {
            let output = Output { record: &self.record, diagnostics: &diagnostics };
            print(&serde_json::to_string_pretty(&output)?);
        }
        Ok(self.record.ok)
    }

    /// Writes the record: with `--record` the committed one, else the reader's own with its charts.
    fn write(&self) -> Result<()> {
        let Some(records) = records_directory() else {
            self.say("\nNo record is written: this program's checkout is no longer where it was built.");
            return Ok(());
        };
        if self.options.record {
            ensure!(self.record.ok, "a run with a wrong sum is not recorded");
            let path = self.record.write(&records)?;
            self.say(&format!("\nrecord  {}", shown(&path)));
            return Ok(());
        }
        let local = records.join("local");
        let path = self.record.write(&local)?;
        self.say(&format!("\nrecord  {}", shown(&path)));
        for chart in chart::charts(&self.record)? {
            let path = path.with_extension(format!("{}.svg", chart.name));
            std::fs::write(&path, chart.svg).with_context(|| format!("cannot write {}", path.display()))?;
            self.say(&format!("chart   {}", shown(&path)));
        }
        Ok(())
    }

    /// A line for the reader; with `--json` there is none.
    fn say(&self, line: &str) {
        if !self.options.json {
            print(line);
        }
    }
}

impl Place {
    /// The shape for `n` elements under `options`.
    fn shape(self, n: u64, options: &Options) -> Result<Shape> {
        match self {
            Place::Cpu => Ok(Shape { block: 0, grid: 0 }),
            Place::ManyBlocks => Shape::new(n, options.block, options.grid, 512),
            Place::OneBlock => {
                ensure!(
                    n <= MAX_BLOCK.into(),
                    "{} elements do not fit one block, which has at most {MAX_BLOCK} threads; give --n {MAX_BLOCK} \
                     or less, or go on to chapter 3: cargo run --example ch3_blocks -- --n {n}",
                    thousands(n as i64)
                );
                ensure!(
                    options.grid.is_none_or(|grid| grid == 1),
                    "this chapter runs in one block; leave --grid out, or go on to chapter 3: cargo run --example \
                     ch3_blocks"
                );
                let block = options.block.unwrap_or(n.max(1) as u32);
                ensure!(
                    u64::from(block) >= n,
                    "--block {block} has fewer threads than there are elements ({n}); leave it out, or go on to \
                     chapter 3: cargo run --example ch3_blocks -- --n {n} --block {block}"
                );
                Ok(Shape { block, grid: 1 })
            }
        }
    }

    /// The shape of another size in the sweep.
    fn shape_of(self, n: u64, block: u32) -> Shape {
        match self {
            Place::Cpu => Shape { block: 0, grid: 0 },
            Place::OneBlock => Shape { block: n.max(1) as u32, grid: 1 },
            Place::ManyBlocks => Shape::of_blocks(n, block),
        }
    }

    /// The sizes of the sweep: powers of 2 in one block, else powers of 4 from 2^10 on; no further than `asked`,
    /// and no further than what is quick.
    fn sizes(self, kind: DeviceKind, asked: Option<u64>) -> Vec<u64> {
        let (first, step, last) = match (self, kind) {
            (Place::OneBlock, _) => (1, 1, 10),
            (_, DeviceKind::Sim) => (10, 2, 16),
            (_, DeviceKind::Cpu) => (10, 2, 24),
            (_, DeviceKind::Gpu) => (10, 2, 26),
        };
        let last = match kind {
            DeviceKind::Sim => asked.map_or(1 << last, |n| n.min(1 << last)),
            _ => asked.unwrap_or(1 << last),
        };
        (first..).step_by(step).map(|exponent| 1 << exponent).take_while(|&size| size <= last).collect()
    }

    /// The block sizes of the sweep, where there are enough elements to tell them apart.
    fn blocks(self, kind: DeviceKind, n: u64) -> Vec<u32> {
        let quick = kind != DeviceKind::Sim || n <= 1 << 16;
        if self != Place::ManyBlocks || n < MAX_BLOCK.into() || !quick {
            return Vec::new();
        }
        (5..=10).map(|exponent| 1 << exponent).collect()
    }
}

/// Whether a run fits a sweep on a GPU.
fn is_sane(case: &Planned) -> bool {
    let launches = (case.kernel.launches)(case.shape);
    launches.total as f64 * launches.microseconds <= SWEEP_MICROSECONDS && launches.pending <= SWEEP_PENDING
}

/// One line a kernel about its runs that do not fit the sweep.
fn left_out(cases: Vec<Planned>) -> Vec<String> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for case in cases {
        let launches = (case.kernel.launches)(case.shape);
        let why = format!(
            "n = {} in blocks of {} ({} device launches, about {})",
            thousands(case.n as i64),
            case.shape.block,
            thousands(launches.total as i64),
            time(launches.total as f64 * launches.microseconds)
        );
        match lines.iter_mut().find(|(kernel, _)| *kernel == case.kernel.name) {
            Some((_, line)) => *line += &format!(", {why}"),
            None => lines.push((case.kernel.name, why)),
        }
    }
    lines.into_iter().map(|(kernel, why)| format!("\nLeft out of the sweep: {kernel} at {why}")).collect()
}

/// What `--json` prints.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    record: &'a Record,
    /// What stopped the chapter, if something did.
    diagnostics: &'a [Diagnostic],
}

/// A bar on stderr, once a chapter has taken more than a second and if somebody watches.
struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
    done: usize,
    all: usize,
}

impl Progress {
    fn new(all: usize) -> Progress {
        Progress { started: Instant::now(), bar: None, done: 0, all }
    }

    /// A run begins.
    fn step(&mut self, case: &Planned) {
        if self.bar.is_none() && self.started.elapsed() > Duration::from_secs(1) {
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len}  {msg}");
            self.bar = Some(
                ProgressBar::new(self.all as u64).with_style(style.unwrap_or(ProgressStyle::default_bar())),
            );
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(format!("{} n = {}", case.kernel.name, thousands(case.n as i64)));
        }
        self.done += 1;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
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

/// 0: all is well; 1: a wrong sum or a diagnostic; 2: the command line or the environment.
fn exit(finished: Result<bool>) -> ExitCode {
    match finished {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<Fault>() { 1 } else { 2 })
        }
    }
}

/// A line on stdout. Nobody may be reading any more (`| head`); the run goes on and leaves its record.
fn print(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The command that gives the same record, without the options that only say where it goes.
fn command(stem: &str) -> String {
    let options: Vec<_> =
        std::env::args().skip(1).filter(|option| option != "--json" && option != "--record").collect();
    let mut command = format!("cargo run --example {stem}");
    if !options.is_empty() {
        command += &format!(" -- {}", options.join(" "));
    }
    command
}

/// `book/records` of the checkout that this program was built from, or `WORKBOOK_RECORDS_DIR` in its place.
fn records_directory() -> Option<PathBuf> {
    if let Some(directory) = std::env::var_os("WORKBOOK_RECORDS_DIR") {
        return Some(directory.into());
    }
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("book");
    book.is_dir().then(|| book.join("records"))
}

/// A path as seen from the working directory.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

/// The CPU's model name where the system says it.
fn cpu_name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or(format!("CPU ({})", std::env::consts::ARCH), |(_, name)| name.trim().to_string())
}

/// Identity of a source text (FNV-1a, 64 bits).
fn source_hash(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}
