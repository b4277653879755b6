//! What a rank says first, whether ranks that have said it can work together, and how one fails.

use std::fmt;

use serde::{Deserialize, Serialize};
use workbook::device::NoGpu;

use crate::job::Job;

/// The most characters of a fault's sentence, so that it fits into a message.
const MAX_SENTENCE: usize = 2000;

/// Whose fault it is. There is none for success, so no rank can make another one end with status 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// Another rank is missing, has ended or is wrong.
    Work,
    /// The environment or the command line is wrong.
    Setup,
}

impl Cause {
    pub fn status(self) -> u8 {
        match self {
            Cause::Work => 1,
            Cause::Setup => 2,
        }
    }
}

/// Why a rank fails.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fault {
    pub cause: Cause,
    /// Which rank, and why.
    pub sentence: String,
}

impl Fault {
    pub fn new(cause: Cause, sentence: String) -> Fault {
        Fault { cause, sentence: sentence.chars().take(MAX_SENTENCE).collect() }
    }

    pub fn work(sentence: String) -> Fault {
        Fault::new(Cause::Work, sentence)
    }

    pub fn setup(sentence: String) -> Fault {
        Fault::new(Cause::Setup, sentence)
    }

    /// The fault that `error` is, or makes of this rank.
    pub fn by(rank: usize, cause: Cause, error: anyhow::Error) -> Fault {
        error.downcast().unwrap_or_else(|error| {
            let why = error.downcast_ref().map(|no_gpu: &NoGpu| no_gpu.reason.clone());
            Fault::new(cause, format!("rank {rank}: {}", why.unwrap_or(format!("{error:#}"))))
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl std::error::Error for Fault {}

/// What a rank says about itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    pub job: Job,
    pub rank: usize,
    /// What all ranks need to have alike, each with its name: `--n 1000`.
    pub alike: Vec<String>,
    /// What no two ranks may have alike.
    pub gpu: Option<String>,
    /// Why this rank cannot take part.
    pub fault: Option<Fault>,
}

/// Whether ranks that have said hello can work together. The first hello is rank 0's own.
pub fn fit(hellos: &[Hello], ranks: usize) -> Result<(), Fault> {
    for (number, hello) in hellos.iter().enumerate() {
        if let Some(fault) = &hello.fault {
            return Err(fault.clone());
        }
        if let Some(sentence) = misfit(hello, &hellos[..number], ranks) {
            return Err(Fault::setup(sentence));
        }
    }
    Ok(())
}

/// Why a rank cannot work with those that have arrived before it.
fn misfit(hello: &Hello, before: &[Hello], ranks: usize) -> Option<String> {
    let rank = hello.rank;
    let first = before.first()?;
    if before.iter().any(|other| other.rank == rank) {
        return Some(format!("two processes are rank {rank}"));
    }
    let settings = first.alike.len().max(hello.alike.len());
    for setting in 0..settings {
        let own = first.alike.get(setting);
        let other = hello.alike.get(setting);
        if own != other {
            let shown = |text: Option<&String>| text.map_or("nothing", |text| text).to_owned();
            let own = shown(own);
            let other = shown(other);
            return Some(format!("rank {rank} has {other}, and rank 0 has {own}: all need the same"));
        }
    }
    if rank >= ranks {
        return Some(format!("a process says that it is rank {rank} of {ranks}: ranks count from 0"));
    }
    let twin = before.iter().find(|other| hello.gpu.is_some() && other.gpu == hello.gpu)?.rank;
    let lower = twin.min(rank);
    let higher = twin.max(rank);
    Some(format!("ranks {lower} and {higher} have the same GPU: start one process per GPU"))
}
