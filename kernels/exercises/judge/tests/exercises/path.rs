//! The exercises as a learner goes through them: verdicts, hints, questions, solutions.

#[cfg(target_os = "linux")]
use std::process::Stdio;

use exercise::catalogue;

use super::learner::{Learner, exercise, mutant, shown};
use super::root;

/// Hints one by one, a solution and its question once they are earned, and what comes next.
#[test]
fn a_learner_is_led_from_the_first_exercise_to_the_last() {
    let learner = Learner::new("whole");
    let edit = format!("Next: edit {} and check again", shown("kernels/exercises/1_1_any_length.rs"));
    let next = [&*edit, "exercise -- hint 1.1"];
    let all = catalogue::read(root()).unwrap().len();
    let count = |number: usize| format!("Exercises: {number} of {all} done.");
    let first = "next  0.1  Each thread its own number  (3 min, easy)";
    learner.says("").exits(0, &[&count(0), "Chapter 0, First puzzles", first, "Next: 0.1"]);
    learner.says("1.1").exits(1, &["1.1 Any length: not yet.", "Think about:", "(3 hints left)"]).says(&next);
    learner.says("hint").exits(0, &["Hint 1 of 3: Take three numbers", "(2 hints left)"]).says(&next);
    learner.says("solution 1.1").exits(1, &["shown once yours has passed", "--give-up"]).says(&next);
    learner.says("why 1.1").exits(1, &["asked once your answer has passed"]).says(&next);
    learner.write(&exercise("1.1"), &exercise("1.1").solution());
    let next = "Next: 1.2 In place, with an odd middle, about 5 minutes.";
    learner
        .says("1.1")
        .exits(0, &["1.1 Any length: passed.", "Can you explain it?", "exercise -- why 1.1", next]);
    learner.says("why 1.1").exits(0, &["Halving has at most 18 calls on the stack", next]);
    learner.says("solution 1.1").exits(0, &["pub fn recursive_sum(data: &[i32]) -> i32 {\n    match", next]);

    // One kind of failure: the second time there is help. Then all hints, and all of them again.
    learner.says("2.1").exits(1, &["2.1 One barrier is enough: not yet.", "It fails for 68 of 92 inputs"]);
    learner.write(&exercise("2.1"), &mutant("2.1", "thread-0-alone"));
    learner.says("2.1").exits(1, &["right, but not a tree", "In the solution no thread makes more than 22."]);
    for number in 1..=3 {
        learner.says("hint 2.1").exits(0, &[&format!("Hint {number} of 3: ")]);
    }
    learner
        .says("hint 2.1")
        .exits(0, &["These were all the hints:\n\n1. ", "exercise -- solution 2.1 --give-up"]);
    learner.says("solution 3.4 --give-up").exits(0, &["A solution to 3.4"]);
    learner.write(&exercise("2.1"), &exercise("2.1").solution());
    learner.says("2.1").exits(0, &["yours  solution   goal", "Compare with a solution:"]);
    let list = learner.says("").exits(0, &[&count(2), "next  2.2"]);
    list.says(&[
        "done  1.1  Any length  (5 min, easy, hints: 1 of 3)",
        "(10 min, easy, hints: 3 of 3)",
        "solution seen",
    ]);

    // As if the others had passed too.
    let file = learner.root.join(".exercises.json");
    let mut progress: serde_json::Value = serde_json::from_str(&learner.read(".exercises.json")).unwrap();
    let done = progress["exercises"]["2.1"].clone();
    for exercise in catalogue::read(root()).unwrap() {
        progress["exercises"][exercise.id.to_string()] = done.clone();
    }
    std::fs::write(file, progress.to_string()).unwrap();
    learner.says("").exits(0, &[&count(all), "All exercises are done. Take a kernel of your own"]);
}

/// The list, what is said after a check, and a verb without a number mean the same exercise.
#[test]
fn next_is_the_exercise_checked_last_or_the_first_open_one_after_it() {
    let learner = Learner::new("next");
    learner.says("hint").exits(0, &["0.1 Each thread its own number", "Hint 1 of 3"]);
    learner.write(&exercise("2.1"), &exercise("2.1").solution());
    learner.says("2.1").exits(0, &["Next: 2.2"]);
    learner.says("").exits(0, &["next  2.2", "Next: 2.2"]);
    learner.says("hint").exits(0, &["2.2 Any length", "Hint 1 of"]);
    learner.says("3.1").exits(1, &["3.1 "]);
    learner.says("").exits(0, &["next  3.1", "Next: 3.1"]);
    learner.says("hint").exits(0, &["3.1 ", "Hint 1 of"]);
    learner.says("why 2.1").exits(0, &["Next: 3.1"]);
}

