//! A listing: the lines of a file between two comments, `ANCHOR: name` and `ANCHOR_END: name`; those that differ
//! from another listing marked.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::options::Options;
use crate::{Workbook, changes};

/// How a page writes [`listing`].
pub const CODE: &str = "{{#code FILE ANCHOR [against=ANCHOR2 or FILE2:ANCHOR2]}}";

/// The listing as a code block, with the file's name below it. `file` is named from the root of the
/// repository. With `against=`, the lines that the other listing lacks are marked.
pub fn listing(workbook: &Workbook, file: &str, anchor: &str, words: &[&str]) -> Result<String> {
    let code = code(workbook, file, anchor)?;
    let listing = fenced(language(file), &code);
    let Some(other) = Options::parse(words, &["against"])?.get("against") else {
        return Ok(format!("{listing}\n\n<p class=\"listing\"><code>{file}</code></p>\n"));
    };
    let (other_file, other_anchor) = other.split_once(':').unwrap_or((file, other));
    let before = self::code(workbook, other_file, other_anchor).context("against=")?;
    let changed = changes::changed(&before, &code);
    ensure!(before != code, "the listing is the same as that of {other}; there is nothing to mark");
    Ok(format!(
        "<div class=\"listing-marked\" style=\"{}\">\n\n{listing}\n\n</div>\n\n<p class=\"listing\"><span \
         class=\"listing-changes\">{} against <code>{other_anchor}</code></span> <code>{file}</code></p>\n",
        changes::style(&changed),
        changes::in_words(&changed)
    ))
}

/// The text of a listing.
fn code(workbook: &Workbook, file: &str, anchor: &str) -> Result<String> {
    let text = std::fs::read_to_string(workbook.root.join(file))
        .with_context(|| format!("cannot read {file} (files are named from {})", workbook.root.display()))?;
    Ok(without_indent(&anchored(&text, anchor).with_context(|| format!("in {file}"))?))
}

fn language(file: &str) -> &'static str {
    match Path::new(file).extension().and_then(|extension| extension.to_str()) {
        Some("cu" | "cuh") => "cpp",
        Some("rs") => "rust",
        Some("toml") => "toml",
        _ => "text",
    }
}

/// `code` as a code block of Markdown.
pub fn fenced(language: &str, code: &str) -> String {
    let fence = "`".repeat(longest_run(code).max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// The lines between the anchor's two comments, without any anchor comments.
fn anchored<'a>(text: &'a str, anchor: &str) -> Result<Vec<&'a str>> {
    let mut lines = text.lines();
    if !lines.any(|line| mark(line, "ANCHOR:") == Some(anchor)) {
        let there_are: Vec<_> = text.lines().filter_map(|line| mark(line, "ANCHOR:")).collect();
        bail!(
            "no anchor `{anchor}`; there are: {}",
            if there_are.is_empty() { "none".into() } else { there_are.join(", ") }
        );
    }
    let mut inside = Vec::new();
    for line in lines {
        if mark(line, "ANCHOR_END:") == Some(anchor) {
            if inside.iter().all(|line: &&str| line.trim().is_empty()) {
                bail!("the anchor `{anchor}` is empty");
            }
            return Ok(inside);
        }
        if mark(line, "ANCHOR:").is_none() && mark(line, "ANCHOR_END:").is_none() {
            inside.push(line);
        }
    }
    bail!("the anchor `{anchor}` has no end; write `ANCHOR_END: {anchor}` after its last line");
}

/// The name after `word` (`ANCHOR:`, `ANCHOR_END:`), as mdBook reads it: letters, digits, `_` and `-`.
fn mark<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let name = line.split_once(word)?.1.trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(name.len());
    (end > 0).then(|| &name[..end])
}

/// The lines, moved left together as far as possible; blank lines at both ends left out.
fn without_indent(lines: &[&str]) -> String {
    let indent = |line: &&&str| line.len() - line.trim_start_matches(' ').len();
    let by = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min().unwrap_or(0);
    let moved: Vec<_> = lines.iter().map(|line| line.get(by..).unwrap_or("").trim_end()).collect();
    moved.join("\n").trim_matches('\n').to_string()
}

fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
