//! Chapter 4.3: the sums of ragged rows, from a thread per row over nested kernels to flattened ones.

pub mod choice;
pub mod compare;
mod comparison;
pub mod cub;
mod path;
mod ratios;
pub mod rows;
mod ways;
mod work;

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Extras, Launches, Outcome, Shape, Sweep, Variant};
use workbook::device::DeviceKind;
use workbook::figure::Figure;
use workbook::reduction::operation::Operation;

use rows::{KINDS, of, of_f32};
use ways::*;

/// What is different from way to way, for each kind of rows.
#[derive(Clone, Copy)]
struct Way {
    symbol: &'static str,
    host: [fn(&Case) -> Result<Outcome>; KINDS.len()],
    shape: [fn(u64, Shape, u32) -> Shape; KINDS.len()],
    launches: [fn(u64, Shape) -> Launches; KINDS.len()],
    operation: [Operation; KINDS.len()],
    story: bool,
}

/// A function for each kind of rows.
macro_rules! each {
    ($function:ident $(, $type:ty)?) => {
        [
            $function::<0 $(, $type)?>,
            $function::<1 $(, $type)?>,
            $function::<2 $(, $type)?>,
            $function::<3 $(, $type)?>,
        ]
    };
}

/// The names of a way's variants, and what they do.
macro_rules! named {
    ($name:literal, $does:literal) => {
        [
            (concat!($name, "_equal"), concat!($does, "; the rows have 64 elements.")),
            (concat!($name, "_power"), concat!($does, "; their lengths follow a power law.")),
            (concat!($name, "_giant"), concat!($does, "; one is giant.")),
            (concat!($name, "_empty"), concat!($does, "; most are empty.")),
        ]
    };
}

const I32: Way = Way {
    symbol: "",
    host: each!(flat),
    shape: each!(threads),
    launches: [no_launches; KINDS.len()],
    operation: [of::<0>(), of::<1>(), of::<2>(), of::<3>()],
    story: true,
};
const F32: Way = Way {
    host: each!(flattened, f32),
    shape: each!(shares),
    operation: [of_f32::<0>(), of_f32::<1>(), of_f32::<2>(), of_f32::<3>()],
    story: false,
    ..I32
};

type Named = [(&'static str, &'static str); KINDS.len()];

const WAYS: [(Named, Way); 13] = [
    (named!("threadPerRow", "A thread adds up each row"), Way { symbol: "threadPerRow", ..I32 }),
    (
        named!("warpPerRow", "A warp adds up each row"),
        Way { symbol: "warpPerRow", shape: each!(warps), ..I32 },
    ),
    (
        named!("blockPerRow", "A block adds up each row"),
        Way { symbol: "blockPerRow", shape: each!(blocks), ..I32 },
    ),
    (
        named!("childPerRow", "A thread launches a child for each row"),
        Way { symbol: "childPerRow", host: each!(nested), launches: each!(per_row), ..I32 },
    ),
    (
        named!("childPerLongRow", "A thread adds up each short row, and launches a child for a long one"),
        Way { symbol: "childPerLongRow", host: each!(nested), launches: each!(per_long_row), ..I32 },
    ),
    (
        named!("childPerBlock", "A block launches one child for all its long rows"),
        Way { symbol: "childPerBlock", host: each!(nested_with_lists), launches: each!(per_block), ..I32 },
    ),
    (
        named!("childPerBlockCoarse", "The same with fewer blocks in the child, which do more"),
        Way {
            symbol: "childPerBlockCoarse",
            host: each!(nested_with_lists),
            launches: each!(per_block),
            story: false,
            ..I32
        },
    ),
    (
        named!("childPerGrid", "The last block launches one child for all long rows"),
        Way { symbol: "childPerGrid", host: each!(nested_with_one_list), launches: each!(per_grid), ..I32 },
    ),
    (
        named!("mergePath", "A thread takes 16 steps of the merge path, elements and row ends"),
        Way { symbol: "mergePath", host: each!(merge_path), shape: each!(paths), ..I32 },
    ),
    (
        named!("flattened", "A warp takes an equal share of the merge path, tile by tile"),
        Way { symbol: "flattened", host: each!(flattened, i32), shape: each!(shares), ..I32 },
    ),
    (
        named!("rowSums", "Few rows in chunks, many flattened"),
        Way { symbol: "chunked", host: each!(chosen, i32), shape: each!(chosen_shape), story: false, ..I32 },
    ),
    (named!("flattenedF32", "Flattened, of f32"), Way { symbol: "flattenedF32", ..F32 }),
    (
        named!("rowSumsF32", "Few rows in chunks, many flattened, of f32"),
        Way { symbol: "chunkedF32", host: each!(chosen, f32), shape: each!(chosen_shape), ..F32 },
    ),
];

/// The kind of rows in the chapter's story, in `KINDS`: one screen has no room for all.
const POWER_LAW: usize = 1;

/// The variants of all ways.
const VARIANTS: [Variant; WAYS.len() * KINDS.len()] = {
    let mut variants = [Variant::new("", flat::<0>); WAYS.len() * KINDS.len()];
    let mut place = 0;
    while place < variants.len() {
        let (named, way) = WAYS[place / KINDS.len()];
        let kind = place % KINDS.len();
        let (name, does) = named[kind];
        variants[place] = Variant {
            symbol: way.symbol,
            operation: way.operation[kind],
            shape: way.shape[kind],
            launches: way.launches[kind],
            story: way.story && kind == POWER_LAW,
            sweep: Sweep::Never,
            ..Variant::new(name, way.host[kind])
        }
        .does(does);
        place += 1;
    }
    variants
};

pub const CHAPTER: Chapter = Chapter {
    // One child per row takes up to a tenth of a second at 2^20, and grows with n.
    default_n: |device| if matches!(device, DeviceKind::Gpu) { 1 << 20 } else { 1 << 16 },
    pending_launches: true,
    extras: Extras {
        measure: Extras::on_a_gpu(compare::measure),
        tables: comparison::tables,
        charts: comparison::charts,
        figures: Extras::in_the_book(&[
            Figure::of_traces("path", path::figure),
            Figure::of_traces("work", work::figure),
            Figure { name: "ratios", record: Some(ratios::RECORD), draw: ratios::figure },
        ]),
    },
    ..Chapter::new("ch4_ragged", "Ragged rows: nested data parallelism, and its flattening", &VARIANTS)
};

fn no_launches(_: u64, _: Shape) -> Launches {
    Launches::NONE
}
