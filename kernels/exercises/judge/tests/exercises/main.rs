//! Every exercise: its stub fails, its solution passes, every wrong answer fails as it should, and every
//! other right answer passes. From the committed builds; no nvcc is needed. `path.rs` and its neighbours go
//! through them as a learner does.
//!
//! After an edit of a solution, `cargo xtask renew` makes the stubs and the builds anew.

mod asked;
mod both;
mod compiled;
mod compilers;
mod files;
mod learner;
mod path;
mod puzzles;
mod watch;

use std::path::Path;
use std::sync::Arc;

use exercise::code::{self, PREBUILT};
use exercise::fault::Fault;
use exercise::page::Page;
use exercise::source::{Exercise, Kind};
use exercise::verdict::Findings;
use exercise::{catalogue, mark, numbers};
use kernel_compiler::compiler::{Compiler, HOW_TO_GET_NVCC, Maker};
use kernel_compiler::hash::{source_hash, text_hash};
use rayon::prelude::*;
use testing::renew::{HOW, committed, is_wanted, renewing};

fn root() -> &'static Path {
    kernel_compiler::root().unwrap()
}

/// Exercises; one that is added or taken out counts here.
const EXERCISES: usize = 55;

fn exercises() -> Vec<Exercise> {
    let exercises = catalogue::read(root()).unwrap();
    let count = exercises.len();
    assert_eq!(count, EXERCISES, "exercises; EXERCISES in kernels/exercises/judge/tests counts them");
    exercises
}

/// A directory of this test's own with the repository's exercises, stubs as they are given.
fn scratch(name: &str) -> std::path::PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exercises").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    for folder in ["kernels/exercises/solutions", PREBUILT] {
        std::fs::create_dir_all(directory.join(folder)).unwrap();
        for file in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                std::fs::copy(&path, directory.join(folder).join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    for exercise in exercises() {
        std::fs::write(directory.join(&exercise.path), exercise.stub()).unwrap();
    }
    add_evidence(&directory);
    directory
}

/// The records that answers are taken from; of a chapter's record what is needed, as it was once, so that
/// what the terminal says does not change with every new record.
fn add_evidence(directory: &Path) {
    for (from, to) in [
        (
            "kernels/exercises/judge/tests/exercises/records/ch3_blocks.gpu.json",
            "book/records/ch3_blocks.gpu.json",
        ),
        ("book/records/ch7_limit.sim.json", "book/records/ch7_limit.sim.json"),
        ("benches/ncu_lines.json", "benches/ncu_lines.json"),
    ] {
        let path = directory.join(to);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(root().join(from), path).unwrap();
    }
}

/// Why `text` fails as the answer to `exercise`; `None` if it passes.
fn failure(root: &Path, exercise: &Exercise, text: &str) -> Option<Findings> {
    failure_with(root, exercise, text, None)
}

/// [`failure`] with this compiler, or with the committed builds.
fn failure_with(
    root: &Path,
    exercise: &Exercise,
    text: &str,
    compiler: Option<&exercise::compiler::Compiler>,
) -> Option<Findings> {
    std::fs::write(root.join(&exercise.path), text).unwrap();
    let found = mark::mark(root, exercise, compiler).unwrap();
    let found =
        found.unwrap_or_else(|| panic!("{} has a text that is not committed; run `{HOW}`", exercise.id));
    let says_why = !found.think.is_empty() && !found.what.is_empty();
    assert!(found.passes() || says_why, "{}: {found:?}", exercise.id);
    (!found.passes()).then_some(found)
}

fn installed(compiler: &Compiler) -> exercise::compiler::Compiler {
    exercise::compiler::Compiler::Installed(compiler.clone())
}

/// What a task asks beside the right result. An answer that breaks such a rule is compared with other texts,
/// and a page has to have compiled those too: it compiles once, before anything is marked.
const RULES: [Fault; 4] = [Fault::OneThread, Fault::Atomics, Fault::Launches, Fault::Overflow];

