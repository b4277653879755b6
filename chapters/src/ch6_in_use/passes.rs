//! One sum in two passes, or in one: of `f32` and of floats of 16 bits, by launches that wait or overlap.

use anyhow::Result;
use workbook::chapter::{Case, Outcome, Shape};
use workbook::device::measure::Measurement;
use workbook::device::{Buffer, Function, LaunchArgs, LaunchConfig, launch_overlapping};
use workbook::reduction::operation::Operation;
use workbook::reduction::value::Expected;

use super::elements::{Element, Half, fractions, numerators};

/// The sum of elements of type `T`. It is known exactly, since that of the numerators is.
pub const fn of<T: Element>(name: &'static str) -> Operation {
    let expected = |numbers: &[i32]| {
        let sum: i64 = numerators(numbers).sum();
        Expected::within(sum as f64 / 128.0, sum as f64 / 128.0)
    };
    Operation { name, element: T::TYPE, element_bytes: size_of::<T>() as u32, expected }
}

/// The same, where the result is an `f16`: the sum, rounded once.
pub const fn as_f16<T: Element>() -> Operation {
    let expected = |numbers: &[i32]| {
        let sum = numerators(numbers).sum::<i64>() as f64 / 128.0;
        // The numbers of eleven bits around 2^e are 2^(e - 10) apart.
        let apart = f64::exp2(sum.max(1.0).log2().floor() - 10.0);
        Expected::within(sum, apart / 2.0)
    };
    Operation { name: "sum of f16 as f16", expected, ..of::<T>("") }
}

/// At most three blocks of 512 threads per multiprocessor: there is room for the block of a second launch.
pub fn shape(n: u64, Shape { block, .. }: Shape, multiprocessors: u32) -> Shape {
    let block = block.next_multiple_of(32);
    let grid = Shape::of_blocks(n.div_ceil(4), block).grid.min(3 * multiprocessors);
    Shape { block, grid }
}

/// Additions that an element passes through, at most: in its thread, then in two trees of ten levels, and
/// between them in a thread of the last pass.
pub fn height(n: u64, Shape { block, grid }: Shape) -> u64 {
    let threads = u64::from(block) * u64::from(grid);
    n.div_ceil(threads) + 8 + 10 + u64::from(grid.div_ceil(block)) + 10
}

/// What all ways have in common.
struct Memory<T> {
    elements: Buffer<T>,
    /// One for each block of the first pass; as `f16` they take half of it.
    partials: Buffer<f32>,
    result: Buffer<f32>,
}

fn memory<T: Element>(case: &Case) -> Result<Memory<T>> {
    Ok(Memory {
        elements: case.device.clone_htod(&fractions::<T>(case.data))?,
        partials: case.device.alloc(case.grid as usize)?,
        result: case.device.alloc(1)?,
    })
}

impl<T> Memory<T> {
    fn first<'a>(&'a self, case: &'a Case, kernel: &'a Function) -> LaunchArgs<'a> {
        let mut launch = case.device.launch_builder(kernel);
        launch.arg(&self.elements).arg(&self.partials).arg(&case.size());
        launch
    }

    /// One block.
    fn last<'a>(&'a self, case: &'a Case, kernel: &'a Function) -> LaunchArgs<'a> {
        let mut launch = case.device.launch_builder(kernel);
        launch.arg(&self.partials).arg(&self.result).arg(&case.grid);
        launch
    }

    fn outcome(&self, case: &Case, cost: Measurement) -> Result<Outcome> {
        Ok(Outcome::new(case.device.clone_dtoh(&self.result)?[0], cost))
    }
}

/// The second launch, of the kernel `last`, starts when the first one has ended.
pub fn two_launches<T: Element>(case: &Case, last: &str) -> Result<Outcome> {
    let memory = memory::<T>(case)?;
    let first = case.kernel()?;
    let last = case.load_function(last)?;
    let cost = case.device.measure(
        || case.device.memset_zeros(&memory.partials),
        || {
            memory.first(case, &first).launch(LaunchConfig::new(case.grid, case.block))?;
            memory.last(case, &last).launch(LaunchConfig::new(1, case.block))
        },
    )?;
    memory.outcome(case, cost)
}

/// The second launch, of the kernel `last`, may start earlier.
pub fn overlapping(case: &Case, last: &str) -> Result<Outcome> {
    let memory = memory::<f32>(case)?;
    let first = case.kernel()?;
    let last = case.load_function(last)?;
    let launches = [
        memory.first(case, &first).prepare(LaunchConfig::new(case.grid, case.block))?,
        memory.last(case, &last).prepare(LaunchConfig::new(1, case.block))?,
    ];
    // What an earlier run left is gone, so that it cannot stand for this one's partial sums.
    let clear = || case.device.memset_zeros(&memory.partials);
    let cost = case.device.measure(clear, || launch_overlapping(&launches))?;
    memory.outcome(case, cost)
}

/// The last block to arrive is the second pass.
pub fn one_launch(case: &Case) -> Result<Outcome> {
    let memory = memory::<f32>(case)?;
    let kernel = case.kernel()?;
    let ticket = case.device.alloc_zeros::<u32>(1)?; // the kernel leaves it at 0
    let cost = case.device.measure(
        || case.device.memset_zeros(&memory.partials),
        || {
            let mut launch = memory.first(case, &kernel);
            launch.arg(&memory.result).arg(&ticket).launch(LaunchConfig::new(case.grid, case.block))
        },
    )?;
    memory.outcome(case, cost)
}

/// One thread adds one element after another.
pub fn running(case: &Case) -> Result<Outcome> {
    let memory = memory::<Half>(case)?;
    let kernel = case.kernel()?;
    let cost = case.device.measure_launch(|| {
        let mut launch = case.device.launch_builder(&kernel);
        launch.arg(&memory.elements).arg(&memory.result).arg(&case.size());
        launch.launch(LaunchConfig::new(1, 1))
    })?;
    memory.outcome(case, cost)
}
