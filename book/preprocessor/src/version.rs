//! The version of the book that a page is of: a hash of all that the book is made of. A page of one version
//! that finds another on the server is not kept for reading without the network (`book/src/offline.js`).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_preprocessor::book::Book;
use workbook::kernel_compiler::hash::hash;
use workbook::text::path::committed;

/// 10 MB, told apart by the hash in its manifest, `clang.json`.
const COMPILER: &str = "clang.wasm.zst";

/// The version of a book with these chapters, and with the files in `folders` and below.
///
/// # Errors
/// A folder or a file that cannot be read.
pub fn version(book: &Book, folders: &[PathBuf]) -> Result<String> {
    let mut parts: Vec<String> = book.chapters().map(|chapter| chapter.content.clone()).collect();
    for folder in folders {
        let mut files = Vec::new();
        find(folder, &mut files)?;
        files.sort();
        for path in files {
            let content = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.strip_prefix(folder).unwrap_or(&path);
            parts.push(format!("{} {}", committed(&name.to_string_lossy()), hash(&content)));
        }
    }
    Ok(hash(parts.join("\n").as_bytes()))
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if !path.ends_with(COMPILER) {
            files.push(path);
        }
    }
    Ok(())
}

/// The end of each page: its version, for the page's scripts.
pub fn mark(version: &str) -> String {
    format!("\n\n<span hidden data-book-version=\"{version}\"></span>\n")
}
