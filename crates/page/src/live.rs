//! A run of a chapter as a page asks for it: JSON in, JSON out.

use std::fmt::Write;

use anyhow::{Context, Result, bail};
use chapters::ch4_nested::grids::grids;
use serde::{Deserialize, Serialize, Serializer};
use workbook::build::kernels;
use workbook::chapter::{Chapter, Options, Output, Place, Report, run_with};
use workbook::device::DeviceChoice;
use workbook::figure;
use workbook::number::size;
use workbook::record::chart::{self, Vertical};
use workbook::record::columns::html_table;
use workbook::record::table::{headline, notes, shown_columns};
use workbook::record::{Record, Run};
use workbook::sim::Diagnostic;
use workbook::sim::trace::Trace;

/// What a page asks for: the options of the terminal, and what to show of the record.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Request {
    stem: String,
    /// In the order of the table; none: the chapter's story.
    kernels: Vec<String>,
    n: Option<u64>,
    block: Option<u32>,
    grid: Option<u32>,
    seed: u64,
    pending_launches: Option<u64>,
    gpus: Option<usize>,
    schedule: u64,
    /// Whether other sizes and blocks are run too; without it, if there is to be a chart.
    sweep: Option<bool>,
    columns: Vec<String>,
    chart: Option<String>,
    /// `linear`: the chart's vertical axis starts at 0.
    scale: Option<String>,
    /// Whether the runs are wanted step by step.
    steps: bool,
    /// `grids`: the steps of all runs in one figure of their grids, in place of one of each.
    figure: Option<String>,
    /// What stands in the record as its date.
    date: String,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            stem: String::new(),
            kernels: Vec::new(),
            n: None,
            block: None,
            grid: None,
            seed: 1,
            pending_launches: None,
            gpus: None,
            schedule: 0,
            sweep: None,
            columns: Vec::new(),
            chart: None,
            scale: None,
            steps: false,
            figure: None,
            date: String::new(),
        }
    }
}

/// What the page gets.
#[derive(Default, Serialize)]
struct Answer {
    /// The exit status in the terminal.
    status: u8,
    stdout: String,
    stderr: String,
    /// The command of the same run in the terminal.
    command: String,
    /// Record and diagnostics, if the runs could be made.
    #[serde(flatten)]
    report: Option<Shown>,
    /// Why there was nothing to show.
    error: Option<String>,
}

#[derive(Serialize)]
struct Shown {
    record: Record,
    headline: String,
    notes: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// The table of a cell, as HTML.
    table: String,
    /// The chart that was asked for, as HTML, if the record has data for it.
    chart: Option<String>,
    /// A figure that plays for each run, as HTML, if steps were asked for.
    films: Vec<String>,
}

/// Takes a build; see [`kernels::load`].
pub fn load(build: &str) -> String {
    #[derive(Serialize)]
    struct Loaded {
        error: Option<String>,
    }
    let error = kernels::load(build).err().map(|error| format!("{error:#}"));
    json(&Loaded { error })
}

/// What each chapter's command line allows, for the book's preprocessor.
pub fn describe(chapters: &[&Chapter]) -> String {
    /// A map, but in the order of the chapters.
    struct All<'a>(&'a [&'a Chapter]);
    impl Serialize for All<'_> {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            to.collect_map(self.0.iter().filter_map(|chapter| Some((chapter.stem, Allows::of(chapter)?))))
        }
    }
    json(&All(chapters))
}

#[derive(Serialize)]
struct Allows {
    /// Where the kernels run.
    place: &'static str,
    /// The most elements.
    most_n: u64,
    /// Whether there is an option `--pending-launches`.
    pending_launches: bool,
    /// Whether there is an option `--gpus`.
    gpus: bool,
}

impl Allows {
    /// None for a chapter that runs on the CPU.
    fn of(chapter: &Chapter) -> Option<Allows> {
        let place = match chapter.place {
            Place::Cpu => return None,
            Place::OneBlock => "one-block",
            Place::ManyBlocks | Place::ManyBlocksUpTo(_) => "many-blocks",
            Place::GridStride => "grid-stride",
        };
        let most_n = chapter.place.most_simulated();
        Some(Allows { place, most_n, pending_launches: chapter.pending_launches, gpus: chapter.many_gpus })
    }
}

/// Makes the runs that `request` asks for. `progress` hears how many of how many elements are done.
pub fn run(chapters: &[&Chapter], request: &str, progress: fn(f64, f64)) -> String {
    let answer = answer(chapters, request, progress);
    json(&answer.unwrap_or_else(|error| Answer {
        status: 2,
        error: Some(format!("{error:#}")),
        ..Answer::default()
    }))
}

fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}

