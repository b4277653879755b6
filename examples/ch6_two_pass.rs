//! Chapter 6: a reduction for any associative operator, in passes; and other ways to put partial sums together.
//!
//!     cargo run --example ch6_two_pass
//!     cargo run --example ch6_two_pass -- --n 100_000 --block 256   # the post's numbers, in reduceKernel
//!     cargo run --example ch6_two_pass -- --n 262_145 --block 256   # one element more than its way can take

use std::process::ExitCode;

use anyhow::Result;
use workbook::chapter::options::Shape;
use workbook::chapter::{self, Case, Chapter, Kernel, Outcome, Place};
use workbook::chapters::summation_depth;
use workbook::device::measure::Measurement;
use workbook::device::{Buffer, LaunchConfig, MAX_BLOCK};
use workbook::record::DeviceKind;
use workbook::reduction::error_bound::{UNIT_F32, UNIT_F64, of_sum};
use workbook::reduction::operator::{
    ArgMax, FromZero, Hash, Max, Min, Operator, Product, Sum, elements, exact, rounded_sum,
};
use workbook::reduction::value::{Operation, Value};
use workbook::sim::{Diagnostic, Kind};

const CHAPTER: Chapter = Chapter {
    stem: "ch6_two_pass",
    about: "A reduction for any associative operator, in passes and in other ways",
    place: Place::ManyBlocks,
    kernels: &[
        Kernel { teaches: one_block_is_too_small, ..swept("reduceKernel", FROM_ZERO) },
        swept("reducePasses_sum_i32", Operation::SUM),
        swept("reduceSingleLaunch_sum_i32", Operation::SUM),
        Kernel { teaches: |_, _| Some("data-race"), ..once("reduceNoFence_sum_i32", Operation::SUM) },
        swept("reduceGridSync_sum_i32", Operation::SUM),
        swept("reduceAtomicBlocks_sum_i32", Operation::SUM),
        swept("reduceAtomicThreads_sum_i32", Operation::SUM),
        Kernel {
            error: |n, shape| of_sum(n, summation_depth::of_passes(n, shape), UNIT_F32),
            ..once("reducePasses_sum_f32", SUM_F32)
        },
        Kernel {
            error: |n, shape| of_sum(n, summation_depth::of_one_last_block(n, shape), UNIT_F32),
            ..once("reduceSingleLaunch_sum_f32", SUM_F32)
        },
        Kernel {
            error: |n, shape| of_sum(n, summation_depth::of_one_last_block(n, shape), UNIT_F32),
            ..once("reduceGridSync_sum_f32", SUM_F32)
        },
        Kernel {
            error: |n, shape| of_sum(n, summation_depth::of_atomic_blocks(n, shape), UNIT_F32),
            ..once("reduceAtomicBlocks_sum_f32", SUM_F32)
        },
        Kernel {
            error: |n, shape| of_sum(n, summation_depth::of_atomic_threads(n, shape), UNIT_F32),
            ..once("reduceAtomicThreads_sum_f32", SUM_F32)
        },
        once("reducePasses_sum_i64", exact::<Sum<i64>>("sum of i64")),
        Kernel {
            error: |n, shape| of_sum(n, summation_depth::of_passes(n, shape), UNIT_F64),
            ..once("reducePasses_sum_f64", SUM_F64)
        },
        once("reducePasses_min_i32", exact::<Min<i32>>("minimum of i32")),
        once("reducePasses_min_i64", exact::<Min<i64>>("minimum of i64")),
        once("reducePasses_min_f32", exact::<Min<f32>>("minimum of f32")),
        once("reducePasses_min_f64", exact::<Min<f64>>("minimum of f64")),
        once("reducePasses_max_i32", exact::<Max<i32>>("maximum of i32")),
        once("reducePasses_max_i64", exact::<Max<i64>>("maximum of i64")),
        once("reducePasses_max_f32", exact::<Max<f32>>("maximum of f32")),
        once("reducePasses_max_f64", exact::<Max<f64>>("maximum of f64")),
        once("reducePasses_argmax_i32", exact::<ArgMax<i32>>("argmax of i32")),
        once("reducePasses_argmax_i64", exact::<ArgMax<i64>>("argmax of i64")),
        once("reducePasses_argmax_f32", exact::<ArgMax<f32>>("argmax of f32")),
        once("reducePasses_argmax_f64", exact::<ArgMax<f64>>("argmax of f64")),
        once("reducePasses_product_u64", exact::<Product>("product of u64")),
        once("reducePasses_hash_u32", HASH),
        Kernel {
            teaches: |n, _| (n > 2).then_some("operands-out-of-order"),
            ..once("reduceInterleaved_hash_u32", HASH)
        },
    ],
    default_n: |device| if device == DeviceKind::Gpu { 1 << 24 } else { 1 << 16 },
};

