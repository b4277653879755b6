//! Marks an answer in Rust: rustc compiles the learner's file as it is, and a child process calls the
//! function.

use std::collections::BTreeSet;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kernel_compiler::refusal::failed_itself;
use kernel_compiler::within;
use text::number::thousands;
use text::printed::first_lines;

use super::{PATIENCE, Scratch};
use crate::case::Case;
use crate::fault::Fault;
use crate::goal::Goal;
use crate::op::Op;
use crate::plan::{Plan, SIZES};
use crate::source::Exercise;
use crate::think::Topic;
use crate::verdict::{Counted, Counts, Findings, failed, missed_goal};
use crate::{summary, weigh};

/// How long a call may take; a right answer needs some milliseconds.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// Lengths for which a wrong sum is looked into.
const SHORT: usize = 64;

/// The answer, compiled.
const LIBRARY: &str = "libanswer.rlib";
const HARNESS: &str = include_str!("harness.rs");

/// Marks the file of `exercise`, whose contents are `text`, and which has to have the function `name`.
pub fn mark(root: &Path, exercise: &Exercise, name: &str, text: &str) -> Result<Findings> {
    let scratch = Scratch::new().context("cannot make a temporary folder")?;
    if let Err(said) = compile_answer(root, &exercise.path, scratch.path())? {
        return Ok(failed(exercise, Fault::CompileError, said));
    }
    let program = match Program::new(root, scratch.path(), name)? {
        Ok(program) => program,
        Err(said) => {
            let what = format!(
                "The checker cannot call `pub fn {name}(data: &mut [i32]) -> i32` (or with `&[i32]`).\n{said}"
            );
            return Ok(failed(exercise, Fault::MissingFunction, what));
        }
    };
    mark_program(exercise, &program, text)
        .with_context(|| format!("cannot run the answer to {}", exercise.id))
}

/// All inputs of a text, the shortest first.
fn inputs(text: &str) -> Vec<(Case, Vec<i32>)> {
    let plan = Plan::default().for_text(text);
    let unlisted = plan.unlisted();
    let lengths: BTreeSet<usize> = SIZES.iter().copied().chain(unlisted.iter().map(|case| case.n)).collect();
    let cases = lengths.into_iter().map(|n| Case { n, block: 0, schedule: 0 });
    cases.map(|case| (case, plan.input(case))).collect()
}

fn mark_program(exercise: &Exercise, program: &Program, text: &str) -> Result<Findings> {
    let tries = inputs(text);
    let mut allocations = 0;
    let mut printed = String::new();
    let mut failures: Vec<(Case, Findings)> = Vec::new();
    let mut passed: Vec<Case> = Vec::new();
    for (case, input) in &tries {
        let ran = program.run(input)?;
        match failure(exercise, *case, input, &ran) {
            Err(failure) => failures.push((*case, *failure)),
            Ok(done) => {
                allocations += done.allocations;
                passed.push(*case);
                if case.n == 3 {
                    printed = ran.printed;
                }
            }
        }
        if ran.status.is_none() {
            break;
        }
    }
    if !failures.is_empty() {
        let (case, failure) = summary::telling(failures, &passed, false)?;
        let (_, input) = tries.iter().find(|(other, _)| *other == case).context("there is no such input")?;
        if case.n > SHORT {
            return Ok(failure);
        }
        let result = |input: Vec<i32>| Some(program.run(&input).ok()?.done()?.result);
        return Ok(weigh::explained(exercise, failure, Op::Sum, input, result));
    }
    let row = |goal: &Goal| {
        let name = goal.name();
        Counted { name, given: None, yours: allocations, reference: None, most: Some(goal.most) }
    };
    let rows = exercise.goals.iter().map(row).collect();
    let counts = Counts { at: None, compiler: String::new(), rows };
    if let Some(failure) = missed_goal(exercise, "sum", passed.len(), &counts) {
        return Ok(failure);
    }
    Ok(Findings { tried: passed.len(), counts, printed, ..Findings::default() })
}

/// What the program says of an input that it came to the end of.
struct Done {
    result: i32,
    allocations: u64,
}

/// Why the function fails for one input, if it does.
fn failure(exercise: &Exercise, case: Case, input: &[i32], ran: &Ran) -> Result<Done, Box<Findings>> {
    let (kind, what) = match (ran.done(), &ran.line) {
        (Some(done), _) => {
            let expected = Op::Sum.expected(input);
            if done.result == expected {
                return Ok(done);
            }
            let result = thousands(done.result.into());
            let expected = thousands(expected.into());
            (Fault::WrongResult, format!("the sum is {result}, and should be {expected}."))
        }
        (None, Some(why)) => {
            (Fault::Panic, format!("the function panics {}", why.strip_prefix("panic ").unwrap_or(why)))
        }
        (None, None) if ran.status.is_none() => {
            let seconds = TIME_LIMIT.as_secs();
            (Fault::TimeLimit, format!("the function has not come back after {seconds} seconds."))
        }
        (None, None) if ran.said.contains("overflowed its stack") => {
            (Fault::StackOverflow, "the recursion is deeper than the stack has room for.".into())
        }
        (None, None) => (Fault::Crash, format!("the program ended in the middle.\n{}", ran.said.trim_end())),
    };
    let failure = failed(exercise, kind, format!("{case}: {what}"));
    let failure = if case.n == 0 && kind == Fault::WrongResult {
        failure.about(exercise, Topic::NoNumbers)
    } else {
        failure
    };
    let printed = if kind == Fault::TimeLimit { String::new() } else { ran.printed.clone() };
    Err(Box::new(Findings { printed, ..failure }))
}

