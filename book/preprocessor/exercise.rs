//! An exercise on its chapter's page: a card that folds open to the task, then the code, the hints and a
//! solution, each folded in turn.

use anyhow::{Context, Result};
use workbook::exercise::catalogue;
use workbook::exercise::source::{Exercise, Id};

use crate::Workbook;
use crate::code::fenced;

/// The exercise `id` (`3.1`) as one folded card of its page.
pub fn exercise(workbook: &Workbook, id: &str) -> Result<String> {
    let number =
        Id::parse(id).with_context(|| format!("`{id}` is no number of an exercise; write it like 3.1"))?;
    let exercises = catalogue::read(&workbook.root)?;
    Ok(card(catalogue::find(&exercises, number)?))
}

fn card(exercise: &Exercise) -> String {
    let Exercise { id, title, task, learn, minutes, path, hints, .. } = exercise;
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
    text += &folded("class=\"exercise\"", "The code, as it is given", &code(&exercise.stub_code()));
    for (number, hint) in (1..).zip(hints) {
        text += &folded("class=\"exercise\"", &format!("Hint {number}"), hint);
    }
    text += &folded("class=\"exercise\"", "A solution", &code(&exercise.solution_code()));
    let attributes = format!("class=\"exercise-card\" id=\"exercise-{}-{}\"", id.chapter, id.number);
    folded(&attributes, &format!("Exercise {id} · {title} · {minutes} min"), text.trim_end())
}

/// Blank lines around the Markdown, so that it is read as such within HTML.
pub fn folded(attributes: &str, summary: &str, markdown: &str) -> String {
    format!("<details {attributes}>\n<summary>{summary}</summary>\n\n{markdown}\n\n</details>\n\n")
}
