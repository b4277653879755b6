//! Chapter 7: the types that it adds up, and the shape in which each rung of its ladder runs.

pub mod comparison;
pub mod comparison_charts;
pub mod libraries;
pub mod sweep;
pub mod timing;

use crate::chapter::Shape;
use crate::reduction::operation::Operation;
use crate::reduction::operator::{Operator, elements};
use crate::reduction::value::{Expected, Value};

/// What the rungs compute of `i32`.
pub const I32: Operation = Operation::SUM;
/// Of `f32`.
pub const F32: Operation =
    Operation { name: "sum of f32", element_bytes: 4, expected: |numbers| expected::<SumF32>(numbers) };
/// Of `i64`.
pub const I64: Operation =
    Operation { name: "sum of i64", element_bytes: 8, expected: |numbers| expected::<SumI64>(numbers) };

/// Every addition is exact or wraps, so the order does not matter and a loop will do.
fn expected<O: Operator>(numbers: &[i32]) -> Expected {
    Expected::exactly(O::value(elements::<O>(numbers).into_iter().fold(O::IDENTITY, O::combine)))
}

/// Blocks of the kernels with tiles of 8 elements per thread: no more than 8 blocks per multiprocessor.
pub fn tiles(n: u64, block: u32, multiprocessors: u32) -> u32 {
    n.div_ceil(8 * u64::from(block)).clamp(1, 8 * u64::from(multiprocessors)) as u32
}

/// The last rung of each type: a small family of kernels, one of which is chosen for each size.
const LAST_RUNGS: [&str; 3] = ["reduceLimit", "reduceLimitF32", "reduceLimitI64"];

/// The kernel that the rung `symbol` runs for `n` elements: itself, but for the last rung, which chooses.
pub fn kernel(symbol: &'static str, operation: &Operation, n: u64) -> &'static str {
    if LAST_RUNGS.contains(&symbol) { choice(operation, n).kernel } else { symbol }
}

/// The most elements of an array: the kernels count in 32 bits, and go on beyond the end for a tile per
/// block.
pub const MAX_ELEMENTS: u64 = (1 << 32) - (1 << 25);

/// The most blocks that a kernel which finishes in digits can count: 16 bits of a word, with room to spare.
pub const MAX_BLOCKS_IN_DIGITS: u32 = 1 << 15;

/// How the last rung runs: which kernel of `kernels/ch7_limit.cu`, in which shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Threads per block.
    pub block: u32,
    /// Blocks.
    pub grid: u32,
}

impl Choice {
    /// Threads per block, and blocks.
    pub fn shape(self) -> Shape {
        Shape { block: self.block, grid: self.grid }
    }
}

/// A row of a table of choices.
struct Row {
    /// The largest size it is for.
    up_to: u64,
    kernel: &'static str,
    /// Threads in a block, as in the kernel's name.
    block: u32,
    /// Loads of 16 bytes per thread in a tile.
    loads: u64,
    /// Blocks: as many as there are tiles, and no more than this.
    grid: u64,
}

const fn row(up_to: u64, kernel: &'static str, block: u32, loads: u64, grid: u64) -> Row {
    Row { up_to, kernel, block, loads, grid }
}

/// What the sweep (`cargo bench --bench limit`) found best on an H200, or so near that it saves a kernel.
const OF_I32: &[Row] = &[
    row(1 << 10, "reduceLimitTiny", 128, 2, 1),
    row(1 << 12, "reduceLimitOneBlock", 256, 4, 1),
    row(1 << 18, "reduceLimitSmall", 128, 2, 256),
    row(1 << 22, "reduceLimit", 512, 4, 264),
    row(1 << 24, "reduceLimit", 512, 4, 1584),
    row(1 << 26, "reduceLimit", 512, 4, 4224),
    row(1 << 28, "reduceLimit", 512, 4, 16896),
    row(u64::MAX, "reduceLimitLarge", 1024, 4, 16896),
];
const OF_F32: &[Row] = &[
    row(1 << 10, "reduceLimitTinyF32", 128, 2, 1),
    row(1 << 12, "reduceLimitOneBlockF32", 256, 4, 1),
    row(1 << 14, "reduceLimitFullBlockF32", 1024, 4, 1),
    row(1 << 18, "reduceLimitSmallF32", 128, 4, 128),
    row(1 << 22, "reduceLimitF32", 512, 4, 256),
    row(1 << 24, "reduceLimitLargeF32", 1024, 4, 256),
    row(1 << 26, "reduceLimitLargeF32", 1024, 4, 1584),
    row(1 << 28, "reduceLimitLargeF32", 1024, 4, 4224),
    row(u64::MAX, "reduceLimitLargeF32", 1024, 4, 16896),
];
const OF_I64: &[Row] = &[
    row(1 << 10, "reduceLimitTinyI64", 128, 4, 1),
    row(1 << 12, "reduceLimitOneBlockI64", 512, 4, 1),
    row(1 << 18, "reduceLimitSmallI64", 256, 2, 256),
    row(1 << 22, "reduceLimitI64", 512, 4, 256),
    row(1 << 24, "reduceLimitI64", 512, 4, 1584),
    row(1 << 26, "reduceLimitI64", 512, 4, 8448),
    row(u64::MAX, "reduceLimitLargeI64", 1024, 4, 16896),
];

/// The choice for `n` elements of `operation`.
pub fn choice(operation: &Operation, n: u64) -> Choice {
    let rows = match operation.name {
        name if name == F32.name => OF_F32,
        name if name == I64.name => OF_I64,
        _ => OF_I32,
    };
    let row = rows.iter().find(|row| n <= row.up_to).unwrap_or(&rows[rows.len() - 1]);
    let tile = 16 * row.loads * u64::from(row.block); // bytes
    let grid = (n * u64::from(operation.element_bytes)).div_ceil(tile).clamp(1, row.grid) as u32;
    Choice { kernel: row.kernel, block: row.block, grid }
}

/// Words of scratch memory that the last two rungs need with `grid` blocks: a ticket and a word per block, or
/// a word per digit. All are 0 before the first launch; after each launch those are 0 again that have to be.
/// Launches that run at the same time must not share them.
pub fn scratch_words(grid: u32) -> usize {
    (1 + grid as usize).max(10)
}

/// The sum of `f32`. The elements are small odd numbers of either sign at random, so a sum of some billion of
/// them grows as the square root of their number. In every order that does not look at the values it stays a
/// whole number far below 2^24, and no addition rounds: the result is right or wrong, not nearly right.
#[derive(Clone, Copy, Debug)]
pub struct SumF32;

impl Operator for SumF32 {
    type Element = f32;
    const IDENTITY: f32 = 0.0;

    fn combine(first: f32, second: f32) -> f32 {
        first + second
    }
    fn element(number: i32, _: usize) -> f32 {
        ((number >> 28) | 1) as f32
    }
    fn value(element: f32) -> Value {
        element.into()
    }
}

/// The sum of `i64`; it wraps in 64 bits. Both halves of an element count.
#[derive(Clone, Copy, Debug)]
pub struct SumI64;

impl Operator for SumI64 {
    type Element = i64;
    const IDENTITY: i64 = 0;

    fn combine(first: i64, second: i64) -> i64 {
        first.wrapping_add(second)
    }
    fn element(number: i32, index: usize) -> i64 {
        (i64::from(number) << 31) ^ index as i64
    }
    fn value(element: i64) -> Value {
        element.into()
    }
}
