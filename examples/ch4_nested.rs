//! Chapter 4: the recursion runs on the device. Kernels halve their data and launch kernels for what is left.
//!
//!     cargo run --example ch4_nested
//!     cargo run --example ch4_nested -- --n 2^16 --grid 128         # the post's choice: so many blocks
//!     cargo run --example ch4_nested -- --pending-launches 64       # too little room: launches are dropped
//!     cargo run --example ch4_nested -- --museum                    # the post's own kernel, beside its port

#[path = "ch4_nested/cutoff.rs"]
mod cutoff;
#[path = "ch4_nested/flat.rs"]
mod flat;
#[path = "ch4_nested/museum.rs"]
mod museum;

use std::process::ExitCode;

use anyhow::Result;
use workbook::chapter::{self, Case, Chapter, Kernel, Outcome, Place};
use workbook::chapters::nested::*;
use workbook::device::LaunchConfig;
use workbook::record::{DeviceKind, Dropped};

const TAIL: Kernel = Kernel { launches: tail_launches, ..Kernel::new("gpuRecursiveReduce") };
const FIRE_AND_FORGET: Kernel =
    Kernel { launches: fire_and_forget_launches, ..Kernel::new("gpuRecursiveReduceFireAndForget") };
const GRID_WIDE: Kernel =
    Kernel { grid: grid_of_level, launches: a_launch_a_level, ..Kernel::new("gpuRecursiveReduceGridWide") };
const PASSES: Kernel =
    Kernel { grid: grid_of_pass, launches: a_launch_a_pass, ..Kernel::new("gpuRecursiveReducePasses") };
const CLUSTER: Kernel = Kernel {
    grid: grid_of_clusters,
    launches: a_launch_a_pass_of_clusters,
    needs_gpu: HOPPER,
    ..Kernel::new("gpuRecursiveReduceCluster")
};
const HOPPER: Option<(u32, u32)> = Some((9, 0));

const CHAPTER: Chapter = Chapter {
    stem: "ch4_nested",
    about: "The recursion runs on the device: kernels launch kernels",
    place: Place::ManyBlocks,
    kernels: &[
        TAIL,
        FIRE_AND_FORGET,
        GRID_WIDE,
        PASSES,
        cutoff::CUTOFF,
        CLUSTER,
        // The same levels and passes, launched by the host in a loop; and captured into a graph, and launched as one.
        // No nested kernel is: in a graph, children of children went astray on an H200 (driver 580.159.04), and
        // nothing reported it.
        flat::LEVEL,
        flat::PASS,
        flat::LEVEL_IN_A_GRAPH,
        flat::PASS_IN_A_GRAPH,
        cutoff::TO_ONE_IN_A_GRAPH,
        // A graph that the device launches.
        flat::PASS_THEN_GRAPH,
        // All blocks in one launch, as the post has it: with the room that a device has by default, which may be too
        // little, and with enough.
        Kernel {
            launches: tail_launches_at_once,
            teaches: |n, shape| overflows_the_default_room(n, shape).then_some("pending-launch-overflow"),
            ..Kernel::new("at-once/gpuRecursiveReduce")
        },
        Kernel {
            launches: tail_launches_at_once,
            swept: false,
            ..Kernel::new("with-room/gpuRecursiveReduce")
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
    if flat::has(case.kernel) {
        return flat::reduce(case);
    }
    if cutoff::has(case.kernel) {
        return cutoff::reduce(case);
    }
    let Case { device, module, data, block, grid, .. } = *case;
    let (way, name) = case.kernel.split_once('/').unwrap_or(("", case.kernel));
    // Before the first launch: a device launch without room does not happen, and nobody tells the host.
    let enough = case.launches.pending.max(DEFAULT_ROOM).next_power_of_two();
    let room = if way == "at-once" { DEFAULT_ROOM } else { enough };
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(room))?;
    let kernel = module.load_function(name)?;

    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(grid as usize)?;
    let partials = device.alloc::<i32>(partial_sums(data.len() as u64, block))?;
    let failure = device.alloc_zeros::<u32>(2)?; // first cudaError_t, launches that did not happen
    let read_failure = || anyhow::Ok(Dropped::from_words(&device.clone_dtoh(&failure)?));

    let mut dropped = None; // by the first run that lost any
    let cost = device.measure(
        || {
            // Not timed: a look at the run before, and the input again. No sum is left of the run before, or a stretch
            // that is not finished would show the right one.
            dropped = dropped.take().or(read_failure()?);
            device.memset_zeros(&failure)?;
            device.memset_zeros(&g_odata)?;
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
                if name == PASSES.name || name == CLUSTER.name {
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
