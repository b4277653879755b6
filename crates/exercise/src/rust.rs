//! Marks an answer in Rust: rustc compiles the learner's file as it is, and a child process calls the
//! function.

use std::collections::BTreeSet;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use super::code::PATIENCE;
use super::plan::{self, Case, Goal, Op, Plan};
use super::source::Exercise;
use super::verdict::{Counted, Counts, Findings, Verdict, failed, too_much};
use super::{calls, summary, weigh};
use workbook::build::within;
use workbook::number::thousands;
use workbook::reduction::data;
use workbook::reduction::serial::recursive_reduce;

/// How long all calls together may take; a right answer needs some milliseconds.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// Lengths for which a wrong sum is looked into.
const SHORT: usize = 64;

const HARNESS: &str = include_str!("harness.rs");

/// Calls within calls that a halving makes at least for the longest array, whose logarithm is 17.
const DEPTH: u64 = 8;

/// Marks the file of `exercise`, whose contents are `text`, and which has to have the function `name`.
pub fn mark(root: &Path, exercise: &Exercise, name: &str, text: &str) -> Result<Verdict> {
    let scratch = tempfile::tempdir()?;
    let library = scratch.path().join("libanswer.rlib");
    if let Err(said) = compile_answer(root, &exercise.path, &library)? {
        return Ok(failed(exercise, "compile-error", said));
    }
    let program = match Program::new(root, scratch.path(), name, "(0, 0)")? {
        Ok(program) => program,
        Err(said) => {
            let what = format!(
                "The checker cannot call `pub fn {name}(data: &mut [i32]) -> i32` (or with `&[i32]`).\n{said}"
            );
            return Ok(failed(exercise, "missing-function", what));
        }
    };
    // The same file once more, in which each call counts itself.
    let counting = || {
        let scratch = tempfile::tempdir()?;
        let counter = format!("calls_{}", unforeseen());
        let copy = scratch.path().join("answer.rs");
        fs::write(&copy, calls::counted(text, &counter))?;
        let compiled = compile_answer(root, &copy.to_string_lossy(), &scratch.path().join("libanswer.rlib"))?;
        compiled.map_err(|said| anyhow!("its calls cannot be counted:\n{said}"))?;
        let program = Program::new(root, scratch.path(), name, &format!("answer::{counter}::taken()"))?;
        let program = program.map_err(|said| anyhow!("its calls cannot be counted:\n{said}"))?;
        let longest = inputs(text).pop().context("there is no input")?;
        let ran = program.run(&[longest.1])?;
        let counts = ran.results.first().and_then(|line| Done::parse(line));
        Ok((longest.0, counts.context("its calls are not counted")?))
    };
    mark_program(exercise, &program, text, counting)
        .with_context(|| format!("cannot run the answer to {}", exercise.id))
}

/// All inputs of a text, the shortest first.
fn inputs(text: &str) -> Vec<(Case, Vec<i32>)> {
    let plan = Plan::default().for_text(text);
    let unlisted = plan.unlisted();
    let lengths: BTreeSet<usize> =
        plan::sizes().iter().copied().chain(unlisted.iter().map(|case| case.n)).collect();
    let case = |n| Case { n, block: 0, schedule: 0 };
    lengths.into_iter().map(|n| (case(n), data::numbers(n, plan.seeds(case(n))[0]))).collect()
}

