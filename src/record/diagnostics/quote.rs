//! A diagnostic laid out as rustc does it: where it is, the lines with their marks, notes below.

use std::ops::Range;

use crate::say::visible;
use crate::sim::{Diagnostic, Severity};

/// What is said about one file.
pub struct Part<'a> {
    pub file: String,
    /// Its text, if that is known and has all the lines.
    pub text: Option<&'a str>,
    pub marks: Vec<Mark>,
}

/// What is said about one line.
pub struct Mark {
    pub line: u32,
    /// Whether this is the place of the diagnostic itself.
    pub primary: bool,
    /// What to underline: bytes of the text.
    pub span: Range<usize>,
    pub label: String,
}

/// How a terminal shows line numbers, bars and what is related (SGR parameters, ECMA-48 8.3.117).
const FRAME: &str = "1;94";
const BOLD: &str = "1";

/// Characters of a line that are quoted: one of millions is none that anybody wrote, nor reads.
const WIDEST: usize = 300;

/// Bytes of this many.
pub fn widest(text: &str) -> usize {
    text.char_indices().nth(WIDEST).map_or(text.len(), |(at, _)| at)
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
    let mut pen = Pen { text: String::new(), color, severity: style, digits };
    pen.put(style, &format!("{severity}[{}]", found.kind));
    pen.put(BOLD, &format!(": {}", found.message()));
    pen.text += "\n";
    let mut arrow = "-->";
    // A bar parts what is quoted from a note behind it, and from what stands before it.
    let mut bar = true;
    for part in parts {
        if let Some(source) = part.text {
            if arrow == ":::" {
                pen.line("", " |", "");
            }
            pen.quoted(part, source, arrow);
            (arrow, bar) = (":::", true);
            continue;
        }
        for mark in &part.marks {
            pen.line("", arrow, &format!(" {}:{}", part.file, mark.line));
            pen.note("note", &mark.label);
            (arrow, bar) = (":::", false);
        }
    }
    for (level, words) in notes {
        if std::mem::take(&mut bar) {
            pen.line("", " |", "");
        }
        pen.note(level, words);
    }
    pen.text
}

/// Writes, in colours if the reader sees them.
struct Pen {
    text: String,
    color: bool,
    /// How the severity and the place of the diagnostic itself look.
    severity: &'static str,
    /// Digits of the largest line number.
    digits: usize,
}

impl Pen {
    fn put(&mut self, style: &str, words: &str) {
        let [before, after] =
            if self.color { [&["\x1b[", style, "m"][..], &["\x1b[0m"]] } else { [&[][..]; 2] };
        self.text.extend(before.iter().chain(&[&*visible(words)]).chain(after).copied());
    }

    /// A line number, or blanks as wide, and a bar or an arrow.
    fn margin(&mut self, number: &str, bar: &str) {
        self.put(FRAME, &format!("{number:>0$}{bar}", self.digits));
    }

    fn line(&mut self, number: &str, bar: &str, words: &str) {
        self.margin(number, bar);
        self.text += &visible(words);
        self.text += "\n";
    }

    fn note(&mut self, level: &str, words: &str) {
        self.margin("", " = ");
        self.put(BOLD, level);
        self.text.extend([": ", &visible(words), "\n"]);
    }

    /// The lines of one file, with what lies between two if that is a single one.
    fn quoted(&mut self, part: &Part, source: &str, arrow: &str) {
        let mut marks: Vec<&Mark> = part.marks.iter().collect();
        marks.sort_by_key(|mark| mark.line);
        let lines: Vec<&str> = source.lines().collect();
        let quote = |pen: &mut Pen, number: u32| {
            let line = lines[number as usize - 1];
            let shown = &line[..widest(line)];
            let more = if shown.len() < line.len() { "…" } else { "" };
            let shown = format!(" {}{more}", shown.replace('\t', "    "));
            pen.line(&number.to_string(), " |", shown.trim_end());
        };
        let column = |mark: &Mark| {
            let start = source[..mark.span.start].rfind('\n').map_or(0, |end| end + 1);
            &source[start..mark.span.start]
        };
        let first = part.marks.iter().find(|mark| mark.primary).unwrap_or(marks[0]);
        let place = format!(" {}:{}:{}", part.file, first.line, column(first).chars().count() + 1);
        self.line("", arrow, &place);
        self.line("", " |", "");
        let mut last = u32::MAX;
        for mark in marks {
            match mark.line.saturating_sub(last) {
                0 | 1 => {}
                2 => quote(self, last + 1),
                _ => {
                    self.put(FRAME, "...");
                    self.text += "\n";
                }
            }
            last = mark.line;
            quote(self, mark.line);
            let (under, style) = if mark.primary { ("^", self.severity) } else { ("-", FRAME) };
            let indent = column(mark).replace('\t', "    ").chars().count() + 1;
            let marked = under.repeat(source[mark.span.clone()].chars().count().max(1));
            self.margin("", " |");
            self.text += &" ".repeat(indent);
            self.put(style, &format!("{marked} {}", mark.label));
            self.text += "\n";
        }
    }
}
