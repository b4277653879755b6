//! Chapter 4: the recursion runs on the device. Kernels halve their data and launch kernels for what is left.

pub mod grids;
mod pending;
mod plan;

use anyhow::Result;
use plan::*;
use workbook::chapter::{Case, Chapter, Extras, Outcome, Shape, Sweep, Variant};
use workbook::device::{DEFAULT_PENDING_LAUNCHES, DeviceKind, LaunchConfig};
use workbook::figure::Figure;
use workbook::record::{Dropped, Failure};
use workbook::sim::Kind;

pub const CHAPTER: Chapter = Chapter {
    // One child per block takes up to a quarter of a second at 2^20, and grows with n.
    default_n: |device| if matches!(device, DeviceKind::Gpu) { 1 << 20 } else { 1 << 16 },
    pending_launches: true,
    extras: Extras {
        figures: Extras::in_the_book(&[
            Figure::of_traces("grids", grids::figure),
            Figure::of_traces("pending", pending::figure),
        ]),
        ..Extras::NONE
    },
    ..Chapter::new(
        "ch4_nested",
        "The recursion runs on the device: kernels launch kernels",
        &[
            Variant { launches: tail_launches, ..Variant::new("gpuRecursiveReduce", with_room) }.does(
                "Each block halves its part and hands the first half to a child of its own, tail-launched.",
            ),
            Variant {
                launches: fire_and_forget_launches,
                ..Variant::new("gpuRecursiveReduceFireAndForget", with_room)
            }
            .does("The same recursion with children that may start at once, beside their parents."),
            Variant {
                shape: level_shape,
                launches: one_launch_per_level,
                ..Variant::new("gpuRecursiveReduceGridWide", with_room)
            }
            .does("One child per level: the grid halves the array, and one thread launches the next level."),
            // All blocks in one launch, as in the posts, and blocks so small that the room does not suffice.
            Variant {
                expected_failure: |n, shape| {
                    overflows_the_default_room(n, shape)
                        .then_some(Failure::Found(Kind::PendingLaunchOverflow))
                },
                ..at_once("gpuRecursiveReduceAtOnce", |case| reduce(case, DEFAULT_PENDING_LAUNCHES))
            }
            .does("The first recursion with the default room for pending launches: the rest is dropped."),
            Variant {
                story: false,
                sweep: Sweep::Never,
                ..at_once("gpuRecursiveReduceAtOnceWithRoom", with_room)
            },
        ],
    )
};

const fn at_once(name: &'static str, host: fn(&Case) -> Result<Outcome>) -> Variant {
    Variant {
        symbol: "gpuRecursiveReduce",
        shape: |n, shape, _| if shape.block > 32 { Shape::of_blocks(n, 32) } else { shape },
        launches: tail_launches_at_once,
        ..Variant::new(name, host)
    }
}

// ANCHOR: host
/// Reserves room for every launch that may be pending.
fn with_room(case: &Case) -> Result<Outcome> {
    reduce(case, case.launches.pending.max(DEFAULT_PENDING_LAUNCHES).next_power_of_two())
}

fn reduce(case: &Case, room: u64) -> Result<Outcome> {
    let Case { device, data, block, grid, .. } = *case;
    // Before the first launch: a device launch that finds no room does not happen, and the host is not told.
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(room))?;
    let kernel = case.kernel()?;

    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(grid as usize)?;
    let failure = device.alloc_zeros::<u32>(2)?; // first cudaError_t, launches that did not happen
    let read_failure = || anyhow::Ok(Dropped::from_words(&device.clone_dtoh(&failure)?));

    let mut dropped = None; // by the first run that lost any
    let cost = device.measure(
        || {
            // Not timed: look at the run before, then restore the input. Its sums are cleared, or a chunk
            // that is left unfinished now would still show the right one.
            dropped = dropped.take().or(read_failure()?);
            device.memset_zeros(&failure)?;
            device.memset_zeros(&g_odata)?;
            device.memcpy_dtod(&input, &g_data)
        },
        || {
            // One launch, or one per batch of blocks where every block has children.
            let batch = case.launches.blocks_at_once;
            for first_block in (0..grid).step_by(batch as usize) {
                let first = first_block as usize * block as usize;
                let size = data.len().saturating_sub(first) as u32;
                let mut launch = device.launch_builder(&kernel);
                launch.arg(&g_data.slice(first..)).arg(&g_odata.slice(first_block as usize..));
                launch.arg(&size).arg(&failure);
                launch.launch(LaunchConfig::new(batch.min(grid - first_block), block))?;
            }
            Ok(())
        },
    )?;

    // The kernels with one child per block leave one partial sum per block; the others one sum and zeros.
    let sum = device.clone_dtoh(&g_odata)?.into_iter().fold(0, i32::wrapping_add);
    Ok(Outcome { dropped: dropped.or(read_failure()?), ..Outcome::new(sum, cost) })
}
// ANCHOR_END: host
