//! Numbers in text: `strtol`, `strtod` and their like, as C reads them.

use ptx_simulator::Kind;
use ptx_simulator::host::{Call, Given, Stop};

use super::variables::{EINVAL, ERANGE};
use crate::runtime::{Natives_, Runtime, put, text};

pub const NATIVES: &Natives_ = &[
    ("atoi", |_, call| Ok(Given::Word(integer(&text(call, call.long(0))?, 10).signed() as u32))),
    ("atol", |_, call| Ok(Given::Long(integer(&text(call, call.long(0))?, 10).signed() as u64))),
    ("atoll", |_, call| Ok(Given::Long(integer(&text(call, call.long(0))?, 10).signed() as u64))),
    ("atof", |_, call| Ok(Given::Double(float(&text(call, call.long(0))?).0))),
    ("strtol", |runtime, call| whole(runtime, call, true)),
    ("strtoll", |runtime, call| whole(runtime, call, true)),
    ("strtoul", |runtime, call| whole(runtime, call, false)),
    ("strtoull", |runtime, call| whole(runtime, call, false)),
    ("strtoimax", |runtime, call| whole(runtime, call, true)),
    ("strtoumax", |runtime, call| whole(runtime, call, false)),
    ("strtod", |runtime, call| Ok(Given::Double(floating(runtime, call)?.0))),
    ("strtold", |runtime, call| Ok(Given::Double(floating(runtime, call)?.0))),
    ("div", divide_words),
    ("ldiv", divide),
    ("lldiv", divide),
    ("imaxdiv", divide),
    ("imaxabs", |_, call| Ok(Given::Long((call.long(0) as i64).unsigned_abs()))),
    ("strtof", |runtime, call| Ok(Given::Float(floating(runtime, call)?.1))),
];

/// What the kinds of white space are in C.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A whole number at the start of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integer {
    /// Its size without sign; `None`: more than 64 bits.
    size: Option<u64>,
    is_negative: bool,
    /// How many bytes of the text it takes, with the white space before it; 0: there is none.
    pub end: usize,
}

impl Integer {
    /// As a `long`: the nearest that there is.
    pub fn signed(self) -> i64 {
        match (self.size, self.is_negative) {
            (Some(size), true) if size <= 1 << 63 => (size as i64).wrapping_neg(),
            (_, true) => i64::MIN,
            (Some(size), false) => i64::try_from(size).unwrap_or(i64::MAX),
            (None, false) => i64::MAX,
        }
    }

    /// As an `unsigned long`.
    pub fn unsigned(self) -> u64 {
        match self.size {
            Some(size) if self.is_negative => size.wrapping_neg(),
            Some(size) => size,
            None => u64::MAX,
        }
    }

    /// Whether a `long`, or an `unsigned long`, is too short for it.
    fn is_out_of_range(self, is_signed: bool) -> bool {
        let most = (1 << 63) - 1 + u64::from(self.is_negative);
        self.size.is_none_or(|size| is_signed && size > most)
    }
}

/// Reads a whole number; a base of 0 is that of the prefix.
pub fn integer(text: &[u8], base: u32) -> Integer {
    let mut at = text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len());
    let sign = text.get(at).copied().filter(|byte| matches!(byte, b'+' | b'-'));
    at += usize::from(sign.is_some());
    let digit = |at: usize, base: u32| text.get(at).and_then(|byte| char::from(*byte).to_digit(base));
    let has_prefix = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && digit(at + 2, 16).is_some();
    let base = match base {
        0 | 16 if has_prefix => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    let start = at;
    let mut size = Some(0u64);
    while let Some(digit) = digit(at, base) {
        size = size.and_then(|size| size.checked_mul(base.into())?.checked_add(digit.into()));
        at += 1;
    }
    let end = if at > start { at } else { 0 };
    Integer { size, is_negative: sign == Some(b'-'), end }
}

/// Reads a number with a fraction: as a `double`, as a `float`, and how many bytes of the text it takes.
pub fn float(text: &[u8]) -> (f64, f32, usize) {
    let start = text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len());
    let sign = text.get(start).copied().filter(|byte| matches!(byte, b'+' | b'-'));
    let unsigned = start + usize::from(sign.is_some());
    let rest = &text[unsigned..];
    let (double, single, length) =
        hexadecimal(rest).or_else(|| decimal(rest)).or_else(|| named(rest)).unwrap_or_default();
    if length == 0 {
        return (0.0, 0.0, 0);
    }
    match sign {
        Some(b'-') => (-double, -single, unsigned + length),
        _ => (double, single, unsigned + length),
    }
}

/// `12.5e-3`.
fn decimal(text: &[u8]) -> Option<(f64, f32, usize)> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut end = whole;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    }
    if end == 0 {
        return None;
    }
    end += exponent(&text[end..], b'e').1;
    let number = std::str::from_utf8(&text[..end]).ok()?;
    Some((number.parse().ok()?, number.parse().ok()?, end))
}

