//! Small edits of the chapters' kernels, for a reader to try: `kernels/what_ifs.edits`, which says how they
//! are written. Their builds for the simulator are files of the book, beside those of the unedited kernels.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cuda_source::edit;

/// The file of the edits, from the repository root.
pub const FILE: &str = "kernels/what_ifs.edits";
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
    edit: edit::Edit,
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
            edits.push(Edit { stem, name, label, kernels: Vec::new(), edit: edit::Edit::default() });
            continue;
        }
        let Some(edit) = edits.last_mut() else { continue }; // how the file is written
        if let Some(kernels) = line.strip_prefix("kernels ") {
            edit.kernels = kernels.split(' ').map(str::to_string).collect();
        } else if !line.is_empty() {
            edit.edit.line(line).with_context(wrong)?;
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
        let place = || format!("{FILE}: {} {}", self.stem, self.name);
        ensure!(self.edit.keeps_lines(), "{}: the edit changes the number of lines", place());
        let edited = self.edit.apply(source).with_context(place)?;
        let both = (1..).zip(source.lines().zip(edited.lines())).filter(|(_, (old, new))| old != new);
        let changed = both.map(|(number, (_, new))| (number, new.to_string())).collect();
        Ok((edited, changed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_replaced_line_for_line() {
        let read = |edit: &str| {
            let edits = read(&format!("words\n\n== ch9_toy no-b: no b\nkernels k l\n{edit}\n"))?;
            assert_eq!((edits[0].label.as_str(), edits[0].kernels.len()), ("no b", 2));
            edits[0].apply("a\nb\nc\n")
        };
        let (text, changed) = read("- b\n- c\n+ x\n+").unwrap();
        assert_eq!(text, "a\nx\n\n");
        assert_eq!(changed, [(2, "x".to_string()), (3, String::new())]);
        let said = |edit| format!("{:#}", read(edit).unwrap_err());
        assert!(said("- c\n+ x\n+ y").contains("ch9_toy no-b: the edit changes the number of lines"));
        assert!(said("- d\n+ x").contains("ch9_toy no-b: `d` stands 0 times"));
        assert!(said("b").contains("what_ifs.edits:5: b: a line of an edit begins with"));
    }
}
