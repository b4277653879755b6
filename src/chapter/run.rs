//! Makes the runs of a chapter, checks every result, and collects the record.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use cuda_source::misfit::Misfit;
use device::measure::Effort;
use device::{Device, DeviceKind, Fault};
use kernel_compiler::build::Build;
use kernel_compiler::hash;
use ptx_simulator::trace::Trace;
use ptx_simulator::{Diagnostic, Kind, Severity};
use reduction::data;
use reduction::operator::ElementType;
use reduction::value::Expected;
use serde::Serialize;
use text::columns::text_table;
use text::number::thousands;
use text::printed::first_lines;
use view::diagnostics;

use super::lines;
use super::needs::{Stage, ensure_room, open};
use super::options::Options;
use super::output::Output;
use super::plan::{Plan, Planned};
use super::shape::Shape;
use super::variant::{Case, Chapter, Extras, Outcome};
use crate::record::{Record, Run, SCHEMA, table};

/// Events that are remembered of a run, where steps are asked for.
const MAX_EVENTS: usize = 10_000;

/// A chapter that has been run.
pub struct Ran {
    /// The exit status: 0, all agreed; 1, a wrong sum or a diagnostic; 2, the command line or the environment
    /// is wrong.
    pub status: u8,
    /// What the runs gave; nothing if they failed to start.
    pub report: Option<Report>,
}

/// What `--json` prints.
#[derive(Serialize)]
pub struct Report {
    /// The record.
    #[serde(flatten)]
    pub record: Record,
    /// What the checks have found at the requested size.
    pub diagnostics: Vec<Diagnostic>,
    /// The runs step by step, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Trace>,
    /// What kernels wrote with `printf`, run by run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Printed>,
}

/// What a kernel wrote with `printf` in one run.
#[derive(Serialize)]
pub struct Printed {
    /// The variant.
    pub kernel: String,
    /// Elements.
    pub n: u64,
    /// As [`first_lines`] has it.
    pub lines: String,
}

/// Runs `chapter` as `options` say, with its output to `output`; of its kernels `build`, or else the one that
/// [`kernels::get`](crate::kernels::get) has.
pub fn run_with(chapter: &Chapter, build: Option<Build>, options: &Options, output: &mut dyn Output) -> Ran {
    match Bench::new(chapter, build, options, output).and_then(Bench::finish) {
        Ok(report) => Ran { status: if report.record.ok { 0 } else { 1 }, report: Some(report) },
        Err(error) => {
            match error.downcast_ref::<Misfit>() {
                Some(misfit) => output.complain(&misfit.to_string()), // as a compiler says it
                None => output.complain(&format!("error: {error:#}")),
            }
            Ran { status: if error.is::<Fault>() { 1 } else { 2 }, report: None }
        }
    }
}

/// What the runs add up.
struct Input {
    data: Vec<i32>,
    /// The results that are right, by operation and number of elements.
    expected: BTreeMap<(&'static str, u64), Expected>,
    /// Elements in the runs that have begun.
    done: u64,
    /// Elements in all runs.
    all: u64,
}

/// A chapter in progress.
struct Bench<'a> {
    chapter: &'a Chapter,
    options: &'a Options,
    output: &'a mut dyn Output,
    stage: Stage,
    plan: Plan,
    record: Record,
    /// A table of the levels of the first nested run, if the simulator made it and it was asked for by name;
    /// else empty.
    levels: String,
    /// What the checks have found at the requested size.
    found: Vec<Diagnostic>,
    /// The runs at that size step by step, if that was asked for.
    traces: Vec<Trace>,
    printed: Vec<Printed>,
}

