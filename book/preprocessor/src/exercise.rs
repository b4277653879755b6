//! An exercise on its chapter's page: a card that folds open to the task, then the code, the hints, a
//! solution and the question after it, each folded in turn.

use anyhow::{Context, Result};
use exercise::catalogue;
use exercise::id::Id;
use exercise::source::Exercise;

use crate::html::{self, fenced, verbatim};
use crate::page::Page;
use crate::words::Words;

/// The exercise as one folded card of its page.
pub fn exercise(page: &mut Page, words: &Words) -> Result<String> {
    let id = words.of[0];
    let number =
        Id::parse(id).with_context(|| format!("`{id}` is no number of an exercise; write it like 3.1"))?;
    let root = &page.book.root;
    let exercises = catalogue::read(root)?;
    let exercise = catalogue::find(&exercises, number)?;
    Ok(card(exercise, &exercise.evidence(root)?))
}

/// `evidence`: what the answers are taken from, as text.
fn card(exercise: &Exercise, evidence: &str) -> String {
    let Exercise { id, title, task, learn, minutes, path, hints, why, because, .. } = exercise;
    let mut text = format!("*{learn}*\n\n{}\n\n", task.join("\n"));
    text.extend(exercise.about().iter().map(|sentence| format!("- {sentence}\n")));
    text += &format!(
        "\n```sh\ncargo run --example exercise -- {id}\n```\n\n\
         <p class=\"listing\"><code>{path}</code></p>\n\n"
    );
    if !evidence.is_empty() {
        let lines: Vec<&str> = evidence.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
        text += &format!("{}\n\n", verbatim(&lines.join("\n")));
    }
    let language = if path.ends_with(".rs") { "rust,ignore" } else { "cpp" };
    let code = |code: &str| fenced(language, code.trim_end());
    let folded = |summary: &str, markdown: &str| html::folded("class=\"exercise\"", summary, markdown);
    text += &folded("The code, as it is given", &code(&exercise.stub_code()));
    for (number, hint) in (1..).zip(hints) {
        text += &folded(&format!("Hint {number}"), hint);
    }
    text += &folded("A solution", &code(&exercise.solution_code()));
    if !why.is_empty() {
        text += &folded("Can you explain it?", &format!("{why}\n\n{}", folded("An answer", because)));
    }
    let attributes = format!("class=\"exercise-card\" id=\"exercise-{}-{}\"", id.chapter, id.number);
    html::folded(&attributes, &format!("Exercise {id} · {title} · {minutes} min"), &text)
}
