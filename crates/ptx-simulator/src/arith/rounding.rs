//! IEEE 754 arithmetic that rounds once, into any format and in any mode of PTX (PTX ISA 9.7.3 and 9.7.4).
//!
//! Nearest-even in single and double precision is the host's own arithmetic, except for the fused
//! multiply-add, which hosts take from their C libraries. Everything else is computed
//! exactly, in integers, and then rounded by one function. Values travel as `f64`, which holds every narrower
//! one exactly.

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

/// Whether each of an instruction's options says something: none stands twice, and at most one rounds.
pub fn all_count(options: &[&str]) -> bool {
    let repeated = (1..options.len()).any(|place| options[..place].contains(&options[place]));
    let roundings = options.iter().filter(|word| Mode::parse(word).is_some()).count();
    !repeated && roundings <= 1
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

/// `value` * 2^`exponent`. Where bits below the lowest have been lost, that one is set: it is far from where
/// any format rounds, so that it is enough to know that there is more.
#[derive(Clone, Copy, Debug)]
struct Exact {
    value: i128,
    exponent: i32,
}

impl Exact {
    /// A finite value.
    fn of(a: f64) -> Exact {
        let bits = a.to_bits();
        let field = (bits >> 52) as i32 & 0x7ff;
        let hidden = if field == 0 { 0 } else { 1 << 52 };
        let magnitude = (bits & ((1 << 52) - 1) | hidden) as i128;
        Exact { value: if a < 0.0 { -magnitude } else { magnitude }, exponent: field.max(1) - 1075 }
    }

    /// Exponent of the highest bit.
    fn top(self) -> i32 {
        self.exponent + 127 - self.value.unsigned_abs().leading_zeros() as i32
    }

    /// The value in units of 2^`exponent`.
    fn at(self, exponent: i32) -> i128 {
        let down = (exponent - self.exponent).min(127);
        if down <= 0 {
            return self.value << -down;
        }
        let kept = self.value >> down;
        kept | (kept << down != self.value) as i128
    }

    fn times(self, other: Exact) -> Exact {
        Exact { value: self.value * other.value, exponent: self.exponent + other.exponent }
    }

    fn plus(self, other: Exact) -> Exact {
        match (self.value, other.value) {
            (0, _) => other,
            (_, 0) => self,
            _ => {
                let exponent = self.top().max(other.top()) - 125;
                Exact { value: self.at(exponent) + other.at(exponent), exponent }
            }
        }
    }

    fn over(self, other: Exact) -> Exact {
        // The dividend is moved up, so that the quotient has more bits than any format keeps.
        let room = self.value.unsigned_abs().leading_zeros() - 1;
        let dividend = (self.value << room).abs();
        let divisor = other.value.abs();
        let quotient = (dividend / divisor) | (dividend % divisor != 0) as i128;
        let sign = self.value.signum() * other.value.signum();
        Exact { value: sign * quotient, exponent: self.exponent - room as i32 - other.exponent }
    }

    fn root(self) -> Exact {
        // An even exponent halves; the root of 126 or 127 bits has 63 or 64.
        let mut room = self.value.leading_zeros() as i32 - 1;
        room -= (self.exponent - room) & 1;
        let square = self.value << room;
        let root = square.isqrt();
        Exact { value: root | (root * root != square) as i128, exponent: (self.exponent - room) / 2 }
    }

    /// Rounds a value other than zero.
    fn round(self, to: Format, mode: Mode) -> f64 {
        let unit = self.top().max(to.least()) - to.fraction as i32;
        // In quarters: a half, and whether there is more.
        let quarters = self.at(unit - 2);
        let below = (quarters >> 2) as i64;
        let rest = quarters & 3;
        let is_negative = self.value < 0;
        let up = match mode {
            Mode::Nearest => rest == 3 || rest == 2 && below & 1 == 1,
            Mode::Zero => is_negative && rest != 0,
            Mode::Down => false,
            Mode::Up => rest != 0,
        };
        let size = ((below + up as i64) as f64 * power(unit.min(1023))).abs();
        let stays = mode == Mode::Zero || mode == if is_negative { Mode::Up } else { Mode::Down };
        let size = if size <= to.largest() {
            size
        } else if stays {
            to.largest()
        } else {
            f64::INFINITY
        };
        if is_negative { -size } else { size }
    }
}

/// The host's `nearest` result, or the `exact` one in another mode, which can only be had of operands that
/// are finite and not zero. Rounded once more to a narrower format the nearest is still the nearest, since
/// double precision has two bits more than twice as many as that has (Figueroa, "When is double rounding
/// innocuous?").
fn rounded(nearest: f64, operands: &[f64], exact: impl FnOnce() -> Exact, (to, mode): (Format, Mode)) -> f64 {
    let is_exact = mode != Mode::Nearest && operands.iter().all(|a| a.is_finite() && *a != 0.0);
    if is_exact { exact().round(to, mode) } else { narrow(nearest, to, Mode::Nearest) }
}

/// `a * b + c` of single precision, rounded once to nearest-even: the same bits on every platform, whose C
/// libraries' `fmaf` are not all right (mingw's is not).
pub fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    // Exact: 24 and 24 digits are 48.
    let product = f64::from(a) * f64::from(b);
    let addend = f64::from(c);
    let sum = product + addend;
    if !sum.is_finite() {
        return sum as f32;
    }
    // What the sum has lost (Knuth's two-sum). If it has lost something, its last digit is made odd: then
    // rounding to single precision rounds as if from the exact sum (Boldo and Melquiond, "Emulation of FMA
    // and correctly rounded sums: proved algorithms using rounding to odd", 2008).
    let of_addend = sum - product;
    let lost = (product - (sum - of_addend)) + (addend - of_addend);
    if lost == 0.0 || sum.to_bits() & 1 == 1 {
        return sum as f32;
    }
    let is_outward = (lost > 0.0) == (sum > 0.0);
    let odd = if is_outward { sum.to_bits() + 1 } else { sum.to_bits() - 1 };
    f64::from_bits(odd) as f32
}

