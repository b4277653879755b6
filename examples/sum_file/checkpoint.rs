//! How far a sum is, in a file, so that another run can go on from there.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use workbook::kernel_compiler::hash::hash;
use workbook::text::files::{lock, lock_name, read_unlinked, write_unlinked};

use super::source::Stamp;

/// The exact sum of the first numbers of a source.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    /// Of what.
    pub source: Stamp,
    /// How many numbers are in the sum: the offset of the next.
    pub done: u64,
    /// Of 2^50 numbers of 32 bits, 82 bits are enough.
    pub sum: i128,
}

/// The place of a checkpoint, which no other run uses.
pub struct Place {
    /// Of the checkpoint.
    pub path: PathBuf,
    /// None where no checkpoint can be kept either.
    lock: Option<File>,
}

impl Place {
    /// Waits until no other run uses the checkpoint at `path`.
    ///
    /// # Errors
    /// What lies there is not its lock.
    pub fn reserve(path: PathBuf) -> Result<Place> {
        let lock = match lock(&path) {
            Err(error) if allows_no_file(error.kind()) => None,
            lock => Some(lock.with_context(|| format!("cannot lock the checkpoint {}", path.display()))?),
        };
        Ok(Place { path, lock })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.lock.is_some() {
            let _ = std::fs::remove_file(lock_name(&self.path));
        }
    }
}

/// Whether an error says that files can't be made at a place at all.
fn allows_no_file(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidFilename, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(kind, InvalidFilename | NotFound | PermissionDenied | ReadOnlyFilesystem)
}

/// As it lies in the file.
#[derive(Serialize, Deserialize)]
struct Sealed<C> {
    checkpoint: C,
    /// Of the checkpoint, so that one that has been edited or damaged is not taken for a sum.
    hash: String,
}

impl Checkpoint {
    fn hash(&self) -> Result<String> {
        Ok(hash(serde_json::to_string(self)?.as_bytes()))
    }

    /// The checkpoint at `path`, if something lies there.
    pub fn read(path: &Path) -> Result<Option<Checkpoint>> {
        let name = path.display();
        // A name that is too long is one of those at which no checkpoint can be kept.
        if let Err(error) = std::fs::metadata(path)
            && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidFilename)
        {
            return Ok(None);
        }
        let text =
            read_unlinked(path, 1 << 16).with_context(|| format!("cannot read the checkpoint {name}"))?;
        let sealed: Sealed<Checkpoint> = serde_json::from_str(&text)
            .with_context(|| format!("{name} is not a checkpoint, and is left as it is; remove it"))?;
        ensure!(
            sealed.hash == sealed.checkpoint.hash()?,
            "{name} has been edited or damaged, and is left as it is; remove it"
        );
        Ok(Some(sealed.checkpoint))
    }

    // ANCHOR: keep
    /// Replaces the checkpoint at once: whenever this is interrupted, there is the old one or the new
    /// one.
    pub fn keep(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(&Sealed { checkpoint: self, hash: self.hash()? })?;
        write_unlinked(path, text).with_context(|| format!("cannot write the checkpoint {}", path.display()))
    }
    // ANCHOR_END: keep
}
