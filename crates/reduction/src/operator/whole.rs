//! Sums whose order does not matter: they wrap, or their elements are whole numbers so small that no addition
//! rounds.

use super::{ElementType, Operator};
use crate::value::Value;

macro_rules! sums {
    ($($(#[$doc:meta])* $name:ident, $element:ty, $type:ident, $combine:expr, $of:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Operator for $name {
            type Element = $element;
            const TYPE: ElementType = ElementType::$type;
            const IDENTITY: $element = 0 as $element;

            fn combine(first: $element, second: $element) -> $element {
                $combine(first, second)
            }
            fn element(number: i32, index: usize) -> $element {
                $of(number, index)
            }
            fn value(element: $element) -> Value {
                element.into()
            }
        }
    )*};
}
sums! {
    /// The sum of `f32`. The elements are small odd numbers of either sign at random, so a sum of some
    /// billion of them grows as the square root of their number. In every order that does not look at the
    /// values it stays a whole number far below 2^24, and no addition rounds: the result is right or wrong,
    /// not nearly right.
    SumF32, f32, F32, |first, second| first + second, |number: i32, _| ((number >> 28) | 1) as f32;
    /// The sum of `f64`. The elements are whole numbers of 24 bits, so up to 2^29 of them add up without
    /// rounding.
    SumF64, f64, F64, |first, second| first + second, |number: i32, _| f64::from(number >> 8);
    /// The sum of `i64`; it wraps in 64 bits. Both halves of an element count.
    SumI64, i64, I64, i64::wrapping_add, |number: i32, index| (i64::from(number) << 31) ^ index as i64;
    /// The sum of 0, 1, 2, …, whatever the chapter's numbers are: what post 003 adds up.
    FromZero, i64, I64, i64::wrapping_add, |_, index| index as i64;
}