impl<'a> Bench<'a> {
    /// Checks the options against the chapter and the device, and loads the kernels.
    fn new(
        chapter: &'a Chapter,
        build: Option<Build>,
        options: &'a Options,
        output: &'a mut dyn Output,
    ) -> Result<Bench<'a>> {
        let stage = open(chapter, build, options, output)?;
        let mut info = stage.device.info();
        info.gpus = (!stage.others.is_empty()).then_some(1 + stage.others.len());
        if options.steps {
            let add = match info.kind {
                DeviceKind::Cpu => "leave --steps out: this chapter runs on the CPU",
                _ => "add --device sim",
            };
            let simulator = stage.device.simulated();
            let simulator =
                simulator.with_context(|| format!("only the simulator knows the steps; {add}"))?;
            simulator.remember(MAX_EVENTS, stage.build.as_ref().map(|build| &*build.source));
        }
        if info.kind == DeviceKind::Gpu {
            info.cpu = Device::cpu().info().name.into(); // of the serial recursion
        }
        if !options.record {
            stage.device.set_effort(Effort::Brief);
        }
        let n = options.n.unwrap_or((chapter.default_n)(info.kind));
        let shape = chapter.place.shape(n, info.kind, options.block, options.grid)?;
        let plan = Plan::new(chapter, &info, stage.device.multiprocessors(), n, shape, options)?;
        let source_hash = match &stage.build {
            Some(build) => build.code_hash.to_string(),
            None => hash::text_hash(chapter.source),
        };
        let record = Record {
            schema: SCHEMA,
            stem: chapter.stem.to_string(),
            device: info,
            date: output.date(),
            command: output.command(chapter),
            source_hash,
            compiler: stage.build.as_ref().map(|build| build.compiler.to_string()),
            n,
            block: shape.block,
            grid: shape.grid,
            seed: options.seed,
            runs: Vec::new(),
            sweep: Vec::new(),
            sections: BTreeMap::new(),
            ok: false,
        };
        let levels = String::new();
        let found = Vec::new();
        let traces = Vec::new();
        let printed = Vec::new();
        Ok(Bench { chapter, options, output, stage, plan, record, levels, found, traces, printed })
    }

    /// Makes the runs, prints and keeps what there is. The requested size comes first, and what it gave is
    /// printed before the sweep, which takes most of the time.
    fn finish(mut self) -> Result<Report> {
        let place = lines::place(self.chapter, &self.stage, &self.record.device);
        self.say(&place);
        let mut input = self.input()?;
        let ran = self.run_requested(&mut input);
        let mut stopped = self.take_stop(ran)?;
        self.output.end();
        self.complain_from(0);
        if !stopped {
            if !self.found.is_empty() {
                self.say("");
            }
            self.say(&self.tables());
            let steps = |trace: &Trace| format!("\n{}, step by step\n{}", trace.kernel, view::table(trace));
            for text in self.traces.iter().map(steps).collect::<Vec<_>>() {
                self.say(&text);
            }
            if let Some(orders) = lines::orders(&self.record.runs) {
                self.say(&format!("\n{orders}"));
            }
            let known = self.found.len();
            let ran = self.run_sweep(&mut input);
            stopped = self.take_stop(ran)?;
            self.output.end();
            self.complain_from(known);
        }
        let mut all = self.record.runs.iter().chain(&self.record.sweep);
        self.record.ok = !stopped && all.all(Run::as_expected);
        // Why the record was not kept is an error that is returned last, so that it hides nothing else.
        let mut kept = Ok(None);
        if !stopped {
            self.measure_extras()?;
            let wrong = table::wrong_elsewhere(&self.record);
            if !wrong.is_empty() {
                self.say(&format!("\n{}", wrong.join("\n")));
            }
            if self.options.record && !self.record.ok {
                self.output.complain("not recorded, since not every run is ok");
            } else {
                kept = self.output.keep(self.chapter, self.options, &self.record);
                if let Ok(Some(where_it_is)) = &kept {
                    self.say(&format!("\n{where_it_is}"));
                }
            }
            if let Some(more) = lines::more_kernels(self.chapter, self.options) {
                self.say(&more);
            }
        }
        let report = Report {
            record: self.record,
            diagnostics: self.found,
            steps: self.traces,
            printed: self.printed,
        };
        if self.options.json {
            let json = serde_json::to_string_pretty(&report);
            self.output.print_json(&json.context("the record cannot be written as JSON")?);
        }
        kept?;
        Ok(report)
    }

    /// Shows what the checks have found, without the first `known` findings.
    fn complain_from(&mut self, known: usize) {
        for found in &self.found[known..] {
            let text = self.rendered(found, self.output.has_colour());
            self.output.complain_in_colour(text.trim_end());
        }
    }

    /// `found` as text, with the lines of the kernels that it is about.
    fn rendered(&self, found: &Diagnostic, color: bool) -> String {
        let build = self.stage.build.as_ref();
        let source = |file: &str| build.filter(|build| build.source_path == file).map(|build| &*build.source);
        diagnostics::render(found, source, color)
    }

    /// Whether a diagnostic stopped the runs: it is added to those found. Another error is returned.
    fn take_stop(&mut self, ran: Result<()>) -> Result<bool> {
        let Err(error) = ran else { return Ok(false) };
        let mut found = error.downcast::<Diagnostic>()?;
        ensure!(found.kind != Kind::MemoryLimit, "{}; give a smaller --n or --grid", found.message());
        // A page has no command line.
        if found.kind == Kind::StepLimit && cfg!(not(target_family = "wasm")) {
            found.help += " (--steps-limit N)";
        }
        self.found.push(found);
        Ok(true)
    }

    /// What all runs add up.
    fn input(&mut self) -> Result<Input> {
        let cases: Vec<Planned> = self.plan.runs.iter().chain(&self.plan.sweep).copied().collect();
        let most = cases.iter().map(|case| case.n).max().unwrap_or(0);
        ensure_room(most)?;
        let data = data::numbers(most as usize, self.options.seed);
        Ok(Input { data, expected: BTreeMap::new(), done: 0, all: cases.iter().map(|case| case.n).sum() })
    }

    /// Makes the runs at the requested size.
    fn run_requested(&mut self, input: &mut Input) -> Result<()> {
        for case in self.plan.runs.clone() {
            let ran = self.run(&case, input);
            self.show_printed(&case);
            let (run, outcome) = ran?;
            let message = most_severe(&outcome).map(|found| self.rendered(found, false));
            let levels = outcome.cost.levels;
            if !self.options.kernels.is_empty() && self.levels.is_empty() && levels.len() > 1 {
                self.levels = format!("\n{}", table::levels(&run.kernel, &levels));
            }
            self.found.extend(outcome.cost.found);
            self.record.runs.push(Run { message, ..run });
        }
        Ok(())
    }

    /// Makes the runs at other sizes and shapes.
    fn run_sweep(&mut self, input: &mut Input) -> Result<()> {
        if let Some(simulator) = self.stage.device.simulated() {
            simulator.try_orders(None);
        }
        for case in self.plan.sweep.clone() {
            let ran = self.run(&case, input);
            self.stage.device.take_printed(); // the same once more, at another size
            self.record.sweep.push(ran?.0);
        }
        Ok(())
    }

    /// Makes one run, and checks its result.
    fn run(&mut self, case: &Planned, input: &mut Input) -> Result<(Run, Outcome)> {
        let name = format!("{}, n = {}", case.variant.name, thousands(case.n as i64));
        self.output.begin(&name, input.done, input.all);
        input.done += case.n;
        let data = &input.data[..case.n as usize];
        let operation = case.variant.operation;
        let expected = input.expected.entry((operation.name, case.n));
        let expected = expected.or_insert_with(|| (operation.expected)(data));
        if let Some(simulator) = self.stage.device.simulated()
            && let Some(tell) = self.output.within(case.n)
        {
            simulator.tell_progress(tell);
        }
        let outcome = self.outcome(case, data);
        let outcome = outcome?;
        if let Some(mut trace) = self.stage.device.take_trace() {
            if operation.element == ElementType::I32 {
                show_as_signed(&mut trace);
            }
            self.traces.push(trace);
        }
        Ok((checked(case, expected, &outcome), outcome))
    }

    /// Shows what the kernels of a run have printed. That is no result: stdout belongs to those.
    fn show_printed(&mut self, case: &Planned) {
        let lines = first_lines(&self.stage.device.take_printed());
        if !lines.is_empty() {
            self.output.complain(lines.trim_end_matches('\n'));
            self.printed.push(Printed { kernel: case.variant.name.to_string(), n: case.n, lines });
        }
    }

    /// What this chapter alone measures, on a GPU.
    fn measure_extras(&mut self) -> Result<()> {
        let (Some(module), DeviceKind::Gpu) = (&self.stage.module, self.record.device.kind) else {
            return Ok(());
        };
        // They have kernels and sizes of their own.
        if self.options.no_sweep || self.options.names_kernels() {
            return Ok(());
        }
        let Extras { measure, tables, .. } = self.chapter.extras;
        measure(&self.stage.device, module, self.options.n, &mut self.record)?;
        let ok = self.record.all_section_runs().all(|(_, run)| run.as_expected());
        self.record.ok &= ok;
        for columns in tables(&self.record)? {
            self.say(&format!("\n{}", text_table(&columns).trim_end()));
        }
        Ok(())
    }

    fn outcome(&self, case: &Planned, data: &[i32]) -> Result<Outcome> {
        (case.variant.host)(&Case {
            device: &self.stage.device,
            variant: &case.variant,
            data,
            block: case.shape.block,
            grid: case.shape.grid,
            launches: case.launches(),
            pending_launches: self.options.pending_launches,
            others: &self.stage.others,
            module: self.stage.module.as_ref(),
        })
    }

    /// The tables of the runs at the requested size, and what was left out.
    fn tables(&self) -> String {
        let mut text = table::table(&self.record) + &self.levels;
        for line in &self.plan.left_out {
            text += &format!("\n{line}");
        }
        text.trim_end().to_string()
    }

    /// A line for the reader; with `--json` there is none.
    fn say(&mut self, line: &str) {
        if !self.options.json {
            self.output.print(line);
        }
    }
}

