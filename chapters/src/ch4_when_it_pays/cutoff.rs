//! The recursion over passes with a cutoff: few blocks add up their sums themselves, more than that launch a
//! child.

use anyhow::Result;
use workbook::chapter::{Case, Outcome};
use workbook::device::{DEFAULT_PENDING_LAUNCHES, Graph, LaunchConfig};
use workbook::record::Dropped;

use super::plan::{CUTOFF_BLOCKS, partial_sums};

pub fn reduce(case: &Case) -> Result<Outcome> {
    recursion(case, false)
}

/// The end of the recursion alone, in a graph, for any number of blocks.
pub fn end_in_a_graph(case: &Case) -> Result<Outcome> {
    recursion(case, true)
}

fn recursion(case: &Case, end_in_a_graph: bool) -> Result<Outcome> {
    let Case { device, data, block, grid, .. } = *case;
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(DEFAULT_PENDING_LAUNCHES))?;
    let step = case.load_function("gpuRecursiveReduceCutoff")?;
    let end = case.load_function("reduceToOne")?;
    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(1)?;
    let partials = device.alloc::<i32>(partial_sums(data.len() as u64, block))?;
    let total = device.alloc_zeros::<u64>(1)?; // the sum so far, and how many blocks have added to it
    let failure = device.alloc_zeros::<u32>(2)?;

    let reduce = || {
        let few = end_in_a_graph || u64::from(grid) <= CUTOFF_BLOCKS;
        let mut launch = device.launch_builder(if few { &end } else { &step });
        if few {
            launch.arg(&g_data).arg(&g_odata).arg(&case.size()).arg(&total);
        } else {
            launch.arg(&g_data).arg(&partials).arg(&g_odata).arg(&case.size()).arg(&total).arg(&failure);
        }
        launch.launch(LaunchConfig::new(grid, block))
    };
    let graph = if end_in_a_graph { Some(device.capture(reduce)?) } else { None };
    let cost = device.measure(
        || {
            // The sum of the run before is cleared, or a `total` that is not 0 again would go unnoticed.
            device.memset_zeros(&g_odata)?;
            device.memcpy_dtod(&input, &g_data)
        },
        || graph.as_ref().map_or_else(reduce, Graph::launch),
    )?;
    let sum = device.clone_dtoh(&g_odata)?[0];
    let dropped = Dropped::from_words(&device.clone_dtoh(&failure)?);
    Ok(Outcome { dropped, ..Outcome::new(sum, cost) })
}
