//! Marks an answer: right on hard inputs, without a diagnostic, within the goals.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use cuda_source::lex;
use device::Module;
use ptx_simulator::{Diagnostic, Kind as DiagnosticKind, Severity};
use text::number::thousands;
use text::printed::first_lines;

use super::case::Case;
use super::code::{self, Build, Built};
use super::compiler::Compiler;
use super::fault::Fault;
use super::op::Op;
use super::plan::{Plan, SHORT};
use super::run::{self, Outcome};
use super::source::{Exercise, Kind};
use super::tried::Tried;
use super::verdict::{Counted, Counts, Findings, failed, missed_goal};
use super::wrapping::{Wrapping, wrapped};
use super::{fit, goal, lost, names, numbers, own, program, remark, rules, summary, tried, weigh};

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

/// Marks the learner's file: by `compiler`, if one is given; else a known text by its committed build, and
/// another one by what compiler there is; `None` if there is none.
pub fn mark(root: &Path, exercise: &Exercise, compiler: Option<&Compiler>) -> Result<Option<Findings>> {
    let text = match exercise.learners_text(root) {
        Ok(text) => text,
        Err(why) => {
            let what = format!("{} cannot be read: {why}.", exercise.file());
            return Ok(Some(failed(exercise, Fault::MissingFile, what)));
        }
    };
    match &exercise.kind {
        #[cfg(not(target_family = "wasm"))]
        Kind::Function(name) => super::machine::rust::mark(root, exercise, name, &text).map(Some),
        #[cfg(target_family = "wasm")]
        Kind::Function(_) => {
            let Exercise { id, path, .. } = exercise;
            let command = super::options::COMMAND;
            anyhow::bail!("{id} is in Rust, which a page does not compile: edit {path}, then {command} {id}")
        }
        Kind::Numbers { answers, plan } => numbers::mark(root, exercise, answers, plan, &text).map(Some),
        Kind::Program(prints) => program::mark(root, exercise, prints, &text, compiler),
        Kind::Kernel(plan) => mark_kernel(root, exercise, plan, &text, compiler),
    }
}

fn mark_kernel(
    root: &Path,
    exercise: &Exercise,
    plan: &Plan,
    text: &str,
    compiler: Option<&Compiler>,
) -> Result<Option<Findings>> {
    Ok(match code::build(root, exercise, text, compiler)? {
        Built::NoCompiler => None,
        Built::Refused(said) => Some(failed(exercise, Fault::CompileError, said)),
        Built::Ptx(build) => {
            let found = mark_build(root, exercise, plan, text, &build)?;
            let warnings = if found.passes() { String::new() } else { build.warnings };
            Some(Findings { warnings, ..found })
        }
    })
}

/// Marks `text`, the learner's file, which was compiled.
fn mark_build(root: &Path, exercise: &Exercise, plan: &Plan, text: &str, build: &Build) -> Result<Findings> {
    if let Some(what) = own::foreign_file(&build.ptx, &exercise.path) {
        return Ok(failed(exercise, Fault::NotAllowed, what));
    }
    let module = match run::load(exercise, &build.ptx) {
        Ok(module) => module,
        Err(error) => {
            let what = format!("The simulator cannot run the code that {} generated.", build.compiler);
            return Ok(Findings::new(exercise, &[], what, vec![error.downcast()?]));
        }
    };
    if let Some(what) = fit::too_large(&module) {
        return Ok(failed(exercise, Fault::Found(DiagnosticKind::MemoryLimit), what));
    }
    if let Some(misfit) = fit::misfit(&module, exercise, plan, text) {
        let what = misfit.of(&exercise.path, text).to_string();
        return Ok(failed(exercise, Fault::MissingKernel, what));
    }
    let plan = &plan.for_text(text);
    let attempt = Attempt { root, exercise, plan, text, build, yours: Runs::new(module, plan) };
    attempt.mark()
}

/// A rule on how an answer may differ from a right one; says how it is broken.
type Rule<'a> = dyn Fn(&[rules::Pair]) -> rules::Broken + 'a;

