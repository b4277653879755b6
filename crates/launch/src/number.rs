//! Types of numbers, and numbers as people write them: plain, or as a small expression.

use anyhow::{Context, Result, bail, ensure};
use ptx_simulator::Format;
use text::arguments::number;

use super::nearest::{self, NAMES};
use super::parentheses::{outside, split};
use super::scope::Names;

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

/// Bytes of an expression, at most.
const MAX_BYTES: usize = 128;

/// The whole number that an expression spells, as C has it: numbers and names, `+`, `-`, `*`, `/`, `%`, `<<`,
/// parentheses, and the functions `max`, `min` and `ceil_div` (libcu++'s), the quotient rounded up. With
/// `(n + 4 * block - 1) / (4 * block)` blocks there is a thread for every four of `n` numbers.
pub fn expression(text: &str, names: Names) -> Option<u64> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Some((left, sign, right)) = operation(text) {
        let left = expression(left, names)?;
        let right = expression(right, names)?;
        return calculated(left, sign, right);
    }
    if let Some((function, inside)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let values: Option<Vec<u64>> = split(inside, ',').map(|part| expression(part, names)).collect();
        return applied(function.trim_end(), &values?);
    }
    let named = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    named.or_else(|| number(without_suffix(text), u64::MAX))
}

/// What is calculated last: of the operators that bind least, the one furthest to the right.
fn operation(text: &str) -> Option<(&str, char, &str)> {
    const LEVELS: [&[char]; 3] = [&['<'], &['+', '-'], &['*', '/', '%']];
    let last = |signs: &&[char]| outside(text, signs).last();
    let at = LEVELS.iter().find_map(last)?;
    let sign = text[at..].chars().next()?;
    let left = if sign == '<' { text[..at].strip_suffix('<')? } else { &text[..at] };
    Some((left, sign, &text[at + 1..]))
}

fn calculated(left: u64, sign: char, right: u64) -> Option<u64> {
    match sign {
        '+' => left.checked_add(right),
        '-' => left.checked_sub(right),
        '*' => left.checked_mul(right),
        '/' => left.checked_div(right),
        '%' => left.checked_rem(right),
        _ => left.checked_mul(2u64.checked_pow(right.try_into().ok()?)?),
    }
}

fn applied(function: &str, values: &[u64]) -> Option<u64> {
    let plain = function.rsplit("::").next().unwrap_or(function);
    match (plain, values) {
        ("", [value]) => Some(*value),
        ("max", values) => values.iter().max().copied(),
        ("min", values) => values.iter().min().copied(),
        ("ceil_div", [count, share]) if *share > 0 => Some(count.div_ceil(*share)),
        _ => None,
    }
}

/// `1000` of `1000u` and of `1000UL`.
fn without_suffix(text: &str) -> &str {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    if is_number { text.trim_end_matches(['u', 'U', 'l', 'L']) } else { text }
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
    fn expressions_are_those_of_c() {
        let names: Names = &[("n", 1000), ("block", 96)];
        for (text, value) in [
            ("n", 1000),
            ("n/block", 10),
            ("(n+block-1)/block", 11),
            ("ceil_div(n, block)", 11),
            ("cuda::ceil_div(n, 4 * block)", 3),
            ("max(7,n/block)", 10),
            ("std::min(7, n/(64*block))", 0),
            ("2*n/block*2", 40),
            ("1 << 10", 1024),
            ("1 << 2 + 1", 8),
            ("1 << 2 << 1", 8),
            ("n - 1 - 1", 998),
            ("n % block", 40),
            ("(2^10)", 1024),
            ("0x10", 16),
            ("1024u", 1024),
            ("1000UL", 1000),
        ] {
            assert_eq!(expression(text, names), Some(value), "{text}");
        }
        let deep = "(".repeat(200) + "1" + &")".repeat(200);
        for wrong in [
            "",
            "m",
            "n/0",
            "n%0",
            "n//2",
            "(n",
            "n)",
            "(n)(n)",
            "least(1,2)",
            "max()",
            "2^63*2",
            "-1",
            "1-2",
            "1<2",
            "1<<64",
            "1<<",
            "ceil_div(n)",
            "ceil_div(n,0)",
            "n+",
            "2^63+2^63",
            &deep,
        ] {
            assert_eq!(expression(wrong, names), None, "{wrong}");
        }
        assert_eq!(split("max(7,n),2,(3,4)", ',').collect::<Vec<_>>(), ["max(7,n)", "2", "(3,4)"]);
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
