//! The files that the exercises' program reads in the page, in place of the repository.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use exercise::{catalogue, code};

/// What is known of the page's compiler.
const CLANG: &str = "book/src/live/clang/clang.json";

/// The text of each, by its path from `root`, the repository. Among them are the tasks as they are given:
/// on disk a reader may have written there.
pub fn texts(root: &Path) -> Result<BTreeMap<String, String>> {
    let exercises = catalogue::read(root)?;
    let stubs = exercises.iter().map(|exercise| Ok((exercise.path.clone(), exercise.stub())));
    let texts = exercises.iter().flat_map(code::files).chain([CLANG.to_string()]).map(|path| {
        let text =
            std::fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
        Ok((path, text))
    });
    stubs.chain(texts).collect()
}
