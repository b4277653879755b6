//! IEEE 754 arithmetic that rounds once, into any format and in any mode of PTX (PTX ISA 9.7.3 and 9.7.4).
//!
//! Nearest-even in single and double precision is the host's own arithmetic. Everything else is computed
//! exactly, in integers, and then rounded by one function. Values travel as `f64`, which holds every narrower
//! one exactly.

use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Mode {
    /// `rn`, `rz`, `rm`, `rp`; also their integer forms `rni`, `rzi`, `rmi`, `rpi`.
    pub fn parse(word: &str) -> Option<Mode> {
        Some(match word {
            "rn" | "rni" => Mode::Nearest,
            "rz" | "rzi" => Mode::Zero,
            "rm" | "rmi" => Mode::Down,
            "rp" | "rpi" => Mode::Up,
            _ => return None,
        })
    }
}

/// A binary format of floats, by the bits of its exponent and of its fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    exponent: u32,
    fraction: u32,
}

impl Format {
    /// Half precision.
    pub const F16: Format = Format { exponent: 5, fraction: 10 };
    /// The upper half of single precision.
    pub const BF16: Format = Format { exponent: 8, fraction: 7 };
    /// Single precision.
    pub const F32: Format = Format { exponent: 8, fraction: 23 };
    /// Double precision.
    pub const F64: Format = Format { exponent: 11, fraction: 52 };

    /// `f16`, `bf16`, `f32` or `f64`.
    pub fn parse(word: &str) -> Option<Format> {
        Some(match word {
            "f16" => Format::F16,
            "bf16" => Format::BF16,
            "f32" => Format::F32,
            "f64" => Format::F64,
            _ => return None,
        })
    }

    /// Of a number.
    pub fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// Binary digits that a normal number keeps, the first one included.
    pub fn digits(self) -> u32 {
        self.fraction + 1
    }

    /// Exponents of the largest and of the smallest normal number.
    fn most(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn least(self) -> i32 {
        1 - self.most()
    }

    fn largest(self) -> f64 {
        ((1u64 << (self.fraction + 1)) - 1) as f64 * power(self.most() - self.fraction as i32)
    }

    /// Whether a value is below the smallest normal number.
    pub fn is_subnormal(self, a: f64) -> bool {
        a != 0.0 && a.abs() < power(self.least())
    }

    /// A NaN of this format in another: same sign, and the fraction from its top down.
    pub fn widen_nan(self, bits: u64, to: Format) -> u64 {
        let sign = bits >> (self.bits() - 1) & 1;
        let fraction = (bits & ((1 << self.fraction) - 1)) << (64 - self.fraction) >> (64 - to.fraction);
        let quiet = 1 << (to.fraction - 1);
        sign << (to.bits() - 1) | ((1 << to.exponent) - 1) << to.fraction | fraction | quiet
    }

    /// The value of a bit pattern.
    pub fn decode(self, bits: u64) -> f64 {
        match self {
            Format::F32 => f32::from_bits(bits as u32) as f64,
            Format::F64 => f64::from_bits(bits),
            _ => {
                let sign = if bits >> (self.bits() - 1) & 1 == 1 { -1.0 } else { 1.0 };
                let field = (bits >> self.fraction) as i32 & ((1 << self.exponent) - 1);
                let fraction = bits & ((1 << self.fraction) - 1);
                if field == (1 << self.exponent) - 1 {
                    return if fraction == 0 { sign * f64::INFINITY } else { f64::NAN };
                }
                let hidden = if field == 0 { 0 } else { 1 << self.fraction };
                sign * (fraction | hidden) as f64 * power(field.max(1) - self.most() - self.fraction as i32)
            }
        }
    }

    /// The bit pattern of the value of this format that is nearest to `a`, the even one of two.
    pub fn nearest(self, a: f64) -> u64 {
        self.encode(narrow(a, self, Mode::Nearest))
    }

    /// The bit pattern of a value of this format; a NaN becomes the one that NVIDIA's arithmetic makes.
    pub fn encode(self, a: f64) -> u64 {
        match self {
            Format::F32 if a.is_nan() => 0x7fff_ffff,
            Format::F64 if a.is_nan() => 0xfff8_0000_0000_0000,
            _ if a.is_nan() => 0x7fff,
            Format::F32 => (a as f32).to_bits() as u64,
            Format::F64 => a.to_bits(),
            _ => {
                let sign = (a.is_sign_negative() as u64) << (self.bits() - 1);
                let magnitude = if a.is_infinite() {
                    ((1 << self.exponent) - 1) << self.fraction
                } else if a.abs() < power(self.least()) {
                    (a.abs() / power(self.least() - self.fraction as i32)) as u64
                } else {
                    // Exponent and fraction stand side by side in both formats; only the bias differs.
                    (a.abs().to_bits() >> (52 - self.fraction))
                        - (((Format::F64.most() - self.most()) as u64) << self.fraction)
                };
                sign | magnitude
            }
        }
    }
}

/// 2^exponent, for what a `f64` can hold.
fn power(exponent: i32) -> f64 {
    if exponent < -1022 {
        f64::from_bits(1 << (exponent + 1074))
    } else {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    }
}

/// `magnitude` * 2^`exponent`, and where there is `more`, a part of one unit of the magnitude on top.
#[derive(Clone, Copy, Debug)]
struct Exact {
    negative: bool,
    magnitude: u128,
    exponent: i32,
    more: bool,
}

impl Exact {
    /// A finite value.
    fn of(a: f64) -> Exact {
        let bits = a.to_bits();
        let field = (bits >> 52) as i32 & 0x7ff;
        let hidden = if field == 0 { 0 } else { 1 << 52 };
        let magnitude = (bits & ((1 << 52) - 1) | hidden) as u128;
        Exact { negative: a.is_sign_negative(), magnitude, exponent: field.max(1) - 1075, more: false }
    }

