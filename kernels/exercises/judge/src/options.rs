//! The command line of `exercise`.

use clap::{Parser, Subcommand};
use device::DeviceChoice;
use kernel_compiler::compiler::Maker;

use super::id::Id;

/// How the learner calls the program.
pub const COMMAND: &str = "cargo run --example exercise --";

const AFTER: &str = "Without a verb and a number it lists the exercises.

Exit status: 0 it passes; 1 it does not; 2 the command line or the environment is wrong.";

#[derive(Clone, Debug, Parser)]
#[command(
    name = "exercise",
    bin_name = COMMAND,
    override_usage = "cargo run --example exercise -- [VERB] [N.M] [OPTIONS]",
    about = "The exercises of the workbook: lists, checks, hints, solutions",
    after_help = AFTER,
    disable_help_subcommand = true
)]
pub struct Options {
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Where an answer runs: sim; gpu: there too, with its time; auto: there too if a GPU is usable
    #[arg(long, value_enum, default_value_t = DeviceChoice::Sim, global = true)]
    pub device: DeviceChoice,
    /// Compile your kernel with nvcc or with clang, also where it is a text that is built already
    #[arg(long, value_name = "nvcc|clang", global = true)]
    pub compiler: Option<Maker>,
    /// With a check: write a small launch of your kernel as a figure that plays, one HTML file in target/
    #[arg(long, global = true)]
    pub figure: bool,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, Subcommand)]
#[command(subcommand_help_heading = "Verbs")]
pub enum Verb {
    /// Lists all exercises, or those of a chapter, and what to do next; the word `list` may be left out
    List {
        /// The chapter, like 3
        #[arg(value_name = "N")]
        chapter: Option<u32>,
    },
    /// Checks your answer; the word `check` may be left out
    Check {
        /// The exercise, like 3.1
        #[arg(value_name = "N.M")]
        id: Id,
    },
    /// The next hint
    Hint {
        /// The exercise; without it the one checked last, or the next one if that is done
        #[arg(value_name = "N.M")]
        id: Option<Id>,
    },
    /// Why it is as it is: the question after an exercise that is done, with its answer
    Why {
        /// The exercise, like 3.1
        #[arg(value_name = "N.M")]
        id: Id,
    },
    /// Checks on every save, and moves on when you press Enter
    Watch {
        /// Where to begin; without it the one checked last, or the next one if that is done
        #[arg(value_name = "N.M")]
        id: Option<Id>,
    },
    /// Brings the task back; your file is kept beside it
    Reset {
        /// The exercise, like 3.1
        #[arg(value_name = "N.M")]
        id: Id,
    },
    /// A solution, once yours has passed; before, with --give-up
    Solution {
        /// The exercise; without it the one checked last, or the next one if that is done
        #[arg(value_name = "N.M")]
        id: Option<Id>,
        /// Show a solution that has not been earned yet
        #[arg(long)]
        give_up: bool,
    },
}

impl Options {
    /// The options of this process, where `3.1` is `check 3.1`, and `3` is `list 3`; a wrong one ends it with
    /// exit status 2 and a message.
    pub fn parse_or_exit() -> Options {
        let mut words: Vec<String> =
            std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
        if let Some(before) = words.iter().skip(1).position(is_number)
            && !words[1..=before].iter().any(|word| Verb::has_subcommand(word))
        {
            let is_chapter = words[1 + before].bytes().all(|byte| byte.is_ascii_digit());
            words.insert(1 + before, if is_chapter { "list" } else { "check" }.into());
        }
        Options::try_parse_from(words).unwrap_or_else(|error| text::say::usage(&error, error.exit_code()))
    }
}
