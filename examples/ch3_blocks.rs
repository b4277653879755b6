//! Chapter 3: many blocks, each of which leaves one partial sum; the host adds those up.
//!
//!     cargo run --example ch3_blocks
//!     cargo run --example ch3_blocks -- --n 1_000_000 --block 96

use std::process::ExitCode;

use anyhow::Result;
use workbook::chapter::{self, Case, Chapter, Kernel, Outcome, Place};
use workbook::device::LaunchConfig;
use workbook::record::DeviceKind;

const CHAPTER: Chapter = Chapter {
    stem: "ch3_blocks",
    about: "Many blocks, one partial sum a block",
    place: Place::ManyBlocks,
    kernels: &[
        Kernel::new("reduceNeighbored"),
        Kernel::new("reduceNeighboredLess"),
        Kernel::new("reduceInterleaved"),
    ],
    default_n: |device| if device == DeviceKind::Gpu { 1 << 24 } else { 1 << 16 },
};

fn main() -> ExitCode {
    chapter::run(&CHAPTER, reduce)
}

// ANCHOR: host
/// The host side: allocate, copy, launch, copy back, add up.
fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, module, data, .. } = *case;
    let size = data.len() as u32;
    let kernel = module.load_function(case.kernel)?;

    let input = device.clone_htod(data)?;
    let g_idata = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(case.grid as usize)?; // a partial sum a block

    let cost = device.measure(
        // The kernel works in place, so each repeat begins with the input again; this copy is not timed.
        || device.memcpy_dtod(&input, &g_idata),
        || {
            let blocks = LaunchConfig::new(case.grid, case.block);
            device.launch_builder(&kernel).arg(&g_idata).arg(&g_odata).arg(&size).launch(blocks)
        },
    )?;

    // What is left, one number a block, the host adds up. This is not timed either.
    let sum = device.clone_dtoh(&g_odata)?.into_iter().fold(0, i32::wrapping_add);
    Ok(Outcome { sum: sum.into(), cost, dropped: None })
}
// ANCHOR_END: host