    /// Exponent of the highest bit.
    fn top(self) -> i32 {
        self.exponent + 127 - self.magnitude.leading_zeros() as i32
    }

    fn times(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            magnitude: self.magnitude * other.magnitude,
            exponent: self.exponent + other.exponent,
            more: false,
        }
    }

    /// The larger is moved up to bit 126. What the smaller loses below bit 0 is then far from where any
    /// format rounds, even after cancellation, so that it is enough to know that there is more.
    fn plus(self, other: Exact) -> Exact {
        if self.magnitude == 0 || other.magnitude == 0 {
            return if self.magnitude == 0 { other } else { self };
        }
        let (mut large, mut small) = if self.top() >= other.top() { (self, other) } else { (other, self) };
        let room = large.magnitude.leading_zeros() - 1;
        large.magnitude <<= room;
        large.exponent -= room as i32;
        let down = large.exponent - small.exponent;
        if down <= 0 {
            small.magnitude <<= -down;
        } else {
            let kept = small.magnitude.checked_shr(down as u32).unwrap_or(0);
            large.more = kept.checked_shl(down as u32).unwrap_or(0) != small.magnitude;
            small.magnitude = kept;
        }
        if large.negative == small.negative {
            large.magnitude += small.magnitude;
        } else if small.magnitude > large.magnitude {
            large.magnitude = small.magnitude - large.magnitude;
            large.negative = small.negative;
        } else {
            large.magnitude -= small.magnitude + large.more as u128;
        }
        large
    }

    /// Rounds a value other than zero.
    fn round(self, to: Format, mode: Mode) -> f64 {
        let unit = self.top().max(to.least()) - to.fraction as i32;
        let down = unit - self.exponent;
        let (kept, rest) = if down <= 0 {
            (self.magnitude << -down, Ordering::Less)
        } else {
            let kept = self.magnitude.checked_shr(down as u32).unwrap_or(0);
            let lost = self.magnitude - kept.checked_shl(down as u32).unwrap_or(0);
            let half = 1u128.checked_shl(down as u32 - 1);
            (kept, half.map_or(Ordering::Less, |half| lost.cmp(&half)))
        };
        let exact = !self.more && (down <= 0 || kept.checked_shl(down as u32) == Some(self.magnitude));
        let up = match (mode, rest) {
            (Mode::Nearest, Ordering::Equal) => self.more || kept & 1 == 1,
            (Mode::Nearest, rest) => rest == Ordering::Greater,
            (Mode::Zero, _) => false,
            (Mode::Down, _) => self.negative && !exact,
            (Mode::Up, _) => !self.negative && !exact,
        };
        let kept = kept + up as u128;
        let value = if unit + 127 - kept.leading_zeros() as i32 > to.most() {
            let away = match mode {
                Mode::Nearest => true,
                Mode::Zero => false,
                Mode::Down => self.negative,
                Mode::Up => !self.negative,
            };
            if away { f64::INFINITY } else { to.largest() }
        } else {
            kept as f64 * power(unit)
        };
        if self.negative { -value } else { value }
    }
}

fn finite(values: &[f64]) -> bool {
    values.iter().all(|a| a.is_finite())
}

/// `a * b + c`; the operands are values of the format.
pub fn fma(a: f64, b: f64, c: f64, to: Format, mode: Mode) -> f64 {
    match (to, mode) {
        (Format::F32, Mode::Nearest) => return (a as f32).mul_add(b as f32, c as f32) as f64,
        (Format::F64, Mode::Nearest) => return a.mul_add(b, c),
        _ if !finite(&[a, b, c]) => return a.mul_add(b, c),
        _ => {}
    }
    let (product, c) = (Exact::of(a).times(Exact::of(b)), Exact::of(c));
    let sum = product.plus(c);
    if sum.magnitude == 0 && !sum.more {
        // Opposite signs cancel to +0, or to -0 when rounding down (IEEE 754, 6.3).
        let negative = if product.negative == c.negative { c.negative } else { mode == Mode::Down };
        return if negative { -0.0 } else { 0.0 };
    }
    sum.round(to, mode)
}

pub fn add(a: f64, b: f64, to: Format, mode: Mode) -> f64 {
    match (to, mode) {
        (Format::F32, Mode::Nearest) => (a as f32 + b as f32) as f64,
        (Format::F64, Mode::Nearest) => a + b,
        _ => fma(a, 1.0, b, to, mode),
    }
}

