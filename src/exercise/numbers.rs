//! Answers that are numbers, written into the file: counters that are predicted, a block size chosen from a
//! record, a line.
//!
//! | `//@ answer NAME: …` | the number is |
//! | --- | --- |
//! | `counter FIELD n=N block=B` | what the simulator counts for the kernel as it is given |
//! | `fastest STEM KERNEL n=N` | threads per block with the least time in a chapter's GPU record |
//! | `largest-within P STEM KERNEL n=N` | the most threads per block that take at most P percent longer |
//! | `given N` | N, which follows from the task |
//! | `line` | that of the line above `//@ this` |
//!
//! In the file it is the line `// The answer: NAME NUMBER;`.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::evidence::Times;
use super::plan::{self, Case, Goal, Plan};
use super::run;
use super::source::Exercise;
use super::verdict::{Failure, Guess, Passed, Verdict, failed};
use super::{code, mark, think};
use crate::build::prebuilt::source_hash;
use crate::number::thousands;

/// A number that is asked for.
#[derive(Clone, Debug)]
pub struct Answer {
    /// As it stands in the file: `barrier arrivals`.
    pub name: String,
    source: Source,
    /// Numbers that a mistake leads to, and what to say of it.
    pub slips: Vec<(u64, String)>,
}

/// Where the right number is.
#[derive(Clone, Debug)]
enum Source {
    Counter { field: String, case: Case },
    Fastest { times: Times },
    LargestWithin { percent: u32, times: Times },
    Given(u64),
    Lines(Vec<u32>),
}

/// What an answer begins with.
const ANSWER: &str = "// The answer: ";

impl Answer {
    /// `NAME: counter barriers n=256 block=256`. `lines`: those above `//@ this`.
    pub fn parse(name: &str, text: &str, lines: &[u32]) -> Result<Answer> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let source = match word {
            "counter" => {
                // As a goal is written, but for its bound.
                let (field, size) = rest.split_once(' ').context("counter FIELD n=N block=B")?;
                let goal = Goal::parse(&format!("{field} <= 0 {size}"))?;
                Source::Counter { field: field.to_string(), case: goal.case() }
            }
            "fastest" => Source::Fastest { times: Times::parse(rest)? },
            "largest-within" => {
                let (percent, rest) =
                    rest.split_once(' ').context("largest-within PERCENT STEM KERNEL n=N")?;
                Source::LargestWithin { percent: percent.parse()?, times: Times::parse(rest)? }
            }
            "given" => Source::Given(rest.parse().context("given NUMBER")?),
            "line" => Source::Lines(lines.to_vec()),
            _ => bail!("a counter, fastest, largest-within, given or line"),
        };
        Ok(Answer { name: name.to_string(), source, slips: Vec::new() })
    }

    /// The number of a line, one of `lines`.
    pub fn line(lines: Vec<u32>) -> Answer {
        Answer { name: "line".into(), source: Source::Lines(lines), slips: Vec::new() }
    }

    /// The lines, if it is the number of a line.
    pub fn lines(&self) -> &[u32] {
        if let Source::Lines(lines) = &self.source { lines } else { &[] }
    }

    /// The times that it is chosen from.
    pub fn times(&self) -> Option<&Times> {
        match &self.source {
            Source::Fastest { times } | Source::LargestWithin { times, .. } => Some(times),
            _ => None,
        }
    }

    /// The input of a predicted counter.
    pub fn case(&self) -> Option<Case> {
        if let Source::Counter { case, .. } = self.source { Some(case) } else { None }
    }

    /// What `text`, a learner's file, answers: `None` if the line is not there, `Some(None)` if there is no
    /// number in it yet.
    fn of(&self, text: &str) -> Option<Option<u64>> {
        let said = text.lines().find_map(|line| {
            line.trim_start().strip_prefix(ANSWER)?.strip_prefix(&self.name)?.strip_prefix(' ')
        })?;
        let number: String = said.split(';').next().unwrap_or("").chars().filter(|c| *c != ',').collect();
        Some(number.trim().parse().ok())
    }

    /// The right number; for a line the first that is right.
    fn right(&self, root: &Path, exercise: &Exercise, plan: &Plan) -> Result<Option<u64>> {
        Ok(match &self.source {
            Source::Counter { field, case } => {
                let Some(ptx) = code::committed(root, exercise, &source_hash(&exercise.stub()))? else {
                    return Ok(None);
                };
                let counters = run::simulate(&mark::load(exercise, &ptx)?, plan, *case)?.counters;
                plan::counter(&counters, field)
            }
            Source::Fastest { times } => times.read(root)?.first().map(|time| u64::from(time.block)),
            Source::LargestWithin { percent, times } => {
                let times = times.read(root)?;
                let most = times.first().map_or(0.0, |time| time.us) * (1.0 + f64::from(*percent) / 100.0);
                times.iter().filter(|time| time.us <= most).map(|time| u64::from(time.block)).max()
            }
            Source::Given(number) => Some(*number),
            Source::Lines(lines) => lines.first().map(|line| u64::from(*line)),
        })
    }

    /// What is to be said of `said`, which is not `right`.
    fn wrong(&self, root: &Path, text: &str, said: u64, right: u64) -> Result<String> {
        let name = &self.name;
        if let Some((_, slip)) = self.slips.iter().find(|(number, _)| *number == said) {
            return Ok(match &self.source {
                Source::Lines(_) => format!("It is not line {said}: {slip}"),
                _ => format!("{name}: not {}. {slip}", thousands(said as i64)),
            });
        }
        Ok(match &self.source {
            Source::Counter { .. } => format!("{name}: {} {}", thousands(said as i64), off(said, right)),
            Source::Fastest { times } => {
                let times = times.read(root)?;
                match times.iter().find(|time| u64::from(time.block) == said) {
                    Some(time) => format!("{name}: with {said} it took {time}. Another size took less."),
                    None => format!("{name}: the record has no blocks of {said} threads."),
                }
            }
            Source::LargestWithin { percent, times } => {
                let times = times.read(root)?;
                let least = times.first().map_or(1.0, |time| time.us);
                match times.iter().find(|time| u64::from(time.block) == said) {
                    Some(_) if said < right => {
                        format!(
                            "{name}: {said} is within {percent} % of the fastest, and a larger size is, too."
                        )
                    }
                    Some(time) => format!(
                        "{name}: with {said} it took {time}, {:.0} % longer than the fastest.",
                        100.0 * (time.us / least - 1.0)
                    ),
                    None => format!("{name}: the record has no blocks of {said} threads."),
                }
            }
            Source::Given(_) => format!("{name}: {} {}", thousands(said as i64), off(said, right)),
            Source::Lines(_) => {
                let line = text.lines().nth((said as usize).saturating_sub(1)).unwrap_or("").trim();
                format!("It is not line {said}: `{line}`")
            }
        })
    }
}

