//! The video instructions: parts of registers are added, compared and so on, clamped, and combined with a
//! third operand (PTX ISA, "Video Instructions").
//!
//! Scalar ones with `.sat`, with a part of `d` as the destination, minima and maxima of `vset`, and a shifted
//! `vmad` of unsigned numbers are not known: there ptxas and an H200 do something else than the ISA says
//! (`vadd.u32.u32.u32.sat` does not saturate, `d.h1` takes the upper half of the result).

use super::lanes::{Lanes, lanes};

/// How the third operand comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Second {
    /// Where there is no result; not at all for one result.
    Merge,
    Add,
    Min,
    Max,
}

/// Parts of `b:a`: where each starts, and how wide they are, in bits.
#[derive(Clone, Copy, Debug)]
struct Parts {
    starts: [u8; 4],
    width: u8,
    signed: bool,
}

impl Parts {
    fn get(self, number: usize, joined: u64) -> i64 {
        let up = 64 - u32::from(self.width);
        let bits = joined >> self.starts[number] << up;
        if self.signed { bits as i64 >> up } else { (bits >> up) as i64 }
    }
}

/// What a video instruction computes.
#[derive(Clone, Copy, Debug)]
pub struct Video {
    of: fn(i64, i64) -> i64,
    /// `vmad`: whether one is added to `a * b + c`, and by how much that is shifted right.
    multiply_add: Option<(bool, u8)>,
    /// Results in one register: 1, 2 halves or 4 bytes. `d` says where they go, and `mask` which do.
    count: u8,
    mask: u8,
    a: Parts,
    b: Parts,
    d: Parts,
    saturates: bool,
    second: Second,
}

impl Video {
    /// The instruction that `words` spell, with the selectors behind `d`, `a` and `b` (empty without one),
    /// and how many sources it has.
    pub fn parse(words: &[&str], [d, a, b]: [&str; 3]) -> Option<(Video, usize)> {
        let name = words.first()?.trim_end_matches(['2', '4']);
        let count: u8 = words[0][name.len()..].parse().unwrap_or(1);
        // A comparison gives an unsigned 0 or 1.
        let (types, mut rest) = match name {
            "vset" => (["u32", words.get(1)?, words.get(2)?], words.get(3..)?),
            _ => ([*words.get(1)?, words.get(2)?, words.get(3)?], words.get(4..)?),
        };
        let saturates = rest.first() == Some(&"sat");
        rest = &rest[usize::from(saturates)..];
        let mut take = |known: &[&str]| {
            let word = rest.first().copied().filter(|word| known.contains(word))?;
            rest = &rest[1..];
            Some(word)
        };
        let mut multiply_add = None;
        let of: fn(i64, i64) -> i64 = match (name, count) {
            ("vadd", _) => |a, b| a + b,
            ("vsub", _) => |a, b| a - b,
            ("vabsdiff", _) => |a, b| (a - b).abs(),
            ("vmin", _) => |a, b| a.min(b),
            ("vmax", _) => |a, b| a.max(b),
            ("vavrg", 2 | 4) => |a, b| (a + b + i64::from(a + b >= 0)) >> 1,
            // Beyond 32 the shift is clamped, or wraps.
            ("vshl", 1) => match take(&["clamp", "wrap"])? {
                "wrap" => |a, b| a << (b & 31),
                _ => |a, b| a << b.clamp(0, 32),
            },
            ("vshr", 1) => match take(&["clamp", "wrap"])? {
                "wrap" => |a, b| a >> (b & 31),
                _ => |a, b| a >> b.clamp(0, 32),
            },
            ("vmad", 1) => {
                let plus = take(&["po"]).is_some();
                let shift = take(&["shr7", "shr15"]).map_or(0, |word| if word == "shr7" { 7 } else { 15 });
                multiply_add = Some((plus, shift));
                |a, b| a * b
            }
            ("vset", _) if !saturates => match take(&["eq", "ne", "lt", "le", "gt", "ge"])? {
                "eq" => |a, b| (a == b).into(),
                "ne" => |a, b| (a != b).into(),
                "lt" => |a, b| (a < b).into(),
                "le" => |a, b| (a <= b).into(),
                "gt" => |a, b| (a > b).into(),
                _ => |a, b| (a >= b).into(),
            },
            _ => return None,
        };
        let second = match take(if count == 1 { &["add", "min", "max"] } else { &["add"] }) {
            _ if multiply_add.is_some() => Second::Add,
            Some("add") => Second::Add,
            Some("min") => Second::Min,
            Some("max") => Second::Max,
            _ => Second::Merge,
        };
        let is_set = name == "vset";
        let shifts = matches!(multiply_add, Some((_, 7..))) && types[1..] == ["u32", "u32"];
        let differs = count == 1 && (saturates || !d.is_empty() || shifts || is_set && second > Second::Add);
        if !rest.is_empty() || differs || saturates && second == Second::Add {
            return None;
        }
        let [of_d, of_a, of_b] = types.map(|ty| match ty {
            "u32" => Some(false),
            "s32" => Some(true),
            _ => None,
        });
        let sources = if count > 1 || second != Second::Merge { 3 } else { 2 };
        let part = |selector: &str, from: u8, signed| match count {
            1 => one(selector, from, signed),
            _ => some(selector, count, from, signed),
        };
        let d_parts = some("", count, 0, of_d?)?;
        let (mask, d) = if count == 1 { (1, d_parts) } else { (mask(d, count)?, d_parts) };
        let (a, b) = (part(a, 0, of_a?)?, part(b, 32, of_b?)?);
        Some((Video { of, multiply_add, count, mask, a, b, d, saturates, second }, sources))
    }

