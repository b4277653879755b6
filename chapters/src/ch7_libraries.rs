//! The sum of a block by hand, by cub::BlockReduce and by cooperative groups.

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Outcome, Shape, Variant};
use workbook::device::LaunchConfig;

/// Threads per block: a constant of the kernels, since `cub::BlockReduce` is compiled for a number of
/// threads.
const BLOCK: u32 = 512;
/// Elements that a thread loads.
const ITEMS: u64 = 8;

pub const CHAPTER: Chapter = Chapter::new(
    "ch7_libraries",
    "The sum of a block: by hand, and from a library",
    &[
        variant("reduceByHand").does("The sum of a block by shuffles and shared memory, as in chapter 7."),
        variant("reduceBlockReduce").does("The same by cub::BlockReduce."),
        variant("reduceGroups").does("The same by the reduce of cooperative groups."),
    ],
);

const fn variant(name: &'static str) -> Variant {
    Variant {
        shape: |n, _, _| Shape { block: BLOCK, grid: n.div_ceil(ITEMS * u64::from(BLOCK)).max(1) as u32 },
        ..Variant::new(name, reduce)
    }
}

// ANCHOR: host
/// One launch; the blocks add their sums to one number, which is 0 before.
fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, data, .. } = *case;
    let kernel = case.kernel()?;
    let input = device.clone_htod(data)?;
    let output = device.alloc_zeros::<i32>(1)?;
    let cost = device.measure_launch(|| {
        device.memset_zeros(&output)?; // part of the work: the sum starts at 0
        let blocks = LaunchConfig::new(case.grid, case.block);
        device.launch_builder(&kernel).arg(&input).arg(&output).arg(&case.size()).launch(blocks)
    })?;
    Ok(Outcome::new(device.clone_dtoh(&output)?[0], cost))
}
// ANCHOR_END: host
