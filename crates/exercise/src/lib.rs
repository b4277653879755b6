//! The exercises: what `cargo run --example exercise` does.
//!
//! An exercise is one file in `kernels/exercises/solutions/`. The learner's file in `kernels/exercises/` is
//! derived from it, and so are the wrong answers that the tests try.
//!
//! | file | job |
//! | --- | --- |
//! | `options.rs` | the command line |
//! | `catalogue.rs` | which exercises there are |
//! | `source.rs`, `id.rs` | one solution file, read; its number |
//! | `texts.rs` | stub, solution and mutants, derived from it |
//! | `plan.rs`, `op.rs` | how the host launches an answer, for which inputs; what it should compute |
//! | `goal.rs` | what it may cost |
//! | `code.rs` | from an answer to PTX: the committed build, or a compiler |
//! | `run.rs` | one input on a device |
//! | `mark.rs`, `verdict.rs`, `think.rs` | the verdict, and a sentence on what to think about |
//! | `summary.rs` | for which inputs an answer fails, in a few words |
//! | `weigh.rs` | which elements a wrong result leaves out or counts twice |
//! | `names.rs` | the names of the source for what the simulator finds: `g_data[2]` |
//! | `effort.rs`, `rules.rs` | who does the work; right answers that are not what was asked for |
//! | `rust.rs`, `harness.rs` | the same for the exercises in Rust; the program that calls their functions |
//! | `calls.rs` | how often, and how deep, they call each other |
//! | `own.rs` | answers that bring in other files, or remember something |
//! | `answer.rs`, `numbers.rs`, `evidence.rs` | answers that are numbers: how they are marked, and by what |
//! | `figure.rs` | a small launch of an answer as a figure |
//! | `gpu.rs` | an answer on a GPU, beside the solution |
//! | `state.rs` | what the learner has done so far |
//! | `show.rs` | what the terminal says |
//! | `session.rs` | the verbs: list, check, hint, why, watch, reset, solution |

mod answer;
mod calls;
pub mod catalogue;
pub mod code;
mod effort;
mod evidence;
mod figure;
mod goal;
mod gpu;
pub mod id;
pub mod mark;
mod names;
pub mod numbers;
mod op;
mod options;
mod own;
mod plan;
mod rules;
mod run;
mod rust;
mod session;
mod show;
pub mod source;
mod state;
mod summary;
mod texts;
mod think;
pub mod verdict;
mod weigh;

use std::process::ExitCode;

use options::Options;
use session::Session;
use workbook::say;

/// Does what the command line asks for. The exit status: 0 an answer passes, 1 it does not, 2 the command
/// line or the environment is wrong.
pub fn run() -> ExitCode {
    let options = Options::parse_or_exit();
    match Session::open(catalogue::root(), options).and_then(Session::run) {
        Ok(status) => say::status(status),
        Err(error) => {
            say::err(&format!("error: {error:#}\n"));
            say::status(2)
        }
    }
}
