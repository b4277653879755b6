//! `cargo run --example simulate` as a reader uses it: every form of an argument, every exit status, the text
//! and the JSON. The kernels lie in crates/simulate/tests/simulate/, compiled.

mod arguments;
mod compiled;
mod cures;
mod export;
mod findings;
mod orders;
mod output;
mod plans;
mod refusals;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const KERNELS: &str = "crates/simulate/tests/simulate/kernels.ptx";
const SUM: &str = "crates/simulate/tests/simulate/missing_barrier.ptx";

fn root() -> &'static Path {
    kernel_compiler::root().unwrap()
}

/// The example's program, run from the repository root.
fn simulate() -> Command {
    let mut command = Command::new(testing::example::program("simulate"));
    command.current_dir(root());
    command
}

struct Run {
    line: String,
    output: Output,
}

/// Runs it with the words of `line`.
fn run(line: &str) -> Run {
    Run { line: line.to_string(), output: simulate().args(line.split_whitespace()).output().unwrap() }
}

/// Runs `kernel` of [`KERNELS`] in one block of `block` threads.
fn kernel(kernel: &str, block: u32, args: &str) -> Run {
    let args: String = args.split_whitespace().map(|spec| format!(" --arg {spec}")).collect();
    run(&format!("{KERNELS} --kernel {kernel} --grid 1 --block {block} --json{args}"))
}

impl Run {
    fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }
    fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }
    #[track_caller]
    fn exits(self, status: i32) -> Run {
        let Run { line, output } = &self;
        assert_eq!(output.status.code(), Some(status), "{line}\n{}{}", self.stdout(), self.stderr());
        self
    }
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout()).unwrap_or_else(|error| panic!("{error}\n{}", self.stdout()))
    }
    /// Exit status 2, nothing on stdout, and every one of `parts` on stderr.
    #[track_caller]
    fn refuses(self, parts: &[&str]) {
        let run = self.exits(2);
        assert_eq!(run.stdout(), "", "{}", run.line);
        for part in parts {
            assert!(run.stderr().contains(part), "{}: no {part:?} in\n{}", run.line, run.stderr());
        }
    }
}

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulate").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}