/// [`fma_f32`] of double precision.
pub fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
    fma(a, b, c, Format::F64, Mode::Nearest)
}

/// `a * b + c`; the operands are values of the format.
pub fn fma(a: f64, b: f64, c: f64, to: Format, mode: Mode) -> f64 {
    if (to, mode) == (Format::F32, Mode::Nearest) {
        return f64::from(fma_f32(a as f32, b as f32, c as f32));
    }
    if ![a, b, c].iter().all(|a| a.is_finite()) {
        // An infinity or a NaN, which no rounding changes. A finite product may overflow to an infinity here,
        // but then `c` is the one that counts.
        return if a.is_finite() && b.is_finite() { c } else { a * b + c };
    }
    let sum = Exact::of(a).times(Exact::of(b)).plus(Exact::of(c));
    if sum.value != 0 {
        return sum.round(to, mode);
    }
    // Opposite signs cancel to +0, or to -0 when rounding down (IEEE 754, 6.3).
    let alike = (a * b).is_sign_negative() == c.is_sign_negative();
    let negative = if alike { c.is_sign_negative() } else { mode == Mode::Down };
    if negative { -0.0 } else { 0.0 }
}

pub fn add(a: f64, b: f64, to: Format, mode: Mode) -> f64 {
    if mode == Mode::Nearest { narrow(a + b, to, mode) } else { fma(a, 1.0, b, to, mode) }
}

pub fn mul(a: f64, b: f64, to: Format, mode: Mode) -> f64 {
    rounded(a * b, &[a, b], || Exact::of(a).times(Exact::of(b)), (to, mode))
}

pub fn div(a: f64, b: f64, to: Format, mode: Mode) -> f64 {
    rounded(a / b, &[a, b], || Exact::of(a).over(Exact::of(b)), (to, mode))
}

pub fn sqrt(a: f64, to: Format, mode: Mode) -> f64 {
    rounded(a.sqrt(), &[a.sqrt()], || Exact::of(a).root(), (to, mode))
}