/// rustc in the repository root, so that it names the learner's file from there. With debug assertions: an
/// addition that overflows panics.
fn rustc(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    command.current_dir(root).args(["--edition", "2024", "-C", "debuginfo=0"]);
    command
}

/// Compiles the file `source` as the library `answer` in `scratch`: no unsafe code, which could reach
/// anything.
fn compile_answer(root: &Path, source: &str, scratch: &Path) -> Result<Result<(), String>> {
    let mut compile = rustc(root);
    compile.args(["--crate-type", "rlib", "--crate-name", "answer", "-F", "unsafe_code", source, "-o"]);
    compiles(compile.arg(scratch.join(LIBRARY)), scratch)
}

/// A word that nobody knows before.
fn unforeseen() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Runs rustc, which writes to `scratch`; what it said, if it refused the answer, or did not end in time.
///
/// # Errors
/// rustc could not do its work.
fn compiles(command: &mut Command, scratch: &Path) -> Result<Result<(), String>> {
    let ran = within::run(command, "", PATIENCE, Some(scratch))
        .context("cannot start rustc, which compiles this exercise; it comes with Rust, https://rustup.rs")?;
    Ok(match ran.status {
        Some(status) if status.success() => Ok(()),
        Some(status) => {
            let said = ran.stderr.trim_end();
            if let Some(why) = failed_itself(status, said, scratch) {
                bail!("rustc failed: {why}\n{said}");
            }
            Err(said.to_string())
        }
        None => Err(format!("rustc had not finished after {} seconds and was stopped.", PATIENCE.as_secs())),
    })
}

/// The learner's function as a program, and where it may write.
struct Program<'a> {
    path: PathBuf,
    scratch: &'a Path,
}

/// What the program has left behind after one input.
struct Ran {
    /// Its own words, if it came to its end.
    line: Option<String>,
    /// What was written to stdout, below a line that says for which input.
    printed: String,
    /// What was written to stderr.
    said: String,
    /// `None`: it was stopped at the time limit.
    status: Option<ExitStatus>,
}

impl Ran {
    /// `ok RESULT ALLOCATIONS`
    fn done(&self) -> Option<Done> {
        let words: Vec<&str> = self.line.as_ref()?.strip_prefix("ok ")?.split(' ').collect();
        let [result, allocations] = words[..] else { return None };
        Some(Done { result: result.parse().ok()?, allocations: allocations.parse().ok()? })
    }
}

impl<'a> Program<'a> {
    /// Compiles the harness with the answer's library in `scratch`, for the function `name`. Else what the
    /// compiler says.
    fn new(root: &Path, scratch: &'a Path, name: &str) -> Result<Result<Program<'a>, String>> {
        let main = scratch.join("main.rs");
        let path = scratch.join(format!("main{EXE_SUFFIX}"));
        fs::write(&main, HARNESS.replace("FUNCTION", name))?;
        let mut compile = rustc(root);
        compile.arg("--extern").arg(format!("answer={}", scratch.join(LIBRARY).display())).arg(&main);
        let compiled = compiles(compile.arg("-o").arg(&path), scratch)?;
        let said = |said: String| said.replace(&*main.to_string_lossy(), "the checker");
        Ok(compiled.map(|()| Program { path, scratch }).map_err(said))
    }

    /// Calls the function for `input`.
    fn run(&self, input: &[i32]) -> Result<Ran> {
        let result = self.scratch.join("result");
        fs::write(&result, "")?;
        let key = unforeseen();
        let given = input.iter().fold(format!("{key} "), |text, number| text + &number.to_string() + " ");
        let ran = within::run(Command::new(&self.path).arg(&result), &given, TIME_LIMIT, Some(self.scratch))?;
        let written = String::from_utf8_lossy(&fs::read(result)?).into_owned();
        let mut lines = written.lines().filter_map(|line| line.strip_prefix(&key)?.strip_prefix(' '));
        let mut printed = first_lines(&ran.stdout);
        if !printed.is_empty() {
            printed.insert_str(0, &format!("n = {}:\n", input.len()));
        }
        Ok(Ran { line: lines.next().map(str::to_string), printed, said: ran.stderr, status: ran.status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn results_that_a_function_writes_itself_do_not_count() {
        let exercises = catalogue::read(kernel_compiler::root().unwrap()).unwrap();
        let exercise = exercises.iter().find(|exercise| exercise.id.to_string() == "1.1").unwrap();
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(&exercise.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = "pub fn recursive_sum(data: &[i32]) -> i32 {
            let sum = data.iter().fold(0i32, |sum, number| sum.wrapping_add(*number));
            let file = std::env::args().nth(1).unwrap();
            std::fs::write(file, format!(\"ok {sum} 0\\n\")).unwrap();
            std::process::exit(0)
        }
";
        fs::write(&path, text).unwrap();
        let found = mark(root.path(), exercise, "recursive_sum", text).unwrap();
        assert_eq!(found.kinds, [Fault::Crash], "{}", found.what);
    }
}
