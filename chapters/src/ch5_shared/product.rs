//! What chapter 5 multiplies, what is right, and how far a kernel may be off.

use workbook::chapter::Shape;
use workbook::reduction::error_bound;
use workbook::reduction::operation::Operation;
use workbook::reduction::operator::{ElementType, Operator, elements};
use workbook::reduction::serial;
use workbook::reduction::value::{Expected, Value};

/// Pairs in [0, 1) with 24 bits each, both made from one number: from its bits, and from the same in reverse.
pub fn random_pair(number: i32) -> (f32, f32) {
    let share = |bits: u32| (bits >> 8) as f32 / (1 << 24) as f32;
    (share(number as u32), share(number.cast_unsigned().reverse_bits()))
}

/// The post's data: a[i] = i, b[i] = 2i.
pub fn posts_pair(index: usize) -> (f32, f32) {
    (index as f32, (2 * index) as f32)
}

// ANCHOR: operations
/// The reference: products in f64, where they are exact, and their sum, which keeps 29 bits more.
struct DotInF64;

impl Operator for DotInF64 {
    type Element = f64;
    const TYPE: ElementType = ElementType::F64;
    const IDENTITY: f64 = 0.0;

    fn combine(first: f64, second: f64) -> f64 {
        first + second
    }
    fn element(number: i32, _: usize) -> f64 {
        let (a, b) = random_pair(number);
        f64::from(a) * f64::from(b)
    }
    fn value(element: f64) -> Value {
        element.into()
    }
}

/// No product is negative, so the sum of |a·b|, on which the error bound rests, is the dot product.
pub const DOT_OF_F32: Operation = Operation {
    name: "dot product of f32",
    element: ElementType::F32,
    element_bytes: 8,
    expected: |numbers| {
        let dot = serial::recursive_reduce_by::<DotInF64>(&mut elements::<DotInF64>(numbers));
        Expected::within(dot, dot)
    },
};

/// Checked as the post does it, against 2 * (N-1) N (2N-1) / 6, but in integers.
pub const DOT_OF_THE_POST: Operation = Operation {
    name: "dot product of i and 2i",
    element: ElementType::F32,
    element_bytes: 8,
    expected: |numbers| {
        let n = numbers.len() as u128;
        let dot = (n.saturating_sub(1) * n * (2 * n).saturating_sub(1) / 3) as f64;
        Expected::within(dot, dot)
    },
};

/// How far a kernel may be off, as a share of the sum of |a·b|. A product goes through the additions of its
/// thread, of its block's tree and of the partial sums. It may be rounded itself, as may the post's a and b
/// from 2^24 on.
pub fn error(n: u64, shape: Shape) -> f64 {
    let threads = u64::from(shape.block) * u64::from(shape.grid);
    let tree = shape.block.next_power_of_two().ilog2();
    error_bound::of_dot(n, n.div_ceil(threads) + u64::from(tree) + u64::from(shape.grid) + 3)
}
// ANCHOR_END: operations

/// For [`kahan`]: (2u + 8nu²) Σ|aᵢbᵢ| for the additions (Higham, 4.3, with 8 for its O), u for the product.
pub fn kahan_error(n: u64) -> f64 {
    error_bound::UNIT_F32 * (3.0 + 8.0 * n as f64 * error_bound::UNIT_F32)
}
