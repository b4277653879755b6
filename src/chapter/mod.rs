//! What a chapter does with its kernels: runs the plan, checks every sum against the serial recursion, prints the
//! table, writes the record and its charts, and gives the exit status.

pub mod options;
pub mod plan;
mod progress;

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::build::kernels;
use crate::build::prebuilt;
use crate::chapter::options::{Options, Shape};
use crate::chapter::plan::{Plan, Planned, SERIAL};
use crate::chapter::progress::Progress;
use crate::chapters::legacy;
use crate::chapters::limit::comparison::{self, Stage};
use crate::device::measure::{self, Measurement};
use crate::device::{Device, DeviceChoice, Fault, Module};
use crate::number::thousands;
use crate::record::chart;
use crate::record::diagnostics;
use crate::record::levels::Level;
use crate::record::table;
use crate::record::{DeviceInfo, DeviceKind, Dropped, MemorySpace, Record, Run, SCHEMA};
use crate::reduction::data;
use crate::reduction::serial;
use crate::reduction::value::{Expected, Value};
use crate::sim::{Diagnostic, Severity};

pub use crate::chapter::plan::{Kernel, Launches, Place};

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

/// One run of one kernel on a device.
pub struct Case<'a> {
    pub device: &'a Device,
    pub module: &'a Module,
    pub kernel: &'static str,
    /// The chapter's numbers, of which an operation on another type makes its elements.
    pub data: &'a [i32],
    /// Threads a block, and blocks of the first grid.
    pub block: u32,
    pub grid: u32,
    pub launches: Launches,
    /// The room for pending device launches that the reader asks for, where that is not simply enough.
    pub pending_launches: Option<u64>,
}

/// What measures the memory spaces of a GPU ([`crate::chapters::memory_spaces::measure`]).
pub type Spaces = fn(&Device, &Module) -> Result<Vec<MemorySpace>>;

/// What came of a run.
pub struct Outcome {
    /// What the kernel's operation gave.
    pub sum: Value,
    pub cost: Measurement,
    pub dropped: Option<Dropped>,
}

/// Runs a chapter of kernels: `reduce` is its host side, called once for every run. Returns the exit status.
pub fn run(chapter: &Chapter, reduce: fn(&Case) -> Result<Outcome>) -> ExitCode {
    let options = Options::parse_for(chapter.stem, chapter.about);
    exit(on_device(chapter, &options, reduce, None))
}

/// Runs a chapter as [`run`] does; on a GPU it measures the memory spaces too, unless a size is asked for.
pub fn run_with_spaces(chapter: &Chapter, reduce: fn(&Case) -> Result<Outcome>, spaces: Spaces) -> ExitCode {
    let options = Options::parse_for(chapter.stem, chapter.about);
    let measure = |device: &Device, module: &Module, record: &mut Record| {
        if options.n.is_none() {
            record.limits = device.limits();
            record.memory_spaces = spaces(device, module)?;
        }
        Ok(())
    };
    exit(on_device(chapter, &options, reduce, Some(&measure)))
}

/// [`run`], unless the reader asks for the chapter's museum: then `museum` runs in its place, with `visit` for its host
/// side, on the simulator.
pub fn run_with_museum(
    chapter: &Chapter,
    reduce: fn(&Case) -> Result<Outcome>,
    museum: &Chapter,
    visit: fn(&Case) -> Result<Outcome>,
) -> ExitCode {
    let options = Options::parse_for(chapter.stem, chapter.about);
    exit(match options.museum {
        true => legacy::visit(&options).and_then(|options| on_device(museum, &options, visit, None)),
        false => on_device(chapter, &options, reduce, None),
    })
}

/// [`run`]; on a GPU the chapter's kernels then meet those of libraries in `contest`.
pub fn run_with_contest(
    chapter: &Chapter,
    reduce: fn(&Case) -> Result<Outcome>,
    contest: fn(&Stage) -> Result<Vec<Run>>,
) -> ExitCode {
    let options = Options::parse_for(chapter.stem, chapter.about);
    let meet = |device: &Device, module: &Module, record: &mut Record| {
        let data = data::numbers(comparison::largest(options.n), options.seed);
        record.comparison = contest(&Stage::new(device, module, &data)?)?;
        record.ok &= record.comparison.iter().all(Run::as_expected);
        Ok(())
    };
    exit(on_device(chapter, &options, reduce, Some(&meet)))
}

