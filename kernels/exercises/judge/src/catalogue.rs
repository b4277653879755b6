//! Which exercises there are: the solutions in `kernels/exercises/solutions/`, in the order of their numbers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use text::files::read_lines;
use text::path::shown;

use super::id::Id;
use super::info::{self, Info, SOLUTIONS};
use super::source::Exercise;

/// The book's table of contents, which has the chapters' titles.
const CONTENTS: &str = include_str!("../../../../book/src/SUMMARY.md");

/// A solution's file, with what is to be known of it.
struct Solution {
    /// `2_1_barrier.cu`
    name: String,
    code: String,
    info: Info,
}

/// Reads all solutions below `root`, the repository.
fn solutions(root: &Path) -> Result<Vec<Solution>> {
    let directory = root.join(SOLUTIONS);
    let files = std::fs::read_dir(&directory)
        .with_context(|| format!("cannot read {}; run this in the repository", shown(&directory)))?;
    let shared = info::shared(root)?;
    let mut solutions = Vec::new();
    for file in files {
        let path = file?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let Some((stem, "cu" | "rs")) = name.rsplit_once('.') else { continue };
        let code = read_lines(&path).with_context(|| format!("cannot read {SOLUTIONS}/{name}"))?;
        let info = Info::read(root, stem)?;
        let info = info.with_shared(&shared, &code).with_context(|| format!("{SOLUTIONS}/{stem}.toml"))?;
        solutions.push(Solution { name: name.to_string(), code, info });
    }
    ensure!(!solutions.is_empty(), "there are no exercises in {}", shown(&directory));
    Ok(solutions)
}

/// What a page reads of the solutions: their files' texts by path, and in place of TOML JSON.
///
/// # Errors
/// A file that cannot be read.
pub fn for_page(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for Solution { name, code, info } in solutions(root)? {
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
        texts.insert(format!("{SOLUTIONS}/{stem}.json"), serde_json::to_string(&info)?);
        texts.insert(format!("{SOLUTIONS}/{name}"), code);
    }
    Ok(texts)
}

/// Reads all exercises below `root`, the repository.
///
/// # Errors
/// What is wrong with one of them, by file.
pub fn read(root: &Path) -> Result<Vec<Exercise>> {
    let mut exercises = Vec::new();
    for Solution { name, code, info } in solutions(root)? {
        exercises.push(Exercise::new(&name, &info, &code)?);
    }
    exercises.sort_by_key(|exercise| exercise.id);
    for pair in exercises.windows(2) {
        ensure!(pair[0].id != pair[1].id, "{} and {} have the same number", pair[0].stem, pair[1].stem);
    }
    Ok(exercises)
}

/// The exercise called `id`; the error says which there are.
pub fn find(exercises: &[Exercise], id: Id) -> Result<&Exercise> {
    if let Some(exercise) = exercises.iter().find(|exercise| exercise.id == id) {
        return Ok(exercise);
    }
    let ids: Vec<String> = exercises.iter().map(|exercise| exercise.id.to_string()).collect();
    bail!("there is no exercise {id}; there are: {}", ids.join(" "))
}

/// `At the limit`: the title of the first page of chapter `number`, from `- [At the limit](ch7_limit.md)`.
/// That of chapter 0, which has no number in the book, stands without the dash.
pub fn chapter(number: u32) -> &'static str {
    let title = |line: &'static str| {
        let (title, page) = line.trim().trim_start_matches("- ").strip_prefix('[')?.split_once("](")?;
        page.starts_with(&format!("ch{number}_")).then_some(title)
    };
    CONTENTS.lines().find_map(title).unwrap_or("More")
}

/// The repository: the working directory or the nearest one above it that has exercises; else the workbook's.
///
/// # Errors
/// There is none.
pub fn root() -> Result<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().find(|directory| directory.join(SOLUTIONS).is_dir());
    match above {
        Some(above) => Ok(above.to_path_buf()),
        None => Ok(kernel_compiler::root()?.to_path_buf()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chapter_with_exercises_has_a_title() {
        assert_eq!((chapter(3), chapter(99)), ("Many blocks: which thread works?", "More"));
        for exercise in read(kernel_compiler::root().unwrap()).unwrap() {
            assert_ne!(chapter(exercise.id.chapter), "More", "{}", exercise.id);
        }
    }
}
