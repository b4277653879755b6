//! Marks answers that are numbers: right, or how far off, or what was forgotten.

use std::path::Path;

use anyhow::{Context, Result};
use kernel_compiler::hash::source_hash;
use text::number::{thousands, time};

use super::answer::{ANSWER, Answer, Source, is_answer};
use super::fault::Fault;
use super::plan::Plan;
use super::source::Exercise;
use super::verdict::{Findings, Guess, failed};
use super::{code, goal, run};

/// What `ptx`, the kernel as it is given, counts; `None` if the answer is no counter.
pub fn count(answer: &Answer, exercise: &Exercise, plan: &Plan, ptx: &str) -> Result<Option<u64>> {
    let Source::Counter { field, case } = &answer.source else { return Ok(None) };
    let counters = run::simulate(&run::load(exercise, ptx)?, plan, *case)?.counters;
    Ok(goal::counter(&counters, field))
}

/// The right number; for a line the first that is right.
pub fn right(answer: &Answer, root: &Path, exercise: &Exercise, plan: &Plan) -> Result<u64> {
    Ok(match &answer.source {
        Source::Counter { field, .. } => {
            // The learner's file is the task but for comments.
            let ptx = code::committed(root, exercise, &source_hash(&exercise.stub()))?;
            let ptx = ptx.with_context(|| format!("{} is not built", exercise.file()))?;
            count(answer, exercise, plan, &ptx)?.with_context(|| format!("no counter {field}"))?
        }
        Source::Within { percent, times } => {
            let times = times.read(root)?;
            let (_, least) = times.first().context("the record has no such times")?;
            let most = least * (1.0 + f64::from(*percent) / 100.0);
            let fitting = times.iter().filter(|(_, us)| *us <= most).map(|(block, _)| u64::from(*block));
            fitting.max().unwrap_or_default()
        }
        Source::Given(number) => *number,
        Source::Line => exercise.marked_lines().first().map_or(0, |line| u64::from(*line)),
    })
}

/// The line of `text` with this number, from 1.
fn line_of(text: &str, number: u64) -> Option<&str> {
    let before = (number as usize).checked_sub(1)?;
    text.lines().nth(before).map(str::trim)
}

/// What is to be said of `said`, which is not `right`. `text` is the learner's file.
fn wrong(answer: &Answer, root: &Path, text: &str, said: u64, right: u64) -> Result<String> {
    let name = &answer.name;
    let line = line_of(text, said);
    let number = said.to_string();
    let written = if answer.is_line() { line.unwrap_or_default() } else { &number };
    let slip = answer.slips.iter().find(|(slip, _)| slip == written).map(|(_, slip)| slip);
    Ok(match (&answer.source, slip) {
        (Source::Line, Some(slip)) => format!("It is not line {said}: {slip}"),
        (Source::Line, None) => match line {
            None | Some("") => format!("It is not line {said}, which is empty."),
            Some(line) => format!("It is not line {said}: `{line}`"),
        },
        (_, Some(slip)) => format!("{name}: not {}. {slip}", thousands(said as i64)),
        (Source::Counter { .. }, _) => format!("{name}: {} {}", thousands(said as i64), off(said, right)),
        // Few can be meant: how far off it is would give it away.
        (Source::Given(_), _) => format!("{name}: not {}.", thousands(said as i64)),
        (Source::Within { percent, times }, _) => {
            let times = times.read(root)?;
            match times.iter().find(|(block, _)| u64::from(*block) == said) {
                None => format!("{name}: the record has no blocks of {said} threads."),
                Some((_, us)) if *percent == 0 => {
                    format!("{name}: with {said} it took {}. Another size took less.", time(*us))
                }
                Some(_) if said < right => {
                    format!("{name}: {said} is within {percent} % of the fastest, and a larger size is, too.")
                }
                Some((_, us)) => format!(
                    "{name}: with {said} it took {}, {:.0} % longer than the fastest.",
                    time(*us),
                    100.0 * (us / times[0].1 - 1.0)
                ),
            }
        }
    })
}

