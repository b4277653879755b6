//! Which candidate of `kernels/libraries/tune.cu` sums an array of each size fastest: the sweep behind the
//! table of `examples/ch7_limit/choice.rs`. `cargo bench --bench limit -- --record` keeps it for the book.

#[allow(dead_code, unused_imports)] // the chapter itself, of which the bench uses a part
#[path = "../examples/ch7_limit/main.rs"]
mod ch7_limit;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use workbook::build::compiler::{Compiler, Maker};
use workbook::build::kernels;
use workbook::device::{Device, DeviceChoice, Function, LaunchConfig, Module};
use workbook::reduction::data;
use workbook::reduction::operator::{Operator, SumF32, SumI32, SumI64, elements};
use workbook::say;

use ch7_limit::comparison::NOTHING;
use ch7_limit::sweep::{self, FILE, Finish, Load, SCHEMA, SOURCE, Size, Sweep, WAYS, Way};
use ch7_limit::timing::{self, Contender, Flush, Rotation};
use ch7_limit::work::Copies;

/// Blocks in a grid: powers of two, then multiples of the 132 multiprocessors of an H200.
const GRIDS: [u32; 18] =
    [2, 4, 8, 16, 32, 64, 128, 132, 256, 264, 528, 792, 1056, 1584, 2112, 4224, 8448, 16896];
/// From here on a grid fills the GPU, and small blocks make no sense.
const LARGE: usize = 1 << 22;

#[derive(Parser)]
#[command(about = "The sweep that tunes chapter 7's last kernel; needs a GPU, and an nvcc")]
struct Options {
    /// Powers of 2: the sizes
    #[arg(long, value_delimiter = ',', default_value = "10,12,14,16,18,20,22,24,26,28,30")]
    sizes: Vec<u32>,
    /// i32, f32, i64
    #[arg(long, value_delimiter = ',', default_value = "i32,f32,i64")]
    types: Vec<String>,
    /// Samples of each candidate in the first round
    #[arg(long, default_value_t = 5)]
    samples: usize,
    /// How many go on to the second round, beside the best of each way
    #[arg(long, default_value_t = 5)]
    best: usize,
    /// Write what was measured: benches/limit.json, which the book shows, or FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = FILE)]
    record: Option<PathBuf>,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match tune(&Options::parse()) {
        Ok(()) => say::status(0),
        Err(error) => {
            say::err(&format!("error: {error:#}\n"));
            say::status(2)
        }
    }
}