/// Runs a chapter without a kernel: `sum` adds up on the CPU by the way of that name. `source` is the text of
/// the example, whose hash identifies the code.
pub fn run_on_cpu(chapter: &Chapter, source: &str, sum: fn(&str, &mut [i32]) -> i32) -> ExitCode {
    let options = Options::parse_for(chapter.stem, chapter.about);
    exit(on_cpu(chapter, &options, source, sum))
}

/// What a chapter adds to its record on a GPU.
type OnGpu<'a> = dyn Fn(&Device, &Module, &mut Record) -> Result<()> + 'a;

fn on_device(
    chapter: &Chapter,
    options: &Options,
    reduce: fn(&Case) -> Result<Outcome>,
    on_gpu: Option<&OnGpu>,
) -> Result<bool> {
    let build = kernels::get(chapter.stem)?;
    let device = Device::open(options.device)?;
    let mut info = device.info();
    info.cpu = (info.kind == DeviceKind::Gpu).then(measure::cpu_name); // of the serial recursion
    let mut bench = Bench::new(chapter, options, info, build.code_hash.to_string())?;
    let module = device.load_module(build)?;
    bench.say(&first_line(chapter, &device));
    let mut finished = bench.run_all(&mut |case, data| {
        if case.kernel.name == SERIAL.name {
            let (sum, cost) = measure::on_cpu(data, serial::recursive_reduce)?;
            return Ok(Outcome { sum: sum.into(), cost, dropped: None });
        }
        reduce(&Case {
            device: &device,
            module: &module,
            kernel: case.kernel.name,
            data,
            block: case.shape.block,
            grid: case.shape.grid,
            launches: (case.kernel.launches)(case.n, case.shape),
            pending_launches: options.pending_launches,
        })
    });
    if let (Some(on_gpu), Ok(()), DeviceKind::Gpu) = (on_gpu, &finished, device.info().kind) {
        finished = on_gpu(&device, &module, &mut bench.record);
    }
    bench.conclude(finished)
}

fn on_cpu(
    chapter: &Chapter,
    options: &Options,
    source: &str,
    sum: fn(&str, &mut [i32]) -> i32,
) -> Result<bool> {
    ensure!(
        options.device != DeviceChoice::Gpu,
        "{} has no kernel and runs on the CPU; leave --device gpu out, or go on to chapter 2",
        chapter.stem
    );
    if options.block.is_some() || options.grid.is_some() {
        complain(
            "note: this chapter runs on the CPU, which has no blocks; --block and --grid change nothing here",
        );
    }
    let info = DeviceInfo {
        kind: DeviceKind::Cpu,
        name: measure::cpu_name(),
        gpu: None,
        threads: Some(rayon::current_num_threads()),
        cpu: None,
    };
    let first_line = format!("On the CPU: {}, {} threads", info.name, rayon::current_num_threads());
    let mut bench = Bench::new(chapter, options, info, prebuilt::source_hash(source))?;
    bench.say(&first_line);
    let finished = bench.run_all(&mut |case, data| {
        let (sum, cost) = measure::on_cpu(data, |data| sum(case.kernel.name, data))?;
        Ok(Outcome { sum: sum.into(), cost, dropped: None })
    });
    bench.conclude(finished)
}

/// Where the kernels run, and why there.
fn first_line(chapter: &Chapter, device: &Device) -> String {
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
        (None, None) if chapter.stem == legacy::STEM => legacy::WHY_THE_SIMULATOR.to_string(),
        (None, None) => "On the simulator".to_string(),
    }
}

/// A chapter in progress.
struct Bench<'a> {
    options: &'a Options,
    plan: Plan,
    record: Record,
    /// The asked runs level by level, where the simulator made them.
    levels: Vec<(String, Vec<Level>)>,
    /// What the checks have found in the asked runs.
    found: Vec<Diagnostic>,
}

