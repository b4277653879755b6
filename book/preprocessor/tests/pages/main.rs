//! The pages of this book: every directive in them can be replaced, and they have the shape that a reader
//! relies on. mdBook need not be installed for this.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `page.rs` | reads the pages in the order of the book; what of a page is prose |
//! | `shape.rs` | titles, opening lines, lengths, small cells, exercises |
//! | `terms.rs` | no term before its definition |
//! | `links.rs` | every link within the book leads somewhere |
//! | `numbers.rs` | no measurement that was typed |
//! | `hostile.rs` | no text of a record becomes more than text |

mod hostile;
mod links;
mod numbers;
mod page;
mod shape;
mod terms;

use std::path::PathBuf;

use mdbook_workbook::{Workbook, expand};
use page::{book, files, pages};

/// The repository, without a reader's own records: they are not the business of a test.
fn workbook() -> Workbook {
    let root = book().parent().unwrap().to_path_buf();
    Workbook::new(root, PathBuf::from("not there"))
}

#[test]
fn every_directive_can_be_replaced() {
    let mut wrong = String::new();
    for page in pages() {
        let problems = expand(&workbook(), &format!("book/src/{}", page.file), &page.text).err();
        for problem in problems.into_iter().flatten() {
            wrong += &format!("{problem}\n\n");
        }
    }
    assert!(wrong.is_empty(), "the book cannot be built:\n\n{wrong}");
}

#[test]
fn every_page_is_in_the_summary() {
    let pages = pages();
    for name in files() {
        assert!(
            pages.iter().any(|page| page.file == name),
            "book/src/{name} is not in book/src/SUMMARY.md, so no reader finds it"
        );
    }
}

/// A wrong sum has no speed, and neither has one that is right by luck.
#[test]
fn a_kernel_that_races_is_the_fastest_nowhere() {
    let map = expand(&workbook(), "book/src/kernels.md", "{{#kernels}}\n").unwrap().replace("<wbr>", "");
    let row = |kernel: &str| {
        let rows = map.split("<tr>").filter(|row| row.contains(&format!(">{kernel}<")));
        rows.map(|row| row.rsplit("<td").next().unwrap_or_default().to_string()).collect::<Vec<_>>().join(" ")
    };
    let wins = row("reduceNeighboredNoBarrier");
    assert!(!wins.is_empty() && !wins.contains(|c: char| c.is_ascii_digit()), "{wins}");
    assert!(row("reduceLimit").contains('2'), "the map says nowhere who is the fastest: {map}");
}
