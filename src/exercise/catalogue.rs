//! Which exercises there are: the files in `kernels/exercises/solutions/`, in the order of their numbers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::source::{Exercise, Id, SOLUTIONS};

/// Titles of the chapters, from 1.
const CHAPTERS: [&str; 7] =
    ["Serial", "Parallel", "Many blocks", "Nested", "Shared memory", "Any operator", "At the limit"];

/// Reads all exercises below `root`, the repository.
pub fn read(root: &Path) -> Result<Vec<Exercise>> {
    let directory = root.join(SOLUTIONS);
    let files = std::fs::read_dir(&directory)
        .with_context(|| format!("cannot read {}; run this in the repository", directory.display()))?;
    let mut exercises = Vec::new();
    for file in files {
        let path = file?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.ends_with(".cu") || name.ends_with(".rs") {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {SOLUTIONS}/{name}"))?;
            exercises.push(Exercise::parse(name, &text)?);
        }
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

/// `Many blocks`
pub fn chapter(number: u32) -> &'static str {
    CHAPTERS.get((number as usize).wrapping_sub(1)).copied().unwrap_or("More")
}

/// The repository: the working directory or the nearest one above it that has exercises; else the one that this
/// program was built in.
pub fn root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().find(|directory| directory.join(SOLUTIONS).is_dir());
    above.unwrap_or(Path::new(env!("CARGO_MANIFEST_DIR"))).to_path_buf()
}
