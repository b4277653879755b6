//! Chapter 6: a reduction for any associative operator, in passes; and other ways to add partial sums.

mod depth;
mod fence;
mod ways;

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Extras, Outcome, Shape, Sweep, Variant};
use workbook::device::MAX_BLOCK;
use workbook::figure::Figure;
use workbook::record::{Failure, Wrong};
use workbook::reduction::error_bound::{UNIT_F32, UNIT_F64, of_sum};
use workbook::reduction::operation::{Operation, exact};
use workbook::reduction::operator::{
    ArgMax, ElementType, FromZero, Hash, Max, Min, Product, Sum, rounded_sum,
};
use workbook::sim::Kind;

use ways::{atomics, grid_sync, passes, single_launch, the_posts_way};

pub const CHAPTER: Chapter = Chapter {
    extras: Extras {
        figures: Extras::in_the_book(&[Figure::of_traces("fence", fence::figure)]),
        ..Extras::NONE
    },
    ..KERNELS
};

const KERNELS: Chapter = Chapter::new(
    "ch6_operators",
    "A reduction for any associative operator, in passes and in other ways",
    &[
        Variant {
            expected_failure: one_block_is_too_small,
            ..story("reduceKernel", exact::<FromZero>("sum of 0, 1, 2, … as i64"), the_posts_way::<FromZero>)
        }
        .does("The kernel of the post: two launches, the second of one block."),
        story("reducePasses_sum_i32", Operation::SUM, passes::<Sum<i32>>)
            .does("The host launches passes, each over the results of the one before."),
        story("reduceSingleLaunch_sum_i32", Operation::SUM, single_launch::<Sum<i32>>)
            .does("One launch: the last block to arrive adds up the partial sums."),
        once("reduceAcquireRelease_sum_i32", Operation::SUM, single_launch::<Sum<i32>>)
            .does("The same, with the memory order in the ticket's atomic operation."),
        Variant {
            expected_failure: |_, _| Some(Failure::Found(Kind::DataRace)),
            ..once("reduceNoFence_sum_i32", Operation::SUM, single_launch::<Sum<i32>>)
        },
        story("reduceGridSync_sum_i32", Operation::SUM, grid_sync::<Sum<i32>>)
            .does("One cooperative launch, in which all blocks wait for each other."),
        story("reduceAtomicBlocks_sum_i32", Operation::SUM, atomics::<Sum<i32>>)
            .does("Each block adds its partial sum to the result with an atomic."),
        Variant { story: false, ..story("reduceAtomicThreads_sum_i32", Operation::SUM, atomics::<Sum<i32>>) }
            .does("Each thread adds its element to the result with an atomic."),
        f32_sum("reducePasses_sum_f32", passes::<Sum<f32>>, |n, shape| {
            of_sum(n, depth::of_passes(n, shape), UNIT_F32)
        }),
        f32_sum("reduceSingleLaunch_sum_f32", single_launch::<Sum<f32>>, |n, shape| {
            of_sum(n, depth::of_one_last_block(n, shape), UNIT_F32)
        }),
        f32_sum("reduceGridSync_sum_f32", grid_sync::<Sum<f32>>, |n, shape| {
            of_sum(n, depth::of_one_last_block(n, shape), UNIT_F32)
        }),
        f32_sum("reduceAtomicBlocks_sum_f32", atomics::<Sum<f32>>, |n, shape| {
            of_sum(n, depth::of_atomic_blocks(n, shape), UNIT_F32)
        }),
        f32_sum("reduceAtomicThreads_sum_f32", atomics::<Sum<f32>>, |n, shape| {
            of_sum(n, depth::of_atomic_threads(n, shape), UNIT_F32)
        }),
        once("reducePasses_sum_i64", exact::<Sum<i64>>("sum of i64"), passes::<Sum<i64>>),
        Variant {
            error_factor: |n, shape| of_sum(n, depth::of_passes(n, shape), UNIT_F64),
            ..once("reducePasses_sum_f64", SUM_F64, passes::<Sum<f64>>)
        },
        once("reducePasses_min_i32", exact::<Min<i32>>("minimum of i32"), passes::<Min<i32>>),
        once("reducePasses_min_i64", exact::<Min<i64>>("minimum of i64"), passes::<Min<i64>>),
        once("reducePasses_min_f32", exact::<Min<f32>>("minimum of f32"), passes::<Min<f32>>),
        once("reducePasses_min_f64", exact::<Min<f64>>("minimum of f64"), passes::<Min<f64>>),
        once("reducePasses_max_i32", exact::<Max<i32>>("maximum of i32"), passes::<Max<i32>>),
        once("reducePasses_max_i64", exact::<Max<i64>>("maximum of i64"), passes::<Max<i64>>),
        once("reducePasses_max_f32", exact::<Max<f32>>("maximum of f32"), passes::<Max<f32>>),
        once("reducePasses_max_f64", exact::<Max<f64>>("maximum of f64"), passes::<Max<f64>>),
        once("reducePasses_argmax_i32", exact::<ArgMax<i32>>("argmax of i32"), passes::<ArgMax<i32>>),
        once("reducePasses_argmax_i64", exact::<ArgMax<i64>>("argmax of i64"), passes::<ArgMax<i64>>),
        once("reducePasses_argmax_f32", exact::<ArgMax<f32>>("argmax of f32"), passes::<ArgMax<f32>>),
        once("reducePasses_argmax_f64", exact::<ArgMax<f64>>("argmax of f64"), passes::<ArgMax<f64>>),
        once("reducePasses_product_u64", exact::<Product>("product of u64"), passes::<Product>),
        Variant { story: true, ..once("reducePasses_hash_u32", HASH, passes::<Hash>) },
        Variant {
            story: true,
            expected_failure: |n, _| (n > 2).then_some(Failure::Result(Wrong::OperandsOutOfOrder)),
            ..once("reduceInterleaved_hash_u32", HASH, passes::<Hash>)
        },
    ],
);

const HASH: Operation = exact::<Hash>("hash of u32");
const SUM_F32: Operation = Operation {
    name: "sum of f32",
    element: ElementType::F32,
    element_bytes: 4,
    expected: rounded_sum::<f32>,
};
const SUM_F64: Operation = Operation {
    name: "sum of f64",
    element: ElementType::F64,
    element_bytes: 8,
    expected: rounded_sum::<f64>,
};

type Host = fn(&Case) -> Result<Outcome>;

const fn story(name: &'static str, operation: Operation, host: Host) -> Variant {
    Variant { operation, ..Variant::new(name, host) }
}

const fn once(name: &'static str, operation: Operation, host: Host) -> Variant {
    Variant { operation, story: false, sweep: Sweep::Never, ..Variant::new(name, host) }
}

const fn f32_sum(name: &'static str, host: Host, error_factor: fn(u64, Shape) -> f64) -> Variant {
    Variant { error_factor, ..once(name, SUM_F32, host) }
}

/// Whether the second launch of [`the_posts_way`] is refused: a block has 1024 threads at most.
fn one_block_is_too_small(_: u64, shape: Shape) -> Option<Failure> {
    (shape.grid.next_power_of_two() > MAX_BLOCK).then_some(Failure::Found(Kind::LaunchLimit))
}
