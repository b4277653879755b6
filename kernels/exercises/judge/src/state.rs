//! What the learner has done so far, in one file that git ignores.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kernel_compiler::hash::text_hash;
use serde::{Deserialize, Serialize};
use text::files::{lock, read_text, set_aside};
use text::path::shown;
use workbook::record::write_json;

use super::id::Id;

/// Its name, in the repository root.
pub const FILE: &str = ".exercises.json";

/// Bytes that it may have: far more than all exercises need.
const MAX_BYTES: u64 = 16 << 20;

/// The learner's progress. A file without these fields is damaged; others in it are of another version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// By number, `3.1`.
    exercises: BTreeMap<Id, Progress>,
    /// The one that was checked last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Id>,
    /// What else the file holds, such as the answers in a file that a page has exported; it stays there.
    #[serde(flatten)]
    others: serde_json::Map<String, serde_json::Value>,
    #[serde(skip)]
    path: PathBuf,
}

/// Progress with one exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    pub passed: bool,
    /// Hints given.
    pub hints: usize,
    /// Whether the solution was shown before it was earned.
    pub gave_up: bool,
    /// How the last check failed: the kinds of its failure.
    #[serde(default)]
    pub failed: Vec<String>,
    /// Hashes of the last two texts that failed since it was passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    texts: Vec<String>,
    /// Wrong answers that differ from the one before, where lines or numbers are asked for.
    #[serde(default)]
    pub tries: usize,
    /// The last of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last: Vec<u64>,
    /// The first numbers that were answered, where numbers are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<u64>,
    /// On a blank page: what the best right answer costs, its instructions first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub best: Vec<u64>,
    /// What compiled that answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub best_by: String,
}

impl Progress {
    /// Whether another text than this one has failed before: then what helps is said, too.
    pub fn is_help_due(&self, text: &str) -> bool {
        let hash = text_hash(text);
        self.texts.iter().any(|failed| *failed != hash)
    }

    /// A check of `text` has failed, for these reasons.
    pub fn has_failed(&mut self, text: &str, kinds: Vec<String>) {
        let hash = text_hash(text);
        self.failed = kinds;
        if self.texts.last() != Some(&hash) {
            self.texts.push(hash);
        }
        self.texts.drain(..self.texts.len().saturating_sub(2));
    }

    /// What the best right answer costs that `compiler` compiled; nothing, if there is none.
    pub fn best_by(&self, compiler: &str) -> &[u64] {
        if self.best_by == compiler { &self.best } else { &[] }
    }

    /// A right answer costs this much, its instructions first: of two the one with fewer is the better. What
    /// another compiler made is not comparable.
    pub fn has_cost(&mut self, counts: Vec<u64>, compiler: &str) {
        let best = self.best_by(compiler).first();
        if best.is_none() || counts.first() < best {
            self.best = counts;
            self.best_by = compiler.to_string();
        }
    }

    /// It has passed.
    pub fn has_passed(&mut self) {
        self.passed = true;
        self.failed.clear();
        self.texts.clear();
    }
}

impl State {
    /// Reads the state; a damaged file is set aside, and the second value says so.
    pub fn read(root: &Path) -> Result<(State, Option<String>)> {
        let path = root.join(FILE);
        let fresh = State { path: path.clone(), ..State::default() };
        let read = match read_text(&path, MAX_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((fresh, None)),
            // No text, or no file: damaged, like text that is no JSON.
            Err(error) if matches!(error.kind(), ErrorKind::Other) => Err(error.to_string()),
            read => Ok(read.with_context(|| format!("cannot read {}", shown(&path)))?),
        };
        let state =
            read.and_then(|text| serde_json::from_str::<State>(&text).map_err(|error| error.to_string()));
        match state {
            Ok(state) => Ok((State { path, ..state }, None)),
            Err(why) => {
                let aside = set_aside(&path, "damaged")
                    .with_context(|| format!("{FILE} is damaged ({why}), and cannot be set aside"))?;
                let Some(aside) = aside else { return Ok((fresh, None)) };
                let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let said = format!(
                    "{FILE}, which remembers your progress, is damaged ({why}). It is now {name}; your \
                     progress starts over. Your answers are untouched."
                );
                Ok((fresh, Some(said)))
            }
        }
    }

    /// Makes a change to what is in the file now (`watch` may run beside a `hint`), and writes it; who
    /// reads the file never sees half of it. Of several programs one at a time does so.
    pub fn change(&mut self, change: impl Fn(&mut State)) -> Result<()> {
        let root = self.path.parent().unwrap_or(Path::new(""));
        let _lock = lock(&self.path).with_context(|| format!("cannot lock {}", shown(&self.path)))?;
        if let Ok((newest, None)) = State::read(root) {
            *self = newest;
        }
        change(self);
        write_json(self, &self.path)
    }

    pub fn of(&self, id: Id) -> Progress {
        self.exercises.get(&id).cloned().unwrap_or_default()
    }

    pub fn at(&mut self, id: Id) -> &mut Progress {
        self.exercises.entry(id).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_has_exported_stays_in_the_file() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(FILE);
        let exported = r#"{"exercises": {"2.1": {"passed": true, "hints": 1, "gave_up": false}},
                           "answers": {"kernels/exercises/2_1_barrier.cu": "mine"}}"#;
        std::fs::write(&file, exported).unwrap();
        let (mut state, said) = State::read(root.path()).unwrap();
        assert_eq!(said, None);
        state.change(|state| state.at("2.2".parse().unwrap()).hints = 1).unwrap();
        let held = std::fs::read_to_string(&file).unwrap();
        assert!(
            held.contains("\"mine\"") && held.contains("2.2") && held.contains("\"passed\": true"),
            "{held}"
        );
    }

    #[test]
    fn the_best_answer_has_the_fewest_instructions_of_those_by_the_same_compiler() {
        let mut progress = Progress::default();
        for (instructions, compiler, best) in
            [(30, "nvcc", 30), (40, "nvcc", 30), (20, "nvcc", 20), (50, "clang", 50), (40, "clang", 40)]
        {
            progress.has_cost(vec![instructions, 1], compiler);
            assert_eq!(progress.best_by(compiler), [best, 1]);
        }
        assert!(progress.best_by("nvcc").is_empty());
    }

    #[test]
    fn many_programs_at_once_lose_nothing() {
        let root = tempfile::tempdir().unwrap();
        let id = Id { chapter: 1, number: 1 };
        let change = || {
            let (mut state, _) = State::read(root.path()).unwrap();
            for _ in 0..20 {
                state.change(|state| state.at(id).hints += 1).unwrap();
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(change))));
        assert_eq!(State::read(root.path()).unwrap().0.of(id).hints, 160);
    }

    #[test]
    fn two_programs_that_remember_at_the_same_time_lose_nothing() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let first = Id { chapter: 1, number: 1 };
        let second = Id { chapter: 1, number: 2 };
        let (mut watch, _) = State::read(root).unwrap();
        let (mut hint, _) = State::read(root).unwrap();
        hint.change(|state| state.at(second).hints = 2).unwrap();
        watch.change(|state| state.at(first).passed = true).unwrap();
        let (state, damaged) = State::read(root).unwrap();
        assert!(state.of(first).passed && damaged.is_none());
        assert_eq!((state.of(second).hints, watch.of(second).hints), (2, 2));
    }
}
