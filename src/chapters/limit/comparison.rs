//! Chapter 7's contest: its kernels, CUB, Thrust and the CPU add up the same arrays in one process, in turns, and each
//! is timed in the three ways of [`crate::chapters::limit::timing`]. Needs a GPU.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;

use crate::chapter::options::Shape;
use crate::chapter::plan::Kernel;
use crate::chapters::limit;
use crate::chapters::limit::libraries::{Peers, Summed};
use crate::chapters::limit::timing::{self, Cache, Contender, Flush, Rotation};
use crate::device::measure::{self, CPU_BUDGET};
use crate::device::{Buffer, Device, Function, LaunchConfig, Module, Prepared};
use crate::number::thousands;
use crate::record::columns::{Column, text_table};
use crate::record::{GpuInfo, Record, Run, Timing, Timings};
use crate::reduction::operator::{Operator, elements};
use crate::reduction::value::{Expected, Value};

/// Sizes: powers of 4 from 2^10 to this.
const LARGEST: u64 = 1 << 30;
/// Threads a block of the kernels that have no choice of their own.
const BLOCK: u32 = 512;
/// An empty kernel: what a launch costs.
pub const NOTHING: &str = "doNothing";

/// The result of an empty kernel.
fn nothing_summed() -> Value {
    Value::Text("none".to_string())
}

/// Where a contest takes place.
pub struct Stage<'a> {
    device: &'a Device,
    module: &'a Module,
    peers: Option<Peers>,
    data: &'a [i32],
    sizes: Vec<usize>,
}

