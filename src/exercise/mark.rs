//! Marks an answer: right on hard inputs, without a diagnostic, within the goals.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;

use super::code::{self, Built};
use super::plan::{Case, Goal, Plan};
use super::run::{self, Outcome};
use super::rust;
use super::source::{Exercise, Kind};
use super::think;
use super::verdict::{Failure, Reached, Verdict, failed, too_much};
use crate::build::prebuilt::source_hash;
use crate::device::{Device, Module, SimulatorOptions};
use crate::number::thousands;
use crate::sim::{Diagnostic, Severity};

/// Marks the learner's file.
pub fn mark(root: &Path, exercise: &Exercise) -> Result<Verdict> {
    let text = match std::fs::read_to_string(root.join(&exercise.path)) {
        Ok(text) => text,
        Err(why) => {
            let what = format!("{} cannot be read: {why}.", exercise.path);
            return Ok(failed(exercise, "missing-file", what));
        }
    };
    mark_text(root, exercise, &text)
}

/// Marks `text`, the contents of the learner's file. Compilers read the file itself.
fn mark_text(root: &Path, exercise: &Exercise, text: &str) -> Result<Verdict> {
    match &exercise.kind {
        Kind::Function(name) => rust::mark(root, exercise, name),
        Kind::Line { lines, .. } => Ok(mark_line(exercise, lines, text)),
        Kind::Kernel(plan) => match code::build(root, exercise, text)? {
            Built::NoNvcc => Ok(Verdict::NoNvcc),
            Built::Refused(said) => Ok(failed(exercise, "compile-error", said)),
            Built::Ptx { text: ptx, warnings } => Ok(match mark_ptx(root, exercise, plan, &ptx)? {
                Verdict::Failed(failure) => Verdict::Failed(Box::new(Failure { warnings, ..*failure })),
                passed => passed,
            }),
        },
    }
}

/// Marks PTX.
fn mark_ptx(root: &Path, exercise: &Exercise, plan: &Plan, ptx: &str) -> Result<Verdict> {
    let module = match load(exercise, ptx) {
        Ok(module) => module,
        Err(error) => {
            let what = "The simulator cannot run what nvcc made of it.".to_string();
            return Ok(with_diagnostics(exercise, what, vec![error.downcast()?]));
        }
    };
    if let Some(what) = misfit(&module, plan) {
        return Ok(failed(exercise, "missing-kernel", what));
    }
    // Where a goal is measured the answer has to be right, too.
    let cases: Vec<Case> = plan.cases().into_iter().chain(exercise.goals.iter().map(Goal::case)).collect();
    let wrong = |case: &Case| wrong(exercise, &module, plan, *case).transpose();
    if let Some(failure) = cases.par_iter().find_map_first(wrong) {
        return Ok(Verdict::Failed(Box::new(failure?)));
    }
    let reference = reference(root, exercise);
    let goals: Vec<Reached> =
        exercise.goals.iter().filter_map(|goal| reached(goal, &module, reference.as_ref(), plan)).collect();
    Ok(match goals.iter().all(Reached::is_met) {
        true => Verdict::Passed { tried: cases.len(), goals },
        false => too_much(exercise, plan.op.noun(), cases.len(), goals),
    })
}

/// The kernels of an answer, for every simulator.
fn load(exercise: &Exercise, ptx: &str) -> Result<Module> {
    Device::simulator(SimulatorOptions::default()).load_code(&exercise.path, ptx, &[])
}

fn with_diagnostics(exercise: &Exercise, what: String, diagnostics: Vec<Diagnostic>) -> Verdict {
    let kinds: Vec<String> = diagnostics.iter().map(|found| found.kind.to_string()).collect();
    let think = think::sentence(exercise, &kinds);
    Verdict::Failed(Box::new(Failure { kinds, what, diagnostics, think, ..Failure::default() }))
}

/// The kinds of what is found in `ptx`, over all inputs of `plan`; whatever the result.
pub fn findings(exercise: &Exercise, plan: &Plan, ptx: &str) -> Result<BTreeSet<String>> {
    let module = load(exercise, ptx)?;
    let mut kinds = BTreeSet::new();
    for case in plan.cases() {
        let found = run::simulate(&module, plan, case)?.diagnostics;
        kinds.extend(found.iter().map(|found| found.kind.to_string()));
    }
    Ok(kinds)
}

