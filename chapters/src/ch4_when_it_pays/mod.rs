//! Chapter 4, when it pays: larger steps, an end that needs no launch, and graphs.

mod axis;
mod cutoff;
mod flat;
pub mod plan;

use plan::*;
use workbook::chapter::{Chapter, Extras, Sweep, Variant};
use workbook::device::DeviceKind;
use workbook::figure::Figure;

/// Hopper: the first GPUs with clusters, and the oldest on which the device-launched graphs have been run.
const HOPPER: Option<(u32, u32)> = Some((9, 0));

pub const CHAPTER: Chapter = Chapter {
    default_n: |device| if matches!(device, DeviceKind::Gpu) { 1 << 20 } else { 1 << 16 },
    pending_launches: true,
    extras: Extras {
        figures: Extras::in_the_book(&[
            Figure { name: "time", record: Some(axis::RECORD), draw: axis::figure },
            Figure { name: "sums", record: Some(axis::RECORD), draw: axis::of_sums },
        ]),
        ..Extras::NONE
    },
    ..Chapter::new(
        "ch4_when_it_pays",
        "When nesting pays: larger steps, an end without a launch, and graphs",
        &[
            Variant {
                shape: pass_shape,
                launches: one_launch_per_pass,
                ..Variant::new("gpuRecursiveReducePasses", flat::nested_passes)
            }
            .does("Each block reduces its share to one sum; a child does the same to those sums."),
            Variant { shape: pass_shape, ..Variant::new("reducePass", flat::passes) }
                .does("The same passes, launched by the host."),
            Variant {
                symbol: "reducePass",
                shape: pass_shape,
                also: small_blocks,
                sweep: Sweep::TimesOnly,
                ..Variant::new("reducePassGraph", flat::passes_in_a_graph)
            }
            .does("The same passes in a graph that the host launches."),
            Variant {
                shape: cutoff_shape,
                launches: one_launch_per_pass_above_the_cutoff,
                also: small_blocks,
                ..Variant::new("gpuRecursiveReduceCutoff", cutoff::reduce)
            }
            .does("A pass whose blocks add up their sums themselves if they are few, else launch a child."),
            // Its end alone, whatever the number of blocks.
            Variant {
                symbol: "reduceToOne",
                shape: cutoff_shape,
                also: small_blocks,
                sweep: Sweep::TimesOnly,
                ..Variant::new("reduceToOneGraph", cutoff::end_in_a_graph)
            }
            .does("The same passes down to the same end, in a graph that the host launches."),
            // The levels of gpuRecursiveReduceGridWide, launched by the host. No nested kernel is captured:
            // in a graph, an H200 (driver 580.159.04) lost children of children, and reported no error.
            Variant {
                shape: level_shape,
                story: false,
                ..Variant::new("reduceLevel", |case| flat::levels(case, false))
            }
            .does("The levels of gpuRecursiveReduceGridWide, launched by the host."),
            Variant {
                symbol: "reduceLevel",
                shape: level_shape,
                story: false,
                sweep: Sweep::TimesOnly,
                ..Variant::new("reduceLevelGraph", |case| flat::levels(case, true))
            }
            .does("The same levels in a graph that the host launches."),
            Variant {
                shape: cluster_shape,
                launches: one_launch_per_pass_of_clusters,
                story: false,
                least_capability: HOPPER,
                ..Variant::new("gpuRecursiveReduceCluster", flat::nested_passes)
            }
            .does("The recursion over passes, with a cluster of eight blocks in place of a block."),
            // Every pass but the first is a graph that the device launches.
            Variant {
                shape: pass_shape,
                story: false,
                least_capability: HOPPER,
                simulated: false,
                ..Variant::new("reducePassThenGraph", flat::passes_in_graphs_of_the_device)
            }
            .does("A pass that launches the next one from the device, as a graph."),
        ],
    )
};

/// Sizes with more blocks than the cutoff, which blocks of 512 do not reach in the sweep.
fn small_blocks(kind: DeviceKind) -> &'static [(u64, u32)] {
    match kind {
        DeviceKind::Gpu => &[(1 << 22, 32), (1 << 24, 32), (1 << 26, 32), (1 << 28, 32)],
        _ => &[(1 << 20, 1)],
    }
}
