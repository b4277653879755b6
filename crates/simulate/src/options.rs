//! The command line of `simulate`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Parser, ValueEnum};
use kernel_compiler::in_page::Compiled;
use kernel_compiler::staging::{self, Given};
use launch::{Dimensions, Scope, Spec};
use ptx_simulator::{
    Budget, DEFAULT_MEMORY, DEFAULT_PENDING_LAUNCHES, DEFAULT_SYNC_DEPTH, DeviceProperties, Kind,
};
use text::{arguments, say};

use super::cure::Limits;
use super::stop;

const SPECS: &str = "\
An argument, one --arg for each parameter in order:
  i32:5                   a number: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64; i32:-5, u32:0xff,
                          u32:2^20, f32:1.5e-3, f32:inf, f64:nan, f32:-0
  struct:i32:4,f32:0,1    a structure, field by field (here 12 bytes); int3 is struct:i32:1,2,3
  buf:i32:1,2,3           a buffer with these elements; the kernel gets its address
  buf:f32:zeros*1024      1,024 times 0
  buf:f32:0.5*1024        1,024 times the same number
  buf:i32:iota*1000       0, 1, 2 … 999; iota:1*1000 begins at 1
  buf:u8:uninit*64        64 elements that were never written
  buf:i32:5,zeros*9,uninit*2     parts, side by side
  buf:f32:random*1024     between -1 and 1 (whole numbers: -100 to 100); random:SEED
  buf:f32:file=in.bin     what a file holds: raw bytes
  buf:i32:                no element
  @1                      the buffer of argument 1 again; @NAME one of --buffer; @NAME+16 bytes further
  buf:ptr:@1,@NAME        a table of pointers

A script has a line for each step: buffer NAME=TYPE:ELEMENTS, symbol NAME=TYPE:ELEMENTS,
launch KERNEL<<<GRID, BLOCK, SHARED>>> [cluster=BLOCKS] ARG …, expect NAME=TYPE:ELEMENTS [within 1e-5],
expect NAME=@OTHER, save NAME=FILE; `TYPE ROWSxCOLUMNS` is a buffer of two dimensions. It may stand in the
file itself, each line behind `//@`; then `save` takes a plain name and
writes a new file in the folder that --out names, and `file=` reads below the file's own folder or --data.

Exit status: 0 nothing is wrong; 1 a diagnostic of severity error; 2 a command line, file or instruction
that the simulator cannot take.

Example: mine.cu adds up one block's numbers, and somebody has forgotten a barrier:

  extern \"C\" __global__ void sum(const int *in, int *out)
  {
      __shared__ int partial[64];
      unsigned t = threadIdx.x;
      partial[t] = in[t];
      // Missing: __syncthreads(), so that every element is there before a neighbour reads it.
      for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
          if (t < stride)
              partial[t] += partial[t + stride];
          __syncthreads();
      }
      if (t == 0)
          *out = partial[0];
  }
  //@ launch sum<<<1, 64>>> buf:i32:iota*64 buf:i32:uninit*1

  cargo run --example simulate -- mine.cu

On a GPU the sum is nearly always the right 2016, which proves nothing. The simulator names both lines of
the race, the write and the read in the loop.";

