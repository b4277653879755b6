//! `cargo xtask renew` renews the files that are made from others and committed.
//!
//! Tests make these files. `cargo test` and `.ci/run` compare them with what they make; here they write it
//! (`crates/kernel-compiler/src/renew.rs`). Such a test's name ends with what it needs,
//! `…_renewed_by_nvcc`, and that is all that this program knows of it.

use std::io::{BufRead, BufReader, Write, stderr};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// Who makes a committed file, in the order in which one needs what another has made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Maker {
    Nvcc,
    Nvrtc,
    Clang,
    Run,
    Rustc,
}

const MAKERS: [Maker; 5] = [Maker::Nvcc, Maker::Nvrtc, Maker::Clang, Maker::Run, Maker::Rustc];

impl Maker {
    /// What the tests' names end with.
    fn name(self) -> &'static str {
        match self {
            Maker::Nvcc => "nvcc",
            Maker::Nvrtc => "nvrtc",
            Maker::Clang => "clang",
            Maker::Run => "a_run",
            Maker::Rustc => "rustc",
        }
    }

    fn makes(self) -> &'static str {
        match self {
            Maker::Nvcc => "PTX and fatbins of the chapters, the what-ifs, the exercises, the tests' kernels",
            Maker::Nvrtc => "the PTX of chapter 4's kernel of 2020",
            Maker::Clang => {
                "the tests' kernels as clang has them, the appendix' verdicts, which kernels and mutants are \
                 cured, the page's headers of C++ and the arguments of its clang"
            }
            Maker::Run => {
                "the exercises' stubs, traces, transcripts, the appendix' tables, the simulator's records"
            }
            Maker::Rustc => "the page's WebAssembly",
        }
    }

    fn needs(self) -> &'static str {
        match self {
            Maker::Nvcc => {
                "the nvcc of kernels/requirements.txt: .venv/bin/pip install -r kernels/requirements.txt"
            }
            Maker::Nvrtc => {
                "NVRTC 12.9: python3 -m pip install --target target/nvrtc -r kernels/legacy/requirements.txt"
            }
            Maker::Clang => {
                "the clang of kernels/requirements.txt: pip install its wheel ziglang, set CLANG to its \
                 program zig"
            }
            Maker::Run => "nothing beyond what cargo builds",
            Maker::Rustc => "rustc's target for it: rustup target add wasm32-wasip1",
        }
    }
}

const USAGE: &str = "\
usage: cargo xtask renew [MAKER | STEM]...

Renews the files that are made from others and committed: all of them, those of a MAKER, or those that are
made from one source, named by its STEM: ch3_blocks, 5_6_the_same_bits; or by its folder of the corpus:
data-race.
";

const REST: &str = "\
Records with times need a GPU or an idle machine; contributing/records.md has their commands, and those of
benches/.
Read the difference before you commit it.
";

/// One call of cargo that renews something.
struct Step {
    /// What it renews, for a reader.
    what: String,
    /// What it needs, if it fails.
    needs: &'static str,
    /// What is to be built first; nothing if empty.
    build: Vec<String>,
    /// cargo's words.
    test: Vec<String>,
    /// `WORKBOOK_RENEW`: `1`, or a stem.
    wanted: String,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let steps = match words.split_first() {
        Some((verb, names)) if verb == "renew" => steps(names),
        _ => None,
    };
    let Some(steps) = steps else {
        say(USAGE);
        for maker in MAKERS {
            say(&format!("  {:6} {}\n", maker.name(), maker.makes()));
        }
        return ExitCode::from(2);
    };
    say("This renews, as far as it is made from what has changed:\n");
    for step in &steps {
        say(&format!("  {}{}\n", step.what, last_time(step)));
    }
    let mut report = String::new();
    let mut all = true;
    for step in &steps {
        say(&format!("==== {}\n", step.what));
        let start = Instant::now();
        let done = renew(step);
        if done {
            keep_time(step, start.elapsed().as_secs());
            report += &format!("renewed: {}\n", step.what);
        } else {
            let needs = step.needs;
            report += &format!(
                "not renewed, or not all: {}\n    its tests say why (above); they need {needs}\n",
                step.what
            );
        }
        all &= done;
    }
    say(&format!("\n{report}{REST}"));
    ExitCode::from(u8::from(!all))
}

/// What renews what the command line names; `None` if one of the names is unknown.
fn steps(names: &[String]) -> Option<Vec<Step>> {
    if names.is_empty() {
        return Some(MAKERS.iter().map(|maker| of_maker(*maker)).collect());
    }
    let mut steps = Vec::new();
    for name in names {
        match MAKERS.iter().find(|maker| maker.name() == name) {
            Some(maker) => steps.push(of_maker(*maker)),
            None => steps.extend(of_source(name)?),
        }
    }
    Some(steps)
}

