//! The recursion over passes: each child adds up its parent's partial sums, until one block is enough.

use anyhow::Result;
use workbook::chapter::{Case, Outcome};
use workbook::device::{DEFAULT_PENDING_LAUNCHES, LaunchConfig};
use workbook::record::Dropped;

use super::plan::partial_sums;

pub fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, data, block, grid, .. } = *case;
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(DEFAULT_PENDING_LAUNCHES))?;
    let kernel = case.kernel()?;
    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let partials = device.alloc::<i32>(partial_sums(data.len() as u64, block))?;
    let g_odata = device.alloc_zeros::<i32>(1)?;
    let failure = device.alloc_zeros::<u32>(2)?; // first cudaError_t, launches that did not happen

    let cost = device.measure(
        || {
            device.memset_zeros(&g_odata)?; // clear the sum of the run before
            device.memcpy_dtod(&input, &g_data) // so that the caches are as in chapter 3
        },
        || {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&g_data).arg(&partials).arg(&g_odata).arg(&case.size()).arg(&failure);
            launch.launch(LaunchConfig::new(grid, block))
        },
    )?;
    let sum = device.clone_dtoh(&g_odata)?[0];
    let dropped = Dropped::from_words(&device.clone_dtoh(&failure)?);
    Ok(Outcome { dropped, ..Outcome::new(sum, cost) })
}
