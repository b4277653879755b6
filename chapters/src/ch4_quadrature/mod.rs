//! Chapter 4, work whose depth nobody knows: the area under a zigzag of n teeth, by dividing intervals.

mod area;
mod figure;
mod queue;
mod tree;

use anyhow::Result;
use area::{AREA, FIRST_NODES, most_nodes, most_places};
use tree::{LEVELS, Tree};
use workbook::chapter::{Case, Chapter, Extras, Launches, Outcome, Place, Shape, Variant};
use workbook::device::measure::Measurement;
use workbook::device::{DeviceKind, LaunchConfig};
use workbook::figure::Figure;
use workbook::record::Dropped;

pub const CHAPTER: Chapter = Chapter {
    place: Place::ManyBlocksUpTo(1 << 20),
    default_n: |device| if matches!(device, DeviceKind::Gpu) { 1 << 16 } else { 1 << 10 },
    extras: Extras {
        figures: Extras::in_the_book(&[
            Figure::of_traces("quadrature", figure::figure),
            Figure::of_traces("queue", queue::figure),
        ]),
        ..Extras::NONE
    },
    ..Chapter::new(
        "ch4_quadrature",
        "Work whose depth nobody knows: an area, by dividing intervals",
        &[
            divides("depthFirst", depth_first)
                .does("Each thread works through everything below its first interval, depth first."),
            divides("divideLevel", by_levels).does(
                "The host launches level after level, and asks after each how many intervals are left.",
            ),
            // A level without nodes does nothing.
            Variant { symbol: "divideLevel", ..divides("divideLevelGraph", by_levels_in_a_graph) }
                .does("As many levels as there can be, in a graph."),
            // Only the work shows how many levels there are.
            Variant {
                launches: |_, _| Launches { pending: 2, ..Launches::NONE },
                ..divides("gpuRecursiveDivide", nested)
            }
            .does("The last block of a level launches the next level as a child."),
            Variant {
                story: false,
                least_capability: Some((9, 0)), // the oldest on which it has been run
                simulated: false,
                ..divides("divideLevelWhile", by_levels_in_a_loop)
            }
            .does("A graph with a loop around one level, which the last block of a level ends."),
            divides("divideQueue", from_a_queue)
                .does("One launch, whose threads stay and take intervals from a queue until all are done."),
        ],
    )
};

/// One thread per first node.
const fn divides(name: &'static str, host: fn(&Case) -> Result<Outcome>) -> Variant {
    Variant {
        operation: AREA,
        shape: |_, shape, _| Shape::of_blocks(FIRST_NODES as u64, shape.block),
        ..Variant::new(name, host)
    }
}

fn depth_first(case: &Case) -> Result<Outcome> {
    let device = case.device;
    let kernel = case.kernel()?;
    let total = device.alloc_zeros::<i64>(1)?;
    let cost = device.measure(
        || device.memset_zeros(&total),
        || {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&FIRST_NODES).arg(&total).arg(&case.size());
            launch.launch(LaunchConfig::new(case.grid, case.block))
        },
    )?;
    Ok(Outcome::new(device.clone_dtoh(&total)?[0], cost))
}

/// The host asks after each level how many nodes are left.
fn by_levels(case: &Case) -> Result<Outcome> {
    let tree = Tree::new(case)?;
    let kernel = case.kernel()?;
    let cost = case.device.measure(
        || tree.reset(),
        || {
            let mut nodes = FIRST_NODES;
            for level in 0..LEVELS {
                tree.divide(&kernel, level, nodes.div_ceil(case.block))?;
                nodes = case.device.clone_dtoh(&tree.counts)?[level + 1]; // waits for the level
                if nodes == 0 {
                    break;
                }
            }
            Ok(())
        },
    )?;
    Ok(Outcome::new(tree.area()?, cost))
}

