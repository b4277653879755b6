//! What is wrong with what an answer did with one input, if anything is.

use std::sync::Arc;

use effort::Unordered;
use ptx_simulator::{Diagnostic, Disorder, Kind as DiagnosticKind, Severity, What};
use text::number::nine_digits;

use super::case::Case;
use super::fault::Fault;
use super::plan::Plan;
use super::run::{Left, Outcome, Unfenced};
use super::source::Exercise;
use super::think::Topic;
use super::verdict::{Findings, failed};

/// What was found for one input.
pub struct Tried {
    pub case: Case,
    pub outcome: Arc<Outcome>,
    pub failure: Option<Findings>,
}

/// What is wrong for one input, with what was `found`, if anything is.
pub fn wrong(
    exercise: &Exercise,
    plan: &Plan,
    case: Case,
    outcome: &Outcome,
    found: Vec<Diagnostic>,
) -> Option<Findings> {
    let noun = plan.op.noun();
    let left = &outcome.left;
    let mut fault = None;
    let what;
    if !outcome.completed && !found.is_empty() {
        what = "the launch was stopped.".to_string();
    } else if let Some(element) = outcome.changed {
        fault = Some(Fault::InputChanged);
        what = format!("element {element} of the input has been changed.");
    } else if left.result.is_some() {
        if left.agrees && found.is_empty() {
            return by_luck(exercise, plan, case, outcome);
        }
        if left.agrees {
            let is_luck = found.iter().any(is_luck);
            let why =
                if is_luck { "is right this time, but only by chance" } else { "is right, but this is not" };
            what = format!("the {noun} {why}.");
        } else {
            fault = Some(Fault::WrongResult);
            what = beside_expected(plan, left) + ".";
        }
    } else {
        fault = Some(Fault::NothingWritten);
        what = beside_expected(plan, left) + ".";
    }
    let failure = Findings::new(exercise, fault.as_slice(), format!("{}: {what}", plan.said(case)), found);
    let failure = Findings { printed: outcome.printed.clone(), ..failure };
    let failure = missing_at_a_barrier(exercise, outcome, failure);
    if failure.kinds != [Fault::WrongResult] {
        return Some(failure);
    }
    let line = outcome.written_at.as_ref().filter(|(file, _)| *file == exercise.path).map(|(_, line)| *line);
    let failure = if case.n == 0 { failure.about(exercise, Topic::NoNumbers) } else { failure };
    Some(Findings { line, ..failure })
}

/// What a wrong result is, and what it should be.
pub fn beside_expected(plan: &Plan, left: &Left) -> String {
    let expected = plan.op.show(left.expected);
    let place = left.place.map(|place| format!("`{}[{place}]`", plan.result));
    let noun = plan.op.noun();
    match (left.result, place) {
        (Some(result), Some(place)) => {
            format!("{place} is {}, and should be {expected}", plan.op.show(result))
        }
        (Some(result), None) => format!("the {noun} is {}, and should be {expected}", plan.op.show(result)),
        (None, Some(place)) => format!("{place} was never written, and should be {expected}"),
        (None, None) => format!("nothing was written to the {noun}, which should be {expected}"),
    }
}

/// Whether a result is right by luck where this is found: another order of turns, or other contents of
/// memory, might give another one. (A race of writes of one value gives the same in every order.)
fn is_luck(found: &Diagnostic) -> bool {
    use DiagnosticKind::{
        BarrierDivergence, ChildVisibility, DataRace, OutOfBounds, UninitializedRead, WarpCollective,
    };
    let kinds =
        [BarrierDivergence, ChildVisibility, DataRace, OutOfBounds, UninitializedRead, WarpCollective];
    let is_one_value = matches!(found.what, What::Race { order: Disorder::SameValue, .. });
    kinds.contains(&found.kind) && !is_one_value
}