/// Rounds to a format, one that holds fewer values.
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
    if a == 0 { 0.0 } else { Exact { value: a, exponent: 0 }.round(to, mode) }
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
    if !c.is_finite() || !factors.iter().all(|(a, b)| a.is_finite() && b.is_finite()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// xorshift64 (Marsaglia 2003).
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// By the exact product and sum.
    fn exact(a: f64, b: f64, c: f64, to: Format) -> f64 {
        let sum = Exact::of(a).times(Exact::of(b)).plus(Exact::of(c));
        if sum.value == 0 { 0.0 } else { sum.round(to, Mode::Nearest) }
    }

    #[test]
    fn a_fused_multiply_add_rounds_once() {
        let mut state = 88_172_645_463_325_252;
        for number in 0..300_000 {
            // Exponents near each other, so that the last digits of the product meet those of the addend.
            let float = |bits: u64, spread: u32| {
                let exponent = 127 - spread / 2 + (bits >> 40) as u32 % spread;
                f32::from_bits((bits as u32 & 0x807f_ffff) | exponent << 23)
            };
            let a = float(random(&mut state), 8);
            let b = float(random(&mut state), 8);
            let c = float(random(&mut state), if number % 2 == 0 { 40 } else { 252 });
            let expected = exact(a.into(), b.into(), c.into(), Format::F32) as f32;
            assert_eq!(fma_f32(a, b, c).to_bits(), expected.to_bits(), "{a:e} * {b:e} + {c:e}");
        }
    }

    #[test]
    fn a_fused_multiply_add_at_the_edges() {
        let e = f32::EPSILON;
        for (a, b, c, expected) in [
            // Rounding the product first would lose the last term, and double precision alone the tie.
            (1.0 + e, 1.0 + e, -1.0 - 2.0 * e, e * e),
            (1.0 + e, 1.0 - e / 2.0, 0.0, 1.0),
            (1.0 + 2.0 * e, 1.0 + e, 2f32.powi(60), 2f32.powi(60)),
            (2f32.powi(-75), 2f32.powi(-75), f32::from_bits(1), f32::from_bits(2)),
            (2f32.powi(-75), 2f32.powi(-75), 0.0, 0.0),
            (1.5, 2f32.powi(-149), 0.0, f32::from_bits(2)),
            (f32::MAX, 2.0, f32::NEG_INFINITY, f32::NEG_INFINITY),
            (f32::MAX, 2.0, -f32::MAX, f32::MAX),
            (f32::MAX, 1.0, f32::MAX, f32::INFINITY),
            (-0.0, 1.0, -0.0, -0.0),
            (-1.0, 1.0, 1.0, 0.0),
        ] {
            assert_eq!(fma_f32(a, b, c).to_bits(), expected.to_bits(), "{a:e} * {b:e} + {c:e}");
        }
        assert!(fma_f32(f32::INFINITY, 0.0, 1.0).is_nan());
        for (a, b, c, expected) in [
            (f64::MAX, 2.0, -f64::MAX, f64::MAX),
            (f64::MAX, 2.0, f64::NEG_INFINITY, f64::NEG_INFINITY),
            (1.0 + f64::EPSILON, 1.0 + f64::EPSILON, -1.0 - 2.0 * f64::EPSILON, f64::EPSILON * f64::EPSILON),
            (f64::from_bits(1), 0.5, 0.0, 0.0),
            (f64::from_bits(3), 0.5, 0.0, f64::from_bits(2)),
            (-0.0, 1.0, -0.0, -0.0),
        ] {
            assert_eq!(fma_f64(a, b, c).to_bits(), expected.to_bits(), "{a:e} * {b:e} + {c:e}");
        }
        assert!(fma_f64(f64::NAN, 1.0, f64::INFINITY).is_nan());
    }

    /// glibc's are right; so this shows that ours are, in double precision too.
    #[cfg(target_os = "linux")]
    #[test]
    fn fused_multiply_adds_are_those_of_glibc() {
        let mut state = 1;
        for _ in 0..300_000 {
            let [a, b, c] = [(); 3].map(|()| f64::from_bits(random(&mut state)));
            let same = fma_f64(a, b, c).to_bits() == a.mul_add(b, c).to_bits();
            assert!(same || a.mul_add(b, c).is_nan(), "{a:e} * {b:e} + {c:e}");
            let near = [a, b, c].map(|x| f64::from_bits(x.to_bits() >> 12 | 1023 << 52));
            let [a, b, c] = [near[0], -near[1], near[2] * 2.0];
            assert_eq!(fma_f64(a, b, c).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
            let [a, b, c] = [(); 3].map(|()| f32::from_bits(random(&mut state) as u32));
            let same = fma_f32(a, b, c).to_bits() == a.mul_add(b, c).to_bits();
            assert!(same || a.mul_add(b, c).is_nan(), "{a:e} * {b:e} + {c:e}");
        }
    }
}
