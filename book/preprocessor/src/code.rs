//! A listing: the lines of a file between two comments, `ANCHOR: name` and `ANCHOR_END: name`; those that
//! differ from another listing marked.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use crate::directive::{Words, list};
use crate::html::fenced;
use crate::page::{Page, Workbook};

/// What stands between two anchors.
struct Listing {
    code: String,
    /// The numbers of its lines in the file, from 1.
    lines: Vec<usize>,
    /// Blanks by which it was moved left.
    indent: usize,
}

/// The listing as a code block, with the file's name below it. The file is named from the root of the
/// repository. With `against=`, the lines that the other listing lacks are marked.
pub fn listing(page: &mut Page, words: &Words) -> Result<String> {
    let (file, anchor) = (words.of[0], words.of[1]);
    let here = read(page.book, file, anchor)?;
    let (language, lines) = match Path::new(file).extension().and_then(|extension| extension.to_str()) {
        Some("cu" | "cuh") => ("cpp", format!(" data-anchor=\"{anchor}\"{}", lines(&here))),
        Some("rs") => ("rust", String::new()),
        Some("toml") => ("toml", String::new()),
        _ => ("text", String::new()),
    };
    let listing = fenced(language, &here.code);
    let Some(other) = words.get("against") else {
        return Ok(format!("{listing}\n\n<p class=\"listing\"{lines}><code>{file}</code></p>\n"));
    };
    let (other_file, other_anchor) = other.split_once(':').unwrap_or((file, other));
    let before = read(page.book, other_file, other_anchor).context("against=")?.code;
    ensure!(before != here.code, "the listing is the same as that of {other}; there is nothing to mark");
    let changed = changed(&before, &here.code);
    Ok(format!(
        "<div class=\"listing-marked\" style=\"{}\">\n\n{listing}\n\n</div>\n\n<p \
         class=\"listing\"{lines}><span class=\"listing-changes\">{} against \
         <code>{other_anchor}</code></span> <code>{file}</code></p>\n",
        style(&changed),
        in_words(&changed)
    ))
}

fn read(book: &Workbook, file: &str, anchor: &str) -> Result<Listing> {
    let cannot = || format!("cannot read {file} (files are named from {})", book.root.display());
    let path = book.root.join(file).canonicalize().with_context(cannot)?;
    let root = book.root.canonicalize().with_context(cannot)?;
    ensure!(path.starts_with(root) && path.is_file(), "{file} is no file of the repository");
    let text = std::fs::read_to_string(path).with_context(cannot)?;
    Ok(trimmed(&anchored(&text, anchor).with_context(|| format!("in {file}"))?))
}

/// Where a kernel's lines stand in its file, for diagnostics that name them: the attributes of the listing's
/// caption, `data-lines="12+8,25+3"`: lines 12 to 19, then 25 to 27.
fn lines(listing: &Listing) -> String {
    let runs = listing.lines.chunk_by(|line, next| line + 1 == *next);
    let runs: Vec<String> = runs.map(|run| format!("{}+{}", run[0], run.len())).collect();
    let indent = match listing.indent {
        0 => String::new(),
        indent => format!(" data-indent=\"{indent}\""),
    };
    format!(" data-lines=\"{}\"{indent}", runs.join(","))
}

/// The lines between the anchor's two comments with their numbers, without any anchor comments.
fn anchored<'a>(text: &'a str, anchor: &str) -> Result<Vec<(usize, &'a str)>> {
    let mut lines = (1..).zip(text.lines());
    if !lines.any(|(_, line)| mark(line, "ANCHOR:") == Some(anchor)) {
        let there_are = list(text.lines().filter_map(|line| mark(line, "ANCHOR:")));
        bail!("no anchor `{anchor}`; there are: {there_are}");
    }
    let mut inside: Vec<(usize, &str)> = Vec::new();
    for (number, line) in lines {
        if mark(line, "ANCHOR_END:") == Some(anchor) {
            ensure!(inside.iter().any(|line| !is_blank(line)), "the anchor `{anchor}` is empty");
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

fn is_blank((_, line): &(usize, &str)) -> bool {
    line.trim().is_empty()
}

/// The lines, moved left together as far as possible; blank lines at both ends left out.
fn trimmed(lines: &[(usize, &str)]) -> Listing {
    let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(0);
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(0, |last| last + 1);
    let lines = &lines[first..end];
    let blanks = |line: &(usize, &str)| line.1.len() - line.1.trim_start_matches(' ').len();
    let indent = lines.iter().filter(|line| !is_blank(line)).map(blanks).min().unwrap_or(0);
    let moved: Vec<_> = lines.iter().map(|(_, line)| line.get(indent..).unwrap_or("").trim_end()).collect();
    Listing { code: moved.join("\n"), lines: lines.iter().map(|(number, _)| *number).collect(), indent }
}

/// The lines of `after`, counted from 0, that `before` lacks, as ranges. Indentation does not count.
fn changed(before: &str, after: &str) -> Vec<Range<usize>> {
    let [before, after] = [before, after].map(|text| text.lines().map(str::trim).collect::<Vec<_>>());
    let changes = capture_diff_slices(Algorithm::Lcs, &before, &after);
    let lacking = changes.iter().filter(|change| change.tag() != DiffTag::Equal).map(DiffOp::new_range);
    lacking.filter(|range| !range.is_empty()).collect()
}

/// Bands of one line's height for the style sheet: `--marks` in the colour of a bar beside the lines,
/// `--tint` in that behind them. A gradient survives the script that colours the code.
fn style(changed: &[Range<usize>]) -> String {
    let bands = |ink: &str| {
        let band = |Range { start, end }: &Range<usize>| {
            format!(", transparent {start}lh, var({ink}) {start}lh {end}lh, transparent {end}lh")
        };
        format!("linear-gradient(transparent 0{})", changed.iter().map(band).collect::<String>())
    };
    format!("--marks: {}; --tint: {}", bands("--mark-bar"), bands("--mark-tint"))
}

/// `changed: lines 3–5, 8`
fn in_words(changed: &[Range<usize>]) -> String {
    let lines = |range: &Range<usize>| match range.len() {
        1 => range.end.to_string(),
        _ => format!("{}–{}", range.start + 1, range.end),
    };
    match changed {
        [] => "changed: some lines are gone".to_string(),
        [one] if one.len() == 1 => format!("changed: line {}", one.end),
        _ => format!("changed: lines {}", changed.iter().map(lines).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_the_other_listing_lacks_are_changed() {
        let before = "if (a) {\n    b;\n    c;\n}";
        assert_eq!(changed(before, "if (x) {\nb;\nd;\ne;\n}"), [0..1, 2..4]);
        assert!(changed(before, before).is_empty());
        assert!(changed(before, "b;").is_empty());
        assert_eq!(in_words(&[0..1, 2..4]), "changed: lines 1, 3–4");
        assert_eq!(in_words(&changed("", "x")), "changed: line 1");
    }

    #[test]
    fn bands_are_as_high_as_lines() {
        let style = style(&[0..1, 2..4]);
        assert!(style.contains("transparent 2lh, var(--mark-bar) 2lh 4lh, transparent 4lh"), "{style}");
    }
}
