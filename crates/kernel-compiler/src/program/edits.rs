//! Edits of a text that keep its lines.

use std::ops::Range;

/// What takes the place of some bytes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes, without an end of a line.
    pub text: String,
}

impl Edit {
    /// `text` at `place`.
    pub fn insert(place: usize, text: impl Into<String>) -> Edit {
        Edit { range: place..place, text: text.into() }
    }

    /// `text` instead of `range`.
    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit { range, text: text.into() }
    }
}

/// `text` after `edits`. Of two that overlap, the first in the text counts.
pub fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for Edit { range, text: new } in edits {
        if range.start >= done {
            result += &text[done..range.start];
            result += &new;
            done = range.end;
        }
    }
    result + &text[done..]
}

/// As many lines as `text` has, and nothing on them but the backslashes that continue a macro.
pub fn blank(text: &str) -> String {
    let of = |line: &str| match line.strip_suffix('\\') {
        Some(_) => " \\",
        None => " ",
    };
    text.split('\n').map(of).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_keep_what_is_between_them() {
        let edits = vec![Edit::insert(6, "c "), Edit::replace(0..1, "x"), Edit::replace(0..3, "y")];
        assert_eq!(edited("a b d", vec![]), "a b d");
        assert_eq!(edited("a b\n  d", edits), "x b\n  c d");
        assert_eq!(blank("a\n b \\\nc"), " \n \\\n ");
    }
}
