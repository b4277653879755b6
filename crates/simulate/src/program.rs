//! A whole program on the simulator: its `main` runs, what it prints comes as it is printed, and then what is
//! wrong with its host and its kernels.

use std::io::stdout;

use ::program::{Ended, KernelRun, Outside, Ran};
use anyhow::{Context, Result, bail};
use kernel_compiler::program::Program;
use ptx_simulator::trace::Trace;
use ptx_simulator::{Counters, Diagnostic, Kind, Module, Orders, Severity, What};
use serde::Serialize;
use text::columns::{Column, text_table};
use text::number::thousands;
use text::say;
use view::diagnostics::{self, Advice};

use super::by_value;
use super::causes;
use super::cure::Cure;
use super::input::{self, Sources};
use super::names::readable;
use super::options::{Checks, Options, with_option};
use super::output::{Found, help_for_the_result, of_the_result};
use super::tally::{counted, on_headers};

/// Instructions that the warps of all launches may execute together, unless `--steps-limit` says another
/// number: from ten seconds to two minutes, depending on what they do.
const MAX_WARP_STEPS: u64 = 1 << 26;
/// How many instructions of the host take as long as one of a warp.
const STEPS_PER_WARP_STEP: u64 = 64;
/// What came of a program.
pub struct Report {
    /// How it ended.
    pub ended: Ended,
    /// What is wrong with it, in the order of its time.
    pub found: Vec<Diagnostic>,
    /// What cures that, as far as it was tried and found.
    pub cures: Vec<Cure>,
    /// Its kernels.
    pub kernels: Vec<KernelRun>,
    /// Which orders of its launches were tried.
    pub orders: Vec<Orders>,
    /// The remembered launch, if that was asked for.
    pub trace: Option<Trace>,
    /// The sources that it quotes.
    pub sources: Sources,
    pub(super) asked_for_times: bool,
    /// What it printed, for JSON.
    pub(super) printed: [String; 2],
    /// Files that it may not read or write.
    pub(super) refused: Vec<String>,
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    ok: bool,
    /// What `main` returned; none if it was stopped.
    status: Option<i32>,
    printed: &'a str,
    printed_to_stderr: &'a str,
    kernels: Vec<JsonKernel<'a>>,
    diagnostics: Vec<Found<'a>>,
    /// What makes the program return 0, if that was tried and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    cure: Option<&'a Cure>,
    #[serde(skip_serializing_if = "<[Orders]>::is_empty")]
    orders: &'a [Orders],
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<&'a Trace>,
}

#[derive(Serialize)]
struct JsonKernel<'a> {
    kernel: String,
    launches: u64,
    grid: [u32; 3],
    block: [u32; 3],
    counters: &'a Counters,
}

/// Runs a compiled program.
///
/// # Errors
/// It cannot be run.
pub fn run(options: &Options, program: &Program, outside: &mut dyn Outside) -> Result<Report> {
    if let Some(refusal) = by_value::refusal(&program.ptx) {
        bail!("{}: {refusal}", options.file.display());
    }
    let mut sources = input::sources(options)?;
    let device = super::launch::device(options, None)?;
    let simulator = device.simulated().context("a program runs on the simulator")?;
    if options.steps || options.figure.is_some() || options.remembers {
        simulator.remember(super::MAX_EVENTS, None);
    }
    let name = options.file.display().to_string();
    simulator.name_by(sources.text(&name).unwrap_or_default());
    let module = Module::parse(&program.ptx, &name).map_err(|found| anyhow::Error::new(*found))?;
    let args = [name].into_iter().chain(options.program_args.iter().cloned()).collect();
    let warp_limit = match options.steps_limit {
        None => Some(MAX_WARP_STEPS),
        Some(given) => given.0,
    };
    let step_limit = warp_limit.map(|limit| limit.saturating_mul(STEPS_PER_WARP_STEP));
    let how = ::program::Options {
        args,
        step_limit,
        warp_limit,
        device_variables: program.device_variables.clone(),
        managed_variables: program.managed_variables.clone(),
    };
    let Ran { ended, found, kernels, asked_for_times, .. } =
        ::program::run(simulator, &module, &how, outside).map_err(|found| anyhow::Error::new(*found))?;
    let seen = device.take_seen();
    sources.read_for(&found);
    let found = told(found.into_iter().filter(|one| !names_no_lanes(one, &sources)).collect(), with_option);
    Ok(Report {
        ended,
        found,
        cures: Vec::new(),
        kernels,
        orders: seen.orders,
        trace: device.take_trace(),
        sources,
        asked_for_times,
        printed: Default::default(),
        refused: Vec::new(),
    })
}

