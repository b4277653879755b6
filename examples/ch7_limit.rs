//! Chapter 7: how fast can a sum be? A ladder of kernels up to the speed of the memory, for `i32`, `f32` and `i64`.
//!
//!     cargo run --example ch7_limit
//!     cargo run --example ch7_limit -- --n 2^30      # on a GPU: beside CUB, where there is an nvcc

use std::process::ExitCode;

use anyhow::{Context, Result};
use workbook::chapter::options::Shape;
use workbook::chapter::{self, Case, Chapter, Kernel, Outcome, Place};
use workbook::chapters::limit::{self, F32, I32, I64, SumF32, SumI64};
use workbook::device::LaunchConfig;
use workbook::record::DeviceKind;
use workbook::reduction::operator::{Operator, SumI32, elements};
use workbook::reduction::value::Operation;

const CHAPTER: Chapter = Chapter {
    stem: "ch7_limit",
    about: "How fast can a sum be? A ladder of kernels up to the speed of the memory",
    place: Place::ManyBlocks,
    // Each rung is one change away from the one before. The sweep is for `i32`.
    kernels: &[
        swept(rung("reduceSharedTree", I32)),
        swept(rung("reduceSequential", I32)),
        swept(twice("reduceFirstAdd", I32)),
        swept(tiled("reduceInFlight", I32)),
        swept(tiled("reduceShuffle", I32)),
        swept(tiled("reduceVector", I32)),
        swept(tiled("reduceSinglePass", I32)),
        swept(Kernel {
            block: |n, _| limit::choice(&I32, n).block,
            grid: |n, _| limit::choice(&I32, n).grid,
            ..rung("reduceLimit", I32)
        }),
        rung("reduceSharedTreeF32", F32),
        rung("reduceSequentialF32", F32),
        twice("reduceFirstAddF32", F32),
        tiled("reduceInFlightF32", F32),
        tiled("reduceShuffleF32", F32),
        tiled("reduceVectorF32", F32),
        tiled("reduceSinglePassF32", F32),
        Kernel {
            block: |n, _| limit::choice(&F32, n).block,
            grid: |n, _| limit::choice(&F32, n).grid,
            ..rung("reduceLimitF32", F32)
        },
        rung("reduceSharedTreeI64", I64),
        rung("reduceSequentialI64", I64),
        twice("reduceFirstAddI64", I64),
        tiled("reduceInFlightI64", I64),
        tiled("reduceShuffleI64", I64),
        tiled("reduceVectorI64", I64),
        tiled("reduceSinglePassI64", I64),
        Kernel {
            block: |n, _| limit::choice(&I64, n).block,
            grid: |n, _| limit::choice(&I64, n).grid,
            ..rung("reduceLimitI64", I64)
        },
    ],
    default_n: |device| if device == DeviceKind::Gpu { 1 << 24 } else { 1 << 16 },
};

const fn swept(kernel: Kernel) -> Kernel {
    Kernel { swept: true, ..kernel }
}

/// A thread an element.
const fn rung(name: &'static str, operation: Operation) -> Kernel {
    Kernel { operation, swept: false, ..Kernel::new(name) }
}

/// A thread for two elements.
const fn twice(name: &'static str, operation: Operation) -> Kernel {
    Kernel { grid: |n, shape| Shape::of_blocks(n.div_ceil(2), shape.block).grid, ..rung(name, operation) }
}

/// Blocks of whole warps, in tiles of eight elements a thread.
const fn tiled(name: &'static str, operation: Operation) -> Kernel {
    Kernel {
        block: |_, block| block.next_multiple_of(32),
        grid: |n, shape| limit::tiles(n, shape.block),
        ..rung(name, operation)
    }
}

fn main() -> ExitCode {
    let reduce = |case: &Case| match case.kernel {
        kernel if kernel.ends_with("F32") => reduce::<SumF32>(case),
        kernel if kernel.ends_with("I64") => reduce::<SumI64>(case),
        _ => reduce::<SumI32>(case),
    };
    chapter::run_with_contest(&CHAPTER, reduce, |stage| {
        let (i32, f32, i64) = (&CHAPTER.kernels[..8], &CHAPTER.kernels[8..16], &CHAPTER.kernels[16..]);
        let of_i32 = stage.runs::<SumI32>(i32, "")?;
        Ok([of_i32, stage.runs::<SumF32>(f32, "F32")?, stage.runs::<SumI64>(i64, "I64")?].concat())
    })
}

// ANCHOR: host
fn reduce<O: Operator>(case: &Case) -> Result<Outcome> {
    let rung = CHAPTER.kernels.iter().find(|kernel| kernel.name == case.kernel).context("no such rung")?;
    if limit::in_one_launch(rung.name) {
        one_launch::<O>(case, rung)
    } else {
        several_launches::<O>(case, rung)
    }
}

/// Each launch leaves a partial sum a block, and the next adds those.
fn several_launches<O: Operator>(case: &Case, rung: &Kernel) -> Result<Outcome> {
    let Case { device, module, data, block, .. } = *case;
    let kernel = module.load_function(case.kernel)?;
    let input = device.clone_htod(&elements::<O>(data))?;
    let partials =
        [device.alloc_zeros::<O::Element>(case.grid as usize)?, device.alloc_zeros(case.grid as usize)?];
    let blocks = |n: u64| (rung.grid)(n, Shape::of_blocks(n, block));

    let mut passes = 0;
    let cost = device.measure(
        || Ok(()),
        || {
            let (mut from, mut left, mut grid) = (&input, data.len() as u64, case.grid);
            for pass in 0.. {
                let to = &partials[pass % 2];
                let mut launch = device.launch_builder(&kernel);
                launch.arg(from).arg(to).arg(&(left as u32)).launch(LaunchConfig::new(grid, block))?;
                passes = pass;
                if grid == 1 {
                    break;
                }
                (from, left) = (to, u64::from(grid));
                grid = blocks(left);
            }
            Ok(())
        },
    )?;
    let sum = device.clone_dtoh(&partials[passes % 2])?[0];
    Ok(Outcome { sum: O::value(sum), cost, dropped: None })
}

/// The last block to be done adds the partial sums.
fn one_launch<O: Operator>(case: &Case, rung: &Kernel) -> Result<Outcome> {
    let Case { device, module, data, block, grid, .. } = *case;
    let kernel = module.load_function(limit::kernel(rung, data.len() as u64))?;
    let input = device.clone_htod(&elements::<O>(data))?;
    let output = device.alloc_zeros::<O::Element>(1)?;
    let scratch = device.alloc_zeros::<u64>(limit::scratch_words(grid))?; // each launch leaves it as it was
    let cost = device.measure(
        || Ok(()),
        || {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&input).arg(&output).arg(&(data.len() as u32)).arg(&scratch);
            launch.launch(LaunchConfig::new(grid, block))
        },
    )?;
    let sum = device.clone_dtoh(&output)?[0];
    Ok(Outcome { sum: O::value(sum), cost, dropped: None })
}
// ANCHOR_END: host
