//! The pages of this book: every directive in them can be replaced. mdBook need not be installed for this.

use std::fs;
use std::path::{Path, PathBuf};

use workbook_book::{Workbook, expand};

fn book() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Markdown files below `directory`.
fn pages(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn every_directive_can_be_replaced() {
    let root = book().parent().unwrap().to_path_buf();
    // A reader's own records are not the business of a test.
    let workbook =
        Workbook { root: root.clone(), records: book().join("records"), local: PathBuf::from("not there") };
    let mut wrong = String::new();
    for page in pages(&book().join("src")) {
        let name = page.strip_prefix(&root).unwrap().display().to_string();
        for problem in
            expand(&workbook, &name, &fs::read_to_string(&page).unwrap()).err().into_iter().flatten()
        {
            wrong += &format!("{problem}\n\n");
        }
    }
    assert!(wrong.is_empty(), "the book cannot be built:\n\n{wrong}");
}

#[test]
fn every_page_is_in_the_summary() {
    let source = book().join("src");
    let Ok(summary) = fs::read_to_string(source.join("SUMMARY.md")) else {
        panic!("book/src/SUMMARY.md is missing");
    };
    for page in pages(&source) {
        let name = page.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
        assert!(
            name == "SUMMARY.md"
                || summary.contains(&format!("({name})"))
                || summary.contains(&format!("(./{name})")),
            "book/src/{name} is not in book/src/SUMMARY.md, so no reader finds it"
        );
    }
}

#[test]
fn the_exercises_call_the_chapters_as_the_book_does() {
    let summary = fs::read_to_string(book().join("src/SUMMARY.md")).unwrap();
    let chapters = summary.lines().filter_map(|line| line.strip_prefix("- [")?.split_once("](ch"));
    for (title, file) in chapters {
        let number = file.split('_').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let listed = workbook::exercise::catalogue::chapter(number);
        assert!(listed == title || listed == "More", "chapter {number} is {listed:?}, in the book {title:?}");
    }
}

/// A chapter without a page has its exercises in the terminal alone; one with several has them on the first.
#[test]
fn every_exercise_is_on_the_page_of_its_chapter() {
    let summary = fs::read_to_string(book().join("src/SUMMARY.md")).unwrap();
    let is_first = |name: &str| summary.lines().any(|line| line.starts_with("- ") && line.contains(name));
    for exercise in workbook::exercise::catalogue::read(book().parent().unwrap()).unwrap() {
        let number = exercise.id;
        let of_chapter = |page: &PathBuf| {
            let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(&format!("ch{}_", number.chapter)) && is_first(&name)
        };
        for page in pages(&book().join("src")).into_iter().filter(of_chapter) {
            let times =
                fs::read_to_string(&page).unwrap().matches(&format!("{{{{#exercise {number}}}}}")).count();
            assert_eq!(times, 1, "{} has {{{{#exercise {number}}}}} so many times", page.display());
        }
    }
}
