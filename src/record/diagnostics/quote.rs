//! A diagnostic laid out as rustc does it: where it is, the lines with their marks, notes below.

use std::fmt::{Display, Write};

use super::{Mark, Part};
use crate::sim::{Diagnostic, Severity};

/// How a terminal shows line numbers, bars and what is related (SGR parameters, ECMA-48 8.3.117).
const FRAME: &str = "1;94";
const BOLD: &str = "1";

/// Writes in colours, if the reader sees them.
struct Pen {
    color: bool,
    /// How the severity and the place of the diagnostic itself look.
    severity: &'static str,
    /// Digits of the largest line number.
    digits: usize,
}

impl Pen {
    fn paint(&self, style: &str, text: impl Display) -> String {
        if self.color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// The start of a line: its number, or blanks as wide.
    fn margin(&self, number: &str, bar: &str) -> String {
        self.paint(FRAME, format!("{number:>0$}{bar}", self.digits))
    }
}

/// The whole text, which ends in a newline.
pub fn quote(found: &Diagnostic, parts: &[Part], notes: &[(&str, String)], color: bool) -> String {
    let (severity, style) = match found.severity {
        Severity::Error => ("error", "1;91"),
        Severity::Warning => ("warning", "1;93"),
        Severity::Note => ("note", "1;92"),
    };
    let marks = parts.iter().filter(|part| part.text.is_some()).flat_map(|part| &part.marks);
    let digits = marks.map(|mark| mark.line.to_string().len()).max().unwrap_or(0);
    let pen = Pen { color, severity: style, digits };
    let title = pen.paint(style, format!("{severity}[{}]", found.kind));
    let mut text = format!("{title}{}\n", pen.paint(BOLD, format!(": {}", found.message)));
    let bar = pen.margin("", " |") + "\n";
    let mut arrow = "-->";
    // A bar parts what is quoted from a note behind it, and from what stands before it.
    let mut between = bar.as_str();
    for part in parts {
        if let Some(source) = part.text {
            if arrow == ":::" {
                text += &bar;
            }
            quoted(&mut text, part, source, &pen, arrow);
            (arrow, between) = (":::", &bar);
            continue;
        }
        for mark in &part.marks {
            let _ = writeln!(text, "{} {}:{}", pen.margin("", arrow), part.file, mark.line);
            text += &note(&pen, "note", &mark.label);
            (arrow, between) = (":::", "");
        }
    }
    for (level, words) in notes {
        text += between;
        text += &note(&pen, level, words);
        between = "";
    }
    text
}

fn note(pen: &Pen, level: &str, words: &str) -> String {
    format!("{} {}: {words}\n", pen.margin("", " ="), pen.paint(BOLD, level))
}

/// The lines of one file, with what lies between two if that is a single one.
fn quoted(text: &mut String, part: &Part, source: &str, pen: &Pen, arrow: &str) {
    let mut marks: Vec<&Mark> = part.marks.iter().collect();
    marks.sort_by_key(|mark| mark.line);
    let lines: Vec<&str> = source.lines().collect();
    let line = |number: u32| {
        let shown = format!(" {}", lines[number as usize - 1].replace('\t', "    "));
        format!("{}{}\n", pen.margin(&number.to_string(), " |"), shown.trim_end())
    };
    let column = |mark: &Mark| {
        let start = source[..mark.span.start].rfind('\n').map_or(0, |end| end + 1);
        &source[start..mark.span.start]
    };
    let first = part.marks.iter().find(|mark| mark.primary).unwrap_or(marks[0]);
    let place = format!("{}:{}:{}", part.file, first.line, column(first).chars().count() + 1);
    let _ = writeln!(text, "{} {place}", pen.margin("", arrow));
    *text += &(pen.margin("", " |") + "\n");
    let mut last = u32::MAX;
    for mark in marks {
        match mark.line.saturating_sub(last) {
            0 | 1 => {}
            2 => *text += &line(last + 1),
            _ => *text += &(pen.paint(FRAME, "...") + "\n"),
        }
        last = mark.line;
        let (under, style) = if mark.primary { ("^", pen.severity) } else { ("-", FRAME) };
        let indent = " ".repeat(column(mark).replace('\t', "    ").chars().count());
        let marked = under.repeat(source[mark.span.clone()].chars().count().max(1));
        let said = pen.paint(style, format!("{marked} {}", mark.label));
        let _ = writeln!(text, "{}{} {indent}{said}", line(mark.line), pen.margin("", " |"));
    }
}
