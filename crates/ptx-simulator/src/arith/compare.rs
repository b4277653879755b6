//! The comparisons of `setp` and `set` (PTX ISA 9.7.6).
//!
//! Each type has a few; the others are one of them with its operands exchanged, or what it leaves out: `a >
//! b` is `b < a`, and where there is no NaN `a >= b` is what `a < b` is not.

use super::float;
use super::lanes::{Lanes, WARP, lanes, which};
use super::rounding::Format;
use super::value::Value;

/// A comparison.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The lanes of the mask for which it holds.
    holds: fn(&Lanes, &Lanes, u32) -> u32,
    exchanged: bool,
    negated: bool,
    /// It compares doubles, and the operands have this format; whether denormals are zeros.
    widens: Option<(Format, bool)>,
}

#[derive(Clone, Copy)]
enum Relation {
    Equal,
    Less,
    LessOrEqual,
    LessOrGreater,
    /// Neither is a NaN.
    Ordered,
}

impl Test {
    /// The lanes of `mask` for which it holds.
    #[inline]
    pub fn holds(&self, a: &Lanes, b: &Lanes, mask: u32) -> u32 {
        let (a, b) = if self.exchanged { (b, a) } else { (a, b) };
        let holds = match self.widens {
            None => (self.holds)(a, b, mask),
            Some((format, ftz)) => (self.holds)(&widened(a, format, ftz), &widened(b, format, ftz), mask),
        };
        if self.negated { mask & !holds } else { holds }
    }
}

#[inline(never)]
fn widened(values: &Lanes, format: Format, ftz: bool) -> Lanes {
    let mut out = [0; WARP];
    for (out, bits) in out.iter_mut().zip(values) {
        let value = format.decode(*bits);
        *out = if ftz && format.is_subnormal(value) { 0 } else { value.to_bits() };
    }
    out
}

/// `set` on two halves at once: all ones, or 1.0, in each half of the result where the comparison holds
/// there.
#[derive(Clone, Copy, Debug)]
pub struct SetHalves {
    pub test: Test,
    pub holds: u16,
}

impl SetHalves {
    pub fn apply(&self, out: &mut Lanes, source: [&Lanes; 2], mask: u32) {
        let high = source.map(|s| s.map(|bits| bits >> 16));
        let low = self.test.holds(source[0], source[1], mask);
        let high = self.test.holds(&high[0], &high[1], mask);
        let holds = |yes: u32, lane: usize| if yes >> lane & 1 == 1 { self.holds as u64 } else { 0 };
        for lane in lanes(mask) {
            out[lane] = holds(low, lane) | holds(high, lane) << 16;
        }
    }
}

macro_rules! holds {
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {{
        fn go(x: &Lanes, y: &Lanes, mask: u32) -> u32 {
            which(mask, |lane| {
                let $a = <$t>::get(x[lane]);
                let $b = <$t>::get(y[lane]);
                $e
            })
        }
        go as fn(&Lanes, &Lanes, u32) -> u32
    }};
}

/// The comparison that `compare` stands for on values of a type: `lt` and `u32`, say.
pub fn test(compare: &str, ty: &str, ftz: bool) -> Option<Test> {
    match float::format(ty) {
        Some((format, false)) => floats(compare, format, ftz),
        Some(_) => None,
        None => integers(compare, ty),
    }
}

fn integers(compare: &str, ty: &str) -> Option<Test> {
    let (equal, exchanged, negated) = match compare {
        "eq" => (true, false, false),
        "ne" => (true, false, true),
        "lt" | "lo" => (false, false, false),
        "ge" | "hs" => (false, false, true),
        "gt" | "hi" => (false, true, false),
        "le" | "ls" => (false, true, true),
        _ => return None,
    };
    let holds = match (equal, ty) {
        (true, "b16" | "u16" | "s16") => holds!(u16, |a, b| a == b),
        (true, "b32" | "u32" | "s32") => holds!(u32, |a, b| a == b),
        (true, "b64" | "u64" | "s64") => holds!(u64, |a, b| a == b),
        (false, "u16") => holds!(u16, |a, b| a < b),
        (false, "s16") => holds!(i16, |a, b| a < b),
        (false, "u32") => holds!(u32, |a, b| a < b),
        (false, "s32") => holds!(i32, |a, b| a < b),
        (false, "u64") => holds!(u64, |a, b| a < b),
        (false, "s64") => holds!(i64, |a, b| a < b),
        _ => return None,
    };
    Some(Test { holds, exchanged, negated, widens: None })
}

/// The names with a `u` also hold where a NaN leaves no order.
fn floats(compare: &str, format: Format, ftz: bool) -> Option<Test> {
    use Relation::*;
    let (relation, exchanged, negated) = match compare {
        "eq" => (Equal, false, false),
        "neu" => (Equal, false, true),
        "lt" => (Less, false, false),
        "gt" => (Less, true, false),
        "geu" => (Less, false, true),
        "leu" => (Less, true, true),
        "le" => (LessOrEqual, false, false),
        "ge" => (LessOrEqual, true, false),
        "gtu" => (LessOrEqual, false, true),
        "ltu" => (LessOrEqual, true, true),
        "ne" => (LessOrGreater, false, false),
        "equ" => (LessOrGreater, false, true),
        "num" => (Ordered, false, false),
        "nan" => (Ordered, false, true),
        _ => return None,
    };
    macro_rules! by_relation {
        ($t:ty) => {
            match relation {
                Equal => holds!($t, |a, b| a == b),
                Less => holds!($t, |a, b| a < b),
                LessOrEqual => holds!($t, |a, b| a <= b),
                LessOrGreater => holds!($t, |a, b| (a < b) | (a > b)),
                Ordered => holds!($t, |a, b| !a.is_nan() && !b.is_nan()),
            }
        };
    }
    let (holds, widens) = match (format, ftz) {
        (Format::F64 | Format::BF16, true) => return None,
        (Format::F32, false) => (by_relation!(f32), None),
        _ => (by_relation!(f64), (format != Format::F64).then_some((format, ftz))),
    };
    Some(Test { holds, exchanged, negated, widens })
}
