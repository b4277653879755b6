//! Chapter 3: many blocks, each of which leaves one partial sum; the host adds those up.

mod divergence;
mod lanes;
mod sectors;

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Extras, Outcome, Variant};
use workbook::device::LaunchConfig;
use workbook::figure::Figure;

pub const CHAPTER: Chapter = Chapter {
    extras: Extras {
        figures: Extras::in_the_book(&[
            Figure::of_traces("lanes", lanes::figure),
            Figure::of_traces("divergence", divergence::figure),
            Figure::of_traces("sectors", sectors::figure),
        ]),
        ..Extras::NONE
    },
    ..Chapter::new(
        "ch3_blocks",
        "Many blocks, one partial sum per block",
        &[
            Variant::new("reduceNeighbored", reduce).does(
                "Many blocks, each with a tree of neighbours: in every step fewer lanes of each warp work.",
            ),
            Variant::new("reduceNeighboredMask", reduce)
                .does("The same threads, chosen by the bits of their number in place of a division."),
            Variant::new("reduceNeighboredLess", reduce)
                .does("The same additions by the first threads of the block, so that whole warps are idle."),
            Variant::new("reduceInterleaved", reduce)
                .does("The second half is added to the first, so that the loads of a warp share sectors."),
        ],
    )
};

// ANCHOR: host
/// The host side: allocate, copy, launch, copy back, add up.
fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, data, .. } = *case;
    let kernel = case.kernel()?;

    let input = device.clone_htod(data)?;
    let g_idata = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(case.grid as usize)?; // one partial sum per block

    let cost = device.measure(
        // The kernel works in place, so each repeat begins with the input again; this copy is not timed.
        || device.memcpy_dtod(&input, &g_idata),
        || {
            let blocks = LaunchConfig::new(case.grid, case.block);
            device.launch_builder(&kernel).arg(&g_idata).arg(&g_odata).arg(&case.size()).launch(blocks)
        },
    )?;

    // The host adds up what is left, one number per block. This is not timed either.
    let sum = device.clone_dtoh(&g_odata)?.into_iter().fold(0, i32::wrapping_add);
    Ok(Outcome::new(sum, cost))
}
// ANCHOR_END: host
