//! One process per GPU, on one host or on many: each adds up its share, and NCCL adds the shares.
//!
//!     cargo run --example ranks -- --start 2 --device sim                   # starts both itself
//!     torchrun --nproc-per-node 2 --no-python target/debug/examples/ranks   # or mpirun -n 2, or srun -n 2

mod meeting;
mod place;
mod start;
mod sum;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Error;
use clap::Parser;
use place::Place;
use sum::Tools;
use workbook::device::{DeviceChoice, NoGpu};
use workbook::text::arguments::number;
use workbook::text::say;

/// Adds up one array in several processes, one per GPU.
///
/// The launcher says which rank this is: torchrun by RANK, WORLD_SIZE and LOCAL_RANK, Open MPI by
/// OMPI_COMM_WORLD_RANK and so on, MPICH by PMI_RANK, SLURM by SLURM_PROCID. Rank 0 listens at MASTER_ADDR
/// and MASTER_PORT.
#[derive(Parser)]
#[command(name = "ranks", bin_name = "cargo run --example ranks --")]
struct Options {
    /// Start this many ranks on this host, as a launcher would
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=64))]
    start: Option<u64>,
    /// Where the kernels run; auto: on a GPU, and there is no other choice. NCCL adds the shares of GPUs, and
    /// rank 0 those of simulated ones
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    device: DeviceChoice,
    /// Elements of all ranks together, the same number for each: 1000, 1e6 or 2^20
    #[arg(long, value_name = "N", default_value = "2^20", value_parser = elements)]
    n: u64,
    /// How often the sum is made; its time is the median
    #[arg(long, value_name = "R", default_value_t = 20)]
    repeats: u64,
    /// Seed of the data
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Seconds after which a rank that waits for another gives up
    #[arg(long, value_name = "S", default_value = "30", value_parser = seconds)]
    timeout: Duration,
}

fn elements(text: &str) -> Result<u64, String> {
    number(text, u64::MAX).ok_or("the number of elements is 0 to 2^64 - 1, written like 1000 or 2^20".into())
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) if (1.0..=86_400.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a time-out has 1 to 86400 seconds".into()),
    }
}

fn main() -> ExitCode {
    let options = Options::try_parse().unwrap_or_else(|error| say::usage(&error, error.exit_code()));
    let is_started = std::env::var_os(start::STARTED).is_some();
    if let Some(ranks) = options.start
        && !is_started
    {
        return start::start(ranks, options.timeout);
    }
    match take_part(&options, is_started) {
        Ok(()) => say::status(0),
        Err(Fault { status, sentence }) => {
            // One line, whatever another has sent.
            say::err(&format!("error: {}\n", say::visible(&sentence).replace('\n', " ")));
            say::status(status)
        }
    }
}

/// Why a rank fails.
struct Fault {
    /// 2 if it cannot take part, 1 if it has failed with the others.
    status: u8,
    sentence: String,
}

fn take_part(options: &Options, is_started: bool) -> Result<(), Fault> {
    let place = Place::of_launcher().map_err(|error| Fault { status: 2, sentence: format!("{error:#}") })?;
    let fault = |status, error: Error| {
        // Why there is no GPU, without the advice to use the simulator: that is not for one rank alone.
        let no_gpu = error.downcast_ref().map(|no_gpu: &NoGpu| no_gpu.reason.clone());
        Fault { status, sentence: format!("{place}: {}", no_gpu.unwrap_or(format!("{error:#}"))) }
    };
    if is_started {
        let failed = "cannot watch this rank's launcher";
        start::end_with_launcher().map_err(|error| fault(2, Error::new(error).context(failed)))?;
    }
    let tools = Tools::find(&place, options).map_err(|error| fault(2, error))?;
    sum::run(&place, options, tools).map_err(|error| fault(1, error))
}
