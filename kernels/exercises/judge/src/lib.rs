//! The exercises: what `cargo run --example exercise` does.
//!
//! An exercise is a solution in `kernels/exercises/solutions/`, and a TOML file beside it. The learner's file
//! in `kernels/exercises/` is derived from both, and so are the wrong answers that the tests try.
//!
//! | file | job |
//! | --- | --- |
//! | `options.rs` | the command line |
//! | `catalogue.rs` | which exercises there are |
//! | `info.rs` | what its TOML file says |
//! | `source.rs`, `id.rs` | one exercise, read; its number |
//! | `texts.rs` | stub, solution and mutants, derived from it |
//! | `case.rs` | one input of an exercise |
//! | `plan.rs` | how the host launches an answer, for which inputs |
//! | `op.rs`, `each.rs` | what it should compute: one number, or one for each |
//! | `goal.rs` | what it may cost |
//! | `code.rs` | from an answer to PTX: the committed build, or a compiler |
//! | `compiler.rs`, `page.rs` | that of this machine, or of the page that this runs in |
//! | `header.rs` | what stands above the PTX of an answer that is a whole program |
//! | `program.rs` | answers that are whole programs: how they are run and marked |
//! | `run.rs` | one input on a device |
//! | `mark.rs` | marks an answer: from its text to the verdict |
//! | `fit.rs` | whether its kernels can be launched at all |
//! | `tried.rs` | what is wrong with what it did with one input |
//! | `verdict.rs`, `fault.rs`, `think.rs` | the verdict: why it fails, what to think about |
//! | `summary.rs` | for which inputs an answer fails, in a few words |
//! | `weigh.rs` | which elements a wrong result leaves out or counts twice |
//! | `names.rs` | the names of the source for what the simulator finds: `g_data[2]` |
//! | `remark.rs` | what is remarked on an answer that passes |
//! | `rungs.rs` | a blank page: what an answer costs, beside the reader's best and a chapter's kernels |
//! | `rules.rs` | right answers that are not what was asked for, by who does the work (`crates/effort/`) |
//! | `wrapping.rs` | differences that do not fit an `int` |
//! | `own.rs` | answers that bring in other files |
//! | `answer.rs`, `numbers.rs`, `evidence.rs` | answers that are numbers: how they are marked, and by what |
//! | `figure.rs` | a small launch of an answer as a figure |
//! | `cures.rs` | for how many mutants a cure is found: a test, which makes the appendix' numbers |
//! | `state.rs` | what the learner has done so far |
//! | `show.rs` | what is said |
//! | `said.rs` | how that is shown: as text in a terminal, as HTML in a page |
//! | `machine/` | the exercises in Rust, the GPU: what a page has not |
//! | `session.rs` | the verbs: list, check, hint, why, reset, solution |
//! | `terminal.rs` | these and `watch` in a terminal |

mod answer;
mod case;
pub mod catalogue;
pub mod code;
pub mod compiler;
#[cfg(test)]
mod cures;
mod each;
mod evidence;
pub mod fault;
mod figure;
mod fit;
mod goal;
mod header;
pub mod id;
pub mod info;
mod lost;
#[cfg(not(target_family = "wasm"))]
mod machine;
pub mod mark;
mod names;
pub mod numbers;
mod op;
mod options;
mod own;
pub mod page;
mod plan;
mod program;
mod remark;
mod rules;
mod run;
mod rungs;
mod said;
mod session;
mod show;
pub mod source;
mod state;
mod summary;
#[cfg(not(target_family = "wasm"))]
mod terminal;
mod texts;
mod think;
mod tried;
pub mod verdict;
mod weigh;
mod wrapping;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use compiler::Compiler;
use options::{Options, Verb};
use page::{Page, Wanted};
use session::Session;
pub use session::Shown;
use source::{Exercise, Kind};
#[cfg(not(target_family = "wasm"))]
pub use terminal::run;

/// What a page has to compile before [`run_in`] does what this process's words ask for; nothing, if that
/// compiles nothing, or is wrong.
///
/// # Errors
/// The exercises cannot be read.
pub fn wanted() -> Result<Vec<Wanted>> {
    let options = Options::parse_or_exit();
    let root = kernel_compiler::root()?;
    let exercises = with_tasks(root)?;
    let Some(Verb::Check { id }) = options.verb else { return Ok(Vec::new()) };
    let Ok(exercise) = catalogue::find(&exercises, id) else { return Ok(Vec::new()) };
    let text = exercise.learners_text(root)?;
    let texts = match exercise.kind {
        Kind::Numbers { .. } if options.figure => vec![exercise.stub()],
        _ => code::compared(exercise, &text)?,
    };
    Ok(texts.into_iter().map(|text| Wanted::new(exercise, text)).collect())
}

/// Does what this process's words ask for in a page, where the files of the exercises lie in the repository
/// `/`, and an answer only where the reader has written one: the exit status, and what the page shows.
///
/// # Errors
/// As in a terminal, those that end with status 2.
pub fn run_in(page: Page) -> Result<(u8, Shown)> {
    let options = Options::parse_or_exit();
    let root = kernel_compiler::root()?;
    with_tasks(root)?;
    Session::open(root.into(), options, Some(Compiler::Page(Arc::new(page))))?.show()
}

/// The exercises below `root`, where each has its task as it is given if there is no answer.
fn with_tasks(root: &Path) -> Result<Vec<Exercise>> {
    let exercises = catalogue::read(root)?;
    for exercise in &exercises {
        let path = root.join(&exercise.path);
        if !path.exists() {
            std::fs::write(path, exercise.stub())?;
        }
    }
    Ok(exercises)
}
