//! The exercises in the page: what a check says is what the terminal says, and what it lacks it asks for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use exercise::info::SOLUTIONS;
use exercise::source::Exercise;
use exercise::{catalogue, code};
use serde_json::{Value, json};
use workbook::kernel_compiler::hash::source_hash;

use super::page::{Page, Ran};
use super::{root, text};

const PROGRESS: &str = ".exercises.json";

/// A page of its own and a terminal's repository of its own, with the same progress.
struct Both {
    page: Page,
    exercises: Vec<Exercise>,
    /// What the page fetches, by path.
    files: BTreeMap<String, String>,
    terminal: PathBuf,
    progress: Option<String>,
}

impl Both {
    fn new(name: &str) -> Both {
        let exercises = catalogue::read(&root()).unwrap();
        let clang = "book/src/live/clang/clang.json".to_string();
        let mut files = catalogue::for_page(&root()).unwrap();
        files.extend(
            exercises.iter().flat_map(code::files).chain([clang]).map(|path| (path.clone(), text(&path))),
        );
        let terminal = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&terminal);
        let page = Page::committed();
        let both = Both { page, exercises, files, terminal, progress: None };
        for (path, text) in &both.files {
            both.write(path, text);
        }
        for exercise in &both.exercises {
            both.write(&exercise.path, &exercise.stub());
            let info = format!("{SOLUTIONS}/{}.toml", exercise.stem);
            both.write(&info, &text(&info));
        }
        let shared = format!("{SOLUTIONS}/mutants.toml");
        both.write(&shared, &text(&shared));
        let pack = format!("{}/2_1_barrier.ptx", code::PREBUILT);
        both.write(&pack, &text(&pack));
        both
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.terminal.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn exercise(&self, id: &str) -> &Exercise {
        self.exercises.iter().find(|exercise| exercise.id.to_string() == id).unwrap()
    }

    /// One run of the page's program, with the answers that the reader has written, and what clang has made
    /// of what it wanted.
    fn run(&self, words: &str, answers: &Value, compiled: Option<&Value>) -> Ran {
        let words: Vec<&str> = ["exercise"].into_iter().chain(words.split(' ')).collect();
        let given = [("exercises.json", json!(self.files)), ("answers.json", answers.clone())];
        let compiled = compiled.map(|compiled| ("compiled.json", compiled.clone()));
        let texts: Vec<(&str, String)> =
            given.into_iter().chain(compiled).map(|(name, json)| (name, json.to_string())).collect();
        let progress = self.progress.as_deref().map(|text| (PROGRESS, text));
        let files = texts.iter().map(|(name, text)| (*name, text.as_str())).chain(progress);
        self.page.run_with(&words, &files.collect::<Vec<_>>()).unwrap()
    }

    /// What both say of an exercise whose answer is `answer`, or as it is given. The page gets the committed
    /// builds of what it wants.
    fn say(&mut self, words: &str, id: &str, answer: Option<&str>) -> Ran {
        let exercise = self.exercise(id).clone();
        let answers = answer.map_or(json!({}), |text| json!({ exercise.path.as_str(): text }));
        if let Some(text) = answer {
            self.write(&exercise.path, text);
        }
        let mut ran = self.run(words, &answers, None);
        if ran.status == 3 {
            assert_eq!((ran.stdout.as_str(), &ran.shown), ("", &None));
            assert_eq!(ran.files.get(PROGRESS), self.progress.as_ref());
            let wanted: Vec<Value> = serde_json::from_str(&ran.files["wanted.json"]).unwrap();
            let compiled = wanted.iter().map(|wanted| {
                let hash = source_hash(wanted["source"].as_str().unwrap());
                let ptx = code::committed(&root(), &exercise, &hash).unwrap().expect("a known text");
                json!({"hash": wanted["hash"], "ptx": ptx, "said": "", "status": 0})
            });
            ran = self.run(words, &answers, Some(&compiled.collect()));
        }
        self.progress = ran.files.get(PROGRESS).cloned();
        let (status, stdout) = self.terminal(words);
        assert_eq!((ran.status, &*ran.stdout), (status, &*stdout), "{words}: {}", ran.stderr);
        let progress = std::fs::read_to_string(self.terminal.join(PROGRESS)).ok();
        assert_eq!(self.progress, progress);
        ran
    }

    fn terminal(&self, words: &str) -> (i32, String) {
        let program = testing::example::program("exercise");
        let ran = Command::new(program).args(words.split(' ')).current_dir(&self.terminal).output().unwrap();
        let stdout = String::from_utf8(ran.stdout).unwrap();
        (ran.status.code().unwrap(), stdout)
    }
}

#[test]
#[ignore = "needs node"]
fn an_exercise_is_done_as_in_the_terminal() {
    let mut both = Both::new("exercise-2.1");
    let ran = both.say("2.1", "2.1", None);
    let shown = ran.shown.unwrap();
    assert_eq!((&shown["passed"], &shown["findings"]["kinds"][0]), (&json!(false), &json!("data-race")));
    assert_eq!(shown["findings"]["diagnostics"][0]["kind"], "data-race");
    assert!(
        ran.stdout.starts_with(shown["verdict"].as_str().unwrap()) && ran.stdout.contains("\nNext: edit")
    );
    let said = shown["said"].as_str().unwrap();
    assert!(said.contains("<pre>") && said.contains("data-race") && !said.contains("Next: edit"), "{said}");
    // Of the same text there is no help the second time; of the second answer that fails there is.
    assert!(!both.say("2.1", "2.1", None).stdout.contains("= help:"));
    let exercise = both.exercise("2.1").clone();
    let other = exercise.mutants.iter().find(|mutant| mutant.name == "guard-off-by-one").unwrap();
    let other = exercise.mutated(other).unwrap();
    assert!(both.say("2.1", "2.1", Some(&other)).stdout.contains("= help:"));
    both.write(&exercise.path, &exercise.stub());
    for words in ["hint 2.1", "hint 2.1", "why 2.1", "solution 2.1", "list"] {
        both.say(words, "2.1", None);
    }
    assert!(both.say("solution 2.1 --give-up", "2.1", None).shown.unwrap()["text"].is_string());
}

#[test]
#[ignore = "needs node"]
fn numbers_are_marked_as_in_the_terminal() {
    let mut both = Both::new("exercise-numbers");
    for id in ["2.4", "3.6", "3.7", "7.5", "8.2"] {
        let stub = both.exercise(id).stub();
        let solution = both.exercise(id).solution();
        both.say(id, id, None);
        both.say(id, id, Some(&stub.replace('?', "7")));
        let ran = both.say(id, id, Some(&solution));
        assert_eq!(ran.shown.unwrap()["passed"], true, "{id}: {}", ran.stdout);
    }
}

#[test]
#[ignore = "needs node"]
fn what_a_page_cannot_do_is_said_in_a_sentence() {
    let both = Both::new("exercise-wrong");
    for (words, says) in [
        (
            "1.1",
            "error: 1.1 is in Rust, which a page does not compile: edit kernels/exercises/1_1_any_length.rs",
        ),
        ("9.9", "error: there is no exercise 9.9"),
        ("watch 2.1", "error: no file is saved in a page: check the exercise there"),
    ] {
        let ran = both.run(words, &json!({}), None);
        assert_eq!((ran.status, &*ran.stdout, ran.shown), (2, "", None));
        assert!(ran.stderr.starts_with(says), "{words}: {}", ran.stderr);
    }
}
