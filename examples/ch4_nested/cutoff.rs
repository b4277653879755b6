//! The recursion over passes with a cutoff: a child only where a pass has too many blocks to add up their sums itself.

use anyhow::Result;
use workbook::chapter::{Case, Kernel, Outcome};
use workbook::chapters::nested::*;
use workbook::device::{Graph, LaunchConfig};
use workbook::record::{DeviceKind, Dropped};

pub const CUTOFF: Kernel = Kernel {
    grid: grid_of_pass_to_cutoff,
    launches: a_launch_a_pass_above_the_cutoff,
    also: small_blocks,
    ..Kernel::new("gpuRecursiveReduceCutoff")
};
/// Its end alone, whatever the number of blocks.
pub const TO_ONE_IN_A_GRAPH: Kernel = Kernel {
    grid: grid_of_pass_to_cutoff,
    also: small_blocks,
    same_counts: true,
    ..Kernel::new("graph/reduceToOne")
};

/// Where there are more blocks than the cutoff: in blocks of 512 that is beyond the sweep.
pub fn small_blocks(kind: DeviceKind) -> &'static [(u64, u32)] {
    match kind {
        DeviceKind::Gpu => &[(1 << 22, 32), (1 << 24, 32), (1 << 26, 32), (1 << 28, 32)],
        _ => &[(1 << 20, 1)],
    }
}

/// Whether the kernel of that name is one of these.
pub fn has(name: &str) -> bool {
    [CUTOFF, TO_ONE_IN_A_GRAPH].iter().any(|kernel| kernel.name == name)
}

// ANCHOR: cutoff
pub fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, module, data, block, grid, .. } = *case;
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(DEFAULT_ROOM))?;
    let (step, end) =
        (module.load_function("gpuRecursiveReduceCutoff")?, module.load_function("reduceToOne")?);
    let (n, size) = (data.len() as u64, data.len() as u32);
    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(1)?;
    let partials = device.alloc::<i32>(partial_sums(n, block))?;
    let total = device.alloc_zeros::<u64>(1)?; // a sum, and how many blocks have added to it
    let failure = device.alloc_zeros::<u32>(2)?;

    let in_a_graph = case.kernel == TO_ONE_IN_A_GRAPH.name;
    let reduce = || {
        if in_a_graph || u64::from(grid) <= CUTOFF_BLOCKS {
            let mut launch = device.launch_builder(&end);
            launch.arg(&g_data).arg(&g_odata).arg(&size).arg(&total);
            launch.launch(LaunchConfig::new(grid, block))
        } else {
            let mut launch = device.launch_builder(&step);
            launch.arg(&g_data).arg(&partials).arg(&g_odata).arg(&size).arg(&total).arg(&failure);
            launch.launch(LaunchConfig::new(grid, block))
        }
    };
    let graph = if in_a_graph { Some(device.capture(reduce)?) } else { None };
    let cost = device.measure(
        || {
            // No sum is left of the run before, or a word that is not 0 again would go unseen.
            device.memset_zeros(&g_odata)?;
            device.memcpy_dtod(&input, &g_data)
        },
        || graph.as_ref().map_or_else(reduce, Graph::launch),
    )?;
    let sum = device.clone_dtoh(&g_odata)?[0];
    Ok(Outcome { sum: sum.into(), cost, dropped: Dropped::from_words(&device.clone_dtoh(&failure)?) })
}
// ANCHOR_END: cutoff
