//! Thread-instructions per second of the simulator, checks off and on: `cargo bench`. With `cargo bench --
//! --record` the tables go into `benches/simulator.md`, for the book.

use std::process::{Command, ExitCode};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use workbook::device::{Timing, measure};
use workbook::kernels;
use workbook::reduction::data;
use workbook::reduction::serial::recursive_reduce;
use workbook::sim::{LaunchConfig, Module, Simulator};
use workbook::text::columns::{Column, markdown_table};
use workbook::text::number::{thousands, two_digits};
use workbook::text::say;

const KERNELS: [&str; 3] = ["reduceNeighbored", "reduceNeighboredLess", "reduceInterleaved"];
const N: u32 = 1 << 20;
const BLOCK: u32 = 512;

/// How long the launches of one case may take together, in microseconds.
const BUDGET: f64 = 8e6;

#[derive(Parser)]
#[command(about = "How fast the simulator is")]
struct Options {
    /// Write benches/simulator.md, which the book shows
    #[arg(long)]
    record: bool,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match bench(&Options::parse()) {
        Ok(()) => say::status(0),
        Err(error) => {
            say::err(&format!("error: {error:#}\n"));
            say::status(2)
        }
    }
}

fn bench(options: &Options) -> Result<()> {
    let build = kernels::get("ch3_blocks")?;
    let chapter = Module::parse(&build.ptx, &build.source_path)?;
    let others = Module::parse(include_str!("kernels.ptx"), "benches/kernels.cu")?;
    let of_chapter: Vec<_> =
        KERNELS.iter().map(|kernel| row(&chapter, &reduction(kernel))).collect::<Result<_>>()?;
    let of_others: Vec<_> = accesses().iter().map(|work| row(&others, work)).collect::<Result<_>>()?;
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let text = format!(
        "Chapter 3 at n = {}, {BLOCK} threads per block, thread-instructions per second:\n\n{}\n\
         Other kernels \
         (`benches/kernels.cu`), thread-instructions per second:\n\n{}\nMedians [least .. most] over several \
         launches, on one core of a machine that other work shares: {}, {}, {}, {}.\n",
        thousands(N.into()),
        table(&of_chapter),
        table(&of_others),
        measure::cpu_name(),
        rustc(),
        build.compiler,
        &date[..10],
    );
    say::out(&text);
    if options.record {
        let file = workbook::root().unwrap().join("benches/simulator.md");
        std::fs::write(&file, format!("<!-- {} {} -->\n\n{text}", build.stem, build.code_hash))?;
        say::out(&format!("Recorded in {}.\n", file.display()));
    }
    Ok(())
}

/// A launch that is measured.
struct Work<'a> {
    kernel: &'a str,
    config: LaunchConfig,
    /// The first is written anew before every launch.
    buffers: Vec<Vec<u8>>,
    number: u32,
    /// What the ints of the last buffer add up to.
    sum: Option<i32>,
}

/// A kernel of chapter 3.
fn reduction(kernel: &str) -> Work<'_> {
    let numbers = data::numbers(N as usize, 1);
    let grid = N / BLOCK;
    Work {
        kernel,
        config: LaunchConfig::new(grid, BLOCK),
        buffers: vec![bytemuck::cast_slice(&numbers).to_vec(), vec![0; 4 * grid as usize]],
        number: N,
        sum: Some(recursive_reduce(&mut numbers.clone())),
    }
}

/// The kernels of `benches/kernels.cu`.
fn accesses() -> Vec<Work<'static>> {
    let of = |kernel, grid_dim, block_dim, buffers: &[u32], number| Work {
        kernel,
        config: LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 },
        buffers: buffers.iter().map(|bytes| vec![1; *bytes as usize]).collect(),
        number,
        sum: None,
    };
    let side = 256;
    let line = (N / BLOCK, 1, 1);
    vec![
        of("matrixProduct", (side / 16, side / 16, 1), (16, 16, 1), &[4 * side * side; 3], side),
        of("copyBytes", line, (BLOCK, 1, 1), &[N; 2], N),
        of("scan", line, (BLOCK, 1, 1), &[4 * N; 2], N),
        of("transpose", (32, 32, 1), (32, 8, 1), &[4 * N; 2], 1024),
    ]
}

