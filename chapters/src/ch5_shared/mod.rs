//! Chapter 5: the dot product. The threads of a block share a cache and wait for each other at a barrier.

mod banks;
mod latency;
mod on_cpu;
mod product;
mod shuffle;
pub mod spaces;

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Extras, Outcome, Place, Shape, Sweep, Variant};
use workbook::device::LaunchConfig;
use workbook::figure::Figure;
use workbook::record::Failure;
use workbook::reduction::error_bound;
use workbook::sim::Kind;

use product::{DOT_OF_F32, DOT_OF_THE_POST, error, kahan_error, posts_pair, random_pair};

pub const CHAPTER: Chapter = Chapter {
    place: Place::GridStride,
    default_n: |_| 33 * 1024, // the post's constant
    extras: Extras {
        measure: spaces::add,
        tables: spaces::tables,
        figures: Extras::in_the_book(&[
            Figure::of_traces("banks", banks::figure),
            Figure::of_traces("shuffle", shuffle::figure),
            Figure { name: "latency", record: Some(latency::RECORD), draw: latency::figure },
        ]),
        ..Extras::NONE
    },
    ..Chapter::new(
        "ch5_shared",
        "Threads of a block cooperate: the dot product in shared memory",
        &[
            dot("dot").does(
                "Each block multiplies, adds up in shared memory and leaves one partial sum to the host.",
            ),
            Variant { story: false, host: dynamic, ..dot("dotDynamic") }
                .does("The same with shared memory whose size is given at launch."),
            Variant { story: false, ..dot("dotStrided") }
                .does("The same with a tree of neighbours, which meets bank conflicts."),
            Variant { shape: as_many_as_fit, ..dot("dotAtomic") }
                .does("Each block adds its partial sum to the result with an atomic."),
            Variant {
                shape: |_, _, _| Shape::CPU,
                error_factor: |n, _| error_bound::of_dot(n, n),
                host: on_cpu::in_a_loop,
                story: false,
                ..dot("dotLoop")
            },
            Variant {
                shape: |_, _, _| Shape::CPU,
                error_factor: |n, _| kahan_error(n),
                host: on_cpu::compensated,
                story: false,
                ..dot("dotKahan")
            },
            // The same kernel on the post's data.
            Variant {
                symbol: "dot",
                operation: DOT_OF_THE_POST,
                host: of_the_post,
                story: false,
                sweep: Sweep::Never,
                ..dot("dot(i,2i)")
            },
            Variant {
                sweep: Sweep::Never,
                expected_failure: |_, shape| divergence(shape, 1),
                ..dot("dotBarrierInBranch")
            },
            Variant {
                story: false,
                sweep: Sweep::Never,
                expected_failure: |_, shape| divergence(shape, 32),
                ..dot("dotBarriersMispaired")
            },
        ],
    )
};

const fn dot(name: &'static str) -> Variant {
    Variant { operation: DOT_OF_F32, error_factor: error, ..Variant::new(name, of_random_pairs) }
}

/// The mistake that a barrier in a branch is kept to show. Blocks of at most `uniform` threads don't make it.
fn divergence(shape: Shape, uniform: u32) -> Option<Failure> {
    (shape.block > uniform).then_some(Failure::Found(Kind::BarrierDivergence))
}

/// Eight blocks per multiprocessor, if there are elements for them.
fn as_many_as_fit(n: u64, shape: Shape, multiprocessors: u32) -> Shape {
    Shape { grid: Shape::of_blocks(n, shape.block).grid.min(8 * multiprocessors), ..shape }
}

fn of_random_pairs(case: &Case) -> Result<Outcome> {
    product(case, case.data.iter().map(|&number| random_pair(number)).unzip(), 0)
}

fn of_the_post(case: &Case) -> Result<Outcome> {
    product(case, (0..case.data.len()).map(posts_pair).unzip(), 0)
}

/// The only kernel that leaves the length of its cache to the launch.
fn dynamic(case: &Case) -> Result<Outcome> {
    let shared_mem_bytes = 4 * case.block;
    product(case, case.data.iter().map(|&number| random_pair(number)).unzip(), shared_mem_bytes)
}

/// The host side: two arrays, one partial sum per block, and the host adds those up.
fn product(case: &Case, (a, b): (Vec<f32>, Vec<f32>), shared_mem_bytes: u32) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let dev_a = device.clone_htod(&a)?;
    let dev_b = device.clone_htod(&b)?;
    let partial_c = device.alloc::<f32>(grid as usize)?;

    let cost = device.measure(
        || device.memset_zeros(&partial_c),
        || {
            let config = LaunchConfig { shared_mem_bytes, ..LaunchConfig::new(grid, block) };
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&dev_a).arg(&dev_b).arg(&partial_c).arg(&case.size()).launch(config)
        },
    )?;

    let dot: f32 = device.clone_dtoh(&partial_c)?.iter().sum();
    Ok(Outcome::new(dot, cost))
}
