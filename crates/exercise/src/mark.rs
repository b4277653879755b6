//! Marks an answer: right on hard inputs, without a diagnostic, within the goals.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;

use super::answer::Answer;
use super::code::{self, Build, Built};
use super::plan::{self, Case, Goal, Plan};
use super::run::{self, Outcome};
use super::source::{Exercise, Kind};
use super::verdict::{Counted, Counts, Failure, Passed, Verdict, failed, too_much};
use super::{names, numbers, own, rules, rust, summary, think, weigh};
use workbook::build::compiler::Compiler;
use workbook::device::Module;
use workbook::number::thousands;
use workbook::sim::{Diagnostic, Kind as DiagnosticKind, Severity, Shape};

/// Marks the learner's file: a known text by its committed build, another one by what compiler there is.
pub fn mark(root: &Path, exercise: &Exercise) -> Result<Verdict> {
    mark_with(root, exercise, None)
}

/// [`mark`] with this compiler, if there is one, for every text.
pub fn mark_with(root: &Path, exercise: &Exercise, compiler: Option<&Compiler>) -> Result<Verdict> {
    let text = match exercise.learners_text(root) {
        Ok(text) => text,
        Err(why) => {
            let what = format!("{} cannot be read: {why}.", exercise.path);
            return Ok(failed(exercise, "missing-file", what));
        }
    };
    mark_text(root, exercise, &text, compiler)
}

/// Marks `text`, the contents of the learner's file.
fn mark_text(root: &Path, exercise: &Exercise, text: &str, compiler: Option<&Compiler>) -> Result<Verdict> {
    let foreign = match exercise.kind {
        Kind::Function(_) => own::foreign_word(text),
        Kind::Kernel(_) => own::foreign_include(text),
        // Only its numbers may differ from the task.
        Kind::Numbers { .. } => None,
    };
    if let Some(what) = foreign {
        return Ok(failed(exercise, "not-allowed", what));
    }
    match &exercise.kind {
        Kind::Function(name) => rust::mark(root, exercise, name, text),
        Kind::Numbers { answers, plan } => numbers::mark(root, exercise, answers, plan, text),
        Kind::Kernel(plan) => match code::build(root, exercise, text, compiler)? {
            Built::NoCompiler => Ok(Verdict::NoCompiler),
            Built::Refused(said) => Ok(failed(exercise, "compile-error", said)),
            Built::Ptx(build) => Ok(match mark_build(root, exercise, plan, text, &build, false)? {
                Verdict::Failed(failure)
                    if failure.kinds == ["data-race"]
                        && is_the_compilers(root, exercise, plan, text, &build)? =>
                {
                    match mark_build(root, exercise, plan, text, &build, true)? {
                        Verdict::Passed(passed) => {
                            let note = speculated(&build);
                            Verdict::Passed(Box::new(Passed { note, ..*passed }))
                        }
                        failed => failed,
                    }
                }
                Verdict::Failed(failure) => {
                    Verdict::Failed(Box::new(Failure { warnings: build.warnings, ..*failure }))
                }
                passed => passed,
            }),
        },
    }
}

/// Whether a race that was found is none of the source: a compiler may read ahead of an `if`, and throw the
/// value away. Line by line, without optimisation, every access is where the source has it, and there is no
/// race. All else must be the same: as many barriers, launches and atomic operations, and one side reads.
fn is_the_compilers(
    root: &Path,
    exercise: &Exercise,
    plan: &Plan,
    text: &str,
    build: &Build,
) -> Result<bool> {
    if own::steers_the_compiler(text) {
        return Ok(false);
    }
    let Some(ptx) = code::build_unoptimised(root, exercise, text, build)? else { return Ok(false) };
    let modules = [load(exercise, &build.ptx)?, load(exercise, &ptx)?];
    let plan = &plan.for_text(text);
    let cases = inputs(exercise, plan);
    let is_alike = |case: &Case| {
        let [quick, plain] =
            [run::simulate(&modules[0], plan, *case)?, run::simulate(&modules[1], plan, *case)?];
        let grave = |outcome: &Outcome, fits: fn(&Diagnostic) -> bool| {
            let found = outcome.diagnostics.iter();
            found.filter(|found| found.severity != Severity::Note).all(fits)
        };
        let count = |outcome: &Outcome| {
            let counters = &outcome.counters;
            [counters.barriers, counters.atomics, counters.device_launches]
        };
        let reads = |found: &Diagnostic| found.shape.is_some_and(|shape| shape != Shape::TwoWriters);
        Ok(grave(&plain, |_| false) && grave(&quick, reads) && count(&quick) == count(&plain))
    };
    let alike = cases.par_iter().map(is_alike).collect::<Result<Vec<bool>>>()?;
    Ok(alike.into_iter().all(|alike| alike))
}

