//! One exercise: the task, the hints, how it is launched, its goals, and other answers, wrong and right. It
//! is read from the solution and the TOML file beside it (`info.rs`); `texts.rs` derives the learner's file.
//!
//! The solution stands as it compiles, with marks of its own:
//!
//! | line | meaning |
//! | --- | --- |
//! | `//@ begin`, `//@ stub`, `//@ end` | the answer; then what the learner finds, as `//\| ` lines |
//! | `//@ here TEXT` | where a line is asked for: after the line above, TEXT is missing |
//! | `//@ this` | the line above is the one that is asked for |

use std::path::Path;

use anyhow::{Context, Result, ensure};
use cuda_source::edit::Edit;

use super::answer::Answer;
use super::evidence;
use super::fault::Fault;
use super::goal::Goal;
use super::id::Id;
use super::info::{Difficulty, Info, Other, Rungs, SOLUTIONS, prose};
use super::plan::Plan;

/// What the learner writes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A kernel, and how the host launches it.
    Kernel(Plan),
    /// A Rust function with this name.
    Function(String),
    /// A whole program, which prints this.
    Program(String),
    /// Numbers, about a kernel as it is given.
    Numbers {
        /// In the order of the file.
        answers: Vec<Answer>,
        /// How the host launches it.
        plan: Plan,
    },
}

impl Default for Kind {
    fn default() -> Kind {
        Kind::Kernel(Plan::default())
    }
}

/// An answer that the check must refuse, or must not.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What it does, in a word or two.
    pub name: String,
    /// What a check of it fails with; nothing if it is right, in another way than the solution: `passes`.
    pub fails: Option<Fault>,
    /// How it differs from the solution.
    pub(super) edit: Edit,
    /// All of its code, if it has little in common with the solution.
    pub(super) code: String,
}

impl Mutant {
    /// Whether it is as right as the solution.
    pub fn is_right(&self) -> bool {
        self.fails.is_none()
    }
}

/// One exercise.
#[derive(Clone, Debug, Default)]
pub struct Exercise {
    /// Chapter and number.
    pub id: Id,
    /// `2_1_barrier`
    pub stem: String,
    /// The learner's file, from the repository root.
    pub path: String,
    /// As the list shows it.
    pub title: String,
    /// Markdown.
    pub task: Vec<String>,
    /// What one learns, in one sentence: `You learn how … .`
    pub learn: String,
    /// About how long it takes.
    pub minutes: u32,
    /// What it asks for.
    pub difficulty: Difficulty,
    /// What the learner writes.
    pub kind: Kind,
    /// In the order in which they are given.
    pub hints: Vec<String>,
    /// What the answer may cost at most.
    pub goals: Vec<Goal>,
    /// Of a blank page, where any right answer will do: the kernels that it is compared with.
    pub rungs: Option<Rungs>,
    /// A question for after the exercise has passed.
    pub why: String,
    /// The answer to it.
    pub because: String,
    /// The other answers that tests try.
    pub mutants: Vec<Mutant>,
    /// The title of its page, if that is none of the chapter's.
    pub page: Option<String>,
    /// Whether the task has a data race.
    pub has_race: bool,
    /// Whether what `ncu` counted for each line is shown.
    has_profile: bool,
    thinks: Vec<(String, String)>,
    /// What follows the head, marks included.
    pub(super) body: Vec<String>,
}

/// Where the learner's files are, from the repository root.
pub const STUBS: &str = "kernels/exercises";

impl Exercise {
    /// The exercise whose solution is the file `name` (`2_1_barrier.cu`) with contents `code`.
    ///
    /// # Errors
    /// What is wrong with it, by file.
    pub fn new(name: &str, info: &Info, code: &str) -> Result<Exercise> {
        let file = format!("{SOLUTIONS}/{name}");
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
        Exercise::read(stem, &format!("{STUBS}/{name}"), info, code).with_context(|| file)
    }