/// Whether it is the mask of an instruction from before CUDA 9, which has none in the source
/// (`kernels/clang/host/old.h`): of those the compiler has warned.
fn names_no_lanes(found: &Diagnostic, sources: &Sources) -> bool {
    let What::ActiveMask { .. } = found.what else { return false };
    let (Some(file), Some(line)) = (&found.file, found.line) else { return false };
    let text = sources.text(file).and_then(|text| text.lines().nth(line as usize - 1));
    let is_old = |text: &str| ["__shfl", "__any", "__all", "__ballot"].iter().any(|name| text.contains(name));
    text.is_some_and(|text| is_old(text) && !text.contains("_sync"))
}

/// What a program has shown as a reader is told it: by cause, with the names of the source. `help` gives the
/// words of a finding's help.
pub fn told(found: Vec<Diagnostic>, help: impl Fn(Kind, &str) -> String) -> Vec<Diagnostic> {
    let mut found = causes::joined(found);
    for one in &mut found {
        let mut words = ptx_simulator::Words::from(one.what.clone());
        words.message = readable(&words.message);
        words.related.iter_mut().for_each(|site| site.message = readable(&site.message));
        let kernel = one.kernel.as_deref().map(readable);
        let help = readable(&help(one.kind, &one.help));
        *one = Diagnostic { kernel, help, ..one.clone().told(words) };
    }
    // What each launch of a kernel shows is said once.
    let mut said = std::collections::HashSet::new();
    found.retain(|one| said.insert((one.kind, one.file.clone(), one.line, one.message())));
    found.sort_by_key(comes_late);
    found
}

/// What was never written may be so since a launch failed, or since a copy did or is still under way. What is
/// only noted of the host, such as memory that is never freed, is no cause of it.
fn comes_late(found: &Diagnostic) -> bool {
    let is_note = found.severity == Severity::Note && found.kind == Kind::HostAccess;
    found.kind == Kind::UninitializedRead || is_note
}

impl Report {
    /// 0: `main` returned 0 and nothing was found. 1: something was found, or `main` returned something else.
    /// 2: the simulator cannot run this.
    pub fn status(&self) -> u8 {
        let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
        match self.ended {
            _ if self.found.iter().any(|found| found.kind == Kind::UnsupportedInstruction) => 2,
            Ended::Status(0) => u8::from(self.found.iter().filter(is_error).count() > 0),
            Ended::Status(_) | Ended::Stopped => 1,
        }
    }

    /// Prints all of it.
    ///
    /// # Errors
    /// The result cannot be written as JSON.
    pub fn print(&self, options: &Options) -> Result<()> {
        if options.json {
            let json =
                serde_json::to_string(&self.json(options)).context("the result cannot be written as JSON")?;
            say::json(&(json + "\n"));
        } else {
            say::out_in_colour(&self.text(options, say::has_colour(&stdout())));
        }
        for refused in &self.refused {
            say::err(&format!("note: {refused}\n"));
        }
        Ok(())
    }

