//! Every exercise: its stub fails, its solution passes, every mutant fails as it should. From the committed
//! builds; no nvcc is needed. `path.rs` goes through them as a learner does.
//!
//! After an edit of a solution, this makes the stubs and the builds anew, with the nvcc of
//! kernels/requirements.txt: `WORKBOOK_BLESS=1 cargo test --test exercises -- --ignored`

mod path;

use std::path::Path;

use workbook::build::prebuilt::source_hash;
use workbook::exercise::catalogue;
use workbook::exercise::code::{self, PREBUILT, Variant};
use workbook::exercise::mark;
use workbook::exercise::source::{Exercise, Kind};
use workbook::exercise::verdict::Verdict;

const BLESS: &str = "WORKBOOK_BLESS=1 cargo test --test exercises -- --ignored";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn exercises() -> Vec<Exercise> {
    catalogue::read(root()).unwrap()
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
    directory
}

/// The kinds that `text` as the answer to `exercise` fails with; none if it passes.
fn kinds(root: &Path, exercise: &Exercise, text: &str) -> Vec<String> {
    std::fs::write(root.join(&exercise.path), text).unwrap();
    match mark::mark(root, exercise).unwrap() {
        Verdict::Passed { .. } => Vec::new(),
        Verdict::Failed(failure) => {
            assert!(!failure.think.is_empty() && !failure.what.is_empty(), "{}: {failure:?}", exercise.id);
            failure.kinds
        }
        Verdict::NoNvcc => panic!("{} has a text that is not committed; run\n{BLESS}", exercise.id),
    }
}

#[test]
fn stubs_fail_solutions_pass_and_mutants_fail_as_they_should() {
    let root = scratch("proof");
    let mut wrong = Vec::new();
    for exercise in exercises() {
        let stub = kinds(&root, &exercise, &exercise.stub());
        if stub.is_empty() {
            wrong.push(format!("{}: the stub passes", exercise.stem));
        }
        let solution = kinds(&root, &exercise, &exercise.solution());
        if !solution.is_empty() {
            wrong.push(format!("{}: the solution fails with {solution:?}", exercise.stem));
        }
        if exercise.mutants.len() < 3 {
            wrong.push(format!("{}: fewer than three mutants", exercise.stem));
        }
        for mutant in &exercise.mutants {
            let found = kinds(&root, &exercise, &exercise.mutated(mutant).unwrap());
            if !found.contains(&mutant.fails) {
                let (stem, name, fails) = (&exercise.stem, &mutant.name, &mutant.fails);
                wrong.push(format!("{stem}, mutant {name}: {found:?}, not {fails}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_kernel_that_lacks_a_line_goes_wrong_without_it_and_only_without_it() {
    for exercise in exercises() {
        let Kind::Line { lines, plan } = &exercise.kind else { continue };
        assert_eq!(lines.len(), 1, "{}", exercise.stem);
        let found = |text: &str| {
            let ptx = code::committed(root(), &exercise, &source_hash(text)).unwrap();
            mark::findings(&exercise, plan, &ptx.unwrap_or_else(|| panic!("{}; run\n{BLESS}", exercise.stem)))
                .unwrap()
        };
        assert!(found(&exercise.stub()).contains("data-race"), "{}", exercise.stem);
        assert_eq!(found(&exercise.mended()).into_iter().collect::<Vec<_>>(), [""; 0], "{}", exercise.stem);
    }
}

/// In a repository where nobody works on the exercises. A learner's files are their own.
#[test]
fn every_stub_is_its_solution_with_the_marked_body_replaced() {
    for exercise in exercises() {
        let solution = exercise.solution();
        assert!(exercise.stub() != solution && !solution.contains("//@") && !solution.contains("//|"));
        if root().join(".exercises.json").exists() {
            continue;
        }
        let given = std::fs::read_to_string(root().join(&exercise.path)).unwrap_or_default();
        assert_eq!(given, exercise.stub(), "{} is not what its solution gives; run\n{BLESS}", exercise.path);
    }
}

#[test]
fn every_text_has_a_committed_build_that_names_no_machine() {
    for exercise in exercises() {
        if let Kind::Function(_) = exercise.kind {
            continue;
        }
        for Variant { name, text } in code::variants(&exercise).unwrap() {
            let ptx = code::committed(root(), &exercise, &source_hash(&text)).unwrap();
            let ptx = ptx.unwrap_or_else(|| panic!("{} {name} is not built; run\n{BLESS}", exercise.stem));
            let files: Vec<&str> =
                ptx.lines().filter(|line| line.trim_start().starts_with(".file")).collect();
            let named = |file: &&str| file.contains(&exercise.path) || file.contains("\"include/");
            assert!(!files.is_empty() && files.iter().all(named), "{} {name}: {files:?}", exercise.stem);
        }
    }
}

/// With `WORKBOOK_BLESS` set, writes stubs and builds; else proves that they are what the solutions give.
#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn nvcc_gives_the_committed_builds() {
    let nvcc = workbook::build::nvcc::Nvcc::find(root()).unwrap();
    let nvcc =
        nvcc.unwrap_or_else(|| panic!("no nvcc was found.\n{}", workbook::build::nvcc::HOW_TO_GET_NVCC));
    let mut changed = Vec::new();
    let mut wanted = Vec::new();
    for exercise in exercises() {
        wanted.push((root().join(&exercise.path), exercise.stub()));
        if !matches!(exercise.kind, Kind::Function(_)) {
            let path = root().join(PREBUILT).join(format!("{}.ptx", exercise.stem));
            wanted.push((path, code::pack(&nvcc, &exercise).unwrap()));
        }
    }
    for (path, text) in wanted {
        if std::fs::read_to_string(&path).unwrap_or_default() != text {
            changed.push(path.display().to_string());
            if std::env::var_os("WORKBOOK_BLESS").is_some() {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, text).unwrap();
            }
        }
    }
    if std::env::var_os("WORKBOOK_BLESS").is_none() {
        assert!(changed.is_empty(), "not what the solutions give: {}; run\n{BLESS}", changed.join(", "));
    }
}
