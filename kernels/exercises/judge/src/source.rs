//! One solution file, read: the task, the hints, how it is launched, its goals, and other answers, wrong and
//! right. `texts.rs` derives the learner's file from it.
//!
//! The head of the file is plain comments: `// 2.1 Title`, an empty comment line, the task in Markdown. The
//! rest is the solution as it compiles, with lines of its own:
//!
//! | line | meaning |
//! | --- | --- |
//! | `//@ learn how …`, `//@ minutes 10` | "You learn how ….", and about how long it takes |
//! | `//@ launch KERNEL<<<GRID, block>>> ARG …` | a launch by the host; see `plan.rs` |
//! | `//@ result out` | where the result is: `partials` (if it is not said), `out` or `total` |
//! | `//@ op sum` | what is computed: `sum`, `squares`, `max`, `min`, `range`, `floats` |
//! | `//@ blocks 32 96`, `//@ sizes 0 1 2` | threads per block and lengths, if not the usual ones |
//! | `//@ one-block`, `//@ most-blocks 100` | only lengths that fit one block, or this many |
//! | `//@ call NAME` | a Rust exercise: the function |
//! | `//@ goal FIELD <= N n=N block=B` | a goal at that size, and beside the solution at others |
//! | `//@ answer NAME: SOURCE` | a number that is asked for, and how it is known; see `answer.rs` |
//! | `//@ slip NAME: N TEXT` | what is said of N, where a mistake leads; of a line: its code in backticks |
//! | `//@ race` | the task has a data race, in its source |
//! | `//@ profile` | what `ncu` counted for each line is shown |
//! | `//@ page TITLE` | the book's page, if it is none of the chapter's |
//! | `//@ hint TEXT` | hints, in order; lines that begin with `//@` and three blanks go on |
//! | `//@ think KIND: TEXT` | what to think about when a check fails with this kind |
//! | `//@ why QUESTION`, `//@ because ANSWER` | a question for after it has passed, and its answer |
//! | `//@ mutant NAME: KIND` | a wrong answer, and what it fails with; or a right one: `passes` |
//! | `//@ - TEXT`, `//@ + TEXT` | how it differs from the solution: an edit (`kernel_compiler::edit`) |
//! | `//@ = CODE` | or all of its code, line by line |
//! | `//@ begin`, `//@ stub`, `//@ end` | the answer; then what the learner finds, as `//\| ` lines |
//! | `//@ here TEXT` | where a line is asked for: after the line above, TEXT is missing |
//! | `//@ this` | the line above is the one that is asked for |

use std::path::Path;

use anyhow::{Context, Result, ensure};
use kernel_compiler::edit::Edit;

use super::answer::Answer;
use super::evidence;
use super::fault::Fault;
use super::goal::Goal;
use super::id::Id;
use super::plan::Plan;

/// What the learner writes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A kernel, and how the host launches it.
    Kernel(Plan),
    /// A Rust function with this name.
    Function(String),
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
    /// What the learner writes.
    pub kind: Kind,
    /// In the order in which they are given.
    pub hints: Vec<String>,
    /// What the answer may cost at most.
    pub goals: Vec<Goal>,
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

/// Where the solutions are, from the repository root, and the learner's files.
pub const SOLUTIONS: &str = "kernels/exercises/solutions";
/// The learner's files.
pub const STUBS: &str = "kernels/exercises";

impl Exercise {
    /// Reads the solution file `name` (`2_1_barrier.cu`) with contents `text`.
    pub fn parse(name: &str, text: &str) -> Result<Exercise> {
        let file = format!("{SOLUTIONS}/{name}");
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
        Exercise::read(stem, &format!("{STUBS}/{name}"), text).with_context(|| file)
    }