    fn read(stem: &str, path: &str, info: &Info, code: &str) -> Result<Exercise> {
        let lines = |text: &str| trimmed(text.lines().map(str::to_string).collect());
        let exercise = Exercise {
            id: info.id.parse().ok().context("`id` is not N.M")?,
            stem: stem.to_string(),
            path: path.to_string(),
            title: info.title.clone(),
            task: lines(&info.task),
            learn: format!("You learn {}.", prose(&info.learn)),
            minutes: info.minutes,
            difficulty: info.difficulty,
            kind: kind(info)?,
            hints: info.hints.iter().map(|hint| prose(hint)).collect(),
            goals: info.goals.iter().map(|goal| Goal::parse(goal)).collect::<Result<_>>()?,
            rungs: info.rungs.clone(),
            why: prose(&info.why),
            because: prose(&info.because),
            mutants: info.mutants.iter().map(mutant).collect::<Result<_>>()?,
            page: info.page.clone(),
            has_race: info.race,
            has_profile: info.profile,
            thinks: info.think.iter().map(|(kind, text)| (kind.clone(), prose(text))).collect(),
            body: lines(code),
        };
        exercise.check()?;
        Ok(exercise)
    }

    /// Whether it is one of the first puzzles, whose reader knows threads, blocks and barriers, and neither
    /// warps nor what things cost.
    pub fn is_puzzle(&self) -> bool {
        self.id.chapter == 0
    }

    /// Whether it asks after which line something is missing.
    pub fn lacks_a_line(&self) -> bool {
        self.body.iter().any(|line| line.trim().starts_with(HERE))
    }

    fn check(&self) -> Result<()> {
        let cases = self.goals.windows(2).all(|goals| goals[0].case == goals[1].case);
        ensure!(cases || matches!(self.kind, Kind::Function(_)), "the goals are measured at different sizes");
        ensure!(!self.task.is_empty(), "there is no task");
        ensure!(!self.hints.is_empty(), "there is no hint");
        ensure!(self.why.is_empty() == self.because.is_empty(), "why and because do not come together");
        ensure!(self.minutes > 0, "it does not say how many minutes it takes");
        let count = |mark: &str| self.body.iter().filter(|line| line.trim() == mark).count();
        let parts = ["//@ begin", "//@ stub", "//@ end"].map(count);
        ensure!(parts[0] > 0 && parts == [parts[0]; 3], "begin, stub and end do not come together");
        for mutant in &self.mutants {
            self.mutated(mutant)?;
        }
        let answers = match &self.kind {
            Kind::Numbers { answers, .. } => answers.as_slice(),
            _ => &[],
        };
        ensure!(!self.lacks_a_line() || answers.iter().any(Answer::is_line), "no line is asked for");
        let stub = self.stub();
        for (code, _) in answers.iter().filter(|answer| answer.is_line()).flat_map(|answer| &answer.slips) {
            let times = stub.lines().filter(|line| line.trim() == code).count();
            ensure!(times == 1, "`{code}`, a slip, stands {times} times");
        }
        Ok(())
    }

    /// The sentence for a check that failed with `kind`, if the exercise has one of its own.
    pub fn think(&self, kind: &str) -> Option<&str> {
        self.thinks.iter().find(|(known, _)| known == kind).map(|(_, text)| text.as_str())
    }

    /// What the answers are taken from, as text; empty if it is the kernel alone.
    pub fn evidence(&self, root: &Path) -> Result<String> {
        let Kind::Numbers { answers, .. } = &self.kind else { return Ok(String::new()) };
        let times = answers.iter().find_map(Answer::times).map(|times| times.table(root));
        match times {
            None if self.has_profile => evidence::profile(root, &self.stub()),
            times => Ok(times.transpose()?.unwrap_or_default()),
        }
    }

    /// Where that is written, or what an answer is compared with, from the repository root; `None` if it is
    /// nowhere.
    pub fn evidence_file(&self) -> Option<String> {
        if let Some(rungs) = &self.rungs {
            return Some(rungs.file());
        }
        let Kind::Numbers { answers, .. } = &self.kind else { return None };
        let record = answers.iter().find_map(Answer::times).map(|times| times.file());
        record.or(self.has_profile.then(|| evidence::PROFILE.to_string()))
    }

