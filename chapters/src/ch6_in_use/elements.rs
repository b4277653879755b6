//! What chapter 6.2 reduces: numbers that `f32`, `f16` and `bf16` hold exactly.

use bytemuck::{Pod, Zeroable};
use workbook::reduction::operator::ElementType;

/// Unit roundoff of `f16`.
pub const UNIT_F16: f64 = 1.0 / (1 << 11) as f64;

/// What is added up: multiples of 1/128 from 0 on and below 1. They have at most 7 bits, so every type here
/// holds them exactly, and whatever error there is comes from additions.
pub trait Element: Pod {
    /// This type.
    const TYPE: ElementType;

    /// One of those multiples, or a whole number below 128, as this type has it.
    fn of(number: f32) -> Self;
}

impl Element for f32 {
    const TYPE: ElementType = ElementType::F32;

    fn of(number: f32) -> f32 {
        number
    }
}

/// An `f16`, IEEE 754's binary16, as its bits.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct Half(u16);

impl Element for Half {
    const TYPE: ElementType = ElementType::F16;

    /// Five bits of exponent, with a bias of 15 in place of 127, and ten bits of fraction.
    fn of(number: f32) -> Half {
        Half((number.to_bits() >> 13).saturating_sub((127 - 15) << 10) as u16)
    }
}

/// A `bf16`, the upper half of an `f32`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct Bf16(u16);

impl Element for Bf16 {
    const TYPE: ElementType = ElementType::Bf16;

    fn of(number: f32) -> Bf16 {
        Bf16((number.to_bits() >> 16) as u16)
    }
}

/// The numerators of the elements that the chapter's numbers stand for.
pub fn numerators(numbers: &[i32]) -> impl Iterator<Item = i64> {
    numbers.iter().map(|&number| i64::from(number as u32 >> 25))
}

/// The elements of type `T` for the chapter's numbers: multiples of 1/128 from 0 on and below 1.
pub fn fractions<T: Element>(numbers: &[i32]) -> Vec<T> {
    numerators(numbers).map(|numerator| T::of(numerator as f32 / 128.0)).collect()
}

/// The same times 128: whole numbers from 0 to 127.
pub fn wholes<T: Element>(numbers: &[i32]) -> Vec<T> {
    numerators(numbers).map(|numerator| T::of(numerator as f32)).collect()
}