const FROM_ZERO: Operation = exact::<FromZero>("sum of 0, 1, 2, … as i64");
const HASH: Operation = exact::<Hash>("hash of u32");
const SUM_F32: Operation = Operation { name: "sum of f32", element_bytes: 4, expected: rounded_sum::<f32> };
const SUM_F64: Operation = Operation { name: "sum of f64", element_bytes: 8, expected: rounded_sum::<f64> };

/// Whether the second launch of [`the_posts_way`] is refused: a block has 1024 threads at most.
fn one_block_is_too_small(_: u64, shape: Shape) -> Option<&'static str> {
    (shape.grid.next_power_of_two() > MAX_BLOCK).then_some("launch-limit")
}

const fn swept(name: &'static str, operation: Operation) -> Kernel {
    Kernel { operation, ..Kernel::new(name) }
}

const fn once(name: &'static str, operation: Operation) -> Kernel {
    Kernel { swept: false, ..swept(name, operation) }
}

fn main() -> ExitCode {
    chapter::run(&CHAPTER, reduce)
}

/// `reducePasses_sum_i32` is the form `reducePasses` of the operator `sum_i32`.
fn reduce(case: &Case) -> Result<Outcome> {
    let (form, operator) = case.kernel.split_once('_').unwrap_or((case.kernel, ""));
    match operator {
        "sum_i32" => reduce_by::<Sum<i32>>(form, case),
        "sum_i64" => reduce_by::<Sum<i64>>(form, case),
        "sum_f32" => reduce_by::<Sum<f32>>(form, case),
        "sum_f64" => reduce_by::<Sum<f64>>(form, case),
        "min_i32" => reduce_by::<Min<i32>>(form, case),
        "min_i64" => reduce_by::<Min<i64>>(form, case),
        "min_f32" => reduce_by::<Min<f32>>(form, case),
        "min_f64" => reduce_by::<Min<f64>>(form, case),
        "max_i32" => reduce_by::<Max<i32>>(form, case),
        "max_i64" => reduce_by::<Max<i64>>(form, case),
        "max_f32" => reduce_by::<Max<f32>>(form, case),
        "max_f64" => reduce_by::<Max<f64>>(form, case),
        "argmax_i32" => reduce_by::<ArgMax<i32>>(form, case),
        "argmax_i64" => reduce_by::<ArgMax<i64>>(form, case),
        "argmax_f32" => reduce_by::<ArgMax<f32>>(form, case),
        "argmax_f64" => reduce_by::<ArgMax<f64>>(form, case),
        "product_u64" => reduce_by::<Product>(form, case),
        "hash_u32" => reduce_by::<Hash>(form, case),
        _ => reduce_by::<FromZero>(form, case),
    }
}

fn reduce_by<O: Operator>(form: &str, case: &Case) -> Result<Outcome> {
    let input = case.device.clone_htod(&elements::<O>(case.data))?;
    match form {
        "reduceKernel" => the_posts_way::<O>(case, &input),
        "reduceSingleLaunch" | "reduceNoFence" => single_launch::<O>(case, &input),
        "reduceGridSync" => grid_sync::<O>(case, &input),
        "reduceAtomicBlocks" | "reduceAtomicThreads" => atomics::<O>(case, &input),
        _ => passes::<O>(case, &input),
    }
}

/// Blocks of `block` threads, with shared memory for an element a thread.
fn blocks<O: Operator>(grid: u32, block: u32) -> LaunchConfig {
    let shared_mem_bytes = block * size_of::<O::Element>() as u32;
    LaunchConfig { shared_mem_bytes, ..LaunchConfig::new(grid, block) }
}

fn outcome<O: Operator>(case: &Case, result: &Buffer<O::Element>, cost: Measurement) -> Result<Outcome> {
    let result = case.device.clone_dtoh(result)?;
    Ok(Outcome { sum: O::value(result[0]), cost, dropped: None })
}

// ANCHOR: thePostsWay
/// Two launches; the second is one block, a thread for each partial result, rounded up to a power of 2.
fn the_posts_way<O: Operator>(case: &Case, input: &Buffer<O::Element>) -> Result<Outcome> {
    let Case { device, module, block, grid, .. } = *case;
    let kernel = module.load_function(case.kernel)?;
    let partials = device.alloc::<O::Element>(grid as usize)?;
    let result = device.alloc::<O::Element>(1)?;

    let measured = device.measure(
        || Ok(()),
        || {
            let n = input.len() as u32;
            let mut launch = device.launch_builder(&kernel);
            launch.arg(input).arg(&partials).arg(&n).launch(blocks::<O>(grid, block))?;
            let mut launch = device.launch_builder(&kernel);
            let one_block = blocks::<O>(1, grid.next_power_of_two());
            launch.arg(&partials).arg(&result).arg(&grid).launch(one_block)
        },
    );
    match measured {
        Ok(cost) => outcome::<O>(case, &result, cost),
        Err(error) => refused(error.downcast()?),
    }
}
// ANCHOR_END: thePostsWay

