//! Which job a rank belongs to: what tells it from the ranks of another job that meet at the same port, and
//! from those that an earlier job has left behind.

use std::fmt::Write;
use std::hash::{BuildHasher, Hasher, RandomState};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::meeting::Fault;
use super::place::variable;
use super::start::STARTED;

/// A secret that all ranks of a job share, if the user has set one.
const TOKEN: &str = "WORKBOOK_RANKS_TOKEN";

/// The most bytes of a job's name, and of its token.
const MAX_BYTES: usize = 1024;

/// A job, as far as its launcher tells one from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// `SLURM_JOB_ID=17 SLURM_STEP_ID=0`, or empty where the launcher gives its jobs no names.
    name: String,
    /// Never shown, and not told to a rank that does not know it.
    token: Option<String>,
}

impl Job {
    /// What the environment says: `names` are the variables in which this launcher may give the job's id, the
    /// best first, and all of a group together.
    pub fn of_launcher(names: &[&[&str]]) -> Result<Job> {
        let started: &[&str] = &[STARTED];
        let groups = std::iter::once(started).chain(names.iter().copied());
        let name = groups.map(value).find(|name| !name.is_empty()).unwrap_or_default();
        let token = variable(TOKEN);
        ensure!(name.len() <= MAX_BYTES, "the job's id is longer than {MAX_BYTES} bytes");
        let is_short = token.as_ref().is_none_or(|token| token.len() <= MAX_BYTES);
        ensure!(is_short, "{TOKEN} is longer than {MAX_BYTES} bytes");
        Ok(Job { name, token })
    }

    /// Why a rank of `other` does not belong to this job, whose rank 0 listens at `place`.
    pub fn refuses(&self, other: &Job, place: &str) -> Option<Fault> {
        if self.token != other.token {
            return Some(Fault::setup(format!(
                "rank 0 at {place} has another {TOKEN}: set the same for all ranks, or another MASTER_PORT \
                 if that is another job"
            )));
        }
        if self.name != other.name {
            return Some(Fault::setup(format!(
                "rank 0 at {place} belongs to another job ({}; this rank has {}): set another MASTER_PORT, \
                 or end what is left of the other job",
                self.shown(),
                other.shown()
            )));
        }
        None
    }

    fn shown(&self) -> &str {
        if self.name.is_empty() { "none" } else { &self.name }
    }
}

/// `SLURM_JOB_ID=17 SLURM_STEP_ID=0`, of those that are set. torchrun calls a job `none` if the user has not
/// given it an id.
fn value(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        let Some(value) = variable(name).filter(|value| value != "none") else { continue };
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{name}={value}"); // a String takes all
    }
    text
}

/// A new job's id, which no other has: 128 bits from the system.
pub fn random() -> String {
    let bits = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", bits(), bits())
}
