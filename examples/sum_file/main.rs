//! The exact sum of a file of `i32` that may be larger than any GPU, and than the host's memory.
//!
//!     cargo run --example sum_file -- FILE
//!     cargo run --example sum_file -- --generate 2^34 --resume

mod checkpoint;
mod pieces;
mod source;

#[cfg(unix)]
use std::fs::File;
use std::io::{ErrorKind, stdout};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use checkpoint::{Checkpoint, Place};
use clap::Parser;
use pieces::Pieces;
use source::{Source, Stamp};
use workbook::chapter::Progress;
use workbook::device::{Device, DeviceChoice, Peers, SimulatorOptions};
use workbook::text::arguments::number;
use workbook::text::number::{thousands, three_digits};
use workbook::text::say;

/// The exact sum of a file of `i32`, piece by piece, on all GPUs at once.
#[derive(Parser)]
#[command(name = "sum_file", bin_name = "cargo run --example sum_file --", allow_negative_numbers = true)]
struct Options {
    /// The file: numbers of 32 bits, little-endian
    #[arg(required_unless_present = "generate", conflicts_with = "generate")]
    file: Option<PathBuf>,
    /// So many numbers of this book's generator, in place of a file
    #[arg(long, value_name = "N",
        value_parser = |text: &str| number(text, 1 << 50).ok_or("0 to 2^50 numbers"))]
    generate: Option<u64>,
    /// Seed of the generator
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "file")]
    seed: u64,
    /// Where the kernels run; auto: on all GPUs if one is usable, else on two simulated ones
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    device: DeviceChoice,
    /// GPUs that work together; none: all that there are
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=64))]
    gpus: Option<u64>,
    /// Streams per GPU, each with a piece in pinned memory and one on the GPU
    #[arg(long, value_name = "K", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=16))]
    streams: u64,
    /// Numbers in a piece; none: 2^22 on GPUs, 2^16 on simulated ones
    #[arg(long, value_name = "N", value_parser = piece)]
    piece: Option<u64>,
    /// Go on from the checkpoint of a run that was interrupted
    #[arg(long)]
    resume: bool,
    /// Milliseconds between two checkpoints
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    checkpoint_every: u64,
}

fn piece(text: &str) -> Result<u64, &'static str> {
    number(text, 1 << 30).filter(|numbers| *numbers > 0).ok_or("a piece has 1 to 2^30 numbers")
}

fn main() -> ExitCode {
    let options = Options::try_parse().unwrap_or_else(|error| say::usage(&error, error.exit_code()));
    match sum(&options) {
        Ok(status) => say::status(status),
        Err(error) => {
            complain("error", &format!("{error:#}"));
            say::status(2)
        }
    }
}

/// Names of files are shown so that a terminal does not obey what is in them.
fn complain(what: &str, text: &str) {
    say::err(&format!("{what}: {}\n", say::visible(text)));
}

/// Where the run begins: at the first number, or with `--resume` where an earlier one was interrupted.
fn start(options: &Options, stamp: &Stamp, path: &Path) -> Result<Checkpoint> {
    let name = path.display();
    match (Checkpoint::read(path)?, options.resume) {
        (Some(earlier), true) => {
            ensure!(
                earlier.source == *stamp && earlier.done <= stamp.numbers,
                "the input has changed since the checkpoint at {name} was made; remove that, and leave \
                 --resume out to begin again"
            );
            Ok(earlier)
        }
        (Some(earlier), false) => bail!(
            "{name} holds the sum of the first {} numbers, from a run that was interrupted; go on from there \
             with --resume, or remove it to begin again",
            thousands(earlier.done as i64)
        ),
        (None, true) => bail!("there is no checkpoint to go on from at {name}; leave --resume out"),
        (None, false) => Ok(Checkpoint { source: stamp.clone(), done: 0, sum: 0 }),
    }
}

/// Returns the exit status.
fn sum(options: &Options) -> Result<u8> {
    let source = match (&options.file, options.generate) {
        (Some(file), _) => Source::open(file)?,
        (None, numbers) => Source::Generated { numbers: numbers.unwrap_or(0), seed: options.seed },
    };
    let stamp = source.stamp()?;
    let place = Place::reserve(source.checkpoint())?;
    let path = &place.path;
    let name = path.display();
    let mut at = start(options, &stamp, path)?;
    let all = stamp.numbers;
    let gpus = options.gpus.map(|gpus| gpus as usize);
    let devices = Device::open_some(options.device, gpus, Peers::Connected, SimulatorOptions::default())?;
    let simulated = devices[0].is_simulated();
    let piece = options.piece.unwrap_or(if simulated { 1 << 16 } else { 1 << 22 });
    let piece = piece.min(all.max(1));
    say::out(&format!(
        "{} numbers on {} × {}, from number {} on\n",
        thousands(all as i64),
        devices.len(),
        devices[0].info().name,
        thousands(at.done as i64)
    ));

    let mut pieces = Pieces::new(&devices, options.streams as usize, piece as usize)?;
    let mut progress = Progress::new(all);
    let first = at.done;
    let begin = Instant::now();
    let mut kept = begin;
    let mut warned = false;
    // Whether what lies there is of this run, or is what it went on from.
    let mut is_own = options.resume;
    let summed = pieces.sum(&source, &mut at, |at| {
        progress.show(at.done, || {
            let done = at.done;
            let rate = (done - first) as f64 / begin.elapsed().as_secs_f64();
            let left = Duration::from_secs(((all - done) as f64 / rate).ceil() as u64);
            let [all, done, rate] =
                [all as f64, done as f64, rate].map(|numbers| three_digits(numbers * 4e-9));
            format!("{done} of {all} GB, {rate} GB/s, {} left", humantime::format_duration(left))
        });
        if kept.elapsed() >= Duration::from_millis(options.checkpoint_every) {
            match at.keep(path) {
                Ok(()) => is_own = true,
                Err(error) if !warned => {
                    warned = true;
                    progress = Progress::new(all); // the line goes
                    complain("warning", &format!("{error:#}; this run cannot be resumed"));
                }
                Err(_) => {}
            }
            kept = Instant::now();
        }
    });
    drop(progress);
    let seconds = begin.elapsed().as_secs_f64();
    if source.stamp().ok() != Some(stamp) {
        complain("error", "the input has changed while it was read");
        return Ok(1);
    }
    summed?;
    if !say::out(&format!("sum: {}\n", at.sum)) || goes_nowhere(&stdout()) {
        // It may have taken hours.
        at.keep(path)?;
        complain("note", &format!("stdout goes nowhere; the sum is kept in {name}: --resume prints it"));
        return Ok(0);
    }
    if is_own {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                complain("warning", &format!("cannot remove the checkpoint {name}: {error}"));
            }
            _ => {}
        }
    }
    let rate = (at.done - first) as f64 * 4e-9 / seconds;
    say::out(&format!("{} GB/s, {:.1} s\n", three_digits(rate), seconds));
    Ok(0)
}

/// Whether what is written there is thrown away, as by `> /dev/null`. A program that is started without a
/// stdout has that one.
#[cfg(unix)]
fn goes_nowhere(stdout: &impl AsFd) -> bool {
    use std::os::unix::fs::MetadataExt;
    let about = stdout.as_fd().try_clone_to_owned().and_then(|stdout| File::from(stdout).metadata());
    let null = std::fs::metadata("/dev/null");
    matches!((about, null), (Ok(about), Ok(null)) if about.rdev() == null.rdev() && null.rdev() != 0)
}

#[cfg(not(unix))]
fn goes_nowhere<T>(_: &T) -> bool {
    false
}
