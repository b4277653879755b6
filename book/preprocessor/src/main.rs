//! `mdbook-workbook`: mdBook hands over the book as JSON on standard input and takes it back on standard
//! output. Protocol: <https://rust-lang.github.io/mdBook/for_developers/preprocessors.html>
//!
//! Exit status: 0 fine; 2 the book cannot be built, every place and what to do by name on standard error.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result};
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{MDBOOK_VERSION, PreprocessorContext, parse_input};
use mdbook_workbook::{
    Problem, Workbook, address, expand, in_page, mark, title_page, version, write_builds, write_list,
    write_player,
};
use workbook::text::path::committed;
use workbook::text::say;

const USAGE: &str = "mdbook-workbook is called by mdBook: mdbook build book, or mdbook serve book";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["supports", renderer] => ExitCode::from(if renderer == "html" { 0 } else { 1 }),
        [] if !io::stdin().is_terminal() => match run() {
            Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
            Ok(problems) => complain(&in_words(&problems)),
            Err(error) => complain(&format!("error: {error:#}\n")),
        },
        _ => complain(&format!("{USAGE}\n")),
    }
}

/// Says on stderr what is wrong, whether or not somebody reads it.
fn complain(text: &str) -> ExitCode {
    say::err(text);
    say::status(2)
}

/// All problems; those that have the same cause together.
fn in_words(problems: &[Problem]) -> String {
    let mut text = String::new();
    for (at, problem) in problems.iter().enumerate() {
        let same = |other: &&Problem| other.message == problem.message;
        if problems[..at].iter().any(|other| same(&other)) {
            continue;
        }
        text += &format!("error: {problem}\n");
        for other in problems[at + 1..].iter().filter(same) {
            text += &format!("  the same at {}:{}: {}\n", other.page, other.line, other.directive);
        }
        text.push('\n');
    }
    let places = if problems.len() == 1 { "place" } else { "places" };
    text + &format!("the book was not built: {} {places} in its pages to put right\n", problems.len())
}

/// Takes the book, replaces the directives of its pages and gives it back; or says what is wrong in them.
fn run() -> Result<Vec<Problem>> {
    let (context, mut book) = parse_input(io::stdin().lock()).with_context(|| {
        format!(
            "cannot read what mdBook sent; this book is built with mdBook {MDBOOK_VERSION} and its \
             successors 0.5.x"
        )
    })?;
    let problems = replace(&context, &mut book)?;
    if problems.is_empty() {
        serde_json::to_writer(io::stdout().lock(), &book)?;
    }
    Ok(problems)
}

fn replace(context: &PreprocessorContext, book: &mut Book) -> Result<Vec<Problem>> {
    let directory = dunce::canonicalize(&context.root)?;
    let root = directory.parent().context("the book lies in no repository")?;
    let mut workbook = Workbook::new(root.to_path_buf(), directory.join("records/local"));
    let configured = context.config.get::<String>("output.html.git-repository-url")?;
    workbook.repository = address(configured.as_deref(), root);
    let pages = directory.join(&context.config.book.src);
    write_player(&directory, &pages)?;
    write_builds(&workbook, &pages)?;
    let folders = [pages.join("live"), directory.join("theme")];
    let pages = pages.strip_prefix(root).unwrap_or(&pages);
    let mut problems = Vec::new();
    book.for_each_chapter_mut(|chapter| {
        let Some(path) = &chapter.source_path else { return };
        match expand(&workbook, &committed(&pages.join(path).to_string_lossy()), &chapter.content) {
            Ok(content) => chapter.content = content,
            Err(wrong) => problems.extend(wrong),
        }
    });
    let title = title_page(&workbook, context.config.book.title.as_deref().unwrap_or_default());
    let mut is_first = true;
    book.for_each_chapter_mut(|chapter| {
        if is_first {
            chapter.content = format!("{title}{}", chapter.content);
        }
        is_first = false;
    });
    if !in_page(&workbook)?.is_empty() {
        let version = version(book, &folders)?;
        write_list(&folders[0], &version)?;
        let mark = mark(&version);
        book.for_each_chapter_mut(|chapter| chapter.content += &mark);
    }
    Ok(problems)
}
