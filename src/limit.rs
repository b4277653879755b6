//! Chapter 7: the types that it adds up, and the shape in which each rung of its ladder runs.

use crate::operator::{Operator, elements};
use crate::value::{Expected, Operation, Value};

/// What the rungs compute, by type.
pub const I32: Operation = Operation::SUM;
pub const F32: Operation =
    Operation { name: "sum of f32", element_bytes: 4, expected: |numbers| expected::<SumF32>(numbers) };
pub const I64: Operation =
    Operation { name: "sum of i64", element_bytes: 8, expected: |numbers| expected::<SumI64>(numbers) };

/// Every addition is exact or wraps, so the order does not matter and a loop will do.
fn expected<O: Operator>(numbers: &[i32]) -> Expected {
    Expected::exactly(O::value(elements::<O>(numbers).into_iter().fold(O::IDENTITY, O::combine)))
}

/// Blocks of the kernels that go over the array in tiles of 8 elements a thread: no more than 8 on each of an H200's
/// 132 multiprocessors.
pub fn tiles(n: u64, block: u32) -> u32 {
    n.div_ceil(8 * u64::from(block)).clamp(1, 1056) as u32
}

/// How the last rung runs: which kernel of `kernels/ch7_limit.cu`, in which shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub kernel: &'static str,
    pub block: u32,
    pub grid: u32,
}

/// The choice for `n` elements of `operation`.
pub fn choice(operation: &Operation, n: u64) -> Choice {
    let kernel = match operation.name {
        "sum of f32" => "reduceLimitF32",
        "sum of i64" => "reduceLimitI64",
        _ => "reduceLimit",
    };
    let grid = (n * u64::from(operation.element_bytes)).div_ceil(16 * 4 * 512).clamp(1, 1056) as u32;
    Choice { kernel, block: 512, grid }
}

/// Words of scratch memory that the last two rungs need with `grid` blocks: a ticket, and a word a block; for `i64` two.
/// All are 0 before the first launch, and the ones that matter after each.
pub fn scratch_words(grid: u32) -> usize {
    1 + 2 * grid as usize
}

/// The sum of `f32`. The elements are small odd numbers of either sign, so every partial sum of some billion of them is
/// a whole number below 2^24 in any order (their sum grows as the square root of their number) and no addition rounds:
/// the result is right or wrong, not nearly right.
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