    fn read(stem: &str, path: &str, text: &str) -> Result<Exercise> {
        let mut lines = text.lines().peekable();
        let head = lines.next().and_then(|line| line.strip_prefix("// ")).unwrap_or_default();
        let (id, title) = head.split_once(' ').unwrap_or_default();
        let id: Id = id.parse().ok().context("the first line is not `// N.M Title`")?;
        let mut task = Vec::new();
        while let Some(line) = lines
            .next_if(|line| line.starts_with("//") && !line.starts_with("//@") && !line.starts_with("//|"))
        {
            task.push(line[2..].strip_prefix(' ').unwrap_or(&line[2..]).to_string());
        }
        let task = trimmed(task);
        ensure!(!task.is_empty(), "there is no task below the title");

        let mut marks: Vec<String> = Vec::new();
        let mut body = Vec::new();
        let mut mutant_lines = false;
        for line in lines {
            let in_body = BODY_MARKS.contains(&line.trim()) || line.trim().starts_with(HERE);
            let Some(mark) = line.strip_prefix("//@ ").filter(|_| !in_body) else {
                body.push(line.to_string());
                continue;
            };
            let goes_on = mark.starts_with("  ") && !marks.is_empty();
            match marks.last_mut() {
                Some(last) if goes_on && !mutant_lines => *last += &format!(" {}", mark.trim()),
                _ => marks.push(mark.to_string()),
            }
            mutant_lines = mark.starts_with(['-', '+', '=']);
        }

        let mut exercise = Exercise {
            id,
            stem: stem.to_string(),
            path: path.to_string(),
            title: title.to_string(),
            task,
            body: trimmed(body),
            ..Exercise::default()
        };
        let mut plan = Plan::default();
        let mut answers = Vec::new();
        if exercise.lacks_a_line() {
            answers.push(Answer::parse("line", "line")?);
        }
        for mark in &marks {
            exercise.mark(mark, &mut plan, &mut answers).with_context(|| format!("//@ {mark}"))?;
        }
        match exercise.kind {
            Kind::Function(_) => {}
            _ if answers.is_empty() => exercise.kind = Kind::Kernel(plan),
            _ => exercise.kind = Kind::Numbers { answers, plan },
        }
        exercise.check()?;
        Ok(exercise)
    }

    /// Whether it asks after which line something is missing.
    pub fn lacks_a_line(&self) -> bool {
        self.body.iter().any(|line| line.trim().starts_with(HERE))
    }

