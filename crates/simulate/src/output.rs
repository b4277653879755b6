//! The whole result of a launch: as text, as JSON, as exit status.

use std::io::{stderr, stdout};

use anyhow::{Context, Result};
use ptx_simulator::trace::Trace;
use ptx_simulator::{Counters, Diagnostic, Kind, Orders, Severity};
use serde::Serialize;
use text::number::thousands;
use text::printed::first_lines;
use text::say;
use view::diagnostics::{self, Advice};

use super::cure::Cure;
use super::input::Sources;
use super::kinds::Warning;
use super::launch::{Launched, Misfit, Unwritten};
use super::options::{Checks, Options};
use super::tally::{counted, on_headers};
use super::{buffers, counts, names};

/// The result of a launch, and the sources that it quotes.
pub struct Report {
    pub launched: Launched,
    pub sources: Sources,
}

/// What is wrong, or may be.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Finding<'a> {
    /// With a line of the script.
    Line(&'a Warning),
    /// With a kernel.
    Kernel(Found<'a>),
}

/// What the checks have found.
#[derive(Serialize)]
pub struct Found<'a> {
    #[serde(flatten)]
    pub diagnostic: &'a Diagnostic,
    /// What cures it, if that was tried and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<&'a Cure>,
}

impl<'a> Found<'a> {
    /// Each finding, with what cures it.
    pub fn all(found: &'a [Diagnostic], cures: &'a [Cure]) -> Vec<Found<'a>> {
        let cure = |number| cures.iter().find(|cure| cure.finding == Some(number));
        let found = found.iter().enumerate();
        found.map(|(number, diagnostic)| Found { diagnostic, cure: cure(number) }).collect()
    }
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    ok: bool,
    kernel: String,
    buffers: Vec<buffers::Json<'a>>,
    printed: &'a str,
    diagnostics: Vec<Finding<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    wrong: &'a [String],
    /// What makes the result the expected one, if that was tried and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    cure: Option<&'a Cure>,
    counters: JsonCounters,
    /// Of each launch, which orders of its operations were tried.
    #[serde(skip_serializing_if = "<[Orders]>::is_empty")]
    orders: &'a [Orders],
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<&'a Trace>,
}

#[derive(Serialize)]
struct JsonCounters {
    #[serde(flatten)]
    counters: Counters,
    average_active_lanes: Option<f64>,
}

impl Report {
    /// 0: nothing is wrong. 1: a diagnostic of severity error. 2: an instruction that the simulator does not
    /// know, PTX that it cannot read, or a launch that it refused, which is about no place in the kernel.
    pub fn status(&self) -> u8 {
        let unsupported =
            self.launched.diagnostics.iter().any(|found| found.kind == Kind::UnsupportedInstruction);
        let refused = !self.launched.ran.completed
            && self.launched.diagnostics.last().is_some_and(|found| found.file.is_none());
        match self.count(Severity::Error) {
            _ if unsupported || refused => 2,
            0 => u8::from(!self.launched.ran.wrong.is_empty()),
            _ => 1,
        }
    }

    fn count(&self, severity: Severity) -> usize {
        let found = self.launched.diagnostics.iter().filter(|found| found.severity == severity).count();
        found + if severity == Severity::Warning { self.launched.warnings.len() } else { 0 }
    }