/// Kernels add up the bits of `i32` as unsigned numbers, whose overflow C++ defines. A reader wants to see
/// the elements.
fn show_as_signed(trace: &mut Trace) {
    for buffer in &mut trace.buffers {
        if buffer.kind.as_deref() == Some("u32") {
            buffer.kind = Some("i32".to_string());
        }
    }
}

/// The first diagnostic of severity error; without errors, the first warning.
fn most_severe(outcome: &Outcome) -> Option<&Diagnostic> {
    let found = &outcome.cost.found;
    found.iter().find(|found| found.severity == Severity::Error).or(found.first())
}

/// The record of a run, with its verdict.
fn checked(case: &Planned, expected: &Expected, outcome: &Outcome) -> Run {
    let grid = outcome.cost.grid.unwrap_or(case.shape.grid);
    let expected = expected.widened((case.variant.error_factor)(case.n, Shape { grid, ..case.shape }));
    let errors = outcome.cost.found.iter().filter(|found| found.severity == Severity::Error);
    let found: Vec<_> = errors.map(|found| found.kind).collect();
    let total = case.launches().total;
    let run = Run::of(case.variant.name, case.n, &case.variant.operation, &outcome.answer, &expected);
    Run {
        block: case.shape.block,
        grid,
        symbol: (case.variant.symbol != case.variant.name).then(|| case.variant.symbol.to_string()),
        ok: run.ok && outcome.dropped.is_none() && found.is_empty(),
        found,
        orders: view::orders::summary(&outcome.cost.orders),
        expected_failure: (case.variant.expected_failure)(case.n, case.shape),
        time_us: outcome.cost.time,
        counters: outcome.cost.counters.clone(),
        device_launches: (total > 0).then_some(total),
        dropped: outcome.dropped.clone(),
        library: outcome.library.clone(),
        ..run
    }
}

#[cfg(test)]
mod tests;
