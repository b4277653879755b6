//! Which candidate of `kernels/libraries/tune.cu` sums an array of each size fastest: the sweep behind the
//! table of `chapters/src/ch7_limit/choice.rs`. `cargo bench --bench limit -- --record` keeps it for the
//! book.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use chapters::ch7_limit::comparison::NOTHING;
use chapters::ch7_limit::libraries::Summed;
use chapters::ch7_limit::timing::{Flush, work_alone};
use chapters::ch7_limit::work::{Copies, Work};
use clap::Parser;
use workbook::device::{Device, DeviceChoice, Function, LaunchConfig, Module};
use workbook::kernel_compiler::compiler::{Compiler, Maker};
use workbook::kernels;
use workbook::reduction::data;
use workbook::reduction::operator::{Operator, SumF32, SumI32, SumI64, elements};
use workbook::text::columns::{Column, markdown_table};
use workbook::text::files::write_whole;
use workbook::text::number::{power_of_two, raised, thousands, three_digits};
use workbook::text::say;

/// The candidates, from the repository root.
const SOURCE: &str = "kernels/libraries/tune.cu";
/// The recorded tables.
const FILE: &str = "benches/limit.md";

/// Blocks in a grid: powers of two, then multiples of the 132 multiprocessors of an H200.
const GRIDS: [u32; 18] =
    [2, 4, 8, 16, 32, 64, 128, 132, 256, 264, 528, 792, 1056, 1584, 2112, 4224, 8448, 16896];
/// From here on a grid fills the GPU, and small blocks make no sense.
const LARGE: usize = 1 << 22;

/// Samples of each candidate in the first round.
const SAMPLES: usize = 5;
/// How many go on to the second round, beside the best of each way.
const BEST: usize = 5;

/// The ways of the candidates, as in their names: how 16 bytes are loaded (`Load` of `kernels/ch7_limit.cu`)
/// and how the partial sums of the blocks become one (`Way` of [`SOURCE`]); and what the page calls them.
const WAYS: [(&str, &str, &str); 8] = [
    ("ReadOnly", "Alone", "one block"),
    ("ReadOnly", "InDigits", "digits"),
    ("ReadOnly", "Gather", "slots"),
    ("ReadOnly", "Ticket", "ticket"),
    ("ReadOnly", "Cluster", "cluster of 8"),
    ("PassL1", "InDigits", "— past L1"),
    ("Streaming", "InDigits", "— streaming"),
    ("PassL1By256", "InDigits", "— 256 bytes"),
];

#[derive(Parser)]
#[command(about = "The sweep that tunes chapter 7's last kernel; needs a GPU, and an nvcc")]
struct Options {
    /// Write benches/limit.md, which the book shows
    #[arg(long)]
    record: bool,
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
    let info = device.info();
    let Some(gpu) = info.gpu else {
        say::out("the sweep of chapter 7 measures times, and there is no usable GPU\n");
        return Ok(());
    };
    let root = workbook::root().unwrap();
    let (ptx, machine_code) = code(root, &gpu.compute_capability.replace('.', ""))?;
    // SAFETY: nvcc has made both of the source beside this file, whose kernels reach the array, the output
    // and the scratch memory that each is given.
    let module = unsafe { device.load_code("tune", &ptx, &machine_code)? };
    let build = kernels::get("ch7_limit")?;
    let bench = Bench { device: &device, module: &module, chapter: &kernels::load(&device, &build.stem)? };
    let tables = [
        bench.table::<SumI32>("i32", "int", 30)?,
        bench.table::<SumF32>("f32", "float", 30)?,
        bench.table::<SumI64>("i64", "i64", 28)?,
    ];
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let text = format!("{}\n{} · {}\n", tables.join("\n"), info.name, &date[..10]);
    say::out(&text);
    if options.record {
        write_whole(&root.join(FILE), format!("<!-- {} {} -->\n\n{text}", build.stem, build.code_hash))?;
        say::out(&format!("Recorded in {FILE}.\n"));
    }
    Ok(())
}

