//! What takes more than a page has: other programs, a GPU.
//!
//! | file | job |
//! | --- | --- |
//! | `gpu.rs` | an answer on a GPU, beside the solution |
//! | `rust.rs`, `harness.rs` | marks the exercises in Rust; the program that calls their functions |
//! | `scratch.rs` | temporary folders, which go with the program however that is ended |

pub mod gpu;
pub mod rust;
mod scratch;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use kernel_compiler::call::Ptx;
use kernel_compiler::compiler::Compiler;
use kernel_compiler::program::{PAGE_CAPABILITY, compile};
use kernel_compiler::staging::Given;

pub use self::scratch::Scratch;
use super::header::as_ptx;
use super::source::Exercise;

/// How long a compiler may take for an answer; a right one takes a second or two.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The whole program in the file `source`, where `folder` has nothing else, compiled by `clang`.
pub fn program(clang: &Compiler, folder: &Path, source: &Path) -> Result<Ptx> {
    let scratch = folder.join("scratch");
    let program = compile(clang, &[source.to_owned()], PAGE_CAPABILITY, &Given::default(), &scratch)?;
    Ok(as_ptx(program))
}

/// A directory with `text`, a version of the file of `exercise`, where no other file lies.
pub fn alone(exercise: &Exercise, text: &str) -> Result<Scratch> {
    let directory = Scratch::new().context("cannot make a temporary folder")?;
    let source = directory.path().join(&exercise.path);
    std::fs::create_dir_all(source.parent().unwrap_or(directory.path()))?;
    std::fs::write(source, text)?;
    Ok(directory)
}
