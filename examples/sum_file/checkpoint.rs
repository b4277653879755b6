//! How far a sum is, in a file, so that another run can go on from there.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use workbook::build::prebuilt::hash;
use workbook::files::{create, no_file, replace, tidy};

use super::source::{Source, Stamp, same_file};

/// No checkpoint is longer, in bytes.
const LONGEST: u64 = 1 << 16;

/// The exact sum of the first numbers of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Of what.
    pub source: Stamp,
    /// How many numbers are in the sum: the offset of the next.
    pub done: u64,
    /// Of 2^50 numbers of 32 bits, 82 bits are enough. JSON's numbers have 53, so it is written as text.
    #[serde(with = "text")]
    pub sum: i128,
}

/// As it lies in the file.
#[derive(Serialize, Deserialize)]
struct Written {
    #[serde(flatten)]
    checkpoint: Checkpoint,
    /// Of the rest: who edits the sum must begin again.
    hash: String,
}

impl Checkpoint {
    fn hash(&self) -> Result<String> {
        Ok(hash(serde_json::to_string(self)?.as_bytes()))
    }

    /// The checkpoint that is written so.
    fn read(text: &str) -> Result<Checkpoint> {
        let written: Written = serde_json::from_str(text)?;
        ensure!(written.hash == written.checkpoint.hash()?, "somebody has edited it");
        let done = i128::from(written.checkpoint.done);
        let possible = done * i128::from(i32::MIN)..=done * i128::from(i32::MAX);
        ensure!(possible.contains(&written.checkpoint.sum), "{done} numbers have no such sum");
        Ok(written.checkpoint)
    }
}

/// Where a run keeps its checkpoint. It holds a lock on the file that lies there, so that no other run takes
/// that, and touches no file of anybody else.
pub struct Place {
    path: PathBuf,
    /// Locked; none as long as nothing lies there.
    own: Option<File>,
}

impl Place {
    /// Takes the place `path`, with the checkpoint that is there.
    ///
    /// # Errors
    /// Something else is there: `source`, what is no file, a file that is no checkpoint of `source`, or one
    /// that another run uses.
    pub fn take(path: &Path, source: &Source) -> Result<(Place, Option<Checkpoint>)> {
        tidy(path);
        let name = path.display();
        let cannot = || format!("cannot read the checkpoint {name}");
        let about = match path.metadata() {
            // A name that is too long is one of those at which no checkpoint can be kept.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidFilename) => {
                ensure!(
                    !path.is_symlink(),
                    "the checkpoint {name} is a link to nothing; remove it, or name another"
                );
                return Ok((Place { path: path.into(), own: None }, None));
            }
            about => about.with_context(cannot)?,
        };
        if let Some(what) = no_file(&about) {
            bail!("--checkpoint {name} is {what}, and a checkpoint is a regular file; name another");
        }
        ensure!(!source.is(&about), "--checkpoint {name} is the input itself; name another file");
        let path = path.canonicalize().with_context(cannot)?;
        let mut file = File::open(&path).with_context(cannot)?;
        let own = lock(&file) && path.metadata().is_ok_and(|now| is(&file, &now));
        ensure!(own, "another run keeps its checkpoint at {name}; wait for it, or name another --checkpoint");

        let mut text = String::new();
        let read = (&mut file).take(LONGEST).read_to_string(&mut text);
        let place = Place { path, own: Some(file) };
        ensure!(
            read.as_ref().map_or(true, |bytes| *bytes > 0),
            "{name} is empty, so it is not a checkpoint, and is left as it is; remove it, or name another"
        );
        let checkpoint =
            read.map_err(Into::into).and_then(|_| Checkpoint::read(&text)).with_context(|| {
                format!("{name} is not a checkpoint, and is left as it is; remove it, or name another")
            })?;
        ensure!(
            checkpoint.source.is_alike(&source.stamp()),
            "{name} is the checkpoint of another sum, of {}; remove it, or name another --checkpoint",
            checkpoint.source
        );
        Ok((place, Some(checkpoint)))
    }

    // ANCHOR: keep
    /// Replaces the checkpoint at once: whenever this is interrupted, there is the old one or the new
    /// one.
    pub fn keep(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let cannot = || format!("cannot write the checkpoint {}", self.path.display());
        let written = Written { checkpoint: checkpoint.clone(), hash: checkpoint.hash()? };
        let text = serde_json::to_string_pretty(&written)?;
        self.still_own().with_context(cannot)?;
        let write = |file: &mut File| match lock(file) {
            true => file.write_all(text.as_bytes()),
            false => Err(ErrorKind::WouldBlock.into()),
        };
        let written = match self.own {
            Some(_) => replace(&self.path, write),
            None => create(&self.path, write), // fails if a file has come there meanwhile
        };
        self.own = Some(written.with_context(cannot)?);
        Ok(())
    }
    // ANCHOR_END: keep

    /// Whether a checkpoint of this run lies there, or one that it went on from.
    pub fn is_taken(&self) -> bool {
        self.own.is_some()
    }

    /// Nobody goes on from here: removes what lies there.
    pub fn leave(self) -> Result<()> {
        if self.own.is_none() || !self.path.exists() {
            return Ok(());
        }
        let cannot = || format!("cannot remove the checkpoint {}", self.path.display());
        self.still_own().with_context(cannot)?;
        std::fs::remove_file(&self.path).with_context(cannot)
    }

    /// That no other file has been put there.
    fn still_own(&self) -> Result<()> {
        if let (Some(own), Ok(now)) = (&self.own, self.path.metadata()) {
            ensure!(is(own, &now), "somebody has put another file there");
        }
        Ok(())
    }
}

/// Whether `file` is what `about` is about.
fn is(file: &File, about: &std::fs::Metadata) -> bool {
    file.metadata().is_ok_and(|own| same_file(&own, about))
}

/// Whether nobody else has a lock on the file. A file system that has no locks has no others.
fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(number: &i128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i128, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
