//! A small launch of an answer as a figure that plays.

use std::path::Path;

use anyhow::{Context, Result, bail};
use device::{LaunchOrder, Module};
use ptx_simulator::trace::Trace;
use ptx_simulator::{Budget, Diagnostic, Orders, Severity};
use view::{self, Film};

use super::case::Case;
use super::code::{self, Built};
use super::compiler::Compiler;
use super::plan::{Plan, SCHEDULES};
use super::run::{Run, device_in, functions, load};
use super::source::{Exercise, Kind};

/// Events that are remembered.
const MAX_EVENTS: usize = 4_000;
/// Elements of the launch that is drawn, at least: fewer show no tree.
const FEWEST: usize = 5;

/// The figure and its title. With `compiler`, if there is one, for every text.
///
/// # Errors
/// The exercise has no kernel, or it doesn't compile.
pub fn film(root: &Path, exercise: &Exercise, compiler: Option<&Compiler>) -> Result<(Film, String)> {
    let (Kind::Kernel(plan) | Kind::Numbers { plan, .. }) = &exercise.kind else {
        let what = if let Kind::Program(_) = exercise.kind { "is a whole program" } else { "has no kernel" };
        bail!("{} {what}: there is no figure of it", exercise.id);
    };
    let source = match exercise.kind {
        // Only the answer may differ from the task, and that is a comment.
        Kind::Numbers { .. } => exercise.stub(),
        _ => exercise.learners_text(root).with_context(|| format!("cannot read {}", exercise.file()))?,
    };
    let Built::Ptx(build) = code::build(root, exercise, &source, compiler)? else {
        bail!("there is no figure, since {} is not compiled", exercise.file());
    };
    let module = load(exercise, &build.ptx)?;
    let (case, trace) = told(&module, plan, &source)?;
    let title = format!("Exercise {}: {case}", exercise.id);
    let film = view::launch(&trace, Some(&source));
    if film.tracks[0].frames.is_empty() {
        bail!("there is no figure, since no step was made that it could show");
    }
    Ok((film, title))
}

/// The smallest launch as it went: in an order of turns and of atomics in which something is found, if there
/// is one, else in the plain one.
fn told(module: &Module, plan: &Plan, source: &str) -> Result<(Case, Trace)> {
    let case = smallest(plan).context("the exercise has no input")?;
    let mut plain = None;
    for &schedule in SCHEDULES {
        let case = Case { schedule, ..case };
        let (mut trace, orders) = remembered(module, plan, case, (source, None))?;
        if let Some(order) = failing(&orders) {
            let findings = trace.findings;
            (trace, _) = remembered(module, plan, case, (source, Some(order)))?;
            trace.findings = findings;
        }
        if !trace.findings.is_empty() {
            return Ok((case, trace));
        }
        plain.get_or_insert((case, trace));
    }
    plain.context("an exercise is tried in some order of turns")
}

/// What a launch of `case` does, in an order if one is given, else in the plain one; and what the others, if
/// they are tried, have shown.
fn remembered(
    module: &Module,
    plan: &Plan,
    case: Case,
    (source, order): (&str, Option<LaunchOrder>),
) -> Result<(Trace, Vec<Orders>)> {
    let is_plain = order.is_none() && case.schedule == 0;
    let device = device_in(plan, case, order);
    let simulator = device.simulated().context("an exercise runs on the simulator")?;
    simulator.try_orders(is_plain.then(Budget::default));
    let run = Run::of(&device, plan, case, small_numbers(plan, case.n))?;
    simulator.remember(MAX_EVENTS, Some(source));
    match run.launch(&functions(module, plan)?) {
        Err(error) if !error.is::<Diagnostic>() => return Err(error),
        // What stopped it is among the findings of the trace.
        _ => {}
    }
    let orders = device.take_seen().orders;
    let mut trace = device.take_trace().unwrap_or_default();
    trace.findings.retain(|found| found.severity != Severity::Note);
    Ok((trace, orders))
}

/// The first order that has shown something that the plain one has not.
fn failing(orders: &[Orders]) -> Option<LaunchOrder> {
    let mut all = orders.iter().enumerate();
    all.find_map(|(launch, one)| Some(LaunchOrder { launch, order: one.failing.as_ref()?.order.clone() }))
}

/// Numbers of one digit, in no order, which a figure has room for.
fn small_numbers(plan: &Plan, n: usize) -> Vec<i32> {
    let digits = (0..n as i32).map(|i| (7 * i + 2) % 9 + 1);
    if plan.op.rounds() {
        digits.map(|digit| (digit as f32).to_bits() as i32).collect()
    } else {
        digits.collect()
    }
}

/// The smallest input that shows something.
fn smallest(plan: &Plan) -> Option<Case> {
    let cases = plan.plain_cases().into_iter().filter(|case| case.n >= FEWEST);
    cases.min_by_key(|case| (case.n, case.block))
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;

    /// The task of 2.1 as it is given has a race: the figure opens there, and its sums are small.
    #[test]
    fn a_figure_opens_where_something_is_found_and_has_small_numbers() {
        let root = kernel_compiler::root().unwrap();
        let exercises = catalogue::read(root).unwrap();
        let exercise = catalogue::find(&exercises, "2.1".parse().unwrap()).unwrap();
        let (film, _) = film(root, exercise, None).unwrap();
        let track = &film.tracks[0];
        assert!(track.message.as_deref().is_some_and(|said| said.contains("nothing orders")), "{track:?}");
        assert!(track.found.is_some() && film.still == track.found, "{:?}", film.still);
        let looks = track.frames.iter().flat_map(|frame| frame.looks.values());
        let numbers: Vec<&str> = looks.filter_map(|look| look.words.as_deref()).collect();
        assert!(!numbers.is_empty() && numbers.iter().all(|number| number.len() <= 3), "{numbers:?}");
    }

    /// Whatever the order of turns and of atomics.
    #[test]
    fn a_right_answer_has_a_figure_without_a_finding() {
        let root = kernel_compiler::root().unwrap();
        for exercise in catalogue::read(root).unwrap() {
            let Kind::Kernel(plan) = &exercise.kind else { continue };
            let hash = kernel_compiler::hash::source_hash(&exercise.solution());
            let ptx = code::committed(root, &exercise, &hash).unwrap().expect("the committed build");
            let module = load(&exercise, &ptx).unwrap();
            let (_, trace) = told(&module, plan, &exercise.solution()).unwrap();
            assert!(trace.findings.is_empty(), "{}: {:?}", exercise.id, trace.findings);
        }
    }
}
