//! Which rank this process is, and where rank 0 listens: what the launcher has put into the environment.

use anyhow::{Context, Result, bail, ensure};

/// A process among others.
pub struct Place {
    /// From 0.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
    /// From 0 on each host: the GPU.
    pub local_rank: usize,
    /// Where rank 0 listens.
    pub host: String,
    pub port: u16,
}

/// Rank, number of ranks, rank on this host: by the names of torchrun, Open MPI, MPICH (Intel MPI, `srun
/// --mpi=pmi2`) and SLURM. Under mpirun on a SLURM cluster both have theirs, and SLURM's are of the job.
const LAUNCHERS: [(&str, &str, &[&str]); 4] = [
    ("RANK", "WORLD_SIZE", &["LOCAL_RANK"]),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", &["OMPI_COMM_WORLD_LOCAL_RANK"]),
    ("PMI_RANK", "PMI_SIZE", &["MPI_LOCALRANKID", "SLURM_LOCALID"]),
    ("SLURM_PROCID", "SLURM_NTASKS", &["SLURM_LOCALID"]),
];

/// The most ranks.
const RANKS: usize = 4096;

/// torchrun's own.
const PORT: u16 = 29500;

/// Its value, and none if it is empty. What is no UTF-8 in it fits nothing, but is there.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into())
}

fn number(name: &str) -> Result<usize> {
    let value = variable(name).with_context(|| format!("{name} is not set"))?;
    value.parse().with_context(|| format!("{name}={value} is no number"))
}

impl Place {
    /// What the environment says.
    pub fn of_launcher() -> Result<Place> {
        let Some((rank, ranks, local_ranks)) = LAUNCHERS.iter().find(|names| variable(names.0).is_some())
        else {
            bail!(
                "no launcher has said which rank this is: start it by torchrun, mpirun or srun, set RANK, \
                 WORLD_SIZE and LOCAL_RANK, or give --start 2"
            );
        };
        let local_rank = local_ranks.iter().find(|name| variable(name).is_some()).unwrap_or(&local_ranks[0]);
        let host = variable("MASTER_ADDR").unwrap_or("127.0.0.1".into());
        let place = Place {
            rank: number(rank)?,
            ranks: number(ranks)?,
            local_rank: number(local_rank)?,
            host: host.trim_matches(['[', ']']).into(), // as an IPv6 address stands before a port
            port: port()?,
        };
        let Place { rank: own, ranks: all, .. } = place;
        ensure!(own < all, "{rank}={own} and {ranks}={all}: ranks are counted from 0");
        ensure!(all <= RANKS, "{ranks}={all}: there are at most {RANKS} ranks");
        Ok(place)
    }
}

/// The port of rank 0. torchrun's agent may listen at the one that it names, for its own workers: then the
/// next.
fn port() -> Result<u16> {
    let Some(port) = variable("MASTER_PORT") else { return Ok(PORT) };
    let taken = variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|answer| answer == "True");
    let named = port.parse().ok().filter(|port: &u16| *port > 0);
    let read = named.and_then(|port| port.checked_add(taken.into()));
    read.with_context(|| format!("MASTER_PORT={port} is no port that all ranks can name: give 1 to 65534"))
}
