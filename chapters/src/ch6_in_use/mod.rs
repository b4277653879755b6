//! Chapter 6.2: one sum per row, sums of 16-bit floats, and launches that overlap.

mod compare;
mod elements;
mod passes;
mod rows;
mod softmax;

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Extras, Outcome, Shape, Sweep, Variant};
use workbook::device::DeviceKind;
use workbook::record::{Failure, Wrong};
use workbook::reduction::error_bound::{UNIT_F32, of_sum};
use workbook::sim::Kind;

use elements::{Bf16, Element, Half, UNIT_F16};
use passes::{height, one_launch, overlapping, running, two_launches};

pub const CHAPTER: Chapter = Chapter {
    extras: Extras { measure: Extras::on_a_gpu(compare::measure), ..Extras::NONE },
    ..Chapter::new(
        "ch6_in_use",
        "Reductions in use: one sum per row, 16-bit floats, launches that overlap",
        VARIANTS,
    )
};

const VARIANTS: &[Variant] = &[
    lanes::<f32, 64, 4>("lanesPerRow_64", "lanesPerRow_f32")
        .does("Four lanes add up each row; the rows have 64 elements."),
    aside(lanes::<f32, 1024, 4>("lanesPerRow_1024", "lanesPerRow_f32"))
        .does("Four lanes add up each row; the rows have 1,024 elements."),
    aside(lanes::<f32, 65536, 4>("lanesPerRow_65536", "lanesPerRow_f32"))
        .does("Four lanes add up each row; the rows have 65,536 elements."),
    aside(lanes::<f32, 64, 32>("warpPerRow_64", "warpPerRow_f32"))
        .does("A warp adds up each row; the rows have 64 elements."),
    lanes::<f32, 1024, 32>("warpPerRow_1024", "warpPerRow_f32")
        .does("A warp adds up each row; the rows have 1,024 elements."),
    aside(lanes::<f32, 65536, 32>("warpPerRow_65536", "warpPerRow_f32"))
        .does("A warp adds up each row; the rows have 65,536 elements."),
    aside(block::<f32, 64>("blockPerRow_64", "blockPerRow_f32"))
        .does("A block adds up each row; the rows have 64 elements."),
    aside(block::<f32, 1024>("blockPerRow_1024", "blockPerRow_f32"))
        .does("A block adds up each row; the rows have 1,024 elements."),
    block::<f32, 65536>("blockPerRow_65536", "blockPerRow_f32")
        .does("A block adds up each row; the rows have 65,536 elements."),
    Variant {
        shape: rows::by_parts::<65536>,
        host: rows::split::<65536>,
        story: false,
        ..block::<f32, 65536>(rows::IN_PARTS, "blockPerRow_f32")
    }
    .does("Sixteen blocks add up each row, and a second launch their sums; rows of 65,536 elements."),
    aside(lanes::<Half, 64, 4>("lanesPerRow_64_f16", "lanesPerRow_f16"))
        .does("Four lanes add up each row of 64 f16, in f32."),
    aside(lanes::<Half, 1024, 32>("warpPerRow_1024_f16", "warpPerRow_f16"))
        .does("A warp adds up each row of 1,024 f16, in f32."),
    aside(block::<Half, 65536>("blockPerRow_65536_f16", "blockPerRow_f16"))
        .does("A block adds up each row of 65,536 f16, in f32."),
    softmax::<f32>("softmaxPerRow_f32")
        .does("A warp finds the maximum of a row and the sum of exp(x - maximum), in one pass."),
    aside(softmax::<Half>("softmaxPerRow_f16")).does("The same of f16."),
    f32_sum("twoPasses_f32", |case| two_launches::<f32>(case, "lastPass"))
        .does("The elements and the sums are f32; a second launch adds up the partial sums."),
    Variant {
        symbol: "firstPass_f16",
        operation: passes::of::<Half>("sum of f16"),
        ..f32_sum("twoPasses_f16", |case| two_launches::<Half>(case, "lastPass"))
    }
    .does("The elements are f16, the sums f32."),
    Variant {
        symbol: "firstPass_bf16",
        operation: passes::of::<Bf16>("sum of bf16"),
        ..once("twoPasses_bf16", |case| two_launches::<Bf16>(case, "lastPass"))
    }
    .does("The elements are bf16, the sums f32."),
    Variant {
        symbol: "firstPass_f16",
        operation: passes::as_f16::<Half>(),
        error_factor: |_, _| 1.0,
        expected_failure: overflow,
        ..f32_sum("twoPasses_f16ToF16", |case| two_launches::<Half>(case, "lastPassRounded"))
    }
    .does("The elements are f16, the sums f32; the result is rounded to f16."),
    Variant {
        symbol: "firstPass_f16InF16",
        operation: passes::of::<Half>("sum of f16"),
        error_factor: |n, shape| of_sum(n, height(n, shape), UNIT_F16),
        expected_failure: overflow,
        story: false,
        ..f32_sum("twoPasses_f16InF16", |case| two_launches::<Half>(case, "lastPassInF16"))
    }
    .does("The elements and the sums are f16."),
    Variant {
        symbol: "runningSum_f16",
        operation: passes::as_f16::<Half>(),
        shape: |_, _, _| Shape { block: 1, grid: 1 },
        error_factor: |_, _| 1.0,
        expected_failure: |n, _| (n > 64).then_some(Failure::Result(Wrong::AccumulatedRounding)),
        sweep: Sweep::Never,
        also: running_sizes,
        ..f32_sum("runningSum_f16", running)
    }
    .does("One thread adds one element after another to an f16."),
    Variant {
        least_capability: HOPPER,
        ..once("twoPassesOverlapping_f32", |case| overlapping(case, "lastPass"))
    }
    .does("The second launch may start before the first has ended, and waits for it."),
    Variant {
        least_capability: HOPPER,
        sweep: Sweep::Never,
        expected_failure: |_, _| Some(Failure::Found(Kind::DataRace)),
        ..once("twoPassesNoWait_f32", |case| overlapping(case, "lastPassNoWait"))
    },
    Variant { symbol: "onePass_f32", ..once("onePass_f32", one_launch) }
        .does("The last block to arrive adds up the partial sums in the same launch."),
    Variant { symbol: "onePassAcqRel_f32", ..once("onePassAcqRel_f32", one_launch) }
        .does("The same, with the memory order in the ticket's atomic operation."),
];

