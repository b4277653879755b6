//! [`Operator`]: what an array can be reduced by.

use bytemuck::Pod;

use crate::value::Value;

/// An associative operation with an identity, on elements of one type (a monoid): `combine(combine(a, b), c)` is
/// `combine(a, combine(b, c))`, so a tree of any shape gives the same result as long as the operands keep their
/// order. Floats round, so theirs is the same only up to an error bound.
pub trait Operator {
    type Element: Pod;
    /// `combine(IDENTITY, a)` and `combine(a, IDENTITY)` are `a`: it pads what an array lacks.
    const IDENTITY: Self::Element;

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
#[derive(Clone, Copy, Debug)]
pub struct SumI32;

impl Operator for SumI32 {
    type Element = i32;
    const IDENTITY: i32 = 0;

    fn combine(first: i32, second: i32) -> i32 {
        first.wrapping_add(second)
    }
    fn element(number: i32, _: usize) -> i32 {
        number
    }
    fn value(element: i32) -> Value {
        element.into()
    }
}
