//! A small launch of an answer as a figure that plays.

use std::path::Path;

use anyhow::{Context, Result, bail};
use ptx_simulator::Diagnostic;
use view::{self, Film};

use super::code::{self, Built};
use super::compiler::Compiler;
use super::own;
use super::plan::{Case, Plan};
use super::run::{Run, device, functions, load};
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
        bail!("{} has no kernel, and so no figure", exercise.id);
    };
    let source = match exercise.kind {
        // Only the answer may differ from the task, and that is a comment.
        Kind::Numbers { .. } => exercise.stub(),
        _ => exercise.learners_text(root).with_context(|| format!("cannot read {}", exercise.file()))?,
    };
    if let Some(what) = own::not_allowed(&source) {
        bail!("{what}");
    }
    let Built::Ptx(build) = code::build(root, exercise, &source, compiler)? else {
        bail!("there is no figure, since {} is not compiled", exercise.file());
    };
    let module = load(exercise, &build.ptx)?;
    let case = smallest(plan).context("the exercise has no input")?;
    let device = device(plan, case, true);
    let run = Run::new(&device, plan, case)?;
    device.remember(MAX_EVENTS, Some(&source));
    match run.launch(&functions(&module, plan)?) {
        Err(error) if !error.is::<Diagnostic>() => return Err(error),
        // What stopped it is among the findings of the trace.
        _ => {}
    }
    let trace = device.take_trace().unwrap_or_default();
    let title = format!("Exercise {}: {case}", exercise.id);
    let film = view::launch(&trace, Some(&source));
    if film.tracks[0].frames.is_empty() {
        bail!("there is no figure, since no step was made that it could show");
    }
    Ok((film, title))
}

/// The smallest input that shows something.
fn smallest(plan: &Plan) -> Option<Case> {
    let cases = plan.plain_cases().into_iter().filter(|case| case.n >= FEWEST);
    cases.min_by_key(|case| (case.n, case.block))
}
