//! What is said: the list, a verdict, a table of goals, and what to do next.

use ptx_simulator::Diagnostic;
use text::columns::Column;
use text::number::thousands;
use text::say::visible;

use super::answer::Answer;
use super::catalogue;
use super::fault::Fault;
use super::id::Id;
use super::options::COMMAND;
use super::said::{Part, paragraph};
use super::source::{Exercise, Kind};
use super::state::{Progress, State};
use super::verdict::{Counted, Counts, Findings, Guess};

/// Diagnostics that are shown in full, at most.
const SHOWN: usize = 2;

/// After so many wrong answers it is said what to look at.
const TRIES: usize = 3;

/// All exercises with progress, chapter by chapter, or those of one chapter.
pub fn list(exercises: &[Exercise], state: &State, only: Option<u32>) -> String {
    let done = exercises.iter().filter(|exercise| state.of(exercise.id).passed).count();
    let mut text = format!("Exercises: {done} of {} done.\n", exercises.len());
    let next = current(exercises, state).map(|exercise| exercise.id);
    let mut chapter = None;
    for exercise in exercises.iter().filter(|exercise| only.is_none_or(|only| exercise.id.chapter == only)) {
        let number = exercise.id.chapter;
        if chapter.replace(number) != Some(number) {
            text += &format!("\nChapter {number}, {}\n", catalogue::chapter(number));
        }
        let progress = state.of(exercise.id);
        let mark = if progress.passed {
            "done"
        } else if Some(exercise.id) == next {
            "next"
        } else {
            ""
        };
        let mut notes = vec![format!("{} min", exercise.minutes), exercise.difficulty.to_string()];
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

/// The one to go on with: the one that was checked last while it is open, else the next one after it.
pub fn current<'a>(exercises: &'a [Exercise], state: &State) -> Option<&'a Exercise> {
    let is_open = |exercise: &&Exercise| Some(exercise.id) == state.last && !state.of(exercise.id).passed;
    exercises.iter().find(is_open).or_else(|| next(exercises, state, state.last))
}