fn tune(options: &Options) -> Result<()> {
    let device = Device::open(DeviceChoice::Auto)?;
    let Some(gpu) = device.info().gpu else {
        say::out("the sweep of chapter 7 measures times, and there is no usable GPU\n");
        return Ok(());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (ptx, machine_code) = code(root, &gpu.compute_capability.replace('.', ""))?;
    let module = device.load_code("tune", &ptx, &machine_code)?;
    let chapter = device.load_module(kernels::get("ch7_limit")?)?;
    let bench = Bench { device: &device, module: &module, chapter: &chapter, options };
    let mut measured = Sweep {
        schema: SCHEMA,
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        device: device.info(),
        source_hash: sweep::source_hash(),
        sizes: Vec::new(),
    };
    for element in &options.types {
        for &size in &options.sizes {
            let start = Instant::now();
            ensure!(size <= 31, "2^{size} elements are more than a kernel counts in 32 bits");
            let of_size = match element.as_str() {
                "i32" => bench.size::<SumI32>(element, "int", 1 << size)?,
                "f32" => bench.size::<SumF32>(element, "float", 1 << size)?,
                "i64" => bench.size::<SumI64>(element, "i64", 1 << size)?,
                other => bail!("there are candidates for i32, f32 and i64, not for {other}"),
            };
            say::out(&format!(
                "{element}, 2^{size}: {} candidates, {:.1?}\n",
                of_size.tried,
                start.elapsed()
            ));
            for contender in &of_size.contenders {
                let sweep::Contender { kernel, grid, alone, cold, warm, .. } = contender;
                say::out(&format!(
                    "  {kernel:40} {grid:6} alone {alone:9.3} cold {cold:9.3} warm {warm:9.3}\n"
                ));
            }
            measured.sizes.push(of_size);
        }
        say::out(&format!("\n{}\n", measured.markdown(element)?));
    }
    if let Some(path) = &options.record {
        measured.write(&root.join(path))?;
        say::out(&format!("Recorded in {}.\n", path.display()));
    }
    Ok(())
}

/// PTX and machine code of the candidates: from `WORKBOOK_TUNE`, a directory, or by nvcc.
fn code(root: &Path, capability: &str) -> Result<(String, Vec<u8>)> {
    let directory = match std::env::var_os("WORKBOOK_TUNE") {
        Some(directory) => PathBuf::from(directory),
        None => {
            let nvcc = Compiler::of(Maker::Nvcc, root)?.context("building the candidates needs an nvcc")?;
            let directory = root.join("target").join("libraries");
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
    options: &'a Options,
}

/// A kernel in a shape.
struct Candidate {
    kernel: String,
    way: Way,
    block: u32,
    grid: u32,
}

impl Bench<'_> {
    fn size<O: Operator>(&self, element: &str, type_name: &str, n: usize) -> Result<Size>
    where
        O::Element: PartialEq + std::fmt::Debug,
    {
        let device = self.device;
        let array = elements::<O>(&data::numbers(n, 1));
        let expected = array.iter().fold(O::IDENTITY, |sum, &x| O::combine(sum, x));
        let copies = Copies::of(array, 0, O::IDENTITY, device)?;
        let output = device.alloc_zeros::<O::Element>(1)?;
        // The ticket leaves the partial sums in its scratch memory; the other ways need zeros in theirs.
        let scratches = [device.alloc_zeros::<u64>(1 << 16)?, device.alloc_zeros(1 << 16)?];
        let (bytes, rotation) = (copies.bytes, Rotation::new(copies.count));
        let flush = Flush::new(device, self.chapter)?;

        let candidates = candidates(type_name, n, size_of::<O::Element>());
        let function = |kernel| Ok((kernel, self.module.load_function(kernel)?));
        let kernels: BTreeSet<&str> = candidates.iter().map(|candidate| &*candidate.kernel).collect();
        let functions = kernels.into_iter().map(function).collect::<Result<HashMap<_, Function>>>()?;
        let prepare = |candidate: &Candidate| {
            let mut launch = device.launch_builder(&functions[&*candidate.kernel]);
            let scratch = &scratches[usize::from(candidate.way.finish == Finish::Ticket)];
            launch.arg(&copies.buffer).arg(&output).arg(&(n as u32)).arg(scratch);
            launch.prepare(LaunchConfig::new(candidate.grid, candidate.block))
        };

        // First round: each by itself.
        let mut times: Vec<(f64, &Candidate)> = Vec::new();
        for candidate in &candidates {
            let launch = prepare(candidate)?;
            let call = |copy: usize| launch.launch_on(&copies.get(copy));
            let contenders = [Contender { call: &call, in_graph: true }];
            let samples = self.options.samples;
            let alone = timing::work_alone(device, &contenders, &rotation, bytes, samples, &flush)?;
            let sum = device.clone_dtoh(&output)?[0];
            let Candidate { kernel, grid, .. } = candidate;
            ensure!(
                sum == expected,
                "{kernel} in {grid} blocks gives {sum:?} for {expected:?} at n = {n}; no time of it counts"
            );
            times.extend(alone[0].map(|time| (time.median, candidate)));
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));

        // Second round: the best, the best of each way and an empty kernel, in turns.
        let chosen = chosen(&times, self.options.best);
        let launches = chosen.iter().map(|candidate| prepare(candidate)).collect::<Result<Vec<_>>>()?;
        let calls_of: Vec<_> =
            launches.iter().map(|launch| |copy: usize| launch.launch_on(&copies.get(copy))).collect();
        let nothing = self.chapter.load_function(NOTHING)?;
        let nothing = device.launch_builder(&nothing).prepare(LaunchConfig::new(1, 32))?;
        let do_nothing = |_: usize| nothing.launch();
        let mut contenders = vec![Contender { call: &do_nothing, in_graph: true }];
        contenders.extend(calls_of.iter().map(|call| Contender { call, in_graph: true }));
        let samples = if bytes > 1 << 27 { 15 } else { 51 };
        let timings = timing::timings(device, self.chapter, &contenders, &rotation, bytes, samples)?;
        let named = |&Candidate { ref kernel, way, block, grid }| (kernel.as_str(), Some(way), block, grid);
        let names = std::iter::once((NOTHING, None, 32, 1)).chain(chosen.into_iter().map(named));
        let contenders = names.zip(timings).filter_map(|((kernel, way, block, grid), times)| {
            let [alone, cold, warm] =
                [times.work_alone?, times.one_call_cold?, times.one_call_warm?].map(|timing| timing.median);
            Some(sweep::Contender { kernel: kernel.to_string(), way, block, grid, alone, cold, warm })
        });
        let contenders = contenders.collect();
        Ok(Size { element: element.to_string(), n: n as u64, tried: candidates.len() as u32, contenders })
    }
}

/// The `best` of the candidates, which are in order of their times, and the best of each way.
fn chosen<'a>(times: &[(f64, &'a Candidate)], best: usize) -> Vec<&'a Candidate> {
    let mut ways = Vec::new();
    let mut chosen = Vec::new();
    for (place, (_, candidate)) in times.iter().enumerate() {
        if place < best || !ways.contains(&candidate.way) {
            chosen.push(*candidate);
        }
        ways.push(candidate.way);
    }
    chosen
}

