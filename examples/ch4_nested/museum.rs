//! `--museum`: the nested kernel as the posts have it, on the simulator, beside its port.

use anyhow::Result;
use workbook::build::kernels;
use workbook::chapter::options::Shape;
use workbook::chapter::{Case, Chapter, Kernel, Launches, Outcome, Place};
use workbook::chapters::legacy;
use workbook::chapters::nested;
use workbook::device::LaunchConfig;
use workbook::device::measure::Measurement;
use workbook::sim::Diagnostic;

const POST: &str = "museum/gpuRecursiveReduce";
const PORT: &str = "gpuRecursiveReduce";

pub const CHAPTER: Chapter = Chapter {
    stem: legacy::STEM,
    about: "",
    place: Place::ManyBlocks,
    kernels: &[
        Kernel { teaches: what_goes_wrong, launches: chain_of_children, ..Kernel::new(POST) },
        Kernel { launches: nested::tail_launches, ..Kernel::new(PORT) },
    ],
    default_n: |_| 1 << 16,
};

// ANCHOR: museum
pub fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, module, data, block, grid, .. } = *case;
    if case.kernel == PORT {
        let module = device.load_module(kernels::get("ch4_nested")?)?;
        return super::reduce(&Case { module: &module, ..*case });
    }
    let kernel = module.load_function("gpuRecursiveReduce")?;
    let input = device.clone_htod(data)?;
    let g_idata = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(grid as usize)?;
    let ran = device.measure(
        || device.memcpy_dtod(&input, &g_idata),
        || {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&g_idata).arg(&g_odata).arg(&block);
            launch.launch(LaunchConfig::new(grid, block))
        },
    );
    // What stops the kernel is what it is kept to show. The partial sums are then as it left them.
    let cost = match ran {
        Ok(cost) => cost,
        Err(error) => Measurement { found: vec![error.downcast::<Diagnostic>()?], ..Measurement::default() },
    };
    let sum = device.clone_dtoh(&g_odata)?.into_iter().fold(0, i32::wrapping_add);
    Ok(Outcome { sum: sum.into(), cost, dropped: None })
}
// ANCHOR_END: museum

/// The kernel is right where all blocks are full and have a power of two of threads, from 2 on. Otherwise, in this
/// order: the last block reads past the end; or the halving ends at 1 instead of 2, where a child of no threads is
/// refused and no result is written; or the halving meets an odd size, and loses its last element.
fn what_goes_wrong(n: u64, shape: Shape) -> Option<&'static str> {
    let block = u64::from(shape.block);
    // The first step adds the second half onto the first; blocks of 1 and 3 threads add nothing.
    let reads = if block == 2 || block >= 4 { block & !1 } else { 0 };
    let ends_at_2 = block >= 2 && block >> (block.ilog2() - 1) == 0b10;
    match () {
        _ if u64::from(shape.grid - 1) * block + reads > n => Some("out-of-bounds"),
        _ if !ends_at_2 => Some("launch-limit"),
        _ if !block.is_power_of_two() => Some("drops-odd-element"),
        _ => None,
    }
}

/// A child for each halving but the last, for every block. The device of then kept any number of launches.
fn chain_of_children(_: u64, shape: Shape) -> Launches {
    let total = u64::from(shape.grid) * u64::from(shape.block.ilog2().saturating_sub(1));
    Launches { total, pending: total, blocks_at_once: u32::MAX, microseconds: 0.0 }
}
