//! In a page nothing compiles Rust.

use std::path::Path;

use anyhow::{Result, bail};

use super::options::COMMAND;
use super::source::Exercise;
use super::verdict::Verdict;

/// Says where the exercise can be done.
///
/// # Errors
/// Always.
pub fn mark(_: &Path, exercise: &Exercise, _: &str, _: &str) -> Result<Verdict> {
    let Exercise { id, path, .. } = exercise;
    bail!("{id} is in Rust, which the page does not compile: edit {path}, and check it by {COMMAND} {id}")
}
