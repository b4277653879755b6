//! Whatever stands in a record is shown as text: it is no markup, no directive of mdBook, no end of a block.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use mdbook_workbook::{Workbook, expand};
use serde_json::Value;

use crate::page::{book, pages};

const HOSTILE: &str = "EVIL\n\n{{#include /etc/passwd}}\n\n```html\n<script>evil()</script>\n```\n\n\
    [x](javascript:evil()) <img src=x onerror=evil()> ` * ' \" \\ | \r\n~~~\u{1b}]0;title\u{7}";

/// What none of the pages may have.
const MARKS: [&str; 7] =
    ["EVIL\n", "{{#include", "<script>evil", "](javascript", "<img src=x", "\u{1b}", "\r"];

/// Fields that a directive looks things up by, or that stand for one of a few words.
const LOOKED_UP: [&str; 14] = [
    "kernel",
    "kind",
    "stem",
    "space",
    "limits name",
    "element",
    "load",
    "finish",
    "code",
    "found",
    "teaches",
    "do",
    "severity",
    "shape",
];

/// Sets each text of `json` below a key that `is_chosen` to [`HOSTILE`]; returns the keys of all texts.
fn poison(json: &mut Value, key: &str, is_chosen: &dyn Fn(&str) -> bool, keys: &mut BTreeSet<String>) {
    match json {
        Value::String(text) => {
            keys.insert(key.to_string());
            if is_chosen(key) {
                *text = HOSTILE.to_string();
            }
        }
        Value::Array(items) => {
            for item in items {
                poison(item, key, is_chosen, keys);
            }
        }
        Value::Object(fields) => {
            for (field, item) in fields.iter_mut() {
                let field = if key == "limits" { format!("limits {field}") } else { field.clone() };
                poison(item, &field, is_chosen, keys);
            }
        }
        _ => {}
    }
}

/// The pages of the book over records whose chosen texts are hostile; an error in place of one that cannot be
/// made.
fn expanded(is_chosen: &dyn Fn(&str) -> bool) -> (Vec<Result<String, String>>, BTreeSet<String>) {
    let book = book();
    let folder = tempfile::tempdir().unwrap();
    let root = book.parent().unwrap();
    let mut keys = BTreeSet::new();
    for directory in ["book/records", "book/records/traces", "benches"] {
        fs::create_dir_all(folder.path().join(directory)).unwrap();
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let to = folder.path().join(directory).join(path.file_name().unwrap());
            if ["txt", "md"].iter().any(|known| path.extension() == Some(known.as_ref())) {
                fs::copy(&path, to).unwrap();
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let mut json: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
                poison(&mut json, "", is_chosen, &mut keys);
                fs::write(to, json.to_string()).unwrap();
            }
        }
    }
    for directory in [
        "kernels",
        "chapters/src",
        "examples",
        "crates/reduction",
        "chapters/tests/traces",
        "crates/launch/tests/corpus",
        "crates/simulate/tests",
        "crates/program/tests",
        "book/src",
    ] {
        copy(&root.join(directory), &folder.path().join(directory));
    }
    let records = folder.path().join("book/records");
    let workbook = Workbook::new(folder.path().to_path_buf(), records);
    let page = |text: &str, name: &str| match catch_unwind(AssertUnwindSafe(|| expand(&workbook, name, text)))
    {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(problems)) => Err(problems.iter().map(|problem| format!("{problem}\n")).collect()),
        Err(_) => panic!("{name} panics"),
    };
    (pages().iter().map(|one| page(&one.text, &format!("book/src/{}", one.file))).collect(), keys)
}

/// The text files of a folder and of those in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else if fs::metadata(&path).unwrap().len() < 1 << 20 {
            fs::copy(&path, target).unwrap();
        }
    }
}

fn assert_harmless(page: &str, what: &str) {
    // A directive that a page shows; and a figure's data, where Markdown has no links.
    let page = page.replace("\\{{#", "").replace("[x](javascript:evil()) \\u003c", "");
    for mark in MARKS {
        if let Some(at) = page.find(mark) {
            panic!("{what}: {mark:?} in {}", page[..at].lines().last().unwrap_or_default());
        }
    }
}

#[test]
fn hostile_texts_of_a_record_stay_texts() {
    let (pages, keys) = expanded(&|key| !LOOKED_UP.contains(&key));
    assert!(keys.len() > 20, "{keys:?}");
    let mut shown = 0;
    for page in pages {
        let page = page.unwrap();
        shown += page.matches("EVIL").count();
        assert_harmless(&page, "all texts");
    }
    assert!(shown > 100, "{shown}");
}

/// Here a page may be refused, by name.
#[test]
fn hostile_names_are_refused_or_stay_texts() {
    for keys in [&["kernel"][..], &["space", "limits name", "code"]] {
        for page in expanded(&|key| keys.contains(&key)).0 {
            match page {
                Ok(page) => assert_harmless(&page, keys[0]),
                Err(error) => assert!(!error.is_empty(), "{keys:?}"),
            }
        }
    }
}
