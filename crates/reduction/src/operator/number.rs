//! Operators on plain numbers: sum, minimum, maximum, product.

use std::marker::PhantomData;
use std::ops::Add;

use bytemuck::Pod;

use super::{ElementType, Operator, elements};
use crate::error_bound;
use crate::value::{Expected, Value};

/// A type of numbers that kernels reduce.
pub trait Number: Pod + PartialOrd + Into<Value> {
    /// This type.
    const TYPE: ElementType;
    /// The identity of addition.
    const ZERO: Self;
    /// The least value; for floats minus infinity.
    const LEAST: Self;
    /// The greatest value; for floats infinity.
    const GREATEST: Self;

    /// What the chapter's `number` becomes. An integer keeps its value, so `i64` shows the sum that `i32`
    /// wraps; a float is a 2^31st of it, between -1 and 1, and is never a NaN.
    fn of(number: i32) -> Self;

    /// The sum; integers wrap.
    fn add(self, other: Self) -> Self;

    /// The lesser; of a number and a NaN the number (IEEE 754-2008 `minNum`, as fmin in CUDA).
    fn min(self, other: Self) -> Self;
    /// The greater; of a number and a NaN the number (IEEE 754-2008 `maxNum`, as fmax in CUDA).
    fn max(self, other: Self) -> Self;
}

macro_rules! numbers {
    ($(
        $number:ty: $type:ident, $least:expr, $greatest:expr, $of:expr, $add:expr, $min:expr, $max:expr;
    )*) => {$(
        impl Number for $number {
            const TYPE: ElementType = ElementType::$type;
            const ZERO: $number = 0 as $number;
            const LEAST: $number = $least;
            const GREATEST: $number = $greatest;

            fn of(number: i32) -> $number {
                $of(number)
            }
            fn add(self, other: $number) -> $number {
                $add(self, other)
            }
            fn min(self, other: $number) -> $number {
                $min(self, other)
            }
            fn max(self, other: $number) -> $number {
                $max(self, other)
            }
        }
    )*};
}
numbers! {
    i32: I32, i32::MIN, i32::MAX, i32::from, i32::wrapping_add, Ord::min, Ord::max;
    i64: I64, i64::MIN, i64::MAX, i64::from, i64::wrapping_add, Ord::min, Ord::max;
    f32: F32, f32::NEG_INFINITY, f32::INFINITY, |number| share(number) as f32, Add::add, f32::min, f32::max;
    f64: F64, f64::NEG_INFINITY, f64::INFINITY, share, Add::add, f64::min, f64::max;
}

/// Of 2^31.
fn share(number: i32) -> f64 {
    f64::from(number) / (1u64 << 31) as f64
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident: $identity:ident, $combine:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<T>(PhantomData<T>);

        impl<T: Number> Operator for $name<T> {
            type Element = T;
            const TYPE: ElementType = T::TYPE;
            const IDENTITY: T = T::$identity;

            fn combine(first: T, second: T) -> T {
                first.$combine(second)
            }
            fn element(number: i32, _: usize) -> T {
                T::of(number)
            }
            fn value(element: T) -> Value {
                element.into()
            }
        }
    )*};
}
operators! {
    /// The sum; of integers it wraps.
    Sum: ZERO, add;
    /// The least number; the greatest there is where there are no elements.
    Min: GREATEST, min;
    /// The greatest number.
    Max: LEAST, max;
}

/// The product modulo 2^64. Its elements are odd: with even ones among them it would soon be 0.
#[derive(Clone, Copy, Debug)]
pub struct Product;

impl Operator for Product {
    type Element = u64;
    const TYPE: ElementType = ElementType::U64;
    const IDENTITY: u64 = 1;

    fn combine(first: u64, second: u64) -> u64 {
        first.wrapping_mul(second)
    }
    fn element(number: i32, _: usize) -> u64 {
        u64::from(number as u32) | 1
    }
    fn value(element: u64) -> Value {
        Value::Text(format!("{element:#018x}"))
    }
}

/// The sum of the elements as if it were rounded once, and for its error the sum of their magnitudes, of
/// which a kernel may lose a share ([`crate::error_bound::of_sum`]).
pub fn rounded_sum<T: Number + Into<f64>>(numbers: &[i32]) -> Expected {
    let terms: Vec<f64> = elements::<Sum<T>>(numbers).into_iter().map(Into::into).collect();
    let magnitudes = error_bound::compensated_sum(terms.iter().map(|term| term.abs()));
    Expected::within(error_bound::compensated_sum(terms), magnitudes)
}
