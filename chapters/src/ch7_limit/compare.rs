//! The chapter's kernels, CUB, Thrust and the CPU add up the same arrays in one process, in turns, and each
//! is timed in the three ways of [`super::timing`]. Needs a GPU.

use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;
use workbook::chapter::{Shape, Variant};
use workbook::device::measure::{self, CPU_BUDGET, Effort};
use workbook::device::{Device, Module, Timing};
use workbook::record::{Failure, Record, Run, Section, Wrong};
use workbook::reduction::data;
use workbook::reduction::operator::{Operator, Sum, SumI32, SumI64, elements};
use workbook::reduction::value::{Expected, Value};
use workbook::text::say;

use super::chain::{Chain, Memory};
use super::choice::UNTUNED;
use super::comparison::{
    self, COMPARISON, CPU, CUB, CUB_GPU_TO_GPU, CUB_NOT_GUARANTEED, LIMIT, NOTHING, THRUST, TYPES, Type,
};
use super::libraries::{Libraries, Summed};
use super::rung::Rung;
use super::work::{Copies, Work};
use super::{RUNGS, timing};

/// Sizes: powers of 4 from 2^10 to this. A brief look has powers of 16, to the other.
const MAX_SIZE: u64 = 1 << 30;
const MAX_BRIEF: u64 = 1 << 22;
/// Threads per block of the kernels that have no choice of their own.
const BLOCK: u32 = 512;
/// Elements that a thread of the CPU adds one by one.
const CPU_CHUNK: usize = 1 << 12;
/// CUB 3.5.0 with `determinism::gpu_to_gpu` returned a wrong sum of 2^30 `f32`s on an H200, in each of two
/// runs, and right ones up to this size.
const GPU_TO_GPU_IS_RIGHT_UP_TO: u64 = 1 << 28;

/// Adds the comparison to `record`, at all sizes up to `n` for which there is memory.
pub fn measure(device: &Device, module: &Module, n: Option<u64>, record: &mut Record) -> Result<()> {
    let (most, step) = match device.effort() {
        Effort::Full => (MAX_SIZE, 2),
        Effort::Brief => (MAX_BRIEF, 4),
    };
    let powers = (10..).step_by(step).map(|exponent| 1u64 << exponent);
    let sizes: Vec<_> = powers.take_while(|&size| size <= n.unwrap_or(most).min(MAX_SIZE)).collect();
    let Some(&most) = sizes.last() else { return Ok(()) };
    let data = data::numbers(most as usize, record.seed);
    let libraries = Libraries::open(device, workbook::root()?);
    let libraries = libraries
        .inspect_err(|error| say::err(&format!("note: CUB and Thrust are not measured: {error:#}\n")))
        .ok();
    let mut stage =
        Stage { device, module, libraries, data: &data, compared: Vec::new(), untuned: Vec::new() };
    stage.all_sizes::<SumI32>(&sizes)?;
    stage.all_sizes::<Sum<f32>>(&sizes)?;
    stage.all_sizes::<SumI64>(&sizes)?;
    record.sections.insert(COMPARISON.to_string(), Section::Runs(stage.compared));
    record.sections.insert(comparison::UNTUNED.to_string(), Section::Runs(stage.untuned));
    Ok(())
}

/// Where the comparison takes place.
struct Stage<'a> {
    device: &'a Device,
    module: &'a Module,
    libraries: Option<Libraries>,
    data: &'a [i32],
    compared: Vec<Run>,
    untuned: Vec<Run>,
}

