//! [`MappedFile`]: a file as if it lay in memory. The system reads a page of it when that is first looked at,
//! and may forget it again, so the file may be larger than the memory.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, ensure};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};

/// A file of `i32`, little-endian, mapped to be read.
pub struct MappedFile {
    map: Mmap,
    stamp: FileStamp,
}

/// By what a file is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Where it lies, without links.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub written: u64,
}

impl FileStamp {
    fn of(path: &Path) -> Result<FileStamp> {
        let cannot = || format!("cannot read {}", path.display());
        let (about, path) =
            (std::fs::metadata(path).with_context(cannot)?, path.canonicalize().with_context(cannot)?);
        let written = about.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        Ok(FileStamp { path, bytes: about.len(), written })
    }
}

impl MappedFile {
    /// Maps the file at `path`.
    ///
    /// # Errors
    /// It cannot be read, or its length is no multiple of 4.
    pub fn open(path: &Path) -> Result<MappedFile> {
        let stamp = FileStamp::of(path)?;
        let name = path.display();
        ensure!(stamp.bytes % 4 == 0, "{name} has {} bytes, and a number has 4", stamp.bytes);
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        // SAFETY: the map is read-only, and what is read there are numbers, of which every pattern of bits is
        // one. If somebody writes to the file meanwhile, they may be any numbers: [`MappedFile::check`] finds
        // that. If somebody cuts it short, the system ends the process at the first number that is missing.
        let map = unsafe { Mmap::map(&file) }.with_context(|| format!("cannot map {name}"))?;
        Ok(MappedFile { map, stamp })
    }

    /// Its numbers.
    pub fn numbers(&self) -> &[i32] {
        // A map begins at a page, and its length is a multiple of 4.
        bytemuck::try_cast_slice(&self.map).unwrap_or_default()
    }

    /// By what it is known again.
    pub fn stamp(&self) -> &FileStamp {
        &self.stamp
    }

    /// Whether it is as it was when it was opened.
    ///
    /// # Errors
    /// It is not, or is gone.
    pub fn check(&self) -> Result<()> {
        let path = &self.stamp.path;
        ensure!(FileStamp::of(path)? == self.stamp, "{} has changed while it was read", path.display());
        Ok(())
    }
}
