//! The exercises with clang in place of nvcc: the same verdicts, the same goals. And what the terminal says
//! with it, which the page has to say too.

use exercise::source::{Exercise, Kind};
use exercise::{mark, numbers};
use kernel_compiler::compiler::{Compiler as Installed, Maker};
use rayon::prelude::*;
use serde::Serialize;

use super::compiled::own_answers;
use super::learner::Learner;
use super::{exercises, root, scratch};

/// An answer, and what the terminal says of it at the first check.
#[derive(Serialize)]
struct Answered {
    id: String,
    name: String,
    path: String,
    text: String,
    status: i32,
    stdout: String,
    /// The kinds of the failure, sorted; none if it passes.
    kinds: Vec<String>,
}

/// Texts of an exercise that are judged unless `EVERY_ANSWER` is set: as many as the browser's test compares
/// with the page.
const FEW: usize = 3;

/// Stub, solution, mutants, and what learners write themselves.
fn texts(exercise: &Exercise) -> Vec<(String, String)> {
    let mutants = exercise.mutants.iter();
    let mutants = mutants.map(|mutant| (mutant.name.clone(), exercise.mutated(mutant).unwrap()));
    let own = own_answers().into_iter().filter(|(id, ..)| exercise.id.to_string() == *id);
    [("stub".to_string(), exercise.stub()), ("solution".to_string(), exercise.solution())]
        .into_iter()
        .chain(mutants)
        .chain(own.map(|(_, name, text)| (name, text)))
        .collect()
}

/// Why the verdict is not the one that nvcc gives, if it is not.
fn differs(exercise: &Exercise, answered: &Answered) -> Option<String> {
    let Answered { name, kinds, .. } = answered;
    let mutant = exercise.mutants.iter().find(|mutant| mutant.name == *name);
    let agrees = match (mutant, &**name) {
        (Some(mutant), _) => {
            mutant.fails.map_or(kinds.is_empty(), |fault| kinds.contains(&fault.to_string()))
        }
        (None, "solution") => kinds.is_empty(),
        (None, "stub") => {
            let is_race = kinds.iter().any(|kind| kind == "data-race");
            let is_code = matches!(exercise.kind, Kind::Kernel(_));
            !kinds.is_empty() && (is_race == exercise.has_race || !is_code)
        }
        // `compiled.rs` proves it.
        (None, _) => true,
    };
    let expected = mutant.map(|mutant| mutant.fails);
    (!agrees).then(|| format!("{} {name}: {kinds:?}, not {expected:?}", exercise.id))
}

/// What nvcc's verdict is, the test of mistakes proves. `tests/browser/exercises.js` compares the file with
/// what the page says.
#[test]
#[ignore = "needs clang, and minutes"]
fn clang_gives_every_text_the_verdict_that_nvcc_gives_it() {
    let in_cuda = |exercise: &Exercise| !matches!(exercise.kind, Kind::Function(_));
    let exercises: Vec<Exercise> = exercises().into_iter().filter(in_cuda).collect();
    let most = if std::env::var_os("EVERY_ANSWER").is_some() { usize::MAX } else { FEW };
    let answered = exercises.par_iter().map(|exercise| {
        let learner = Learner::with(Maker::Clang, &format!("both-{}", exercise.stem));
        if let Some(path) = exercise.evidence_file() {
            // As the page has it today.
            learner.put(&path, &std::fs::read_to_string(root().join(&path)).unwrap());
        }
        let answer = |(name, text): (String, String)| {
            learner.start_over();
            learner.write(exercise, &text);
            let (status, stdout) = learner.checks(&format!("{} --compiler clang", exercise.id));
            let id = exercise.id.to_string();
            let path = exercise.path.clone();
            let kinds = learner.failed(exercise.id);
            Answered { id, name, path, text, status, stdout, kinds }
        };
        texts(exercise).into_iter().take(most).map(answer).collect::<Vec<_>>()
    });
    let answered: Vec<Vec<Answered>> = answered.collect();
    let all: Vec<&Answered> = answered.iter().flatten().collect();
    std::fs::write(root().join("target/exercises.json"), serde_json::to_string(&all).unwrap()).unwrap();
    let differ: Vec<String> = exercises
        .iter()
        .zip(&answered)
        .flat_map(|(exercise, answered)| answered.iter().filter_map(|answered| differs(exercise, answered)))
        .collect();
    assert!(all.len() >= 2 * exercises.len(), "{}", all.len());
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Where a number is asked for that was counted in nvcc's code, clang's gives the same; and a race that is to
/// be found is in its code too.
#[test]
#[ignore = "needs clang"]
fn numbers_that_are_asked_for_are_those_of_clangs_code_too() {
    let clang = Installed::of(Maker::Clang, root()).unwrap().expect("a clang in CLANG: .ci/run says how");
    let root = scratch("numbers");
    for exercise in exercises() {
        let Kind::Numbers { answers, plan } = &exercise.kind else { continue };
        let compile = |text: &str| {
            std::fs::write(root.join(&exercise.path), text).unwrap();
            let clang = clang.clone().run_in(&root);
            clang.ptx(&root.join(&exercise.path)).unwrap_or_else(|error| panic!("{error:#}")).text
        };
        let stub = compile(&exercise.stub());
        for answer in answers {
            if let Some(counted) = numbers::count(answer, &exercise, plan, &stub).unwrap() {
                let right = numbers::right(answer, &root, &exercise, plan).unwrap();
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
