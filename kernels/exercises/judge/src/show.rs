//! What the terminal says: the list, a verdict, a table of goals. Every text ends with what to do next.

use ptx_simulator::Diagnostic;
use text::columns::{Column, text_table, wrapped};
use text::number::thousands;
use text::say::visible;
use view::diagnostics;

use super::answer::Answer;
use super::catalogue;
use super::fault::{self, Fault};
use super::id::Id;
use super::options::COMMAND;
use super::source::{Exercise, Kind};
use super::state::{Progress, State};
use super::verdict::{Counted, Counts, Findings, Guess};

/// Columns of running text.
const WIDTH: usize = 96;
/// Diagnostics that are shown in full, and lines of what a kernel printed.
const SHOWN: usize = 2;
const PRINTED: usize = 12;

/// Wrong answers, after which it is said what to look at.
const TRIES: usize = 3;

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
        if progress.tries > 0 {
            notes.push(format!("{} wrong answer{}", progress.tries, plural(progress.tries)));
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
                + &match &exercise.page {
                    Some(page) => format!("The task is also in the book, on the page \"{page}\".\n"),
                    None => format!("The task is also in the book, in chapter {}.\n", id.chapter),
                }
        }
        None => "All exercises are done. Take a kernel of your own: cargo run --example simulate -- --help\n"
            .into(),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `3.1 Half the loads`
pub fn title(exercise: &Exercise) -> String {
    format!("{} {}", exercise.id, exercise.title)
}

/// What an answer that passes gets. `first`: what was predicted, if numbers were asked for.
/// `source` is the learner's file.
pub fn passed(
    exercise: &Exercise,
    passed: &Findings,
    progress: &Progress,
    source: &str,
    color: bool,
) -> String {
    let tried = passed.tried;
    let how = match exercise.kind {
        Kind::Kernel(_) => {
            let found = match passed.what.as_str() {
                "" if !passed.diagnostics.is_empty() => ". One thing to look at is below.".to_string(),
                "" => ", and nothing was found wrong.".to_string(),
                note => format!(". {note}"),
            };
            format!("passed. Right for all {tried} inputs, in several orders of turns{found}")
        }
        Kind::Function(_) => format!("passed. Right for all {tried} lengths."),
        Kind::Numbers { ref answers, .. } if answers.iter().any(Answer::is_line) => match progress.tries {
            0 => "passed. That is the line, at the first try.".to_string(),
            tries => format!("passed. That is the line, after {tries} other{}.", plural(tries)),
        },
        Kind::Numbers { .. } => "passed.".to_string(),
    };
    let mut text = paragraph(&format!("{}: {how}", title(exercise)));
    text += &printed(&passed.printed);
    text.extend(passed.diagnostics.iter().map(|found| shown(exercise, found, &visible(source), color)));
    if !passed.counts.rows.is_empty() {
        text += &format!("\n{}", table(&passed.counts));
    }
    if passed.guesses.len() > 1 {
        text += &format!("\n{}", predicted(&passed.guesses, &progress.first));
    }
    text
}

/// The numbers, beside those that were answered first.
fn predicted(guesses: &[Guess], first: &[u64]) -> String {
    if guesses.iter().map(|guess| guess.right).eq(first.iter().copied()) {
        return "All of them at the first try.\n".into();
    }
    let number = |number: u64| thousands(number as i64);
    text_table(&[
        Column::left("", guesses.iter().map(|guess| guess.name.clone())),
        Column::right("your first answer", first.iter().map(|first| number(*first))),
        Column::right("right", guesses.iter().map(|guess| number(guess.right))),
        Column::right(
            "off by",
            guesses.iter().zip(first).map(|(guess, first)| number(guess.right.abs_diff(*first))),
        ),
    ])
}

/// The question after an exercise has passed.
pub fn ask_why(exercise: &Exercise) -> String {
    paragraph(&format!("Can you explain it? {}", exercise.why))
}

/// Why an answer does not pass. `source` is the learner's file. If it has failed this way before, what to do
/// about it is said, too.
pub fn failed(
    exercise: &Exercise,
    failure: &Findings,
    source: &str,
    progress: &Progress,
    color: bool,
) -> String {
    let again = progress.failed == fault::names(&failure.kinds);
    let mut text = format!("{}: not yet.\n\n", title(exercise));
    let source = &visible(source);
    for line in visible(&failure.what).trim_end().lines() {
        // What a compiler says has lines of its own.
        let is_prose = failure.kinds != [Fault::CompileError] && !line.starts_with(' ');
        text += &if is_prose { paragraph(line) } else { format!("{line}\n") };
    }
    if let Some(line) = failure.line {
        let code = source.lines().nth(line as usize - 1).unwrap_or("").trim();
        text += &format!("The result was stored at {}:{line}:\n  {code}\n", exercise.path);
    }
    if !failure.warnings.is_empty() {
        text += &format!("\nThe compiler warns:\n{}\n", visible(&failure.warnings).trim_end());
    }
    text += &printed(&failure.printed);
    for found in failure.diagnostics.iter().take(SHOWN) {
        let help = if again { found.help.clone() } else { String::new() };
        text += &shown(exercise, &Diagnostic { help, ..found.clone() }, source, color);
    }
    if failure.diagnostics.len() > SHOWN {
        text += &format!("… and {} more.\n", failure.diagnostics.len() - SHOWN);
    }
    if !failure.counts.rows.is_empty() {
        text += &format!("\n{}", table(&failure.counts));
    }
    if !failure.think.is_empty() {
        // What is no question is said as it is.
        let ask = if failure.think.ends_with('?') { "Think about: " } else { "" };
        text += &format!("\n{}", paragraph(&format!("{ask}{}", failure.think)));
    }
    if !failure.diagnostics.is_empty() && !again {
        text += "If it fails this way once more, the message will say what usually helps.\n";
    }
    text + &after_tries(exercise, &failure.guesses, progress.tries)
}

