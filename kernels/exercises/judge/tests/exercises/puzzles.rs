//! What the first puzzles say, to a reader who knows what their page has explained and no more.

use exercise::source::{Exercise, Kind};

use super::exercises;
use super::learner::{Learner, exercise, mutant};

/// Wrong answers to puzzles in kernels; one that is added or taken out counts here.
const WRONG: usize = 62;

fn puzzles() -> Vec<Exercise> {
    let is_kernel = |exercise: &Exercise| matches!(exercise.kind, Kind::Kernel(_));
    exercises().into_iter().filter(|exercise| exercise.is_puzzle() && is_kernel(exercise)).collect()
}

fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_barrier_that_some_threads_do_not_reach_is_remarked_on() {
    let learner = Learner::new("remark");
    for (id, name) in [
        ("0.8", "in-the-first-if"),
        ("0.8", "in-the-second-if"),
        ("0.8", "returns-early"),
        ("0.9", "in-the-other-if"),
    ] {
        learner.write(&exercise(id), &mutant(id, name));
        let said = in_a_line(&learner.says(id).exits(0, &["passed"]).text);
        assert!(said.contains("of the block did not come to the barrier in line"), "{said}");
        learner.write(&exercise(id), &exercise(id).solution());
        let said = in_a_line(&learner.says(id).exits(0, &["passed"]).text);
        assert!(said.contains("nothing was found wrong") && !said.contains("One thing"), "{said}");
    }
}

#[test]
fn an_update_is_told_to_be_one_atomic_operation_and_a_loop_of_swaps_is_one() {
    let learner = Learner::new("update");
    learner.says("0.10").exits(1, &["between the read and the write of this line"]);
    for name in ["volatile", "plus-plus", "after-a-barrier"] {
        learner.write(&exercise("0.10"), &mutant("0.10", name));
        learner.says("0.10").exits(1, &["No barrier helps: make it one atomic operation"]);
    }
    learner.write(&exercise("0.10"), &mutant("0.10", "by-swaps"));
    learner.says("0.10").exits(0, &["passed, with", "times the atomic operations of the"]);
}

#[test]
fn what_a_program_prints_has_to_come_from_the_gpu() {
    let learner = Learner::new("from-the-host");
    for (id, name) in [("0.12", "prints-what-it-should"), ("0.12", "doubled-by-both")] {
        learner.write(&exercise(id), &mutant(id, name));
        learner
            .says(id)
            .exits(1, &["It prints the same if its kernels do nothing", "does the GPU execute it?"]);
    }
    learner.write(&exercise("0.12"), &mutant("0.12", "doubled-by-the-host"));
    learner.says("0.12").exits(1, &["launches no kernel", "does the GPU execute it?"]);
    learner.write(&exercise("0.15"), &mutant("0.15", "blocks-of-one-thread"));
    learner.says("0.15").exits(0, &["passed", "2,048 blocks of one thread"]);
}

/// The page knows threads, blocks and barriers.
#[test]
fn no_verdict_on_a_puzzle_speaks_of_warps_or_lanes() {
    let learner = Learner::new("words-of-puzzles");
    let mut wrong = 0;
    for puzzle in puzzles() {
        // The second answer that fails is told what helps.
        learner.says(&puzzle.id.to_string()).exits(1, &[]);
        for other in puzzle.mutants.iter().filter(|other| !other.is_right()) {
            wrong += 1;
            learner.write(&puzzle, &puzzle.mutated(other).unwrap());
            let said = learner.says(&puzzle.id.to_string()).exits(1, &[]).text;
            let words = said.split(|c: char| !c.is_alphanumeric());
            let unknown: Vec<&str> = words.filter(|word| UNKNOWN.contains(word)).collect();
            assert!(unknown.is_empty(), "{} {}: {unknown:?} in\n{said}", puzzle.id, other.name);
            let is_counted = puzzle.id.to_string() == "0.10";
            assert!(is_counted || !said.contains("left out or counted twice"), "{said}");
        }
    }
    assert_eq!(wrong, WRONG);
}

const UNKNOWN: [&str; 5] = ["warp", "warps", "lane", "lanes", "sectors"];
