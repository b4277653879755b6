//! In place of `quote.rs` in a browser, for which annotate-snippets is a tenth of all that a page fetches. It
//! writes the same plain text: a test compares the two.

use std::fmt::Write;

use super::{Mark, Part};
use crate::sim::{Diagnostic, Severity};

/// The whole text, which ends in a newline.
pub fn quote(found: &Diagnostic, parts: &[Part], notes: &[(&str, String)], _: bool) -> String {
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let marks = parts.iter().filter(|part| part.text.is_some()).flat_map(|part| &part.marks);
    let digits = marks.map(|mark| mark.line.to_string().len()).max().unwrap_or(0);
    let mut text = format!("{severity}[{}]: {}\n", found.kind, found.message);
    let blank = " ".repeat(digits);
    let mut arrow = "-->";
    // A bar parts what is quoted from a note behind it, and from what stands before it.
    let mut bar = format!("{blank} |\n");
    for part in parts {
        if let Some(source) = part.text {
            if arrow == ":::" {
                let _ = writeln!(text, "{blank} |");
            }
            quoted(&mut text, part, source, digits, arrow);
            (arrow, bar) = (":::", format!("{blank} |\n"));
            continue;
        }
        for Mark { line, label, .. } in &part.marks {
            let _ = writeln!(text, "{blank}{arrow} {}:{line}\n{blank} = note: {label}", part.file);
            (arrow, bar) = (":::", String::new());
        }
    }
    for (level, words) in notes {
        let _ = writeln!(text, "{bar}{blank} = {level}: {words}");
        bar.clear();
    }
    text
}

/// The lines of one file, with what lies between two if that is a single one.
fn quoted(text: &mut String, part: &Part, source: &str, digits: usize, arrow: &str) {
    let mut marks: Vec<&Mark> = Vec::new();
    for mark in &part.marks {
        marks.insert(marks.iter().filter(|other| other.line < mark.line).count(), mark);
    }
    let lines: Vec<&str> = source.lines().collect();
    let line = |number: u32| lines[number as usize - 1].replace('\t', "    ");
    let column = |mark: &Mark| {
        let start = source[..mark.span.start].rfind('\n').map_or(0, |end| end + 1);
        source[start..mark.span.start].to_string()
    };
    let blank = " ".repeat(digits);
    let first = part.marks.iter().find(|mark| mark.primary).unwrap_or(marks[0]);
    let _ =
        writeln!(text, "{blank}{arrow} {}:{}:{}", part.file, first.line, column(first).chars().count() + 1);
    let _ = writeln!(text, "{blank} |");
    let mut last = u32::MAX;
    for mark in marks {
        match mark.line.saturating_sub(last) {
            0 | 1 => {}
            2 => {
                let between = format!("{:>digits$} | {}", last + 1, line(last + 1));
                let _ = writeln!(text, "{}", between.trim_end());
            }
            _ => *text += "...\n",
        }
        last = mark.line;
        let under = if mark.primary { "^" } else { "-" };
        let indent = " ".repeat(column(mark).replace('\t', "    ").chars().count());
        let marked = under.repeat(source[mark.span.clone()].chars().count().max(1));
        let _ = writeln!(
            text,
            "{:>digits$} | {}\n{blank} | {indent}{marked} {}",
            mark.line,
            line(mark.line),
            mark.label
        );
    }
}
