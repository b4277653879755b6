//! How far a sum is, in a file, so that another run can go on from there.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use workbook::kernel_compiler::hash::hash;
use workbook::text::files::{read_text, write_whole};

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
        let text = match read_text(path, 1 << 16) {
            // A name that is too long is one of those at which no checkpoint can be kept.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidFilename) => {
                return Ok(None);
            }
            text => text.with_context(|| format!("cannot read the checkpoint {name}"))?,
        };
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
        write_whole(path, text).with_context(|| format!("cannot write the checkpoint {}", path.display()))
    }
    // ANCHOR_END: keep
}
