//! The recursion over passes: each child adds up its parent's partial sums, until one block is enough.

use anyhow::Result;
use workbook::chapter::{Case, Outcome};
use workbook::device::{DEFAULT_PENDING_LAUNCHES, LaunchConfig};

use super::flat::Passes;

pub fn reduce(case: &Case) -> Result<Outcome> {
    let device = case.device;
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(DEFAULT_PENDING_LAUNCHES))?;
    let passes = Passes::new(case)?;
    let cost = device.measure(
        || {
            device.memset_zeros(&passes.g_odata)?; // clear the sum of the run before
            passes.copy_input()
        },
        || {
            let Passes { kernel, g_data, partials, g_odata, failure, .. } = &passes;
            let mut launch = device.launch_builder(kernel);
            launch.arg(g_data).arg(partials).arg(g_odata).arg(&case.size()).arg(failure);
            launch.launch(LaunchConfig::new(case.grid, case.block))
        },
    )?;
    passes.outcome(cost)
}
