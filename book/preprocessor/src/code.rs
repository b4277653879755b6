//! A listing: the lines of a file between two comments, `ANCHOR: name` and `ANCHOR_END: name`; those that
//! differ from another listing marked.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use crate::directive::{Words, list};
use crate::html::fenced;
use crate::page::{Page, Workbook};

/// What stands between two anchors.
pub struct Listing {
    pub code: String,
    /// The numbers of its lines in the file, from 1.
    lines: Vec<u32>,
    /// Blanks by which it was moved left.
    indent: usize,
}

/// The listing as a code block, with the file's name below it. The file is named from the root of the
/// repository. With `against=`, the lines that the other listing lacks are marked.
pub fn listing(page: &mut Page, words: &Words) -> Result<String> {
    let file = words.of[0];
    let anchor = words.of[1];
    let here = read(page.book, file, anchor)?;
    let (language, lines) = match Path::new(file).extension().and_then(|extension| extension.to_str()) {
        Some("cu" | "cuh") => ("cpp", format!(" data-anchor=\"{anchor}\"{}", lines(&here))),
        Some("rs") => ("rust", String::new()),
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
    anchored(&book.read(file)?, anchor).with_context(|| format!("in {file}"))
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

/// The lines between the anchor's two comments, without any anchor comments and without blank lines at both
/// ends, moved left together as far as possible.
pub fn anchored(text: &str, anchor: &str) -> Result<Listing> {
    let all: Vec<&str> = text.lines().collect();
    let start = all.iter().position(|line| mark(line, "ANCHOR:") == Some(anchor)).with_context(|| {
        let there_are = list(all.iter().filter_map(|line| mark(line, "ANCHOR:")));
        format!("no anchor `{anchor}`; there are: {there_are}")
    })?;
    let length = all[start..].iter().position(|line| mark(line, "ANCHOR_END:") == Some(anchor));
    let end = start
        + length.with_context(|| {
            format!("the anchor `{anchor}` has no end; write `ANCHOR_END: {anchor}` after its last line")
        })?;
    let lines = workbook::view::lines(text, start as u32 + 2, end as u32);
    let is_code = |(_, line): &(u32, String)| !line.trim().is_empty();
    let first = lines.iter().position(is_code);
    let last = lines.iter().rposition(is_code);
    let empty = || format!("the anchor `{anchor}` is empty");
    let lines = &lines[first.with_context(empty)?..=last.with_context(empty)?];
    let code: Vec<&str> = lines.iter().map(|(_, line)| line.trim_end()).collect();
    Ok(Listing {
        code: code.join("\n"),
        lines: lines.iter().map(|(number, _)| *number).collect(),
        indent: all[lines[0].0 as usize - 1].len() - lines[0].1.len(),
    })
}

/// The name after `word` (`ANCHOR:`, `ANCHOR_END:`), as mdBook reads it: letters, digits, `_` and `-`.
fn mark<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let name = line.split_once(word)?.1.trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(name.len());
    (end > 0).then(|| &name[..end])
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
