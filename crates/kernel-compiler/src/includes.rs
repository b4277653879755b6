//! What a source includes of the reader's own: regular files only. A device may have no end, and a pipe no
//! writer.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use text::files::{no_file, read_text};
use text::path;

use super::refusal::Refused;

/// Bytes that a source or a header has at most.
pub const MAX_SOURCE: u64 = 64 << 20;

/// Looks at what `text`, called `shown`, includes, and at what that includes: files by their path, and those
/// in `folders`, the first of which serves `#include "…"` alone. What a macro names, the compiler's limits of
/// memory and time are for.
///
/// # Errors
/// [`Refused`]: a file that is included is not a regular one.
pub fn check(shown: &str, text: &str, folders: &[PathBuf]) -> Result<()> {
    let mut seen = BTreeSet::new();
    let beside = folders.first().cloned().unwrap_or_default();
    let mut waiting = vec![(shown.to_owned(), text.to_owned(), beside)];
    while let Some((name, text, beside)) = waiting.pop() {
        for (line, included) in named(&text) {
            let Some((file, about)) = find(&included, &beside, folders) else { continue };
            if let Some(what) = no_file(&about) {
                let file = path::shown(&file);
                bail!(Refused(format!(
                    "{name}({line}): error: {file} is {what}; only regular files can be included"
                )));
            }
            let is_new = file.canonicalize().is_ok_and(|file| seen.insert(file));
            // What is no text, the compiler has a message for.
            if is_new && let Ok(text) = read_text(&file, MAX_SOURCE) {
                let beside = file.parent().map(Path::to_owned).unwrap_or_default();
                waiting.push((path::shown(&file), text, beside));
            }
        }
    }
    Ok(())
}

/// A file that is included.
struct Included {
    path: PathBuf,
    /// As `"…"`, not `<…>`.
    is_quoted: bool,
}

/// The files that directives of `text` name, each with its line.
fn named(text: &str) -> impl Iterator<Item = (usize, Included)> + '_ {
    text.lines().enumerate().filter_map(|(before, line)| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let word_ends = directive.find(|c: char| !c.is_ascii_alphabetic() && c != '_')?;
        let (word, rest) = directive.split_at(word_ends);
        if !matches!(word, "include" | "include_next" | "import" | "embed") {
            return None;
        }
        let rest = rest.trim_start();
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (path, _) = quoted.or_else(|| rest.strip_prefix('<')?.split_once('>'))?;
        Some((before + 1, Included { path: path.into(), is_quoted: quoted.is_some() }))
    })
}

/// The file that is meant, unless it is one of the compiler's own.
fn find(included: &Included, beside: &Path, folders: &[PathBuf]) -> Option<(PathBuf, Metadata)> {
    // Joined to any folder, an absolute path stays itself.
    let is_own = included.is_quoted || included.path.is_absolute();
    let own = [beside, folders.first()?.as_path()].into_iter().filter(|_| is_own);
    own.chain(folders.iter().skip(1).map(PathBuf::as_path)).find_map(|folder| {
        let file = folder.join(&included.path);
        let about = std::fs::metadata(&file).ok().filter(|about| !about.is_dir())?;
        Some((file, about))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_included() {
        let folder = std::env::temp_dir().join(format!("workbook-includes-{}", std::process::id()));
        let beside = folder.join("beside");
        let more = folder.join("more");
        for folder in [&beside, &more] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(beside.join("fine.h"), "#pragma once\n#include \"fine.h\"\n").unwrap();
        std::fs::write(more.join("deep.h"), "\n  # include <endless.h>\n").unwrap();
        std::os::unix::fs::symlink("/dev/zero", more.join("endless.h")).unwrap();
        let said = |text: &str| {
            let checked = check("mine.cu", text, &[beside.clone(), more.clone()]);
            checked.map_err(|error| error.to_string()).err().unwrap_or_default()
        };
        for text in [
            "#include \"fine.h\"",
            "#include <fine.h>",
            "#include <cub/cub.cuh>",
            "#include ENDLESS",
            "#include \"",
            "#",
        ] {
            assert_eq!(said(text), "", "{text}");
        }
        let deep = more.join("deep.h");
        let endless = more.join("endless.h");
        let is_device = "is a device; only regular files can be included";
        for (text, expected) in [
            ("int a;\n#include \"/dev/zero\"", format!("mine.cu(2): error: /dev/zero {is_device}")),
            (" #\tembed </dev/zero>", format!("mine.cu(1): error: /dev/zero {is_device}")),
            ("#include <deep.h>", format!("{}(2): error: {} {is_device}", deep.display(), endless.display())),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
