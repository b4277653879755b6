//! A diagnostic of the simulator as rustc would print it, with the source lines it is about.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::build::kernels;
use crate::sim::{Diagnostic, Severity};

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
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(&*found.message).id(found.kind.to_string()));
    let sites = sites(found);
    let mut files: Vec<&str> = sites.iter().map(|site| site.file).collect();
    files.dedup();
    for file in files {
        let here = || sites.iter().filter(|site| site.file == file);
        let quoted = source(file).and_then(|text| {
            let annotations = here().map(|site| site.annotation(text)).collect::<Option<Vec<_>>>()?;
            Some(Snippet::source(text).path(file).annotations(annotations))
        });
        match quoted {
            Some(snippet) => group = group.element(snippet),
            None => {
                for site in here() {
                    group = group.element(Origin::path(file).line(site.line as usize));
                    group = group.element(Level::NOTE.message(site.label.clone()));
                }
            }
        }
    }
    if found.file.is_none() && found.kernel.is_some() {
        group = group.element(Level::NOTE.message(who(found)));
    }
    if !found.help.is_empty() {
        group = group.element(Level::HELP.message(&*found.help));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group]) + "\n"
}

/// A source line and what is said about it.
struct Site<'a> {
    file: &'a str,
    line: u32,
    kind: AnnotationKind,
    label: String,
}

/// The place of the diagnostic, then those related to it; what is said about one line stands in one label.
fn sites(found: &Diagnostic) -> Vec<Site<'_>> {
    let first = found.file.as_deref().zip(found.line).map(|(file, line)| Site {
        file,
        line,
        kind: AnnotationKind::Primary,
        label: who(found),
    });
    let related = found.related.iter().map(|site| Site {
        file: &site.file,
        line: site.line,
        kind: AnnotationKind::Context,
        label: site.message.clone(),
    });
    let mut sites: Vec<Site> = Vec::new();
    for site in first.into_iter().chain(related) {
        match sites.iter_mut().find(|known| (known.file, known.line) == (site.file, site.line)) {
            Some(known) => known.label += &format!("; {}", site.label),
            None => sites.push(site),
        }
    }
    sites
}

impl<'a> Site<'a> {
    fn annotation(&self, text: &str) -> Option<Annotation<'a>> {
        let span = line_span(text, self.line)?;
        // Where the label beside the marks would leave the screen, they mark the first word.
        let line = &text[span.clone()];
        let fits = line.len() + self.label.len() < 90;
        let word = line.find(|c: char| !c.is_alphanumeric() && c != '_').filter(|end| *end > 0);
        let end = if fits { span.end } else { word.map_or(span.end, |end| span.start + end) };
        Some(self.kind.span(span.start..end).label(self.label.clone()))
    }
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
            severity: Severity::Error,
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
    fn a_place_without_source_is_named_all_the_same() {
        for report in [
            render_with(&race(), |_| None, false),
            render_with(&Diagnostic { line: Some(99), ..race() }, |_| Some("one line"), false),
        ] {
            assert!(report.contains("kernels/x.cu:") && report.contains("thread (6, 0, 0)"), "{report}");
        }
    }
}
