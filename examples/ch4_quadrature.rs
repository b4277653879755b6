//! Chapter 4, where recursion is the right tool: the area under a zigzag of n teeth, by dividing intervals.
//!
//!     cargo run --example ch4_quadrature
//!     cargo run --example ch4_quadrature -- --n 20_001

use std::process::ExitCode;

use anyhow::Result;
use workbook::chapter::options::Shape;
use workbook::chapter::{self, Case, Chapter, Kernel, Launches, Outcome, Place};
use workbook::chapters::quadrature::{AREA, FIRST_NODES, LAST_LEVEL, most_nodes};
use workbook::device::{Graph, LaunchConfig};
use workbook::record::{DeviceKind, Dropped};

/// Flat: a thread does all below one of the first nodes.
const DEPTH_FIRST: Kernel =
    Kernel { operation: AREA, grid: a_thread_a_first_node, ..Kernel::new("depthFirst") };
/// Flat: the host launches level after level, and asks after each how many nodes are left.
const LEVEL: Kernel = Kernel { operation: AREA, grid: a_thread_a_first_node, ..Kernel::new("divideLevel") };
/// Nested: the device launches the next level.
const NESTED: Kernel = Kernel {
    operation: AREA,
    grid: a_thread_a_first_node,
    launches: a_launch_a_level,
    ..Kernel::new("gpuRecursiveDivide")
};

const CHAPTER: Chapter = Chapter {
    stem: "ch4_quadrature",
    about: "Where recursion is the right tool: an area, by dividing intervals",
    place: Place::ManyBlocksUpTo(1 << 20),
    kernels: &[
        DEPTH_FIRST,
        LEVEL,
        // Flat: as many levels as there can be, in a graph. Nobody asks; a level without nodes does nothing.
        Kernel { name: "graph/divideLevel", grid: a_block_a_multiprocessor, ..LEVEL },
        NESTED,
    ],
    default_n: |device| if device == DeviceKind::Gpu { 1 << 16 } else { 1 << 10 },
};

fn main() -> ExitCode {
    chapter::run(&CHAPTER, integrate)
}

// ANCHOR: host
fn integrate(case: &Case) -> Result<Outcome> {
    let Case { device, module, data, block, grid, .. } = *case;
    let n = data.len() as u32; // teeth
    let (way, name) = case.kernel.split_once('/').unwrap_or(("", case.kernel));
    let kernel = module.load_function(name)?;
    if let Some(pending) = case.pending_launches {
        device.set_pending_launch_limit(pending)?;
    }

    let first: Vec<u64> = (0..most_nodes(n.into()) as u64).map(|i| u64::from(FIRST_NODES) + i).collect();
    let first = device.clone_htod(&first)?; // of which the first FIRST_NODES count
    let lists = [device.alloc::<u64>(first.len())?, device.alloc::<u64>(first.len())?];
    let levels = (LAST_LEVEL - FIRST_NODES.ilog2() + 1) as usize;
    let mut no_counts = vec![0u32; levels + 1];
    no_counts[0] = FIRST_NODES;
    let no_counts = device.clone_htod(&no_counts)?;
    let counts = device.alloc::<u32>(levels + 1)?; // nodes of each level
    let finished = device.alloc_zeros::<u32>(levels)?; // blocks of each level that have ended
    let total = device.alloc_zeros::<i64>(1)?;
    let failure = device.alloc_zeros::<u32>(2)?;

    let divide = |level: usize, grid: u32| {
        let (nodes, halves) = (&lists[level % 2], &lists[(level + 1) % 2]);
        let mut launch = device.launch_builder(&kernel);
        launch.arg(nodes).arg(halves).arg(&counts.slice(level..));
        if name == NESTED.name {
            launch.arg(&finished);
        }
        launch.arg(&total).arg(&n);
        if name == NESTED.name {
            launch.arg(&failure);
        }
        launch.launch(LaunchConfig::new(grid, block))
    };
    let all = || match (way, name) {
        (_, "depthFirst") => {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&FIRST_NODES).arg(&total).arg(&n).launch(LaunchConfig::new(grid, block))
        }
        ("graph", "divideLevel") => (0..levels).try_for_each(|level| divide(level, grid)),
        (_, "divideLevel") => {
            let mut nodes = FIRST_NODES;
            for level in 0..levels {
                divide(level, nodes.div_ceil(block))?;
                nodes = device.clone_dtoh(&counts)?[level + 1]; // waits for the level
                if nodes == 0 {
                    break;
                }
            }
            Ok(())
        }
        _ => divide(0, grid),
    };
    let graph = if way == "graph" { Some(device.capture(all)?) } else { None };
    let cost = device.measure(
        || {
            device.memset_zeros(&total)?;
            device.memset_zeros(&finished)?;
            device.memcpy_dtod(&no_counts, &counts)?;
            device.memcpy_dtod(&first, &lists[0])
        },
        || graph.as_ref().map_or_else(all, Graph::launch),
    )?;
    let area = device.clone_dtoh(&total)?[0];
    Ok(Outcome { sum: area.into(), cost, dropped: Dropped::from_words(&device.clone_dtoh(&failure)?) })
}
// ANCHOR_END: host

fn a_thread_a_first_node(_: u64, shape: Shape) -> u32 {
    FIRST_NODES.div_ceil(shape.block)
}

/// A block for each of the 132 multiprocessors of an H200.
fn a_block_a_multiprocessor(_: u64, _: Shape) -> u32 {
    132
}

/// One at a time. How many, only the work shows.
fn a_launch_a_level(_: u64, _: Shape) -> Launches {
    Launches { total: 0, pending: 2, blocks_at_once: u32::MAX, microseconds: 0.0 }
}