fn answer(chapters: &[&Chapter], request: &str, progress: fn(f64, f64)) -> Result<Answer> {
    let request: Request = serde_json::from_str(request).context("this is no request for a run")?;
    let Some(chapter) = chapters.iter().find(|chapter| chapter.stem == request.stem) else {
        bail!("there is no chapter {}", request.stem);
    };
    let options = Options {
        device: DeviceChoice::Sim,
        kernels: request.kernels.clone(),
        n: request.n,
        block: request.block,
        grid: request.grid,
        pending_launches: request.pending_launches,
        gpus: request.gpus,
        compiler: None,
        no_peers: false,
        what_if: what_if(chapter),
        seed: request.seed,
        schedule: request.schedule,
        no_sweep: !request.sweep.unwrap_or(request.chart.is_some()),
        steps: request.steps,
        json: false,
        record: false,
    };
    options.check(chapter).map_err(anyhow::Error::msg)?;
    let date = request.date.clone();
    let command = command(chapter, &options);
    let mut page =
        Page { stdout: String::new(), stderr: String::new(), date, command, progress, done: (0.0, 0.0) };
    let ran = run_with(chapter, &options, &mut page);
    Ok(Answer {
        status: ran.status,
        stdout: page.stdout,
        stderr: page.stderr,
        command: page.command,
        report: ran.report.map(|report| shown(report, &request)).transpose()?,
        error: ran.error,
    })
}

/// The edit that the loaded build has.
fn what_if(chapter: &Chapter) -> Option<String> {
    let build = kernels::find(chapter.stem).ok().flatten()?;
    build.what_if.map(|what_if| what_if.name.to_string())
}

/// The command of the same run in the terminal.
fn command(chapter: &Chapter, options: &Options) -> String {
    let mut line = format!("cargo run --example {} -- --device sim", chapter.stem);
    let mut add = |option: &str, value: &dyn std::fmt::Display| {
        let _ = write!(line, " --{option} {value}");
    };
    options.what_if.iter().for_each(|name| add("what-if", name));
    options.kernels.iter().for_each(|kernel| add("kernel", kernel));
    options.n.iter().for_each(|&n| add("n", &size(n).replace(',', "_")));
    options.block.iter().for_each(|block| add("block", block));
    options.grid.iter().for_each(|grid| add("grid", grid));
    options.pending_launches.iter().for_each(|launches| add("pending-launches", launches));
    options.gpus.iter().for_each(|gpus| add("gpus", gpus));
    Some(options.seed).filter(|seed| *seed != 1).iter().for_each(|seed| add("seed", seed));
    Some(options.schedule).filter(|seed| *seed != 0).iter().for_each(|seed| add("schedule", seed));
    if options.steps {
        line += " --steps";
    }
    if options.no_sweep { line + " --no-sweep" } else { line }
}

/// Table and chart of what the runs gave, with the kernels in the order of the request.
fn shown(report: Report, request: &Request) -> Result<Shown> {
    let mut record = report.record;
    let (headline, notes) = (headline(&record), notes(&record));
    let own_order: Vec<String> = record.runs.iter().map(|run| run.kernel.clone()).collect();
    in_order(&mut record.runs, &request.kernels);
    let columns: Vec<&str> = request.columns.iter().map(String::as_str).collect();
    let table = html_table(&shown_columns(&record, &columns));
    let chart = match &request.chart {
        Some(name) => {
            let linear = request.scale.as_deref() == Some("linear");
            let vertical = if linear { Vertical::Linear } else { Vertical::Logarithmic };
            let chart = chart::charts(&record, &[], vertical)?.into_iter().find(|chart| chart.name == name);
            chart.map(|chart| chart.html())
        }
        None => None,
    };
    in_order(&mut record.runs, &own_order);
    let source = kernels::find(&request.stem).ok().flatten().map(|build| build.source);
    let moving: Vec<&Trace> = report.steps.iter().filter(|trace| !trace.events.is_empty()).collect();
    let films = match request.figure.as_deref() {
        Some("grids") if !moving.is_empty() => vec![grids(&moving).html()],
        _ => moving.iter().map(|trace| figure::launch(trace, source).html()).collect(),
    };
    Ok(Shown { record, headline, notes, diagnostics: report.diagnostics, table, chart, films })
}

/// Puts the runs of `kernels`, one each, in front.
fn in_order(runs: &mut Vec<Run>, kernels: &[String]) {
    for kernel in kernels.iter().rev() {
        if let Some(place) = runs.iter().position(|run| run.kernel == *kernel) {
            let run = runs.remove(place);
            runs.insert(0, run);
        }
    }
}

/// The surroundings of a run in a page.
struct Page {
    stdout: String,
    stderr: String,
    date: String,
    command: String,
    progress: fn(f64, f64),
    /// Elements in the runs that are done, and in all.
    done: (f64, f64),
}

impl Output for Page {
    fn print(&mut self, line: &str) {
        self.stdout += &format!("{line}\n");
    }

    fn complain(&mut self, line: &str) {
        self.stderr += &format!("{line}\n");
    }

    fn begin(&mut self, _: &str, done: u64, all: u64) {
        self.done = (done as f64, all as f64);
        (self.progress)(self.done.0, self.done.1);
    }

    fn within(&self, n: u64) -> Option<Box<dyn Fn(f64)>> {
        let (progress, (done, all)) = (self.progress, self.done);
        Some(Box::new(move |part| progress(done + part * n as f64, all)))
    }

    fn date(&self) -> String {
        self.date.clone()
    }

    fn command(&self, _: &Chapter) -> String {
        self.command.clone()
    }

    /// A page keeps its record itself.
    fn keep(&mut self, _: &Chapter, _: &Options, _: &Record) -> Result<Option<String>> {
        Ok(None)
    }
}
