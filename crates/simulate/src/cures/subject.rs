//! What is edited and run again, how, and what that shows.

use std::path::Path;
use std::time::Duration;

use ::launch::{Held, Type, constants};
use anyhow::Result;
use cuda_source::parameters::parameters;
use kernel_compiler::in_page::Compiled;
use ptx_simulator::{Budget, Diagnostic};

/// What a reader's source does, as often as it is asked to.
pub trait Subject {
    /// The reader's file, as findings name it.
    fn file(&self) -> &Path;

    /// Whether a run that was stopped leaves something that an edit can be compared with: buffers, or a
    /// program that says itself that it failed.
    fn says_what_is_right(&self) -> bool;

    /// What is said of a run whose result is right.
    fn right(&self) -> &'static str {
        "the result is as expected"
    }

    /// The numbers that have names in `kernel`, with their values: constants of the source, and parameters
    /// where it is known what they are.
    fn numbers(&self, source: &str, kernel: &str) -> Vec<(String, u64)>;

    /// Compiles `text` in place of what the file holds.
    ///
    /// # Errors
    /// It does not compile, or not within `limit`.
    fn compiled(&self, text: &str, limit: Duration) -> Result<Compiled>;

    /// Runs what was made of `text`.
    ///
    /// # Errors
    /// It does not fit what it is to run with.
    fn run(&self, built: &Compiled, text: &str, how: &How) -> Result<Outcome>;
}

/// How a source is run.
#[derive(Clone, Debug)]
pub struct How {
    /// The order of turns; none: the reader's own.
    pub schedule: Option<u64>,
    /// Which orders of strong operations are tried, where the order of turns is the reader's own.
    pub orders: Budget,
    /// Instructions that its warps may execute.
    pub steps: u64,
}

/// What a run shows.
pub struct Outcome {
    /// What is wrong.
    pub found: Vec<Diagnostic>,
    /// Whether it came to its end.
    pub completed: bool,
    /// Whether the result is what is expected; none where nothing says what that is.
    pub is_right: Option<bool>,
    /// What it leaves.
    pub left: Vec<Held>,
    /// Instructions that its warps have executed.
    pub instructions: u64,
}

/// The constants of `source`, and the parameters of `kernel` with the numbers that each launch has given
/// them.
pub fn named(
    source: &str,
    kernel: &str,
    launches: impl Iterator<Item = Vec<Option<u64>>>,
) -> Vec<(String, u64)> {
    let names: Vec<String> = parameters(source, kernel).into_iter().map(|one| one.name).collect();
    let given = launches.flat_map(|numbers| names.clone().into_iter().zip(numbers));
    let given = given.filter_map(|(name, number)| Some((name, number?)));
    let constants = constants(source).into_iter().map(|(name, value)| (name.to_string(), value));
    let mut all: Vec<(String, u64)> = given.chain(constants).collect();
    all.dedup();
    all
}

/// A text that a run has printed, as something that it leaves.
pub fn printed(text: &str) -> Held {
    let bytes = text.as_bytes().to_vec();
    Held { name: String::new(), kind: Type::Unsigned(8), bytes, written: None, shape: None }
}
