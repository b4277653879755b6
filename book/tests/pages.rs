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