/// What to run, on what, and what to print.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "simulate",
    bin_name = "cargo run --example simulate --",
    override_usage = "cargo run --example simulate -- FILE [OPTIONS]\n       \
                      cargo run --example simulate -- FILE --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg SPEC]… \
                      [OPTIONS]\n       cargo run --example simulate -- FILE --script STEPS [OPTIONS]",
    about = "Runs one kernel of yours on the simulator, checks it, and prints what every buffer holds",
    after_help = SPECS
)]
pub struct Options {
    /// The kernel's file: .ptx, or .cu, which nvcc or clang compiles first
    pub file: PathBuf,
    /// Further files of a whole program: .cu or .cpp
    #[arg(value_name = "MORE")]
    pub more: Vec<PathBuf>,
    /// What a whole program is given as argv, behind `--`
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub program_args: Vec<String>,
    /// The kernel; may be left out if the file has only one
    #[arg(long, value_name = "NAME", requires = "grid")]
    pub kernel: Option<String>,
    /// Blocks. Without it, the file's own lines `//@ launch …` say what to launch (below)
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions, allow_hyphen_values = true,
        requires = "block")]
    pub grid: Option<Dimensions>,
    /// Threads per block
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions, allow_hyphen_values = true,
        requires = "grid")]
    pub block: Option<Dimensions>,
    /// Several launches, one after another: a file with a line for each step (below)
    #[arg(long, value_name = "STEPS",
        conflicts_with_all = ["grid", "block", "shared", "cluster", "args", "kernel"])]
    pub script: Option<PathBuf>,
    /// Dynamic shared memory, in bytes per block
    #[arg(long, value_name = "BYTES", value_parser = whole::<u32>("bytes, like 1024 or 2^10"),
        default_value = "0", allow_hyphen_values = true, requires = "grid")]
    pub shared: u32,
    /// Blocks of a cluster, if the kernel does not say it itself (cudaLaunchAttributeClusterDimension)
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions, allow_hyphen_values = true,
        requires = "grid")]
    pub cluster: Option<Dimensions>,
    /// The next argument of the kernel (below)
    #[arg(long = "arg", value_name = "SPEC", value_parser = spec, allow_hyphen_values = true,
        requires = "grid")]
    pub args: Vec<Spec>,
    /// A buffer that is not an argument: @NAME means its address
    #[arg(long = "buffer", value_name = "NAME=TYPE:ELEMENTS")]
    pub buffers: Vec<String>,
    /// Set a __constant__ or __device__ variable before the launch, and show it afterwards; NAME=TYPE: shows
    /// it only
    #[arg(long = "symbol", value_name = "NAME=TYPE:ELEMENTS")]
    pub symbols: Vec<String>,
    /// What a buffer is to hold after the launch, by its name or the number of its argument
    #[arg(long = "expect", value_name = "NAME=TYPE:ELEMENTS|NAME=@OTHER")]
    pub expected: Vec<String>,
    /// Write a buffer to a file after the launch, as raw bytes
    #[arg(long = "save", value_name = "NAME=FILE")]
    pub saves: Vec<String>,
    /// Where the file's own lines `//@ save …` may write new files; without it nothing is saved for them
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Where the file's own lines may read files by `file=`; without it in the file's own folder
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// For a .cu: the compute capability it is compiled for, like 75; without it that of the GPU (--gpu)
    #[arg(long, value_name = "CC")]
    pub arch: Option<String>,
    /// For a .cu: whether it is compiled for fast code, as nvcc does; off: each line does what it says. What
    /// is written and never read a compiler removes, and with it a race, so `off` can show more
    #[arg(long, value_enum, default_value_t = Optimise::On)]
    pub optimise: Optimise,
    /// For a .cu: where included files are looked for
    #[arg(short = 'I', value_name = "DIRECTORY")]
    pub include: Vec<PathBuf>,
    /// For a .cu: a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Only what this cell of the file asks for, from 1; a line `// %%` begins a cell. Those before it run
    /// first, unseen, if it works on their buffers or the file has variables
    #[arg(long, value_name = "N", conflicts_with_all = ["grid", "script"],
        value_parser = clap::value_parser!(u32).range(1..))]
    pub cell: Option<u32>,
    /// How many launches by device code may be pending (cudaLimitDevRuntimePendingLaunchCount)
    #[arg(long, value_name = "N", value_parser = whole::<u64>("launches, like 2048 or 2^16"),
        default_value_t = DEFAULT_PENDING_LAUNCHES,
        allow_hyphen_values = true)]
    pub pending_launches: u64,
    /// How many levels of grids may wait for their children, in device code of before CUDA 12
    /// (cudaLimitDevRuntimeSyncDepth)
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SYNC_DEPTH, allow_hyphen_values = true)]
    pub sync_depth: u32,
    /// The order in which blocks and warps have their turns: 0 the plain one, 2 the last ones first,
    /// 1 or 3 a shuffled one; then no other order is tried
    #[arg(long, value_name = "SEED")]
    pub schedule: Option<u64>,
    /// How many orders of the atomic, volatile and other strong operations of a launch are tried: all, or at
    /// most N; without it all, as far as about a second goes
    #[arg(long, value_name = "all|N", allow_hyphen_values = true, conflicts_with_all = ["schedule", "order"])]
    pub orders: Option<Budget>,
    /// Run the order that --save-order has kept
    #[arg(long, value_name = "FILE", conflicts_with = "schedule")]
    pub order: Option<PathBuf>,
    /// Keep the first order that shows a mistake
    #[arg(long, value_name = "FILE")]
    pub save_order: Option<PathBuf>,
    /// Instructions that the warps of a launch may execute before it counts as endless, 2^29 without this; of
    /// a whole program those of all launches together, 2^26 without this, and 64 times as many of its host;
    /// `none`: any number
    #[arg(long, value_name = "N", value_parser = steps, allow_hyphen_values = true)]
    pub steps_limit: Option<Steps>,
    /// The GPU that is simulated: what a .cu is compiled for depends on it (`__CUDA_ARCH__`), how many blocks
    /// are under way at the same time, and how much shared memory a block can have. One of T4, A100, RTX3090,
    /// L4, RTX4090, H100, H200, B200
    #[arg(long, value_name = "NAME", value_parser = gpu, default_value = DeviceProperties::H200.name)]
    pub gpu: DeviceProperties,
    /// Memory of this machine for the buffers and what the checks remember, in bytes
    #[arg(long, value_name = "BYTES", value_parser = whole::<u64>("bytes, like 2^30 or 1e9"),
        default_value_t = DEFAULT_MEMORY, allow_hyphen_values = true)]
    pub memory: u64,
    /// off: no checks but those that stop a kernel, such as an access out of bounds
    #[arg(long, value_enum, default_value_t = Checks::On)]
    pub checks: Checks,
    /// For a .cu: whether edits that may cure what was found are compiled and tried, for about 2 seconds;
    /// off: the help is what the checks say
    #[arg(long, value_enum, default_value_t = Cures::On)]
    pub cures: Cures,
    /// Print a table of what each warp did, step by step
    #[arg(long)]
    pub steps: bool,
    /// Write the steps as a figure that plays, one HTML file
    #[arg(long, value_name = "OUT.html")]
    pub figure: Option<PathBuf>,
    /// For a .cu: print a CUDA program with a main that does the same with nvcc and a GPU, and run nothing
    #[arg(long, conflicts_with_all = ["json", "steps", "figure"])]
    pub export: bool,
    /// Print one JSON object on stdout, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// The steps are remembered for whoever calls this, shown or not.
    #[arg(skip)]
    pub remembers: bool,
    /// How much is tried for cures.
    #[arg(skip)]
    pub cure_limits: Limits,
    /// How a page compiles a text in place of what a file holds.
    #[arg(skip)]
    pub compile: Option<fn(&Path, &str) -> Result<Compiled>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Checks {
    On,
    Off,
}