#[test]
fn no_hint_counts_on_what_is_done_and_none_is_offered_where_none_is_left() {
    let learner = Learner::new("no-hints");
    for _ in 0..3 {
        learner.says("hint 0.9").exits(0, &["Hint "]);
    }
    let said = learner.says("0.9").exits(1, &["check again, or see a solution", "solution 0.9 --give-up"]);
    assert!(!said.text.contains("take a hint"), "{}", said.text);
    learner.write(&exercise("2.1"), &exercise("2.1").solution());
    learner.says("2.1").exits(0, &["passed"]);
    learner.says("hint 2.1").exits(0, &["All the hints:\n\n1. ", "3. "]);
    learner.says("").exits(0, &["done  2.1  One barrier is enough  (10 min, easy)\n"]);
}

/// Its host and its kernel: what it prints, and what is found.
#[test]
fn a_whole_program_is_judged_by_what_it_prints_and_what_it_does() {
    let learner = Learner::new("program");
    let words = ["The program prints", "  3\n", "It should print", "  10\n", "Which of the two arrays"];
    learner.says("0.12").exits(1, &words);
    learner.write(&exercise("0.12"), &exercise("0.12").solution());
    learner.says("0.12").exits(0, &["passed. It prints what it should, and nothing was found", "why 0.12"]);
    learner.says("0.16").exits(1, &["error[host-access]", "0_16_read_too_early.cu"]);
    learner.write(&exercise("0.16"), "int main() {}\n");
    learner.says("0.16").exits(2, &["has to be compiled, and no compiler"]);
}

#[test]
fn the_number_of_a_chapter_lists_it() {
    let learner = Learner::new("chapter");
    for words in ["2", "list 2"] {
        let said = learner.says(words).exits(0, &["Chapter 2, Parallel", "2.1  One barrier", "Next: 0.1"]);
        assert!(!said.text.contains("Chapter 3") && !said.text.contains("1.1"), "{}", said.text);
    }
    learner.says("99").exits(2, &["chapter 99 has no exercises; those that have: 0 1 2 3"]);
}

/// What was not shown is not held against the learner.
#[cfg(target_os = "linux")]
#[test]
fn a_hint_that_nobody_saw_is_not_counted() {
    let learner = Learner::new("unseen");
    learner.says("");
    for words in ["hint 2.1", "solution 2.1 --give-up"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let status = learner.command(words).stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(2), "{words}");
    }
    let said = learner.says("").exits(0, &["2.1"]).text;
    assert!(!said.contains("hints: 1") && !said.contains("solution seen"), "{said}");
}

/// A wrong answer is told the right sum: in the next text it is another.
#[test]
fn results_cannot_be_learned_by_heart() {
    let learner = Learner::new("by-heart");
    let exercise = exercise("1.1");
    let text = |known: &str| {
        let known = format!("if data.len() == 2 {{ return {known}; }}");
        format!("pub fn recursive_sum(data: &[i32]) -> i32 {{\n    {known}\n    0\n}}\n")
    };
    learner.write(&exercise, &text("0"));
    let said = learner.says("1.1").exits(1, &["n = 2: the sum is 0, and should be "]).text;
    let right = said.split("and should be ").nth(1).unwrap().split(['.', '\n']).next().unwrap();
    learner.write(&exercise, &text(&right.replace(',', "")));
    learner.says("1.1").exits(1, &[&format!("n = 2: the sum is {right}, and should be ")]);
    // The same text has the same numbers again.
    learner.write(&exercise, &text("0"));
    learner.says("1.1").exits(1, &[&format!("n = 2: the sum is 0, and should be {right}.")]);
}

#[test]
fn a_readers_fence_that_is_missing_is_a_race() {
    let learner = Learner::new("fence");
    let exercise = exercise("6.3");
    learner.write(&exercise, &mutant("6.3", "without-the-readers-fence"));
    learner.says("6.3").exits(1, &["not yet", "error[data-race]", "but has no fence after it"]);
    learner.write(&exercise, &exercise.solution());
    learner.says("6.3").exits(0, &["passed", "in several orders of turns, and nothing was"]);
}

/// What a wrong task costs is no measure for an answer.
#[test]
fn counts_of_the_task_are_shown_where_the_task_is_right() {
    let learner = Learner::new("as-given");
    for (id, is_shown) in [("3.2", true), ("3.4", false)] {
        let exercise = exercise(id);
        learner.write(&exercise, &exercise.solution());
        let said = learner.says(id).exits(0, &["solution"]);
        assert_eq!(said.text.contains("as given"), is_shown, "{}", said.text);
    }
}

