//! Where the book finds what it shows, and the page that is being made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use workbook::record::Record;

/// Where the book finds what it shows.
pub struct Workbook {
    /// The repository: listings are named from here.
    pub root: PathBuf,
    /// The committed records.
    pub records: PathBuf,
    /// Those of the reader's own runs; need not exist.
    pub local: PathBuf,
    read: Mutex<BTreeMap<PathBuf, Arc<Record>>>,
}

impl Workbook {
    /// That of the repository at `root`.
    pub fn new(root: PathBuf, records: PathBuf, local: PathBuf) -> Workbook {
        Workbook { root, records, local, read: Mutex::default() }
    }

    /// The text of a file, which is named from the repository's root.
    pub fn read(&self, path: &str) -> Result<String> {
        std::fs::read_to_string(self.root.join(path)).with_context(|| format!("cannot read {path}"))
    }

    /// The record at `path`, which is read once.
    pub fn record(&self, path: &Path) -> Result<Arc<Record>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(record) = read.get(path) {
            return Ok(record.clone());
        }
        let record = Arc::new(Record::read(path)?);
        read.insert(path.to_path_buf(), record.clone());
        Ok(record)
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
