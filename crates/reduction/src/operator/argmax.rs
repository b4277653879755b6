//! The greatest number and where it stands: an operator on pairs.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

use super::{Number, Operator};
use crate::value::Value;

/// The greatest number with its index; of equal ones the first. NaNs, which have no order, are not allowed.
#[derive(Clone, Copy, Debug)]
pub struct ArgMax<T>(PhantomData<T>);

/// A number that pairs with an index of its own width, so that a pair has no padding.
pub trait Located: Number {
    /// The pair of a number and its index.
    type At: Pod + ValueAt<Self>;
}

/// A number and its index.
pub trait ValueAt<T> {
    /// The least number at the last index: every other pair comes before it.
    const NOWHERE: Self;
    /// `value` at `index`.
    fn new(value: T, index: usize) -> Self;
    /// The number.
    fn value(&self) -> T;
    /// Its index in the array, from 0.
    fn index(&self) -> u64;
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
        }

        impl ValueAt<$number> for $at {
            const NOWHERE: $at = $at { value: <$number>::LEAST, index: <$index>::MAX };

            fn new(value: $number, index: usize) -> $at {
                $at { value, index: index as $index }
            }
            fn value(&self) -> $number {
                self.value
            }
            fn index(&self) -> u64 {
                self.index.into()
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
    const IDENTITY: T::At = T::At::NOWHERE;

    fn combine(first: T::At, second: T::At) -> T::At {
        let greater = second.value() > first.value();
        let equal_and_earlier = second.value() == first.value() && second.index() < first.index();
        if greater || equal_and_earlier { second } else { first }
    }
    fn element(number: i32, index: usize) -> T::At {
        T::At::new(T::of(number), index)
    }
    /// `7 at 3`; of no elements `nowhere`.
    fn value(element: T::At) -> Value {
        if bytemuck::bytes_of(&element) == bytemuck::bytes_of(&T::At::NOWHERE) {
            return Value::Text("nowhere".to_string());
        }
        let value: Value = element.value().into();
        Value::Text(format!("{value} at {}", element.index()))
    }
}
