//! A maximum, a minimum or a range is right by luck where a lost element is not the extreme one. So the
//! extreme one is put to each place that a mistake may lose, and has to reach the result.

use std::collections::BTreeSet;

use anyhow::Result;
use device::Module;

use super::case::Case;
use super::fault::Fault;
use super::op::Op;
use super::plan::Plan;
use super::run::{self, Run};
use super::source::Exercise;
use super::verdict::{Findings, failed};

/// Longer arrays have the borders of shorter ones.
const LONGEST: usize = 1100;
/// Of arrays that are not longer each element is a place, of others the borders of warps.
const SHORT: usize = 40;
const WARP: usize = 32;

/// The inputs that are tried so: none where the result depends on every number anyway.
pub fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = if plan.op.compares() { plan.plain_cases() } else { Vec::new() };
    cases.retain(|case| (1..=LONGEST).contains(&case.n));
    cases
}

/// What is wrong for `case` if the extreme number stands in some place, if anything is.
///
/// # Errors
/// The kernels or their parameters do not fit.
pub fn lost(exercise: &Exercise, plan: &Plan, module: &Module, case: Case) -> Result<Option<Findings>> {
    for place in places(case.n) {
        for (word, extreme) in extremes(plan.op) {
            let mut input = plan.input(case);
            input[place] = *extreme;
            let device = run::device(plan, case, false);
            let run = Run::of(&device, plan, case, input)?;
            run.launch(&run::functions(module, plan)?)?;
            let Some(result) = run.result()?.filter(|result| !run.agrees(*result)) else { continue };
            let noun = plan.op.noun();
            let what = format!(
                "{case}: if element {place} is the {word} number, the {noun} is {}, and should be {}. So \
                 element {place} never reaches the result.",
                plan.op.show(result),
                plan.op.show(run.expected())
            );
            return Ok(Some(failed(exercise, Fault::WrongResult, what)));
        }
    }
    Ok(None)
}

fn places(n: usize) -> BTreeSet<usize> {
    let borders = (0..n).filter(|place| place % WARP == 0 || place % WARP == WARP - 1);
    if n <= SHORT { (0..n).collect() } else { borders.chain([n / 2, n - 2, n - 1]).collect() }
}

/// The numbers that decide the result, and what they are called.
fn extremes(op: Op) -> &'static [(&'static str, i32)] {
    const LARGEST: (&str, i32) = ("largest", i32::MAX);
    const SMALLEST: (&str, i32) = ("smallest", i32::MIN);
    match op {
        Op::Max => &[LARGEST],
        Op::Min => &[SMALLEST],
        Op::Range => &[LARGEST, SMALLEST],
        Op::Sum | Op::Squares | Op::Floats | Op::Odd | Op::Each(_) => &[],
    }
}