/// An answer that can be launched.
struct Attempt<'a> {
    root: &'a Path,
    exercise: &'a Exercise,
    /// With the inputs of this text.
    plan: &'a Plan,
    /// The learner's file.
    text: &'a str,
    build: &'a Build,
    yours: Runs<'a>,
}

/// Kernels, and what they have done so far: no input is run twice.
struct Runs<'a> {
    module: Module,
    plan: &'a Plan,
    done: Mutex<BTreeMap<Case, Arc<Outcome>>>,
}

impl Runs<'_> {
    fn new(module: Module, plan: &Plan) -> Runs<'_> {
        Runs { module, plan, done: Mutex::default() }
    }

    /// What they do with one input.
    fn at(&self, case: Case) -> Result<Arc<Outcome>> {
        let done = || self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let known = done().get(&case).cloned();
        if let Some(outcome) = known {
            return Ok(outcome);
        }
        let outcome = Arc::new(run::simulate(&self.module, self.plan, case)?);
        done().insert(case, outcome.clone());
        Ok(outcome)
    }

    /// Whether they are right for all short inputs. Asked first because wrong code may run long on long
    /// inputs, and its cost means nothing.
    fn are_right(&self) -> Result<bool> {
        for case in self.plan.plain_cases().into_iter().filter(|case| case.n <= SHORT) {
            if !self.at(case)?.is_right() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What an answer has printed for a short input, below a line that says for which.
fn printed(tried: &[Tried]) -> String {
    let is_short = |case: Case| case.schedule == 0 && case.n < SHORT;
    let printing: Vec<&Tried> =
        tried.iter().filter(|one| is_short(one.case) && !one.outcome.printed.is_empty()).collect();
    // The first of these with several numbers, since a single one prints little.
    let Some(shown) = printing.iter().find(|one| one.case.n > 1).or(printing.last()) else {
        return String::new();
    };
    format!("{}:\n{}", shown.case, first_lines(&shown.outcome.printed))
}

/// What other code does with an input; `None` if it is wrong there or for a short one, since its cost then
/// means nothing.
fn right_outcome(runs: Option<&Runs>, case: Case) -> Result<Option<Arc<Outcome>>> {
    let Some(runs) = runs else { return Ok(None) };
    if !runs.are_right()? {
        return Ok(None);
    }
    let outcome = runs.at(case)?;
    Ok(outcome.is_right().then_some(outcome))
}

impl Attempt<'_> {
    fn mark(&self) -> Result<Findings> {
        let Attempt { exercise, plan, .. } = self;
        let mut tried: Vec<Tried> = Vec::new();
        for cases in self.cases().chunk_by(|a, b| a.n == b.n) {
            // After a failure longer arrays are skipped; after a run that did not end, all of them are.
            let fails = tried.iter().any(|one| one.failure.is_some());
            let n = cases[0].n;
            if fails && (n > SHORT || is_hopeless(&tried)) {
                break;
            }
            let mut now = each(cases, |case| self.check(*case))?;
            if plan.op.rounds() {
                tried::differing(exercise, plan, &mut now);
            }
            tried.extend(now);
        }
        let right: Vec<Case> = tried.iter().filter(|one| one.failure.is_none()).map(|one| one.case).collect();
        if right.len() < tried.len() {
            return self.failure(tried, &right);
        }
        let lost = each(&lost::cases(plan), |case| lost::lost(exercise, plan, &self.yours.module, *case))?;
        if let Some(lost) = lost.into_iter().flatten().next() {
            return Ok(lost);
        }
        let found = self.beyond_right(&tried)?;
        let printed = if found.printed.is_empty() { printed(&tried) } else { found.printed };
        Ok(Findings { printed, ..found })
    }

    /// What is asked of an answer that is right for every input `tried`.
    fn beyond_right(&self, tried: &[Tried]) -> Result<Findings> {
        let Attempt { exercise, plan, .. } = self;
        if let Some(failure) = self.fails_again()? {
            return Ok(failure);
        }
        if let Some(failure) = self.fails_if_wrapping()? {
            return Ok(failure);
        }
        let solution = self.runs_of(&exercise.solution())?;
        let stub = self.runs_of(&exercise.stub())?;
        let pairs = match &solution {
            Some(solution) => each(&self.comparison_cases(), |case| self.pair(solution, *case))?,
            None => Vec::new(),
        };
        // On a blank page whatever is right will do.
        let is_blank_page = exercise.rungs.is_some();
        let rule: &Rule = if is_blank_page { &rules::by_chance } else { &rules::other_task };
        if let Some(failure) = self.failed_rule(&pairs, rule)? {
            return Ok(failure);
        }
        let counts = self.counts(stub.as_ref(), solution.as_ref())?;
        if let Some(failure) = missed_goal(exercise, plan.op.noun(), tried.len(), &counts) {
            return Ok(failure);
        }
        let goals_then_work =
            |pairs: &[rules::Pair]| rules::goals(&exercise.goals, pairs).or_else(|| rules::too_much(pairs));
        if !is_blank_page && let Some(failure) = self.failed_rule(&pairs, &goals_then_work)? {
            return Ok(failure);
        }
        // What is said beside a right result: the other half of a synchronisation that is missing.
        let is_note =
            |found: &&Diagnostic| found.severity == Severity::Note && found.kind == DiagnosticKind::DataRace;
        let mut found = tried.iter().flat_map(|one| &one.outcome.diagnostics);
        let mut diagnostics = Vec::new();
        if let Some(note) = found.find(is_note) {
            let mut note = note.clone();
            names::name(&mut note, self.text, plan);
            diagnostics.push(note);
        }
        let what = remark::of_barriers(tried.iter().map(|one| &*one.outcome));
        Ok(Findings { tried: tried.len(), what, counts, diagnostics, ..Findings::default() })
    }

    /// All inputs that the answer is tried with, the shortest first. Where a goal is measured it has to be
    /// right, too.
    fn cases(&self) -> Vec<Case> {
        let goal = self.exercise.goals.first().map(|goal| goal.case);
        let mut cases: Vec<Case> =
            self.plan.cases().into_iter().chain(self.plan.unlisted()).chain(goal).collect();
        cases.sort_by_key(|case| case.n);
        cases
    }

    /// Runs it for one input.
    fn check(&self, case: Case) -> Result<Tried> {
        let outcome = self.yours.at(case)?;
        let found = tried::grave(&outcome.diagnostics).cloned().collect();
        let failure = tried::wrong(self.exercise, self.plan, case, &outcome, found);
        Ok(Tried { case, outcome, failure })
    }

    /// The failure that says most, with the names of the source, and with what a wrong result leaves out.
    fn failure(&self, tried: Vec<Tried>, right: &[Case]) -> Result<Findings> {
        let Attempt { exercise, plan, .. } = self;
        let is_hopeless = is_hopeless(&tried);
        let failures = tried.into_iter().filter_map(|one| Some((one.case, one.failure?)));
        let (case, mut failure) = summary::telling(failures.collect(), right, is_hopeless)?;
        for found in &mut failure.diagnostics {
            names::name(found, self.text, plan);
            if exercise.is_puzzle() {
                names::without_warps(found);
            }
        }
        failure.what += &self.too_many_children(case)?;
        failure.what += no_dynamic_memory(self.text, &failure.diagnostics);
        if !failure.printed.is_empty() {
            failure.printed = format!("{case}:\n{}", first_lines(&failure.printed));
        }
        let run = |input| run::result_for(&self.yours.module, plan, case, input);
        Ok(weigh::explained(exercise, failure, plan.op, &plan.input(case), run))
    }

    /// A sentence, with a space before it, if one grid launches more children than in the solution; else
    /// nothing.
    fn too_many_children(&self, case: Case) -> Result<String> {
        let mine = self.yours.at(case)?.effort.most_children;
        if mine == 0 {
            return Ok(String::new());
        }
        let Some(solution) = self.runs_of(&self.exercise.solution())? else { return Ok(String::new()) };
        let theirs = solution.at(case)?.effort.most_children;
        if mine <= theirs {
            return Ok(String::new());
        }
        let most = match theirs {
            0 => "none".to_string(),
            _ => format!("at most {}", thousands(theirs as i64)),
        };
        let children =
            if mine == 1 { "a child".to_string() } else { format!("{} children", thousands(mine as i64)) };
        Ok(format!(" One grid launches {children}; in the solution it launches {most}."))
    }

    /// The failure if a second launch goes wrong because a variable of the module keeps its value.
    fn fails_again(&self) -> Result<Option<Findings>> {
        let Attempt { exercise, plan, yours, .. } = self;
        let (global_bytes, _) = yours.module.ptx().bytes();
        if global_bytes == 0 {
            // Nothing else outlives a launch.
            return Ok(None);
        }
        let Some(left) = run::in_a_row(&yours.module, plan)? else { return Ok(None) };
        let what = tried::beside_expected(plan, &left.left);
        let what = format!(
            "{}: right when the program has just started. Launched again after other inputs, {what}: a \
             `__device__` variable keeps what the last launch has left in it.",
            left.case
        );
        Ok(Some(failed(exercise, Fault::NotReset, what)))
    }

    /// The failure if the answer's result is wrong once the differences of two `int`s wrap: then it is right
    /// only by what its compiler makes of undefined behaviour.
    fn fails_if_wrapping(&self) -> Result<Option<Findings>> {
        let Attempt { exercise, plan, .. } = self;
        let Some(Wrapping { text, line }) = wrapped(plan, self.text) else { return Ok(None) };
        let Some(ptx) = code::again(self.root, exercise, &text, self.build)? else { return Ok(None) };
        let wrapping = Runs::new(run::load(exercise, &ptx)?, plan);
        for case in plan.plain_cases().into_iter().filter(|case| case.n <= SHORT) {
            let outcome = wrapping.at(case)?;
            let Some(result) = outcome.left.result.filter(|_| !outcome.left.agrees) else { continue };
            let noun = plan.op.noun();
            let what = format!(
                "{case}: right, but only by what {} makes of it: `{line}` subtracts two `int`s, and their \
                 difference may not fit an `int`, which C++ leaves undefined. Where it wraps, the {noun} is \
                 {}, and should be {}. Compare the two numbers themselves.",
                self.build.compiler,
                plan.op.show(result),
                plan.op.show(outcome.left.expected)
            );
            return Ok(Some(failed(exercise, Fault::Overflow, what)));
        }
        Ok(None)
    }

    /// The runs of `text`, compiled like the answer; `None` if it does not compile.
    fn runs_of(&self, text: &str) -> Result<Option<Runs<'_>>> {
        let ptx = code::beside(self.root, self.exercise, text, self.build)?;
        ptx.map(|ptx| Ok(Runs::new(run::load(self.exercise, &ptx)?, self.plan))).transpose()
    }

    /// The inputs for which the answer is compared with another one: they show who does the work.
    fn comparison_cases(&self) -> Vec<Case> {
        let goal = self.exercise.goals.first().map(|goal| goal.case);
        self.plan.work_cases().into_iter().chain(self.plan.unlisted()).chain(goal).collect()
    }

    /// The runs of the answer and of another one on one input.
    fn pair(&self, other: &Runs, case: Case) -> Result<rules::Pair> {
        let is_tree = !matches!(self.plan.op, Op::Each(_));
        Ok(rules::Pair { case, is_tree, yours: self.yours.at(case)?, solution: other.at(case)? })
    }

    /// The failure if the answer breaks `rule` beside the solution (`pairs`), and beside every other answer
    /// that the exercise knows to be right.
    fn failed_rule(&self, pairs: &[rules::Pair], rule: &Rule) -> Result<Option<Findings>> {
        let Some((kind, what)) = rule(pairs) else { return Ok(None) };
        for other in self.exercise.mutants.iter().filter(|other| other.is_right()) {
            if let Some(other) = self.runs_of(&self.exercise.mutated(other)?)?
                && !self.breaks_beside(&other, rule)?
            {
                return Ok(None);
            }
        }
        Ok(Some(failed(self.exercise, kind, what)))
    }

    /// Whether the answer breaks `rule` beside `other`, for some input; the shortest are tried first.
    fn breaks_beside(&self, other: &Runs, rule: &Rule) -> Result<bool> {
        let mut cases = self.comparison_cases();
        cases.sort_by_key(|case| case.n);
        let mut pairs = Vec::new();
        for case in cases {
            pairs.push(self.pair(other, case)?);
            if rule(&pairs).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the answer, the task as given and the solution cost, for the input of the goals or the longest
    /// one.
    fn counts(&self, stub: Option<&Runs>, solution: Option<&Runs>) -> Result<Counts> {
        let Attempt { exercise, plan, .. } = self;
        let at = exercise.goals.first().map(|goal| goal.case).or(plan.work_cases().first().copied());
        let Some(case) = at else { return Ok(Counts::default()) };
        let yours = self.yours.at(case)?;
        let stub = right_outcome(stub, case)?;
        let solution = right_outcome(solution, case)?;
        let row = |name: String, most: Option<u64>, count: &dyn Fn(&Outcome) -> Option<u64>| {
            let mine = count(&yours);
            let given = stub.as_deref().and_then(count);
            let reference = solution.as_deref().and_then(count);
            let is_counted = [mine, given, reference].into_iter().flatten().any(|count| count > 0);
            let is_of_interest = most.is_some() || is_counted;
            let yours = mine.unwrap_or(0);
            is_of_interest.then_some(Counted { name, given, yours, reference, most })
        };
        let most = |field| exercise.goals.iter().find(|goal| goal.field == field).map(|goal| goal.most);
        let others = exercise.goals.iter().map(|goal| &*goal.field).filter(|field| !COUNTERS.contains(field));
        let fields = COUNTERS.into_iter().chain(others);
        let counted = |field| row(goal::name(field), most(field), &|outcome| outcome.count(field));
        let mut rows: Vec<Counted> = fields.filter_map(counted).collect();
        let busiest = |outcome: &Outcome| Some(outcome.effort.busiest.loads);
        rows.extend(row("loads by the busiest thread".into(), None, &busiest));
        Ok(Counts { at, compiler: self.build.compiler.clone(), rows })
    }
}

/// What `work` gives for each of `items`, on all cores.
#[cfg(not(target_family = "wasm"))]
fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync + Send) -> Result<Vec<R>> {
    use rayon::prelude::*;
    items.par_iter().map(work).collect()
}

/// A page has one core.
#[cfg(target_family = "wasm")]
fn each<T, R>(items: &[T], work: impl Fn(&T) -> Result<R>) -> Result<Vec<R>> {
    items.iter().map(work).collect()
}

/// Whether it does not end for some input.
fn is_hopeless(tried: &[Tried]) -> bool {
    let mut failures = tried.iter().filter_map(|one| one.failure.as_ref());
    failures.any(|failure| failure.kinds.contains(&Fault::Found(DiagnosticKind::StepLimit)))
}

/// The kinds of what is found in `ptx`, over the short inputs of `plan`, other than notes; whatever the
/// result.
pub fn findings(exercise: &Exercise, plan: &Plan, ptx: &str) -> Result<BTreeSet<String>> {
    let module = run::load(exercise, ptx)?;
    let mut kinds = BTreeSet::new();
    for case in plan.cases().into_iter().filter(|case| case.n <= SHORT) {
        let outcome = run::simulate(&module, plan, case)?;
        kinds.extend(tried::grave(&outcome.diagnostics).map(|found| found.kind.to_string()));
    }
    Ok(kinds)
}

/// What is wrong with `extern __shared__` in `text`, if an access was `found` to be outside: a sentence,
/// behind a space.
fn no_dynamic_memory(text: &str, found: &[Diagnostic]) -> &'static str {
    let text = lex::joined(text);
    let is_dynamic = |pair: &[lex::Token]| pair[0].is_word("extern") && pair[1].is_word("__shared__");
    let is_outside = found.iter().any(|found| found.kind == DiagnosticKind::OutOfBounds);
    if is_outside && lex::tokens(&text).windows(2).any(is_dynamic) {
        " The host launches the kernel without dynamic shared memory, so that an `extern __shared__` array \
         has no bytes: give it a size, and leave out `extern`."
    } else {
        ""
    }
}
