//! Sums whose order does not matter: they wrap, or their elements are whole numbers so small that no addition
//! rounds.

use super::Operator;
use crate::value::Value;

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

/// The sum of `f64`. The elements are whole numbers of 24 bits, so up to 2^29 of them add up without
/// rounding.
#[derive(Clone, Copy, Debug)]
pub struct SumF64;

impl Operator for SumF64 {
    type Element = f64;
    const IDENTITY: f64 = 0.0;

    fn combine(first: f64, second: f64) -> f64 {
        first + second
    }
    fn element(number: i32, _: usize) -> f64 {
        f64::from(number >> 8)
    }
    fn value(element: f64) -> Value {
        element.into()
    }
}
