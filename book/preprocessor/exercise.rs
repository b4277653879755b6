//! An exercise on its chapter's page: the task, then the code, the hints and a solution, each folded.

use anyhow::{Context, Result};
use workbook::exercise::catalogue;
use workbook::exercise::source::{Exercise, Id};

use crate::Workbook;

/// The exercise `id` (`3.1`) as a section of its page.
pub fn exercise(workbook: &Workbook, id: &str) -> Result<String> {
    let number =
        Id::parse(id).with_context(|| format!("`{id}` is no number of an exercise; write it like 3.1"))?;
    let exercises = catalogue::read(&workbook.root)?;
    Ok(section(catalogue::find(&exercises, number)?))
}

fn section(exercise: &Exercise) -> String {
    let Exercise { id, title, task, path, hints, .. } = exercise;
    let mut text = format!("### {id} {title}\n\n{}\n\n", task.join("\n"));
    for sentence in exercise.about() {
        text += &format!("- {sentence}\n");
    }
    text += &format!(
        "\n```sh\ncargo run --example exercise -- {id}\n```\n\n\
         <p class=\"listing\"><code>{path}</code></p>\n\n"
    );
    let language = if path.ends_with(".rs") { "rust,ignore" } else { "cpp" };
    let code = |code: &str| format!("```{language}\n{}\n```", code.trim_end());
    text += &folded("The code, as it is given", &code(&exercise.stub_code()));
    for (number, hint) in (1..).zip(hints) {
        text += &folded(&format!("Hint {number}"), hint);
    }
    text += &folded("A solution", &code(&exercise.solution_code()));
    text
}

/// Blank lines around the Markdown, so that it is read as such within HTML.
fn folded(summary: &str, markdown: &str) -> String {
    format!("<details class=\"exercise\">\n<summary>{summary}</summary>\n\n{markdown}\n\n</details>\n\n")
}