fn mark_program(
    exercise: &Exercise,
    program: &Program,
    text: &str,
    counting: impl Fn() -> Result<(Case, Done)>,
) -> Result<Verdict> {
    let tries = inputs(text);
    let mut allocations = 0;
    let (mut failures, mut passed): (Vec<(Case, Findings)>, Vec<Case>) = (Vec::new(), Vec::new());
    // Where the program has ended, the inputs behind it have another one.
    while failures.len() + passed.len() < tries.len() {
        let left = &tries[failures.len() + passed.len()..];
        let ran = program.run(&left.iter().map(|(_, input)| input.clone()).collect::<Vec<_>>())?;
        let tried = left.iter().zip(ran.results.iter().map(Some).chain([None]));
        for ((case, input), result) in tried {
            match verdict(exercise, *case, input, result, &ran) {
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
    if !failures.is_empty() {
        let (case, mut failure) = summary::telling(failures, &passed, false)?;
        let (_, input) = tries.iter().find(|(other, _)| *other == case).context("there is no such input")?;
        if failure.kinds != ["time-limit"] {
            failure.printed = program.prints(input)?;
        }
        let result = |inputs: [Vec<i32>; 2]| program.result(&inputs[0]);
        let failure = match case.n <= SHORT {
            true => weigh::explained(exercise, failure, Op::Sum, &[input.clone(), input.clone()], result),
            false => failure,
        };
        return Ok(failure.into());
    }
    let (case, Done { calls, depth, .. }) = counting()?;
    if depth < DEPTH {
        let what = format!(
            "Right, but not by halving: for {case} the functions of the file are nested {depth} deep, and \
             halving takes {} levels. (Closures are not counted.)",
            case.n.ilog2() + 1
        );
        return Ok(failed(exercise, "no-recursion", what));
    }
    let row = |goal: &Goal| {
        let (name, yours) = match goal.is_allocations() {
            true => (goal.name(), allocations),
            false => (format!("{} at {case}", goal.name()), calls),
        };
        Counted { name, given: None, yours, reference: None, most: Some(goal.most) }
    };
    let rows = exercise.goals.iter().map(row).collect();
    let counts = Counts { at: None, compiler: String::new(), rows };
    if let Some(failure) = too_much(exercise, "sum", passed.len(), &counts) {
        return Ok(failure);
    }
    let three = tries.iter().find(|(case, _)| case.n == 3);
    let printed = three.map_or(Ok(String::new()), |(_, input)| program.prints(input))?;
    Ok(Findings { tried: passed.len(), counts, printed, ..Findings::default() }.into())
}

/// What the program says of an input that it came to the end of.
#[derive(Clone, Copy)]
struct Done {
    result: i32,
    allocations: u64,
    calls: u64,
    /// How deep they were nested.
    depth: u64,
}

impl Done {
    /// `ok RESULT ALLOCATIONS CALLS DEPTH`
    fn parse(line: &str) -> Option<Done> {
        let words: Vec<&str> = line.strip_prefix("ok ")?.split(' ').collect();
        let [result, counts @ ..] = &words[..] else { return None };
        let counts: Vec<u64> = counts.iter().filter_map(|count| count.parse().ok()).collect();
        let [allocations, calls, depth] = counts[..] else { return None };
        Some(Done { result: result.parse().ok()?, allocations, calls, depth })
    }
}

/// Allocations for one input; else why it fails. `result` is the program's line for it; `None` if the program
/// has ended before.
fn verdict(
    exercise: &Exercise,
    case: Case,
    input: &[i32],
    result: Option<&String>,
    ran: &Ran,
) -> Result<u64, Box<Findings>> {
    let (kind, what) = match result.map(|line| (Done::parse(line), line)) {
        Some((Some(Done { result, allocations, .. }), _)) => {
            let expected = recursive_reduce(&mut input.to_vec());
            if result == expected {
                return Ok(allocations);
            }
            let (result, expected) = (thousands(result.into()), thousands(expected.into()));
            ("wrong-result", format!("the sum is {result}, and should be {expected}."))
        }
        Some((None, why)) => {
            ("panic", format!("the function panics {}", why.strip_prefix("panic ").unwrap_or(why)))
        }
        None if ran.status.is_none() => {
            let seconds = TIME_LIMIT.as_secs();
            ("time-limit", format!("the function has not come back after {seconds} seconds."))
        }
        None if ran.said.contains("overflowed its stack") => {
            ("stack-overflow", "the recursion is deeper than the stack has room for.".into())
        }
        None => ("crash", format!("the program ended in the middle.\n{}", ran.said.trim_end())),
    };
    let failure = Findings::new(exercise, &[kind], format!("{case}: {what}"), Vec::new());
    Err(Box::new(match case.n == 0 && kind == "wrong-result" {
        true => failure.about(exercise, "no numbers"),
        false => failure,
    }))
}

/// rustc in the repository root, so that it names the learner's file from there. With debug assertions: an
/// addition that overflows panics.
fn rustc(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    command.current_dir(root).args(["--edition", "2024", "-C", "debuginfo=0"]);
    command
}

/// Compiles the file `source` as the library `answer`: no unsafe code, which could reach anything.
fn compile_answer(root: &Path, source: &str, library: &Path) -> Result<Result<(), String>> {
    let mut compile = rustc(root);
    compile.args(["--crate-type", "rlib", "--crate-name", "answer", "-F", "unsafe_code", source, "-o"]);
    compiles(compile.arg(library))
}

/// A word that nobody knows before.
fn unforeseen() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Runs rustc; what it said, if it did not compile, or not in time.
fn compiles(command: &mut Command) -> Result<Result<(), String>> {
    let ran = within::run(command, "", PATIENCE)
        .context("cannot start rustc, which compiles this exercise; it comes with Rust, https://rustup.rs")?;
    Ok(match ran.status {
        Some(status) if status.success() => Ok(()),
        Some(_) => Err(ran.stderr.trim_end().to_string()),
        None => {
            Err(format!("rustc did not come to an end in {} seconds, and was stopped.", PATIENCE.as_secs()))
        }
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

impl<'a> Program<'a> {
    /// Compiles the harness with the answer's library in `scratch`, for the function `name`; `counts` is an
    /// expression. Else what the compiler says.
    fn new(root: &Path, scratch: &'a Path, name: &str, counts: &str) -> Result<Result<Program<'a>, String>> {
        let main = scratch.join("main.rs");
        let path = scratch.join(format!("main{EXE_SUFFIX}"));
        fs::write(&main, HARNESS.replace("FUNCTION", name).replace("COUNTS", counts))?;
        let mut compile = rustc(root);
        compile
            .arg("--extern")
            .arg(format!("answer={}", scratch.join("libanswer.rlib").display()))
            .arg(&main);
        let compiled = compiles(compile.arg("-o").arg(&path))?;
        let said = |said: String| said.replace(&*main.to_string_lossy(), "the checker");
        Ok(compiled.map(|()| Program { path, scratch }).map_err(said))
    }

    fn run(&self, inputs: &[Vec<i32>]) -> Result<Ran> {
        let [numbers, results] = ["numbers", "results"].map(|name| self.scratch.join(name));
        let words =
            inputs.iter().flat_map(|input| iter::once(input.len() as i32).chain(input.iter().copied()));
        fs::write(&numbers, words.flat_map(i32::to_le_bytes).collect::<Vec<u8>>())?;
        fs::write(&results, "")?;
        let mut command = Command::new(&self.path);
        command.arg(&numbers).arg(&results);
        let key = unforeseen();
        let within::Ran { status, stdout: printed, stderr: said } = within::run(&command, &key, TIME_LIMIT)?;
        let written = String::from_utf8_lossy(&fs::read(results)?).into_owned();
        let lines = written.lines().filter_map(|line| line.strip_prefix(&key)?.strip_prefix(' '));
        let mut results: Vec<String> = lines.map(str::to_string).collect();
        // Without its last line it has not come to its end, whatever the lines before say.
        if results.last().is_some_and(|line| line == "end") {
            results.pop();
        } else {
            results.truncate(inputs.len().saturating_sub(1));
        }
        Ok(Ran { results, printed, said, status })
    }

    /// The result for one input, if there is one.
    fn result(&self, input: &[i32]) -> Option<i32> {
        let ran = self.run(&[input.to_vec()]).ok()?;
        Some(Done::parse(ran.results.first()?)?.result)
    }

    /// What the function prints for one input.
    fn prints(&self, input: &[i32]) -> Result<String> {
        let printed = self.run(&[input.to_vec()])?.printed;
        Ok(if printed.is_empty() { printed } else { format!("n = {}:\n{printed}", input.len()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    /// `own.rs` refuses such a text before it is compiled; its results count for nothing all the same.
    #[test]
    fn results_that_a_function_writes_itself_do_not_count() {
        let exercises = catalogue::read(Path::new(workbook::ROOT)).unwrap();
        let exercise = exercises.iter().find(|exercise| exercise.id.to_string() == "1.1").unwrap();
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(&exercise.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = "pub fn recursive_sum(_: &[i32]) -> i32 {
            let files: Vec<String> = std::env::args().collect();
            let bytes = std::fs::read(&files[1]).unwrap();
            let mut words = bytes.chunks(4).map(|word| i32::from_le_bytes(word.try_into().unwrap()));
            let mut lines = String::new();
            while let Some(length) = words.next() {
                let sum = words.by_ref().take(length as usize).fold(0i32, |sum, word| sum.wrapping_add(word));
                lines += &format!(\"ok {sum} 0 18 18\\n\");
            }
            std::fs::write(&files[2], lines + \"end\\n\").unwrap();
            std::process::exit(0)
        }
";
        fs::write(&path, text).unwrap();
        let verdict = mark(root.path(), exercise, "recursive_sum", text).unwrap();
        let Verdict::Failed(failure) = verdict else { panic!("{verdict:?}") };
        assert_eq!(failure.kinds, ["crash"], "{}", failure.what);
    }
}
