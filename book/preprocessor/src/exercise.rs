//! An exercise on its chapter's page: a card that folds open to the task, then the code, the hints, a
//! solution and the question after it, each folded in turn; and the table of all exercises.
//!
//! In a page that runs programs, `theme/exercises.js` makes the card a cell with a task: what is folded in it
//! stays hidden until the judge gives it.

use anyhow::Result;
use exercise::catalogue;
use exercise::id::Id;
use exercise::source::{Exercise, Kind};
use workbook::text::columns::escape;

use crate::directive::Words;
use crate::html::{self, fenced, verbatim};
use crate::live;
use crate::page::{Page, Workbook};

/// The exercise as one folded card of its page.
pub fn exercise(page: &mut Page, words: &Words) -> Result<String> {
    let number: Id = words.of[0].parse().map_err(anyhow::Error::msg)?;
    let root = &page.book.root;
    let exercises = catalogue::read(root)?;
    let exercise = catalogue::find(&exercises, number)?;
    let is_live = !live::in_page(page.book)?.is_empty();
    Ok(card(exercise, &exercise.evidence(root)?, is_live))
}

/// `evidence`: what the answers are taken from, as text. `is_live`: whether a page can check it.
fn card(exercise: &Exercise, evidence: &str, is_live: bool) -> String {
    let Exercise { id, title, task, learn, minutes, path, hints, why, because, .. } = exercise;
    let is_rust = matches!(exercise.kind, Kind::Function(_));
    let mut text = format!("*{learn}*\n\n{}\n\n", task.join("\n"));
    text.extend(exercise.about().iter().map(|sentence| format!("- {sentence}\n")));
    if is_rust && is_live {
        text += "\nThis one is in Rust, which a page does not compile: edit the file, and check it in a \
                 terminal.\n";
    }
    text += &format!(
        "\n```sh\ncargo run --example exercise -- {id}\n```\n\n\
         <p class=\"listing\"><code>{path}</code></p>\n\n"
    );
    if !evidence.is_empty() {
        let lines: Vec<&str> = evidence.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
        text += &format!("{}\n\n", verbatim(&lines.join("\n")));
    }
    let language = if is_rust { "rust,ignore" } else { "cpp" };
    let code = |code: &str| fenced(language, code.trim_end());
    let folded = |part: &str, summary: &str, markdown: &str| {
        html::folded(&format!("class=\"exercise {part}\""), summary, markdown)
    };
    text += &folded("code", "The code, as it is given", &code(&exercise.stub_code()));
    for (number, hint) in (1..).zip(hints) {
        text += &folded("hint", &format!("Hint {number}"), hint);
    }
    text += &folded("solution", "A solution", &code(&exercise.solution_code()));
    if !why.is_empty() {
        let answer = html::folded("class=\"exercise\"", "An answer", because);
        text += &folded("why", "Can you explain it?", &format!("{why}\n\n{answer}"));
    }
    let mut attributes = format!("class=\"exercise-card\" id=\"{}\"", anchor(*id));
    if is_live && !is_rust {
        // The rest of the learner's file is its head, which says the task.
        let first = exercise.stub().lines().count() - exercise.stub_code().lines().count() + 1;
        attributes += &format!(" data-file=\"{path}\" data-first=\"{first}\"");
        if let Kind::Program(_) = exercise.kind {
            attributes += " data-kind=\"program\""; // of which there is no figure
        }
    }
    html::folded(&attributes, &format!("Exercise {id} · {title} · {minutes} min"), &text)
}

/// The name that links to a card lead to.
fn anchor(id: Id) -> String {
    format!("exercise-{}-{}", id.chapter, id.number)
}

/// All exercises, a group of rows per chapter. The page adds what the reader has done.
pub fn exercises(page: &mut Page, _: &Words) -> Result<String> {
    let book = page.book;
    let exercises = catalogue::read(&book.root)?;
    let mut groups = String::new();
    for chapter in exercises.chunk_by(|one, other| one.id.chapter == other.id.chapter) {
        let number = chapter[0].id.chapter;
        let title = escape(catalogue::chapter(number));
        groups += &format!(
            "<tbody>\n<tr><th scope=\"rowgroup\">{number} · {title}</th><td></td>\
             <td class=\"number\"></td></tr>\n"
        );
        for exercise in chapter {
            groups += &row(book, exercise)?;
        }
        groups += "</tbody>\n";
    }
    Ok(format!(
        "<div class=\"table-frame\" role=\"group\" aria-label=\"All exercises\">\n\
         <table class=\"exercise-list\">\n<thead><tr><th>exercise</th><th>difficulty</th>\
         <th class=\"number\">minutes</th></tr></thead>\n{groups}</table>\n</div>\n"
    ))
}

fn row(book: &Workbook, exercise: &Exercise) -> Result<String> {
    let Exercise { id, title, learn, minutes, difficulty, path, .. } = exercise;
    let [title, learn] = [title, learn].map(|text| escape(text));
    let name = match page_of(book, *id)? {
        Some(page) => format!("<a href=\"{page}#{}\">{id} {title}</a>", anchor(*id)),
        None => format!("{id} {title}"),
    };
    Ok(format!(
        "<tr data-exercise=\"{id}\" data-file=\"{path}\"><td>{name}<br>{learn}</td>\
         <td>{difficulty}</td><td class=\"number\">{minutes}</td></tr>\n"
    ))
}

/// `ch3_blocks.md`: the page that has the exercise, if one has.
fn page_of(book: &Workbook, id: Id) -> Result<Option<String>> {
    let directive = format!("{{{{#exercise {id}}}}}\n");
    let summary = book.read("book/src/SUMMARY.md")?;
    let pages = summary.lines().filter_map(|line| Some(line.split_once("](")?.1.split_once(".md)")?.0));
    for page in pages {
        if book.read(&format!("book/src/{page}.md"))?.contains(&directive) {
            return Ok(Some(format!("{page}.md")));
        }
    }
    Ok(None)
}