impl<'a> Stage<'a> {
    /// For arrays of elements made of `data`. Says on stderr why there is no CUB, if there is none.
    pub fn new(device: &'a Device, module: &'a Module, data: &'a [i32]) -> Result<Stage<'a>> {
        let sizes = sizes(data.len() as u64);
        let mut peers = None;
        if !sizes.is_empty() {
            match Peers::open(device, Path::new(env!("CARGO_MANIFEST_DIR")))? {
                Ok(opened) => peers = Some(opened),
                Err(note) => {
                    let _ = writeln!(std::io::stderr(), "note: {note}");
                }
            }
        }
        Ok(Stage { device, module, peers, data, sizes })
    }

    /// `rungs` and their peers, whose names get `suffix`, at all sizes for which there is memory.
    pub fn runs<O: Operator>(&self, rungs: &[Kernel], suffix: &str) -> Result<Vec<Run>>
    where
        O::Element: Summed + PartialEq + Send + Sync,
    {
        let memory = self.device.info().gpu.map_or(0, |gpu| gpu.memory_bytes);
        let fits = |n: &&usize| 4 * (*n * size_of::<O::Element>()) as u64 <= memory;
        let runs = self.sizes.iter().filter(fits).map(|&n| self.at_size::<O>(rungs, suffix, n));
        Ok(runs.collect::<Result<Vec<_>>>()?.concat())
    }

    fn at_size<O: Operator>(&self, rungs: &[Kernel], suffix: &str, n: usize) -> Result<Vec<Run>>
    where
        O::Element: Summed + PartialEq + Send + Sync,
    {
        let Some(operation) = rungs.first().map(|rung| rung.operation) else { return Ok(Vec::new()) };
        let device = self.device;
        let expected = (operation.expected)(&self.data[..n]);
        let bytes = n * size_of::<O::Element>();
        let mut host = elements::<O>(&self.data[..n]);
        let (cpu_sum, cpu_time) = on_cpu::<O>(&host)?;

        // Copies begin at multiples of 256 bytes, as allocations do.
        let stride = n.next_multiple_of(256 / size_of::<O::Element>());
        host.resize(stride, O::IDENTITY);
        let copies = (2 * timing::FLUSH_BYTES / bytes).clamp(if bytes < 1 << 32 { 2 } else { 1 }, 1 << 16);
        let input = device.clone_htod(&host.repeat(copies))?;
        drop(host);

        let mut chains = Vec::new();
        let functions = rungs.iter().map(|rung| self.module.load_function(limit::kernel(rung, n as u64)));
        let functions = functions.collect::<Result<Vec<_>>>()?;
        for (rung, function) in rungs.iter().zip(&functions) {
            chains.push(Chain::<O::Element>::new(device, rung, function, n as u64, &input)?);
        }
        let nothing = self.module.load_function(NOTHING)?;
        let nothing = device.launch_builder(&nothing).prepare(LaunchConfig::new(1, 32))?;
        let cub = self.peers.as_ref().map(|peers| peers.cub::<O::Element>(device, n)).transpose()?;

        let at = |copy: usize| input.slice(copy * stride..);
        let of_chains: Vec<_> = chains.iter().map(|chain| |copy| chain.launch(&at(copy))).collect();
        let do_nothing = |_| nothing.launch();
        let of_cub = |copy| cub.as_ref().map_or(Ok(()), |cub| cub.launch(&at(copy)));
        let of_thrust = |copy| match &self.peers {
            Some(peers) => peers.thrust(&at(copy), n).map(drop),
            None => Ok(()),
        };
        let mut contenders: Vec<Contender> =
            of_chains.iter().map(|call| Contender { call, in_graph: true }).collect();
        contenders.push(Contender { call: &do_nothing, in_graph: true });
        if self.peers.is_some() {
            contenders.push(Contender { call: &of_cub, in_graph: true });
            contenders.push(Contender { call: &of_thrust, in_graph: false });
        }

        let samples = if bytes > 1 << 27 { 15 } else { 201 };
        let rotation = Rotation::new(copies);
        let calls = ((1 << 26) / bytes).clamp(if copies > 1 { 2 } else { 1 }, 64);
        let flush = Flush::new(device, self.module)?;
        let cold = timing::one_call(device, &contenders, &rotation, Cache::Cold, samples)?;
        let warm = timing::one_call(device, &contenders, &rotation, Cache::Warm, samples)?;
        let alone = timing::work_alone(device, &contenders, &rotation, calls, samples, || flush.run())?;
        let timings = |i: usize| {
            let of = |times: &[Option<Timing>]| times.get(i).copied().flatten();
            Some(Timings { one_call_cold: of(&cold), one_call_warm: of(&warm), work_alone: of(&alone) })
        };

        let run = |kernel: &str, sum, expected: &Expected| {
            Run::of(kernel, n as u64, &operation, sum, expected.clone())
        };
        let mut runs = Vec::new();
        for (i, (rung, chain)) in rungs.iter().zip(&chains).enumerate() {
            chain.launch(&at(0))?;
            let sum = O::value(device.clone_dtoh(&chain.output)?[0]);
            let LaunchConfig { grid_dim, block_dim, .. } = chain.launches[0].config();
            let shape = Run { block: block_dim.0, grid: grid_dim.0, ..run(rung.name, sum, &expected) };
            runs.push(Run { timings: timings(i), ..shape });
        }
        let none = Expected::exactly(nothing_summed());
        let launch = run(&format!("{NOTHING}{suffix}"), none.value.clone(), &none);
        runs.push(Run { block: 32, grid: 1, timings: timings(rungs.len()), ..launch });
        if let (Some(peers), Some(cub)) = (&self.peers, &cub) {
            cub.launch(&at(0))?;
            for (i, name, library, sum) in [
                (1, "cub", format!("CUB {}", peers.version), cub.sum()?),
                (2, "thrust", "Thrust".to_string(), peers.thrust(&at(0), n)?),
            ] {
                let peer = run(&format!("{name}{suffix}"), O::value(sum), &expected);
                runs.push(Run { timings: timings(rungs.len() + i), library: Some(library), ..peer });
            }
        }
        let library = Some(format!("rayon, {} CPU threads", rayon::current_num_threads()));
        let cpu = run(&format!("rayon{suffix}"), O::value(cpu_sum), &expected);
        runs.push(Run { time_us: cpu_time, library, ..cpu });
        Ok(runs)
    }
}

/// Powers of 4 from 2^10 on, up to `n` and [`LARGEST`].
fn sizes(n: u64) -> Vec<usize> {
    let all = (10..).step_by(2).map(|exponent| 1u64 << exponent);
    all.take_while(|&size| size <= n.min(LARGEST)).map(|size| size as usize).collect()
}

/// How many numbers the largest array of a contest is made of, where the reader asks for `asked` elements.
pub fn largest(asked: Option<u64>) -> usize {
    sizes(asked.unwrap_or(LARGEST)).last().copied().unwrap_or(0)
}

fn on_cpu<O: Operator>(host: &[O::Element]) -> Result<(O::Element, Option<Timing>)>
where
    O::Element: Send + Sync,
{
    let mut sum = O::IDENTITY;
    let time = measure::repeat(CPU_BUDGET, || {
        let start = std::time::Instant::now();
        sum = host.par_iter().copied().reduce(|| O::IDENTITY, O::combine);
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    Ok((sum, time))
}

/// The launches of a rung, from the array to one sum.
struct Chain<'a, T> {
    launches: Vec<Prepared<'a>>,
    output: Buffer<T>,
    /// Where partial sums are in between, and what a single launch needs; kept, since the launches name them.
    _scratch: (Vec<Buffer<T>>, Buffer<u64>),
}

impl<'a, T: bytemuck::Pod> Chain<'a, T> {
    fn new(
        device: &'a Device,
        rung: &Kernel,
        function: &'a Function,
        n: u64,
        input: &Buffer<T>,
    ) -> Result<Self> {
        let shape = |n: u64| {
            let block = (rung.block)(n, BLOCK);
            Shape { block, grid: (rung.grid)(n, Shape::of_blocks(n, block)) }
        };
        let first = shape(n);
        let output = device.alloc_zeros::<T>(1)?;
        let partials =
            vec![device.alloc_zeros::<T>(first.grid as usize)?, device.alloc_zeros(first.grid as usize)?];
        let scratch = device.alloc_zeros::<u64>(limit::scratch_words(first.grid))?;
        let one_launch = limit::in_one_launch(rung.name);

        let (mut launches, mut from, mut left) = (Vec::new(), input, n);
        loop {
            let Shape { block, grid } = shape(left);
            let is_last = one_launch || grid == 1;
            let to = if is_last { &output } else { &partials[launches.len() % 2] };
            let mut launch = device.launch_builder(function);
            launch
                .arg(from)
                .arg(to)
                .arg(&u32::try_from(left).context("too many elements to count in 32 bits")?);
            if one_launch {
                launch.arg(&scratch);
            }
            launches.push(launch.prepare(LaunchConfig::new(grid, block))?);
            if is_last {
                break;
            }
            (from, left) = (to, grid.into());
        }
        Ok(Chain { launches, output, _scratch: (partials, scratch) })
    }

    fn launch(&self, input: &crate::device::View<T>) -> Result<()> {
        let Some((first, others)) = self.launches.split_first() else { bail!("nothing to launch") };
        first.launch_on(input)?;
        others.iter().try_for_each(Prepared::launch)
    }
}

type OfRun = fn(&Timings) -> Option<Timing>;

/// The ways in which a contest is timed: the word of a page's directive, and where it stands in a run.
pub const MEASURES: [(&str, OfRun); 3] =
    [("alone", |t| t.work_alone), ("cold", |t| t.one_call_cold), ("warm", |t| t.one_call_warm)];

/// The run of `kernel` at `n`, and its time by the measure of that word.
pub fn timed<'a>(record: &'a Record, kernel: &str, n: u64, measure: &str) -> Option<(&'a Run, Timing)> {
    let (_, of) = MEASURES.iter().find(|(word, _)| *word == measure)?;
    let run = record.comparison.iter().find(|run| run.kernel == kernel && run.n == n)?;
    Some((run, of(run.timings.as_ref()?)?))
}

/// What a kernel would be that waits for nothing but its launch and the memory: in place of a kernel's name, with the end
/// of its type's names.
pub const PERFECT: &str = "perfect";

/// The median of `kernel` in microseconds; of a [`PERFECT`] one what an empty kernel takes, and the array's bytes at the
/// best rate of the record.
fn median(record: &Record, kernel: &str, n: u64, measure: &str) -> Option<f64> {
    let Some(suffix) = kernel.strip_prefix(PERFECT) else {
        return timed(record, kernel, n, measure).map(|(_, time)| time.median);
    };
    let (run, launch) = timed(record, &format!("{NOTHING}{suffix}"), n, measure)?;
    Some(launch.median + n as f64 * f64::from(run.bytes_per_element()) / best_rate(record)? / 1e3)
}

/// How many times as long `first` takes as `second`, at each size at which both were timed: `(n, ratio)`.
pub fn ratios(record: &Record, first: &str, second: &str, measure: &str) -> Vec<(u64, f64)> {
    let sizes = record.comparison.iter().filter(|run| run.kernel == first).map(|run| run.n);
    let time = |kernel, n| median(record, kernel, n, measure);
    let ratio = |n| Some((n, time(first, n)? / time(second, n)?));
    sizes.filter_map(ratio).collect()
}

/// The geometric mean of the ratios; none of nothing.
pub fn geometric_mean(ratios: &[(u64, f64)]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|(_, ratio)| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// The best rate of the contest's kernels in GB/s, the work alone: what the memory gives to one who only reads.
pub fn best_rate(record: &Record) -> Option<f64> {
    let ours = record.comparison.iter().filter(|run| run.library.is_none() && run.sum != nothing_summed());
    let rates = ours.filter(|run| run.n >= 1 << 28).filter_map(|run| run.rate(run.timings?.work_alone?));
    rates.max_by(f64::total_cmp)
}

/// What the memory's clock and its bus allow, in GB/s: two transfers a clock.
pub fn datasheet(gpu: &GpuInfo) -> f64 {
    f64::from(gpu.memory_clock_mhz) * 2.0 * f64::from(gpu.memory_bus_bits) / 8.0 / 1e3
}

/// Our last rungs, their types and their peers.
pub const PAIRS: [(&str, &str, &str); 3] =
    [("reduceLimit", "i32", "cub"), ("reduceLimitF32", "f32", "cubF32"), ("reduceLimitI64", "i64", "cubI64")];

/// CUB's times over ours: a line per size and one with the geometric means. Empty where there are none.
pub fn table(record: &Record) -> String {
    let sizes: BTreeSet<u64> = record.comparison.iter().map(|run| run.n).collect();
    let names = sizes.iter().map(|&n| thousands(n as i64)).chain(["geometric mean".to_string()]);
    let mut columns = vec![Column::left("CUB's time over ours", names)];
    for (ours, type_name, peer) in PAIRS {
        for (measure, _) in MEASURES {
            let ratios = ratios(record, peer, ours, measure);
            let Some(mean) = geometric_mean(&ratios) else { continue };
            let at = |n: &u64| ratios.iter().find(|(size, _)| size == n).map(|(_, ratio)| *ratio);
            let all = sizes.iter().map(at).chain([Some(mean)]);
            let cells = all.map(|ratio| ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}")));
            let title =
                if measure == MEASURES[0].0 { format!("{type_name} {measure}") } else { measure.to_string() };
            columns.push(Column::right(&title, cells));
        }
    }
    if columns.len() > 1 { text_table(&columns) } else { String::new() }
}