    /// All that is found, warnings of the script first.
    pub fn found(&self) -> Vec<Finding<'_>> {
        let lines = self.launched.warnings.iter().map(Finding::Line);
        let found = Found::all(&self.launched.diagnostics, &self.launched.cures);
        lines.chain(found.into_iter().map(Finding::Kernel)).collect()
    }

    /// Prints all of it: on stdout, but what the simulator cannot take on stderr.
    ///
    /// # Errors
    /// The result cannot be written as JSON.
    pub fn print(&self, options: &Options) -> Result<()> {
        if self.status() == 2 {
            say::err_in_colour(&self.findings(options.checks, say::has_colour(&stderr())));
        }
        if options.json {
            say::json(&self.json(options)?);
        } else if self.status() != 2 {
            let findings = self.findings(options.checks, say::has_colour(&stdout()));
            say::out_in_colour(&(self.results(options) + &findings));
        }
        Ok(())
    }

    fn json(&self, options: &Options) -> Result<String> {
        let Launched { kernels, ran, printed, orders, trace, .. } = &self.launched;
        let mut counters = Counters::default();
        for launch in &ran.counters {
            counters += launch;
        }
        let object = Json {
            ok: self.status() == 0,
            kernel: kernels.join(", "),
            buffers: ran.buffers.iter().map(buffers::Json).collect(),
            printed,
            diagnostics: self.found(),
            wrong: &ran.wrong,
            cure: of_the_result(&self.launched.cures),
            counters: JsonCounters { average_active_lanes: counters.average_active_lanes(), counters },
            orders,
            steps: trace.as_ref().filter(|_| options.steps),
        };
        let json = serde_json::to_string(&object).context("the result cannot be written as JSON")?;
        Ok(json + "\n")
    }

    fn results(&self, options: &Options) -> String {
        let Launched { ran, printed, trace, .. } = &self.launched;
        let mut text = String::new();
        if !printed.is_empty() {
            text += &format!("printed by the kernel:\n{}\n", first_lines(printed));
        }
        for buffer in &ran.buffers {
            text += &format!("{}\n", say::visible(&buffers::text(buffer)));
        }
        if let Some(trace) = trace.as_ref().filter(|_| options.steps) {
            text += &format!("{}\n\n", say::visible(&view::table(trace)));
        }
        text + &format!("{}\n", counts::table(&self.counts()))
    }

    /// What each launch counted, with the name of its kernel where there are several.
    pub fn counts(&self) -> Vec<(String, &Counters)> {
        let Launched { kernels, ran, .. } = &self.launched;
        let title = |kernel: &String| names::readable(kernel);
        match kernels.len() {
            1 => ran.counters.iter().map(|counters| (String::new(), counters)).collect(),
            _ => kernels.iter().map(title).zip(&ran.counters).collect(),
        }
    }

    /// Each finding with its source lines.
    pub fn messages(&self, color: bool) -> impl Iterator<Item = String> + '_ {
        let mut advice = Advice::default();
        self.found().into_iter().map(move |found| self.message(&found, &mut advice, color))
    }

    fn message(&self, found: &Finding, advice: &mut Advice, color: bool) -> String {
        let text = |file: &str| self.sources.text(file);
        match found {
            Finding::Line(warning) => warning.text(warning.file.as_deref().and_then(text), color),
            Finding::Kernel(found) => diagnostics::render(&advice.once(found.diagnostic), text, color),
        }
    }

    fn findings(&self, checks: Checks, color: bool) -> String {
        let mut text = String::new();
        for message in self.messages(color) {
            text += &format!("{message}\n");
        }
        for wrong in &self.launched.ran.wrong {
            text += &format!("not as expected: {}\n\n", say::visible(wrong));
        }
        text += &help_for_the_result(&self.launched.cures);
        // What depends on the order says itself on which two operations.
        let says_it = |found: &Diagnostic| found.kind == Kind::OrderDependent;
        let changed = view::orders::changed(&self.launched.orders);
        if let Some(changed) = changed.filter(|_| !self.launched.diagnostics.iter().any(says_it)) {
            text += &format!("{changed}\n\n");
        }
        text + &format!("{}\n", self.verdict(checks))
    }

    /// The last line.
    pub fn verdict(&self, checks: Checks) -> String {
        let counts = counted(&self.launched.diagnostics, self.launched.warnings.len());
        let is_wrong = !self.launched.ran.wrong.is_empty();
        match (counts.is_empty(), checks) {
            (true, _) if is_wrong => {
                let launches = self.launches_of_threads().map_or(String::new(), |all| format!("; {all}"));
                format!("{UNEXPECTED}{launches}")
            }
            (true, Checks::On) => self.all_right(),
            (true, Checks::Off) => "ran to its end; the checks were off".to_string(),
            (false, _) => {
                let first = if is_wrong { format!("{UNEXPECTED}; ") } else { String::new() };
                let left = self.left_out().map(|left| format!("; {left}")).collect::<String>();
                format!("{first}{counts}{}{left}{}", self.how(), self.kept())
            }
        }
    }

    /// What the kernel should have written, and has not.
    fn left_out(&self) -> impl Iterator<Item = String> + '_ {
        self.launched.unwritten.iter().map(left_out)
    }

    /// How a launch with findings has ended.
    fn how(&self) -> String {
        match (self.status(), self.launched.ran.completed) {
            (2, _) => "; the simulator cannot run this".to_string(),
            (_, true) => String::new(),
            (_, false) => match self.launched.ran.stopped_in {
                Some(cell) => format!("; cell {cell}, which runs before this one, was stopped"),
                None => "; the launch was stopped, and the buffers are as it left them".to_string(),
            },
        }
    }

    /// How an order that has shown something is kept.
    fn kept(&self) -> String {
        if self.launched.orders.iter().all(|one| one.failing.is_none()) {
            return String::new();
        }
        let orders = view::orders::said(&self.launched.orders);
        // A page keeps no order.
        let again = "--save-order FILE keeps this order, and --order FILE runs it again".to_string();
        let again = (!cfg!(target_family = "wasm")).then_some(again);
        let said: Vec<String> = [orders, again].into_iter().flatten().collect();
        if said.is_empty() { String::new() } else { format!(" ({})", said.join("; ")) }
    }

    /// That there are no findings but in NVIDIA's headers. What was left unwritten, and what the compiler
    /// says, comes first.
    fn all_right(&self) -> String {
        let mut first: Vec<String> = self.left_out().collect();
        if self.sources.warned {
            first.push("see the compiler's warnings above".to_string());
        }
        let nothing = if first.is_empty() { "ok: nothing is wrong" } else { "nothing else is wrong" };
        first.push(view::orders::all_right(&self.launched.orders, nothing));
        first.extend(as_expected(&self.launched.compared));
        first.extend(self.launches_of_threads());
        first.extend(on_headers(&self.launched.diagnostics));
        first.join("; ")
    }

    /// Says it where each thread of the host's launches has launched a kernel: mostly one thread should have.
    fn launches_of_threads(&self) -> Option<String> {
        let launched: u64 = self.launched.ran.counters.iter().map(|launch| launch.device_launches).sum();
        let is_one_per_thread = launched > 1 && launched == self.launched.threads;
        let counted = || format!("{} launches by device code, one per thread", thousands(launched as i64));
        is_one_per_thread.then(counted)
    }
}

