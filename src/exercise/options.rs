//! The command line of `exercise`.

use anyhow::{Context, Result, bail};
use clap::Parser;

use super::source::Id;
use crate::device::DeviceChoice;

/// How the learner calls the program.
pub const COMMAND: &str = "cargo run --example exercise --";

const VERBS: &str = "  (nothing)            lists all exercises, and what to do next
  3.1                  checks your answer to 3.1
  hint 3.1             the next hint
  watch                checks on every save, and moves on; watch 3.1 begins there
  reset 3.1            brings the task back; your file is kept beside it
  solution 3.1         a solution, once yours has passed; before, with --give-up
Without a number, hint and solution mean the next exercise that is not done.

Exit status: 0 it passes; 1 it does not; 2 the command line or the environment is wrong.";

#[derive(Clone, Debug, Parser)]
#[command(
    name = "exercise",
    bin_name = COMMAND,
    override_usage = "cargo run --example exercise -- [VERB] [N.M] [OPTIONS]",
    about = "The exercises of the workbook: lists, checks, hints, solutions",
    after_help = VERBS
)]
pub struct Options {
    /// What to do (below), and the number of the exercise
    #[arg(value_name = "VERB N.M")]
    words: Vec<String>,
    /// Where an answer runs: sim; gpu: there too, with its time; auto: there too if a GPU is usable
    #[arg(long, value_enum, default_value_t = DeviceChoice::Sim)]
    pub device: DeviceChoice,
    /// Show a solution that has not been earned yet
    #[arg(long)]
    pub give_up: bool,
}

/// What is to be done. Without a number it means the next exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    List,
    Check(Id),
    Hint(Option<Id>),
    Watch(Option<Id>),
    Reset(Id),
    Solution(Option<Id>),
}

impl Options {
    /// What the words mean.
    pub fn verb(&self) -> Result<Verb> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let id = |text: &str| {
            Id::parse(text)
                .with_context(|| format!("`{text}` is no number of an exercise; write it like 3.1"))
        };
        let optional = |words: &[&str]| match words {
            [] => Ok(None),
            [one] => id(one).map(Some),
            _ => bail!("one exercise at a time"),
        };
        Ok(match &words[..] {
            [] | ["list"] => Verb::List,
            ["hint", rest @ ..] => Verb::Hint(optional(rest)?),
            ["watch", rest @ ..] => Verb::Watch(optional(rest)?),
            ["solution", rest @ ..] => Verb::Solution(optional(rest)?),
            ["reset", one] => Verb::Reset(id(one)?),
            ["check", one] => Verb::Check(id(one)?),
            ["reset"] => bail!("reset wants a number: {COMMAND} reset 3.1"),
            [one] if one.starts_with(|c: char| c.is_ascii_digit()) => Verb::Check(id(one)?),
            [word, ..] => bail!("`{word}` is not understood. What there is:\n{VERBS}"),
        })
    }
}
