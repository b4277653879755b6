//! Operators on plain numbers: sum, minimum, maximum, product.

use std::marker::PhantomData;

use bytemuck::Pod;

use super::{Operator, elements};
use crate::error_bound;
use crate::value::{Expected, Value};

/// A type of numbers that kernels reduce.
pub trait Number: Pod + PartialOrd + Into<Value> {
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

macro_rules! integers {
    ($($int:ty),*) => {$(
        impl Number for $int {
            const ZERO: $int = 0;
            const LEAST: $int = <$int>::MIN;
            const GREATEST: $int = <$int>::MAX;

            fn of(number: i32) -> $int {
                number.into()
            }
            fn add(self, other: $int) -> $int {
                self.wrapping_add(other)
            }
            fn min(self, other: $int) -> $int {
                Ord::min(self, other)
            }
            fn max(self, other: $int) -> $int {
                Ord::max(self, other)
            }
        }
    )*};
}
integers!(i32, i64);

macro_rules! floats {
    ($($float:ty: $unit:expr),*) => {$(
        impl Number for $float {
            const ZERO: $float = 0.0;
            const LEAST: $float = <$float>::NEG_INFINITY;
            const GREATEST: $float = <$float>::INFINITY;

            fn of(number: i32) -> $float {
                (f64::from(number) / (1u64 << 31) as f64) as $float
            }
            fn add(self, other: $float) -> $float {
                self + other
            }
            fn min(self, other: $float) -> $float {
                <$float>::min(self, other)
            }
            fn max(self, other: $float) -> $float {
                <$float>::max(self, other)
            }
        }

        impl Float for $float {
            const UNIT: f64 = $unit;
        }
    )*};
}
floats!(f32: error_bound::UNIT_F32, f64: error_bound::UNIT_F64);

/// A type whose additions round.
pub trait Float: Number + Into<f64> {
    /// Unit roundoff.
    const UNIT: f64;
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident: $identity:ident, $combine:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<T>(PhantomData<T>);

        impl<T: Number> Operator for $name<T> {
            type Element = T;
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
pub fn rounded_sum<T: Float>(numbers: &[i32]) -> Expected {
    let terms: Vec<f64> = elements::<Sum<T>>(numbers).into_iter().map(Into::into).collect();
    let magnitudes = error_bound::compensated_sum(terms.iter().map(|term| term.abs()));
    Expected::within(error_bound::compensated_sum(terms), magnitudes)
}
