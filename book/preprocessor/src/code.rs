//! A listing: the lines of a file between two comments, `ANCHOR: name` and `ANCHOR_END: name`; those that
//! differ from another listing marked.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use workbook::record::columns::escape;

use crate::options::Options;
use crate::{Workbook, changes};

/// How a page writes [`listing`].
pub const CODE: &str = "{{#code FILE ANCHOR [against=ANCHOR2 or FILE2:ANCHOR2]}}";

/// What stands between two anchors.
struct Listing {
    code: String,
    /// The first line in the file, from 1, and the number of those that follow each other there.
    lines: Vec<(usize, usize)>,
    /// Blanks by which it was moved left.
    indent: usize,
}

/// The listing as a code block, with the file's name below it. `file` is named from the root of the
/// repository. With `against=`, the lines that the other listing lacks are marked.
pub fn listing(workbook: &Workbook, file: &str, anchor: &str, words: &[&str]) -> Result<String> {
    let here = read(workbook, file, anchor)?;
    let code = &here.code;
    let listing = fenced(language(file), code);
    let lines = lines(file, &here);
    let Some(other) = Options::parse(words, &["against"])?.get("against") else {
        return Ok(format!("{listing}\n\n<p class=\"listing\"{lines}><code>{file}</code></p>\n"));
    };
    let (other_file, other_anchor) = other.split_once(':').unwrap_or((file, other));
    let before = read(workbook, other_file, other_anchor).context("against=")?.code;
    let changed = changes::changed(&before, code);
    ensure!(before != *code, "the listing is the same as that of {other}; there is nothing to mark");
    Ok(format!(
        "<div class=\"listing-marked\" style=\"{}\">\n\n{listing}\n\n</div>\n\n<p \
         class=\"listing\"{lines}><span class=\"listing-changes\">{} against \
         <code>{other_anchor}</code></span> <code>{file}</code></p>\n",
        changes::style(&changed),
        changes::in_words(&changed)
    ))
}

fn read(workbook: &Workbook, file: &str, anchor: &str) -> Result<Listing> {
    let cannot = || format!("cannot read {file} (files are named from {})", workbook.root.display());
    let path = workbook.root.join(file).canonicalize().with_context(cannot)?;
    let root = workbook.root.canonicalize().with_context(cannot)?;
    ensure!(path.starts_with(root) && path.is_file(), "{file} is no file of the repository");
    let text = std::fs::read_to_string(path).with_context(cannot)?;
    Ok(trimmed(&anchored(&text, anchor).with_context(|| format!("in {file}"))?))
}

/// Where a kernel's lines stand in its file, for diagnostics that name them: the attributes of the listing's
/// caption, `data-lines="12+8,25+3"`: lines 12 to 19, then 25 to 27.
fn lines(file: &str, listing: &Listing) -> String {
    if language(file) != "cpp" {
        return String::new();
    }
    let lines: Vec<String> = listing.lines.iter().map(|(first, count)| format!("{first}+{count}")).collect();
    let indent = match listing.indent {
        0 => String::new(),
        indent => format!(" data-indent=\"{indent}\""),
    };
    format!(" data-lines=\"{}\"{indent}", lines.join(","))
}

fn language(file: &str) -> &'static str {
    match Path::new(file).extension().and_then(|extension| extension.to_str()) {
        Some("cu" | "cuh") => "cpp",
        Some("rs") => "rust",
        Some("toml") => "toml",
        _ => "text",
    }
}

/// `text` as a block of code whose lines mean nothing to Markdown and to mdBook.
pub fn verbatim(text: &str) -> String {
    format!("<pre><code class=\"language-text\">{}\n</code></pre>", escape(text.trim_end()))
}

/// `code` as a code block of Markdown.
pub fn fenced(language: &str, code: &str) -> String {
    let fence = "`".repeat(longest_run(code).max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// The lines between the anchor's two comments with their numbers, without any anchor comments.
fn anchored<'a>(text: &'a str, anchor: &str) -> Result<Vec<(usize, &'a str)>> {
    let mut lines = (1..).zip(text.lines());
    if !lines.any(|(_, line)| mark(line, "ANCHOR:") == Some(anchor)) {
        let there_are: Vec<_> = text.lines().filter_map(|line| mark(line, "ANCHOR:")).collect();
        bail!(
            "no anchor `{anchor}`; there are: {}",
            if there_are.is_empty() { "none".into() } else { there_are.join(", ") }
        );
    }
    let mut inside = Vec::new();
    for (number, line) in lines {
        if mark(line, "ANCHOR_END:") == Some(anchor) {
            if inside.iter().all(|(_, line): &(usize, &str)| line.trim().is_empty()) {
                bail!("the anchor `{anchor}` is empty");
            }
            return Ok(inside);
        }
        if mark(line, "ANCHOR:").is_none() && mark(line, "ANCHOR_END:").is_none() {
            inside.push((number, line));
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
fn trimmed(lines: &[(usize, &str)]) -> Listing {
    let is_blank = |(_, line): &(usize, &str)| line.trim().is_empty();
    let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(0);
    let last = lines.iter().rposition(|line| !is_blank(line)).unwrap_or(0);
    let lines = lines.get(first..=last).unwrap_or_default();
    let blanks = |line: &(usize, &str)| line.1.len() - line.1.trim_start_matches(' ').len();
    let indent = lines.iter().filter(|line| !is_blank(line)).map(blanks).min().unwrap_or(0);
    let moved: Vec<_> = lines.iter().map(|(_, line)| line.get(indent..).unwrap_or("").trim_end()).collect();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (number, _) in lines {
        match runs.last_mut() {
            Some((start, count)) if *start + *count == *number => *count += 1,
            _ => runs.push((*number, 1)),
        }
    }
    Listing { code: moved.join("\n"), lines: runs, indent }
}

fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
