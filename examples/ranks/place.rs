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
    /// The same for all ranks of a job, and for no other job; empty if nothing tells.
    pub job: String,
}

/// The variables of a launcher.
struct Launcher {
    rank: &'static str,
    ranks: &'static str,
    /// The first of these that is set.
    local_rank: &'static [&'static str],
    /// The first of these lists all of which are set; together they name the job.
    job: &'static [&'static [&'static str]],
}

/// torchrun, Open MPI, MPICH (Intel MPI, `srun --mpi=pmi2`) and SLURM. Under mpirun on a SLURM cluster both
/// have their variables, and SLURM's are those of the job.
const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        rank: "RANK",
        ranks: "WORLD_SIZE",
        local_rank: &["LOCAL_RANK"],
        // One `srun` may start torchrun on each host, so that SLURM's steps are no part of it.
        job: &[&["TORCHELASTIC_RUN_ID", "SLURM_JOB_ID"], &["TORCHELASTIC_RUN_ID"], &["SLURM_JOB_ID"]],
    },
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: "OMPI_COMM_WORLD_SIZE",
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        job: &[&["PMIX_NAMESPACE"], &["SLURM_JOB_ID"]],
    },
    Launcher {
        rank: "PMI_RANK",
        ranks: "PMI_SIZE",
        local_rank: &["MPI_LOCALRANKID", "SLURM_LOCALID"],
        job: &[&["PMIX_NAMESPACE"], &["SLURM_JOB_ID"]],
    },
    Launcher {
        rank: "SLURM_PROCID",
        ranks: "SLURM_NTASKS",
        local_rank: &["SLURM_LOCALID"],
        job: &[&["SLURM_JOB_ID", "SLURM_STEP_ID"], &["SLURM_JOB_ID"]],
    },
];

/// Names the job in place of what the launcher says.
pub const JOB: &str = "WORKBOOK_RANKS_JOB";

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
    value.parse().with_context(|| format!("{name}={value}: `{value}` is not a number"))
}

impl Launcher {
    /// What names the job, with the names of the variables; empty if there is nothing.
    fn job(&self) -> String {
        let value = |name: &str| Some(format!("{name}={}", variable(name)?));
        let all = |names: &&[&str]| names.iter().map(|name| value(name)).collect::<Option<Vec<_>>>();
        self.job.iter().find_map(all).unwrap_or_default().join(" ")
    }
}

impl Place {
    /// Where rank 0 listens, as messages name it.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// What the environment says.
    pub fn of_launcher() -> Result<Place> {
        let Some(launcher) = LAUNCHERS.iter().find(|launcher| variable(launcher.rank).is_some()) else {
            bail!(
                "no launcher has said which rank this is: start it by torchrun, mpirun or srun, set RANK, \
                 WORLD_SIZE and LOCAL_RANK, or give --start 2"
            );
        };
        let Launcher { rank, ranks, local_rank: local_ranks, .. } = launcher;
        let local_rank = local_ranks.iter().find(|name| variable(name).is_some()).unwrap_or(&local_ranks[0]);
        let host = variable("MASTER_ADDR").unwrap_or("127.0.0.1".into());
        let place = Place {
            rank: number(rank)?,
            ranks: number(ranks)?,
            local_rank: number(local_rank)?,
            host: host.trim_matches(['[', ']']).into(), // as an IPv6 address stands before a port
            port: port()?,
            job: variable(JOB).unwrap_or_else(|| launcher.job()),
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
    read.with_context(|| format!("MASTER_PORT={port} is not a port that all ranks can name: give 1 to 65534"))
}