/// The compiler of a page, with what is known to be needed before the answer `text` is marked.
fn of_page(root: &Path, exercise: &Exercise, text: &str) -> exercise::compiler::Compiler {
    let compiled = code::compared(exercise, text).unwrap().into_iter().map(|text| {
        let ptx = code::committed(root, exercise, &source_hash(&text)).unwrap();
        let ptx = ptx.unwrap_or_else(|| panic!("{}: a text that is not built", exercise.id));
        serde_json::json!({"hash": text_hash(&text), "ptx": ptx, "said": ""})
    });
    let compiled = serde_json::from_value(compiled.collect()).unwrap();
    exercise::compiler::Compiler::Page(Arc::new(Page::new("clang 22.1.8".into(), compiled)))
}

/// The question at a race goes by its shape, and an exercise may have its own.
const QUESTIONS: [(&str, &str, &str); 10] = [
    ("2.1", "no-barrier", "Lanes of a warp need not move in step."),
    ("2.1", "only-one-warp", "Which barrier stands between the thread that writes this element"),
    ("3.1", "all-blocks-write-one", "which of them should?"),
    ("5.3", "overlapping-arrays", "which of them should?"),
    ("6.4", "plain-addition", "Blocks run in any order, and no barrier of a block"),
    ("4.3", "at-once", "What of the parent's work does the child see"),
    ("4.1", "at-once-behind-a-barrier", "What waits for all blocks of the parent"),
    ("6.4", "within-the-block", "`atomicAdd_block` is atomic only among"),
    ("6.3", "no-fence", "How does the block that adds up know"),
    ("6.3", "no-barrier-behind-the-flag", "Lanes of a warp need not move in step."),
];

const RACE: Fault = Fault::Found(ptx_simulator::Kind::DataRace);

/// What is said of each wrong answer: the kinds, and the message.
const MISTAKES: &str = "kernels/exercises/judge/tests/exercises/mistakes.txt";

/// What [`MISTAKES`] holds of the exercise `id`: its lines, each with those indented below it.
fn held(id: &str) -> String {
    let text = std::fs::read_to_string(root().join(MISTAKES)).unwrap();
    let mut is_of_it = false;
    let mut held = String::new();
    for line in text.lines() {
        if !line.starts_with(' ') {
            is_of_it = line.split(' ').next() == Some(id);
        }
        if is_of_it {
            held += &format!("{line}\n");
        }
    }
    held
}

/// What came of the answers to an exercise.
#[derive(Default)]
struct Judged {
    /// What did not turn out as it should.
    wrong: Vec<String>,
    /// The lines of [`MISTAKES`].
    said: String,
    /// How many answers have to fail.
    mistakes: usize,
    /// How many of them were marked with what a page has compiled.
    as_in_a_page: usize,
}

