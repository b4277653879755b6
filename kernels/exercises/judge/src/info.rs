//! An exercise's metadata, all but its code: `kernels/exercises/solutions/STEM.toml`.
//!
//! | key | meaning |
//! | --- | --- |
//! | `id`, `title`, `task` | `2.1`; as the list shows it; Markdown, in the lines of the learner's file |
//! | `learn`, `minutes` | `how …`: "You learn how …."; about how long it takes |
//! | `difficulty` | `easy`, `takes thought` or `hard`: [`Difficulty`] |
//! | `page` | the title of the book's page, if it is none of the chapter's |
//! | `race` | whether the task has a data race, in its source |
//! | `profile` | whether what `ncu` counted for each line is shown |
//! | `goals` | `FIELD <= N n=N block=B`: what the answer may cost at that size |
//! | `rungs` | a blank page, which any right answer fills: the kernels that it is compared with, [`Rungs`] |
//! | `hints` | in the order in which they are given |
//! | `why`, `because` | a question for after it has passed, and its answer |
//! | `[host]` | how the host launches it: [`Host`] |
//! | `[think]` | what to think about when a check fails with this fault, or with a race of this shape |
//! | `[[answers]]` | a number that is asked for: [`Asked`] |
//! | `[[mutants]]` | another answer: wrong if it has `fails`, else right: [`Other`] |
//!
//! `fault.rs` has the names of faults, `think.rs` those of the shapes of a race, `goal.rs` the fields of a
//! goal. Prose may be wrapped anywhere, but for `task`, whose lines become a comment of the learner's file. A
//! page has no TOML parser: it gets [`Info`] as JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use text::files::read_lines;

use super::each::GROUP;

/// Where the solutions are, from the repository root.
pub const SOLUTIONS: &str = "kernels/exercises/solutions";

/// An exercise's metadata.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Info {
    pub id: String,
    pub title: String,
    pub task: String,
    pub learn: String,
    pub minutes: u32,
    pub difficulty: Difficulty,
    #[serde(default)]
    pub page: Option<String>,
    #[serde(default)]
    pub race: bool,
    #[serde(default)]
    pub profile: bool,
    #[serde(default)]
    pub goals: Vec<String>,
    #[serde(default)]
    pub rungs: Option<Rungs>,
    pub hints: Vec<String>,
    #[serde(default)]
    pub why: String,
    #[serde(default)]
    pub because: String,
    pub host: Host,
    #[serde(default)]
    pub think: BTreeMap<String, String>,
    #[serde(default)]
    pub answers: Vec<Asked>,
    #[serde(default)]
    pub mutants: Vec<Other>,
}

/// What an exercise asks for. The minutes don't say it: some short ones are hard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Difficulty {
    /// What the page has just shown.
    #[default]
    #[serde(rename = "easy")]
    Easy,
    /// To find out where, why or how many.
    #[serde(rename = "takes thought")]
    TakesThought,
    /// Several techniques at once, or the order of memory accesses.
    #[serde(rename = "hard")]
    Hard,
}

impl fmt::Display for Difficulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difficulty::Easy => "easy",
            Difficulty::TakesThought => "takes thought",
            Difficulty::Hard => "hard",
        })
    }
}

/// The host's side: a Rust function, launches, or what a whole program prints.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Host {
    /// A Rust exercise: the function.
    pub function: Option<String>,
    /// A whole program: what it prints.
    pub prints: Option<String>,
    /// `KERNEL<<<GRID, block>>> ARG …`; see `plan.rs`.
    pub launches: Vec<String>,
    /// Where the result is: `partials` (if it is not said), `out`, `total`, `results`
    /// or `halves`.
    pub result: Option<String>,
    /// What is computed: `sum` (if it is not said), `squares`, `max`, `min`, `range`, `floats`, `odd`; or,
    /// for each number, `doubled`, `plus-row`, `neighbours`, `reversed`, `plus-first`, `halves`.
    pub op: Option<String>,
    /// The lengths of a group of rows of a ragged array, whose sums are what is computed.
    pub rows: Option<[u16; GROUP]>,
    /// Lengths, if not the usual ones.
    pub sizes: Option<Vec<usize>>,
    /// Threads per block, if not the usual ones.
    pub blocks: Option<Vec<u32>>,
    /// Only lengths that fit one block.
    pub one_block: bool,
    /// One block with as many threads as there are numbers.
    pub exact: bool,
    /// Numbers of two digits at most, as they are wherever each has a result of its own.
    pub small: bool,
    /// Only lengths that need at most this many blocks.
    pub most_blocks: Option<u32>,
}

/// Kernels of a chapter, as its record on the simulator has them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rungs {
    /// The stem of the record: `ch7_limit`.
    pub record: String,
    /// Elements.
    pub n: u64,
    /// In the order in which they are shown.
    pub kernels: Vec<String>,
}