/// Whether a line of the learner's file is an answer.
pub fn is_answer(line: &str) -> bool {
    line.trim_start().starts_with(ANSWER)
}

/// How far `said` is from `right`, without giving it away.
fn off(said: u64, right: u64) -> String {
    let direction = if said < right { "too few" } else { "too many" };
    let (less, more) = (said.min(right) as f64, said.max(right) as f64);
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
) -> Result<Verdict> {
    let rest =
        |text: &str| text.lines().filter(|line| !is_answer(line)).map(str::to_string).collect::<Vec<_>>();
    let is_line = answers.iter().any(|answer| !answer.lines().is_empty());
    let kind = if is_line { "wrong-line" } else { "wrong-number" };
    if rest(text) != rest(&exercise.stub()) {
        let what = format!(
            "Only the answers are to be changed: what is asked is about the file as it was given. `reset {}` \
             brings it back, and keeps yours.",
            exercise.id
        );
        return Ok(failed(exercise, kind, what));
    }
    let (mut guesses, mut open, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for answer in answers {
        let name = &answer.name;
        let Some(said) = answer.of(text) else {
            let what = format!("There is no line `{ANSWER}{name} NUMBER;` in {}.", exercise.path);
            return Ok(failed(exercise, kind, what));
        };
        let Some(said) = said else {
            open.push(name.clone());
            continue;
        };
        let Some(right) = answer.right(root, exercise, plan)? else { return Ok(Verdict::NoNvcc) };
        if said != right && !answer.lines().contains(&u32::try_from(said).unwrap_or(0)) {
            wrong.push(answer.wrong(root, text, said, right)?);
        }
        guesses.push(Guess { name: name.clone(), said, right });
    }
    let asked = exercise.evidence(root)?;
    let asked = if asked.is_empty() { asked } else { format!("\n\n{asked}") };
    if !open.is_empty() {
        let what = match is_line {
            true => format!("There is no answer yet: its number belongs where `?` stands.{asked}"),
            false => {
                format!(
                    "There is no number yet for: {}. It belongs where `?` stands.{asked}",
                    open.join(", ")
                )
            }
        };
        return Ok(failed(exercise, kind, what));
    }
    if wrong.is_empty() {
        return Ok(Verdict::Passed(Box::new(Passed { tried: 1, guesses, ..Passed::default() })));
    }
    let what = format!("{}{asked}", wrong.join("\n"));
    let think = think::sentence(exercise, &[kind.to_string()]);
    let kinds = vec![kind.to_string()];
    Ok(Verdict::Failed(Box::new(Failure { kinds, what, guesses, think, ..Failure::default() })))
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

    #[test]
    fn an_answer_is_read_from_its_line() {
        let answer = Answer::parse("barrier arrivals", "given 64", &[]).unwrap();
        let of = |line: &str| answer.of(&format!("// A file.\n{line}\n"));
        assert_eq!(of("// The answer: barrier arrivals 1,064;"), Some(Some(1064)));
        assert_eq!(of("  // The answer: barrier arrivals ?;"), Some(None));
        assert_eq!(of("// The answer: barriers 64;"), None);
    }
}