impl Stage<'_> {
    /// Everyone at `sizes`, then the last rung and CUB at those of [`UNTUNED`] that are no larger.
    fn all_sizes<O: Operator>(&mut self, sizes: &[u64]) -> Result<()>
    where
        O::Element: Summed + PartialEq + Send + Sync,
    {
        for &n in sizes {
            let runs = self.runs::<O>(n, 0, true)?;
            self.compared.extend(runs);
        }
        if self.device.effort() == Effort::Brief {
            return Ok(());
        }
        for (n, offset) in UNTUNED.into_iter().filter(|(n, offset)| n + offset <= self.data.len() as u64) {
            let runs = self.runs::<O>(n, offset, false)?;
            self.untuned.extend(runs);
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
        let of = TYPES.iter().find(|of| of.name == O::Element::SUFFIX).context("a type without names")?;
        let device = self.device;
        let operation = &of.operation;
        let bytes = n * size_of::<O::Element>() as u64;
        if 4 * bytes > device.info().gpu.map_or(0, |gpu| gpu.memory_bytes) {
            return Ok(Vec::new());
        }
        let numbers = &self.data[..n as usize];
        let expected = (operation.expected)(numbers);
        let array = elements::<O>(numbers);
        let on_cpu = everyone.then(|| on_cpu::<O>(&array)).transpose()?;
        let around = elements::<O>(&self.data[..1])[0];
        let copies = Copies::of(array, offset as usize, around, device)?;

        let is_meant = |variant: &Variant| {
            let is_alike = variant.operation.name == operation.name;
            is_alike && (everyone || variant.name == of.run_of(LIMIT))
        };
        let shape = |rung: &Rung, n| {
            let blocks = Shape::of_blocks(n, BLOCK);
            (rung.variant.shape)(n, blocks, device.multiprocessors())
        };
        let mut rungs = Vec::new();
        for rung in RUNGS.iter().filter(|rung| is_meant(&rung.variant)) {
            let memory = Memory::new(device, shape(rung, n).grid)?;
            rungs.push((rung, self.module.load_function(rung.kernel(n))?, memory));
        }
        let nothing = self.module.load_function(NOTHING)?;
        let mut works = Vec::new();
        for (rung, function, memory) in &rungs {
            let first = shape(rung, n);
            let next = |n| shape(rung, n);
            let chain = Chain::new(memory, function, rung.finish, &copies.buffer, n, first, next)?;
            works.push((rung.variant.name.to_string(), Work::Ours(chain)));
        }
        if everyone {
            works.push((of.run_of(NOTHING), Work::nothing(device, &nothing)?));
        }
        works.extend(self.libraries(of, n as usize, everyone)?);

        let (names, works): (Vec<_>, Vec<_>) = works.into_iter().unzip();
        let samples = device.effort().samples(if copies.bytes > 1 << 27 { 15 } else { 201 });
        let timings = timing::timings(device, self.module, &works, &copies, samples)?;

        let mut runs = Vec::new();
        for ((name, work), timings) in names.iter().zip(&works).zip(timings) {
            let run = match work.sum(&copies.first())? {
                Some(sum) => Run::of(name, n, operation, &O::value(sum).into(), &expected),
                None => {
                    let none = Expected::exactly(Value::Text("none".to_string()));
                    Run::of(name, n, operation, &none.answer, &none)
                }
            };
            let Shape { block, grid } = work.shape();
            let wrong_there = name.starts_with(CUB_GPU_TO_GPU) && n > GPU_TO_GPU_IS_RIGHT_UP_TO;
            let expected_failure = wrong_there.then_some(Failure::Result(Wrong::WrongSum));
            let timings = Some(timings);
            let library = work.library();
            runs.push(Run { block, grid, offset, timings, library, expected_failure, ..run });
        }
        if let Some((sum, time_us)) = on_cpu {
            let library = Some(format!("rayon, {} CPU threads", rayon::current_num_threads()));
            let cpu = Run::of(&of.run_of(CPU), n, operation, &O::value(sum).into(), &expected);
            runs.push(Run { time_us, library, ..cpu });
        }
        Ok(runs)
    }

    /// CUB's sums of `length` elements, and Thrust's where `everyone` takes part.
    fn libraries<T: Summed>(
        &self,
        of: &Type,
        length: usize,
        everyone: bool,
    ) -> Result<Vec<(String, Work<'_, T>)>> {
        let Some(libraries) = &self.libraries else { return Ok(Vec::new()) };
        let mut works = Vec::new();
        for (name, promise, takes_part) in [
            (CUB, "sum", true),
            (CUB_NOT_GUARANTEED, "not_guaranteed", true),
            (CUB_GPU_TO_GPU, "gpu_to_gpu", everyone),
        ] {
            if takes_part {
                let cub = libraries.cub(self.device, promise, length)?;
                works.extend(cub.map(|cub| (of.run_of(name), Work::Cub(cub))));
            }
        }
        if everyone {
            works.push((of.run_of(THRUST), Work::Thrust(libraries, length)));
        }
        Ok(works)
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
        let chunks = host.par_chunks(CPU_CHUNK);
        let of_chunk = |chunk: &[O::Element]| chunk.iter().copied().fold(O::IDENTITY, O::combine);
        sum = chunks.map(of_chunk).reduce(|| O::IDENTITY, O::combine);
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    Ok((sum, time))
}
