//! A diagnostic of the simulator as rustc would print it, with the source lines it is about; `quote.rs` lays
//! it out.

mod quote;

use std::ops::Range;

use quote::{Mark, Part};

use crate::build::kernels;
use crate::sim::Diagnostic;

/// `found` as text, quoting the kernels' sources; `color` for a terminal. Ends in a newline.
pub fn render(found: &Diagnostic, color: bool) -> String {
    let source = |file: &str| {
        kernels::all().iter().find(|build| build.source_path == file).map(|build| &*build.source)
    };
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

fn parts<'a>(found: &'a Diagnostic, source: impl Fn(&str) -> Option<&'a str>) -> Vec<Part<'a>> {
    let mut parts: Vec<Part> = Vec::new();
    for (file, mark) in sites(found) {
        match parts.iter_mut().find(|part| part.file == file) {
            Some(part) => part.marks.push(mark),
            None => parts.push(Part { text: source(&file), file, marks: vec![mark] }),
        }
    }
    for part in &mut parts {
        part.text = part.text.filter(|text| part.marks.iter_mut().all(|mark| mark.place(text).is_some()));
    }
    parts
}

/// The place of the diagnostic, then those related to it; what is said about one line stands in one label.
fn sites(found: &Diagnostic) -> Vec<(String, Mark)> {
    let mark = |line, primary, label| Mark { line, primary, span: 0..0, label };
    let first = found.file.clone().zip(found.line);
    let first = first.map(|(file, line)| (file, mark(line, true, who(found))));
    let related = found.related().into_iter().map(|site| (site.file, mark(site.line, false, site.message)));
    let mut sites: Vec<(String, Mark)> = Vec::new();
    for (file, mark) in first.into_iter().chain(related) {
        match sites.iter_mut().find(|(known, old)| (known, old.line) == (&file, mark.line)) {
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
        let before = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
        let widest = quote::widest(&text[before..]) + before;
        self.span = span.start..end.min(widest);
        (span.start < widest || span.is_empty()).then_some(())
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

    fn site(file: &str, line: u32, message: &str) -> sim::Site {
        sim::Site { file: file.into(), line, message: message.into() }
    }

    fn what(related: Vec<sim::Site>) -> sim::What {
        sim::Words { message: "element 6 is written while it is read".into(), related }.into()
    }

    fn race() -> Diagnostic {
        Diagnostic {
            kind: Kind::DataRace,
            severity: sim::Severity::Error,
            shape: None,
            kernel: Some("reduce".into()),
            file: Some("kernels/x.cu".into()),
            line: Some(2),
            block: Some([0, 0, 0]),
            thread: Some([6, 0, 0]),
            what: what(vec![site("kernels/x.cu", 4, "read here")]),
            help: "put a barrier between the steps".into(),
        }
    }

    #[test]
    fn a_line_of_millions_of_characters_is_cut() {
        for word in ["x", "x ", "\u{e9}", "\t"] {
            let long = word.repeat(1_000_000);
            for line in [format!("a = {long};"), format!("{long}a;")] {
                let report =
                    render_with(&race(), |_| Some(Box::leak(format!("\n{line}\n\nb\n").into())), false);
                assert!(report.len() < 4000 && report.contains("kernels/x.cu:2"), "{}", report.len());
            }
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
        let race = Diagnostic { what: what(vec![site("kernels/x.cu", 2, "read here")]), ..race() };
        let report = render_with(&race, |_| Some("void reduce()\n    a[t] += a[t + s];\n"), false);
        assert!(report.contains("^ in reduce, block (0, 0, 0), thread (6, 0, 0); read here\n"), "{report}");
        assert_eq!(report.matches("a[t] += a[t + s];").count(), 1, "{report}");
    }

    #[test]
    fn the_layout_is_that_of_rustc() {
        let related = [("b.cu", 1), ("a.cu", 4), ("c.cu", 7), ("a.cu", 12)];
        let related = related.map(|(file, line)| site(file, line, &format!("line {line}"))).to_vec();
        let found = Diagnostic { file: Some("a.cu".into()), what: what(related), ..race() };
        let a = "one\n\ttwo(2);\n\n    four;\n".to_string() + &"x;\n".repeat(9);
        let source = |file: &str| match file {
            "a.cu" => Some(&*a),
            "b.cu" => Some("// b"),
            _ => None,
        };
        let plain = render_with(&found, source, false);
        assert_eq!(
            plain,
            "\
error[data-race]: element 6 is written while it is read
  --> a.cu:2:2
   |
 2 |     two(2);
   |     ^^^^^^^ in reduce, block (0, 0, 0), thread (6, 0, 0)
 3 |
 4 |     four;
   |     ----- line 4
...
12 | x;
   | -- line 12
   |
  ::: b.cu:1:1
   |
 1 | // b
   | ---- line 1
  ::: c.cu:7
   = note: line 7
   = help: put a barrier between the steps
"
        );
        let colored = render_with(&found, source, true);
        assert!(colored.contains("\x1b[1;91merror[data-race]\x1b[0m"), "{colored}");
        let mut shown = String::new();
        for (i, piece) in colored.split('\x1b').enumerate() {
            shown += if i == 0 { piece } else { piece.split_once('m').unwrap().1 };
        }
        assert_eq!(shown, plain, "colours change nothing else");
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
