//! A number that is asked for, as the solution's file says it and as the learner writes it: a predicted
//! counter, a block size chosen from a record, a line.
//!
//! | `source` | the number is |
//! | --- | --- |
//! | `counter FIELD n=N block=B` | what the simulator counts for the kernel as it is given |
//! | `fastest STEM KERNEL n=N` | threads per block with the least time in a chapter's GPU record |
//! | `largest-within P STEM KERNEL n=N` | the most threads per block that take at most P percent longer |
//! | `given N` | N, which follows from the task |
//! | `line` | that of the line above `//@ this` |
//!
//! In the file it is the line `// The answer: NAME NUMBER;`.

use anyhow::{Context, Result, bail};

use super::case::Case;
use super::evidence::Times;
use super::goal::Goal;

/// A number that is asked for.
#[derive(Clone, Debug)]
pub struct Answer {
    /// As it stands in the file: `barrier arrivals`.
    pub name: String,
    pub source: Source,
    /// Numbers that a mistake leads to, and what to say of it; of a line its text.
    pub slips: Vec<(String, String)>,
}

/// Where the right number is.
#[derive(Clone, Debug)]
pub enum Source {
    /// What the simulator counts.
    Counter { field: String, case: Case },
    /// The largest block size that takes at most so much longer than the fastest; 0: the fastest.
    Within { percent: u32, times: Times },
    /// It follows from the task.
    Given(u64),
    /// That of a marked line of the exercise.
    Line,
}

/// Larger numbers are taken for this one: no answer is as large.
const MAX_ANSWER: u64 = i64::MAX as u64;
/// What an answer begins with.
pub const ANSWER: &str = "// The answer: ";

impl Answer {
    /// `NAME: counter barriers n=256 block=256`.
    pub fn parse(name: &str, text: &str) -> Result<Answer> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let source = match word {
            "counter" => {
                // As a goal is written, but for its bound.
                let (field, size) = rest.split_once(' ').context("counter FIELD n=N block=B")?;
                let goal = Goal::parse(&format!("{field} <= 0 {size}"))?;
                Source::Counter { field: field.to_string(), case: goal.case }
            }
            "fastest" => Source::Within { percent: 0, times: Times::parse(rest)? },
            "largest-within" => {
                let (percent, rest) =
                    rest.split_once(' ').context("largest-within PERCENT STEM KERNEL n=N")?;
                Source::Within { percent: percent.parse()?, times: Times::parse(rest)? }
            }
            "given" => Source::Given(rest.parse().context("given NUMBER")?),
            "line" => Source::Line,
            _ => bail!("a counter, fastest, largest-within, given or line"),
        };
        Ok(Answer { name: name.to_string(), source, slips: Vec::new() })
    }

    /// Whether it is the number of a line.
    pub fn is_line(&self) -> bool {
        matches!(self.source, Source::Line)
    }

    /// The times that it is chosen from.
    pub fn times(&self) -> Option<&Times> {
        if let Source::Within { times, .. } = &self.source { Some(times) } else { None }
    }

    /// The input of a predicted counter.
    pub fn case(&self) -> Option<Case> {
        if let Source::Counter { case, .. } = self.source { Some(case) } else { None }
    }

    /// What `text`, a learner's file, answers: `None` if the line is not there, else the number, or what
    /// stands there that is none.
    pub fn of(&self, text: &str) -> Option<Result<u64, String>> {
        let said = text.lines().find_map(|line| {
            line.trim_start().strip_prefix(ANSWER)?.strip_prefix(&self.name)?.strip_prefix(' ')
        })?;
        let written = said.split(';').next().unwrap_or("").trim();
        let said = written.strip_prefix("line ").unwrap_or(written);
        let said = said.strip_suffix(".0").unwrap_or(said);
        let is_between = |c: char| c == ',' || c == '_' || c.is_whitespace();
        let number: String = said.chars().filter(|c| !is_between(*c)).collect();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        Some(if is_number {
            Ok(number.parse().unwrap_or(MAX_ANSWER).min(MAX_ANSWER))
        } else {
            Err(written.to_string())
        })
    }
}

/// Whether a line of the learner's file is an answer.
pub fn is_answer(line: &str) -> bool {
    line.trim_start().starts_with(ANSWER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_from_its_line() {
        let answer = Answer::parse("barrier arrivals", "given 64").unwrap();
        let of = |line: &str| answer.of(&format!("// A file.\n{line}\n"));
        assert_eq!(of("// The answer: barrier arrivals 1,064;"), Some(Ok(1064)));
        assert_eq!(of("// The answer: barrier arrivals 1 064;"), Some(Ok(1064)));
        assert_eq!(of("// The answer: barrier arrivals 64.0;"), Some(Ok(64)));
        assert_eq!(of("// The answer: barrier arrivals line 18;"), Some(Ok(18)));
        assert_eq!(of("// The answer: barrier arrivals 64.5;"), Some(Err("64.5".into())));
        assert_eq!(of("  // The answer: barrier arrivals ?;"), Some(Err("?".into())));
        assert_eq!(of("// The answer: barriers 64;"), None);
        let largest = "// The answer: barrier arrivals 99999999999999999999999;";
        assert_eq!(of(largest), Some(Ok(MAX_ANSWER)));
        assert_eq!(of("// The answer: barrier arrivals -1;"), Some(Err("-1".into())));
    }
}