/// How far `said` is from `right`, without giving it away.
fn off(said: u64, right: u64) -> String {
    let direction = if said < right { "too few" } else { "too many" };
    let less = said.min(right) as f64;
    let more = said.max(right) as f64;
    let how_far = match more / less.max(1e-9) {
        ..=1.1 => "by a tenth or less",
        ..=2.0 => "by a factor of 2 or less",
        ..=4.0 => "by a factor between 2 and 4",
        _ => "by a factor of more than 4",
    };
    format!("are {direction}, {how_far}.")
}

/// Marks `text`, in which only the answers may have been changed.
pub fn mark(
    root: &Path,
    exercise: &Exercise,
    answers: &[Answer],
    plan: &Plan,
    text: &str,
) -> Result<Findings> {
    // An editor may change the ends of lines, and that of the file.
    let rest = |text: &str| {
        let lines = text.trim_end().lines().filter(|line| !is_answer(line));
        lines.map(|line| line.trim_end().to_string()).collect::<Vec<_>>()
    };
    let is_line = answers.iter().any(Answer::is_line);
    let kind = if is_line { Fault::WrongLine } else { Fault::WrongNumber };
    if rest(text) != rest(&exercise.stub()) {
        let what = format!(
            "Change only the answers: the question is about the file as it was given. `reset {}` brings it \
             back, and keeps yours beside it.",
            exercise.id
        );
        return Ok(failed(exercise, kind, what));
    }
    let lines = exercise.marked_lines();
    let mut guesses = Vec::new();
    let mut open = Vec::new();
    let mut slips = Vec::new();
    let mut unread = Vec::new();
    for answer in answers {
        let name = &answer.name;
        match answer.of(text) {
            None => {
                let what = format!("There is no line `{ANSWER}{name} NUMBER;` in {}.", exercise.file());
                return Ok(failed(exercise, kind, what));
            }
            Some(Err(none)) if none.trim_matches('?').is_empty() => open.push(name.as_str()),
            Some(Err(other)) => unread.push(format!(
                "{name}: `{other}` cannot be read. Write a whole number in digits, as in \
                 `{ANSWER}{name} 12;`."
            )),
            // No answer, and no wrong one that counts.
            Some(Ok(said)) if answer.is_line() && line_of(text, said).is_none() => {
                unread.push(format!("There is no line {said}: the file has {}.", text.lines().count()))
            }
            Some(Ok(said)) => {
                let right = right(answer, root, exercise, plan)?;
                let is_other_line = answer.is_line() && lines.iter().any(|line| u64::from(*line) == said);
                if said != right && !is_other_line {
                    slips.push(wrong(answer, root, text, said, right)?);
                }
                guesses.push(Guess { name: name.clone(), said, right });
            }
        }
    }
    if unread.is_empty() && open.is_empty() && slips.is_empty() {
        return Ok(Findings { tried: 1, guesses, ..Findings::default() });
    }
    let what = match (&unread[..], &open[..]) {
        ([], []) => slips.join("\n"),
        ([], _) if is_line => {
            "There is no answer yet. Write the number of the line where `?` stands.".to_string()
        }
        ([], open) => format!(
            "There is no number yet for: {}. Write {} where `?` stands.",
            open.join(", "),
            if open.len() == 1 { "it" } else { "each" }
        ),
        _ => unread.join("\n"),
    };
    // They count if all of them are there.
    let guesses = if guesses.len() == answers.len() { guesses } else { Vec::new() };
    let asked = exercise.evidence(root)?;
    let what = if asked.is_empty() { what } else { format!("{what}\n\n{asked}") };
    Ok(Findings { guesses, ..failed(exercise, kind, what) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_a_number_is_off_does_not_give_it_away() {
        for (said, text) in [
            (60, "are too few, by a tenth or less."),
            (32, "are too few, by a factor of 2 or less."),
            (8, "are too few, by a factor of more than 4."),
            (0, "are too few, by a factor of more than 4."),
            (200, "are too many, by a factor between 2 and 4."),
        ] {
            assert_eq!(off(said, 64), text);
        }
    }
}