/// What the simulator has found. `source` is the learner's file.
fn shown(exercise: &Exercise, found: &Diagnostic, source: &str, color: bool) -> String {
    let quoted = |file: &str| (file == exercise.path).then_some(source);
    format!("\n{}", diagnostics::render(found, quoted, color))
}

/// What is said after several wrong answers, where trying one after the other leads to the right one.
fn after_tries(exercise: &Exercise, guesses: &[Guess], tries: usize) -> String {
    if guesses.is_empty() {
        return String::new();
    }
    // With a hint for each number, those of the wrong ones help.
    let by_number = guesses.len() == exercise.hints.len();
    let helps = |at: usize| !by_number || guesses[at].said != guesses[at].right;
    let hints: Vec<&String> =
        exercise.hints.iter().enumerate().filter(|(at, _)| helps(*at)).map(|(_, hint)| hint).collect();
    let hint = tries.checked_sub(TRIES).and_then(|more| hints.get(more).or(hints.last()));
    hint.map_or(String::new(), |hint| {
        paragraph(&format!(
            "{tries} answers were wrong. Another guess teaches nothing; look at this first. {hint}"
        ))
    })
}

/// What the answer wrote to the terminal.
fn printed(printed: &str) -> String {
    if printed.is_empty() {
        return String::new();
    }
    let printed = visible(printed);
    let lines: Vec<&str> = printed.lines().collect();
    let mut text = "\nIt printed, for ".to_string();
    for (number, line) in lines.iter().take(PRINTED + 1).enumerate() {
        text += &if number == 0 { format!("{line}\n") } else { format!("  {line}\n") };
    }
    if lines.len() > PRINTED + 1 {
        text += &format!("  … {} lines more\n", lines.len() - PRINTED - 1);
    }
    text
}

/// The question after an exercise, with its answer.
pub fn why(exercise: &Exercise) -> String {
    format!("{}\n\n{}\n{}", title(exercise), paragraph(&exercise.why), paragraph(&exercise.because))
}

/// What to do after an answer has failed.
pub fn try_again(exercise: &Exercise, state: &State) -> String {
    let id = exercise.id;
    let mut text =
        format!("Next: edit {} and check again, or take a hint:\n  {COMMAND} {id}\n", exercise.file());
    let left = exercise.hints.len().saturating_sub(state.of(id).hints);
    text += &match left {
        0 => format!("  {COMMAND} solution {id} --give-up\n"),
        1 => format!("  {COMMAND} hint {id}        (1 hint left)\n"),
        left => format!("  {COMMAND} hint {id}        ({left} hints left)\n"),
    };
    text
}

/// The answer's counts, those of the task as it is given and of the solution, and the goals, side by side.
fn table(counts: &Counts) -> String {
    let Counts { at, compiler, rows } = counts;
    let number = |count: Option<u64>| count.map_or("-".into(), |count| thousands(count as i64));
    let column = |title: &str, cell: &dyn Fn(&Counted) -> String| Column::right(title, rows.iter().map(cell));
    let at = at.map_or("all lengths together".to_string(), |case| case.to_string());
    let mut columns = vec![Column::left(
        &format!("counts at {at}").replace("at all", "of all"),
        rows.iter().map(|row| row.name.clone()),
    )];
    if rows.iter().any(|row| row.given.is_some()) {
        columns.push(column("as given", &|row| number(row.given)));
    }
    columns.push(column("yours", &|row| number(Some(row.yours))));
    if rows.iter().any(|row| row.reference.is_some()) {
        columns.push(column("solution", &|row| number(row.reference)));
    }
    if rows.iter().any(|row| row.most.is_some()) {
        let goal =
            |row: &Counted| row.most.map_or(String::new(), |most| format!("<= {}", number(Some(most))));
        columns.push(column("goal", &goal));
    }
    let by = if compiler.is_empty() { String::new() } else { format!("Compiled by {compiler}.\n") };
    text_table(&columns) + &by
}

/// `text` in lines of the terminal's width.
pub fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH).join("\n") + "\n"
}