#[test]
fn every_answer_gets_its_verdict_with_words_renewed_by_a_run() {
    let root = scratch("proof");
    let judged = exercises().into_par_iter().map(|exercise| {
        let mut judged = Judged::default();
        let stem = &exercise.stem;
        if !is_wanted(stem) {
            judged.mistakes = exercise.mutants.iter().filter(|mutant| mutant.fails.is_some()).count();
            judged.said = held(&exercise.id.to_string());
            return judged;
        }
        let Some(found) = failure(&root, &exercise, &exercise.stub()) else {
            judged.wrong.push(format!("{stem}: the stub passes"));
            return judged;
        };
        // It may miss its goal. It is no cheat.
        if let Some(kind) =
            found.kinds.iter().find(|kind| [Fault::OneThread, Fault::Work, Fault::LeftEarly].contains(kind))
        {
            judged.wrong.push(format!("{stem}: the stub is told {kind}: {}", found.what));
        }
        let asks_for_code = matches!(exercise.kind, Kind::Kernel(_));
        if asks_for_code && found.kinds.contains(&RACE) != exercise.has_race {
            judged.wrong.push(format!(
                "{stem}: the stub fails with {:?}; its TOML says `race = {}`",
                found.kinds, exercise.has_race
            ));
        }
        if let Some(failure) = failure(&root, &exercise, &exercise.solution()) {
            judged.wrong.push(format!("{stem}: the solution fails with {:?}", failure.kinds));
        }
        if exercise.mutants.iter().filter(|mutant| !mutant.is_right()).count() < 3 {
            judged.wrong.push(format!("{stem}: its TOML has fewer than three mutants that have to fail"));
        }
        if exercise.why.is_empty() {
            judged.wrong.push(format!("{stem}: its TOML asks no question (`why`, `because`)"));
        }
        for mutant in &exercise.mutants {
            let name = &mutant.name;
            let text = exercise.mutated(mutant).unwrap();
            let breaks_a_rule = mutant.fails.is_some_and(|fault| RULES.contains(&fault));
            let page = (asks_for_code && breaks_a_rule).then(|| of_page(&root, &exercise, &text));
            judged.as_in_a_page += usize::from(page.is_some());
            let found = failure_with(&root, &exercise, &text, page.as_ref());
            let id = exercise.id.to_string();
            for (_, _, question) in QUESTIONS.iter().filter(|asked| (asked.0, asked.1) == (&*id, &**name)) {
                let think = found.as_ref().map_or("", |failure| &failure.think);
                assert!(think.contains(question), "{id} {name}: {think}");
            }
            let (kinds, what) = found.map_or((Vec::new(), String::new()), |failure| {
                let findings = failure.diagnostics.iter().take(1).map(|found| found.message());
                let what = failure.what.lines().map(str::to_string).chain(findings);
                (
                    failure.kinds,
                    what.filter(|line| !line.is_empty()).map(|line| format!("  {line}\n")).collect(),
                )
            });
            let as_expected = mutant.fails.map_or(kinds.is_empty(), |fault| kinds.contains(&fault));
            if !as_expected {
                judged.wrong.push(format!("{stem}, {name}: {kinds:?}, not {:?}\n{what}", mutant.fails));
            }
            if let Some(fault) = mutant.fails {
                judged.mistakes += 1;
                judged.said += &format!("{} {name}: {fault}\n{what}", exercise.id);
            }
        }
        judged
    });
    let judged: Vec<Judged> = judged.collect();
    let wrong: Vec<String> = judged.iter().flat_map(|of| of.wrong.clone()).collect();
    let said: String = judged.iter().map(|of| of.said.as_str()).collect();
    let mistakes: usize = judged.iter().map(|of| of.mistakes).sum();
    let as_in_a_page: usize = judged.iter().map(|of| of.as_in_a_page).sum();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(mistakes >= 150, "{mistakes}");
    assert!(renewing() || as_in_a_page >= 20, "{as_in_a_page}");
    committed(MISTAKES, said);
}

/// Texts that differ in a comment alone, of each answer.
const TEXTS: usize = 12;