/// Whether the compiler optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Optimise {
    On,
    Off,
}

/// Whether cures are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cures {
    On,
    Off,
}

impl Options {
    /// The options of this process; a wrong one ends it with exit status 2 and a message.
    pub fn parse_or_exit() -> Options {
        Options::try_parse().unwrap_or_else(|error| say::usage(&error, error.exit_code()))
    }

    /// The compute capability to compile for: the one that was asked for, or that of the GPU.
    pub fn capability(&self) -> String {
        match &self.arch {
            Some(arch) => arch.trim_start_matches("compute_").trim_start_matches("sm_").to_owned(),
            None => self.gpu.capability(),
        }
    }

    /// What the compiler is given besides.
    pub fn for_compiler(&self) -> Given<'_> {
        let optimise = match self.optimise {
            Optimise::On => staging::Optimise::On,
            Optimise::Off => staging::Optimise::Off,
        };
        Given { include: &self.include, define: &self.define, optimise }
    }
}

/// A limit of instructions, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps(pub Option<u64>);

fn steps(text: &str) -> Result<Steps, String> {
    match text.trim() {
        "none" => Ok(Steps(None)),
        number => {
            whole("instructions, like 1e9 or 2^30, or `none`")(number).map(|number| Steps(Some(number)))
        }
    }
}

fn gpu(name: &str) -> Result<DeviceProperties, String> {
    DeviceProperties::named(name).ok_or_else(|| {
        let names = DeviceProperties::ALL.map(|device| device.name.replace(' ', ""));
        format!("unknown GPU; expected one of {}", names.join(", "))
    })
}

fn spec(text: &str) -> anyhow::Result<Spec> {
    Spec::parse(text, Scope::default())
}

/// X[,Y[,Z]] of at least one each.
fn dimensions(text: &str) -> anyhow::Result<Dimensions> {
    let (x, y, z) = launch::dimensions(text, &[])?;
    anyhow::ensure!(x > 0 && y > 0 && z > 0, "sizes must be at least 1: X[,Y[,Z]], like 256 or 16,16");
    Ok((x, y, z))
}

/// Reads a whole number; `what` says of what, and how to write it.
fn whole<T: TryFrom<u64>>(what: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = arguments::number(text.trim(), u64::MAX).and_then(|number| number.try_into().ok());
        number.ok_or_else(|| format!("a number of {what}"))
    }
}

/// A finding's help, with the option that allows more, where that would help as a smaller problem does. A
/// page has no command line.
pub fn with_option(kind: Kind, help: &str) -> String {
    match kind {
        _ if cfg!(target_family = "wasm") || stop::is_asked() => help.to_string(),
        Kind::StepLimit => format!("{help} (--steps-limit N; `none` for any number)"),
        Kind::MemoryLimit if help.contains("smaller") => {
            format!("{help}; --memory allows more, and --checks off needs less")
        }
        _ => help.to_string(),
    }
}
