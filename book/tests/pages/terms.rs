//! No term of the glossary is used before it is defined: from chapter 1 on, its first use is a `{{#term}}`.

use std::fmt::Write;
use std::fs;

use workbook_book::definitions;

use crate::page::{book, pages};

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

/// Prose of the story from chapter 1 on, in lower case, without code, opening lines and what no reader sees.
fn story() -> Vec<(String, String)> {
    let mut story = Vec::new();
    for page in pages().into_iter().skip_while(|page| page.number.is_none()) {
        if page.file == "glossary.md" {
            break;
        }
        let mut text = String::new();
        for (_, prose) in page.sections() {
            // Every second piece between backticks is code.
            text.extend(prose.split('`').step_by(2));
            text.push('\n');
        }
        let opening = page.text.split("\n\n").nth(1).unwrap_or_default();
        story.push((page.file, text.replace(opening, "").to_lowercase()));
    }
    story
}

#[test]
fn no_term_before_its_definition() {
    let glossary = fs::read_to_string(book().join("src/glossary.md")).unwrap();
    let story = story();
    let mut wrong = String::new();
    for term in definitions(&glossary) {
        let (words, directive) = (term.heading.to_lowercase(), format!("{{{{#term {} ", term.slug));
        for (page, text) in &story {
            let used = place(text, &words).filter(|at| !text[..*at].ends_with("{{#term "));
            let defined = text.find(&directive);
            match (used, defined) {
                (None, None) => continue,
                (Some(used), Some(defined)) if used < defined => {}
                (_, Some(_)) => break,
                (Some(_), None) => {}
            }
            let line = text[..used.unwrap_or(0)].lines().last().unwrap_or_default();
            writeln!(wrong, "{page}: {words:?} is used before a {directive}…}}}} (after “{line}”)").unwrap();
            break;
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
