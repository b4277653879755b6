//! Where the numbers come from: a file, or a generator.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use workbook::reduction::data;
use workbook::text::files::no_file;

/// Numbers that one thread reads or makes at a time: 64 KiB.
const AT_A_TIME: usize = 1 << 14;

/// An array that no memory need hold.
pub enum Source {
    File { file: File, path: PathBuf },
    Generated { numbers: u64, seed: u64 },
}

/// What identifies a source.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    /// How many numbers there are.
    pub numbers: u64,
    kind: Kind,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    File {
        /// When it was last written.
        written: SystemTime,
        identity: Identity,
    },
    Generated {
        seed: u64,
    },
}

/// Tells a file from another that has its name, its length and its time.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
enum Identity {
    /// Its number on which device, and when anything of it last changed, its name or times included. Programs
    /// can set the time of the last write, but not this one.
    Unix { device: u64, inode: u64, changed: (i64, i64) },
    /// When it was made, in units of 100 ns.
    Windows { made: u64 },
}

impl Identity {
    fn of(about: &Metadata) -> Identity {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let changed = (about.ctime(), about.ctime_nsec());
            Identity::Unix { device: about.dev(), inode: about.ino(), changed }
        }
        #[cfg(windows)]
        {
            use std::os::windows::fs::MetadataExt;
            Identity::Windows { made: about.creation_time() }
        }
    }
}

impl Stamp {
    fn of(about: &Metadata) -> io::Result<Stamp> {
        let written = about.modified()?;
        let identity = Identity::of(about);
        Ok(Stamp { numbers: about.len() / 4, kind: Kind::File { written, identity } })
    }
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
        // Those of /proc say that they have no bytes, and have some.
        let is_empty = (&file).read(&mut [0]).with_context(cannot)? == 0;
        ensure!(
            is_empty == (bytes == 0),
            "{} says that it has {bytes} bytes, which is wrong: copy it to a regular file, and sum that",
            path.display()
        );
        Ok(Source::File { file, path: path.into() })
    }

    /// What identifies it now.
    ///
    /// # Errors
    /// Of the file system; another file has taken the place of the one that is open.
    pub fn stamp(&self) -> io::Result<Stamp> {
        match self {
            Source::File { file, path } => {
                let stamp = Stamp::of(&file.metadata()?)?;
                if Stamp::of(&path.metadata()?)? == stamp {
                    Ok(stamp)
                } else {
                    Err(io::Error::other("another file has taken its place"))
                }
            }
            Source::Generated { numbers, seed } => {
                Ok(Stamp { numbers: *numbers, kind: Kind::Generated { seed: *seed } })
            }
        }
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
                    for (to, number) in to.iter_mut().zip(numbers) {
                        *to = number;
                    }
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
