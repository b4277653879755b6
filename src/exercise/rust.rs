//! Marks an answer in Rust: rustc compiles the learner's file as it is, and a child process calls the
//! function.

use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::iter;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::plan;
use super::run::SEEDS;
use super::source::Exercise;
use super::verdict::{Reached, Verdict, failed, too_much};
use crate::number::thousands;
use crate::reduction::data;
use crate::reduction::serial::recursive_reduce;

/// How long all calls together may take; a right answer needs some milliseconds.
const TIME_LIMIT: Duration = Duration::from_secs(3);

const HARNESS: &str = include_str!("harness.rs");

/// Marks the file of `exercise`, which has to have the function `name`.
pub fn mark(root: &Path, exercise: &Exercise, name: &str) -> Result<Verdict> {
    let scratch = tempfile::tempdir()?;
    let library = scratch.path().join("libanswer.rlib");
    let mut compile = rustc(root);
    compile.args(["--crate-type", "rlib", "--crate-name", "answer", &exercise.path, "-o"]).arg(&library);
    let compiled = output(&mut compile)?;
    if !compiled.status.success() {
        return Ok(failed(exercise, "compile-error", said(&compiled)));
    }

    let (main, program) = (scratch.path().join("main.rs"), scratch.path().join(format!("main{EXE_SUFFIX}")));
    fs::write(&main, HARNESS.replace("FUNCTION", name))?;
    let mut compile = rustc(root);
    compile.arg("--extern").arg(format!("answer={}", library.display())).arg(&main).arg("-o").arg(&program);
    let compiled = output(&mut compile)?;
    if !compiled.status.success() {
        let what = format!(
            "The function pub fn {name}(data: &mut [i32]) -> i32 cannot be called; give it its name and its \
             parameters back.\n{}",
            said(&compiled)
        );
        return Ok(failed(exercise, "missing-kernel", what));
    }

    let sizes = plan::sizes();
    let inputs: Vec<Vec<i32>> = sizes.iter().map(|&n| data::numbers(n, SEEDS[0])).collect();
    let ran = run(&program, &inputs, scratch.path())
        .with_context(|| format!("cannot run the answer to {}", exercise.id))?;
    let mut allocations = 0;
    for (number, input) in inputs.iter().enumerate() {
        let n = format!("n = {}", thousands(input.len() as i64));
        let words: Vec<&str> =
            ran.lines.get(number).map(|line| line.split(' ').collect()).unwrap_or_default();
        let (kind, what) = match words[..] {
            ["ok", result, count] => {
                allocations += count.parse::<u64>().unwrap_or(0);
                let expected = recursive_reduce(&mut input.clone());
                if result == expected.to_string() {
                    continue;
                }
                let (result, expected) = (result.parse().unwrap_or(0), i64::from(expected));
                let (result, expected) = (thousands(result), thousands(expected));
                (
                    "wrong-result",
                    format!("{n}: the sum is {result}, and the serial recursion gives {expected}."),
                )
            }
            ["panic"] => ("panic", format!("{n}: the function panicked.\n{}", ran.said.trim_end())),
            _ if ran.status.is_none() => {
                let seconds = TIME_LIMIT.as_secs();
                ("time-limit", format!("{n}: the function has not come back after {seconds} seconds."))
            }
            _ if ran.said.contains("overflowed its stack") => {
                ("stack-overflow", format!("{n}: the recursion is deeper than the stack has room for."))
            }
            _ => ("panic", format!("{n}: the program ended in the middle.\n{}", ran.said.trim_end())),
        };
        return Ok(failed(exercise, kind, what));
    }

    let goals = exercise.goals.iter().filter(|goal| goal.is_allocations());
    let goals: Vec<Reached> =
        goals.map(|goal| Reached { goal: goal.clone(), yours: allocations, reference: Some(0) }).collect();
    if goals.iter().all(Reached::is_met) {
        return Ok(Verdict::Passed { tried: sizes.len(), goals });
    }
    Ok(too_much(exercise, "sum", sizes.len(), goals))
}

/// rustc in the repository root, so that it names the learner's file from there. With debug assertions: an
/// addition that overflows panics.
fn rustc(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    command.current_dir(root).args(["--edition", "2024", "-C", "debuginfo=0"]);
    command
}

fn output(command: &mut Command) -> Result<Output> {
    command
        .output()
        .context("cannot start rustc, which compiles this exercise; it comes with Rust, https://rustup.rs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_string()
}

/// What the child process left behind.
struct Ran {
    lines: Vec<String>,
    /// What it wrote to stderr.
    said: String,
    /// `None`: it was stopped at the time limit.
    status: Option<ExitStatus>,
}

/// Runs `program` on `inputs`, with the files in `scratch` that it reads and writes.
fn run(program: &Path, inputs: &[Vec<i32>], scratch: &Path) -> Result<Ran> {
    let [stdin, stdout, stderr] = ["stdin", "stdout", "stderr"].map(|name| scratch.join(name));
    let words = inputs.iter().flat_map(|input| iter::once(input.len() as i32).chain(input.iter().copied()));
    fs::write(&stdin, words.flat_map(i32::to_le_bytes).collect::<Vec<u8>>())?;
    let mut command = Command::new(program);
    command.stdin(File::open(&stdin)?).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let status = wait(&mut command.spawn()?)?;
    let text = |path| anyhow::Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned());
    Ok(Ran { lines: text(stdout)?.lines().map(str::to_string).collect(), said: text(stderr)?, status })
}

/// Waits for `child`; ends it at the time limit.
fn wait(child: &mut Child) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > TIME_LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