    pub fn apply(self, out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
        for lane in lanes(mask) {
            let [a, b, c] = [source[0], source[1], source[2]].map(|source| source[lane] as u32);
            out[lane] = self.lane(a, b, c).into();
        }
    }

    fn lane(self, a: u32, b: u32, c: u32) -> u32 {
        let joined = u64::from(b) << 32 | u64::from(a);
        if let Some((plus, shift)) = self.multiply_add {
            return self.multiply_add(joined, c, plus, shift);
        }
        let results = (0..usize::from(self.count)).map(|number| {
            let value = (self.of)(self.a.get(number, joined), self.b.get(number, joined));
            (number, if self.saturates { self.clamp(value) } else { value })
        });
        let chosen = |number: usize| self.mask >> number & 1 == 1;
        let of_c = if self.d.signed { i64::from(c as i32) } else { i64::from(c) };
        let all = match self.second {
            Second::Add => {
                results.fold(of_c, |sum, (number, value)| sum + if chosen(number) { value } else { 0 })
            }
            Second::Min => results.fold(of_c, |least, (_, value)| least.min(wrapped(value, self.d.signed))),
            Second::Max => results.fold(of_c, |most, (_, value)| most.max(wrapped(value, self.d.signed))),
            Second::Merge => {
                let keep = u64::MAX >> (64 - u32::from(self.d.width));
                results.filter(|(number, _)| chosen(*number)).fold(i64::from(c), |all, (number, value)| {
                    let start = self.d.starts[number];
                    (all as u64 & !(keep << start) | (value as u64 & keep) << start) as i64
                })
            }
        };
        all as u32
    }

    /// The nearest value that the result's part can hold.
    fn clamp(self, value: i64) -> i64 {
        let width = u32::from(self.d.width);
        if self.d.signed {
            value.clamp(-1 << (width - 1), (1 << (width - 1)) - 1)
        } else {
            value.clamp(0, (1 << width) - 1)
        }
    }

    fn multiply_add(self, joined: u64, c: u32, plus: bool, shift: u8) -> u32 {
        let signed = self.a.signed || self.b.signed;
        let c = if signed { i128::from(c as i32) } else { i128::from(c) };
        let product = i128::from(self.a.get(0, joined)) * i128::from(self.b.get(0, joined));
        ((product + c + i128::from(plus)) >> shift) as u32
    }
}

/// 32 bits as a signed or unsigned number.
fn wrapped(value: i64, signed: bool) -> i64 {
    if signed { i64::from(value as i32) } else { i64::from(value as u32) }
}

/// A byte, a half or all of a register that starts at bit `from`.
fn one(selector: &str, from: u8, signed: bool) -> Option<Parts> {
    let (start, width) = match selector {
        "" => (0, 32),
        "b0" => (0, 8),
        "b1" => (8, 8),
        "b2" => (16, 8),
        "b3" => (24, 8),
        "h0" => (0, 16),
        "h1" => (16, 16),
        _ => return None,
    };
    Some(Parts { starts: [from + start; 4], width, signed })
}

/// As many bytes or halves of two registers, the last named first; unless they are named, those that start at
/// bit `from`.
fn some(selector: &str, count: u8, from: u8, signed: bool) -> Option<Parts> {
    let width = 32 / count;
    let mut starts = [0, 1, 2, 3].map(|number| number % count * width + from);
    if !selector.is_empty() {
        let numbers = selector.strip_prefix(if count == 2 { 'h' } else { 'b' })?;
        if numbers.len() != usize::from(count) {
            return None;
        }
        for (start, number) in starts.iter_mut().zip(numbers.bytes().rev()) {
            *start = number.checked_sub(b'0').filter(|number| *number < 2 * count)? * width;
        }
    }
    Some(Parts { starts, width, signed })
}

/// Which results are kept.
fn mask(selector: &str, count: u8) -> Option<u8> {
    if selector.is_empty() {
        return Some((1 << count) - 1);
    }
    let numbers = selector.strip_prefix(if count == 2 { 'h' } else { 'b' })?;
    numbers.bytes().try_fold(0, |mask, number| {
        Some(mask | 1 << number.checked_sub(b'0').filter(|number| *number < count)?)
    })
}
