//! Chapter 6.1: one sum per row, sums of 16-bit floats, and launches that overlap.
//!
//!     cargo run --example ch6_in_use
//!     cargo run --example ch6_in_use -- --kernel all --n 100_003

mod passes;
mod rows;

use std::process::ExitCode;

use anyhow::Result;
use workbook::chapter::{self, Case, Chapter, Outcome, Sweep, Variant};
use workbook::reduction::error_bound::{UNIT_F32, of_sum};

use passes::{Bf16, Half, UNIT_F16, height, one_launch, overlapping, two_launches};

pub const CHAPTER: Chapter = Chapter::new(
    "ch6_in_use",
    "Reductions in use: one sum per row, 16-bit floats, launches that overlap",
    &[
        warp_per_row::<64>("warpPerRow_64").does("A warp adds up each row; the rows have 64 elements."),
        warp_per_row::<1024>("warpPerRow_1024")
            .does("A warp adds up each row; the rows have 1,024 elements."),
        warp_per_row::<65536>("warpPerRow_65536")
            .does("A warp adds up each row; the rows have 65,536 elements."),
        block_per_row::<64>("blockPerRow_64").does("A block adds up each row; the rows have 64 elements."),
        block_per_row::<1024>("blockPerRow_1024")
            .does("A block adds up each row; the rows have 1,024 elements."),
        block_per_row::<65536>("blockPerRow_65536")
            .does("A block adds up each row; the rows have 65,536 elements."),
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
            symbol: "firstPass_f16InF16",
            operation: passes::of::<Half>("sum of f16"),
            error_factor: |n, shape| of_sum(n, height(n, shape), UNIT_F16),
            // The elements are about 1/2, and the largest f16 is 65,504.
            expected_failure: |n, _| (n > 130_000).then_some("overflow"),
            ..f32_sum("twoPasses_f16InF16", |case| two_launches::<Half>(case, "lastPassInF16"))
        }
        .does("The elements and the sums are f16."),
        Variant {
            least_capability: HOPPER,
            ..once("twoPassesOverlapping_f32", |case| overlapping(case, "lastPass"))
        }
        .does("The second launch may start before the first has ended, and waits for it."),
        Variant {
            least_capability: HOPPER,
            sweep: Sweep::Never,
            expected_failure: |_, _| Some("data-race"),
            ..once("twoPassesNoWait_f32", |case| overlapping(case, "lastPassNoWait"))
        },
        Variant { symbol: "onePass_f32", ..once("onePass_f32", one_launch) }
            .does("The last block to arrive adds up the partial sums in the same launch."),
    ],
);

/// Programmatic dependent launch came with it.
const HOPPER: Option<(u32, u32)> = Some((9, 0));

type Host = fn(&Case) -> Result<Outcome>;

const fn warp_per_row<const COLUMNS: usize>(name: &'static str) -> Variant {
    Variant {
        symbol: "warpPerRow",
        operation: rows::of::<COLUMNS>(),
        shape: rows::by_warps::<COLUMNS>,
        sweep: Sweep::Never,
        ..Variant::new(name, rows::sums::<COLUMNS>)
    }
}

const fn block_per_row<const COLUMNS: usize>(name: &'static str) -> Variant {
    Variant { symbol: "blockPerRow", shape: rows::by_blocks::<COLUMNS>, ..warp_per_row::<COLUMNS>(name) }
}

const fn f32_sum(name: &'static str, host: Host) -> Variant {
    Variant {
        symbol: "firstPass_f32",
        operation: passes::of::<f32>("sum of f32"),
        shape: passes::shape,
        error_factor: |n, shape| of_sum(n, height(n, shape), UNIT_F32),
        sweep: Sweep::TimesOnly,
        ..Variant::new(name, host)
    }
}

const fn once(name: &'static str, host: Host) -> Variant {
    Variant { story: false, ..f32_sum(name, host) }
}

fn main() -> ExitCode {
    chapter::run(&CHAPTER)
}
