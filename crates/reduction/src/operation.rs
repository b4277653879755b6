//! [`Operation`]: what a kernel computes of a chapter's numbers, and what the serial recursion says of it.

use super::operator::{ElementType, Operator, SumF32, SumI64, elements};
use super::serial::{recursive_reduce, recursive_reduce_by};
use super::value::Expected;

/// What a kernel computes of a chapter's numbers.
#[derive(Clone, Copy)]
pub struct Operation {
    /// `sum of i32`: tells operations apart, and stands in the record.
    pub name: &'static str,
    /// The type of the elements that a kernel reads.
    pub element: ElementType,
    /// Bytes of input that a kernel has to read for each element.
    pub element_bytes: u32,
    /// What the serial recursion gives for the chapter's numbers ([`super::data::numbers`]), of which an
    /// operation on another type makes its elements first.
    pub expected: fn(&[i32]) -> Expected,
}

impl Operation {
    /// The sum that chapters 1 to 4 are about; it wraps in 32 bits.
    pub const SUM: Operation = Operation {
        name: "sum of i32",
        element: ElementType::I32,
        element_bytes: 4,
        expected: |data| Expected::exactly(recursive_reduce(&mut data.to_vec())),
    };
}

/// The operation that `O` is, whose right result is the serial recursion's to the last bit.
pub const fn exact<O: Operator>(name: &'static str) -> Operation {
    let expected = |numbers: &[i32]| {
        let result = recursive_reduce_by::<O>(&mut elements::<O>(numbers));
        Expected::exactly(O::value(result))
    };
    Operation { name, element: O::TYPE, element_bytes: size_of::<O::Element>() as u32, expected }
}

/// The sum of `f32` that are whole numbers.
pub const SUM_F32: Operation = exact::<SumF32>("sum of f32");
/// The sum of `i64`; it wraps in 64 bits.
pub const SUM_I64: Operation = exact::<SumI64>("sum of i64");
