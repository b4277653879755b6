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
//! | `plan.rs`, `op.rs` | how the host launches an answer, for which inputs; what it should compute |
//! | `goal.rs` | what it may cost |
//! | `code.rs` | from an answer to PTX: the committed build, or a compiler |
//! | `compiler.rs`, `page.rs` | that of this machine, or of the page that this runs in |
//! | `run.rs` | one input on a device |
//! | `mark.rs`, `verdict.rs`, `fault.rs`, `think.rs` | the verdict: why it fails, what to think about |
//! | `summary.rs` | for which inputs an answer fails, in a few words |
//! | `weigh.rs` | which elements a wrong result leaves out or counts twice |
//! | `names.rs` | the names of the source for what the simulator finds: `g_data[2]` |
//! | `effort.rs`, `rules.rs` | who does the work; right answers that are not what was asked for |
//! | `sums.rs`, `wrapping.rs` | floats that are added in no order; differences that do not fit an `int` |
//! | `own.rs`, `lex.rs` | answers that bring in other files; the tokens of an answer |
//! | `answer.rs`, `numbers.rs`, `evidence.rs` | answers that are numbers: how they are marked, and by what |
//! | `figure.rs` | a small launch of an answer as a figure |
//! | `state.rs` | what the learner has done so far |
//! | `show.rs` | what is said |
//! | `said.rs` | how that is shown: as text in a terminal, as HTML in a page |
//! | `machine/` | the exercises in Rust, the GPU: what a page has not |
//! | `session.rs` | the verbs: list, check, hint, why, reset, solution |
//! | `terminal.rs` | these and `watch` in a terminal |

mod answer;
pub mod catalogue;
pub mod code;
pub mod compiler;
mod effort;
mod evidence;
pub mod fault;
mod figure;
mod goal;
pub mod id;
pub mod info;
mod lex;
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
mod rules;
mod run;
mod said;
mod session;
mod show;
pub mod source;
mod state;
mod summary;
mod sums;
#[cfg(not(target_family = "wasm"))]
mod terminal;
mod texts;
mod think;
pub mod verdict;
mod weigh;
mod wrapping;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use compiler::Compiler;
use options::Options;
use page::Page;
use session::Session;
pub use session::Shown;
#[cfg(not(target_family = "wasm"))]
pub use terminal::run;

/// Does what this process's words ask for in a page, where the files of the exercises lie in the repository
/// `/`, and an answer only where the reader has written one: the exit status, and what the page shows.
///
/// # Errors
/// As in a terminal, those that end with status 2; or `page` lacks a build, and wants it: then nothing is
/// said or changed.
pub fn run_in(page: Arc<Page>) -> Result<(u8, Shown)> {
    let options = Options::parse_or_exit();
    let root = Path::new(kernel_compiler::ROOT);
    for exercise in catalogue::read(root)? {
        let path = root.join(&exercise.path);
        if !path.exists() {
            std::fs::write(path, exercise.stub())?;
        }
    }
    Session::open(root.into(), options, Some(Compiler::Page(page)))?.show()
}