#[test]
fn kernels_that_go_astray_are_said_clearly_and_the_next_exercise_works() {
    let learner = Learner::new("astray");
    for (id, name, parts) in [
        ("2.2", "endless", &["error[step-limit]", "2_2_any_length.cu", "Which condition ends this loop"][..]),
        ("3.1", "no-guard", &["error[out-of-bounds]", "What is the largest index"]),
        (
            "1.1",
            "one-by-one",
            &["3 of 17 inputs: every n from 4,097 on", "deeper than the stack", "n = 4,097"],
        ),
        (
            "3.1",
            "too-much-shared-memory",
            &["error[launch-limit]", "How much shared memory does the block need"],
        ),
        (
            "3.1",
            "for-64-threads",
            &["error[launch-limit]", "For how many threads per block is the kernel compiled"],
        ),
    ] {
        learner.write(&exercise(id), &mutant(id, name));
        learner.says(id).exits(1, parts).exits(1, &["not yet", "Next: edit"]);
        assert_eq!(learner.read(&exercise(id).path), mutant(id, name));
    }
    learner.says("2.3").exits(1, &["the maximum is ", "and should be "]);
}

#[test]
fn what_is_not_understood_says_what_there_is() {
    let learner = Learner::new("words");
    for (words, part) in [
        ("9.9", "there is no exercise 9.9; there are: 0.1 0.2 0.3"),
        ("3.x", "`3.x` is not an exercise's number"),
        ("hint 0", "`0` is not an exercise's number"),
        ("hint 1.1 1.2", "unexpected argument '1.2'"),
        ("reset", "not provided:\n  <N.M>"),
        ("fix 1.1", "unrecognized subcommand 'fix'"),
        ("hnt 1.1", "a similar subcommand exists: 'hint'"),
        ("1.1 hint", "unexpected argument 'hint'"),
        ("--device sim 3.x", "`3.x` is not an exercise's number"),
        ("--hint", "unexpected argument"),
        ("1.1 --device tpu", "possible values: auto, gpu, sim"),
        ("2.1 --compiler gcc", "it is nvcc or clang"),
        ("2.1 --compiler clang", "no clang that runs was found"),
    ] {
        learner.says(words).exits(2, &[part]);
    }
}

/// A message says what to do only of the second answer that fails, and names what the source names.
#[test]
fn the_cure_is_said_of_the_second_answer_that_fails() {
    let learner = Learner::new("cure");
    let promise = "If your next answer fails too";
    for _ in 0..2 {
        let first = learner.says("2.1").exits(1, &["`g_data[1]`", promise]);
        assert!(!first.text.contains("= help:"), "the same text is no second answer: {}", first.text);
    }
    learner.write(&exercise("2.1"), &mutant("2.1", "guard-off-by-one"));
    for _ in 0..2 {
        let other = learner.says("2.1").exits(1, &["error[out-of-bounds]", "= help:"]);
        assert!(!other.text.contains(promise), "{}", other.text);
    }
}

#[test]
fn whoever_has_seen_the_solution_may_ask_why() {
    let learner = Learner::new("why");
    learner.says("solution 2.2 --give-up").exits(0, &[]);
    learner.says("why 2.2").exits(0, &["2 > 1"]);
}

/// Slow or fast, what is right passes; and each check stands beside the best one before it.
#[test]
fn a_blank_page_takes_any_right_answer_and_remembers_the_best() {
    let learner = Learner::new("blank-page");
    let blank = exercise("7.6");
    learner.says("7.6").exits(1, &["7.6 A blank page: not yet.", "the sum is 0, and should be"]);
    let ladder = ["reduceSharedTree  ", "reduceInFlight  ", "reduceLimit  "];
    let table = ["n = 2^16 ", "instructions  load requests  load sectors  barrier arrivals  atomics\nyours "];
    let slow = ["one-thread-for-all", "one-atomic-per-number", "a-tree-in-shared-memory"];
    for (before, name) in slow.into_iter().enumerate() {
        learner.write(&blank, &mutant("7.6", name));
        let said = learner.says("7.6").exits(0, &["7.6 A blank page: passed. Right for all"]);
        let said = said.says(&table).says(&ladder);
        assert_eq!(said.text.contains("your best before"), before > 0, "{}", said.text);
        assert!(!said.text.contains("solution   ") && !said.text.contains("times the"), "{}", said.text);
    }
    learner.write(&blank, &blank.solution());
    let fastest = learner.says("7.6").exits(0, &["your best before"]).row("yours");
    assert_eq!(fastest.len(), 5);
    // A slower one later does not take its place.
    learner.write(&blank, &mutant("7.6", "one-atomic-per-number"));
    for _ in 0..2 {
        let said = learner.says("7.6").exits(0, &["passed"]);
        assert_eq!(said.row("your best before"), fastest, "{}", said.text);
    }
}