impl Rungs {
    /// The record, from the repository root.
    pub fn file(&self) -> String {
        format!("book/records/{}.sim.json", self.record)
    }
}

/// A number that is asked for.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// As it stands in the learner's file: `barrier arrivals`.
    pub name: String,
    /// How it is known; see `answer.rs`.
    pub source: String,
    /// Where mistakes lead.
    #[serde(default)]
    pub slips: Vec<Slip>,
}

/// An answer that a mistake leads to.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Slip {
    /// The number; of a line its code.
    pub of: String,
    /// What is said of it.
    pub say: String,
}

/// A variant of the solution that the tests run: it must fail with `fails`, or pass if there is none.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Other {
    /// What it does, in a word or two.
    pub name: String,
    /// What it fails with; nothing if it is as right as the solution.
    pub fails: Option<String>,
    /// How it differs from the solution: an edit (`cuda_source::edit`).
    pub edit: String,
    /// All of its code, if it has little in common with the solution.
    pub code: String,
    /// One of `mutants.toml`, by name, in place of the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// Of a shared one: how many chunks of `blockDim.x` numbers a block adds up, if not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u32>,
}

/// A wrong answer that many exercises try.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    fails: String,
    code: String,
}

/// Those answers, by name.
pub type AllShared = BTreeMap<String, Shared>;

/// Reads `mutants.toml`.
///
/// # Errors
/// The file is missing or malformed.
#[cfg(not(target_family = "wasm"))]
pub fn shared(root: &Path) -> Result<AllShared> {
    let file = format!("{SOLUTIONS}/mutants.toml");
    let text = read_lines(&root.join(&file)).with_context(|| format!("cannot read {file}"))?;
    toml::from_str(&text).context(file)
}

/// A page gets each of them where it is used.
#[cfg(target_family = "wasm")]
pub fn shared(_: &Path) -> Result<AllShared> {
    Ok(AllShared::new())
}

impl Info {
    /// Reads the metadata of `stem`.
    ///
    /// # Errors
    /// The file is missing or malformed; the error names the line.
    pub fn read(root: &Path, stem: &str) -> Result<Info> {
        let file = format!("{SOLUTIONS}/{stem}.{EXTENSION}");
        let text = read_lines(&root.join(&file)).with_context(|| format!("cannot read {file}"))?;
        Info::parse(&text).context(file)
    }

    /// Reads it from the text of its file.
    ///
    /// # Errors
    /// It is malformed; the error names the line. Or a line of the task is too long for the learner's file.
    #[cfg(not(target_family = "wasm"))]
    pub fn parse(text: &str) -> Result<Info> {
        let info: Info = toml::from_str(text)?;
        for (at, line) in info.task.trim().lines().enumerate() {
            let columns = line.chars().count();
            ensure!(
                columns <= MAX_TASK,
                "line {} of `task` has {columns} columns; at most {MAX_TASK}, since it becomes a comment of \
                 the learner's file",
                at + 1
            );
        }
        Ok(info)
    }

    #[cfg(target_family = "wasm")]
    fn parse(text: &str) -> Result<Info> {
        Ok(serde_json::from_str(text)?)
    }

    /// Puts in the shared answers, for a solution with this `code`.
    ///
    /// # Errors
    /// There is none of that name, or the solution has no kernel.
    pub fn with_shared(mut self, all: &AllShared, code: &str) -> Result<Info> {
        for other in &mut self.mutants {
            let Some(name) = other.shared.take() else { continue };
            let template = all.get(&name).with_context(|| format!("mutants.toml has no {name}"))?;
            let kernel = signature(code).context("the solution has no kernel")?;
            let factor = match other.chunks.take() {
                Some(chunks) => format!("{chunks} * "),
                None => String::new(),
            };
            let code = template.code.replace("SIGNATURE", kernel).replace("CHUNK * ", &factor);
            *other = Other { name, fails: Some(template.fails.clone()), code, ..Other::default() };
        }
        for other in &self.mutants {
            let Other { name, edit, code, .. } = other;
            ensure!(!name.is_empty(), "a mutant has no name");
            ensure!(edit.is_empty() != code.is_empty(), "mutant {name}: either `edit` or `code`");
        }
        Ok(self)
    }
}

/// Columns of a line of a task: those of a line of code, without the marks of a comment.
#[cfg(not(target_family = "wasm"))]
const MAX_TASK: usize = 110 - "// ".len();

/// What an [`Info`] lies in.
pub const EXTENSION: &str = if cfg!(target_family = "wasm") { "json" } else { "toml" };

/// A kernel up to its body: `extern "C" __global__ void reduce(int *data, unsigned int size)`.
fn signature(code: &str) -> Option<&str> {
    let from = &code[code.find("extern \"C\" __global__")?..];
    Some(&from[..=from.find(')')?])
}

/// Running text in one line.
pub fn prose(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