/// A launch that cannot be made leaves no result.
fn refused(diagnostic: Diagnostic) -> Result<Outcome> {
    anyhow::ensure!(diagnostic.kind == Kind::LaunchLimit, diagnostic);
    let cost = Measurement { found: vec![diagnostic], ..Default::default() };
    Ok(Outcome { sum: Value::Text("none".to_string()), cost, dropped: None })
}

// ANCHOR: passes
/// Passes over what is left, until that is one element. Two buffers take turns.
fn passes<O: Operator>(case: &Case, input: &Buffer<O::Element>) -> Result<Outcome> {
    let Case { device, module, block, grid, .. } = *case;
    let kernel = module.load_function(case.kernel)?;
    let mut left = device.alloc::<O::Element>(grid as usize)?;
    let mut next = device.alloc::<O::Element>(grid as usize)?;

    let cost = device.measure(
        || Ok(()),
        || {
            let (mut n, mut pass) = (input.len() as u32, blocks::<O>(grid, block));
            let mut launch = device.launch_builder(&kernel);
            launch.arg(input).arg(&left).arg(&n).launch(pass)?;
            while pass.grid_dim.0 > 1 {
                n = pass.grid_dim.0;
                let block = block.max(2); // one thread a block would leave as much as there was
                pass = blocks::<O>(n.div_ceil(block), block);
                let mut launch = device.launch_builder(&kernel);
                launch.arg(&left).arg(&next).arg(&n).launch(pass)?;
                std::mem::swap(&mut left, &mut next);
            }
            Ok(())
        },
    )?;
    outcome::<O>(case, &left, cost)
}
// ANCHOR_END: passes

// ANCHOR: singleLaunch
fn single_launch<O: Operator>(case: &Case, input: &Buffer<O::Element>) -> Result<Outcome> {
    let Case { device, module, block, grid, .. } = *case;
    let kernel = module.load_function(case.kernel)?;
    let partials = device.alloc::<O::Element>(grid as usize)?;
    let result = device.alloc::<O::Element>(1)?;
    let ticket = device.alloc_zeros::<u32>(1)?; // the kernel leaves it at 0

    let cost = device.measure(
        || Ok(()),
        || {
            let n = input.len() as u32;
            let mut launch = device.launch_builder(&kernel);
            launch.arg(input).arg(&partials).arg(&result).arg(&n).arg(&ticket);
            launch.launch(blocks::<O>(grid, block))
        },
    )?;
    outcome::<O>(case, &result, cost)
}
// ANCHOR_END: singleLaunch

// ANCHOR: gridSync
/// Blocks that wait for each other must all be on the device: there are no more than fit.
fn grid_sync<O: Operator>(case: &Case, input: &Buffer<O::Element>) -> Result<Outcome> {
    let Case { device, module, block, .. } = *case;
    let kernel = module.load_function(case.kernel)?;
    let grid = case.grid.min(device.resident_blocks(&kernel, blocks::<O>(1, block))?);
    let partials = device.alloc::<O::Element>(grid as usize)?;
    let result = device.alloc::<O::Element>(1)?;

    let cost = device.measure(
        || Ok(()),
        || {
            let n = input.len() as u32;
            let mut launch = device.launch_builder(&kernel);
            launch.arg(input).arg(&partials).arg(&result).arg(&n);
            launch.launch_cooperative(blocks::<O>(grid, block))
        },
    )?;
    outcome::<O>(case, &result, Measurement { grid: Some(grid), ..cost })
}
// ANCHOR_END: gridSync

// ANCHOR: atomics
fn atomics<O: Operator>(case: &Case, input: &Buffer<O::Element>) -> Result<Outcome> {
    let Case { device, module, block, grid, .. } = *case;
    let kernel = module.load_function(case.kernel)?;
    let result = device.alloc::<O::Element>(1)?;

    let cost = device.measure(
        || Ok(()),
        || {
            let n = input.len() as u32;
            device.memset_zeros(&result)?; // part of the work: the sum starts at 0
            let mut launch = device.launch_builder(&kernel);
            launch.arg(input).arg(&result).arg(&n).launch(blocks::<O>(grid, block))
        },
    )?;
    outcome::<O>(case, &result, cost)
}
// ANCHOR_END: atomics
