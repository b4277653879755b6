//! A diagnostic laid out by annotate-snippets.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Mark, Part};
use crate::sim::{Diagnostic, Severity};

/// The whole text, which ends in a newline.
pub fn quote(found: &Diagnostic, parts: &[Part], notes: &[(&str, String)], color: bool) -> String {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(&*found.message).id(found.kind.to_string()));
    for Part { file, text, marks } in parts {
        if let Some(text) = text {
            group =
                group.element(Snippet::source(*text).path(*file).annotations(marks.iter().map(annotation)));
        } else {
            for mark in marks {
                group = group.element(Origin::path(*file).line(mark.line as usize));
                group = group.element(Level::NOTE.message(&*mark.label));
            }
        }
    }
    for (level, words) in notes {
        let level = if *level == "help" { Level::HELP } else { Level::NOTE };
        group = group.element(level.message(words));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group]) + "\n"
}

fn annotation(mark: &Mark) -> annotate_snippets::Annotation<'_> {
    let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    kind.span(mark.span.clone()).label(&*mark.label)
}
