//! What the nested kernels of chapter 4 are compared with: the same levels and passes, launched by the host one by
//! one, or as a graph.

use anyhow::Result;
use workbook::chapter::{Case, Kernel, Outcome};
use workbook::chapters::nested::*;
use workbook::device::{Graph, LaunchConfig};

use crate::cutoff::small_blocks;

pub const LEVEL: Kernel = Kernel { grid: grid_of_level, ..Kernel::new("reduceLevel") };
pub const PASS: Kernel = Kernel { grid: grid_of_pass, ..Kernel::new("reducePass") };
pub const LEVEL_IN_A_GRAPH: Kernel = Kernel { name: "graph/reduceLevel", same_counts: true, ..LEVEL };
pub const PASS_IN_A_GRAPH: Kernel =
    Kernel { name: "graph/reducePass", also: small_blocks, same_counts: true, ..PASS };
/// Every pass is a graph that the device launches, but the first.
pub const PASS_THEN_GRAPH: Kernel =
    Kernel { name: "graph/reducePassThenGraph", needs_gpu: Some((9, 0)), ..PASS };

/// Whether the kernel of that name is one of these.
pub fn has(name: &str) -> bool {
    [LEVEL, PASS, LEVEL_IN_A_GRAPH, PASS_IN_A_GRAPH, PASS_THEN_GRAPH].iter().any(|kernel| kernel.name == name)
}

// ANCHOR: flat
pub fn reduce(case: &Case) -> Result<Outcome> {
    let Case { device, module, data, block, .. } = *case;
    let name = case.kernel.strip_prefix("graph/").unwrap_or(case.kernel);
    let kernel = module.load_function(name)?;
    let n = data.len() as u64;
    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(1)?;
    let partials = device.alloc::<i32>(partial_sums(n, block))?;

    let level = |Level { size, grid }| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&g_data).arg(&g_odata).arg(&size).launch(LaunchConfig::new(grid, block))
    };
    // Pass number i reads what the one before has left, and leaves its sums behind it; the last leaves the sum.
    let passes = passes(n, block);
    let pass = |i: usize, then: Option<&Graph>| {
        let mut launch = device.launch_builder(&kernel);
        if i == 0 {
            launch.arg(&g_data);
        } else {
            launch.arg(&partials.slice(passes[i - 1].sums..));
        }
        if i + 1 == passes.len() {
            launch.arg(&g_odata);
        } else {
            launch.arg(&partials.slice(passes[i].sums..));
        }
        launch.arg(&passes[i].size);
        match then {
            Some(graph) => launch.arg(graph),
            None if name == "reducePassThenGraph" => launch.arg(&0u64),
            None => &mut launch,
        };
        launch.launch(LaunchConfig::new(passes[i].grid, block))
    };
    // A graph that a kernel launches must be there before the graph that holds this kernel: the last pass comes first.
    let mut graphs: Vec<Graph> = Vec::new();
    if name == "reducePassThenGraph" {
        for i in (1..passes.len()).rev() {
            graphs.push(device.capture_for_device(|| pass(i, graphs.last()))?);
        }
    }

    let all = || match name {
        "reduceLevel" => levels(n, block).into_iter().try_for_each(level),
        "reducePass" => (0..passes.len()).try_for_each(|i| pass(i, None)),
        _ => pass(0, graphs.last()),
    };
    let graph = if case.kernel == name { None } else { Some(device.capture(all)?) };
    let cost = device
        .measure(|| device.memcpy_dtod(&input, &g_data), || graph.as_ref().map_or_else(all, Graph::launch))?;
    let sum = device.clone_dtoh(&g_odata)?[0];
    Ok(Outcome { sum: sum.into(), cost, dropped: None })
}
// ANCHOR_END: flat
