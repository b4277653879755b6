//! Marks an answer in Rust: rustc compiles the learner's file as it is, and a child process calls the
//! function.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result};

use super::code::PATIENCE;
use super::plan::{self, Case, Op};
use super::run::SEEDS;
use super::source::Exercise;
use super::verdict::{Counted, Counts, Failure, Passed, Verdict, failed, too_much};
use super::{summary, think, weigh};
use workbook::build::within;
use workbook::number::thousands;
use workbook::reduction::data;
use workbook::reduction::serial::recursive_reduce;

/// How long all calls together may take; a right answer needs some milliseconds.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// Lengths for which a wrong sum is looked into.
const SHORT: usize = 64;

const HARNESS: &str = include_str!("harness.rs");

/// Marks the file of `exercise`, whose contents are `text`, and which has to have the function `name`.
pub fn mark(root: &Path, exercise: &Exercise, name: &str, text: &str) -> Result<Verdict> {
    let scratch = tempfile::tempdir()?;
    let library = scratch.path().join("libanswer.rlib");
    let mut compile = rustc(root);
    compile.args(["--crate-type", "rlib", "--crate-name", "answer", &exercise.path, "-o"]).arg(&library);
    if let Err(said) = compiles(&mut compile)? {
        return Ok(failed(exercise, "compile-error", said));
    }

    let main = scratch.path().join("main.rs");
    let program = Program { path: scratch.path().join(format!("main{EXE_SUFFIX}")), scratch: scratch.path() };
    fs::write(&main, HARNESS.replace("FUNCTION", name))?;
    let mut compile = rustc(root);
    compile.arg("--extern").arg(format!("answer={}", library.display())).arg(&main);
    if let Err(said) = compiles(compile.arg("-o").arg(&program.path))? {
        let what = format!(
            "The checker cannot call `pub fn {name}(data: &mut [i32]) -> i32` (or with `&[i32]`).\n{}",
            said.replace(&*main.to_string_lossy(), "the checker")
        );
        return Ok(failed(exercise, "missing-function", what));
    }
    mark_program(exercise, &program, text)
        .with_context(|| format!("cannot run the answer to {}", exercise.id))
}

fn mark_program(exercise: &Exercise, program: &Program, text: &str) -> Result<Verdict> {
    let cases: Vec<Case> = plan::sizes().iter().map(|&n| Case { n, block: 0, schedule: 0 }).collect();
    let input = |case: &Case| data::numbers(case.n, SEEDS[0]);
    let mut allocations = 0;
    let (mut failures, mut passed): (Vec<(Case, Failure)>, Vec<Case>) = (Vec::new(), Vec::new());
    // Where the program has ended, the inputs behind it have another one.
    while failures.len() + passed.len() < cases.len() {
        let left = &cases[failures.len() + passed.len()..];
        let ran = program.run(&left.iter().map(input).collect::<Vec<_>>())?;
        let tried = left.iter().zip(ran.results.iter().map(Some).chain([None]));
        for (case, result) in tried {
            match verdict(exercise, *case, &input(case), result, &ran) {
                Ok(count) => {
                    allocations += count;
                    passed.push(*case);
                }
                Err(failure) => failures.push((*case, *failure)),
            }
        }
        if ran.status.is_none() {
            break;
        }
    }
    let failing: Vec<Case> = failures.iter().map(|(case, _)| *case).collect();
    if let Some(telling) = summary::telling(&failing)
        && let Some((case, failure)) = failures.into_iter().find(|(case, _)| *case == telling)
    {
        let summary = summary::summary(&failing, &passed);
        let mut failure = Failure { what: format!("It fails for {summary}.\n\n{}", failure.what), ..failure };
        if failure.kinds != ["time-limit"] {
            failure.printed = program.prints(&input(&case))?;
        }
        if failure.kinds == ["wrong-result"] && (1..=SHORT).contains(&case.n) {
            let result = |inputs: [Vec<i32>; 2]| program.result(&inputs[0]);
            if let Some(explained) = weigh::explain(Op::Sum, &[input(&case), input(&case)], result) {
                failure.what += &format!("\n{explained}");
                failure.think = think::sentence(exercise, &["miscounted".into()]);
            }
        }
        return Ok(Verdict::Failed(Box::new(failure)));
    }
    if !has_recursion(text) {
        let what = "Right, but not by halving: no function of the file calls itself.".to_string();
        return Ok(failed(exercise, "no-recursion", what));
    }
    let goals = exercise.goals.iter().filter(|goal| goal.is_allocations());
    let row = |most| Counted {
        name: "allocations".into(),
        given: None,
        yours: allocations,
        reference: Some(0),
        most: Some(most),
    };
    let counts =
        Counts { at: None, compiler: String::new(), rows: goals.map(|goal| row(goal.most)).collect() };
    if !counts.rows.iter().all(Counted::is_met) {
        return Ok(too_much(exercise, "sum", cases.len(), counts));
    }
    let printed = program.prints(&data::numbers(3, SEEDS[0]))?;
    Ok(Verdict::Passed(Box::new(Passed { tried: cases.len(), counts, printed, ..Passed::default() })))
}