/// All that `maker` makes.
fn of_maker(maker: Maker) -> Step {
    // Without `--tests`, which leaves out the programs that tests run.
    let test = ["test", "--quiet", "--workspace", "--no-fail-fast"];
    Step {
        what: format!("by {}: {}", maker.name().replace('_', " "), maker.makes()),
        needs: maker.needs(),
        build: Vec::new(),
        test: test.iter().map(ToString::to_string).chain(named(maker)).collect(),
        wanted: "1".to_string(),
    }
}

/// The tests of `maker`.
fn named(maker: Maker) -> [String; 3] {
    ["--".to_string(), "--include-ignored".to_string(), format!("renewed_by_{}", maker.name())]
}

/// All that is made from the source `stem`, or from the kernels of the corpus' folder `stem`; `None` if there
/// is neither.
fn of_source(stem: &str) -> Option<Vec<Step>> {
    let step = |what: String, maker: Maker, build: &[&str], package: &str, program: &str| {
        let test = ["test", "--quiet", "--no-fail-fast", "--package", package, "--test", program];
        Step {
            what,
            needs: maker.needs(),
            build: build.iter().map(ToString::to_string).collect(),
            test: test.iter().map(ToString::to_string).chain(named(maker)).collect(),
            wanted: stem.to_string(),
        }
    };
    let there_is = |path: String| root().join(path).is_file();
    if there_is(format!("kernels/{stem}.cu")) {
        let example = ["build", "--quiet", "--example", stem];
        return Some(vec![
            step(
                format!("PTX and fatbin of {stem} and its what-ifs"),
                Maker::Nvcc,
                &[],
                "workbook",
                "builds",
            ),
            step(format!("traces of {stem}, where there are any"), Maker::Run, &[], "chapters", "traces"),
            step(format!("the simulator's record of {stem}"), Maker::Run, &example, "workbook", "chapters"),
        ]);
    }
    let solution = |extension: &str| format!("kernels/exercises/solutions/{stem}.{extension}");
    if there_is(solution("cu")) || there_is(solution("rs")) {
        return Some(vec![
            step(format!("builds of {stem}"), Maker::Nvcc, &[], "exercise", "exercises"),
            step("the same of a whole program".to_string(), Maker::Clang, &[], "exercise", "exercises"),
            step(format!("stub and verdicts of {stem}"), Maker::Run, &[], "exercise", "exercises"),
        ]);
    }
    if root().join("crates/launch/tests/corpus").join(stem).is_dir() {
        // All kinds, since only what has changed is compiled, and the table is of all of them.
        let all = |what: &str, maker| Step {
            wanted: "1".to_string(),
            ..step(what.to_string(), maker, &[], "launch", "corpus")
        };
        return Some(vec![
            all("PTX of the corpus", Maker::Nvcc),
            all("the appendix' table of the corpus", Maker::Run),
            all("the corpus as clang has it, and the appendix' list of that", Maker::Clang),
        ]);
    }
    None
}

/// Has the step's tests write what they make; whether all of them could.
fn renew(step: &Step) -> bool {
    let cargo = |words: &[String]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root()).args(words);
        cargo.env("WORKBOOK_RENEW", &step.wanted).env("PYTHONPATH", "target/nvrtc");
        let Ok(mut running) = cargo.stdout(Stdio::piped()).spawn() else { return false };
        let lines = running.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines());
        for line in lines.map_while(Result::ok).filter(|line| !is_of_no_test(line)) {
            say(&format!("{line}\n"));
        }
        running.wait().is_ok_and(|status| status.success())
    };
    (step.build.is_empty() || cargo(&step.build)) && cargo(&step.test)
}

/// Whether cargo says this of a program that has no test of the maker, as most have none.
fn is_of_no_test(line: &str) -> bool {
    let is_empty_run = line.starts_with("test result: ok. 0 passed; 0 failed; 0 ignored");
    line.is_empty() || line == "running 0 tests" || line.starts_with("all doctests ran") || is_empty_run
}

/// Where it is kept how long a step took.
fn time_file(step: &Step) -> PathBuf {
    let name: String = step.what.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    root().join("target/renewed").join(name)
}

/// How long the step took the last time it was done here, in words.
fn last_time(step: &Step) -> String {
    match std::fs::read_to_string(time_file(step)) {
        Ok(seconds) => format!(" ({} s the last time)", seconds.trim()),
        Err(_) => " (not timed here yet)".to_string(),
    }
}

/// Nothing is lost if this cannot be kept.
fn keep_time(step: &Step, seconds: u64) {
    let file = time_file(step);
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = std::fs::write(file, seconds.to_string());
}

fn root() -> PathBuf {
    // Cargo tells the programs that it starts where their package is.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package.map_or(PathBuf::from("."), |package| package.join("../.."))
}

fn say(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
