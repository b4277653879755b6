//! Chapter 4: the recursion runs on the device. Kernels halve their data and launch kernels for what is left.
//!
//!     cargo run --example ch4_nested
//!     cargo run --example ch4_nested -- --n 2^16 --grid 128         # the post's choice: so many blocks
//!     cargo run --example ch4_nested -- --pending-launches 64       # too little room: launches are dropped
//!     cargo run --example ch4_nested -- --museum                    # the post's own kernel, beside its port

#[path = "ch4_nested/museum.rs"]
mod museum;

use std::process::ExitCode;

use anyhow::Result;
use workbook::backend::LaunchConfig;
use workbook::chapter::{self, Case, Chapter, Kernel, Launches, Outcome, Place};
use workbook::cli::Shape;
use workbook::record::{DeviceKind, Dropped};

/// Blocks of a grid whose children may all be pending. The device reserves memory for as many launches as the
/// limit allows, and the more may be pending the longer each takes: at 2^18 elements, 32 threads a block, the
/// tail-launched form took 605 ms with all 8,192 blocks at once and 440 ms with 2,048, the other form 34.7 ms and
/// 12 to 15 ms (measured once, H200, driver 580.159.04).
const BLOCKS_AT_ONCE: u32 = 2_048;

const CHAPTER: Chapter = Chapter {
    stem: "ch4_nested",
    about: "The recursion runs on the device: kernels launch kernels",
    place: Place::ManyBlocks,
    kernels: &[
        Kernel { launches: tail_launches, ..Kernel::new("gpuRecursiveReduce") },
        Kernel { launches: fire_and_forget_launches, ..Kernel::new("gpuRecursiveReduceFireAndForget") },
        Kernel {
            grid: half_a_thread_an_element,
            launches: one_a_level,
            ..Kernel::new("gpuRecursiveReduceGridWide")
        },
        Kernel {
            grid: eight_elements_a_thread,
            launches: one_a_level,
            ..Kernel::new("gpuRecursiveReducePasses")
        },
    ],
    // The nested forms with a child a block take half a second at 2^20, and in proportion beyond.
    default_n: |device| if device == DeviceKind::Gpu { 1 << 20 } else { 1 << 16 },
};

fn main() -> ExitCode {
    chapter::run_with_museum(&CHAPTER, reduce, &museum::CHAPTER, museum::reduce)
}

// ANCHOR: host
fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, module, data, block, grid, .. } = *case;
    // Before the first launch: a device launch without room does not happen, and nobody tells the host.
    let enough = case.launches.pending.max(2048).next_power_of_two();
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(enough))?;
    let kernel = module.load_function(case.kernel)?;

    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(grid as usize)?;
    let partials = device.alloc::<i32>(partial_sums(grid, block))?;
    let failure = device.alloc_zeros::<u32>(2)?; // first cudaError_t, launches that did not happen
    let read_failure = || anyhow::Ok(Dropped::from_words(&device.clone_dtoh(&failure)?));

    let mut dropped = None; // by the first run that lost any
    let cost = device.measure(
        || {
            // Not timed: a look at the run before, and the input again.
            dropped = dropped.take().or(read_failure()?);
            device.memset_zeros(&failure)?;
            device.memcpy_dtod(&input, &g_data)
        },
        || {
            // One launch; where every block has children, one for every so many blocks.
            let batch = case.launches.blocks_at_once;
            for first_block in (0..grid).step_by(batch as usize) {
                let first = first_block as usize * block as usize;
                let size = data.len().saturating_sub(first) as u32;
                let mut launch = device.launch_builder(&kernel);
                launch.arg(&g_data.slice(first..));
                if case.kernel == "gpuRecursiveReducePasses" {
                    launch.arg(&partials);
                }
                launch.arg(&g_odata.slice(first_block as usize..)).arg(&size).arg(&failure);
                launch.launch(LaunchConfig::new(batch.min(grid - first_block), block))?;
            }
            Ok(())
        },
    )?;

    // The kernels with a child a block leave a partial sum a block; the others one sum and zeros.
    let sum = device.clone_dtoh(&g_odata)?.into_iter().fold(0, i32::wrapping_add);
    Ok(Outcome { sum: sum.into(), cost, dropped: dropped.or(read_failure()?) })
}
// ANCHOR_END: host

/// Every block halves its elements until one is left, and launches a child for each step.
fn levels(shape: Shape) -> u64 {
    shape.block.next_power_of_two().ilog2().into()
}

/// All blocks' children are pending when the first grid ends. They run one after the other, each with its own
/// children, about 11 µs a launch (H200).
fn tail_launches(shape: Shape) -> Launches {
    let blocks_at_once = BLOCKS_AT_ONCE;
    let total = u64::from(shape.grid) * levels(shape);
    let pending = u64::from(shape.grid.min(blocks_at_once)) + 1;
    Launches { total, pending, blocks_at_once, microseconds: 11.0 }
}

/// A grid counts as pending until all its children are done, so the whole tree may be. About 0.5 µs a launch,
/// since children run side by side (H200).
fn fire_and_forget_launches(shape: Shape) -> Launches {
    let Launches { total, blocks_at_once, .. } = tail_launches(shape);
    let pending = u64::from(shape.grid.min(blocks_at_once)) * levels(shape) + 1;
    Launches { total, pending, blocks_at_once, microseconds: 0.5 }
}

/// One child at a time, however many levels.
fn one_a_level(_: Shape) -> Launches {
    Launches { total: 32, pending: 32, blocks_at_once: u32::MAX, microseconds: 10.0 }
}

/// gpuRecursiveReduceGridWide: a thread for each addition of the first level.
fn half_a_thread_an_element(n: u64, shape: Shape) -> u32 {
    Shape::of_blocks(n.div_ceil(2), shape.block).grid
}

/// gpuRecursiveReducePasses: a tile of 8 elements a thread.
fn eight_elements_a_thread(n: u64, shape: Shape) -> u32 {
    n.div_ceil(8 * u64::from(shape.block)).max(1) as u32
}

/// gpuRecursiveReducePasses: the partial sums of every pass, one behind the other.
fn partial_sums(first_grid: u32, block: u32) -> usize {
    let mut sums = 1;
    let mut grid = first_grid as usize;
    while grid > 1 {
        sums += grid;
        grid = grid.div_ceil(8 * block as usize);
    }
    sums
}