/// Programmatic dependent launch came with it.
const HOPPER: Option<(u32, u32)> = Some((9, 0));

type Host = fn(&Case) -> Result<Outcome>;

/// The elements are about 1/2, and the largest `f16` is 65,504.
fn overflow(n: u64, _: Shape) -> Option<Failure> {
    (n > 130_000).then_some(Failure::Result(Wrong::Overflow))
}

/// Few rows and many.
fn few_and_many(device: DeviceKind) -> &'static [(u64, u32)] {
    match device {
        DeviceKind::Gpu => &[(1 << 20, 512), (1 << 28, 512)],
        _ => &[],
    }
}

/// No larger ones: a thread alone takes long.
fn running_sizes(_: DeviceKind) -> &'static [(u64, u32)] {
    &[(1 << 10, 512), (1 << 12, 512), (1 << 14, 512), (1 << 18, 512)]
}

const fn lanes<T: Element, const COLUMNS: usize, const LANES: u64>(
    name: &'static str,
    symbol: &'static str,
) -> Variant {
    Variant {
        symbol,
        operation: rows::of::<T, COLUMNS>(),
        shape: rows::by_lanes::<COLUMNS, LANES>,
        sweep: Sweep::Never,
        also: few_and_many,
        ..Variant::new(name, rows::sums::<T, COLUMNS>)
    }
}

const fn block<T: Element, const COLUMNS: usize>(name: &'static str, symbol: &'static str) -> Variant {
    Variant { shape: rows::by_blocks::<COLUMNS>, ..lanes::<T, COLUMNS, 32>(name, symbol) }
}

const fn softmax<T: Element>(name: &'static str) -> Variant {
    Variant {
        operation: softmax::of::<T>(),
        error_factor: softmax::error_factor::<T>,
        host: softmax::pairs::<T>,
        ..lanes::<T, { softmax::COLUMNS }, { softmax::LANES }>(name, name)
    }
}

/// Runs only where it is named.
const fn aside(variant: Variant) -> Variant {
    Variant { story: false, ..variant }
}

const fn f32_sum(name: &'static str, host: Host) -> Variant {
    Variant {
        symbol: "firstPass_f32",
        operation: passes::of::<f32>("sum of f32"),
        shape: passes::shape,
        error_factor: f32_error,
        sweep: Sweep::TimesOnly,
        ..Variant::new(name, host)
    }
}

/// Error-bound factor of a sum in `f32`.
fn f32_error(n: u64, shape: Shape) -> f64 {
    of_sum(n, height(n, shape), UNIT_F32)
}

const fn once(name: &'static str, host: Host) -> Variant {
    aside(f32_sum(name, host))
}