/// What to do next.
pub fn what_next(exercises: &[Exercise], state: &State) -> String {
    match current(exercises, state) {
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

/// What an answer that passes gets: the verdict, then what else there is to say. `source` is the learner's
/// file.
pub fn passed(exercise: &Exercise, passed: &Findings, progress: &Progress, source: &str) -> Vec<Part> {
    let tried = passed.tried;
    let found = match passed.what.as_str() {
        "" if !passed.diagnostics.is_empty() => ". One thing to look at is below.".to_string(),
        "" => ", and nothing was found wrong.".to_string(),
        remark => format!(". {remark}"),
    };
    let how = match exercise.kind {
        Kind::Kernel(_) => {
            let waste = passed.counts.waste(exercise).filter(|_| exercise.rungs.is_none());
            let waste = waste.map_or(String::new(), |waste| format!(", {waste}"));
            format!("passed{waste}. Right for all {tried} inputs, in several orders of turns{found}")
        }
        Kind::Function(_) => format!("passed. Right for all {tried} lengths."),
        Kind::Program(_) => format!("passed. It prints what it should{found}"),
        Kind::Numbers { ref answers, .. } if answers.iter().any(Answer::is_line) => match progress.tries {
            0 => "passed. That is the line, at the first try.".to_string(),
            tries => format!("passed. That is the line, after {tries} other{}.", plural(tries)),
        },
        Kind::Numbers { .. } => "passed.".to_string(),
    };
    let mut parts = vec![Part::prose(format!("{}: {how}", title(exercise)))];
    parts.extend(printed(&passed.printed));
    for found in &passed.diagnostics {
        parts.extend(shown(exercise, found, &visible(source)));
    }
    parts.extend(table(exercise, &passed.counts));
    if passed.guesses.len() > 1 {
        parts.push(Part::Gap);
        parts.push(predicted(&passed.guesses, &progress.first));
    }
    parts
}

/// The numbers, beside those that were answered first.
fn predicted(guesses: &[Guess], first: &[u64]) -> Part {
    if guesses.iter().map(|guess| guess.right).eq(first.iter().copied()) {
        return Part::prose("All of them at the first try.");
    }
    let number = |number: u64| thousands(number as i64);
    let columns = vec![
        Column::left("", guesses.iter().map(|guess| guess.name.clone())),
        Column::right("your first answer", first.iter().map(|first| number(*first))),
        Column::right("right", guesses.iter().map(|guess| number(guess.right))),
        Column::right(
            "off by",
            guesses.iter().zip(first).map(|(guess, first)| number(guess.right.abs_diff(*first))),
        ),
    ];
    Part::Table { columns, of: "Your first answers" }
}

/// The question after an exercise has passed.
pub fn ask_why(exercise: &Exercise) -> String {
    paragraph(&format!("Can you explain it? {}", exercise.why))
}

/// Why an answer does not pass: the verdict, then the reasons. `source` is the learner's file. If another
/// answer has failed before, what to do about it is said, too.
pub fn failed(exercise: &Exercise, failure: &Findings, source: &str, progress: &Progress) -> Vec<Part> {
    let is_help_due = progress.is_help_due(source);
    let source = &visible(source);
    let mut parts = vec![Part::prose(format!("{}: not yet.", title(exercise))), Part::Gap];
    for line in visible(&failure.what).trim_end().lines() {
        // What a compiler says has lines of its own.
        let is_compilers =
            matches!(failure.kinds[..], [Fault::CompileError | Fault::MissingKernel | Fault::NotAllowed]);
        let is_prose = !is_compilers && !line.starts_with(' ');
        parts.push(if is_prose { Part::prose(line) } else { Part::lines(format!("{line}\n")) });
    }
    if let Some(line) = failure.line {
        let code = source.lines().nth(line as usize - 1).unwrap_or("").trim();
        parts.push(Part::prose(format!("The result was stored at {}:{line}:", exercise.path)));
        parts.push(Part::lines(format!("  {code}\n")));
    }
    if !failure.warnings.is_empty() {
        parts.push(Part::Gap);
        parts.push(Part::prose("The compiler warns:"));
        parts.push(Part::lines(visible(&failure.warnings).trim_end().to_string() + "\n"));
    }
    parts.extend(printed(&failure.printed));
    for found in failure.diagnostics.iter().take(SHOWN) {
        parts.extend(shown(exercise, found, source));
    }
    if failure.diagnostics.len() > SHOWN {
        parts.push(Part::prose(format!("… and {} more.", failure.diagnostics.len() - SHOWN)));
    }
    parts.extend(table(exercise, &failure.counts));
    if !failure.think.is_empty() {
        // What is no question is said as it is.
        let ask = if failure.think.ends_with('?') { "Think about: " } else { "" };
        parts.push(Part::Gap);
        parts.push(Part::prose(format!("{ask}{}", failure.think)));
    }
    if !failure.diagnostics.is_empty() && !is_help_due {
        parts.push(Part::prose("If your next answer fails too, the message will say what usually helps."));
    }
    parts.extend(after_tries(exercise, &failure.guesses, progress.tries));
    parts
}

/// What the simulator has found. `source` is the learner's file.
fn shown(exercise: &Exercise, found: &Diagnostic, source: &str) -> [Part; 2] {
    let found = Box::new(found.clone());
    [Part::Gap, Part::Finding { found, path: exercise.path.clone(), source: source.to_string() }]
}

/// What is said after several wrong answers, where trying one after the other leads to the right one.
fn after_tries(exercise: &Exercise, guesses: &[Guess], tries: usize) -> Option<Part> {
    if guesses.is_empty() {
        return None;
    }
    let more = tries.checked_sub(TRIES)?;
    let mut hints: Vec<&String> = exercise.hints.iter().collect();
    if guesses.len() == hints.len() {
        // Each number has a hint of its own: those of the right ones are left out.
        let with_numbers = guesses.iter().zip(&exercise.hints);
        hints = with_numbers.filter(|(guess, _)| guess.said != guess.right).map(|(_, hint)| hint).collect();
    }
    let hint = hints.get(more).or(hints.last())?;
    Some(Part::prose(format!(
        "{tries} answers were wrong. Another guess teaches nothing; look at this first. {hint}"
    )))
}

/// What the answer wrote to the terminal, below a line that says for which input; nothing for nothing.
fn printed(printed: &str) -> Vec<Part> {
    let Some((input, lines)) = printed.split_once('\n') else { return Vec::new() };
    let text = lines.lines().map(|line| format!("  {line}\n")).collect::<String>();
    vec![Part::Gap, Part::prose(format!("It printed, for {input}")), Part::Printed(text)]
}

/// The question after an exercise, with its answer.
pub fn why(exercise: &Exercise) -> String {
    format!("{}\n\n{}\n{}", title(exercise), paragraph(&exercise.why), paragraph(&exercise.because))
}

/// What to do after an answer has failed.
pub fn try_again(exercise: &Exercise, state: &State) -> String {
    let id = exercise.id;
    let left = exercise.hints.len().saturating_sub(state.of(id).hints);
    let other = if left > 0 { "take a hint" } else { "see a solution" };
    let mut text = format!("Next: edit {} and check again, or {other}:\n  {COMMAND} {id}\n", exercise.file());
    text += &match left {
        0 => format!("  {COMMAND} solution {id} --give-up\n"),
        1 => format!("  {COMMAND} hint {id}        (1 hint left)\n"),
        left => format!("  {COMMAND} hint {id}        ({left} hints left)\n"),
    };
    text
}

/// The answer's counts, those of the task as it is given and of the solution, and the goals, side by side;
/// nothing where nothing was counted, nor in a puzzle, nor on a blank page, which has a table of its own.
fn table(exercise: &Exercise, counts: &Counts) -> Vec<Part> {
    let Counts { at, compiler, rows } = counts;
    if rows.is_empty() || exercise.is_puzzle() || exercise.rungs.is_some() {
        return Vec::new();
    }
    let number = |count: Option<u64>| count.map_or("-".into(), |count| thousands(count as i64));
    let column = |title: &str, cell: &dyn Fn(&Counted) -> String| Column::right(title, rows.iter().map(cell));
    let title = match at {
        Some(case) => format!("counts at {case}"),
        None => "counts of all lengths together".to_string(),
    };
    let mut columns = vec![Column::left(&title, rows.iter().map(|row| row.name.clone()))];
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
    let mut parts = vec![Part::Gap, Part::Table { columns, of: "What the answer costs" }];
    if !compiler.is_empty() {
        parts.push(Part::prose(format!("Compiled by {compiler}.")));
    }
    parts
}