    /// What is said after it has passed; empty if nothing is.
    pub fn gain(&self, root: &Path) -> Result<String> {
        if self.has_profile { evidence::gain(root) } else { Ok(String::new()) }
    }
}

/// What the learner writes.
fn kind(info: &Info) -> Result<Kind> {
    if let Some(function) = &info.host.function {
        return Ok(Kind::Function(function.clone()));
    }
    if let Some(prints) = &info.host.prints {
        return Ok(Kind::Program(prints.clone()));
    }
    let plan = Plan::new(&info.host)?;
    let mut answers = Vec::new();
    for asked in &info.answers {
        let mut answer = Answer::parse(&asked.name, &asked.source)?;
        answer.slips = asked.slips.iter().map(|slip| (slip.of.clone(), prose(&slip.say))).collect();
        answers.push(answer);
    }
    Ok(if answers.is_empty() { Kind::Kernel(plan) } else { Kind::Numbers { answers, plan } })
}

/// Another answer, which tests try.
fn mutant(other: &Other) -> Result<Mutant> {
    let of = || format!("mutant {}", other.name);
    let known = |fault: &String| {
        Fault::named(fault).with_context(|| format!("there is no fault `{fault}`")).with_context(of)
    };
    Ok(Mutant {
        name: other.name.clone(),
        fails: other.fails.as_ref().map(known).transpose()?,
        edit: Edit::parse(&other.edit).with_context(of)?,
        code: other.code.clone(),
    })
}

pub(super) const THIS: &str = "//@ this";
pub(super) const HERE: &str = "//@ here ";

