//! A page: its WebAssembly in Node, on the files that a page's worker runs it on (`program.mjs`).

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a run has left.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    /// Without what it tells of its progress.
    pub stderr: String,
    /// The percentages that it has told.
    pub progress: Vec<u8>,
    /// `shown.json`, if it was written.
    pub shown: Option<Value>,
    /// All files.
    pub files: BTreeMap<String, String>,
}

/// What `program.mjs` prints.
#[derive(Deserialize)]
struct Printed {
    status: Option<i32>,
    #[serde(default)]
    trapped: String,
    #[serde(default)]
    stdout: String,
    stderr: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// A program of the page.
pub struct Page(PathBuf);

impl Page {
    /// The committed one, which is packed.
    pub fn committed() -> Page {
        Page::new(super::root().join("book/src/live/workbook.wasm.zst"))
    }

    /// That of the WebAssembly at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Page {
        Page(path.into())
    }

    /// Runs the program of the chapter `words[0]` with the other words as its command line.
    pub fn run(&self, words: &[&str], build: &str, show: &Value) -> Result<Ran> {
        self.run_with(words, &[("build.json", build), ("show.json", &show.to_string())])
    }

    /// [`Page::run`] with these files.
    pub fn run_with(&self, words: &[&str], files: &[(&str, &str)]) -> Result<Ran> {
        let program = super::root().join("book/page/tests/wasm/program.mjs");
        let mut node = Command::new("node");
        node.arg(program).arg(&self.0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut node = node.spawn().context("node does not start; it is needed here")?;
        let files: BTreeMap<&str, &str> = files.iter().copied().collect();
        let asked = serde_json::to_vec(&json!({"args": words, "files": files}))?;
        node.stdin.take().context("node has a stdin")?.write_all(&asked)?;
        let output = node.wait_with_output()?;
        ensure!(output.status.success(), "node ends with {}", output.status);
        let Printed { status, trapped, stdout, stderr: said, files } =
            serde_json::from_slice(&output.stdout)?;
        let Some(status) = status else { bail!("{words:?}: {trapped}: {said}") };
        let mut stderr = String::new();
        let mut progress = Vec::new();
        for (i, piece) in said.split("\x1b]9;4;1;").enumerate() {
            match piece.split_once('\x07').filter(|_| i > 0) {
                Some((percent, rest)) => {
                    progress.push(percent.parse()?);
                    stderr += rest;
                }
                None => stderr += piece,
            }
        }
        let shown = files.get("shown.json").map(|json| serde_json::from_str(json).context("shown.json"));
        Ok(Ran { status, stdout, stderr, progress, shown: shown.transpose()?, files })
    }
}
