//! Types of numbers, and numbers of a type as people write them: plain, or as a small expression.

use anyhow::{Context, Result, bail, ensure};
use ptx_simulator::Format;
use text::expression::{Names, expression, outside};

use super::nearest::{self, NAMES};

/// The types of numbers, with their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A whole number with a sign: `i32`.
    Signed(u32),
    /// A whole number without: `u32`.
    Unsigned(u32),
    /// `f16`, `bf16`, `f32` or `f64`.
    Float(Format),
    /// The address of a buffer: `ptr`.
    Ptr,
}

impl Type {
    /// The type with this name; the error lists them.
    pub fn parse(name: &str) -> Result<Type> {
        let is_known = NAMES.split(' ').any(|known| known == name);
        ensure!(is_known, nearest::of_type(name));
        let bits = || name[1..].parse().unwrap_or_default();
        Ok(match (Format::parse(name), &name[..1]) {
            (Some(format), _) => Type::Float(format),
            (None, "i") => Type::Signed(bits()),
            (None, "u") => Type::Unsigned(bits()),
            _ => Type::Ptr,
        })
    }

    /// `i32`
    pub fn name(self) -> &'static str {
        NAMES.split(' ').find(|name| Type::parse(name).is_ok_and(|kind| kind == self)).unwrap_or_default()
    }

    /// Bytes of one number.
    pub fn bytes(self) -> usize {
        match self {
            Type::Signed(bits) | Type::Unsigned(bits) => bits as usize / 8,
            Type::Float(format) => format.bits() as usize / 8,
            Type::Ptr => 8,
        }
    }

    /// The smallest and the largest whole number; of a float, those up to which it holds every one.
    pub fn range(self) -> (i128, i128) {
        match self {
            Type::Signed(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Type::Unsigned(bits) => (0, (1 << bits) - 1),
            Type::Float(format) => (-(1 << format.digits()), 1 << format.digits()),
            Type::Ptr => (0, u64::MAX.into()),
        }
    }

    /// The number that `text` spells, in the low bytes; a whole one may be an expression, such as
    /// `n/(4*block)`.
    pub fn number(self, text: &str, names: Names) -> Result<u64> {
        let text = text.trim();
        ensure!(
            self != Type::Ptr,
            "`{text}` is not a ptr: write @ and the name of a buffer, like @table or @0"
        );
        if let Type::Float(format) = self {
            return self.float(text, format);
        }
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (least, most) = self.range();
        // In C the sign of `-5 + 3` is that of the 5.
        let is_clear = sign > 0 || outside(digits, &['+', '-']).next().is_none();
        let number = expression(digits, names).filter(|_| is_clear).map(|n| sign * i128::from(n));
        let fitting = number.filter(|n| (least..=most).contains(n));
        fitting.map(|n| n as u64).with_context(|| {
            format!(
                "`{text}` is not a valid {}: those are whole numbers from {least} to {most}, written like 5, \
                 1_000, 0x1f, 2^4 or 1e6",
                self.name()
            )
        })
    }

    /// The bits of a decimal number, `inf`, `-inf` or `nan`. A number so large or so small that it would
    /// become infinite or zero is refused: whoever means those writes them.
    fn float(self, text: &str, format: Format) -> Result<u64> {
        let name = self.name();
        let plain = text.replace('_', "");
        let nearest = match format {
            Format::F32 => plain.parse().map(|number: f32| number.to_bits().into()),
            Format::F64 => plain.parse().map(f64::to_bits),
            _ => plain.parse().map(|number: f64| format.nearest(number)),
        };
        let bits = nearest.ok().with_context(|| {
            format!(
                "`{text}` is not a valid {name}: write a decimal number, like 1.5, -0 or 1e-3, or inf, \
                 -inf or nan"
            )
        })?;
        let number = format.decode(bits);
        if number.is_infinite() && text.bytes().any(|c| c.is_ascii_digit()) {
            bail!("`{text}` is too large for {name}; write inf if you mean infinity");
        }
        let mut digits = text.bytes().take_while(|c| !matches!(c, b'e' | b'E'));
        if number == 0.0 && digits.any(|c| matches!(c, b'1'..=b'9')) {
            bail!("`{text}` is too close to zero for {name}; write 0 if you mean zero");
        }
        Ok(bits)
    }

    /// The whole number `n`, which is in range, in the low bytes.
    pub fn of_whole(self, n: u64) -> u64 {
        if let Type::Float(format) = self { format.nearest(n as f64) } else { n }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_a_type_may_be_an_expression() {
        let names: Names = &[("n", 1000)];
        assert_eq!(Type::Unsigned(32).number("n/2", names).unwrap(), 500);
        assert_eq!(Type::Signed(32).number("-n/3", names).unwrap() as i64, -333);
        assert!(Type::Signed(32).number("-5+3", names).is_err());
    }

    #[test]
    fn every_float_of_16_bits_survives_and_others_go_to_the_nearest() {
        for format in [Format::F16, Format::BF16] {
            for bits in 0..1 << 16 {
                let number = format.decode(bits);
                let back = format.nearest(number);
                assert!(back == bits || number.is_nan() && format.decode(back).is_nan(), "{bits:#x}");
            }
        }
        for (number, bits) in
            [(1.0 + 1.0 / 2048.0, 0x3c00), (1.0 + 3.0 / 2048.0, 0x3c02), (65519.0, 0x7bff), (65520.0, 0x7c00)]
        {
            assert_eq!(Format::F16.nearest(number), bits, "{number}");
        }
        assert_eq!(Format::BF16.nearest(3.140625), 0x4049);
    }
}
