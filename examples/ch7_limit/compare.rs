//! The chapter's kernels, CUB, Thrust and the CPU add up the same arrays in one process, in turns, and each
//! is timed in the three ways of [`workbook::chapters::ch7_limit::timing`]. Needs a GPU.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;
use workbook::chapter::Shape;
use workbook::chapters::ch7_limit::comparison::{NOTHING, TYPES, UNTUNED};
use workbook::chapters::ch7_limit::libraries::{Cub, Determinism, Libraries, Summed};
use workbook::chapters::ch7_limit::timing::{self, Cache, Contender, Flush, Rotation};
use workbook::chapters::ch7_limit::{SumF32, SumI64, kernel};
use workbook::device::measure::{self, CPU_BUDGET};
use workbook::device::{Device, LaunchConfig, Module, Prepared, View};
use workbook::record::{Record, Run, Timing, Timings};
use workbook::reduction::data;
use workbook::reduction::operator::{Operator, SumI32, elements};
use workbook::reduction::value::{Expected, Value};

use super::RUNGS;
use super::chain::Chain;

/// Sizes: powers of 4 from 2^10 to this.
const LARGEST: u64 = 1 << 30;
/// Threads per block of the kernels that have no choice of their own.
const BLOCK: u32 = 512;
/// CUB 3.5.0 with `determinism::gpu_to_gpu` returned a wrong sum of 2^30 `f32`s on an H200, in each of two
/// runs, and right ones up to this size.
const GPU_TO_GPU_IS_RIGHT_UP_TO: u64 = 1 << 28;
/// Shape of the empty kernel.
const EMPTY: Shape = Shape { block: 32, grid: 1 };

/// Adds the comparison to `record`, at all sizes up to `n` for which there is memory.
pub fn measure(device: &Device, module: &Module, n: Option<u64>, record: &mut Record) -> Result<()> {
    let powers = (10..).step_by(2).map(|exponent| 1u64 << exponent);
    let sizes: Vec<_> = powers.take_while(|&size| size <= n.unwrap_or(LARGEST).min(LARGEST)).collect();
    let Some(&most) = sizes.last() else { return Ok(()) };
    let data = data::numbers(most as usize, record.seed);
    let libraries = match Libraries::open(device, Path::new(env!("CARGO_MANIFEST_DIR")))? {
        Ok(opened) => Some(opened),
        Err(note) => {
            let _ = writeln!(std::io::stderr(), "note: {note}");
            None
        }
    };
    let stage = Stage { device, module, libraries, data: &data };
    stage.all_sizes::<SumI32>(&sizes, record)?;
    stage.all_sizes::<SumF32>(&sizes, record)?;
    stage.all_sizes::<SumI64>(&sizes, record)?;
    record.ok &= record.comparison.iter().chain(&record.untuned).all(Run::as_expected);
    Ok(())
}

/// Where the comparison takes place.
struct Stage<'a> {
    device: &'a Device,
    module: &'a Module,
    libraries: Option<Libraries>,
    data: &'a [i32],
}

