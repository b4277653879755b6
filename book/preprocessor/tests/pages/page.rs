//! The pages in the order of the book, and what of a page is prose.

use std::fs;
use std::path::PathBuf;

/// A page that the summary lists.
pub struct Page {
    /// `ch4_nested.md`
    pub file: String,
    /// What the summary calls it.
    pub title: String,
    /// `4.1`, as the sidebar shows it; none outside the story.
    pub number: Option<String>,
    /// Its Markdown, directives and all.
    pub text: String,
}

/// The book of the checkout in which cargo runs this.
pub fn book() -> PathBuf {
    workbook::root().unwrap().join("book")
}

/// The Markdown files of the book but its summary and what stands at a wrong address.
pub fn files() -> Vec<String> {
    let entries = fs::read_dir(book().join("src")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".md") && !["SUMMARY.md", "404.md"].contains(&&**name));
    names.sort();
    names
}

/// Pages that the summary lists.
const PAGES: usize = 35;

/// The pages in the order of the summary, numbered as mdBook does.
pub fn pages() -> Vec<Page> {
    let summary = fs::read_to_string(book().join("src/SUMMARY.md")).expect("book/src/SUMMARY.md");
    let mut counts: Vec<usize> = Vec::new();
    let mut pages = Vec::new();
    for line in summary.lines() {
        let item = line.trim_start();
        let Some((title, rest)) =
            item.trim_start_matches("- ").strip_prefix('[').and_then(|item| item.split_once("]("))
        else {
            continue;
        };
        let number = item.starts_with("- ").then(|| {
            counts.resize((line.len() - item.len()) / 2 + 1, 0);
            *counts.last_mut().unwrap() += 1;
            counts.iter().map(usize::to_string).collect::<Vec<_>>().join(".")
        });
        let file = rest.split(')').next().unwrap().to_string();
        let text = fs::read_to_string(book().join("src").join(&file))
            .unwrap_or_else(|_| panic!("book/src/{file}, which SUMMARY.md names, is missing"));
        pages.push(Page { file, title: title.to_string(), number, text });
    }
    assert_eq!(pages.len(), PAGES, "pages in book/src/SUMMARY.md; PAGES in pages/page.rs counts them");
    pages
}

impl Page {
    /// The lines that are not in a code block.
    pub fn lines(&self) -> Vec<&str> {
        outside_code(&self.text)
    }

    /// The page's sections: heading and the prose below it. What stands above the first has the title.
    pub fn sections(&self) -> Vec<(String, String)> {
        let mut sections = vec![(self.title.clone(), Vec::new())];
        for line in self.lines() {
            match line.strip_prefix("## ") {
                Some(heading) => sections.push((heading.to_string(), Vec::new())),
                None => sections.last_mut().unwrap().1.push(line),
            }
        }
        sections.into_iter().map(|(heading, lines)| (heading, prose(&lines))).collect()
    }
}

/// The lines of `text` outside of its code blocks.
pub fn outside_code(text: &str) -> Vec<&str> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            lines.push(line);
        }
    }
    lines
}

/// What a reader reads of `lines` without unfolding anything: no tables, figures, headings or directives.
fn prose(lines: &[&str]) -> String {
    let is_read = is_read(lines);
    lines.iter().zip(is_read).filter(|(_, is_read)| *is_read).map(|(line, _)| format!("{line}\n")).collect()
}

/// Whether each of `lines` is prose that is not folded.
pub fn is_read(lines: &[&str]) -> Vec<bool> {
    let mut folded = 0;
    let mut read = Vec::new();
    for line in lines {
        let opens = |tag: &str| line.matches(&format!("<{tag}")).count();
        let closes = |tag: &str| line.matches(&format!("</{tag}>")).count();
        folded += opens("details") + opens("figure");
        let is_block = line.starts_with('|')
            || line.starts_with('#')
            || (line.starts_with("{{#") && line.ends_with("}}"));
        read.push(folded == 0 && !is_block);
        folded -= closes("details") + closes("figure");
    }
    read
}

/// Words of `prose`; a directive is one, or those that it shows.
pub fn words(prose: &str) -> usize {
    let mut count = 0;
    for (i, piece) in prose.split("{{#").enumerate() {
        let after = match i {
            0 => piece,
            _ => {
                let (directive, after) = piece.split_once("}}").unwrap_or((piece, ""));
                let shown = directive.split_whitespace().count();
                count += if directive.starts_with("term ") { shown.saturating_sub(2) } else { 1 };
                after
            }
        };
        count += after.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    }
    count
}