/// Why the plan cannot launch the kernels of `module`, if so.
fn misfit(module: &Module, plan: &Plan) -> Option<String> {
    for launch in &plan.launches {
        let Some(params) = module.ptx().params(&launch.kernel) else {
            let there_are = match module.kernels() {
                [] => "no kernel".to_string(),
                kernels => kernels.join(", "),
            };
            return Some(format!(
                "The host launches a kernel named {}, and the file has {there_are}. Give the kernel its name \
                 back, with extern \"C\" before it.",
                launch.kernel
            ));
        };
        let bytes: Vec<usize> = params.iter().map(|param| param.bytes).collect();
        if bytes != launch.args.iter().map(|arg| arg.bytes()).collect::<Vec<_>>() {
            return Some(format!(
                "The host launches {launch}, and the kernel takes {} parameters that do not fit. Give it the \
                 parameters back that it had.",
                params.len()
            ));
        }
    }
    None
}

/// What is wrong for one input, if anything is.
fn wrong(exercise: &Exercise, module: &Module, plan: &Plan, case: Case) -> Result<Option<Failure>> {
    let outcome = run::simulate(module, plan, case)?;
    let Outcome { result, expected, diagnostics, completed, changed, written_at, printed, .. } = outcome;
    let diagnostics: Vec<Diagnostic> =
        diagnostics.into_iter().filter(|found| found.severity != Severity::Note).collect();
    let noun = plan.op.noun();
    let (kind, what) = if !completed && !diagnostics.is_empty() {
        (None, format!("{case}: the launch was stopped."))
    } else if let Some(element) = changed {
        (Some("input-changed"), format!("{case}: element {element} of the input has been changed."))
    } else {
        let serial = format!("the serial recursion gives {}", thousands(expected.into()));
        match result {
            Some(result) if result == expected && diagnostics.is_empty() => return Ok(None),
            Some(result) if result == expected => {
                (None, format!("{case}: the {noun} is right this time, and by chance."))
            }
            Some(result) => {
                let result = thousands(result.into());
                (Some("wrong-result"), format!("{case}: the {noun} is {result}, and {serial}."))
            }
            None => (Some("wrong-result"), format!("{case}: nobody has written the {noun}; {serial}.")),
        }
    };
    let mut kinds: Vec<String> = diagnostics.iter().map(|found| found.kind.to_string()).collect();
    kinds.extend(kind.map(str::to_string));
    let line = written_at.filter(|(file, _)| *file == exercise.path && kinds == ["wrong-result"]);
    let think = match case.n == 0 && kinds == ["wrong-result"] {
        true => think::sentence(exercise, &["no numbers".into()]),
        false => think::sentence(exercise, &kinds),
    };
    let line = line.map(|(_, line)| line);
    Ok(Some(Failure { kinds, what, diagnostics, line, printed, think, ..Failure::default() }))
}

/// The committed build of the solution.
fn reference(root: &Path, exercise: &Exercise) -> Option<Module> {
    let ptx = code::committed(root, exercise, &source_hash(&exercise.solution())).ok()??;
    load(exercise, &ptx).ok()
}

fn reached(goal: &Goal, module: &Module, reference: Option<&Module>, plan: &Plan) -> Option<Reached> {
    let count = |module| goal.of(&run::simulate(module, plan, goal.case()).ok()?.counters);
    Some(Reached { goal: goal.clone(), yours: count(module)?, reference: reference.and_then(count) })
}

/// Marks an answer that is the number of a line: `// The answer: line 17;`
fn mark_line(exercise: &Exercise, lines: &[u32], text: &str) -> Verdict {
    let is_answer = |line: &&str| line.trim_start().starts_with(ANSWER);
    let answer = text.lines().find(is_answer).and_then(|line| {
        let number = line.trim_start().strip_prefix(ANSWER)?.split(';').next()?;
        number.trim().parse::<u32>().ok()
    });
    let rest =
        |text: &str| text.lines().filter(|line| !is_answer(line)).map(str::to_string).collect::<Vec<_>>();
    if rest(text) != rest(&exercise.stub()) {
        let what = format!(
            "Only the answer is to be changed: the numbers are those of the file as it was given. \
             `reset {}` brings it back, and keeps yours.",
            exercise.id
        );
        return failed(exercise, "wrong-line", what);
    }
    match answer {
        None => failed(
            exercise,
            "wrong-line",
            format!("There is no line `{ANSWER} NUMBER;` in {}.", exercise.path),
        ),
        Some(0) => failed(exercise, "wrong-line", "There is no answer yet.".to_string()),
        Some(number) if lines.contains(&number) => Verdict::Passed { tried: 1, goals: Vec::new() },
        Some(number) => {
            let line = text.lines().nth(number as usize - 1).unwrap_or("").trim();
            failed(exercise, "wrong-line", format!("It is not line {number}: `{line}`"))
        }
    }
}

/// What an answer that is a number begins with.
const ANSWER: &str = "// The answer: line";