/// Allocations for one input; else why it fails. `result` is the program's line for it; `None` if the program
/// has ended before.
fn verdict(
    exercise: &Exercise,
    case: Case,
    input: &[i32],
    result: Option<&String>,
    ran: &Ran,
) -> Result<u64, Box<Failure>> {
    let (kind, what) = match result.and_then(|line| line.split_once(' ')) {
        Some(("ok", numbers)) => {
            let (result, count) = numbers.split_once(' ').unwrap_or((numbers, ""));
            let expected = recursive_reduce(&mut input.to_vec());
            if result == expected.to_string() {
                return Ok(count.parse().unwrap_or(0));
            }
            let (result, expected) = (result.parse().unwrap_or(0), i64::from(expected));
            let (result, expected) = (thousands(result), thousands(expected));
            ("wrong-result", format!("the sum is {result}, and should be {expected}."))
        }
        Some((_, why)) => ("panic", format!("the function panics {why}")),
        None if ran.status.is_none() => {
            let seconds = TIME_LIMIT.as_secs();
            ("time-limit", format!("the function has not come back after {seconds} seconds."))
        }
        None if ran.said.contains("overflowed its stack") => {
            ("stack-overflow", "the recursion is deeper than the stack has room for.".into())
        }
        None => ("panic", format!("the program ended in the middle.\n{}", ran.said.trim_end())),
    };
    let think = match case.n == 0 && kind == "wrong-result" {
        true => think::sentence(exercise, &["no numbers".into()]),
        false => think::sentence(exercise, &[kind.into()]),
    };
    let (kinds, what) = (vec![kind.into()], format!("{case}: {what}"));
    Err(Box::new(Failure { kinds, what, think, ..Failure::default() }))
}

/// Whether a function of `text` calls itself.
fn has_recursion(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = lines.join("\n");
    code.match_indices("fn ").any(|(at, _)| {
        let rest = &code[at + "fn ".len()..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let Some(body) = rest.find('{').map(|start| &rest[start..]) else { return false };
        let mut depth = 0;
        let end = body.char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            (depth == 0).then_some(at)
        });
        !name.is_empty() && body[..end.unwrap_or(body.len())].contains(&format!("{name}("))
    })
}

/// rustc in the repository root, so that it names the learner's file from there. With debug assertions: an
/// addition that overflows panics.
fn rustc(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    command.current_dir(root).args(["--edition", "2024", "-C", "debuginfo=0"]);
    command
}

/// Runs rustc; what it said, if it did not compile, or not in time.
fn compiles(command: &mut Command) -> Result<Result<(), String>> {
    let ran = within::run(command, PATIENCE)
        .context("cannot start rustc, which compiles this exercise; it comes with Rust, https://rustup.rs")?;
    Ok(match ran.status {
        Some(status) if status.success() => Ok(()),
        Some(_) => Err(ran.stderr.trim_end().to_string()),
        None => Err(format!("rustc did not come to an end in {} seconds, and was stopped.", PATIENCE.as_secs())),
    })
}

/// The learner's function as a program, and where it may write.
struct Program<'a> {
    path: PathBuf,
    scratch: &'a Path,
}

/// What the program left behind.
struct Ran {
    /// A line for each input that it came to the end of.
    results: Vec<String>,
    /// What was written to stdout.
    printed: String,
    /// What was written to stderr.
    said: String,
    /// `None`: it was stopped at the time limit.
    status: Option<ExitStatus>,
}

impl Program<'_> {
    fn run(&self, inputs: &[Vec<i32>]) -> Result<Ran> {
        let [numbers, results] = ["numbers", "results"].map(|name| self.scratch.join(name));
        let words =
            inputs.iter().flat_map(|input| iter::once(input.len() as i32).chain(input.iter().copied()));
        fs::write(&numbers, words.flat_map(i32::to_le_bytes).collect::<Vec<u8>>())?;
        fs::write(&results, "")?;
        let mut command = Command::new(&self.path);
        command.arg(&numbers).arg(&results);
        let within::Ran { status, stdout: printed, stderr: said } = within::run(&command, TIME_LIMIT)?;
        let text = String::from_utf8_lossy(&fs::read(results)?).into_owned();
        Ok(Ran { results: text.lines().map(str::to_string).collect(), printed, said, status })
    }

    /// The result for one input, if there is one.
    fn result(&self, input: &[i32]) -> Option<i32> {
        let ran = self.run(&[input.to_vec()]).ok()?;
        ran.results.first()?.strip_prefix("ok ")?.split(' ').next()?.parse().ok()
    }

    /// What the function prints for one input.
    fn prints(&self, input: &[i32]) -> Result<String> {
        let printed = self.run(&[input.to_vec()])?.printed;
        Ok(if printed.is_empty() { printed } else { format!("n = {}:\n{printed}", input.len()) })
    }
}

#[cfg(test)]
mod tests {
    use super::has_recursion;

    #[test]
    fn a_function_that_calls_itself_is_told_from_one_that_does_not() {
        assert!(has_recursion(
            "pub fn sum(data: &[i32]) -> i32 {\n    if true { sum(&data[1..]) } else { 0 }\n}\n"
        ));
        assert!(has_recursion("pub fn sum() -> i32 { go() }\nfn go() -> i32 { go() }\n"));
        assert!(!has_recursion("pub fn sum() -> i32 { 0 } // sum()\nfn go() -> i32 { sum() }\n"));
    }
}
