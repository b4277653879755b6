//! Which rank this process is, and where rank 0 listens: what the launcher has put into the environment.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};

/// A process among others.
pub struct Place {
    /// From 0.
    pub rank: u16,
    /// How many there are.
    pub ranks: u16,
    /// From 0 on each host: the GPU.
    pub local_rank: u16,
    /// Where rank 0 listens.
    pub host: String,
    pub port: u16,
}

/// The variables by which a launcher says which rank this is.
struct Launcher {
    rank: &'static str,
    ranks: &'static str,
    /// The rank on this host: the first of these that is set.
    local_rank: &'static [&'static str],
}

/// torchrun, Open MPI, MPICH (Intel MPI, `srun --mpi=pmi2`) and SLURM. Under mpirun on a SLURM cluster both
/// have theirs, and SLURM's rank is not that of this process.
const LAUNCHERS: [Launcher; 4] = [
    Launcher { rank: "RANK", ranks: "WORLD_SIZE", local_rank: &["LOCAL_RANK"] },
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: "OMPI_COMM_WORLD_SIZE",
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
    },
    Launcher { rank: "PMI_RANK", ranks: "PMI_SIZE", local_rank: &["MPI_LOCALRANKID", "SLURM_LOCALID"] },
    Launcher { rank: "SLURM_PROCID", ranks: "SLURM_NTASKS", local_rank: &["SLURM_LOCALID"] },
];

/// torchrun's default.
const PORT: u16 = 29500;

/// The variable's value, unless it is empty. Bytes that are not UTF-8 become U+FFFD.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into())
}

fn number(name: &str) -> Result<u16> {
    let value = variable(name).with_context(|| format!("{name} is not set"))?;
    value.parse().with_context(|| format!("{name}={value} is not a number from 0 to {}", u16::MAX))
}

impl Place {
    /// What the environment says.
    pub fn of_launcher() -> Result<Place> {
        let Some(launcher) = LAUNCHERS.iter().find(|launcher| variable(launcher.rank).is_some()) else {
            bail!(
                "no launcher has said which rank this is: start it by torchrun, mpirun or srun, set RANK, \
                 WORLD_SIZE and LOCAL_RANK, or give --start 2"
            );
        };
        let rank = number(launcher.rank)?;
        let ranks = number(launcher.ranks)?;
        let local_names = launcher.local_rank;
        let local_name = local_names.iter().find(|name| variable(name).is_some()).unwrap_or(&local_names[0]);
        let local_rank = number(local_name)?;
        let host = variable("MASTER_ADDR").unwrap_or("127.0.0.1".into());
        let host = host.trim_matches(['[', ']']).into(); // an IPv6 address may be in brackets
        let said = format!("{}={rank} and {}={ranks}", launcher.rank, launcher.ranks);
        ensure!(rank < ranks, "{said}: ranks are counted from 0");
        Ok(Place { rank, ranks, local_rank, host, port: port()? })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "rank {} of {}", self.rank, self.ranks)
    }
}

/// The port of rank 0. torchrun's agent may listen at the one that it names, for its own workers: then the
/// next.
fn port() -> Result<u16> {
    let Some(port) = variable("MASTER_PORT") else { return Ok(PORT) };
    let taken = variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|answer| answer == "True");
    let named = port.parse().ok().filter(|port: &u16| *port > 0);
    let read = named.and_then(|port| port.checked_add(taken.into()));
    read.with_context(|| format!("MASTER_PORT={port} is not a port that all ranks can use: give 1 to 65534"))
}
