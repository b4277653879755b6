//! Answers that are whole programs: compiled by clang, run to the end on the simulator, and judged by what
//! they print and by what is found.

use std::path::Path;

use anyhow::{Context, Result};
use device::{Device, SimulatorOptions};
use program::{Ended, Options, Outside, Ran, Standard};
use ptx_simulator::{Budget, Diagnostic, Kind, Module, Severity};

use super::code::{self, Build, Built};
use super::compiler::Compiler;
use super::fault::Fault;
use super::header::{DEVICE, MANAGED, variables};
use super::plan::SCHEDULES;
use super::remark;
use super::source::Exercise;
use super::verdict::{Findings, failed};

/// Instructions that the warps of all launches may execute together; of the host 64 times as many.
const WARP_STEPS: u64 = 1 << 20;
/// What may be spent on other orders of a launch.
const WORK: u64 = 1 << 12;
/// Bytes of what it prints that are kept.
const MAX_PRINTED: usize = 1 << 16;

/// Marks `text`, the learner's file, which has to print `prints`; `None` if there is no compiler.
///
/// # Errors
/// The compiler cannot do its work, or the simulator cannot run the program.
pub fn mark(
    root: &Path,
    exercise: &Exercise,
    prints: &str,
    text: &str,
    compiler: Option<&Compiler>,
) -> Result<Option<Findings>> {
    Ok(match code::build(root, exercise, text, compiler)? {
        Built::NoCompiler => None,
        Built::Refused(said) => Some(failed(exercise, Fault::CompileError, said)),
        Built::Ptx(Build { ptx, warnings, .. }) => {
            let found = verdict(exercise, prints, text, &ptx)?;
            let warnings = if found.passes() { String::new() } else { warnings };
            Some(Findings { warnings, ..found })
        }
    })
}

fn verdict(exercise: &Exercise, prints: &str, text: &str, ptx: &str) -> Result<Findings> {
    let mut paper = Paper::new(exercise, text);
    let ran = match run(exercise, text, ptx, 0, &mut paper) {
        Ok(ran) => ran,
        Err(error) => {
            let what = "The simulator cannot run this program.".to_string();
            return Ok(Findings::new(exercise, &[], what, vec![error.downcast()?]));
        }
    };
    let mut found = simulate::program::told(ran.found, |_, help| help.to_string());
    found.retain(|found| found.severity != Severity::Note);
    let printed = paper.printed();
    // An element may have another place in a list in another order. That matters only where it is printed.
    let depends = |found: &Diagnostic| found.kind == Kind::OrderDependent;
    if found.iter().any(depends) && prints_in_other_orders(exercise, text, ptx, &printed) {
        found.retain(|found| !depends(found));
    }
    let is_right = printed.trim_end() == prints.trim_end();
    let launches = ran.kernels.iter().map(|kernel| kernel.launches).sum::<u64>();
    let (fault, what) = match ran.ended {
        Ended::Stopped => (None, "The program was stopped.".to_string()),
        _ if !is_right => (Some(Fault::WrongResult), beside(&printed, prints)),
        _ if !found.is_empty() => (None, "It prints what it should, but this is not right.".to_string()),
        Ended::Status(status) if status != 0 => {
            (Some(Fault::WrongResult), format!("`main` returns {status}, and should return 0."))
        }
        _ if launches == 0 => (Some(Fault::FromTheHost), "The program launches no kernel.".to_string()),
        _ if prints_without_kernels(exercise, text, ptx) == printed => {
            let what = "It prints the same if its kernels do nothing. So what it prints is not what the \
                        GPU has computed.";
            (Some(Fault::FromTheHost), what.to_string())
        }
        _ => {
            return Ok(Findings { tried: 1, what: remark::of_launches(&ran.kernels), ..Findings::default() });
        }
    };
    Ok(Findings::new(exercise, fault.as_slice(), what, found))
}

/// What it prints if its kernels return at once.
fn prints_without_kernels(exercise: &Exercise, text: &str, ptx: &str) -> String {
    let mut paper = Paper::new(exercise, text);
    // Whether it can go on to its end so is no matter.
    _ = run(exercise, text, &idle(ptx), 0, &mut paper);
    paper.printed()
}

/// Whether it prints this in two other orders of its threads too.
fn prints_in_other_orders(exercise: &Exercise, text: &str, ptx: &str, printed: &str) -> bool {
    SCHEDULES[1..].iter().all(|&schedule| {
        let mut paper = Paper::new(exercise, text);
        run(exercise, text, ptx, schedule, &mut paper).is_ok() && paper.printed() == printed
    })
}

/// `ptx` with kernels that return at once.
fn idle(ptx: &str) -> String {
    let mut in_entry = false;
    let mut idle = String::new();
    for line in ptx.lines() {
        in_entry |= line.trim_start().trim_start_matches(".visible ").starts_with(".entry ");
        idle += line;
        idle.push('\n');
        if in_entry && line.trim_end().ends_with('{') {
            idle += "ret;\n";
            in_entry = false;
        }
    }
    idle
}

/// What it printed, and what it should print.
fn beside(printed: &str, prints: &str) -> String {
    let lines = |text: &str| match text.trim_end() {
        "" => "  nothing\n".to_string(),
        text => text.lines().map(|line| format!("  {line}\n")).collect(),
    };
    format!("The program prints\n{}It should print\n{}", lines(printed), lines(prints))
}

/// Runs the program; the error is a [`Diagnostic`] if it cannot be run.
fn run(exercise: &Exercise, text: &str, ptx: &str, schedule: u64, paper: &mut Paper) -> Result<Ran> {
    let every_order = (schedule == 0).then(|| Budget { work: WORK, ..Budget::default() });
    let device = Device::simulator(SimulatorOptions {
        schedule,
        every_order,
        keep_printed: true,
        ..SimulatorOptions::default()
    });
    let simulator = device.simulated().context("a program runs on the simulator")?;
    simulator.name_by(text);
    let module = Module::parse(ptx, &exercise.path).map_err(|found| anyhow::Error::new(*found))?;
    let named = |of: &str| {
        let line = variables(ptx).find_map(|line| line.strip_prefix(of));
        line.unwrap_or_default().split_whitespace().map(str::to_string).collect()
    };
    let options = Options {
        args: vec![exercise.stem.clone()],
        step_limit: Some(64 * WARP_STEPS),
        warp_limit: Some(WARP_STEPS),
        device_variables: named(DEVICE),
        managed_variables: named(MANAGED),
    };
    program::run(simulator, &module, &options, paper).map_err(|found| anyhow::Error::new(*found))
}

/// Keeps what a program prints. There is nothing else for it to reach.
struct Paper<'a> {
    path: &'a str,
    source: &'a str,
    printed: Vec<u8>,
}

impl<'a> Paper<'a> {
    fn new(exercise: &'a Exercise, source: &'a str) -> Paper<'a> {
        Paper { path: &exercise.path, source, printed: Vec::new() }
    }

    fn printed(&self) -> String {
        String::from_utf8_lossy(&self.printed).into_owned()
    }
}

impl Outside for Paper<'_> {
    fn write(&mut self, _: Standard, bytes: &[u8]) {
        let room = MAX_PRINTED.saturating_sub(self.printed.len());
        self.printed.extend(&bytes[..bytes.len().min(room)]);
    }

    fn read(&mut self, _: &mut Vec<u8>) {}

    fn read_file(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn write_file(&mut self, _: &str, _: &[u8]) -> bool {
        false
    }

    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        let lines = || self.source.lines().nth((line as usize).checked_sub(1)?).map(str::to_string);
        if file == self.path { lines() } else { None }
    }
}