impl<'a> Bench<'a> {
    /// Checks the options against the chapter and the device.
    fn new(chapter: &Chapter, options: &'a Options, device: DeviceInfo, source_hash: String) -> Result<Self> {
        legacy::check(chapter.stem, options)?;
        let n = options.n.unwrap_or((chapter.default_n)(device.kind));
        let shape = chapter.place.shape(n, options)?;
        let (kernels, left_out) = plan::runnable(chapter.kernels, device.compute_capability());
        let mut plan = Plan::new(chapter.place, &kernels, device.kind, n, shape, options)?;
        plan.left_out.splice(0..0, left_out);
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
            comparison: Vec::new(),
            memory_spaces: Vec::new(),
            limits: Vec::new(),
            ok: false,
        };
        Ok(Bench { options, plan, record, levels: Vec::new(), found: Vec::new() })
    }

    /// Makes every run, at the asked size first.
    fn run_all(&mut self, run: &mut dyn FnMut(&Planned, &[i32]) -> Result<Outcome>) -> Result<()> {
        let cases = || self.plan.runs.iter().chain(&self.plan.sweep);
        let most = cases().map(|case| case.n).max().unwrap_or(0);
        let data = data::numbers(most as usize, self.options.seed);
        let mut expected = HashMap::new();
        let mut progress = Progress::new(cases().count());
        for (position, case) in cases().enumerate() {
            progress.step(format!("{}, n = {}", case.kernel.name, thousands(case.n as i64)));
            let data = &data[..case.n as usize];
            let operation = case.kernel.operation;
            let expected: &Expected =
                expected.entry((operation.name, case.n)).or_insert_with(|| (operation.expected)(data));
            let outcome = run(case, data)?;
            let grid = outcome.cost.grid.unwrap_or(case.shape.grid);
            let expected = expected.widened((case.kernel.error)(case.n, Shape { grid, ..case.shape }));
            let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
            let errors: Vec<_> = outcome.cost.found.iter().filter(is_error).map(|found| found.kind).collect();
            let run = Run::of(case.kernel.name, case.n, &operation, outcome.sum, expected);
            let run = Run {
                block: case.shape.block,
                grid,
                ok: run.ok && outcome.dropped.is_none() && errors.is_empty(),
                found: errors,
                expected_failure: (case.kernel.teaches)(case.n, case.shape).map(str::to_string),
                time_us: outcome.cost.time,
                counters: outcome.cost.counters,
                device_launches: match (case.kernel.launches)(case.n, case.shape).total {
                    0 => None,
                    launches => Some(launches),
                },
                dropped: outcome.dropped,
                ..run
            };
            if position < self.plan.runs.len() {
                self.levels.push((run.kernel.clone(), outcome.cost.levels));
                self.found.extend(outcome.cost.found);
                self.record.runs.push(run);
            } else {
                self.record.sweep.push(run);
            }
        }
        let mut all = self.record.runs.iter().chain(&self.record.sweep);
        self.record.ok = all.all(Run::as_expected);
        Ok(())
    }

    /// Prints and writes what there is; whether all is well.
    fn conclude(mut self, finished: Result<()>) -> Result<bool> {
        let stopped = match finished {
            Ok(()) => false,
            Err(error) => {
                let found = error.downcast::<Diagnostic>()?;
                self.record.ok = false;
                self.found.push(found);
                true
            }
        };
        for found in &self.found {
            complain(diagnostics::render(found, std::io::stderr().is_terminal()).trim_end());
        }
        if !stopped {
            self.say(&format!("\n{}", table::table(&self.record)));
            for text in [table::levels(&self.levels), self.plan.left_out.join("\n")] {
                if !text.is_empty() {
                    self.say(&text);
                }
            }
            self.write()?;
        }
        if self.options.json {
            print(&self.json(&self.found)?);
        }
        Ok(self.record.ok)
    }

    /// What `--json` prints: the record, and what stopped the chapter, if something did.
    fn json(&self, diagnostics: &[Diagnostic]) -> Result<String> {
        #[derive(Serialize)]
        struct Output<'a> {
            #[serde(flatten)]
            record: &'a Record,
            diagnostics: &'a [Diagnostic],
        }
        Ok(serde_json::to_string_pretty(&Output { record: &self.record, diagnostics })?)
    }

    /// Writes the record: with `--record` the committed one, else the reader's own with its charts.
    fn write(&self) -> Result<()> {
        let Some(records) = records_directory() else {
            ensure!(!self.options.record, "{NO_CHECKOUT}");
            self.say(NO_CHECKOUT);
            return Ok(());
        };
        if self.options.record && !self.record.ok {
            complain("not recorded, since not every run is ok");
            return Ok(());
        }
        let directory = if self.options.record { records } else { records.join("local") };
        let path = self.record.write(&directory).with_context(|| {
            format!("the runs are made, but there is no record of them; {RECORDS_DIR} may name another directory for it")
        })?;
        self.say(&format!("record  {}", shown(&path)));
        if self.options.record {
            return Ok(()); // The book draws the charts of a committed record itself.
        }
        for chart in chart::charts(&self.record, &[])? {
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

/// 0: all is well; 1: a wrong sum or a diagnostic; 2: the command line or the environment.
fn exit(finished: Result<bool>) -> ExitCode {
    match finished {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            complain(&format!("error: {error:#}"));
            ExitCode::from(if error.is::<Fault>() { 1 } else { 2 })
        }
    }
}

/// A line on stdout. Nobody may be reading any more (`| head`); the run goes on and leaves its record.
fn print(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line on stderr, whether or not somebody reads it.
fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

const NO_CHECKOUT: &str =
    "no record is written: the checkout that this program was built from is gone; build it again";

/// The command that gives the same record, without the options that only say where it goes.
fn command(stem: &str) -> String {
    let options: Vec<_> =
        std::env::args().skip(1).filter(|option| option != "--json" && option != "--record").collect();
    let mut command = format!("cargo run --example {}", legacy::example(stem));
    if !options.is_empty() {
        command += &format!(" -- {}", options.join(" "));
    }
    command
}

/// The environment variable that names another directory for records than `book/records`.
const RECORDS_DIR: &str = "WORKBOOK_RECORDS_DIR";

/// `book/records` of the checkout that this program was built from, or [`RECORDS_DIR`] in its place.
fn records_directory() -> Option<PathBuf> {
    if let Some(directory) = std::env::var_os(RECORDS_DIR).filter(|directory| !directory.is_empty()) {
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::sim::{Kind, Severity};

    const CHAPTER: Chapter = Chapter {
        stem: "ch0_test",
        about: "",
        place: Place::ManyBlocks,
        kernels: &[
            Kernel::new("right"),
            Kernel { teaches: |_, _| Some("data-race"), ..Kernel::new("kept to show a mistake") },
        ],
        default_n: |_| 33,
    };

    fn bench(options: &Options) -> Bench<'_> {
        let device =
            DeviceInfo { kind: DeviceKind::Sim, name: "test".into(), gpu: None, threads: None, cpu: None };
        Bench::new(&CHAPTER, options, device, "0".into()).unwrap()
    }

    #[test]
    fn ok_is_the_sum_with_nothing_dropped_except_where_a_mistake_is_kept() {
        let options = Options::parse_from(["ch0_test", "--block", "32"]);
        let dropped = Dropped { launches: 1, error: 69, name: "".into() };
        for (wrong, lost, ok, all_ok) in [
            ("", None, [true, true], true),
            ("kept to show a mistake", None, [true, false], true),
            ("right", None, [false, true], false),
            ("", Some(dropped), [false, false], false),
        ] {
            let mut bench = bench(&options);
            let mut run = |case: &Planned, data: &[i32]| {
                let sum = data.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x));
                let sum = if case.kernel.name == wrong { !sum } else { sum };
                Ok(Outcome { sum: sum.into(), cost: Measurement::default(), dropped: lost.clone() })
            };
            bench.run_all(&mut run).unwrap();
            assert_eq!(bench.record.runs.iter().map(|run| run.ok).collect::<Vec<_>>(), ok);
            assert_eq!(bench.record.ok, all_ok);
        }
    }

    #[test]
    fn a_diagnostic_is_in_the_json_and_nothing_is_written() {
        let options = Options::parse_from(["ch0_test", "--json"]);
        let mut bench = bench(&options);
        let found = Diagnostic {
            kind: Kind::StepLimit,
            severity: Severity::Error,
            kernel: Some("reduce".into()),
            file: None,
            line: None,
            block: None,
            thread: None,
            message: "it goes on for ever".into(),
            help: "end the loop".into(),
            related: vec![],
        };
        let finished = bench.run_all(&mut |_, _| Err(anyhow::Error::new(found.clone())));
        let json: serde_json::Value =
            serde_json::from_str(&bench.json(std::slice::from_ref(&found)).unwrap()).unwrap();
        assert_eq!(json["diagnostics"][0]["kind"], "step-limit");
        assert_eq!(
            (&json["ok"], &json["n"], &json["runs"]),
            (&false.into(), &33.into(), &serde_json::json!([]))
        );
        assert!(!bench.conclude(finished).unwrap(), "exit status 1");
        assert!(!records_directory().unwrap().join("local/ch0_test.sim.json").exists());
    }
}
