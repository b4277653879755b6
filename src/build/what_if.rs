//! Small edits of the chapters' kernels, for a reader to try: `kernels/what_ifs.diff`, which says how they
//! are written. Their builds for the simulator are files of the book, beside those of the unedited kernels.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// The file of the edits, from the repository root.
pub const FILE: &str = "kernels/what_ifs.diff";
/// The edits' builds, where a page fetches them, from the repository root.
pub const DIRECTORY: &str = "book/src/live";

/// An edit of a chapter's kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The chapter.
    pub stem: String,
    /// `no-barrier`
    pub name: String,
    /// What follows "what if:".
    pub label: String,
    /// The variants that it changes.
    pub kernels: Vec<String>,
    hunks: Vec<Hunk>,
}

/// Lines that take the place of as many others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hunk {
    anchor: String,
    old: Vec<String>,
    new: Vec<String>,
}

/// The edits that `text` describes.
///
/// # Errors
/// What is wrong with it, by line.
pub fn read(text: &str) -> Result<Vec<Edit>> {
    let mut edits: Vec<Edit> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = || format!("{FILE}:{}: {line}", number + 1);
        if let Some(head) = line.strip_prefix("== ") {
            let (place, label) = head.split_once(": ").with_context(wrong)?;
            let (stem, name) = place.split_once(' ').with_context(wrong)?;
            ensure!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), wrong());
            let [stem, name, label] = [stem, name, label].map(str::to_string);
            edits.push(Edit { stem, name, label, kernels: Vec::new(), hunks: Vec::new() });
            continue;
        }
        let Some(edit) = edits.last_mut() else { continue }; // how the file is written
        if let Some(kernels) = line.strip_prefix("kernels ") {
            edit.kernels = kernels.split(' ').map(str::to_string).collect();
        } else if let Some(anchor) = line.strip_prefix("@@ ") {
            edit.hunks.push(Hunk { anchor: anchor.to_string(), ..Hunk::default() });
        } else if !line.is_empty() {
            let hunk = edit.hunks.last_mut().with_context(wrong)?;
            match line.split_at(1) {
                ("-", old) => hunk.old.push(old.to_string()),
                ("+", new) => hunk.new.push(new.to_string()),
                _ => bail!(wrong()),
            }
        }
    }
    Ok(edits)
}

/// The edits of the repository at `root`.
///
/// # Errors
/// Of [`read`], or if there is no such file.
pub fn all(root: &Path) -> Result<Vec<Edit>> {
    read(&std::fs::read_to_string(root.join(FILE)).with_context(|| format!("cannot read {FILE}"))?)
}

/// The build of the edit `name` of a chapter, from the repository root.
pub fn path(stem: &str, name: &str) -> PathBuf {
    Path::new(DIRECTORY).join(format!("{stem}.{name}.json"))
}

impl Edit {
    /// `source`, edited; and the lines that are new, with their numbers.
    ///
    /// # Errors
    /// If the lines do not stand there exactly once, or are not replaced by as many.
    pub fn apply(&self, source: &str) -> Result<(String, Vec<(usize, String)>)> {
        let mut lines: Vec<String> = source.lines().map(str::to_string).collect();
        let mut changed = Vec::new();
        for hunk in &self.hunks {
            let place = hunk.place(&lines).with_context(|| format!("{FILE}: {} {}", self.stem, self.name))?;
            for (number, new) in (place..).zip(&hunk.new) {
                lines[number] = new.clone();
                changed.push((number + 1, new.clone()));
            }
        }
        Ok((lines.join("\n") + "\n", changed))
    }
}

impl Hunk {
    /// Where its lines stand among `lines`.
    fn place(&self, lines: &[String]) -> Result<usize> {
        let Hunk { anchor, old, new } = self;
        ensure!(old.len() == new.len() && !old.is_empty(), "{} lines for {}", new.len(), old.len());
        let comment =
            |word: &str| lines.iter().position(|line| line.trim() == format!("// {word}: {anchor}"));
        let (start, end) = comment("ANCHOR")
            .zip(comment("ANCHOR_END"))
            .with_context(|| format!("the source has no anchor {anchor}"))?;
        let mut found = (start..end).filter(|&at| lines[at..end].starts_with(old));
        let place = found.next().with_context(|| format!("{anchor} has no lines\n{}", old.join("\n")))?;
        ensure!(found.next().is_none(), "{anchor} has these lines twice:\n{}", old.join("\n"));
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "a\n// ANCHOR: k\nb\nc\nb\n// ANCHOR_END: k\nc\n";

    fn applied(hunk: &str) -> Result<(String, Vec<(usize, String)>)> {
        let edits = read(&format!("words\n\n== ch9_toy no-b: no b\nkernels k l\n@@ k\n{hunk}"))?;
        assert_eq!((edits[0].label.as_str(), edits[0].kernels.len()), ("no b", 2));
        edits[0].apply(SOURCE)
    }

    #[test]
    fn lines_are_replaced_line_for_line() {
        let (text, changed) = applied("-b\n-c\n+x\n+\n").unwrap();
        assert_eq!(text, "a\n// ANCHOR: k\nx\n\nb\n// ANCHOR_END: k\nc\n");
        assert_eq!(changed, [(3, "x".to_string()), (4, String::new())]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for hunk in ["-b\n+x\n", "-c\n+x\n+y\n", "-a\n+x\n", "x\n", ""] {
            assert!(applied(hunk).is_err() || hunk.is_empty(), "{hunk}");
        }
    }
}
