//! What a check of an answer says.

use super::plan::Goal;
use super::source::Exercise;
use super::think;
use crate::sim::Diagnostic;

/// What a check says.
#[derive(Debug)]
pub enum Verdict {
    /// Right; how many inputs were tried, and the goals.
    Passed {
        /// How many inputs.
        tried: usize,
        /// All of them are met.
        goals: Vec<Reached>,
    },
    /// It does not pass, and why.
    Failed(Box<Failure>),
    /// It cannot be checked without nvcc.
    NoNvcc,
}

/// Why an answer does not pass.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// The kinds of the diagnostics; or one of `wrong-result`, `input-changed`, `goal`, `wrong-line`,
    /// `compile-error`, `missing-file`, `missing-kernel`, `unreadable`, and for Rust `panic`,
    /// `stack-overflow`, `time-limit`.
    pub kinds: Vec<String>,
    /// What is wrong, in a sentence or with what a compiler said.
    pub what: String,
    /// What the simulator has found for the first input that fails.
    pub diagnostics: Vec<Diagnostic>,
    /// The line of the learner's file that stored a wrong result.
    pub line: Option<u32>,
    /// With at least one that is not met; empty if the result is wrong.
    pub goals: Vec<Reached>,
    /// What device `printf` wrote.
    pub printed: String,
    /// What nvcc warned of.
    pub warnings: String,
    /// One sentence on what to think about.
    pub think: String,
}

/// A goal beside what the answer and the solution have.
#[derive(Clone, Debug)]
pub struct Reached {
    /// What the exercise asks for.
    pub goal: Goal,
    /// The counter's value for the answer.
    pub yours: u64,
    /// The same for the solution.
    pub reference: Option<u64>,
}

impl Reached {
    /// Whether the answer costs no more than it may.
    pub fn is_met(&self) -> bool {
        self.yours <= self.goal.most
    }
}

/// A failure of one kind, with the sentence for it.
pub fn failed(exercise: &Exercise, kind: &str, what: String) -> Verdict {
    let think = think::sentence(exercise, &[kind.to_string()]);
    Verdict::Failed(Box::new(Failure { kinds: vec![kind.to_string()], what, think, ..Failure::default() }))
}

/// An answer that is right, and misses a goal.
pub fn too_much(exercise: &Exercise, noun: &str, tried: usize, goals: Vec<Reached>) -> Verdict {
    let missed = goals.iter().find(|reached| !reached.is_met()).map(|reached| reached.goal.name());
    let about: Vec<String> = missed.into_iter().chain(["goal".to_string()]).collect();
    Verdict::Failed(Box::new(Failure {
        kinds: vec!["goal".into()],
        what: format!("The {noun} is right for all {tried} inputs, and it costs too much."),
        goals,
        think: think::sentence(exercise, &about),
        ..Failure::default()
    }))
}