/// `0x1.8p3`. Digits beyond 64 bits count for nothing.
fn hexadecimal(text: &[u8]) -> Option<(f64, f32, usize)> {
    let rest = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"))?;
    let mut mantissa = 0u64;
    let mut power = 0i32;
    let mut point = None;
    let mut end = 0;
    let mut has_digit = false;
    while let Some(byte) = rest.get(end) {
        match char::from(*byte).to_digit(16) {
            Some(digit) if mantissa >> 60 == 0 => mantissa = mantissa << 4 | u64::from(digit),
            Some(_) => power = power.saturating_add(4),
            None if *byte == b'.' && point.is_none() => point = Some(end),
            None => break,
        }
        has_digit |= *byte != b'.';
        end += 1;
    }
    if !has_digit {
        return None;
    }
    let fraction = point.map_or(0, |point| end - point - 1);
    let (by, length) = exponent(&rest[end..], b'p');
    let power = power.saturating_sub(4 * fraction as i32).saturating_add(by);
    let value = libm::scalbn(mantissa as f64, power);
    Some((value, value as f32, 2 + end + length))
}

/// An exponent behind its letter, and the bytes that it takes: none if there are no digits.
fn exponent(text: &[u8], letter: u8) -> (i32, usize) {
    if text.first().map(u8::to_ascii_lowercase) != Some(letter) {
        return (0, 0);
    }
    let has_sign = matches!(text.get(1), Some(b'+' | b'-'));
    if !text.get(1 + usize::from(has_sign)).is_some_and(u8::is_ascii_digit) {
        return (0, 0);
    }
    let number = integer(&text[1..], 10);
    (number.signed().clamp(-100_000, 100_000) as i32, 1 + number.end)
}

/// `inf`, `infinity`, `nan`.
fn named(text: &[u8]) -> Option<(f64, f32, usize)> {
    let starts =
        |name: &str| text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
    let (name, value) = [("infinity", f64::INFINITY), ("inf", f64::INFINITY), ("nan", f64::NAN)]
        .into_iter()
        .find(|(name, _)| starts(name))?;
    Some((value, value as f32, name.len()))
}

/// `(text, end *, base)`
fn whole(runtime: &mut Runtime, call: &mut Call, is_signed: bool) -> Result<Given, Stop> {
    let text = text(call, call.long(0))?;
    let base = call.word(2);
    if base == 1 || base > 36 {
        runtime.set_errno(call, EINVAL)?;
        return Ok(Given::Long(0));
    }
    let number = integer(&text, base);
    give_end(call, number.end)?;
    if number.is_out_of_range(is_signed) {
        runtime.set_errno(call, ERANGE)?;
        let nearest = if is_signed { number.signed() as u64 } else { u64::MAX };
        return Ok(Given::Long(nearest));
    }
    Ok(Given::Long(if is_signed { number.signed() as u64 } else { number.unsigned() }))
}

/// `(text, end *)`
fn floating(runtime: &mut Runtime, call: &mut Call) -> Result<(f64, f32), Stop> {
    let text = text(call, call.long(0))?;
    let (double, single, end) = float(&text);
    give_end(call, end)?;
    let is_named = text[..end].iter().any(|byte| matches!(byte, b'n' | b'N'));
    if double.is_infinite() && !is_named {
        runtime.set_errno(call, ERANGE)?;
    }
    Ok((double, single))
}

/// What is said where the processor would stop the program.
fn divided_by_zero(call: &Call) -> Stop {
    call.host.fault(Kind::Trap, "a division by zero", "compare the divisor with 0 before this line").into()
}

/// `(a, b)`: quotient and rest, a structure of two `int`.
fn divide_words(_: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [a, b] = [0, 1].map(|number| call.word(number) as i32);
    if b == 0 {
        return Err(divided_by_zero(call));
    }
    let [quotient, rest] = [a.wrapping_div(b), a.wrapping_rem(b)].map(|part| u64::from(part as u32));
    Ok(Given::Long(quotient | rest << 32))
}

/// The same of `long`.
fn divide(_: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [a, b] = [0, 1].map(|number| call.long(number) as i64);
    if b == 0 {
        return Err(divided_by_zero(call));
    }
    Ok(Given::Pair([a.wrapping_div(b), a.wrapping_rem(b)].map(|part| part as u64)))
}

/// Argument 1, unless it is null, learns where the number ends.
fn give_end(call: &mut Call, end: usize) -> Result<(), Stop> {
    match call.long(1) {
        0 => Ok(()),
        to => put(call, to, &(call.long(0) + end as u64).to_le_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_end_where_c_ends_them() {
        for (text, base, value, end) in [
            (" -42abc", 10, -42, 4),
            ("0x1fg", 0, 31, 4),
            ("0x", 16, 0, 1),
            ("077", 0, 63, 3),
            ("z", 36, 35, 1),
            ("-", 10, 0, 0),
            ("99999999999999999999", 10, i64::MAX, 20),
            ("-9223372036854775808", 10, i64::MIN, 20),
        ] {
            let number = integer(text.as_bytes(), base);
            assert_eq!((number.signed(), number.end), (value, end), "{text}");
        }
        assert!(integer(b"-9223372036854775809", 10).is_out_of_range(true));
        assert!(!integer(b"-9223372036854775808", 10).is_out_of_range(true));
        assert_eq!(integer(b"-1", 10).unsigned(), u64::MAX);
    }

    #[test]
    fn numbers_with_a_fraction_end_where_c_ends_them() {
        for (text, value, end) in [
            ("  1.5e3x", 1500.0, 7),
            (".5", 0.5, 2),
            ("1e", 1.0, 1),
            ("-0x1.8p1", -3.0, 8),
            ("infinite", f64::INFINITY, 3),
            ("2.e1", 20.0, 4),
            (".", 0.0, 0),
            ("0x", 0.0, 1),
        ] {
            let (double, _, length) = float(text.as_bytes());
            assert_eq!((double, length), (value, end), "{text}");
        }
    }
}
