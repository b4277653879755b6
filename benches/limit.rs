//! Which candidate of `kernels/peers/tune.cu` is the fastest sum of how many elements, beside CUB: the sweep behind the
//! table of src/limit.rs. `cargo bench --bench limit -- --csv FILE` keeps all of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use workbook::backend::{Device, DeviceChoice, Function, LaunchConfig, Module};
use workbook::limit::{SumF32, SumI64};
use workbook::nvcc::Nvcc;
use workbook::operator::{Operator, SumI32, elements};
use workbook::peers::{Peers, Summed};
use workbook::record::Timing;
use workbook::timing::{self, Cache, Contender, Flush, Rotation};
use workbook::{data, kernels};

const SOURCE: &str = "kernels/peers/tune.cu";
/// Blocks in a grid: around the 132 multiprocessors of an H200, and multiples.
const GRIDS: [u32; 19] =
    [1, 2, 4, 8, 16, 32, 64, 96, 132, 264, 396, 528, 792, 1056, 1584, 2112, 4224, 8448, 16896];

#[derive(Parser)]
#[command(about = "The sweep that tunes chapter 7's last kernel; needs a GPU, and an nvcc")]
struct Options {
    /// Powers of 2: the sizes
    #[arg(long, value_delimiter = ',', default_value = "10,12,14,16,18,20,22,24,26,28,30")]
    sizes: Vec<u32>,
    /// i32, f32, i64
    #[arg(long, value_delimiter = ',', default_value = "i32,f32,i64")]
    types: Vec<String>,
    /// Blocks in a cluster
    #[arg(long, value_delimiter = ',', default_value = "1,8")]
    clusters: Vec<u32>,
    /// Samples of each candidate in the first round
    #[arg(long, default_value_t = 5)]
    samples: usize,
    /// How many go on to the second round
    #[arg(long, default_value_t = 8)]
    best: usize,
    /// Where all times go
    #[arg(long)]
    csv: Option<PathBuf>,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
    #[arg(long, hide = true)]
    record: bool,
}

