//! Answers that are numbers and lines, and what is asked and said of them and of others.

use super::learner::{Learner, exercise, mutant};

#[test]
fn numbers_that_no_counter_has_are_marked_like_others() {
    let learner = Learner::new("numbers");
    let exercise = exercise("3.6");
    for (number, part) in [
        ("99999999999999999999999", "9,223,372,036,854,775,807 are too many"),
        ("18446744073709551615", "9,223,372,036,854,775,807 are too many"),
        ("0", "0 are too few"),
    ] {
        learner.write(&exercise, &exercise.stub().replace('?', number));
        learner.says("3.6").exits(1, &[part]);
    }
    learner.write(&exercise, &exercise.stub().replace('?', "-1"));
    learner.says("3.6").exits(1, &["barrier arrivals: `-1` cannot be read"]);
    learner.write(&exercise, &exercise.solution());
    learner.says("3.6").exits(0, &["your first answer", "9,223,372,036,854,775,807"]);
}

/// With a hint for each number, what is already right gets none.
#[test]
fn after_three_tries_the_hint_is_about_the_wrong_number() {
    let learner = Learner::new("tries");
    let exercise = exercise("3.7");
    let passing = exercise.solution();
    for size in ["512", "1024", "100"] {
        learner.write(&exercise, &passing.replace("fastest 128;", &format!("fastest {size};")));
        learner.says("3.7").exits(1, &["the fastest:"]);
    }
    learner.write(&exercise, &passing.replace("fastest 128;", "fastest 32;"));
    let said = learner.says("3.7").exits(1, &["4 answers were wrong", "Run the check"]);
    assert!(!said.text.contains("At most 32 blocks"), "{}", said.text);
}

#[test]
fn lines_that_are_tried_one_by_one_are_counted() {
    let learner = Learner::new("lines");
    let exercise = exercise("2.4");
    // Twice the same is one, and a line that is not there is none.
    for (line, part) in [
        (14, ""),
        (15, ""),
        (15, ""),
        (99, "There is no line 99"),
        (16, "3 answers were wrong"),
        (17, "4 answers were wrong"),
    ] {
        learner.write(&exercise, &exercise.stub().replace("line ?;", &format!("line {line};")));
        let said = learner.says("2.4").exits(1, &["not yet", part]);
        let counts = part.contains("answers were wrong");
        assert_eq!(said.text.contains("answers were wrong"), counts, "{}", said.text);
    }
    learner.says("").exits(0, &["2.4  Find the race  (10 min, takes thought, 4 wrong answers)"]);
    learner.write(&exercise, &exercise.solution());
    learner.says("2.4").exits(0, &["That is the line, after 4 others."]);
    learner.says("").exits(0, &["done  2.4  Find the race  (10 min, takes thought, 4 wrong answers)"]);
}

#[test]
fn a_right_answer_that_is_wasteful_passes_and_is_told_so() {
    let learner = Learner::new("waste");
    for (id, name, words) in [
        ("2.2", "neighbours", "passed, with 32 times the divergent branches of the solution. Right for all"),
        ("6.3", "every-thread-draws-a-ticket", "passed, with 1,000 times the atomic operations of the"),
    ] {
        learner.write(&exercise(id), &mutant(id, name));
        learner.says(id).exits(0, &[words]);
        learner.write(&exercise(id), &exercise(id).solution());
        let said = learner.says(id).exits(0, &["passed. Right for all"]);
        assert!(!said.text.contains("times the"), "{}", said.text);
    }
}

#[test]
fn who_loses_elements_of_a_share_is_asked_where_they_should_be() {
    let learner = Learner::new("share");
    let said = learner.says("8.1").exits(1, &["are left out", "Which GPU should own"]);
    assert!(!said.text.contains("32 bits"), "{}", said.text);
}

#[test]
fn how_far_a_number_is_off_does_not_give_a_few_away() {
    let learner = Learner::new("few");
    let exercise = exercise("8.2");
    learner.write(&exercise, &exercise.solution().replace("first 3;", "first 4;"));
    let said = learner.says("8.2").exits(1, &["first: not 4."]);
    assert!(!said.text.contains("too many"), "{}", said.text);
}

/// What an editor does to the ends of lines and of the file is no change.
#[test]
fn numbers_are_read_whatever_an_editor_does_to_ends_of_lines() {
    let learner = Learner::new("ends");
    for id in ["2.4", "3.6"] {
        let exercise = exercise(id);
        let passing = exercise.solution();
        for text in [
            passing.replace('\n', "  \r\n"),
            passing.replace('\n', "\t\n"),
            format!("{passing}\n\n"),
            passing.trim_end().to_string(),
        ] {
            learner.write(&exercise, &text);
            learner.says(id).exits(0, &["passed"]);
        }
        learner.write(&exercise, &format!("{passing}// more\n"));
        learner.says(id).exits(1, &["Change only the answers"]);
    }
}

#[test]
fn the_other_files_need_not_be_answered_for_a_line() {
    let learner = Learner::new("line");
    let exercise = exercise("2.4");
    let line = |text: &str| exercise.stub().replace("line ?;", text);
    for (answer, part) in [
        ("line ?;", "There is no answer yet"),
        ("line 12;", "It is not line 12, which is empty"),
        ("line 9999;", "There is no line 9999: the file has 23"),
        ("line 0;", "There is no line 0"),
        ("line 18446744073709551616;", "There is no line 9223372036854775807"),
        ("line ?;", "There is no answer yet"),
        ("line -1;", "line: `-1` cannot be read. Write a whole number in digits"),
        ("line x;", "as in `// The answer: line 12;`"),
        ("lone 5;", "There is no line `// The answer: line NUMBER;`"),
        ("line 5; // ", "It is not line 5"),
    ] {
        learner.write(&exercise, &line(answer));
        learner.says("2.4").exits(1, &[part]);
    }
    learner.write(&exercise, &format!("\n{}", exercise.solution()));
    learner.says("2.4").exits(1, &["Change only the answers", "reset 2.4"]);
}