/// PTX and machine code of the candidates, by nvcc.
fn code(root: &Path, capability: &str) -> Result<(String, Vec<u8>)> {
    let nvcc = Compiler::of(Maker::Nvcc, root)?.context("building the candidates needs an nvcc")?;
    let build = |kind: &str, arch: &str| {
        let flags = [format!("-{kind}"), "-O3".to_owned(), arch.to_owned()];
        nvcc.made(&root.join(SOURCE), &flags, kind)
    };
    let ptx = String::from_utf8(build("ptx", "-arch=compute_75")?)?;
    Ok((ptx, build("cubin", &format!("-arch=sm_{capability}"))?))
}

struct Bench<'a> {
    device: &'a Device,
    module: &'a Module,
    chapter: &'a Module,
}

/// A kernel in a shape.
#[derive(Clone)]
struct Candidate {
    kernel: String,
    /// Its place in [`WAYS`].
    way: usize,
    block: u32,
    grid: u32,
}

/// What the second round gave for one size, in microseconds of the work alone.
struct Size {
    empty_kernel: f64,
    times: Vec<(f64, Candidate)>,
}

impl Size {
    /// The best of those that are `right`.
    fn least(&self, right: impl Fn(&Candidate) -> bool) -> Option<&(f64, Candidate)> {
        self.times.iter().filter(|(_, candidate)| right(candidate)).min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl Bench<'_> {
    /// The least time of each way at each size from 2^10 to 2^`largest`; the best of all is bold.
    fn table<O: Operator>(&self, element: &str, type_name: &str, largest: u32) -> Result<String>
    where
        O::Element: Summed + PartialEq + std::fmt::Debug,
    {
        let powers: Vec<u32> = (10..=largest).step_by(2).collect();
        let mut sizes = Vec::new();
        for power in &powers {
            let start = Instant::now();
            sizes.push(self.size::<O>(type_name, 1 << power)?);
            say::out(&format!("{element}, 2^{power}: {:.1?}\n", start.elapsed()));
        }
        let row = |name: &'static str, cell: &dyn Fn(&Size) -> Option<String>| -> (&str, Vec<String>) {
            (name, sizes.iter().map(|size| cell(size).unwrap_or_default()).collect())
        };
        let best = |size: &Size| size.least(|_| true).map(|(time, best)| (*time, best.block, best.grid));
        let mut rows = vec![row("an empty kernel", &|size| Some(three_digits(size.empty_kernel)))];
        rows.extend(WAYS.iter().enumerate().map(|(way, (_, _, name))| {
            row(name, &|size| {
                let (time, _) = size.least(|candidate| candidate.way == way)?;
                let text = three_digits(*time);
                Some(if best(size)?.0 == *time { format!("**{text}**") } else { text })
            })
        }));
        rows.push(row("threads of the best", &|size| Some(best(size)?.1.to_string())));
        rows.push(row("its blocks", &|size| Some(thousands(best(size)?.2.into()))));
        rows.retain(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()));
        let mut columns = vec![Column::left(&format!("`{element}`"), rows.iter().map(|(name, _)| *name))];
        columns.extend(powers.iter().enumerate().map(|(i, power)| {
            let title = raised(&power_of_two(f64::from(*power).exp2()));
            Column::right(&title, rows.iter().map(|(_, cells)| cells[i].as_str()))
        }));
        Ok(markdown_table(&columns))
    }

    fn size<O: Operator>(&self, type_name: &str, n: usize) -> Result<Size>
    where
        O::Element: Summed + PartialEq + std::fmt::Debug,
    {
        let device = self.device;
        let array = elements::<O>(&data::numbers(n, 1));
        let expected = array.iter().fold(O::IDENTITY, |sum, &x| O::combine(sum, x));
        let copies = Copies::of(array, 0, O::IDENTITY, device)?;
        let output = device.alloc_zeros::<O::Element>(1)?;
        // The ticket leaves the partial sums in its scratch memory; the other ways need zeros in theirs.
        let scratches = [device.alloc_zeros::<u64>(1 << 16)?, device.alloc_zeros(1 << 16)?];
        let flush = Flush::new(device, self.chapter)?;

        let candidates = candidates(type_name, n, size_of::<O::Element>());
        let function = |kernel| Ok((kernel, self.module.load_function(kernel)?));
        let kernels: BTreeSet<&str> = candidates.iter().map(|candidate| &*candidate.kernel).collect();
        let functions = kernels.into_iter().map(function).collect::<Result<HashMap<_, Function>>>()?;
        let work = |candidate: &Candidate| {
            let mut launch = device.launch_builder(&functions[&*candidate.kernel]);
            let scratch = &scratches[usize::from(WAYS[candidate.way].1 == "Ticket")];
            launch.arg(&copies.buffer).arg(&output).arg(&(n as u32)).arg(scratch);
            let config = LaunchConfig::new(candidate.grid, candidate.block);
            Ok(Work::Candidate(launch.prepare(config)?))
        };

        // First round: each by itself.
        let mut times: Vec<(f64, &Candidate)> = Vec::new();
        for candidate in &candidates {
            let alone = work_alone(device, &[work(candidate)?], &copies, SAMPLES, &flush)?;
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
        let mut ways = BTreeSet::new();
        let goes_on = |(place, (_, candidate)): (usize, (f64, &Candidate))| {
            let is_best_of_way = ways.insert(candidate.way);
            (is_best_of_way || place < BEST).then(|| candidate.clone())
        };
        let chosen: Vec<Candidate> = times.into_iter().enumerate().filter_map(goes_on).collect();
        let nothing = self.chapter.load_function(NOTHING)?;
        let mut works = vec![Work::nothing(device, &nothing)?];
        works.extend(chosen.iter().map(work).collect::<Result<Vec<_>>>()?);
        let samples = if copies.bytes > 1 << 27 { 15 } else { 51 };
        let alone = work_alone(device, &works, &copies, samples, &flush)?;
        let mut medians = alone.into_iter().flatten().map(|time| time.median);
        let empty_kernel = medians.next().context("the empty kernel has no time")?;
        Ok(Size { empty_kernel, times: medians.zip(chosen).collect() })
    }
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
    for (way, (load, finish, _)) in WAYS.into_iter().enumerate() {
        let (shapes, cluster) = match (load, finish) {
            (_, "Cluster") if bytes == 8 => continue, // the source has none for `i64`
            (_, "Cluster") => (CLUSTERS.to_vec(), CLUSTER),
            ("ReadOnly", _) => ([SMALL, MIDDLE].concat(), 1),
            _ => (MIDDLE.to_vec(), 1),
        };
        for (block, loads) in shapes {
            if n >= LARGE && block * loads < 1024 {
                continue;
            }
            let tiles = vectors.div_ceil(block * loads).max(1);
            let rounds = |grid: u32| tiles.div_ceil(grid);
            let grids: Vec<u32> = match finish {
                "Alone" if rounds(1) == 1 => vec![1],
                "Alone" => vec![],
                "Cluster" => vec![cluster],
                _ => {
                    let exact = (tiles <= 2112 && !GRIDS.contains(&tiles)).then_some(tiles);
                    GRIDS.into_iter().chain(exact).filter(|&grid| grid > 1 && grid <= tiles).collect()
                }
            };
            let fits = |grid| if n >= LARGE { grid >= 132 } else { rounds(grid) <= 8 };
            let kernel = format!("{type_name}_{block}_{loads}_{load}_{finish}_{cluster}");
            all.extend(
                grids.into_iter().filter(|&grid| finish == "Alone" || fits(grid)).map(|grid| Candidate {
                    kernel: kernel.clone(),
                    way,
                    block,
                    grid,
                }),
            );
        }
    }
    all
}
