//! What the terminal says: the list, a verdict, a table of goals. Every text ends with what to do next.

use super::catalogue;
use super::options::COMMAND;
use super::source::{Exercise, Id, Kind};
use super::state::State;
use super::verdict::{Failure, Reached};
use crate::number::thousands;
use crate::record::columns::{Column, text_table, wrapped};
use crate::record::diagnostics;

/// Columns of running text.
const WIDTH: usize = 96;
/// Diagnostics that are shown in full, and lines of what a kernel printed.
const SHOWN: usize = 2;
const PRINTED: usize = 12;

/// All exercises with progress, chapter by chapter.
pub fn list(exercises: &[Exercise], state: &State) -> String {
    let done = exercises.iter().filter(|exercise| state.of(exercise.id).passed).count();
    let mut text = format!("Exercises: {done} of {} done.\n", exercises.len());
    let next = next(exercises, state, None).map(|exercise| exercise.id);
    let mut chapter = 0;
    for exercise in exercises {
        if exercise.id.chapter != chapter {
            chapter = exercise.id.chapter;
            text += &format!("\nChapter {chapter}, {}\n", catalogue::chapter(chapter));
        }
        let progress = state.of(exercise.id);
        let mark = match (progress.passed, Some(exercise.id) == next) {
            (true, _) => "done",
            (false, true) => "next",
            (false, false) => "",
        };
        let mut notes = vec![format!("{} min", exercise.minutes)];
        if progress.hints > 0 {
            notes.push(format!("hints: {} of {}", progress.hints, exercise.hints.len()));
        }
        if progress.gave_up {
            notes.push("solution seen".to_string());
        }
        text += &format!("  {mark:4}  {}  {}  ({})\n", exercise.id, exercise.title, notes.join(", "));
    }
    text
}

/// The first exercise after `after` that is not done; if there is none, the first of all.
pub fn next<'a>(exercises: &'a [Exercise], state: &State, after: Option<Id>) -> Option<&'a Exercise> {
    let open = || exercises.iter().filter(|exercise| !state.of(exercise.id).passed);
    open().find(|exercise| Some(exercise.id) > after).or(open().next())
}

/// What to do next, after the exercise `after`.
pub fn what_next(exercises: &[Exercise], state: &State, after: Option<Id>) -> String {
    match next(exercises, state, after) {
        Some(exercise) => {
            let Exercise { id, title, learn, minutes, path, .. } = exercise;
            paragraph(&format!("Next: {id} {title}, about {minutes} minutes. {learn}"))
                + &format!("Edit {path}, then\n  {COMMAND} {id}\n")
                + &format!("Its text is also in the book, in chapter {}.\n", id.chapter)
        }
        None => "All exercises are done. Take a kernel of your own: cargo run --example simulate -- --help\n"
            .into(),
    }
}

/// `3.1 Half the loads`
pub fn title(exercise: &Exercise) -> String {
    format!("{} {}", exercise.id, exercise.title)
}

/// What an answer that passes gets.
pub fn passed(exercise: &Exercise, tried: usize, goals: &[Reached]) -> String {
    let how = match exercise.kind {
        Kind::Kernel(_) => {
            format!(
                "passed. Right for all {tried} inputs, in several orders of turns, and nothing was found \
                 wrong."
            )
        }
        Kind::Function(_) => format!("passed. Right for all {tried} lengths."),
        Kind::Line { .. } => "passed. That is the line.".to_string(),
    };
    let mut text = paragraph(&format!("{}: {how}", title(exercise)));
    if !goals.is_empty() {
        text += &format!("\n{}", table(goals));
    }
    text
}

/// Why an answer does not pass. `source` is the learner's file.
pub fn failed(exercise: &Exercise, failure: &Failure, source: &str, color: bool) -> String {
    let mut text = format!("{}: not yet.\n\n{}\n", title(exercise), failure.what.trim_end());
    if let Some(line) = failure.line {
        let code = source.lines().nth(line as usize - 1).unwrap_or("").trim();
        text += &format!("It was stored at {}:{line}:\n  {code}\n", exercise.path);
    }
    if !failure.warnings.is_empty() {
        text += &format!("\nnvcc warns:\n{}\n", failure.warnings.trim_end());
    }
    if !failure.printed.is_empty() {
        let lines: Vec<&str> = failure.printed.lines().collect();
        text += "\nThe kernel printed:\n";
        text.extend(lines.iter().take(PRINTED).map(|line| format!("  {line}\n")));
        if lines.len() > PRINTED {
            text += &format!("  … {} lines more\n", lines.len() - PRINTED);
        }
    }
    for found in failure.diagnostics.iter().take(SHOWN) {
        let quoted = |file: &str| (file == exercise.path).then_some(source);
        text += &format!("\n{}", diagnostics::render_with(found, quoted, color));
    }
    if failure.diagnostics.len() > SHOWN {
        text += &format!("… and {} more.\n", failure.diagnostics.len() - SHOWN);
    }
    if !failure.goals.is_empty() {
        text += &format!("\n{}", table(&failure.goals));
    }
    if !failure.think.is_empty() {
        text += &format!("\n{}", paragraph(&format!("Think about: {}", failure.think)));
    }
    text
}

/// What to do after an answer has failed.
pub fn try_again(exercise: &Exercise, state: &State) -> String {
    let id = exercise.id;
    let mut text =
        format!("Next: edit {} and check again, or take a hint:\n  {COMMAND} {id}\n", exercise.path);
    let left = exercise.hints.len().saturating_sub(state.of(id).hints);
    text += &match left {
        0 => format!("  {COMMAND} solution {id} --give-up\n"),
        1 => format!("  {COMMAND} hint {id}        (1 hint left)\n"),
        left => format!("  {COMMAND} hint {id}        ({left} hints left)\n"),
    };
    text
}

/// The answer's counts, the goals and what the solution has, side by side.
fn table(goals: &[Reached]) -> String {
    let column =
        |title: &str, cell: &dyn Fn(&Reached) -> String| Column::right(title, goals.iter().map(cell));
    let number = |count: u64| thousands(count as i64);
    text_table(&[
        Column::left("goals", goals.iter().map(|reached| reached.goal.name())),
        column("yours", &|reached| number(reached.yours)),
        column("goal", &|reached| format!("<= {}", number(reached.goal.most))),
        column("solution", &|reached| reached.reference.map_or("-".into(), number)),
        Column::left(
            "  at",
            goals.iter().map(|reached| match reached.goal.is_allocations() {
                true => "  all lengths together".to_string(),
                false => format!("  {}", reached.goal.case()),
            }),
        ),
    ])
}

/// `text` in lines of the terminal's width.
pub fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH).join("\n") + "\n"
}
