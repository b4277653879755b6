//! Where the book finds what it shows, and the page that is being made.

use std::collections::BTreeMap;
use std::fs::{DirEntry, read_dir};
use std::path::PathBuf;

use anyhow::{Context, Result};
use workbook::files::read_lines;
use workbook::record::Record;

/// Where the committed records are, from the root of the repository.
pub const RECORDS: &str = "book/records";

/// Where the book finds what it shows.
pub struct Workbook {
    /// The repository: listings are named from here.
    pub root: PathBuf,
    /// The committed records by name, `ch4_nested.gpu`; or why one cannot be read.
    pub records: BTreeMap<String, Result<Record>>,
    /// The records of the reader's own runs; need not exist.
    pub local: PathBuf,
}

impl Workbook {
    /// That of the repository at `root`, with the reader's own records in `local`.
    pub fn new(root: PathBuf, local: PathBuf) -> Workbook {
        let record = |file: DirEntry| {
            let name = file.file_name().into_string().ok()?;
            Some((name.strip_suffix(".json")?.to_string(), Record::read(&file.path())))
        };
        let files = read_dir(root.join(RECORDS)).into_iter().flatten().flatten();
        Workbook { records: files.filter_map(record).collect(), root, local }
    }

    /// The text of a file, which is named from the repository's root.
    pub fn read(&self, path: &str) -> Result<String> {
        read_lines(&self.root.join(path)).with_context(|| format!("cannot read {path}"))
    }
}

/// A page while its directives are replaced: where they find what they show, and what is counted.
pub struct Page<'a> {
    pub book: &'a Workbook,
    /// `ch3_blocks`
    pub stem: String,
    pub cells: usize,
    pub terms: usize,
}
