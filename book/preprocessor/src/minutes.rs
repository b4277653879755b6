//! How long pages take to read, as each says below its title, and how long exercises take.

use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use exercise::catalogue;
use regex::Regex;

use crate::directive::Words;
use crate::page::{Page, Workbook};

/// What stands below a page's title: `About 20 minutes.`
static STATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"About\s+(\d+)\s+minutes\.\*").expect("a valid pattern"));

/// The minutes of the pages that are named, of `all` pages that state theirs, or of the `exercises`.
pub fn minutes(page: &mut Page, words: &Words) -> Result<String> {
    let book = page.book;
    let sum = match words.of[..] {
        ["exercises"] => catalogue::read(&book.root)?.iter().map(|exercise| exercise.minutes).sum(),
        ["all"] => {
            let pages = pages(book)?.into_iter().map(|page| stated(book, &page));
            pages.collect::<Result<Vec<_>>>()?.into_iter().flatten().sum()
        }
        _ => {
            let of = |page: &&str| {
                stated(book, page)?.with_context(|| {
                    format!("book/src/{page}.md does not say how long it takes: *… About 20 minutes.*")
                })
            };
            words.of.iter().map(of).sum::<Result<u32>>()?
        }
    };
    ensure!(sum > 0, "that takes no time");
    Ok(in_words(sum))
}

/// `ch3_blocks`, … in the order of the book.
fn pages(book: &Workbook) -> Result<Vec<String>> {
    let summary = book.read("book/src/SUMMARY.md")?;
    let page = |line: &str| Some(line.split_once("](")?.1.split_once(".md)")?.0.to_string());
    Ok(summary.lines().filter_map(page).collect())
}

fn stated(book: &Workbook, page: &str) -> Result<Option<u32>> {
    let text = book.read(&format!("book/src/{page}.md"))?;
    let Some(found) = STATED.captures(&text) else { return Ok(None) };
    Ok(Some(found[1].parse()?))
}

/// `2 hours`, `5 hours 55 minutes`, to the next five minutes.
fn in_words(minutes: u32) -> String {
    let rounded = (minutes + 2) / 5 * 5;
    let plural = |count: u32, unit: &str| match count {
        0 => None,
        1 => Some(format!("1\u{a0}{unit}")),
        _ => Some(format!("{count}\u{a0}{unit}s")),
    };
    let parts = [plural(rounded / 60, "hour"), plural(rounded % 60, "minute")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_read_as_a_person_says_them() {
        assert_eq!(in_words(124), "2\u{a0}hours 5\u{a0}minutes");
        assert_eq!(in_words(119), "2\u{a0}hours");
        assert_eq!(in_words(61), "1\u{a0}hour");
        assert_eq!(in_words(8), "10\u{a0}minutes");
    }
}
