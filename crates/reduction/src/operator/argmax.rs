//! The greatest number and where it stands: an operator on pairs.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

use super::{ElementType, Number, Operator};
use crate::value::Value;

/// The greatest number with its index; of equal ones the first. NaNs, which have no order, are not allowed.
#[derive(Clone, Copy, Debug)]
pub struct ArgMax<T>(PhantomData<T>);

/// A number that pairs with an index of its own width, so that a pair has no padding.
pub trait Located: Number {
    /// The pair of a number and its index.
    type At: Pod;
    /// The least number at the last index: every other pair comes before it.
    const NOWHERE: Self::At;
    /// The number at `index`.
    fn at(self, index: usize) -> Self::At;
    /// A pair's number, and its index in the array, from 0.
    fn parts(pair: Self::At) -> (Self, u64);
}

macro_rules! pairs {
    ($($at:ident: $number:ty, $index:ty;)*) => {$(
        #[doc = concat!("`", stringify!($number), "` at an index.")]
        #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
        #[repr(C)]
        pub struct $at {
            value: $number,
            index: $index,
        }

        impl Located for $number {
            type At = $at;
            const NOWHERE: $at = $at { value: <$number>::LEAST, index: <$index>::MAX };

            fn at(self, index: usize) -> $at {
                $at { value: self, index: index as $index }
            }
            fn parts($at { value, index }: $at) -> ($number, u64) {
                (value, index.into())
            }
        }
    )*};
}
pairs! {
    I32At: i32, u32;
    I64At: i64, u64;
    F32At: f32, u32;
    F64At: f64, u64;
}

impl<T: Located> Operator for ArgMax<T> {
    type Element = T::At;
    const TYPE: ElementType = ElementType::Pair;
    const IDENTITY: T::At = T::NOWHERE;

    fn combine(first: T::At, second: T::At) -> T::At {
        let (one, at) = T::parts(first);
        let (other, there) = T::parts(second);
        if other > one || other == one && there < at { second } else { first }
    }
    fn element(number: i32, index: usize) -> T::At {
        T::of(number).at(index)
    }
    /// `7 at 3`; of no elements `nowhere`.
    fn value(element: T::At) -> Value {
        if bytemuck::bytes_of(&element) == bytemuck::bytes_of(&T::NOWHERE) {
            return Value::Text("nowhere".to_string());
        }
        let (number, index) = T::parts(element);
        let number: Value = number.into();
        Value::Text(format!("{number} at {index}"))
    }
}