/// Nobody asks. Every level has one block per multiprocessor, whose threads go on to further nodes.
fn by_levels_in_a_graph(case: &Case) -> Result<Outcome> {
    let tree = Tree::new(case)?;
    let kernel = case.kernel()?;
    let grid = case.device.multiprocessors();
    let graph =
        case.device.capture(|| (0..LEVELS).try_for_each(|level| tree.divide(&kernel, level, grid)))?;
    let cost = case.device.measure(|| tree.reset(), || graph.launch())?;
    Ok(Outcome::new(tree.area()?, Measurement { grid: Some(grid), ..cost }))
}

/// The device launches the next level.
fn nested(case: &Case) -> Result<Outcome> {
    let tree = Tree::new(case)?;
    let kernel = case.kernel()?;
    let device = case.device;
    let finished = device.alloc_zeros::<u32>(LEVELS)?; // blocks of each level, so far
    let failure = device.alloc_zeros::<u32>(2)?;
    let cost = device.measure(
        || {
            device.memset_zeros(&finished)?;
            tree.reset()
        },
        || {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&tree.lists[0]).arg(&tree.lists[1]).arg(&tree.counts).arg(&finished);
            launch.arg(&tree.total).arg(&case.size()).arg(&failure);
            launch.launch(LaunchConfig::new(case.grid, case.block))
        },
    )?;
    let dropped = Dropped::from_words(&device.clone_dtoh(&failure)?);
    Ok(Outcome { dropped, ..Outcome::new(tree.area()?, cost) })
}

/// A graph repeats one level for as long as the last block of a level asks for another.
fn by_levels_in_a_loop(case: &Case) -> Result<Outcome> {
    let tree = Tree::new(case)?;
    let kernel = case.kernel()?;
    let device = case.device;
    let finished = device.alloc_zeros::<u32>(LEVELS)?;
    let level = device.alloc_zeros::<u32>(1)?;
    let grid = device.multiprocessors();
    let graph = device.capture_while(|go_on| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&tree.lists[0]).arg(&tree.lists[1]).arg(&tree.counts).arg(&finished).arg(&level);
        launch.arg(&tree.total).arg(&case.size()).arg(&go_on);
        launch.launch(LaunchConfig::new(grid, case.block))
    })?;
    let cost = device.measure(
        || {
            device.memset_zeros(&finished)?;
            device.memset_zeros(&level)?;
            tree.reset()
        },
        || graph.launch(),
    )?;
    Ok(Outcome::new(tree.area()?, Measurement { grid: Some(grid), ..cost }))
}

/// One launch. Four warps per multiprocessor were found by trial: more only wait, and look so often that they
/// hold up the others. The blocks need not all be there at the same time.
fn from_a_queue(case: &Case) -> Result<Outcome> {
    let device = case.device;
    let kernel = case.kernel()?;
    let most = (most_nodes(case.size().into()) as u32).min(128 * device.multiprocessors());
    let grid = most.div_ceil(case.block);
    let threads = u64::from(grid) * u64::from(case.block);
    let mut places = vec![0u64; most_places(case.size().into(), threads)];
    for (place, node) in places.iter_mut().zip(FIRST_NODES..2 * FIRST_NODES) {
        *place = node.into();
    }
    let full = device.clone_htod(&places)?;
    let places = device.alloc::<u64>(places.len())?;
    let counts = device.clone_htod(&[0, FIRST_NODES, 0, 0])?; // taken, offered, done
    let queue = device.alloc::<u32>(4)?;
    let total = device.alloc_zeros::<i64>(1)?;
    let cost = device.measure(
        || {
            device.memset_zeros(&total)?;
            device.memcpy_dtod(&counts, &queue)?;
            device.memcpy_dtod(&full, &places)
        },
        || {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&queue).arg(&places).arg(&total).arg(&case.size());
            launch.launch(LaunchConfig::new(grid, case.block))
        },
    )?;
    Ok(Outcome::new(device.clone_dtoh(&total)?[0], Measurement { grid: Some(grid), ..cost }))
}