/// What is said of such a race.
fn speculated(build: &Build) -> String {
    format!(
        "The race that the simulator found is not in your source: {} moves a load ahead of the `if` that \
         guards it, and discards the value where the condition is false. Compiled without optimisation, the \
         kernel has no race.",
        build.compiler
    )
}

/// All inputs that an answer is tried with. Where a goal is measured it has to be right, too.
fn inputs(exercise: &Exercise, plan: &Plan) -> Vec<Case> {
    let goal = exercise.goals.first().map(Goal::case);
    plan.cases().into_iter().chain(plan.unlisted()).chain(goal).collect()
}

/// Marks what was compiled. `source` is the learner's file. `forgives`: races are not its own.
fn mark_build(
    root: &Path,
    exercise: &Exercise,
    plan: &Plan,
    source: &str,
    build: &Build,
    forgives: bool,
) -> Result<Verdict> {
    let plan = &plan.for_text(source);
    if let Some(what) = own::foreign_file(&build.ptx, &exercise.path) {
        return Ok(failed(exercise, "not-allowed", what));
    }
    let module = match load(exercise, &build.ptx) {
        Ok(module) => module,
        Err(error) => {
            let what = format!("The simulator cannot run what {} made of it.", build.compiler);
            return Ok(with_diagnostics(exercise, what, vec![error.downcast()?]));
        }
    };
    if let Some(what) = too_large(&module) {
        return Ok(failed(exercise, "memory-limit", what));
    }
    if let Some(what) = misfit(&module, plan) {
        return Ok(failed(exercise, "missing-kernel", what));
    }
    let mut tried = Tried::default();
    let goal_case = exercise.goals.first().map(Goal::case);
    let mut cases = inputs(exercise, plan);
    cases.sort_by_key(|case| case.n);
    for cases in cases.chunk_by(|a, b| a.n == b.n) {
        // What fails for short arrays is not tried with long ones, and what never ends not again.
        if tried.is_hopeless || !tried.failed.is_empty() && cases[0].n > SHORT {
            break;
        }
        let mut checked: Vec<(Case, Checked)> = cases
            .par_iter()
            .map(|case| Ok((*case, check(exercise, &module, plan, *case, forgives)?)))
            .collect::<Result<_>>()?;
        if plan.op.rounds() {
            differing(exercise, plan, &mut checked);
        }
        tried.take(checked);
    }
    if let Some(failure) = tried.failure() {
        return Ok(Verdict::Failed(Box::new(explained(exercise, &module, (plan, source), failure))));
    }
    let reference = known(root, exercise, &exercise.solution(), build);
    let work: Vec<Case> = plan.work_cases().into_iter().chain(plan.unlisted()).chain(goal_case).collect();
    let beside = |reference: &Module| {
        let pair = |case: &Case| {
            let run = |module| run::simulate(module, plan, *case);
            anyhow::Ok(rules::Pair { case: *case, yours: run(&module)?, solution: run(reference)? })
        };
        work.par_iter().map(pair).collect::<Result<Vec<_>>>()
    };
    let pairs = reference.as_ref().map(&beside).transpose()?.unwrap_or_default();
    let breaks = |rule: &dyn Fn(&[rules::Pair]) -> Option<rules::Finding>| {
        let Some(finding) = rule(&pairs) else { return Ok(None) };
        for other in exercise.mutants.iter().filter(|other| other.is_right()) {
            let other = known(root, exercise, &exercise.mutated(other)?, build);
            if let Some(other) = other
                && rule(&beside(&other)?).is_none()
            {
                return Ok(None);
            }
        }
        anyhow::Ok(Some(finding))
    };
    let refused = |rules::Finding { kind, what }| failed(exercise, kind, what);
    if let Some(finding) = breaks(&|pairs| rules::other_task(plan, pairs))? {
        return Ok(refused(finding));
    }
    let given = known(root, exercise, &exercise.stub(), build);
    let modules = [Some(&module), given.as_ref(), reference.as_ref()];
    let note = tried.note.map(|mut note| {
        names::name(&mut note, source, plan);
        note
    });
    let (tried, printed) = (tried.passed.len(), tried.printed.map_or(String::new(), |(_, text)| text));
    let counts = Counts { compiler: build.compiler.clone(), ..counts(exercise, plan, modules)? };
    if !counts.rows.iter().all(Counted::is_met) {
        return Ok(too_much(exercise, plan.op.noun(), tried, counts));
    }
    let passed =
        || Verdict::Passed(Box::new(Passed { tried, counts, printed, found: note, ..Passed::default() }));
    let finding = breaks(&|pairs| rules::goals(&exercise.goals, pairs).or(rules::too_much(pairs)))?;
    Ok(finding.map_or_else(passed, refused))
}

