//! Every link within the book leads to a page that there is, and to a heading or an element on it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use mdbook_workbook::{expand, plain, slug};

use crate::page::{Page, outside_code, pages};
use crate::workbook;

/// The anchors of a page: its headings as mdBook names them, and the elements that have names.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in outside_code(text) {
        let level = line.len() - line.trim_start_matches('#').len();
        if (1..=6).contains(&level) && line[level..].starts_with(' ') {
            let name = slug(&plain(line[level..].trim()));
            let again = (1..).map(|i| format!("{name}-{i}"));
            let unused = std::iter::once(name.clone()).chain(again).find(|name| !found.contains(name));
            found.extend(unused);
        }
        found.extend(
            line.split(" id=\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_string())),
        );
    }
    found
}

/// Where the links of a page lead, code left out.
fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in outside_code(text) {
        let plain: String = line.split('`').step_by(2).collect();
        for (open, close) in [("](", ')'), (" href=\"", '"')] {
            found.extend(
                plain.split(open).skip(1).filter_map(|rest| Some(rest.split_once(close)?.0.to_string())),
            );
        }
    }
    found
}

#[test]
fn every_link_within_the_book_leads_somewhere() {
    let workbook = workbook();
    let expanded = |page: &Page| {
        // What cannot be replaced is said by another test.
        let text = expand(&workbook, &page.file, &page.text).unwrap_or_else(|_| page.text.clone());
        (page.file.clone(), text)
    };
    let texts: BTreeMap<String, String> = pages().iter().map(expanded).collect();
    let anchors: BTreeMap<&String, BTreeSet<String>> =
        texts.iter().map(|(file, text)| (file, anchors(text))).collect();
    let mut wrong = String::new();
    for (file, text) in &texts {
        for target in
            targets(text).iter().filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        {
            let (page, anchor) = target.split_once('#').unwrap_or((target, ""));
            let page = if page.is_empty() { file.clone() } else { page.to_string() };
            match anchors.get(&page) {
                None => writeln!(wrong, "{file} links to {target}, and there is no such page").unwrap(),
                Some(there) if !anchor.is_empty() && !there.contains(anchor) => {
                    writeln!(wrong, "{file} links to {target}, and {page} has no such heading").unwrap();
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
