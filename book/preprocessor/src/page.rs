//! Where the book finds what it shows, and the page that is being made.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{DirEntry, read_dir};
use std::path::PathBuf;

use anyhow::{Context, Result};
use workbook::kernel_compiler::build::{Build, State};
use workbook::kernels;
use workbook::record::Record;
use workbook::text::files::read_lines;

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
    /// The address of the repository, where it is known: [`crate::address`].
    pub repository: Option<String>,
    /// The kernels' builds, as far as they were asked for: one that was edited is compiled once.
    kernels: RefCell<BTreeMap<String, Option<Build>>>,
}

impl Workbook {
    /// That of the repository at `root`, with the reader's own records in `local`.
    pub fn new(root: PathBuf, local: PathBuf) -> Workbook {
        let record = |file: DirEntry| {
            let name = file.file_name().into_string().ok()?;
            Some((name.strip_suffix(".json")?.to_string(), Record::read(&file.path())))
        };
        let files = read_dir(root.join(RECORDS)).into_iter().flatten().flatten();
        Workbook {
            records: files.filter_map(record).collect(),
            root,
            local,
            repository: None,
            kernels: RefCell::default(),
        }
    }

    /// The build of the chapter's kernels, fresh or not; `None` for a chapter without kernels.
    ///
    /// # Errors
    /// Of [`kernels::find`].
    pub fn kernels(&self, stem: &str) -> Result<Option<Build>> {
        if let Some(known) = self.kernels.borrow().get(stem) {
            return Ok(known.clone());
        }
        let build = kernels::find(stem)?;
        let build = match build {
            // A compiler may have come since the library was built.
            Some(stale) if stale.state == State::Stale => Some(kernels::get(stem).unwrap_or(stale)),
            build => build,
        };
        self.kernels.borrow_mut().insert(stem.to_string(), build.clone());
        Ok(build)
    }

    /// The build of the chapter's kernels, if it is that of their source as it stands.
    pub fn fresh_kernels(&self, stem: &str) -> Option<Build> {
        self.kernels(stem).ok().flatten().filter(|build| build.state != State::Stale)
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
