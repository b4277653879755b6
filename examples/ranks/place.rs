//! Which rank this process is, and where rank 0 listens: what the launcher has put into the environment.

use anyhow::{Context, Result, bail, ensure};

/// A process among others.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// What the processes of this job alone have; empty where nobody has given them something.
    pub token: String,
}

/// Rank, number of ranks, rank on this host: by the names of torchrun, Open MPI, MPICH (and Intel MPI),
/// `srun --mpi=pmi2`, SLURM. Under mpirun on a SLURM cluster both have theirs, and SLURM's are of the job.
const LAUNCHERS: [[&str; 3]; 5] = [
    ["RANK", "WORLD_SIZE", "LOCAL_RANK"],
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
    ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"],
    ["PMI_RANK", "PMI_SIZE", "SLURM_LOCALID"],
    ["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"],
];

/// What a launcher calls the job, the same for all of its processes: torchrun, PMIx, Open MPI before it used
/// that, PMI-2, SLURM.
const JOBS: [&str; 5] =
    ["TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_JOB_ID"];
/// torchrun's, where nobody has given it one.
const NO_JOB: &str = "none";

/// The most ranks.
const RANKS: usize = 4096;

/// The most bytes of a token.
pub const TOKEN: usize = 1024;

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
    /// What the environment says, and the reader's own `token`.
    pub fn of_launcher(token: Option<&str>) -> Result<Place> {
        let launcher = LAUNCHERS.iter().find(|names| variable(names[0]).is_some());
        // Two launchers give the rank by one name.
        let whole = |names: &&[&str; 3]| {
            launcher.is_some_and(|first| names[0] == first[0]) && variable(names[2]).is_some()
        };
        let Some([rank, ranks, local_rank]) = LAUNCHERS.iter().find(whole).or(launcher) else {
            bail!(
                "no launcher has said which rank this is: start it by torchrun, mpirun or srun, set RANK, \
                 WORLD_SIZE and LOCAL_RANK, or give --start 2"
            );
        };
        let host = variable("MASTER_ADDR").or_else(first_host).unwrap_or("127.0.0.1".into());
        let place = Place {
            rank: number(rank)?,
            ranks: number(ranks)?,
            local_rank: number(local_rank)?,
            host: host.trim_matches(['[', ']']).into(), // as an IPv6 address stands before a port
            port: port()?,
            token: token.map_or_else(job, |token| Ok(token.into()))?,
        };
        ensure!(
            place.rank < place.ranks,
            "{rank}={} and {ranks}={}: ranks are counted from 0",
            place.rank,
            place.ranks
        );
        ensure!(place.ranks <= RANKS, "{ranks}={}: there are at most {RANKS} ranks", place.ranks);
        Ok(place)
    }
}

/// The name of the job; empty if it has none.
fn job() -> Result<String> {
    let mut jobs = JOBS.iter().filter_map(|name| Some((name, variable(name)?)));
    let Some((name, job)) = jobs.find(|(_, job)| job != NO_JOB) else { return Ok(String::new()) };
    ensure!(
        job.len() <= TOKEN,
        "{name} has {} bytes, and at most {TOKEN} name a job: give all ranks the same --token",
        job.len()
    );
    Ok(job)
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

/// The first of SLURM's hosts, which has rank 0: `gpu03-ib` of `gpu[03-05,09]-ib`, `a1b1` of `a[1-2]b[1-4]`.
fn first_host() -> Option<String> {
    let hosts = variable("SLURM_JOB_NODELIST")?;
    let (mut host, mut rest) = (String::new(), &hosts[..]);
    while let Some(end) = rest.find([',', '[']) {
        host += &rest[..end];
        if rest[end..].starts_with(',') {
            return Some(host);
        }
        let (numbers, behind) = rest[end + 1..].split_once(']').unwrap_or((&rest[end + 1..], ""));
        host += numbers.split([',', '-']).next().unwrap_or_default();
        rest = behind;
    }
    Some(host + rest)
}