    fn mark(&mut self, mark: &str, plan: &mut Plan, answers: &mut Vec<Answer>) -> Result<()> {
        let (word, rest) = mark.split_once(' ').unwrap_or((mark, ""));
        let named = || {
            let (name, text) = rest.split_once(": ").context("a name, a colon, then the text")?;
            anyhow::Ok((name.to_string(), text.trim().to_string()))
        };
        match word {
            "learn" => self.learn = format!("You learn {rest}."),
            "minutes" => self.minutes = rest.parse().context("minutes are a number")?,
            "call" => self.kind = Kind::Function(rest.to_string()),
            "why" => self.why = rest.to_string(),
            "because" => self.because = rest.to_string(),
            "hint" => self.hints.push(rest.to_string()),
            "page" => self.page = Some(rest.to_string()),
            "race" => self.has_race = true,
            "profile" => self.has_profile = true,
            "goal" => self.goals.push(Goal::parse(rest)?),
            "think" => self.thinks.push(named()?),
            "answer" => {
                let (name, source) = named()?;
                answers.push(Answer::parse(&name, &source)?);
            }
            "slip" => {
                let (name, text) = named()?;
                let mut answers = answers.iter_mut();
                answers.find(|answer| answer.name == name).context("no such answer above it")?.slip(&text)?;
            }
            "mutant" => {
                let (name, fails) = named()?;
                let fails = match fails.as_str() {
                    "passes" => None,
                    fault => {
                        Some(Fault::named(fault).with_context(|| format!("there is no fault `{fault}`"))?)
                    }
                };
                self.mutants.push(Mutant { name, fails, edit: Edit::default(), code: String::new() });
            }
            "=" | "-" | "+" => {
                let mutant = self.mutants.last_mut().context("there is no mutant above it")?;
                match word {
                    "=" => mutant.code += &format!("{rest}\n"),
                    _ => mutant.edit.line(mark)?,
                }
            }
            _ => plan.mark(word, rest)?,
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let cases = self.goals.windows(2).all(|goals| goals[0].case == goals[1].case);
        ensure!(cases || matches!(self.kind, Kind::Function(_)), "the goals are measured at different sizes");
        ensure!(!self.hints.is_empty(), "there is no hint");
        ensure!(!self.learn.is_empty(), "it does not say what one learns");
        ensure!(self.why.is_empty() == self.because.is_empty(), "why and because do not come together");
        ensure!(self.minutes > 0, "it does not say how many minutes it takes");
        let count = |mark: &str| self.body.iter().filter(|line| line.trim() == mark).count();
        let parts = ["//@ begin", "//@ stub", "//@ end"].map(count);
        ensure!(parts[0] > 0 && parts == [parts[0]; 3], "begin, stub and end do not come together");
        for mutant in &self.mutants {
            self.mutated(mutant)?;
        }
        let Kind::Numbers { answers, .. } = &self.kind else { return Ok(()) };
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

    /// Where that is written, from the repository root; `None` if it is nowhere.
    pub fn evidence_file(&self) -> Option<String> {
        let Kind::Numbers { answers, .. } = &self.kind else { return None };
        let record = answers.iter().find_map(Answer::times).map(|times| times.file());
        record.or(self.has_profile.then(|| evidence::PROFILE.to_string()))
    }

    /// What is said after it has passed; empty if nothing is.
    pub fn gain(&self, root: &Path) -> Result<String> {
        if self.has_profile { evidence::gain(root) } else { Ok(String::new()) }
    }
}

/// Marks that stand in the text of an exercise, where they belong.
const BODY_MARKS: [&str; 4] = ["//@ begin", "//@ stub", "//@ end", THIS];
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

    const TEXT: &str = "// 3.1 Add them up\n//\n// All of them.\n//\n\
        //@ learn to add\n//@ minutes 5\n\
        //@ launch sum<<<n/(2*block), block>>> @data @out u32:n\n//@ result out\n\
        //@ goal barriers <= 8 n=96 block=32\n\
        //@ hint One,\n//@      and the same.\n//@ hint Two.\n\
        //@ think data-race: Who reads?\n\
        //@ mutant less: wrong-result\n//@ - data[1] += data[2];\n//@ + // nothing\n\n\
        void sum(int *data)\n{\n    //@ begin\n    data[1] += data[2];\n    data[0] += data[1];\n\
        \x20   //@ stub\n    //| // Here.\n    //@ end\n}\n";

    fn parse(text: &str) -> Result<Exercise> {
        Exercise::parse("3_1_add.cu", text)
    }

    fn refusal(text: &str) -> String {
        format!("{:#}", parse(text).unwrap_err())
    }

    #[test]
    fn stub_solution_and_mutant_differ_in_the_marked_body_alone() {
        let exercise = parse(TEXT).unwrap();
        let head = "// Exercise 3.1: Add them up\n//\n// All of them.\n//\n\
            // The host launches `sum(data, out, n)` with a thread for every 2 of the `n` numbers.\n\
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
    fn line_endings_do_not_matter() {
        assert_eq!(parse(&TEXT.replace('\n', "\r\n")).unwrap().stub(), parse(TEXT).unwrap().stub());
    }

    #[test]
    fn a_line_that_is_missing_is_found_by_its_number() {
        let text = TEXT.replace("    //@ begin", "    int x;\n    //@ here __syncthreads();\n    //@ begin");
        let exercise = parse(&text).unwrap();
        let Kind::Numbers { answers, .. } = &exercise.kind else { panic!("{:?}", exercise.kind) };
        assert!(answers[0].is_line());
        let stub = exercise.stub();
        assert_eq!(stub.lines().nth(exercise.marked_lines()[0] as usize - 1), Some("    int x;"));
        let mended = stub.replace("    int x;\n", "    int x;\n    __syncthreads();\n");
        assert_eq!(exercise.mended(), mended);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, said) in [
            ("// 3.1 Add", "// Add", "the first line is not `// N.M Title`"),
            ("// All of them.\n", "", "there is no task"),
            ("//@ learn to add\n", "", "it does not say what one learns"),
            ("minutes 5", "minutes five", "minutes are a number"),
            ("//@ hint", "//@ hnt", "//@ hnt One,"),
            ("//@ end", "", "begin, stub and end do not come together"),
            ("@data @out", "@data @oud", "no buffer is called @oud; there are: @input, @data"),
            ("u32:n", "u32:m", "`m` is not a valid u32"),
            ("n/(2*block)", "n/0", "`n/0`: one to three sizes"),
            ("n/(2*block)", "2*n", "the grid is a number, n/block or n/(4*block)"),
            ("//@ goal barriers", "//@ goal bariers", "no counter bariers"),
            ("//@ - data[1] +=", "//@ - data[2] +=", "mutant less: `data[2] += data[2];` stands 0 times"),
            ("//@ mutant less: wrong-result\n", "", "there is no mutant above it"),
        ] {
            assert!(TEXT.contains(from), "{from}");
            let refusal = refusal(&TEXT.replace(from, to));
            assert!(refusal.contains(said) && refusal.contains("solutions/3_1_add.cu"), "{from}: {refusal}");
        }
    }
}