/// The columns of a table.
const TITLES: [&str; 5] = ["kernel", "thread-instructions", "checks off", "checks on", "times as long"];

/// Launches without the checks and with them, in turn, so that a change of the machine's speed meets both. A
/// thread-instruction is a PTX instruction of an active lane, as [`workbook::sim::Counters`] counts them.
///
/// How many times as long the checks take is the median over these pairs, not the ratio of the two medians:
/// when the speed changes halfway, the two medians may come from either side of the change, and a pair hardly
/// does.
fn row(module: &Module, work: &Work) -> Result<[String; 5]> {
    let mut simulator = Simulator::new();
    let mut args = Vec::new();
    for buffer in &work.buffers {
        args.push(simulator.alloc(buffer.len() as u64)?);
        simulator.write(*args.last().context("an address")?, buffer)?;
    }
    args.push(work.number.into());
    let mut thread_instructions = 0;
    let mut once = |checked: bool| -> Result<f64> {
        simulator.write(args[0], &work.buffers[0])?;
        let start = Instant::now();
        let counters = if checked {
            let launched = simulator.launch_checked(module, work.kernel, work.config, &args);
            ensure!(launched.diagnostics.is_empty(), "{}", launched.diagnostics[0]);
            launched.counters
        } else {
            simulator.launch(module, work.kernel, work.config, &args)?
        };
        let microseconds = start.elapsed().as_secs_f64() * 1e6;
        thread_instructions = counters.thread_instructions;
        if let Some(expected) = work.sum {
            let last = work.buffers.len() - 1;
            let mut ints = vec![0i32; work.buffers[last].len() / 4];
            simulator.read(args[last], bytemuck::cast_slice_mut(&mut ints))?;
            let sum = ints.iter().fold(0i32, |sum, partial| sum.wrapping_add(*partial));
            ensure!(sum == expected, "the sum is {sum}, not {expected}");
        }
        Ok(microseconds)
    };
    let mut pairs = Vec::new();
    let measured = measure::repeat(BUDGET, || {
        let pair = [once(false)?, once(true)?];
        pairs.push(pair);
        Ok(pair[0] + pair[1])
    });
    measured.with_context(|| work.kernel.to_string())?;
    // The first warms up, unless it took so long that it is the only one.
    let pairs = if pairs.len() > 1 { &pairs[1..] } else { &pairs };
    let of = |value: fn(&[f64; 2]) -> f64| {
        Timing::of(pairs.iter().map(value).collect()).context("no launch was measured")
    };
    let millions = |time: f64| thousands((thread_instructions as f64 / time).round() as i64);
    // `980 million [955 .. 1,010]`: per second in the median launch, the slowest and the fastest.
    let rates = |time: Timing| {
        format!("{} million [{} .. {}]", millions(time.median), millions(time.max), millions(time.min))
    };
    Ok([
        format!("`{}`", work.kernel),
        thousands(thread_instructions as i64),
        rates(of(|[unchecked, _]| *unchecked)?),
        rates(of(|[_, checked]| *checked)?),
        two_digits(of(|[unchecked, checked]| checked / unchecked)?.median),
    ])
}

fn table(rows: &[[String; 5]]) -> String {
    let cells = |column: usize| rows.iter().map(move |row| row[column].as_str());
    let numbers = (1..5).map(|column| Column::right(TITLES[column], cells(column)));
    let columns: Vec<_> = std::iter::once(Column::left(TITLES[0], cells(0))).chain(numbers).collect();
    markdown_table(&columns)
}

/// `rustc 1.90.0`
fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}
