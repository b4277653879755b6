//! A diagnostic of the simulator as rustc would print it, with the source lines it is about.

//!
//! annotate-snippets lays it out (`quote.rs`); a page has its own few lines for that (`quote_in_page.rs`).

#[cfg_attr(target_family = "wasm", path = "quote_in_page.rs")]
mod quote;
#[cfg(test)]
mod quote_in_page;

use std::ops::Range;

use crate::build::kernels;
use crate::sim::Diagnostic;

/// `found` as text, quoting the kernels' sources; `color` for a terminal. Ends in a newline.
pub fn render(found: &Diagnostic, color: bool) -> String {
    let source =
        |file: &str| kernels::all().iter().find(|build| build.source_path == file).map(|build| build.source);
    render_with(found, source, color)
}

/// [`render`], with `source` for the text of a file where it is known.
pub fn render_with<'a>(
    found: &'a Diagnostic,
    source: impl Fn(&str) -> Option<&'a str>,
    color: bool,
) -> String {
    quote::quote(found, &parts(found, source), &notes(found), color)
}

/// What is said about one file.
struct Part<'a> {
    file: &'a str,
    /// Its text, if that is known and has all the lines.
    text: Option<&'a str>,
    marks: Vec<Mark>,
}

/// What is said about one line.
#[derive(Clone)]
struct Mark {
    line: u32,
    /// Whether this is the place of the diagnostic itself.
    primary: bool,
    /// What to underline: bytes of the text.
    span: Range<usize>,
    label: String,
}

fn parts<'a>(found: &'a Diagnostic, source: impl Fn(&str) -> Option<&'a str>) -> Vec<Part<'a>> {
    let sites = sites(found);
    let mut files: Vec<&str> = sites.iter().map(|site| site.0).collect();
    files.dedup();
    let part = |file| {
        let mut marks: Vec<Mark> =
            sites.iter().filter(|site| site.0 == file).map(|(_, mark)| mark.clone()).collect();
        let text = source(file).filter(|text| marks.iter_mut().all(|mark| mark.place(text).is_some()));
        Part { file, text, marks }
    };
    files.into_iter().map(part).collect()
}

/// The place of the diagnostic, then those related to it; what is said about one line stands in one label.
fn sites(found: &Diagnostic) -> Vec<(&str, Mark)> {
    let mark = |line, primary, label| Mark { line, primary, span: 0..0, label };
    let first = found.file.as_deref().zip(found.line);
    let first = first.map(|(file, line)| (file, mark(line, true, who(found))));
    let related = found.related.iter();
    let related = related.map(|site| (&*site.file, mark(site.line, false, site.message.clone())));
    let mut sites: Vec<(&str, Mark)> = Vec::new();
    for (file, mark) in first.into_iter().chain(related) {
        match sites.iter_mut().find(|(known, old)| (*known, old.line) == (file, mark.line)) {
            Some((_, known)) => known.label += &format!("; {}", mark.label),
            None => sites.push((file, mark)),
        }
    }
    sites
}

impl Mark {
    /// Finds the line in the text.
    fn place(&mut self, text: &str) -> Option<()> {
        let span = line_span(text, self.line)?;
        // Where the label beside the marks would leave the screen, they mark the first word.
        let line = &text[span.clone()];
        let fits = line.len() + self.label.len() < 90;
        let word = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|end| *end > 0);
        let end = if fits { span.end } else { word.map_or(span.end, |end| span.start + end) };
        self.span = span.start..end;
        Some(())
    }
}

/// What stands below: where it is, if no line is known, and what to do.
fn notes(found: &Diagnostic) -> Vec<(&'static str, String)> {
    let place = Some(("note", who(found))).filter(|_| found.file.is_none() && found.kernel.is_some());
    let help = Some(("help", found.help.clone())).filter(|(_, help)| !help.is_empty());
    place.into_iter().chain(help).collect()
}

/// `in reduceNeighbored, block (0, 0, 0), thread (6, 0, 0)`
fn who(found: &Diagnostic) -> String {
    let mut text = found.kernel.as_ref().map_or(String::from("here"), |kernel| format!("in {kernel}"));
    for (what, at) in [("block", found.block), ("thread", found.thread)] {
        if let Some([x, y, z]) = at {
            text += &format!(", {what} ({x}, {y}, {z})");
        }
    }
    text
}