/// What made a right result a matter of luck, though nothing was found wrong, if something did.
fn by_luck(exercise: &Exercise, plan: &Plan, case: Case, outcome: &Outcome) -> Option<Findings> {
    if let Some(Unfenced { reader, writer, read, written }) = outcome.unfenced {
        let what = format!(
            "{case}: right, but only by chance: in line {read} block {reader} reads what block {writer} has \
             left in line {written}, and nothing orders the two. Both are atomic, so they do not race; but \
             atomic operations at different words may be seen in any order, unless a fence stands between \
             the result and the counter, and another one between the counter and the read."
        );
        return Some(failed(exercise, Fault::Unfenced, what));
    }
    if let Some((block, place)) = &outcome.waits {
        let line = match place {
            Some((file, line)) if *file == exercise.path => format!("in line {line}"),
            Some((file, _)) => format!("in a function of {file}"),
            None => "in a loop".to_string(),
        };
        let what = format!(
            "{case}: right, but {line} block {block} reads a word of global memory again and again until \
             another block has changed it. Nothing promises that the other block runs meanwhile: blocks may \
             run one after the other, and only a cooperative launch has all of them on the GPU at the same \
             time. This launch is an ordinary one.",
        );
        return Some(failed(exercise, Fault::Waits, what));
    }
    let Unordered { count, one, other } = outcome.effort.unordered?;
    let noun = plan.op.noun();
    let orders = match other {
        Some(other) => {
            let [one, other] = [one, other].map(nine_digits);
            format!("In one order the result is {one}, in another {other}")
        }
        None => "The additions round, so that the order decides the last bits, if not with these very \
                 numbers"
            .to_string(),
    };
    let what = format!(
        "{case}: threads add {count} floats to one number by atomic operations, which come in any order. \
         {orders}: the {noun} is not reproducible."
    );
    Some(failed(exercise, Fault::NotReproducible, what))
}

/// Says of a value that was never written that threads had left when a barrier opened, if some had.
fn missing_at_a_barrier(exercise: &Exercise, outcome: &Outcome, failure: Findings) -> Findings {
    let kind = Fault::Found(DiagnosticKind::UninitializedRead);
    let Some((threads, line)) = outcome.exited.filter(|_| failure.kinds.first() == Some(&kind)) else {
        return failure;
    };
    let threads = if threads == 1 { "one thread".to_string() } else { format!("{threads} threads") };
    let what = format!(
        "{} When the barrier in line {line} opened, {threads} of the block had already left the kernel: a \
         barrier does not wait for those, and what they should have written is missing.",
        failure.what
    );
    let failure = Findings { what, ..failure };
    let has_own = exercise.think(&kind.to_string()).is_some();
    if has_own { failure } else { failure.about(exercise, Topic::Fault(Fault::LeftEarly)) }
}

/// Sums that round must have the same bits in every order of turns.
pub fn differing(exercise: &Exercise, plan: &Plan, tried: &mut [Tried]) {
    let results: Vec<_> = tried.iter().map(|one| (one.case, one.outcome.left.result)).collect();
    for Tried { case, outcome, failure } in tried {
        if failure.is_some() {
            continue;
        }
        let Some(result) = outcome.left.result else { continue };
        if let Some(other) = outcome.other {
            let noun = plan.op.noun();
            let result = plan.op.show(result);
            let other = plan.op.show(other);
            let what = format!(
                "{case}: the {noun} is {result}. In another order of the atomic operations it is {other}, \
                 from the same numbers."
            );
            *failure = Some(failed(exercise, Fault::NotReproducible, what));
            continue;
        }
        let plain = results.iter().find(|(other, _)| *other == case.plain());
        let Some((_, Some(first))) = plain else { continue };
        if *first != result {
            let order = match case.plain().schedule {
                0 => "the plain order of turns".to_string(),
                number => format!("that number {number}"),
            };
            let noun = plan.op.noun();
            let result = plan.op.show(result);
            let first = plan.op.show(*first);
            let what =
                format!("{case}: the {noun} is {result}. In {order} it is {first}, from the same numbers.");
            *failure = Some(failed(exercise, Fault::NotReproducible, what));
        }
    }
}

/// What is no mere note.
pub fn grave<'a>(found: impl IntoIterator<Item = &'a Diagnostic>) -> impl Iterator<Item = &'a Diagnostic> {
    found.into_iter().filter(|found| found.severity != Severity::Note)
}