/// Threads per block and loads in flight of the candidates: `SMALL`, `MIDDLE` and `CLUSTERS` of the source.
const SMALL: [(u32, u32); 6] = [(64, 4), (128, 1), (128, 2), (128, 4), (256, 1), (256, 2)];
const MIDDLE: [(u32, u32); 6] = [(256, 4), (512, 2), (512, 4), (512, 8), (1024, 2), (1024, 4)];
const CLUSTERS: [(u32, u32); 4] = [(128, 4), (256, 2), (256, 4), (512, 4)];
/// Blocks per cluster of [`CLUSTERS`].
const CLUSTER: u32 = 8;

/// The kernels of this type in all shapes that make sense for `n` elements of `bytes` bytes.
fn candidates(type_name: &str, n: usize, bytes: usize) -> Vec<Candidate> {
    let vectors = (n * bytes / 16) as u32;
    let mut all = Vec::new();
    for (way, _) in WAYS {
        let Way { load, finish } = way;
        let (shapes, cluster) = match (load, finish) {
            (_, Finish::Cluster) if bytes == 8 => continue, // the source has none for `i64`
            (_, Finish::Cluster) => (CLUSTERS.to_vec(), CLUSTER),
            (Load::ReadOnly, _) => ([SMALL, MIDDLE].concat(), 1),
            _ => (MIDDLE.to_vec(), 1),
        };
        for (block, loads) in shapes {
            if n >= LARGE && block * loads < 1024 {
                continue;
            }
            let tiles = vectors.div_ceil(block * loads).max(1);
            let rounds = |grid: u32| tiles.div_ceil(grid);
            let grids: Vec<u32> = match finish {
                Finish::Alone if rounds(1) == 1 => vec![1],
                Finish::Alone => vec![],
                Finish::Cluster => vec![cluster],
                _ => {
                    let exact = (tiles <= 2112 && !GRIDS.contains(&tiles)).then_some(tiles);
                    GRIDS.into_iter().chain(exact).filter(|&grid| grid > 1 && grid <= tiles).collect()
                }
            };
            let fits = |grid| if n >= LARGE { grid >= 132 } else { rounds(grid) <= 8 };
            let kernel = format!("{type_name}_{block}_{loads}_{load:?}_{finish:?}_{cluster}");
            all.extend(
                grids
                    .into_iter()
                    .filter(|&grid| finish == Finish::Alone || fits(grid))
                    .map(|grid| Candidate { kernel: kernel.clone(), way, block, grid }),
            );
        }
    }
    all
}
