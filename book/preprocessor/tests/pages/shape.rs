//! A page of the story has a number, an opening line, sections of a length that a reader can hold, small
//! cells and a close.

use std::fmt::Write;

use exercise::catalogue;

use crate::page::{Page, book, pages, words};

/// Words of prose, folded parts not counted.
const SECTION: usize = 450;
const PAGE: usize = 2200;

/// Pages that are looked things up in, and not read from beginning to end.
const REFERENCE: [&str; 3] = ["glossary.md", "kernels.md", "appendix_simulator.md"];

/// Calls `check` with every page; fails with all that it has written.
fn every(check: impl Fn(&Page, &mut String)) {
    let mut wrong = String::new();
    for page in pages() {
        check(&page, &mut wrong);
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn is_story(page: &Page) -> bool {
    page.number.is_some()
}

#[test]
fn a_page_is_called_what_the_sidebar_calls_it() {
    every(|page, wrong| {
        let number = page.number.as_ref().map_or(String::new(), |number| format!("{number} · "));
        let title = format!("# {number}{}", page.title);
        if page.text.lines().next() != Some(&title) {
            writeln!(wrong, "{} does not begin with `{title}`", page.file).unwrap();
        }
    });
}

#[test]
fn a_page_of_the_story_says_first_what_it_is_for_and_last_what_one_knows() {
    every(|page, wrong| {
        if !is_story(page) {
            return;
        }
        let opening = page.text.split("\n\n").nth(1).unwrap_or_default();
        let has_time = opening.contains("About ") && opening.trim_end().ends_with("minutes.*");
        if !opening.starts_with('*') || !has_time {
            writeln!(
                wrong,
                "{}: below the title stands no line like *After this page you can … . About 20 minutes.*",
                page.file
            )
            .unwrap();
        }
        if !page.text.contains("\n## You now know\n") {
            writeln!(wrong, "{}: there is no section `## You now know`", page.file).unwrap();
        }
    });
}

#[test]
fn sections_and_pages_are_not_too_long() {
    every(|page, wrong| {
        if REFERENCE.contains(&page.file.as_str()) {
            return;
        }
        let sections = page.sections();
        for (heading, prose) in &sections {
            let count = words(prose);
            if count > SECTION {
                writeln!(wrong, "{}: {heading:?} has {count} words of prose, at most {SECTION}", page.file)
                    .unwrap();
            }
        }
        let count: usize = sections.iter().map(|(_, prose)| words(prose)).sum();
        if count > PAGE {
            writeln!(wrong, "{} has {count} words of prose, at most {PAGE}", page.file).unwrap();
        }
    });
}

/// A whole chapter in a cell is for a chapter that is being written; `{{#record}}` folds it.
#[test]
fn cells_are_small() {
    every(|page, wrong| {
        for line in page.lines() {
            let cell = line.strip_prefix("{{#cell ").and_then(|line| line.strip_suffix("}}"));
            if cell.is_some_and(|cell| !cell.trim().contains(' ')) {
                writeln!(wrong, "{}: {line} shows everything; say which kernels", page.file).unwrap();
            }
        }
    });
}

#[test]
fn the_exercises_call_the_chapters_as_the_book_does() {
    for page in pages() {
        let Some(number) = page.number.as_ref().and_then(|number| number.parse().ok()) else { continue };
        let listed = catalogue::chapter(number);
        assert!(
            listed == page.title || listed == "More",
            "chapter {number} is {listed:?}, in the book {:?}",
            page.title
        );
    }
}

#[test]
fn exercises_stand_in_the_order_of_their_numbers() {
    let mut last = None;
    for page in pages().into_iter().filter(is_story) {
        for part in page.text.split("\n{{#exercise ").skip(1) {
            let number = part.split("}}").next().unwrap();
            let id: (u32, u32) =
                number.split_once('.').map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())).unwrap();
            assert!(last < Some(id), "{}: exercise {number} stands behind {last:?}", page.file);
            last = Some(id);
        }
    }
}

/// What a search engine and a card of a link say of a page.
#[test]
fn every_page_has_a_description_of_its_own() {
    let head = std::fs::read_to_string(book().join("theme/head.hbs")).unwrap();
    let mut wrong = String::new();
    let mut seen = Vec::new();
    for page in pages() {
        let is_described = format!("{{{{#if (eq path \"{}\")}}}}<meta name=\"description\"", page.file);
        let description =
            head.split_once(&is_described).and_then(|(_, rest)| rest.split(" content=\"").nth(1));
        let description = description.and_then(|rest| rest.split('"').next()).unwrap_or_default();
        if !(40..=160).contains(&description.chars().count()) || seen.contains(&description) {
            writeln!(
                wrong,
                "{}: book/theme/head.hbs has no description of 40 to 160 letters: {description:?}",
                page.file
            )
            .unwrap();
        }
        seen.push(description);
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// A chapter without a page has its exercises in the terminal alone.
#[test]
fn every_exercise_is_once_on_a_page_of_its_chapter() {
    let pages = pages();
    for exercise in catalogue::read(book().parent().unwrap()).unwrap() {
        let directive = format!("{{{{#exercise {}}}}}", exercise.id);
        let chapter = format!("ch{}_", exercise.id.chapter);
        if let Some(title) = &exercise.page {
            let places: Vec<&str> =
                pages.iter().filter(|page| page.text.contains(&directive)).map(|page| &*page.title).collect();
            assert_eq!(places, [title], "{directive}");
            continue;
        }
        let count = |own: bool| -> usize {
            let pages = pages.iter().filter(|page| page.file.starts_with(&chapter) == own);
            pages.map(|page| page.text.matches(&directive).count()).sum()
        };
        let has_page = pages.iter().any(|page| page.file.starts_with(&chapter));
        let own = count(true);
        let others = count(false);
        assert!(
            others == 0 && own == usize::from(has_page),
            "{directive} stands {own} times on the pages of its chapter, and {others} times on others"
        );
    }
}