/// Arrays up to this length are checked before longer ones.
const SHORT: usize = 5000;
/// Bytes of `__device__` variables that a check has room for, and of a thread's local memory.
const MOST_GLOBAL: usize = 64 << 20;
const MOST_LOCAL: usize = 16 << 10;

/// Why a check has no room for a kernel's variables, if so.
fn too_large(module: &Module) -> Option<String> {
    let (global, local) = module.ptx().bytes();
    let number = |bytes: usize| thousands(bytes as i64);
    match () {
        _ if global > MOST_GLOBAL => Some(format!(
            "The file declares {} bytes of `__device__` variables. A check has room for {}.",
            number(global),
            number(MOST_GLOBAL)
        )),
        _ if local > MOST_LOCAL => Some(format!(
            "Every thread has {} bytes of local memory, for arrays of its own. A check has room for {} per \
             thread.",
            number(local),
            number(MOST_LOCAL)
        )),
        _ => None,
    }
}

/// What was found for one input.
struct Checked {
    failure: Option<Failure>,
    /// What is said beside a right result: the other half of a synchronisation that is missing.
    note: Option<Diagnostic>,
    result: Option<i32>,
    printed: String,
}

/// What was found for all inputs that have been tried.
#[derive(Default)]
struct Tried {
    passed: Vec<Case>,
    failed: Vec<(Case, Failure)>,
    /// The first note.
    note: Option<Diagnostic>,
    /// What the answer printed for the first input for which it did.
    printed: Option<(Case, String)>,
    /// It does not end for some input.
    is_hopeless: bool,
}

impl Tried {
    fn take(&mut self, checked: Vec<(Case, Checked)>) {
        for (case, Checked { failure, note, printed, .. }) in checked {
            self.note = self.note.take().or(note);
            let first = !printed.is_empty() && self.printed.as_ref().is_none_or(|(other, _)| other.n < 2);
            if first {
                self.printed = Some((case, format!("{case}:\n{printed}")));
            }
            match failure {
                None => self.passed.push(case),
                Some(failure) => {
                    self.is_hopeless |= failure.kinds.iter().any(|kind| kind == "step-limit");
                    self.failed.push((case, failure));
                }
            }
        }
    }

    /// The failure that says most, with what is common to all.
    fn failure(&mut self) -> Option<(Case, Failure)> {
        let failing: Vec<Case> = self.failed.iter().map(|(case, _)| *case).collect();
        let telling = summary::telling(&failing)?;
        let (case, failure) = self.failed.drain(..).find(|(case, _)| *case == telling)?;
        let summary = match self.is_hopeless {
            true => format!("{} inputs, and longer arrays were not tried", failing.len()),
            false => summary::summary(&failing, &self.passed),
        };
        let what = format!("It fails for {summary}.\n\n{}", failure.what);
        let printed = match failure.printed.is_empty() {
            true => String::new(),
            false => format!("{case}:\n{}", failure.printed),
        };
        Some((case, Failure { what, printed, ..failure }))
    }
}