    fn json(&self, options: &Options) -> Json<'_> {
        let kernels = self.kernels.iter().map(|run| {
            let (x, y, z) = run.config.grid_dim;
            let (a, b, c) = run.config.block_dim;
            JsonKernel {
                kernel: readable(&run.kernel),
                launches: run.launches,
                grid: [x, y, z],
                block: [a, b, c],
                counters: &run.counters,
            }
        });
        let status = match self.ended {
            Ended::Status(status) => Some(status),
            Ended::Stopped => None,
        };
        Json {
            ok: self.status() == 0,
            status,
            printed: &self.printed[0],
            printed_to_stderr: &self.printed[1],
            kernels: kernels.collect(),
            diagnostics: Found::all(&self.found, &self.cures),
            cure: of_the_result(&self.cures),
            orders: &self.orders,
            steps: self.trace.as_ref().filter(|_| options.steps),
        }
    }

    /// Each finding with its source lines, a line for each kernel, and the last line.
    fn text(&self, options: &Options, color: bool) -> String {
        let mut text = String::from("\n");
        for message in self.messages(color) {
            text += &format!("{message}\n");
        }
        if let Some(trace) = self.trace.as_ref().filter(|_| options.steps) {
            text += &format!("{}\n\n", say::visible(&view::table(trace)));
        }
        if !self.kernels.is_empty() {
            text += &format!("{}\n", text_table(&self.columns()));
        }
        text + &help_for_the_result(&self.cures) + &self.verdict(options.checks) + "\n"
    }

    /// Each finding with its source lines.
    pub fn messages(&self, color: bool) -> impl Iterator<Item = String> + '_ {
        let mut advice = Advice::default();
        let source = |file: &str| self.sources.text(file);
        self.found.iter().map(move |found| diagnostics::render(&advice.once(found), source, color))
    }

    /// A line for each kernel: its launches, its first grid and block, what its warps counted.
    pub fn columns(&self) -> Vec<Column> {
        let shape = |(x, y, z): (u32, u32, u32)| match (y, z) {
            (1, 1) => thousands(x.into()),
            (_, 1) => format!("{x} x {y}"),
            _ => format!("{x} x {y} x {z}"),
        };
        let runs = || self.kernels.iter();
        let count = |of: fn(&Counters) -> u64| runs().map(move |run| thousands(of(&run.counters) as i64));
        vec![
            Column::left("kernel", runs().map(|run| readable(&run.kernel))),
            Column::right("launches", runs().map(|run| thousands(run.launches as i64))),
            Column::right("grid", runs().map(|run| shape(run.config.grid_dim))),
            Column::right("block", runs().map(|run| shape(run.config.block_dim))),
            Column::right("instructions", count(|counters| counters.warp_instructions)),
            Column::right("load sectors", count(|counters| counters.global_load_sectors)),
            Column::right("store sectors", count(|counters| counters.global_store_sectors)),
            Column::right("atomics", count(|counters| counters.atomics)),
        ]
    }

    /// The last line.
    pub fn verdict(&self, checks: Checks) -> String {
        let counts = counted(&self.found, 0);
        let returned = match self.ended {
            Ended::Status(0) => String::new(),
            Ended::Status(status) => format!("; the program returned {status}"),
            Ended::Stopped => "; the program was stopped".to_string(),
        };
        let nothing = match self.ended {
            Ended::Status(0) => "ok: nothing is wrong",
            _ if self.cures.is_empty() => "nothing wrong was found",
            _ => "nothing else is wrong",
        };
        let first = match (counts.is_empty(), checks) {
            (true, Checks::On) => {
                let all_right = view::orders::all_right(&self.orders, nothing);
                [Some(all_right), on_headers(&self.found)]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("; ")
            }
            (true, Checks::Off) => "ran to its end; the checks were off".to_string(),
            (false, _) => counts,
        };
        let times = if self.asked_for_times {
            "; what the program printed as times are none: the simulator has no clock"
        } else {
            ""
        };
        format!("{first}{returned}{times}")
    }
}
