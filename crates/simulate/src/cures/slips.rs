//! Slips that only a wrong result shows: the first edit after which it is the expected one, and nothing is
//! wrong in any of a few orders.

use std::time::{Duration, Instant};

use cuda_source::cures::candidates_for_the_result;
use kernel_compiler::in_page::Compiled;

use super::findings::wrong;
use super::subject::{Outcome, Subject};
use super::tries::{OTHERS, how, steps_for};
use crate::cure::{Cure, Limits};
use crate::stop;

/// Edits that are tried, at most: each is one of many places where a slip may be.
const MAX_EDITS: usize = 32;
/// They may take so many times as long as the edits of one finding: there is nothing else to say.
const PATIENCE: u32 = 2;
/// At most, on a busy machine too.
const LONGEST: Duration = Duration::from_secs(10);

/// What makes the result of `source` the expected one, if an edit does; it `built` what leaves another one.
/// Nothing where something else is wrong, and where no kernel ran.
pub fn slip(
    subject: &dyn Subject,
    (source, built): (&str, Option<Compiled>),
    limits: Limits,
) -> Option<Cure> {
    let started = Instant::now();
    let built = built.map_or_else(|| subject.compiled(source, 2 * limits.time), Ok).ok()?;
    let before = subject.run(&built, source, &how(None, steps_for(None))).ok()?;
    let is_wrong = before.completed && before.is_right == Some(false) && before.instructions > 0;
    if !is_wrong || !wrong(&before.found, subject.file()).is_empty() {
        return None;
    }
    let is_right = |outcome: Outcome| {
        outcome.completed
            && outcome.is_right != Some(false)
            && wrong(&outcome.found, subject.file()).is_empty()
    };
    let gives_it = |text: &str| {
        let built = subject.compiled(text, 2 * limits.time).ok()?;
        let orders = [None].into_iter().chain(OTHERS.map(Some));
        let mut all =
            orders.map(|schedule| subject.run(&built, text, &how(schedule, steps_for(Some(&before)))));
        all.all(|outcome| outcome.is_ok_and(is_right)).then_some(())
    };
    let then = subject.right();
    for candidate in candidates_for_the_result(source).into_iter().take(MAX_EDITS) {
        if started.elapsed() > (PATIENCE * limits.time).min(LONGEST) || stop::is_asked() {
            break;
        }
        if gives_it(&candidate.tried(source)).is_some() {
            let says = format!("{} (tried: then {then})", candidate.says);
            let edits = candidate.changes(source);
            return Some(Cure { finding: None, says, cures_all: true, edits });
        }
    }
    None
}
