//! Two values of one element, as numbers of its type.

use crate::arith::Format;
use crate::what::{Number, Values};

impl Number {
    /// What elements of this type are, and the bytes of one: `f32`, `i8`.
    fn parse(kind: &str) -> Option<(Number, u32)> {
        let digits = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let bits: u32 = digits.parse().ok()?;
        let number = match Format::parse(kind) {
            Some(Format::BF16) => Number::Bfloat,
            Some(_) => Number::Float,
            None if kind.starts_with('u') => Number::Unsigned,
            None => Number::Signed,
        };
        Some((number, bits / 8))
    }
}

impl Values {
    /// The same as elements of this type: the first that differs, and how many bytes are in front of it.
    /// `None` if such an element is wider than these values, or the type is not known.
    pub fn as_elements(&self, kind: &str) -> Option<(Values, u32)> {
        let (number, bytes) = Number::parse(kind).filter(|(_, bytes)| (1..=self.bytes).contains(bytes))?;
        let same = (self.bits[0] ^ self.bits[1]).trailing_zeros() / 8;
        let before = (same / bytes * bytes).min(self.bytes - bytes);
        let bits = self.bits.map(|bits| bits >> (8 * before) & (u64::MAX >> (64 - 8 * bytes)));
        Some((Values { bits, bytes, number }, before))
    }

    /// Both as text.
    pub fn shown(&self) -> [String; 2] {
        let unused = 64 - 8 * self.bytes.clamp(1, 8);
        self.bits.map(|bits| match self.number {
            Number::Signed => ((bits << unused) as i64 >> unused).to_string(),
            Number::Unsigned => bits.to_string(),
            Number::Float if self.bytes == 8 => format!("{:?}", f64::from_bits(bits)),
            Number::Float if self.bytes == 4 => format!("{:?}", f32::from_bits(bits as u32)),
            Number::Float => format!("{:?}", Format::F16.decode(bits) as f32),
            Number::Bfloat => format!("{:?}", Format::BF16.decode(bits) as f32),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_the_type_of_their_element() {
        let word = |bits, bytes| Values { bits, bytes, number: Number::Signed };
        for (values, kind, shown, before) in [
            (word([0x3fc0_0000, 0xbf80_0000], 4), "f32", ["1.5", "-1.0"], 0),
            (word([0x3fc0_0000, 0xbf80_0000], 4), "i32", ["1069547520", "-1082130432"], 0),
            (word([0x3fc0_0000, 0xbf80_0000], 4), "u32", ["1069547520", "3212836864"], 0),
            (word([7 << 16, 0xff << 16], 4), "i8", ["7", "-1"], 2),
            (word([7 << 16, 0xff << 16], 4), "u16", ["7", "255"], 2),
            (word([0x3c00, 0x4000], 4), "f16", ["1.0", "2.0"], 0),
            (word([0x3f80, 0x4000], 4), "bf16", ["1.0", "2.0"], 0),
            (word([0x3ff8 << 48, 0], 8), "f64", ["1.5", "0.0"], 0),
            (word([5 << 32, 6 << 32], 8), "u32", ["5", "6"], 4),
        ] {
            let (elements, skipped) = values.as_elements(kind).unwrap();
            assert_eq!((elements.shown(), skipped), (shown.map(str::to_string), before), "{kind}");
        }
        assert_eq!(word([1, 2], 4).as_elements("f64"), None);
        assert_eq!(word([1, 2], 8).as_elements("ptr"), None);
    }
}
