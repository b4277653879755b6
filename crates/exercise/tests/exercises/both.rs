//! The exercises with clang in place of nvcc: the same verdicts, the same goals.

use exercise::source::{Exercise, Kind};
use exercise::{mark, numbers};
use rayon::prelude::*;
use workbook::build::compiler::{Compiler, Maker};

use super::{Findings, exercises, failure_with, root, scratch};

/// The kinds of a failure; none if the answer passes.
fn kinds(failure: Option<Findings>) -> Vec<String> {
    let mut kinds = failure.map(|failure| failure.kinds).unwrap_or_default();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Stub, solution and mutants.
fn texts(exercise: &Exercise) -> Vec<(String, String)> {
    let mutants = exercise.mutants.iter();
    let mutants = mutants.map(|mutant| (mutant.name.clone(), exercise.mutated(mutant).unwrap()));
    [("stub".to_string(), exercise.stub()), ("solution".to_string(), exercise.solution())]
        .into_iter()
        .chain(mutants)
        .collect()
}

#[test]
#[ignore = "needs clang, and minutes"]
fn clang_gives_every_text_the_verdict_that_nvcc_gives_it() {
    let clang = Compiler::of(Maker::Clang, root()).unwrap().expect("a clang in CLANG: .ci/run says how");
    let root = scratch("both");
    let is_kernel = |exercise: &Exercise| matches!(exercise.kind, Kind::Kernel(_));
    let exercises: Vec<Exercise> = exercises().into_iter().filter(is_kernel).collect();
    let tried: usize = exercises.iter().map(|exercise| texts(exercise).len()).sum();
    let differ = exercises.par_iter().flat_map_iter(|exercise| {
        let mut differ = Vec::new();
        for (name, text) in texts(exercise) {
            // What nvcc's verdict is, the test of mistakes proves.
            let mutant = exercise.mutants.iter().find(|mutant| mutant.name == name);
            let found = kinds(failure_with(&root, exercise, &text, Some(&clang)));
            let agree = match mutant {
                Some(mutant) if mutant.is_right() => found.is_empty(),
                Some(mutant) => found.contains(&mutant.fails),
                None if name == "solution" => found.is_empty(),
                None => {
                    found.iter().any(|kind| kind == "data-race") == exercise.has_race && !found.is_empty()
                }
            };
            if !agree {
                let expected = mutant.map_or("as ever", |mutant| &mutant.fails);
                differ.push(format!("{} {name}: {found:?}, not {expected}", exercise.id));
            }
        }
        differ
    });
    let differ: Vec<String> = differ.collect();
    assert!(tried >= 175, "{tried}");
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Where a number is asked for that was counted in nvcc's code, clang's gives the same; and a race that is to
/// be found is in its code too.
#[test]
#[ignore = "needs clang"]
fn numbers_that_are_asked_for_are_those_of_clangs_code_too() {
    let clang = Compiler::of(Maker::Clang, root()).unwrap().expect("a clang in CLANG: .ci/run says how");
    let root = scratch("numbers");
    for exercise in exercises() {
        let Kind::Numbers { answers, plan } = &exercise.kind else { continue };
        let compile = |text: &str| {
            std::fs::write(root.join(&exercise.path), text).unwrap();
            let clang = clang.clone().run_in(&root);
            clang.ptx(&root.join(&exercise.path), &root).unwrap_or_else(|error| panic!("{error:#}")).text
        };
        let stub = compile(&exercise.stub());
        for answer in answers {
            let right = numbers::right(answer, &root, &exercise, plan, &exercise.stub()).unwrap();
            let counted = numbers::count(answer, &exercise, plan, &stub).unwrap();
            if let Some((right, counted)) = right.zip(counted) {
                assert_eq!(right, counted, "{}: {}", exercise.id, answer.name);
            }
        }
        if exercise.lacks_a_line() {
            assert!(mark::findings(&exercise, plan, &stub).unwrap().contains("data-race"), "{}", exercise.id);
            let mended = mark::findings(&exercise, plan, &compile(&exercise.mended())).unwrap();
            assert!(mended.is_empty(), "{}: {mended:?}", exercise.id);
        }
    }
}