fn main() -> ExitCode {
    match tune(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn tune(options: &Options) -> Result<()> {
    let device = Device::open(DeviceChoice::Auto)?;
    let Some(gpu) = device.info().gpu else {
        println!("the sweep of chapter 7 measures times, and there is no usable GPU");
        return Ok(());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (ptx, machine_code) = code(root, &gpu.compute_capability.replace('.', ""))?;
    let module = device.load_code("tune", &ptx, &machine_code)?;
    let chapter = device.load_module(kernels::get("ch7_limit")?)?;
    let peers = match Peers::open(&device, root)? {
        Ok(peers) => Some(peers),
        Err(note) => {
            println!("note: {note}");
            None
        }
    };
    println!("{:?}", device.info());
    let mut csv: Box<dyn Write> = match &options.csv {
        Some(path) => Box::new(std::fs::File::create(path)?),
        None => Box::new(std::io::sink()),
    };
    for kind in &options.types {
        for &size in &options.sizes {
            let bench =
                Bench { device: &device, module: &module, chapter: &chapter, peers: peers.as_ref(), options };
            match kind.as_str() {
                "i32" => bench.size::<SumI32>("int", 1 << size, &mut csv)?,
                "f32" => bench.size::<SumF32>("float", 1 << size, &mut csv)?,
                "i64" => bench.size::<SumI64>("i64", 1 << size, &mut csv)?,
                other => bail!("there are candidates for i32, f32 and i64, not for {other}"),
            }
        }
    }
    Ok(())
}

/// PTX and machine code of the candidates: from `WORKBOOK_TUNE`, a directory, or by nvcc.
fn code(root: &Path, capability: &str) -> Result<(String, Vec<u8>)> {
    let directory = match std::env::var_os("WORKBOOK_TUNE") {
        Some(directory) => PathBuf::from(directory),
        None => {
            let nvcc = Nvcc::find(root)?.context("building the candidates needs an nvcc")?;
            let directory = root.join("target").join("peers");
            std::fs::create_dir_all(&directory)?;
            let arch = ["-arch=compute_75".to_string(), format!("-arch=sm_{capability}")];
            for (kind, arch) in ["ptx", "cubin"].iter().zip(arch) {
                let mut command = Command::new(&nvcc.path);
                command.current_dir(root).args([&format!("-{kind}"), "-O3", &arch, SOURCE, "-o"]);
                let status = command.arg(directory.join("tune").with_extension(kind)).status()?;
                ensure!(status.success(), "nvcc cannot build {SOURCE}");
            }
            directory
        }
    };
    let read = |name| {
        std::fs::read(directory.join(name)).with_context(|| format!("no {name} in {}", directory.display()))
    };
    Ok((String::from_utf8(read("tune.ptx")?)?, read("tune.cubin")?))
}

struct Bench<'a> {
    device: &'a Device,
    module: &'a Module,
    chapter: &'a Module,
    peers: Option<&'a Peers>,
    options: &'a Options,
}

/// A kernel in a shape.
#[derive(Clone)]
struct Candidate {
    kernel: String,
    block: u32,
    grid: u32,
}

impl Bench<'_> {
    fn size<O: Operator>(&self, type_name: &str, n: usize, csv: &mut dyn Write) -> Result<()>
    where
        O::Element: Summed + PartialEq + std::fmt::Debug,
    {
        let start = Instant::now();
        let device = self.device;
        let bytes = n * size_of::<O::Element>();
        let stride = n.next_multiple_of(64);
        let copies = (2 * timing::FLUSH_BYTES / (stride * size_of::<O::Element>())).max(if n < 1 << 30 {
            2
        } else {
            1
        });
        let mut host = elements::<O>(&data::numbers(n, 1));
        let expected = host.iter().fold(O::IDENTITY, |sum, &x| O::combine(sum, x));
        host.resize(stride, O::IDENTITY);
        let input = device.clone_htod(&host.repeat(copies))?;
        drop(host);
        let output = device.alloc_zeros::<O::Element>(1)?;
        let scratch = device.alloc_zeros::<u64>(1 << 16)?;
        let rotation = Rotation::new(copies);
        let calls = ((1 << 26) / bytes).clamp(1, 64).max(if n < 1 << 30 { 2 } else { 1 });
        let flush = Flush::new(device, self.chapter)?;
        let flush = || flush.run();

        let candidates =
            candidates(self.module.kernels(), &self.options.clusters, type_name, n, size_of::<O::Element>());
        let mut functions: std::collections::HashMap<&str, Function> = Default::default();
        for candidate in &candidates {
            if !functions.contains_key(candidate.kernel.as_str()) {
                let function = self.module.load_function(&candidate.kernel)?;
                functions.insert(&candidate.kernel, function);
            }
        }
        let prepare = |candidate: &Candidate| {
            let mut launch = device.launch_builder(&functions[candidate.kernel.as_str()]);
            launch.arg(&input).arg(&output).arg(&(n as u32)).arg(&scratch);
            launch.prepare(LaunchConfig::new(candidate.grid, candidate.block))
        };
        let right = |sum: O::Element| sum == expected;

        // First round: each alone.
        let mut times: Vec<(f64, Candidate)> = Vec::new();
        for candidate in &candidates {
            let launch = prepare(candidate)?;
            let call = |copy: usize| launch.launch_on(&input.slice(copy * stride..));
            let contenders = [Contender { call: &call, in_graph: true }];
            let Some(time) =
                timing::work_alone(device, &contenders, &rotation, calls, self.options.samples, flush)?[0]
            else {
                continue;
            };
            let sum = device.clone_dtoh(&output)?[0];
            let Candidate { kernel, block, grid } = candidate;
            writeln!(csv, "first,{kernel},{n},{block},{grid},{},{},{}", time.median, time.min, right(sum))?;
            if !right(sum) {
                println!("WRONG: {kernel} n = {n} block {block} grid {grid}: {sum:?} for {expected:?}");
                continue;
            }
            times.push((time.median, candidate.clone()));
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));

        // Second round: the best, CUB and an empty kernel in turns; those that differ most first.
        let best: Vec<Candidate> =
            times.iter().take(self.options.best).map(|(_, best)| best.clone()).collect();
        let launches = best.iter().map(&prepare).collect::<Result<Vec<_>>>()?;
        let calls_of: Vec<_> = launches
            .iter()
            .map(|launch| |copy: usize| launch.launch_on(&input.slice(copy * stride..)))
            .collect();
        let nothing = self.chapter.load_function("doNothing")?;
        let nothing = device.launch_builder(&nothing).prepare(LaunchConfig::new(1, 32))?;
        let do_nothing = |_: usize| nothing.launch();
        let cub = self.peers.map(|peers| peers.cub::<O::Element>(device, n)).transpose()?;
        let cub_call = |copy: usize| match &cub {
            Some(cub) => cub.launch(&input.slice(copy * stride..)),
            None => Ok(()),
        };
        let thrust_call = |copy: usize| match &self.peers {
            Some(peers) => peers.thrust(&input.slice(copy * stride..), n).map(|_| ()),
            None => Ok(()),
        };
        let mut contenders = vec![Contender { call: &do_nothing, in_graph: true }];
        contenders.extend(calls_of.iter().map(|call| Contender { call, in_graph: true }));
        if self.peers.is_some() {
            contenders.push(Contender { call: &cub_call, in_graph: true });
            contenders.push(Contender { call: &thrust_call, in_graph: false });
        }
        let samples = if bytes > 1 << 28 { 15 } else { 60 };
        let alone = timing::work_alone(device, &contenders, &rotation, calls, samples.min(30), flush)?;
        let cold = timing::one_call(device, &contenders, &rotation, Cache::Cold, samples)?;
        let warm = timing::one_call(device, &contenders, &rotation, Cache::Warm, samples)?;
        if let Some(cub) = &cub {
            println!("{}", if right(cub.sum()?) { "CUB ok" } else { "CUB WRONG" });
        }
        let name = |i: usize| match i {
            0 => "doNothing".to_string(),
            i if i <= best.len() => {
                let Candidate { kernel, block, grid } = &best[i - 1];
                format!("{kernel} {grid}x{block}")
            }
            i if i == best.len() + 1 => "cub".into(),
            _ => "thrust".into(),
        };
        println!("{type_name} n = {n} ({} candidates, {:.1?})", candidates.len(), start.elapsed());
        let cub_at = best.len() + 1;
        for i in 0..contenders.len() {
            let of = |times: &[Option<Timing>]| {
                let median = |i: usize| times.get(i).copied().flatten().map(|time| time.median);
                match (median(i), median(cub_at)) {
                    (Some(time), Some(cub)) => format!("{time:9.3} ({:4.2})", cub / time),
                    (Some(time), None) => format!("{time:9.3}"),
                    _ => "-".into(),
                }
            };
            let (alone, cold, warm) = (of(&alone), of(&cold), of(&warm));
            println!("  {:40} alone {alone:>18}  cold {cold:>18}  warm {warm:>18}", name(i));
            writeln!(csv, "second,{},{n},{alone},{cold},{warm}", name(i))?;
        }
        // The best of each way, from the first round.
        for (part, title) in
            [(1, "block"), (2, "loads"), (3, "load"), (4, "finish"), (5, "sum"), (6, "cluster")]
        {
            let mut seen: Vec<String> = Vec::new();
            let mut line = String::new();
            for (time, candidate) in &times {
                let key = candidate.kernel.split('_').nth(part).unwrap_or_default().to_string();
                if !seen.contains(&key) {
                    line += &format!(
                        "  {key} {time:.3} ({}, {}x{})",
                        candidate.kernel, candidate.grid, candidate.block
                    );
                    seen.push(key);
                }
            }
            println!("    {title}:{line}");
        }
        std::io::stdout().flush()?;
        csv.flush()?;
        Ok(())
    }
}

