//! The exercises for a page: `exercise` as in the terminal, with the page's clang for `--compiler clang`. It
//! reads and writes what the terminal's program does, in the repository `/`: `.exercises.json` among it. Its
//! other files:
//!
//! | file | |
//! | --- | --- |
//! | `exercises.json` | read: the files of the repository that it needs, by path |
//! | `answers.json` | read: those that the reader has written, by path |
//! | `compiled.json` | read, if it is there: what clang has made of what was wanted, a list of [`Compiled`] |
//! | `wanted.json` | written where something is wanted and that is not there: a list of [`Wanted`] |
//! | `shown.json` | written else: what the page shows, [`exercise::Shown`] |
//!
//! If something is wanted, the status is 3, and nothing is said or changed. The page compiles the first of
//! it, the answer, and if that compiles the rest; then it runs this once more, with `compiled.json`.
//!
//! [`Wanted`]: exercise::page::Wanted

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use exercise::page::{Compiled, Page};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::read;

/// What is known of the page's compiler.
const CLANG: &str = "book/src/live/clang/clang.json";
/// The status that asks for builds.
const WANTED: u8 = 3;

#[derive(Deserialize)]
struct Clang {
    version: String,
}

pub fn run() -> Result<u8> {
    for name in ["exercises.json", "answers.json"] {
        for (path, text) in parsed::<BTreeMap<String, String>>(name)? {
            let path = Path::new("/").join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
            std::fs::write(path, text)?;
        }
    }
    let Clang { version } = parsed(CLANG)?;
    let builds = if Path::new("/compiled.json").exists() {
        parsed::<Vec<Compiled>>("compiled.json")?
    } else {
        let wanted = exercise::wanted()?;
        if !wanted.is_empty() {
            let wanted = serde_json::to_vec(&wanted)?;
            std::fs::write("/wanted.json", wanted).context("cannot write wanted.json")?;
            return Ok(WANTED);
        }
        Vec::new()
    };
    let (status, shown) = exercise::run_in(Page::new(format!("clang {version}"), builds))?;
    std::fs::write("/shown.json", serde_json::to_vec(&shown)?).context("cannot write shown.json")?;
    Ok(status)
}

fn parsed<T: DeserializeOwned>(name: &str) -> Result<T> {
    serde_json::from_str(&read(name)?).with_context(|| format!("{name} is not what it should be"))
}
