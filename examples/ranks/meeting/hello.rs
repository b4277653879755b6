//! What a rank says first, whether ranks that have said it can work together, and how one fails.

use std::fmt;

use serde::{Deserialize, Serialize};
use workbook::device::NoGpu;

/// How a rank ends that does not end well. There is no fault that ends with status 0, whoever reports it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    /// Which rank, and why.
    pub sentence: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum FaultKind {
    /// Another rank is missing, has ended, or has a wrong sum.
    Failed,
    /// The environment or the command line is wrong.
    Refused,
}

impl Fault {
    pub fn failed(sentence: String) -> Fault {
        Fault { kind: FaultKind::Failed, sentence }
    }

    pub fn refused(sentence: String) -> Fault {
        Fault { kind: FaultKind::Refused, sentence }
    }

    /// The fault that `error` is, or makes of this rank.
    pub fn by(rank: usize, kind: FaultKind, error: anyhow::Error) -> Fault {
        error.downcast().unwrap_or_else(|error| {
            let why = error.downcast_ref().map(|no_gpu: &NoGpu| no_gpu.reason.clone());
            Fault { kind, sentence: format!("rank {rank}: {}", why.unwrap_or(format!("{error:#}"))) }
        })
    }

    /// The exit status of a rank that ends by it.
    pub fn status(&self) -> u8 {
        match self.kind {
            FaultKind::Failed => 1,
            FaultKind::Refused => 2,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl std::error::Error for Fault {}

/// What a rank says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The job that it belongs to, so that two jobs at one port are told apart.
    pub job: String,
    pub rank: usize,
    /// What all ranks have to have alike, each with its name: `--n 1000`.
    pub alike: Vec<String>,
    /// What no two ranks may have alike.
    pub gpu: Option<String>,
    /// Why this rank cannot take part.
    pub fault: Option<Fault>,
}

/// Whether ranks that have said hello can work together.
pub fn fit(hellos: &[Hello]) -> Result<(), Fault> {
    for (number, Hello { rank, alike, gpu, fault, .. }) in hellos.iter().enumerate() {
        let before = &hellos[..number];
        let differs = hellos[0].alike.iter().zip(alike).find(|(own, other)| own != other);
        let twin = before.iter().find(|other| gpu.is_some() && other.gpu == *gpu).map(|twin| twin.rank);
        let sentence = if let Some(fault) = fault {
            return Err(fault.clone());
        } else if before.iter().any(|other| other.rank == *rank) {
            format!("two processes are rank {rank}")
        } else if let Some((own, other)) = differs {
            format!("rank {rank} has {other}, and rank 0 has {own}: all need the same")
        } else if let Some(twin) = twin {
            let one = twin.min(*rank);
            let other = twin.max(*rank);
            format!("ranks {one} and {other} have the same GPU: start one process per GPU")
        } else {
            continue;
        };
        return Err(Fault::refused(sentence));
    }
    Ok(())
}