/// What makes the result the expected one.
pub fn of_the_result(cures: &[Cure]) -> Option<&Cure> {
    cures.iter().find(|cure| cure.finding.is_none())
}

/// The same as a paragraph.
pub fn help_for_the_result(cures: &[Cure]) -> String {
    of_the_result(cures).map_or(String::new(), |cure| format!("help: {}\n\n", cure.says))
}

/// What is said where a buffer does not hold what the script expects.
const UNEXPECTED: &str = "the results are not as expected";

/// `` `a` and `b` are as expected ``
fn as_expected(compared: &[String]) -> Option<String> {
    let called = |name: &String| match name.parse::<usize>() {
        Ok(number) => format!("argument {number}"),
        Err(_) => format!("`{name}`"),
    };
    let names: Vec<String> = compared.iter().map(called).collect();
    let (last, before) = names.split_last()?;
    Some(match before {
        [] => format!("{last} is as expected"),
        before => format!("{} and {last} are as expected", before.join(", ")),
    })
}

/// `232 elements of c were never written: 3 blocks of 256 are 768 threads, and c has 1,000 elements`
fn left_out(unwritten: &Unwritten) -> String {
    let Unwritten { buffer, left, has, why } = unwritten;
    let elements = match left {
        1 => "1 element".to_string(),
        left => format!("{} elements", thousands(*left as i64)),
    };
    let verb = if *left == 1 { "was" } else { "were" };
    let why = why.map_or(String::new(), |why| format!(": {}", because(why, buffer, *has)));
    format!("{elements} of {buffer} {verb} never written{why}")
}

/// Why elements of a buffer, which has so many, were never written.
fn because(why: Misfit, buffer: &str, has: u64) -> String {
    let (blocks, threads) = match why {
        Misfit::TooFew { blocks, threads } => (blocks, threads),
        Misfit::OneRow => {
            return "the kernel reads its index in y, and all threads are in one row".to_string();
        }
        Misfit::Uncovered(uncovered) => return format!("the launch has {uncovered}"),
    };
    let [all, has, number] = [blocks * threads, has, blocks].map(|count| thousands(count as i64));
    match blocks {
        1 => format!("1 block has {all} threads, and {buffer} has {has} elements"),
        _ => format!("{number} blocks of {threads} are {all} threads, and {buffer} has {has} elements"),
    }
}