/// The failure with the names of the source, and with what a wrong result leaves out.
fn explained(
    exercise: &Exercise,
    module: &Module,
    (plan, source): (&Plan, &str),
    (case, mut failure): (Case, Failure),
) -> Failure {
    for found in &mut failure.diagnostics {
        names::name(found, source, plan);
    }
    if failure.kinds == ["wrong-result"] && case.n > 0 {
        let run = |inputs| run::result_for(module, plan, case, inputs);
        if let Some(explained) =
            weigh::explain(plan.op, &plan.inputs(case), |result| plan.op.show(result), run)
        {
            failure.what += &format!("\n{explained}");
            failure.think = think::sentence(exercise, &["miscounted".into()]);
        }
    }
    failure
}

/// The kernels of an answer, for every simulator.
pub fn load(exercise: &Exercise, ptx: &str) -> Result<Module> {
    run::load(&exercise.path, ptx)
}

fn with_diagnostics(exercise: &Exercise, what: String, diagnostics: Vec<Diagnostic>) -> Verdict {
    let kinds: Vec<String> = diagnostics.iter().map(|found| found.kind.to_string()).collect();
    let think = think::sentence(exercise, &kinds);
    Verdict::Failed(Box::new(Failure { kinds, what, diagnostics, think, ..Failure::default() }))
}

/// The kinds of what is found in `ptx`, over the short inputs of `plan`, other than notes; whatever the
/// result.
pub fn findings(exercise: &Exercise, plan: &Plan, ptx: &str) -> Result<BTreeSet<String>> {
    let module = load(exercise, ptx)?;
    let mut kinds = BTreeSet::new();
    for case in plan.cases().into_iter().filter(|case| case.n <= SHORT) {
        let found = run::simulate(&module, plan, case)?.diagnostics;
        let found = found.iter().filter(|found| found.severity != Severity::Note);
        kinds.extend(found.map(|found| found.kind.to_string()));
    }
    Ok(kinds)
}

/// An answer that is counted: the number that is right, and what `ptx`, the kernel as another compiler has
/// it, gives. `None` for one that is not counted.
pub fn counted_again(
    root: &Path,
    exercise: &Exercise,
    plan: &Plan,
    answer: &Answer,
    ptx: &str,
) -> Result<Option<(u64, u64)>> {
    let right = numbers::right(answer, root, exercise, plan, &exercise.stub())?;
    Ok(right.zip(numbers::count(answer, exercise, plan, ptx)?))
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
                "The host launches {launch}, and the kernel takes {} parameters that do not fit. Give it \
                 back the parameters that it had.",
                params.len()
            ));
        }
    }
    None
}

/// Runs the answer for one input.
fn check(exercise: &Exercise, module: &Module, plan: &Plan, case: Case, forgives: bool) -> Result<Checked> {
    let mut outcome = run::simulate(module, plan, case)?;
    outcome.diagnostics.retain(|found| !(forgives && found.kind == DiagnosticKind::DataRace));
    let is_kept = case.schedule == 0 && case.n < SHORT;
    let printed = if is_kept { outcome.printed.clone() } else { String::new() };
    let result = outcome.result;
    let is_note =
        |found: &&Diagnostic| found.severity == Severity::Note && found.kind == DiagnosticKind::DataRace;
    let note = outcome.diagnostics.iter().find(is_note).cloned();
    Ok(Checked { failure: wrong(exercise, plan, case, outcome), note, result, printed })
}

/// Sums that round must have the same bits in every order of turns.
fn differing(exercise: &Exercise, plan: &Plan, checked: &mut [(Case, Checked)]) {
    let show = |bits| plan.op.show(bits);
    let plain: Vec<(Case, Option<i32>)> =
        checked.iter().map(|(case, checked)| (*case, checked.result)).collect();
    for (case, Checked { failure, result, .. }) in checked {
        let first = plain.iter().find(|(other, _)| *other == case.plain());
        let (Some((_, Some(first))), Some(result), None) = (first, *result, &failure) else { continue };
        if *first != result {
            let kinds = vec!["not-reproducible".to_string()];
            let order = match case.plain().schedule {
                0 => "the plain order of turns".to_string(),
                number => format!("that number {number}"),
            };
            let what = format!(
                "{case}: the {} is {}. In {order} it is {}, from the same numbers.",
                plan.op.noun(),
                show(result),
                show(*first)
            );
            let think = think::sentence(exercise, &kinds);
            *failure = Some(Failure { kinds, what, think, ..Failure::default() });
        }
    }
}

