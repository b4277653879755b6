//! [`Operator`]: what an array can be reduced by, and the operators of the workbook.
//!
//! | file | operators |
//! | --- | --- |
//! | `number.rs` | [`Sum`], [`Min`], [`Max`] of `i32`, `i64`, `f32` and `f64`; [`Product`] |
//! | `argmax.rs` | [`ArgMax`]: an operator on pairs |
//! | `whole.rs` | [`SumF32`], [`SumF64`], [`SumI64`], [`FromZero`]: sums whose order does not matter |
//! | `hash.rs` | [`struct@Hash`]: associative, but not commutative |

mod argmax;
mod hash;
mod number;
mod whole;

use bytemuck::Pod;

use crate::value::Value;

pub use argmax::{ArgMax, Located};
pub use hash::{Hash, Hashed};
pub use number::{Max, Min, Number, Product, Sum, rounded_sum};
pub use whole::{FromZero, SumF32, SumF64, SumI64};

/// The type of an array's elements, as a kernel reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// `int`
    I32,
    /// `long long`
    I64,
    /// `unsigned long long`
    U64,
    /// `__half`
    F16,
    /// `__nv_bfloat16`
    Bf16,
    /// `float`
    F32,
    /// `double`
    F64,
    /// A structure of two numbers.
    Pair,
    /// There is no array: the kernel makes its numbers.
    None,
}

/// An associative operation with an identity, on elements of one type (a monoid): `combine(combine(a, b), c)`
/// is `combine(a, combine(b, c))`, so a tree of any shape gives the same result as long as the operands keep
/// their order. Floats round, so theirs is the same only up to an error bound.
pub trait Operator {
    /// What is reduced: one element of the array.
    type Element: Pod;
    /// Its type.
    const TYPE: ElementType;
    /// `combine(IDENTITY, a)` and `combine(a, IDENTITY)` are `a`: it pads what an array lacks.
    const IDENTITY: Self::Element;

    /// The operation. `first` comes before `second` in the array.
    fn combine(first: Self::Element, second: Self::Element) -> Self::Element;

    /// The element at `index`, made of the chapter's number there ([`crate::data::numbers`]).
    fn element(number: i32, index: usize) -> Self::Element;

    /// A result as a record shows it.
    fn value(element: Self::Element) -> Value;
}

/// The elements of `O` that `numbers` stand for.
pub fn elements<O: Operator>(numbers: &[i32]) -> Vec<O::Element> {
    numbers.iter().enumerate().map(|(index, &number)| O::element(number, index)).collect()
}

/// The sum of `i32`; it wraps in 32 bits.
pub type SumI32 = Sum<i32>;
