//! What a check of an answer says.

use ptx_simulator::Diagnostic;
use serde::{Serialize, Serializer};
use text::number::{thousands, two_digits};

use super::case::Case;
use super::fault::Fault;
use super::source::Exercise;
use super::think::{self, Topic};

/// A number that was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Guess {
    /// `barrier arrivals`
    pub name: String,
    /// What the learner says.
    pub said: u64,
    /// What it is.
    pub right: u64,
}

/// What a check finds out about an answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// For how many inputs it is right, if for all.
    pub tried: usize,
    /// Why it does not pass; empty if it does. `think.rs` has a sentence for each.
    pub kinds: Vec<Fault>,
    /// What is wrong, in a sentence or with what a compiler said. If it passes: what there is to remark, in
    /// whole sentences, or nothing.
    pub what: String,
    /// What the simulator has found for the first input that fails; if it passes, what may go wrong
    /// elsewhere.
    pub diagnostics: Vec<Diagnostic>,
    /// The line of the learner's file that stored a wrong result.
    pub line: Option<u32>,
    /// What it costs; empty if the result is wrong.
    pub counts: Counts,
    /// What it wrote by `printf` or `println!` for one input, below a line that says for which.
    pub printed: String,
    /// The numbers that were asked for; empty if some are missing.
    pub guesses: Vec<Guess>,
    /// What the compiler warned of.
    pub warnings: String,
    /// One sentence on what to think about.
    pub think: String,
}

/// What an answer costs, beside the task as it is given and the solution.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// For which input; `None`: for all together.
    #[serde(serialize_with = "in_words")]
    pub at: Option<Case>,
    /// Whose code was counted: `nvcc 13.0.88`. Empty if it does not matter.
    pub compiler: String,
    /// Empty if nothing is counted.
    pub rows: Vec<Counted>,
}

/// A counter.
#[derive(Clone, Debug, Serialize)]
pub struct Counted {
    /// `divergent branches`
    pub name: String,
    /// Of the task as it is given, if that ends.
    pub given: Option<u64>,
    /// Of the answer.
    pub yours: u64,
    /// Of the solution.
    pub reference: Option<u64>,
    /// The goal: at most this many.
    pub most: Option<u64>,
}

fn in_words<S: Serializer>(case: &Option<Case>, serializer: S) -> Result<S::Ok, S::Error> {
    case.map(|case| case.to_string()).serialize(serializer)
}

/// An answer that costs this many times what the solution costs is wasteful, if that is no matter of a few.
const WASTE: u64 = 2;
const FEW: u64 = 16;
/// What a puzzle's reader knows of that.
const IN_PUZZLES: [&str; 2] = ["barrier arrivals", "atomic operations"];

impl Counts {
    /// What a right answer to `exercise` wastes most, beside the solution, as `with 3 times the barrier
    /// arrivals of the solution`; nothing of one that gets by with fewer instructions.
    pub fn waste(&self, exercise: &Exercise) -> Option<String> {
        let instructions = self.rows.first()?;
        if instructions.yours < instructions.reference? {
            return None;
        }
        let ratio = |row: &Counted| row.yours as f64 / row.reference.unwrap_or_default() as f64;
        let is_waste = |row: &&Counted| {
            let reference = row.reference.unwrap_or_default();
            let is_known = !exercise.is_puzzle() || IN_PUZZLES.contains(&row.noun());
            is_known && reference > 0 && row.yours >= WASTE * reference && row.yours - reference >= FEW
        };
        let most =
            self.rows.iter().filter(is_waste).max_by(|one, other| ratio(one).total_cmp(&ratio(other)))?;
        let times = two_digits(ratio(most));
        let times = times.trim_end_matches(".0");
        Some(format!("with {times} times the {} of the solution", most.noun()))
    }
}

impl Counted {
    /// Its name without the unit: `barrier arrivals`.
    fn noun(&self) -> &str {
        self.name.split(" (").next().unwrap_or_default()
    }

    /// Whether the answer costs no more than it may.
    pub fn is_met(&self) -> bool {
        self.most.is_none_or(|most| self.yours <= most)
    }
}

impl Findings {
    /// A failure of these kinds, with the sentence for the first of them.
    pub fn new(exercise: &Exercise, kinds: &[Fault], what: String, diagnostics: Vec<Diagnostic>) -> Findings {
        let found = diagnostics.iter().map(|found| Fault::Found(found.kind));
        let kinds: Vec<Fault> = found.chain(kinds.iter().copied()).collect();
        let topics: Vec<Topic> = kinds.iter().copied().map(Topic::Fault).collect();
        let think = think::sentence(exercise, &topics, &diagnostics);
        Findings { kinds, what, diagnostics, think, ..Findings::default() }
    }

    /// Whether the answer is right, and within its goals.
    pub fn passes(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The same, where there is something better to think about.
    pub fn about(self, exercise: &Exercise, topic: Topic) -> Findings {
        Findings { think: think::sentence(exercise, &[topic], &[]), ..self }
    }
}

/// A failure of one kind.
pub fn failed(exercise: &Exercise, kind: Fault, what: String) -> Findings {
    Findings::new(exercise, &[kind], what, Vec::new())
}

/// The failure of a right answer that misses a goal.
pub fn missed_goal(exercise: &Exercise, noun: &str, tried: usize, counts: &Counts) -> Option<Findings> {
    let missed = counts.rows.iter().find(|row| !row.is_met())?;
    let name = missed.noun();
    let [yours, most] = [missed.yours, missed.most.unwrap_or_default()].map(|count| thousands(count as i64));
    let what = format!(
        "The {noun} is right for all {tried} inputs, but {yours} {name} are too many: the goal is {most}."
    );
    let topics = [Topic::Counter(&missed.name), Topic::Fault(Fault::Goal)];
    let think = think::sentence(exercise, &topics, &[]);
    Some(Findings { counts: counts.clone(), think, ..failed(exercise, Fault::Goal, what) })
}
