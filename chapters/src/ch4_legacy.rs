//! Chapter 4, the nested kernel as it was printed for the CUDA of 2020: its blocks wait for their children.
//! It runs on the simulator.

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Launches, Outcome, Shape, Variant};
use workbook::device::LaunchConfig;
use workbook::record::{Failure, Wrong};
use workbook::sim::{Diagnostic, Kind};

pub const CHAPTER: Chapter = Chapter {
    simulator_only: Some(
        "no GPU of compute capability 9.0 or newer lets device code wait for its children\n\
         (cudaDeviceSynchronize), and for older ones there is no build of this kernel here",
    ),
    ..Chapter::new(
        "ch4_legacy",
        "The nested kernel of 2020, whose blocks wait for their children; on the simulator",
        &[Variant {
            expected_failure: what_goes_wrong,
            launches: chain_of_children,
            ..Variant::new("gpuRecursiveReduce", reduce)
        }
        .does(
            "The code of 2020: each block halves its part, launches a child for the rest and waits for \
             it.",
        )],
    )
};

fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, data, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let input = device.clone_htod(data)?;
    let g_idata = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(grid as usize)?;
    let ran = device.measure(
        || device.memcpy_dtod(&input, &g_idata),
        || {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&g_idata).arg(&g_odata).arg(&block).launch(LaunchConfig::new(grid, block))
        },
    );
    let sum = device.clone_dtoh(&g_odata)?.into_iter().fold(0, i32::wrapping_add);
    match ran {
        Ok(cost) => Ok(Outcome::new(sum, cost)),
        // The error is what this kernel is kept to show. The partial sums stay as the kernel left them.
        Err(error) => Ok(Outcome::stopped(sum, error.downcast::<Diagnostic>()?)),
    }
}

/// The kernel is right if every block is full and its size is a power of two, 2 or more. Otherwise, in this
/// order: the last block reads past the end; or the halving ends at 1 instead of 2, so that a child without
/// threads is refused and no result is written; or the halving meets an odd size and loses its last element.
fn what_goes_wrong(n: u64, shape: Shape) -> Option<Failure> {
    let block = u64::from(shape.block);
    // The first step adds the second half onto the first; blocks of 1 and 3 threads add nothing.
    let reads = if block == 2 || block >= 4 { block & !1 } else { 0 };
    let ends_at_2 = block >= 2 && block >> (block.ilog2() - 1) == 0b10;
    match () {
        _ if u64::from(shape.grid - 1) * block + reads > n => Some(Failure::Found(Kind::OutOfBounds)),
        _ if !ends_at_2 => Some(Failure::Found(Kind::LaunchLimit)),
        _ if !block.is_power_of_two() => Some(Failure::Result(Wrong::DropsOddElement)),
        _ => None,
    }
}

/// One child per block for each halving but the last. Runtimes of that time kept any number of launches.
fn chain_of_children(_: u64, shape: Shape) -> Launches {
    let total = u64::from(shape.grid) * u64::from(shape.block.ilog2().saturating_sub(1));
    Launches { total, pending: total, blocks_at_once: u32::MAX, microseconds: 0.0 }
}
