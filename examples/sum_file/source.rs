//! Where the numbers come from: a file, or a generator.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use workbook::build::prebuilt::hash;
use workbook::files::no_file;
use workbook::reduction::data;

/// Numbers that one thread reads or makes at a time: 64 KiB.
const AT_A_TIME: usize = 1 << 14;
/// Blocks of a file that are looked at to know it again, and their bytes.
const SAMPLES: u64 = 64;
const SAMPLE: u64 = 4096;

/// An array that no memory need hold.
pub enum Source {
    File { file: File, path: PathBuf, stamp: FileStamp },
    Generated { numbers: u64, seed: u64 },
}

/// By what a source is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stamp {
    File(FileStamp),
    Generated { numbers: u64, seed: u64 },
}

impl Stamp {
    /// Whether both name the same source, which may have changed between them.
    pub fn is_alike(&self, other: &Stamp) -> bool {
        match (self, other) {
            (Stamp::File(one), Stamp::File(other)) => one.path == other.path,
            _ => self == other,
        }
    }
}

/// By what a file is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Where it lies, without links; quoted and escaped if that is no Unicode.
    path: String,
    /// Its length.
    bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    written: u64,
    /// The hash of 64 blocks of it.
    samples: String,
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

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stamp::File(file) => f.write_str(&file.path),
            Stamp::Generated { numbers, seed } => write!(f, "--generate {numbers} --seed {seed}"),
        }
    }
}

impl Source {
    pub fn open(path: &Path) -> Result<Source> {
        let cannot = || format!("cannot read {}", path.display());
        if let Some(what) = no_file(&path.metadata().with_context(cannot)?) {
            bail!("{} is {what}; sum_file reads regular files, whose length is known", path.display());
        }
        let (file, path) =
            (File::open(path).with_context(cannot)?, path.canonicalize().with_context(cannot)?);
        let (bytes, written) = length_and_time(&file.metadata().with_context(cannot)?);
        ensure!(bytes % 4 == 0, "{} has {bytes} bytes, and a number has 4", path.display());
        ensure!(
            !goes_on(&file, bytes).with_context(cannot)?,
            "{} goes on beyond its length, {bytes} bytes; sum_file reads files whose length is known",
            path.display()
        );
        let samples = samples(&file, bytes).with_context(cannot)?;
        let name = path.to_str().map_or_else(|| format!("{path:?}"), str::to_string);
        let stamp = FileStamp { path: name, bytes, written, samples };
        Ok(Source::File { file, path, stamp })
    }

    pub fn len(&self) -> u64 {
        match self {
            Source::File { stamp, .. } => stamp.bytes / 4,
            Source::Generated { numbers, .. } => *numbers,
        }
    }

    pub fn stamp(&self) -> Stamp {
        match self {
            Source::File { stamp, .. } => Stamp::File(stamp.clone()),
            Source::Generated { numbers, seed } => Stamp::Generated { numbers: *numbers, seed: *seed },
        }
    }

    /// Where its checkpoint is kept, unless the reader says so: beside the file, or here.
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
            Source::File { file, .. } => starts
                .try_for_each(|(start, to)| read_at(file, bytemuck::cast_slice_mut(to), 4 * start))
                .or_else(|error| self.cannot(error)),
            Source::Generated { seed, .. } => {
                starts.for_each(|(start, to)| {
                    for (i, number) in to.iter_mut().enumerate() {
                        *number = (data::bits(*seed, start + i as u64 + 1) >> 32) as i32;
                    }
                });
                Ok(())
            }
        }?;
        self.check_open()
    }

    /// Whether the numbers are still what they were, and where they were.
    pub fn check(&self) -> Result<()> {
        self.check_open()?;
        let Source::File { file, path, stamp } = self else { return Ok(()) };
        match (path.metadata(), file.metadata(), goes_on(file, stamp.bytes)) {
            (Ok(now), Ok(then), Ok(false)) if same_file(&now, &then) => {}
            _ => return Err(self.changed()),
        }
        match samples(file, stamp.bytes) {
            Ok(samples) if samples == stamp.samples => Ok(()),
            Ok(_) => Err(self.changed()),
            Err(error) => self.cannot(error),
        }
    }

    /// Whether the open file is still as long as it was, and of the same time.
    fn check_open(&self) -> Result<()> {
        let Source::File { file, stamp, .. } = self else { return Ok(()) };
        match file.metadata() {
            Ok(now) if length_and_time(&now) == (stamp.bytes, stamp.written) => Ok(()),
            _ => Err(self.changed()),
        }
    }

    fn cannot(&self, error: io::Error) -> Result<()> {
        match error.kind() {
            ErrorKind::UnexpectedEof => Err(self.changed()),
            _ => Err(error).with_context(|| format!("cannot read {}", self.stamp())),
        }
    }

    fn changed(&self) -> anyhow::Error {
        Changed(format!("{} has changed while it was read", self.stamp())).into()
    }

    /// Whether it is the file that `other` is about.
    pub fn is(&self, other: &Metadata) -> bool {
        matches!(self, Source::File { file, .. } if file.metadata().is_ok_and(|own| same_file(&own, other)))
    }
}

/// In nanoseconds since 1970.
fn length_and_time(about: &Metadata) -> (u64, u64) {
    let written = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (about.len(), written.unwrap_or_default().as_nanos() as u64)
}

/// Whether both are about one file, whatever its names are. Where files have no number that Rust knows, one
/// of the same length and times is taken for it.
pub fn same_file(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    return {
        use std::os::unix::fs::MetadataExt;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    #[cfg(not(unix))]
    return length_and_time(one) == length_and_time(other) && one.created().ok() == other.created().ok();
}

/// The hash of 64 blocks of a file of this many bytes.
fn samples(file: &File, bytes: u64) -> io::Result<String> {
    let mut samples = vec![0; (SAMPLE * SAMPLES).min(bytes) as usize];
    let step = bytes.saturating_sub(SAMPLE).div_ceil(SAMPLES - 1).max(SAMPLE);
    for (to, start) in samples.chunks_mut(SAMPLE as usize).zip((0..).step_by(step as usize)) {
        read_at(file, to, start.min(bytes - to.len() as u64))?;
    }
    Ok(hash(&samples))
}

/// Whether the file has more bytes than its length `bytes`, as those of `/proc` have, whose length is 0.
fn goes_on(file: &File, bytes: u64) -> io::Result<bool> {
    match read_at(file, &mut [0], bytes) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
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
            match std::os::windows::fs::FileExt::seek_read(file, &mut to[done..], start + done as u64) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
