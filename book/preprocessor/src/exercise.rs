//! An exercise on its chapter's page: a card that folds open to the task, then the code, the hints, a
//! solution and the question after it, each folded in turn.

use anyhow::{Context, Result};
use exercise::catalogue;
use exercise::id::Id;
use exercise::source::Exercise;

use crate::Workbook;
use crate::code::{fenced, verbatim};

/// The exercise `id` (`3.1`) as one folded card of its page.
pub fn exercise(workbook: &Workbook, id: &str) -> Result<String> {
    let number =
        Id::parse(id).with_context(|| format!("`{id}` is no number of an exercise; write it like 3.1"))?;
    let exercises = catalogue::read(&workbook.root)?;
    let exercise = catalogue::find(&exercises, number)?;
    Ok(card(exercise, &exercise.evidence(&workbook.root)?))
}

/// `evidence`: what the answers are taken from, as text.
fn card(exercise: &Exercise, evidence: &str) -> String {
    let Exercise { id, title, task, learn, minutes, path, hints, why, because, .. } = exercise;
    let mut text = format!("*{learn}*\n\n{}\n\n", task.join("\n"));
    for sentence in exercise.about() {
        text += &format!("- {sentence}\n");
    }
    text += &format!(
        "\n```sh\ncargo run --example exercise -- {id}\n```\n\n\
         <p class=\"listing\"><code>{path}</code></p>\n\n"
    );
    let language = if path.ends_with(".rs") { "rust,ignore" } else { "cpp" };
    let code = |code: &str| fenced(language, code.trim_end());
    if !evidence.is_empty() {
        text += &format!("{}\n\n", verbatim(&unindented(evidence)));
    }
    text += &folded("class=\"exercise\"", "The code, as it is given", &code(&exercise.stub_code()));
    for (number, hint) in (1..).zip(hints) {
        text += &folded("class=\"exercise\"", &format!("Hint {number}"), hint);
    }
    text += &folded("class=\"exercise\"", "A solution", &code(&exercise.solution_code()));
    if !why.is_empty() {
        let answer = folded("class=\"exercise\"", "An answer", because);
        text +=
            &folded("class=\"exercise\"", "Can you explain it?", &format!("{why}\n\n{}", answer.trim_end()));
    }
    let attributes = format!("class=\"exercise-card\" id=\"exercise-{}-{}\"", id.chapter, id.number);
    folded(&attributes, &format!("Exercise {id} · {title} · {minutes} min"), text.trim_end())
}

fn unindented(table: &str) -> String {
    let lines: Vec<&str> = table.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    lines.join("\n")
}

/// Blank lines around the Markdown, so that it is read as such within HTML.
pub fn folded(attributes: &str, summary: &str, markdown: &str) -> String {
    format!("<details {attributes}>\n<summary>{summary}</summary>\n\n{markdown}\n\n</details>\n\n")
}
