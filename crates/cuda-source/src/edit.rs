//! Edits of a source, in one form wherever they stand: what-ifs, wrong answers, broken kernels of tests.
//!
//! ```text
//! @@ reduceNeighbored
//! -         __syncthreads();
//! +         // no barrier
//! ```
//!
//! The text of the lines with `-`, which is what follows the sign and one blank, stands in the source exactly
//! once; that of the lines with `+` takes its place. A `-` behind a `+` begins the next replacement. Below
//! `@@ NAME` the text stands between the comments `// ANCHOR: NAME` and `// ANCHOR_END: NAME`.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};

/// Replacements, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit(Vec<Hunk>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hunk {
    anchor: Option<String>,
    old: Vec<String>,
    new: Vec<String>,
}

impl Edit {
    /// Reads an edit of several lines.
    ///
    /// # Errors
    /// A line that is none of an edit.
    pub fn parse(text: &str) -> Result<Edit> {
        let mut edit = Edit::default();
        text.lines().try_for_each(|line| edit.line(line))?;
        Ok(edit)
    }

    /// Adds a line.
    ///
    /// # Errors
    /// It is none of an edit.
    pub fn line(&mut self, line: &str) -> Result<()> {
        let (sign, text) = line.split_once(' ').unwrap_or((line, ""));
        let text = text.to_string();
        let last = self.0.last_mut();
        match (sign, last) {
            ("@@", _) => self.0.push(Hunk { anchor: Some(text), ..Hunk::default() }),
            ("-", Some(hunk)) if hunk.new.is_empty() => hunk.old.push(text),
            ("-", last) => {
                let anchor = last.and_then(|hunk| hunk.anchor.clone());
                self.0.push(Hunk { anchor, old: vec![text], new: Vec::new() });
            }
            ("+", Some(hunk)) if !hunk.old.is_empty() => hunk.new.push(text),
            ("+", _) => bail!("there is no `- …` above it"),
            _ => bail!("a line of an edit begins with `- `, `+ ` or `@@ `"),
        }
        Ok(())
    }

    /// Whether it replaces nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every line makes way for one other, so that all the others keep their numbers.
    pub fn keeps_lines(&self) -> bool {
        self.0.iter().all(|hunk| hunk.old.len() == hunk.new.len())
    }

    /// `source`, edited.
    ///
    /// # Errors
    /// A text does not stand there exactly once.
    pub fn apply(&self, source: &str) -> Result<String> {
        let mut edited = source.to_string();
        for Hunk { anchor, old, new } in &self.0 {
            let old = old.join("\n");
            let new = new.join("\n");
            let place = anchor.as_ref().map_or(Ok(0..edited.len()), |anchor| between(&edited, anchor))?;
            let text = &edited[place.clone()];
            let times = if old.is_empty() { 0 } else { text.matches(&old).count() };
            let of = anchor.as_ref().map_or(String::new(), |anchor| format!(" in {anchor}"));
            ensure!(times == 1, "`{old}` stands {times} times{of}, not once");
            let text = text.replacen(&old, &new, 1);
            edited.replace_range(place, &text);
        }
        Ok(edited)
    }
}

/// Where the lines between the comments of an anchor stand.
fn between(source: &str, anchor: &str) -> Result<Range<usize>> {
    let mut start = None;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        match (start, line.trim()) {
            (None, text) if text == format!("// ANCHOR: {anchor}") => start = Some(at + line.len()),
            (Some(start), text) if text == format!("// ANCHOR_END: {anchor}") => return Ok(start..at),
            _ => {}
        }
        at += line.len();
    }
    None.with_context(|| format!("the source has no anchor {anchor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "a\n// ANCHOR: k\nb\n  c\nb\n// ANCHOR_END: k\nc\n";

    fn applied(edit: &str) -> Result<String> {
        Edit::parse(edit)?.apply(SOURCE)
    }

    #[test]
    fn a_text_makes_way_for_another() {
        let edited = applied("@@ k\n- b\n-   c\n+ x\n+\n- b\n+ y").unwrap();
        assert_eq!(edited, "a\n// ANCHOR: k\nx\n\ny\n// ANCHOR_END: k\nc\n");
        assert_eq!(applied("- a\n+ 1\n+ 2").unwrap(), SOURCE.replace("a\n", "1\n2\n"));
        assert_eq!(applied("- a").unwrap(), SOURCE.replacen('a', "", 1));
        assert!(!Edit::parse("- a\n+ 1\n+ 2").unwrap().keeps_lines());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (edit, said) in [
            ("@@ k\n- b\n+ x", "`b` stands 2 times in k, not once"),
            ("@@ k\n- a\n+ x", "`a` stands 0 times in k"),
            ("- e\n+ x", "`e` stands 0 times, not once"),
            ("@@ l\n- b\n+ x", "no anchor l"),
            ("+ x", "no `- …` above it"),
            ("@@ k\n+ x", "no `- …` above it"),
            ("-\n+ x", "`` stands 0 times"),
            ("x", "begins with `- `"),
        ] {
            let refusal = applied(edit).unwrap_err().to_string();
            assert!(refusal.contains(said), "{edit}: {refusal}");
        }
    }
}