/// What is compared.
enum Work<'a, T> {
    Ours(Chain<'a, T>),
    Nothing(Prepared<'a>),
    Cub(Cub<'a, T>),
    Thrust(&'a Libraries, usize),
}

impl<T: Summed> Work<'_, T> {
    /// One call, on the array at the start of `input`.
    fn call(&self, input: &View<T>) -> Result<()> {
        match self {
            Work::Ours(chain) => chain.launch(input),
            Work::Nothing(launch) => launch.launch(),
            Work::Cub(cub) => cub.launch(input),
            Work::Thrust(library, n) => library.thrust(input, *n).map(drop),
        }
    }

    /// The sum of one call; `None` of the empty kernel.
    fn sum(&self, input: &View<T>) -> Result<Option<T>> {
        self.call(input)?;
        Ok(match self {
            Work::Ours(chain) => Some(chain.sum()?),
            Work::Nothing(_) => None,
            Work::Cub(cub) => Some(cub.sum()?),
            Work::Thrust(library, n) => Some(library.thrust(input, *n)?),
        })
    }

    /// Threads per block, and blocks of the first launch, where they are known.
    fn shape(&self) -> Shape {
        match self {
            Work::Ours(chain) => {
                let LaunchConfig { grid_dim, block_dim, .. } = chain.config();
                Shape { block: block_dim.0, grid: grid_dim.0 }
            }
            Work::Nothing(_) => EMPTY,
            Work::Cub(_) | Work::Thrust(..) => Shape::CPU,
        }
    }
}

impl Stage<'_> {
    /// Everyone at `sizes`, then the last rung and CUB at those of [`UNTUNED`] that are no larger.
    fn all_sizes<O: Operator>(&self, sizes: &[u64], record: &mut Record) -> Result<()>
    where
        O::Element: Summed + PartialEq + Send + Sync,
    {
        for &n in sizes {
            record.comparison.extend(self.runs::<O>(n, 0, true)?);
        }
        for (n, offset) in UNTUNED.into_iter().filter(|(n, offset)| n + offset <= self.data.len() as u64) {
            record.untuned.extend(self.runs::<O>(n, offset, false)?);
        }
        Ok(())
    }

    /// The rungs for the elements of `O` and the libraries, or `everyone` not, only the last rung and CUB.
    /// They add up `n` elements that begin `offset` elements after an aligned address. Empty if memory runs
    /// out.
    fn runs<O: Operator>(&self, n: u64, offset: u64, everyone: bool) -> Result<Vec<Run>>
    where
        O::Element: Summed + PartialEq + Send + Sync,
    {
        let names = TYPES.iter().find(|names| names.type_name == O::Element::SUFFIX);
        let names = names.context("a type without names")?;
        let (device, operation) = (self.device, &names.operation);
        let bytes = n as usize * size_of::<O::Element>();
        if 4 * bytes as u64 > device.info().gpu.map_or(0, |gpu| gpu.memory_bytes) {
            return Ok(Vec::new());
        }
        let (length, start) = (n as usize, offset as usize);
        let expected = (operation.expected)(&self.data[..length]);
        let array = elements::<O>(&self.data[..length]);
        let on_cpu = everyone.then(|| on_cpu::<O>(&array)).transpose()?;

        // Copies begin at multiples of 256 bytes, as allocations do. What lies around them is no 0, and would
        // show in a sum.
        let stride = (start + length).next_multiple_of(256 / size_of::<O::Element>());
        let around = elements::<O>(&self.data[..1])[0];
        let mut host = [vec![around; start], array].concat();
        host.resize(stride, around);
        let copies = (2 * timing::FLUSH_BYTES / bytes).clamp(if bytes < 1 << 32 { 2 } else { 1 }, 1 << 16);
        let input = device.clone_htod(&host.repeat(copies))?;
        drop(host);

        let rungs = RUNGS
            .iter()
            .filter(|rung| rung.operation.name == operation.name && (everyone || rung.name == names.limit));
        let rungs: Vec<_> = rungs.collect();
        let functions = rungs.iter().map(|rung| kernel(rung.symbol, operation, n));
        let functions = functions.map(|name| self.module.load_function(name)).collect::<Result<Vec<_>>>()?;
        let nothing = self.module.load_function(NOTHING)?;

        let mut works = Vec::new();
        for (rung, function) in rungs.iter().zip(&functions) {
            let shape = |n| (rung.shape)(n, Shape::of_blocks(n, BLOCK), device.multiprocessors());
            works.push((rung.name, Work::Ours(Chain::new(device, function, &input, n, shape(n), shape)?)));
        }
        if everyone {
            let config = LaunchConfig::new(EMPTY.grid, EMPTY.block);
            works.push((names.nothing, Work::Nothing(device.launch_builder(&nothing).prepare(config)?)));
        }
        for (name, determinism) in [
            (Some(names.cub), Determinism::RunToRun),
            (Some(names.cub_not_guaranteed), Determinism::NotGuaranteed),
            (names.cub_gpu_to_gpu.filter(|_| everyone), Determinism::GpuToGpu),
        ] {
            if let (Some(name), Some(library)) = (name, &self.libraries)
                && let Some(cub) = library.cub(device, determinism, length)?
            {
                works.push((name, Work::Cub(cub)));
            }
        }
        if let Some(library) = self.libraries.as_ref().filter(|_| everyone) {
            works.push((names.thrust, Work::Thrust(library, length)));
        }

        let at = |copy: usize| input.slice(copy * stride + start..);
        let calls: Vec<_> = works.iter().map(|(_, work)| |copy| work.call(&at(copy))).collect();
        // Thrust allocates and waits, which a graph cannot hold.
        let in_graph = |work: &Work<_>| !matches!(work, Work::Thrust(..));
        let contenders = calls.iter().zip(&works);
        let contenders: Vec<_> =
            contenders.map(|(call, (_, work))| Contender { call, in_graph: in_graph(work) }).collect();
        let samples = if bytes > 1 << 27 { 15 } else { 201 };
        let rotation = Rotation::new(copies);
        let calls_in_graph = ((1 << 26) / bytes).clamp(if copies > 1 { 2 } else { 1 }, 64);
        let flush = Flush::new(device, self.module)?;
        let cold = timing::one_call(device, &contenders, &rotation, Cache::Cold, samples)?;
        let warm = timing::one_call(device, &contenders, &rotation, Cache::Warm, samples)?;
        let alone =
            timing::work_alone(device, &contenders, &rotation, calls_in_graph, samples, || flush.run())?;

        let none = Value::Text("none".to_string());
        let mut runs = Vec::new();
        for (i, (name, work)) in works.iter().enumerate() {
            let run = match work.sum(&at(0))? {
                Some(sum) => Run::of(name, n, operation, O::value(sum), expected.clone()),
                None => Run::of(name, n, operation, none.clone(), Expected::exactly(none.clone())),
            };
            let library = match (work, &self.libraries) {
                (Work::Cub(_), Some(library)) => Some(format!("CUB {}", library.version)),
                (Work::Thrust(..), _) => Some("Thrust".to_string()),
                _ => None,
            };
            let timings = Timings { one_call_cold: cold[i], one_call_warm: warm[i], work_alone: alone[i] };
            let Shape { block, grid } = work.shape();
            let wrong_there = Some(*name) == names.cub_gpu_to_gpu && n > GPU_TO_GPU_IS_RIGHT_UP_TO;
            let expected_failure = wrong_there.then(|| "wrong-sum".to_string());
            runs.push(Run { block, grid, offset, timings: Some(timings), library, expected_failure, ..run });
        }
        if let Some((sum, time_us)) = on_cpu {
            let library = Some(format!("rayon, {} CPU threads", rayon::current_num_threads()));
            let cpu = Run::of(names.cpu, n, operation, O::value(sum), expected);
            runs.push(Run { time_us, library, ..cpu });
        }
        Ok(runs)
    }
}

/// The sum by all threads of the CPU, and its time.
fn on_cpu<O: Operator>(host: &[O::Element]) -> Result<(O::Element, Option<Timing>)>
where
    O::Element: Send + Sync,
{
    let mut sum = O::IDENTITY;
    let time = measure::repeat(CPU_BUDGET, || {
        let start = Instant::now();
        sum = host.par_iter().copied().reduce(|| O::IDENTITY, O::combine);
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    Ok((sum, time))
}