/// Inputs are drawn from the text, so that nobody learns them by heart: none of them may decide.
#[test]
#[ignore = "needs an hour"]
fn what_a_comment_says_changes_no_verdict_nightly() {
    let root = scratch("comments");
    let judged = exercises().into_par_iter().filter(|exercise| is_wanted(&exercise.stem)).map(|exercise| {
        let mut wrong = Vec::new();
        let mut answers = 0;
        if !matches!(exercise.kind, Kind::Kernel(_)) {
            return (answers, wrong);
        }
        for mutant in &exercise.mutants {
            answers += 1;
            let text = exercise.mutated(mutant).unwrap();
            let passes = |number: usize| {
                let title = format!("// Exercise {}: ", exercise.id);
                let text = text.replacen(&title, &format!("{title}{number} "), 1);
                failure(&root, &exercise, &text).is_none()
            };
            let passing = (0..TEXTS).filter(|number| passes(*number)).count();
            if passing != if mutant.is_right() { TEXTS } else { 0 } {
                wrong.push(format!("{} {}: {passing} of {TEXTS} texts pass", exercise.id, mutant.name));
            }
        }
        (answers, wrong)
    });
    let judged: Vec<(usize, Vec<String>)> = judged.collect();
    let wrong: Vec<&str> = judged.iter().flat_map(|(_, wrong)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let answers: usize = judged.iter().map(|(answers, _)| answers).sum();
    assert!(renewing() || answers >= 300, "{answers}");
}

#[test]
fn what_the_solutions_take_from_records_is_still_in_them() {
    for exercise in exercises() {
        let Kind::Numbers { answers, plan } = &exercise.kind else { continue };
        let verdict = numbers::mark(root(), &exercise, answers, plan, &exercise.solution()).unwrap();
        assert!(verdict.passes(), "{}: {verdict:?}", exercise.id);
    }
}

#[test]
fn a_kernel_that_lacks_a_line_goes_wrong_without_it_and_only_without_it() {
    for exercise in exercises() {
        let Kind::Numbers { answers, plan } = &exercise.kind else { continue };
        if !exercise.lacks_a_line() {
            continue;
        }
        assert_eq!((answers.len(), exercise.marked_lines().len()), (1, 1), "{}", exercise.stem);
        let found = |text: &str| {
            let ptx = code::committed(root(), &exercise, &source_hash(text)).unwrap();
            mark::findings(&exercise, plan, &ptx.unwrap_or_else(|| panic!("{}; run `{HOW}`", exercise.stem)))
                .unwrap()
        };
        assert!(found(&exercise.stub()).contains("data-race"), "{}", exercise.stem);
        assert_eq!(found(&exercise.mended()).into_iter().collect::<Vec<_>>(), [""; 0], "{}", exercise.stem);
    }
}

#[test]
fn stubs_and_solutions_show_no_line_of_the_format() {
    for exercise in exercises() {
        let solution = exercise.solution();
        assert!(exercise.stub() != solution && !solution.contains("//@") && !solution.contains("//|"));
    }
}

#[test]
fn every_text_has_a_committed_build_that_names_no_machine() {
    for exercise in exercises() {
        for variant in code::variants(&exercise).unwrap() {
            let name = &variant.name;
            let ptx = code::committed(root(), &exercise, &variant.hash()).unwrap();
            let ptx = ptx.unwrap_or_else(|| panic!("{} {name} is not built; run `{HOW}`", exercise.stem));
            let files: Vec<&str> =
                ptx.lines().filter(|line| line.trim_start().starts_with(".file")).collect();
            let named = |file: &&str| file.contains(&exercise.path) || file.contains("\"include/");
            assert!(!files.is_empty() && files.iter().all(named), "{} {name}: {files:?}", exercise.stem);
        }
    }
}

/// A learner's files are their own: stubs are those of a repository where nobody works on the exercises.
#[test]
#[ignore = "needs a repository without a learner's answers"]
fn the_stubs_are_renewed_by_a_run() {
    for exercise in exercises().iter().filter(|exercise| is_wanted(&exercise.stem)) {
        committed(&exercise.path, exercise.stub());
    }
}

#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt, and a minute"]
fn the_builds_are_renewed_by_nvcc_nightly() {
    let nvcc = Compiler::of(Maker::Nvcc, root()).unwrap();
    let nvcc = nvcc.unwrap_or_else(|| panic!("no nvcc was found.\n{HOW_TO_GET_NVCC}"));
    check_builds(&nvcc, |exercise| !is_program(exercise));
}

#[test]
#[ignore = "needs clang"]
fn the_builds_of_programs_are_renewed_by_clang() {
    let clang = Compiler::require(Maker::Clang, root()).unwrap_or_else(|error| panic!("{error:#}"));
    check_builds(&clang, is_program);
}

fn is_program(exercise: &Exercise) -> bool {
    matches!(exercise.kind, Kind::Program(_))
}

/// Proves that the committed builds are those of `compiler`, or renews them, for what it is for.
fn check_builds(compiler: &Compiler, is_for: impl Fn(&Exercise) -> bool + Sync) {
    exercises().into_par_iter().filter(|exercise| is_for(exercise)).for_each(|exercise| {
        let has_texts = !code::variants(&exercise).unwrap().is_empty();
        if has_texts && is_wanted(&exercise.stem) && !(renewing() && is_built(compiler, &exercise)) {
            let pack = code::pack(&installed(compiler), &exercise);
            let pack = pack.unwrap_or_else(|error| panic!("{error:#}"));
            committed(format!("{PREBUILT}/{}.ptx", exercise.stem), pack);
        }
    });
}

/// Whether the committed file has a build of each text by this compiler, and no other.
fn is_built(compiler: &Compiler, exercise: &Exercise) -> bool {
    let path = root().join(PREBUILT).join(format!("{}.ptx", exercise.stem));
    let pack = std::fs::read_to_string(path).unwrap_or_default();
    let texts = code::variants(exercise).unwrap();
    let marks = texts.iter().map(|variant| format!("//@ {} {}", variant.name, variant.hash()));
    pack.lines().next() == Some(&*format!("// {}", compiler.name()))
        && marks.eq(pack.lines().filter(|line| line.starts_with("//@ ")).map(str::to_string))
}
