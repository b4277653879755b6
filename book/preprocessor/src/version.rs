//! The version of the book that a page is of: a hash of all that the book is made of. A page of one version
//! that finds another on the server is not kept for reading without the network (`book/src/offline.js`), and
//! its scripts load no file of the other one. [`write_list`] says what each of their files is when it is
//! whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_preprocessor::book::Book;
use serde::Serialize;
use sha2::{Digest, Sha256};
use workbook::kernel_compiler::hash::hash;
use workbook::text::path::committed;

/// 10 MB, told apart by the hash in its manifest, `clang.json`.
const COMPILER: &str = "clang.wasm.zst";
/// What [`write_list`] writes.
const LIST: &str = "files.json";

/// The files of `live/` as the page's scripts and the service worker ask for them (`book/src/live/whole.js`).
#[derive(Serialize)]
struct List<'a> {
    version: &'a str,
    files: BTreeMap<String, Whole>,
}

/// What a file is when it has come whole.
#[derive(Serialize)]
struct Whole {
    bytes: usize,
    sha256: String,
}

/// The version of a book with these chapters, and with the files in `folders` and below.
///
/// # Errors
/// A folder or a file that cannot be read.
pub fn version(book: &Book, folders: &[PathBuf]) -> Result<String> {
    let mut parts: Vec<String> = book.chapters().map(|chapter| chapter.content.clone()).collect();
    for folder in folders {
        for (name, content) in files(folder)? {
            parts.push(format!("{name} {}", hash(&content)));
        }
    }
    Ok(hash(parts.join("\n").as_bytes()))
}

/// Writes the list of the files in `folder` and below, `live/` of a book of this version, into it.
///
/// # Errors
/// A file that cannot be read, or the list, that cannot be written.
pub fn write_list(folder: &Path, version: &str) -> Result<()> {
    let mut list = List { version, files: BTreeMap::new() };
    for (name, content) in files(folder)? {
        let digest = Sha256::digest(&content);
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        list.files.insert(name, Whole { bytes: content.len(), sha256 });
    }
    let path = folder.join(LIST);
    std::fs::write(&path, serde_json::to_vec(&list)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The content of each file in `folder` and below, by its path from there.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut paths = Vec::new();
    find(folder, &mut paths)?;
    let mut files = BTreeMap::new();
    for path in paths {
        let content = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.strip_prefix(folder).unwrap_or(&path);
        files.insert(committed(&name.to_string_lossy()), content);
    }
    Ok(files)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if !path.ends_with(COMPILER) && !path.ends_with(LIST) {
            files.push(path);
        }
    }
    Ok(())
}

/// The end of each page: its version, for the page's scripts.
pub fn mark(version: &str) -> String {
    format!("\n\n<span hidden data-book-version=\"{version}\"></span>\n")
}