/// The bytes of line `number` (from 1) of `text`, without the blanks around its code.
fn line_span(text: &str, number: u32) -> Option<Range<usize>> {
    let line = text.split_inclusive('\n').nth(number.checked_sub(1)? as usize)?;
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let blanks = line.len() - line.trim_start().len();
    Some(start + blanks..start + line.trim_end().len().max(blanks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{self, Kind};

    fn race() -> Diagnostic {
        Diagnostic {
            kind: Kind::DataRace,
            severity: sim::Severity::Error,
            kernel: Some("reduce".into()),
            file: Some("kernels/x.cu".into()),
            line: Some(2),
            block: Some([0, 0, 0]),
            thread: Some([6, 0, 0]),
            message: "element 6 is written while it is read".into(),
            help: "put a barrier between the steps".into(),
            related: vec![sim::Site { file: "kernels/x.cu".into(), line: 4, message: "read here".into() }],
        }
    }

    #[test]
    fn the_source_lines_are_quoted() {
        let text = "void reduce()\n    a[t] += a[t + s];\n\n    b = a[6];\n";
        let report = render_with(&race(), |_| Some(text), false);
        for part in [
            "error[data-race]: element 6 is written while it is read",
            "--> kernels/x.cu:2:5",
            "a[t] += a[t + s];",
            "in reduce, block (0, 0, 0), thread (6, 0, 0)",
            "b = a[6];",
            "read here",
            "help: put a barrier between the steps",
        ] {
            assert!(report.contains(part), "no {part:?} in\n{report}");
        }
    }

    #[test]
    fn a_line_that_is_meant_twice_is_shown_once() {
        let mut race = race();
        race.related[0].line = 2;
        let report = render_with(&race, |_| Some("void reduce()\n    a[t] += a[t + s];\n"), false);
        assert!(report.contains("^ in reduce, block (0, 0, 0), thread (6, 0, 0); read here\n"), "{report}");
        assert_eq!(report.matches("a[t] += a[t + s];").count(), 1, "{report}");
    }

    #[test]
    fn a_page_lays_it_out_as_annotate_snippets_does() {
        let text = "one\n\ttwo(a + b) * c;\n\n    four;\nfive = 5;\n\n\n  eight = nine;\n".to_string()
            + &"x;\n".repeat(99);
        let site =
            |file: &str, line| sim::Site { file: file.into(), line, message: format!("said of line {line}") };
        let both = |found: &Diagnostic, known: &str| {
            let source = |file: &str| (known.contains(file)).then_some(text.as_str());
            let (parts, notes) = (parts(found, source), notes(found));
            let [library, own] =
                [quote::quote, quote_in_page::quote].map(|quote| quote(found, &parts, &notes, false));
            assert_eq!(library, own);
        };
        for lines in [&[][..], &[1], &[4], &[2, 5], &[8, 5], &[1, 8, 4], &[2, 99], &[9, 10, 12, 15, 105]] {
            for first in [1, 2, 4, 8, 12, 100] {
                for file in ["a.cu", "b.cu"] {
                    for known in ["", "a.cu", "b.cu", "a.cu b.cu"] {
                        let related: Vec<_> = lines.iter().map(|line| site(file, *line)).collect();
                        for severity in [sim::Severity::Error, sim::Severity::Warning, sim::Severity::Note] {
                            let help = if first == 2 { String::new() } else { race().help };
                            let related = related.clone();
                            both(
                                &Diagnostic {
                                    file: Some("a.cu".into()),
                                    line: Some(first),
                                    related,
                                    severity,
                                    help,
                                    ..race()
                                },
                                known,
                            );
                        }
                        both(&Diagnostic { file: None, line: None, related, ..race() }, known);
                    }
                }
            }
        }
        both(
            &Diagnostic {
                file: None,
                line: None,
                kernel: None,
                related: Vec::new(),
                help: String::new(),
                ..race()
            },
            "",
        );
    }

    #[test]
    fn a_place_without_source_is_named_all_the_same() {
        for report in [
            render_with(&race(), |_| None, false),
            render_with(&Diagnostic { line: Some(99), ..race() }, |_| Some("one line"), false),
        ] {
            assert!(report.contains("kernels/x.cu:") && report.contains("thread (6, 0, 0)"), "{report}");
        }
    }
}
