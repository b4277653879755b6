//! Chapter 2: one block of threads adds up one array, one thread per element.

mod block;
mod figures;
mod moments;

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Extras, Outcome, Place, Variant};
use workbook::device::LaunchConfig;
use workbook::record::Failure;
use workbook::sim::Kind;

pub const CHAPTER: Chapter = Chapter {
    place: Place::OneBlock,
    // Two warps: the fewest for which the simulator's order of turns makes the missing barrier show in the
    // sum.
    default_n: |_| 64,
    extras: Extras { figures: Extras::in_the_book(figures::FIGURES), ..Extras::NONE },
    ..Chapter::new(
        "ch2_parallel",
        "One block of threads adds up one array",
        &[
            // Without a barrier the sum may be right or wrong, from one run to the next.
            Variant {
                expected_failure: |_, _| Some(Failure::Found(Kind::DataRace)),
                ..Variant::new("reduceNeighboredNoBarrier", reduce)
            }
            .does("The tree of neighbours in one block, with no barrier between its steps."),
            Variant::new("reduceNeighbored", reduce).does("The same tree with a barrier after each step."),
        ],
    )
};

// ANCHOR: host
/// The host side: allocate, copy, launch, copy back.
fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, data, .. } = *case;
    let kernel = case.kernel()?;

    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(1)?;

    let cost = device.measure(
        // The kernel works in place, so each repeat begins with the input again; this copy is not timed.
        || device.memcpy_dtod(&input, &g_data),
        || {
            let one_block = LaunchConfig::new(1, case.block);
            device.launch_builder(&kernel).arg(&g_data).arg(&g_odata).arg(&case.size()).launch(one_block)
        },
    )?;

    let sum = device.clone_dtoh(&g_odata)?[0];
    Ok(Outcome::new(sum, cost))
}
// ANCHOR_END: host
