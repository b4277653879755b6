//! A whole program on its chapter's page: a card that folds open to its code, and to the commands that build
//! and run it. In a page that runs programs, `theme/exercises.js` makes it one that is run and changed there.

use std::path::Path;

use anyhow::{Context, Result};

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
