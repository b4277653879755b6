//! How many findings there are, in words.

use ptx_simulator::{Diagnostic, Severity, Shape};

/// `2 errors, 1 warning`, with so many warnings of the script; nothing, if none is about the reader's code.
pub fn counted(found: &[Diagnostic], warnings: usize) -> String {
    if warnings == 0 && found.iter().all(is_in_a_header) {
        return String::new();
    }
    let all = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let counted = |(severity, word)| {
        let found = found.iter().filter(|found| found.severity == severity).count();
        let count = found + if severity == Severity::Warning { warnings } else { 0 };
        (count > 0).then(|| several(count, word))
    };
    all.into_iter().filter_map(counted).collect::<Vec<_>>().join(", ")
}

/// `2 notes on NVIDIA's headers`, if there are some.
pub fn on_headers(found: &[Diagnostic]) -> Option<String> {
    let count = found.iter().filter(|found| is_in_a_header(found)).count();
    (count > 0).then(|| format!("{} on NVIDIA's headers", several(count, "note")))
}

fn is_in_a_header(found: &Diagnostic) -> bool {
    found.shape == Some(Shape::InHeader)
}

fn several(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