pub fn mul(a: f64, b: f64, to: Format, mode: Mode) -> f64 {
    match (to, mode) {
        (Format::F32, Mode::Nearest) => (a as f32 * b as f32) as f64,
        (Format::F64, Mode::Nearest) => a * b,
        _ if !finite(&[a, b]) || a == 0.0 || b == 0.0 => a * b,
        _ => Exact::of(a).times(Exact::of(b)).round(to, mode),
    }
}

pub fn div(a: f64, b: f64, to: Format, mode: Mode) -> f64 {
    match (to, mode) {
        (Format::F32, Mode::Nearest) => return (a as f32 / b as f32) as f64,
        (Format::F64, Mode::Nearest) => return a / b,
        _ if !finite(&[a, b]) || a == 0.0 || b == 0.0 => return a / b,
        _ => {}
    }
    let (a, b) = (Exact::of(a), Exact::of(b));
    // The dividend is moved up, so that the quotient has more bits than any format keeps.
    let room = a.magnitude.leading_zeros();
    let dividend = a.magnitude << room;
    let quotient = Exact {
        negative: a.negative != b.negative,
        magnitude: dividend / b.magnitude,
        exponent: a.exponent - room as i32 - b.exponent,
        more: dividend % b.magnitude != 0,
    };
    quotient.round(to, mode)
}

pub fn sqrt(a: f64, to: Format, mode: Mode) -> f64 {
    match (to, mode) {
        (Format::F32, Mode::Nearest) => return (a as f32).sqrt() as f64,
        (Format::F64, Mode::Nearest) => return a.sqrt(),
        _ if !a.is_finite() || a <= 0.0 => return a.sqrt(),
        _ => {}
    }
    let a = Exact::of(a);
    // An even exponent halves; the root of 126 or 127 bits has 63 or 64.
    let mut room = a.magnitude.leading_zeros() as i32 - 1;
    room -= (a.exponent - room) & 1;
    let square = a.magnitude << room;
    let root = square.isqrt();
    Exact { negative: false, magnitude: root, exponent: (a.exponent - room) / 2, more: root * root != square }
        .round(to, mode)
}

/// A value in a narrower format.
pub fn narrow(a: f64, to: Format, mode: Mode) -> f64 {
    match (to, mode) {
        (Format::F64, _) => a,
        (Format::F32, Mode::Nearest) => a as f32 as f64,
        _ if !a.is_finite() || a == 0.0 => a,
        _ => Exact::of(a).round(to, mode),
    }
}

/// An integer, up to 64 bits of either sign.
pub fn from_int(a: i128, to: Format, mode: Mode) -> f64 {
    match (to, mode) {
        (Format::F32, Mode::Nearest) => a as f32 as f64,
        (Format::F64, Mode::Nearest) => a as f64,
        _ if a == 0 => 0.0,
        _ => Exact { negative: a < 0, magnitude: a.unsigned_abs(), exponent: 0, more: false }.round(to, mode),
    }
}

/// Rounds to an integral value.
pub fn integral(a: f64, mode: Mode) -> f64 {
    match mode {
        Mode::Nearest => a.round_ties_even(),
        Mode::Zero => a.trunc(),
        Mode::Down => a.floor(),
        Mode::Up => a.ceil(),
    }
}

/// Bits below the highest exponent of all terms that tensor cores keep of each: two more than single
/// precision has.
const KEPT_BELOW: i32 = 25;

/// `c` plus the sum of all products of two factors, as the tensor cores of an H200 add (PTX leaves the order
/// and the precision open, 9.7.14): each term, `c` as well, is cut off at the same place, which the largest
/// exponent gives; that of a product is the sum of its factors' exponents. What is left is added exactly. The
/// sum is cut off once more for single precision, and rounded to the nearest half.
pub fn sum_of_products((c, of_c): (f64, Format), (factors, of): (&[(f64, f64)], Format), to: Format) -> f64 {
    let products = factors.iter().map(|(a, b)| a * b);
    if !c.is_finite() || !factors.iter().all(|(a, b)| finite(&[*a, *b])) {
        return products.fold(c, |sum, product| sum + product);
    }
    let exponent = |a: f64, of: Format| Exact::of(a).top().max(of.least());
    let mut tops = factors
        .iter()
        .filter(|(a, b)| a * b != 0.0)
        .map(|(a, b)| exponent(*a, of) + exponent(*b, of))
        .chain((c != 0.0).then(|| exponent(c, of_c)));
    let Some(first) = tops.next() else { return 0.0 };
    let unit = tops.fold(first, i32::max) - KEPT_BELOW;
    let sum: f64 = products.chain([c]).map(|term| (term * power(-unit)).trunc()).sum();
    let value = sum * power(unit);
    match to {
        _ if sum == 0.0 => 0.0,
        Format::F32 if value.abs() >= power(Format::F32.most() + 1) => value * f64::INFINITY,
        Format::F32 => narrow(value, to, Mode::Zero),
        _ => narrow(value, to, Mode::Nearest),
    }
}