/// What is wrong for one input, if anything is.
fn wrong(exercise: &Exercise, plan: &Plan, case: Case, outcome: Outcome) -> Option<Failure> {
    let Outcome { result, agrees, expected, diagnostics, completed, changed, written_at, printed, .. } =
        outcome;
    let diagnostics: Vec<Diagnostic> =
        diagnostics.into_iter().filter(|found| found.severity != Severity::Note).collect();
    let noun = plan.op.noun();
    let (kind, what) = if !completed && !diagnostics.is_empty() {
        (None, format!("{case}: the launch was stopped."))
    } else if let Some(element) = changed {
        (Some("input-changed"), format!("{case}: element {element} of the input has been changed."))
    } else {
        let expected_text = plan.op.show(expected);
        match result {
            Some(_) if agrees && diagnostics.is_empty() => return None,
            Some(_) if agrees => {
                (None, format!("{case}: the {noun} is right this time, but only by chance."))
            }
            Some(result) => {
                let result = plan.op.show(result);
                (
                    Some("wrong-result"),
                    format!("{case}: the {noun} is {result}, and should be {expected_text}."),
                )
            }
            None => (
                Some("nothing-written"),
                format!("{case}: nobody has written the {noun}, which should be {expected_text}."),
            ),
        }
    };
    let mut kinds: Vec<String> = diagnostics.iter().map(|found| found.kind.to_string()).collect();
    kinds.extend(kind.map(str::to_string));
    let line = written_at.filter(|(file, _)| *file == exercise.path && kinds == ["wrong-result"]);
    let think = match case.n == 0 && kinds == ["wrong-result"] {
        true => think::sentence(exercise, &["no numbers".into()]),
        false => think::of_findings(exercise, &kinds, &diagnostics),
    };
    let line = line.map(|(_, line)| line);
    Some(Failure { kinds, what, diagnostics, line, printed, think, ..Failure::default() })
}

/// A text of the exercise, compiled as the answer was.
fn known(root: &Path, exercise: &Exercise, text: &str, build: &Build) -> Option<Module> {
    let ptx = code::beside(root, exercise, text, build).ok()??;
    load(exercise, &ptx).ok()
}

/// The counters that are compared, as the simulator calls them.
const COUNTERS: [&str; 10] = [
    "warp_instructions",
    "divergent_branches",
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_bank_conflicts",
    "barriers",
    "atomics",
    "device_launches",
];

/// What the answer, the task as given and the solution cost, for the input of the goals or the longest one.
fn counts(exercise: &Exercise, plan: &Plan, modules: [Option<&Module>; 3]) -> Result<Counts> {
    let at = exercise.goals.first().map(Goal::case).or(plan.work_cases().first().copied());
    let Some(case) = at else { return Ok(Counts::default()) };
    let mut outcomes = Vec::new();
    for module in modules {
        let outcome = module.map(|module| run::simulate(module, plan, case)).transpose()?;
        // What a wrong program costs says nothing.
        outcomes.push(outcome.filter(|outcome| outcome.is_right() || outcomes.is_empty()));
    }
    let row = |name: String, most: Option<u64>, count: &dyn Fn(&Outcome) -> Option<u64>| {
        let counts: Vec<Option<u64>> = outcomes.iter().map(|outcome| count(outcome.as_ref()?)).collect();
        let (yours, given, reference) = (counts[0].unwrap_or(0), counts[1], counts[2]);
        let is_of_interest = most.is_some() || counts.iter().flatten().any(|count| *count > 0);
        is_of_interest.then_some(Counted { name, given, yours, reference, most })
    };
    let mut rows: Vec<Counted> = COUNTERS
        .iter()
        .filter_map(|field| {
            let goal = exercise.goals.iter().find(|goal| goal.field() == *field);
            row(plan::name(field), goal.map(|goal| goal.most), &|outcome| {
                plan::counter(&outcome.counters, field)
            })
        })
        .collect();
    for goal in exercise.goals.iter().filter(|goal| goal.field() == plan::BLOCK_NUMBERS) {
        rows.extend(row(goal.name(), Some(goal.most), &|outcome| outcome.count(goal.field())));
    }
    let busiest = |outcome: &Outcome| Some(outcome.effort.busiest.loads);
    rows.extend(row("loads by the busiest thread".into(), None, &busiest));
    Ok(Counts { at, compiler: String::new(), rows })
}
