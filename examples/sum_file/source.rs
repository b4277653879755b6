//! Where the numbers come from: a file, or a generator.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use workbook::device::{FileStamp, MappedFile};
use workbook::reduction::data;

/// Numbers that one thread copies or makes at a time: 1 MiB.
const AT_A_TIME: usize = 1 << 18;

/// An array that no memory need hold.
pub enum Source {
    File(MappedFile),
    Generated { numbers: u64, seed: u64 },
}

/// By what a source is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stamp {
    File(FileStamp),
    Generated { numbers: u64, seed: u64 },
}

/// The file is no longer what it was when it was opened.
#[derive(Debug)]
pub struct Changed(String);

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Changed {}

impl Source {
    pub fn open(path: &Path) -> Result<Source> {
        MappedFile::open(path).map(Source::File)
    }

    pub fn len(&self) -> u64 {
        match self {
            Source::File(file) => file.numbers().len() as u64,
            Source::Generated { numbers, .. } => *numbers,
        }
    }

    pub fn stamp(&self) -> Stamp {
        match self {
            Source::File(file) => Stamp::File(file.stamp().clone()),
            Source::Generated { numbers, seed } => Stamp::Generated { numbers: *numbers, seed: *seed },
        }
    }

    /// Where its checkpoint is kept, unless the reader says so: beside the file, or here.
    pub fn checkpoint(&self) -> PathBuf {
        let mut name = match self {
            Source::File(file) => file.stamp().path.clone().into_os_string(),
            Source::Generated { numbers, seed } => format!("generated-{numbers}-{seed}").into(),
        };
        name.push(".checkpoint.json");
        name.into()
    }

    /// Puts the numbers from number `start` on into `to`, on all cores: one alone is slower than a GPU takes
    /// them.
    pub fn fill(&self, start: u64, to: &mut [i32]) -> Result<()> {
        self.check()?; // not cut short
        let parts = to.par_chunks_mut(AT_A_TIME).enumerate();
        match self {
            Source::File(file) => parts.for_each(|(part, to)| {
                let start = start as usize + part * AT_A_TIME;
                to.copy_from_slice(&file.numbers()[start..start + to.len()]);
            }),
            Source::Generated { seed, .. } => parts.for_each(|(part, to)| {
                let start = start + (part * AT_A_TIME) as u64 + 1;
                for (i, number) in to.iter_mut().enumerate() {
                    *number = (data::bits(*seed, start + i as u64) >> 32) as i32;
                }
            }),
        }
        Ok(())
    }

    /// Whether the numbers are still what they were.
    pub fn check(&self) -> Result<()> {
        let Source::File(file) = self else { return Ok(()) };
        file.check().map_err(|error| Changed(format!("{error:#}")).into())
    }
}
