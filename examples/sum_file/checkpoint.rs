//! How far a sum is, in a file, so that another run can go on from there.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::source::{Source, Stamp};

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

impl Checkpoint {
    /// The checkpoint at `path`, if it is one of `source`.
    pub fn read(path: &Path, source: &Source) -> Result<Checkpoint> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("there is no checkpoint to go on from at {name}; leave --resume out"))?;
        let checkpoint: Checkpoint =
            serde_json::from_str(&text).with_context(|| format!("{name} is no checkpoint"))?;
        ensure!(
            checkpoint.source == source.stamp() && checkpoint.done <= source.len(),
            "{} has changed since the checkpoint at {name} was made; leave --resume out to begin again",
            match source {
                Source::File(file) => file.stamp().path.display().to_string(),
                Source::Generated { .. } => "--generate or --seed".into(),
            }
        );
        Ok(checkpoint)
    }

    // ANCHOR: write
    /// Replaces the file at `path` at once: whenever this is interrupted, there is the old one or the
    /// new one.
    pub fn write(&self, path: &Path) -> Result<()> {
        let cannot = || format!("cannot write the checkpoint {}", path.display());
        let next = path.with_extension("next");
        std::fs::write(&next, serde_json::to_string_pretty(self)?).with_context(cannot)?;
        std::fs::rename(&next, path).with_context(cannot)
    }
    // ANCHOR_END: write

    /// The sum is there; nobody goes on from here.
    pub fn remove(path: &Path) -> Result<()> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", path.display()))
            }
            _ => Ok(()),
        }
    }
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
