//! No term of the glossary is used before it is defined: from chapter 1 on, its first use is a `{{#term}}`.

use std::fmt::Write;
use std::fs;

use mdbook_workbook::definitions;

use crate::page::{book, is_read, pages};

/// Whether `text` has `term` as words of their own, `warps` for `warp` too.
fn place(text: &str, term: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut from = 0;
    while let Some(at) = text[from..].find(term).map(|at| from + at) {
        let after = text[at + term.len()..].strip_prefix('s').unwrap_or(&text[at + term.len()..]);
        if !is_letter(text[..at].chars().next_back()) && !is_letter(after.chars().next()) {
            return Some(at);
        }
        from = at + term.len();
    }
    None
}

/// A page from chapter 1 on, in lower case, without code, headings and the opening line.
struct Text {
    page: String,
    /// All of it, tables and folded parts too: where a term may be defined.
    all: String,
    /// The same with blanks for what is not prose: where a term is used.
    prose: String,
}

fn story() -> Vec<Text> {
    let mut story = Vec::new();
    for page in pages().into_iter().skip_while(|page| page.number.is_none()) {
        if page.file == "glossary.md" {
            break;
        }
        let opening = page.text.split("\n\n").nth(1).unwrap_or_default();
        let mut text = Text { page: page.file.clone(), all: String::new(), prose: String::new() };
        let lines = page.lines();
        for (line, is_read) in lines.iter().zip(is_read(&lines)) {
            if line.starts_with('#') || opening.lines().any(|other| other == *line) {
                continue;
            }
            // Every second piece between backticks is code.
            let line: Vec<&str> = line.split('`').step_by(2).collect();
            let line = line.join(" ").to_ascii_lowercase() + "\n";
            text.prose += &if is_read { line.clone() } else { " ".repeat(line.len()) };
            text.all += &line;
        }
        story.push(text);
    }
    story
}

#[test]
fn no_term_before_its_definition() {
    let glossary = fs::read_to_string(book().join("src/glossary.md")).unwrap();
    let story = story();
    let mut wrong = String::new();
    for term in definitions(&glossary) {
        let words = term.heading.to_lowercase();
        let directive = format!("{{{{#term {} ", term.slug);
        for Text { page, all, prose } in &story {
            let defined = all.find(&directive);
            match place(prose, &words).filter(|used| defined.is_none_or(|defined| *used < defined)) {
                Some(used) => {
                    let line = prose[..used].lines().last().unwrap_or_default();
                    writeln!(wrong, "{page}: {words:?} is used before a {directive}…}}}} (after “{line}”)")
                        .unwrap();
                    break;
                }
                None if defined.is_some() => break,
                None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
