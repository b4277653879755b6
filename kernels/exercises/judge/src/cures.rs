//! For how many mutants an edit is found that cures what is wrong, as `simulate` tries them; and for how many
//! that gives the solution's code again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use cuda_source::lex::{Token, joined, tokens};
use cuda_source::parameters::{parameters, source_name};
use kernel_compiler::compiler::{Compiler, Maker};
use kernel_compiler::in_page::Compiled;
use kernel_compiler::staging::Given;
use launch::{Spec, Value};
use ptx_simulator::{Diagnostic, Kind as Found, Severity};
use rayon::prelude::*;
use simulate::cure::{Cure, Limits};
use simulate::cures::{How, Outcome, Subject, cures};
use testing::renew::{HOW, committed};

use super::case::Case;
use super::catalogue;
use super::fault::Fault;
use super::plan::Plan;
use super::run;
use super::source::{Exercise, Kind, Mutant};

/// A line for each mutant: its exercise, its name, what it fails with, and what cures it.
const RECORD: &str = "kernels/exercises/cures.csv";
const HEAD: &str = "exercise,mutant,fails,cure\n";
/// The largest input that a cure is tried with.
const LONGEST: usize = 1025;
/// As many edits as for a reader, on a slow machine too.
const PATIENCE: Limits = Limits { edits: 8, time: Duration::from_secs(600) };

/// A mutant that an edit may cure, and how its exercise is run.
struct Wrong {
    exercise: Exercise,
    plan: Plan,
    mutant: Mutant,
    kind: Found,
}

fn all() -> Vec<Wrong> {
    let root = kernel_compiler::root().unwrap();
    let mut all = Vec::new();
    for exercise in catalogue::read(root).unwrap() {
        let Kind::Kernel(plan) = &exercise.kind else { continue };
        for mutant in &exercise.mutants {
            let Some(Fault::Found(kind)) = mutant.fails else { continue };
            let (exercise, plan, mutant) = (exercise.clone(), plan.clone(), mutant.clone());
            all.push(Wrong { exercise, plan, mutant, kind });
        }
    }
    all
}

impl Wrong {
    fn name(&self) -> String {
        format!("{},{},{}", self.exercise.id, self.mutant.name, self.kind)
    }

    /// `solution`: the cure gives its code; `other`: there is another cure; `none`.
    fn cured_by(&self, clang: &Compiler) -> &'static str {
        let text = self.exercise.mutated(&self.mutant).unwrap();
        let cures = self.cures(clang, &text).unwrap_or_default();
        let all = cures.iter().find(|cure| cure.cures_all);
        match all.map(|cure| code(&changed(&text, cure)) == code(&self.exercise.solution())) {
            Some(true) => "solution",
            Some(false) => "other",
            None => "none",
        }
    }

    fn cures(&self, clang: &Compiler, text: &str) -> Result<Vec<Cure>> {
        let path = PathBuf::from(&self.exercise.path);
        let cases = self.plan.plain_cases().into_iter().filter(|case| case.n <= LONGEST);
        let made = clang.ptx_of_text(&path, text.to_string(), None, Given::default())?;
        for case in cases {
            let path = path.clone();
            let answer = Answer { exercise: &self.exercise, plan: &self.plan, clang, path, case };
            let built = Compiled { ptx: made.text.clone(), ..Compiled::default() };
            let mut found = answer.shown(&built, case)?.diagnostics;
            if found.iter().any(|found| found.severity != Severity::Note) {
                return Ok(cures(&answer, (text, Some(built)), PATIENCE, &mut found).unwrap_or_default());
            }
        }
        Ok(Vec::new())
    }
}

/// An answer with one input.
struct Answer<'a> {
    exercise: &'a Exercise,
    plan: &'a Plan,
    clang: &'a Compiler,
    path: PathBuf,
    case: Case,
}

impl Answer<'_> {
    fn shown(&self, built: &Compiled, case: Case) -> Result<run::Outcome> {
        run::simulate(&run::load(self.exercise, &built.ptx)?, self.plan, case)
    }
}

impl Subject for Answer<'_> {
    fn file(&self) -> &Path {
        &self.path
    }

    fn says_what_is_right(&self) -> bool {
        true
    }

    fn numbers(&self, source: &str, kernel: &str) -> Vec<(String, u64)> {
        let kernel = source_name(kernel);
        let names: Vec<String> = parameters(source, kernel).into_iter().map(|one| one.name).collect();
        let script = self.plan.script(self.case).unwrap();
        let launches = script.launches().filter(|launch| launch.kernel.as_deref() == Some(kernel));
        let given = launches.flat_map(|launch| names.iter().zip(&launch.args));
        let number = |(name, argument): (&String, &Spec)| match argument.value {
            Value::Number(_, value) => Some((name.clone(), value)),
            _ => None,
        };
        given.filter_map(number).collect()
    }

    fn compiled(&self, text: &str, limit: Duration) -> Result<Compiled> {
        let clang = self.clang.clone().within(limit);
        let made = clang.ptx_of_text(&self.path, text.to_string(), None, Given::default())?;
        Ok(Compiled { ptx: made.text, ..Compiled::default() })
    }

    fn run(&self, built: &Compiled, _: &str, how: &How) -> Result<Outcome> {
        let case = Case { schedule: how.schedule.unwrap_or(self.case.schedule), ..self.case };
        let shown = self.shown(built, case)?;
        let is_wrong = |found: &Diagnostic| found.severity != Severity::Note;
        Ok(Outcome {
            completed: shown.completed,
            // Where something was found, that is what is wrong with the result.
            is_right: Some(shown.left.agrees || shown.diagnostics.iter().any(is_wrong)),
            left: Vec::new(),
            instructions: shown.counters.warp_instructions,
            found: shown.diagnostics,
        })
    }
}

/// A text with a cure.
fn changed(text: &str, cure: &Cure) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for edit in cure.edits.iter().rev() {
        let start = edit.line as usize - 1;
        let new = edit.text.iter().flat_map(|text| text.lines()).map(str::to_string);
        lines.splice(start..start + edit.removed as usize, new);
    }
    lines.join("\n")
}

/// A text without comments, blanks and the ends of its lines.
fn code(text: &str) -> Vec<String> {
    let text = joined(text);
    let tokens = tokens(&text).into_iter().filter(|token| *token != Token::LineEnd);
    tokens.map(|token| format!("{token:?}")).collect()
}

#[test]
#[ignore = "needs clang, and minutes"]
fn the_cures_of_mutants_are_renewed_by_clang_nightly() {
    let root = kernel_compiler::root().unwrap();
    let clang = Compiler::require(Maker::Clang, root).unwrap_or_else(|error| panic!("{error:#}"));
    let line = |wrong: &Wrong| format!("{},{}\n", wrong.name(), wrong.cured_by(&clang));
    let lines: Vec<String> = all().par_iter().map(line).collect();
    committed(RECORD, HEAD.to_string() + &lines.concat());
}

#[test]
fn the_record_of_cures_has_every_mutant() {
    let record = std::fs::read_to_string(kernel_compiler::root().unwrap().join(RECORD)).unwrap_or_default();
    let held = record.lines().skip(1).filter_map(|line| Some(line.rsplit_once(',')?.0.to_string()));
    let known: BTreeSet<String> = all().iter().map(Wrong::name).collect();
    assert!(known.len() > 40, "{}", known.len());
    assert_eq!(held.collect::<BTreeSet<_>>(), known, "{RECORD} is not of these mutants: run `{HOW}`");
}
