//! A whole program on its chapter's page: a card that folds open to its code, and to the commands that build
//! and run it. In a page that runs programs, `theme/exercises.js` makes it one that is run and changed there.

use std::path::Path;

use anyhow::{Context, Result};

use crate::code;
use crate::directive::Words;
use crate::html::{fenced, folded};
use crate::live;
use crate::page::Page;

/// The program as one folded card. The file is named from the root of the repository.
pub fn program(page: &mut Page, words: &Words) -> Result<String> {
    let file = words.of[0];
    let code = page.book.read(file)?;
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let build =
        build(&code).with_context(|| format!("{file} has no comment `//     nvcc …` that builds it"))?;
    let text = format!(
        "{}\n\n<p class=\"listing\"><code>{file}</code></p>\n\nOn your GPU, and on the simulator:\n\n\
         ```sh\n{}\ncargo run --example simulate -- {file}\n```",
        fenced("cpp", code.trim_end()),
        build.replace(&format!(" {stem}.cu"), &format!(" {file}")),
    );
    let text = match printed(page, file, &stem)? {
        Some((machine, printed)) => {
            format!("{text}\n\nBuilt so, it printed {machine}:\n\n{}", fenced("text", &printed))
        }
        None => text,
    };
    let mut attributes = format!("class=\"program-card\" id=\"program-{stem}\"");
    if !live::in_page(page.book)?.is_empty() {
        attributes += &format!(" data-file=\"{file}\"");
    }
    Ok(folded(&attributes, &format!("The whole program: <code>{stem}.cu</code>"), &text))
}

/// The command that builds and runs the program in its own folder, as a comment of it says.
fn build(code: &str) -> Option<&str> {
    code.lines().filter_map(|line| line.strip_prefix("//     ")).find(|command| command.starts_with("nvcc "))
}

/// What programs have printed on a GPU, beside them: a first line that says where, and a part for each.
const ON_A_GPU: &str = "on_a_gpu.txt";
/// Of more lines the page shows the ends.
const MOST_LINES: usize = 10;
const END_LINES: usize = 2;

/// Where the program has run, `on an NVIDIA H200 on 2026-11-27`, and what it printed.
fn printed(page: &Page, file: &str, stem: &str) -> Result<Option<(String, String)>> {
    let beside = Path::new(file).with_file_name(ON_A_GPU).to_string_lossy().into_owned();
    let Ok(all) = page.book.read(&beside) else { return Ok(None) };
    let printed = code::anchored(&all, stem).with_context(|| format!("in {beside}"))?.code;
    let first = all.lines().next().unwrap_or_default();
    let machine = first.strip_prefix("// Printed ").and_then(|words| words.split_once(" by "));
    let (machine, _) = machine.with_context(|| format!("{beside} does not say where it was printed"))?;
    Ok(Some((machine.to_owned(), ends(&printed))))
}

/// All lines, or the first and last ones of many.
fn ends(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    if lines.len() <= MOST_LINES {
        return printed.to_owned();
    }
    [&lines[..END_LINES], &["…"], &lines[lines.len() - END_LINES..]].concat().join("\n")
}