/// Without empty lines at both ends.
fn trimmed(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.trim().is_empty()).count();
    lines.split_off(blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: &str = r#"
id = "3.1"
title = "Add them up"
task = """
All of them.
"""
learn = "to add"
minutes = 5
difficulty = "easy"
goals = ["barriers <= 8 n=96 block=32"]
hints = ["""
    One,
    and the same.""", "Two."]

[host]
launches = ["sum<<<ceil_div(n,2*block), block>>> @data @out u32:n"]
result = "out"

[think]
data-race = "Who reads?"

[[mutants]]
name = "less"
fails = "wrong-result"
edit = '''
- data[1] += data[2];
+ // nothing
'''
"#;

    const CODE: &str = "void sum(int *data)\n{\n    //@ begin\n    data[1] += data[2];\n    data[0] += \
        data[1];\n    //@ stub\n    //| // Here.\n    //@ end\n}\n";

    fn read(info: &str, code: &str) -> Result<Exercise> {
        let info = Info::parse(info)?.with_shared(&Default::default(), code)?;
        Exercise::new("3_1_add.cu", &info, code)
    }

    #[test]
    fn stub_solution_and_mutant_differ_in_the_marked_body_alone() {
        let exercise = read(INFO, CODE).unwrap();
        let head = "// Exercise 3.1: Add them up\n//\n// All of them.\n//\n\
            // The host launches `sum(data, out, n)` with as many blocks as give every 2 of the `n` \
             numbers a thread.\n\
            // Goal: at most 8 barrier arrivals (one per warp) at n = 96, 32 threads per block.\n//\n\
            // You learn to add. About 5 minutes.\n//\n\
            // Check it:  cargo run --example exercise -- 3.1\n\
            // A hint:    cargo run --example exercise -- hint 3.1\n\nvoid sum(int *data)\n{\n";
        let body = "    data[1] += data[2];\n    data[0] += data[1];\n";
        assert_eq!(exercise.stub(), format!("{head}    // Here.\n}}\n"));
        assert_eq!(exercise.solution(), format!("{head}{body}}}\n"));
        let mutated = exercise.mutated(&exercise.mutants[0]).unwrap();
        assert_eq!(mutated, format!("{head}    // nothing\n    data[0] += data[1];\n}}\n"));
        assert_eq!(exercise.path, "kernels/exercises/3_1_add.cu");
        assert_eq!(exercise.hints, ["One, and the same.", "Two."]);
        assert_eq!(exercise.think("data-race"), Some("Who reads?"));
    }

    #[test]
    fn a_line_that_is_missing_is_found_by_its_number() {
        let code = CODE.replace("    //@ begin", "    int x;\n    //@ here __syncthreads();\n    //@ begin");
        assert!(format!("{:#}", read(INFO, &code).unwrap_err()).contains("no line is asked for"));
        let asks = format!("{INFO}\n[[answers]]\nname = \"line\"\nsource = \"line\"\n");
        let exercise = read(&asks, &code).unwrap();
        let Kind::Numbers { answers, .. } = &exercise.kind else { panic!("{:?}", exercise.kind) };
        assert!(answers[0].is_line());
        let stub = exercise.stub();
        assert_eq!(stub.lines().nth(exercise.marked_lines()[0] as usize - 1), Some("    int x;"));
        let mended = stub.replace("    int x;\n", "    int x;\n    __syncthreads();\n");
        assert_eq!(exercise.mended(), mended);
    }

    #[test]
    fn a_shared_wrong_answer_has_the_solutions_kernel_and_its_chunks() {
        let all: super::super::info::AllShared =
            toml::from_str("[alone]\nfails = \"one-thread\"\ncode = \"SIGNATURE { f(CHUNK * n); }\"")
                .unwrap();
        let code = CODE.replace("void sum(int *data)", "extern \"C\" __global__ void sum(int *data)");
        let mutant = |more: &str| {
            let info = format!("{INFO}\n[[mutants]]\nshared = \"alone\"\n{more}\n");
            let info = Info::parse(&info).unwrap().with_shared(&all, &code)?;
            let exercise = Exercise::new("3_1_add.cu", &info, &code)?;
            exercise.mutated(exercise.mutants.last().unwrap())
        };
        assert!(mutant("").unwrap().ends_with("\n\nextern \"C\" __global__ void sum(int *data) { f(n); }"));
        assert!(mutant("chunks = 2").unwrap().ends_with("{ f(2 * n); }"));
        let unknown = Info::parse(&format!("{INFO}\n[[mutants]]\nshared = \"aline\"\n")).unwrap();
        let error = unknown.with_shared(&all, &code).unwrap_err();
        assert_eq!(error.to_string(), "mutants.toml has no aline");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, said) in [
            ("id = \"3.1\"", "id = \"3\"", "`id` is not N.M"),
            ("All of them.\n", "", "there is no task"),
            ("learn = \"to add\"\n", "", "missing field `learn`"),
            ("minutes = 5", "minutes = \"five\"", "line 8"),
            ("\"easy\"", "\"trivial\"", "expected one of `easy`, `takes thought`, `hard`"),
            ("hints = [", "hnts = [", "unknown field `hnts`"),
            ("@data @out", "@data @oud", "no buffer is called @oud; there are: @input, @data"),
            ("u32:n", "u32:m", "`m` is not a valid u32"),
            ("ceil_div(n,2*block)", "n/0", "`n/0` is not a size"),
            ("ceil_div(n,2*block)", "2*n", "the grid is a number, ceil_div(n,block) or ceil_div(n,4*block)"),
            ("barriers <=", "bariers <=", "no counter bariers"),
            ("- data[1] +=", "- data[2] +=", "mutant less: `data[2] += data[2];` stands 0 times"),
            ("\"wrong-result\"", "\"wrong\"", "there is no fault `wrong`"),
            ("- data[1] += data[2];\n+ // nothing\n", "", "mutant less: either `edit` or `code`"),
        ] {
            assert!(INFO.contains(from), "{from}");
            let refusal = format!("{:#}", read(&INFO.replace(from, to), CODE).unwrap_err());
            assert!(refusal.contains(said), "{from}: {refusal}");
        }
        let refusal = format!("{:#}", read(INFO, &CODE.replace("//@ end", "")).unwrap_err());
        assert!(
            refusal.contains("solutions/3_1_add.cu: begin, stub and end do not come together"),
            "{refusal}"
        );
    }
}