/// The kernels of this type in all shapes that make sense for `n` elements of `bytes` bytes.
fn candidates(
    kernels: &[String],
    clusters: &[u32],
    type_name: &str,
    n: usize,
    bytes: usize,
) -> Vec<Candidate> {
    let vectors = (n * bytes / 16) as u32;
    let mut all = Vec::new();
    for kernel in kernels {
        let parts: Vec<&str> = kernel.split('_').collect();
        let [kind, block, loads, load, finish, _, cluster] = parts[..] else { continue };
        let numbers = (block.parse::<u32>(), loads.parse::<u32>(), cluster.parse::<u32>());
        let (Ok(block), Ok(loads), Ok(cluster)) = numbers else { continue };
        let is_large = n >= 1 << 22;
        let tiles = vectors.div_ceil(block * loads).max(1);
        let for_size = match load {
            "PassL1" => n >= 1 << 20,
            _ => !is_large || block > 128,
        };
        if kind != type_name || !clusters.contains(&cluster) || !for_size {
            continue;
        }
        let grids = match finish {
            "Alone" => vec![1],
            _ if cluster > 1 => vec![cluster],
            _ if GRIDS.contains(&tiles) || tiles > 2112 => GRIDS.to_vec(),
            _ => [&GRIDS[..], &[tiles]].concat(),
        };
        for grid in grids {
            let rounds = tiles.div_ceil(grid);
            let fits = if is_large { grid >= 132 } else { rounds <= 8 };
            if grid <= tiles && fits && (grid > 1 || finish == "Alone") {
                all.push(Candidate { kernel: kernel.to_string(), block, grid });
            }
        }
    }
    all
}
