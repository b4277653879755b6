//! Where the numbers come from: a file, or a generator.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use workbook::files::no_file;
use workbook::reduction::data;

/// Numbers that one thread reads or makes at a time: 64 KiB.
const AT_A_TIME: usize = 1 << 14;

/// An array that no memory need hold.
pub enum Source {
    File { file: File, path: PathBuf },
    Generated { numbers: u64, seed: u64 },
}

/// By what a source is known again.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    /// How many there are.
    pub numbers: u64,
    /// When the file was last written.
    written: Option<SystemTime>,
    /// Of the generator.
    seed: Option<u64>,
}

impl Source {
    pub fn open(path: &Path) -> Result<Source> {
        let cannot = || format!("cannot read {}", path.display());
        if let Some(what) = no_file(&path.metadata().with_context(cannot)?) {
            bail!("{} is {what}; sum_file reads regular files, whose length is known", path.display());
        }
        let file = File::open(path).with_context(cannot)?;
        let bytes = file.metadata().with_context(cannot)?.len();
        ensure!(bytes % 4 == 0, "{} has {bytes} bytes, and a number has 4", path.display());
        Ok(Source::File { file, path: path.into() })
    }

    /// As it is now.
    pub fn stamp(&self) -> io::Result<Stamp> {
        Ok(match self {
            Source::File { file, .. } => {
                let about = file.metadata()?;
                Stamp { numbers: about.len() / 4, written: Some(about.modified()?), seed: None }
            }
            Source::Generated { numbers, seed } => {
                Stamp { numbers: *numbers, written: None, seed: Some(*seed) }
            }
        })
    }

    /// Where its checkpoint is kept: beside the file, or here.
    pub fn checkpoint(&self) -> PathBuf {
        let mut name = match self {
            Source::File { path, .. } => path.clone().into_os_string(),
            Source::Generated { numbers, seed } => format!("generated-{numbers}-{seed}").into(),
        };
        name.push(".checkpoint.json");
        name.into()
    }

    /// Puts the numbers from number `start` on into `to`, on all cores: one alone is slower than a GPU takes
    /// them.
    pub fn fill(&self, start: u64, to: &mut [i32]) -> Result<()> {
        let parts = to.par_chunks_mut(AT_A_TIME).enumerate();
        let starts = parts.map(|(part, to)| (start + (part * AT_A_TIME) as u64, to));
        match self {
            Source::File { file, path } => starts
                .try_for_each(|(start, to)| read_at(file, bytemuck::cast_slice_mut(to), 4 * start))
                .with_context(|| format!("cannot read {}", path.display())),
            Source::Generated { seed, .. } => {
                starts.for_each(|(start, to)| {
                    let numbers = data::numbers_in(start..start + to.len() as u64, *seed);
                    to.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
                });
                Ok(())
            }
        }
    }
}

/// Fills `to` with the bytes from `start` on. A file that is mapped would end the process, were it cut short
/// meanwhile.
fn read_at(file: &File, to: &mut [u8], start: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, to, start);
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < to.len() {
            match std::os::windows::fs::FileExt::seek_read(file, &mut to[done..], start + done as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                bytes => done += bytes,
            }
        }
        Ok(())
    }
}
