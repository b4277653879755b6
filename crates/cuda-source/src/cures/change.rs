//! Edits of a source: in one form for a try, where every line keeps its number, and in another as somebody
//! would write them.

use std::ops::Range;

use serde::Serialize;

use super::statements::Source;

/// A text that takes the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which bytes give way.
    pub range: Range<usize>,
    /// What comes there. It holds no end of a line.
    pub text: String,
    /// A statement that gets a line of its own, indented as the line with this byte.
    pub like: Option<usize>,
}

impl Edit {
    /// Another text.
    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit { range, text: text.into(), like: None }
    }

    /// A statement after what ends at `at`.
    pub fn insert(at: usize, text: impl Into<String>, like: usize) -> Edit {
        Edit { range: at..at, text: text.into(), like: Some(like) }
    }
}

/// Edits in words: "put `atomicAdd(x, 1);` in line 3, in place of the update".
pub fn in_place_of_updates(source: &Source, edits: &[Edit]) -> String {
    let in_its_line =
        |edit: &Edit| format!("`{}` in line {}", edit.text, source.lines.line(edit.range.start));
    let put: Vec<String> = edits.iter().map(in_its_line).collect();
    let updates = match edits {
        [only] if source.text[only.range.clone()].starts_with("if") => "`if`",
        [_] => "update",
        _ => "updates",
    };
    format!("put {}, in place of the {updates}", put.join(" and "))
}

/// Lines that give way to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The first one, from 1; the new lines come before it if none gives way.
    pub line: u32,
    /// How many give way.
    pub removed: u32,
    /// The new ones, without the end of the last one; `None` if there are none.
    pub text: Option<String>,
}

/// From the last to the first, so that no place moves; of two at one place the later one comes later.
fn sorted(edits: &[Edit]) -> Vec<&Edit> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.range.start);
    sorted.reverse();
    sorted
}

/// `source`, edited within its lines.
pub fn in_place(source: &str, edits: &[Edit]) -> String {
    let mut edited = source.to_string();
    for edit in sorted(edits) {
        let text = if edit.like.is_some() { format!(" {}", edit.text) } else { edit.text.clone() };
        // Lines that give way leave their ends.
        let ends = source[edit.range.clone()].matches('\n').count();
        edited.replace_range(edit.range.clone(), &(text + &"\n".repeat(ends)));
    }
    edited
}

/// The edits as lines that change, from the top.
pub fn changes(source: &str, edits: &[Edit]) -> Vec<Change> {
    let mut written = Vec::new();
    for edit in sorted(edits) {
        let own = own_line(source, edit);
        written.push(own.unwrap_or_else(|| edit.clone()));
    }
    written.reverse();
    let mut changes: Vec<Change> = Vec::new();
    let mut rest = &written[..];
    while let Some(first) = rest.first() {
        // Edits of the same lines are one change.
        let mut lines = lines_of(source, &first.range);
        let mut count = 1;
        while let Some(next) = rest.get(count).map(|edit| lines_of(source, &edit.range)) {
            if next.start >= lines.end || lines.is_empty() || next.is_empty() {
                break;
            }
            lines.end = lines.end.max(next.end);
            count += 1;
        }
        changes.push(change(source, lines, &rest[..count]));
        rest = &rest[count..];
    }
    changes
}

/// A statement that gets a line, if nothing but a comment stands after its place.
fn own_line(source: &str, edit: &Edit) -> Option<Edit> {
    let like = edit.like?;
    let rest = source[edit.range.start..].lines().next().unwrap_or_default();
    let end = edit.range.start + rest.len();
    if !(rest.trim().is_empty() || rest.trim_start().starts_with("//")) {
        return None;
    }
    let at = (end + 1).min(source.len());
    let start = source[..like].rfind('\n').map_or(0, |end| end + 1);
    let indent: String = source[start..].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    Some(Edit { range: at..at, text: format!("{indent}{}\n", edit.text), like: edit.like })
}

/// The bytes of the whole lines that hold a range; none for what gets a line of its own.
fn lines_of(source: &str, range: &Range<usize>) -> Range<usize> {
    let start = source[..range.start].rfind('\n').map_or(0, |end| end + 1);
    if range.is_empty() && start == range.start {
        return start..start;
    }
    let end = source[range.end..].find('\n').map_or(source.len(), |end| range.end + end + 1);
    start..end
}

fn change(source: &str, lines: Range<usize>, edits: &[Edit]) -> Change {
    let mut text = source[lines.clone()].to_string();
    for edit in edits.iter().rev() {
        let range = edit.range.start - lines.start..edit.range.end - lines.start;
        let is_inside = edit.like.is_some() && !lines.is_empty();
        let words = if is_inside { format!(" {}", edit.text) } else { edit.text.clone() };
        text.replace_range(range, &words);
    }
    let text: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    Change {
        line: 1 + source[..lines.start].matches('\n').count() as u32,
        removed: source[lines].lines().count() as u32,
        text: (!text.is_empty()).then(|| text.join("\n")),
    }
}
