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
    /// Whether it holds.
    holds: Holds,
    exchanged: bool,
    negated: bool,
    /// It compares doubles, and the operands have this format; whether denormals are zeros.
    widens: Option<(Format, bool)>,
}

/// A comparison of two registers as they are.
#[derive(Clone, Copy)]
pub struct Plain {
    pub holds: fn(u64, u64) -> bool,
    /// Whether they are exchanged first, and the result negated.
    pub exchanged: bool,
    pub negated: bool,
}

/// Whether a comparison holds: for one lane, and for which lanes of a mask.
#[derive(Clone, Copy, Debug)]
struct Holds {
    one: fn(u64, u64) -> bool,
    all: fn(&Lanes, &Lanes, u32) -> u32,
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
            None => (self.holds.all)(a, b, mask),
            Some((format, ftz)) => (self.holds.all)(&widened(a, format, ftz), &widened(b, format, ftz), mask),
        };
        if self.negated { mask & !holds } else { holds }
    }

    /// What it compares two registers by, if that is all.
    pub fn plain(&self) -> Option<Plain> {
        let Test { holds, exchanged, negated, widens } = *self;
        widens.is_none().then_some(Plain { holds: holds.one, exchanged, negated })
    }

    /// Whether it holds for one lane.
    #[inline]
    pub fn one(&self, a: u64, b: u64) -> bool {
        let (a, b) = if self.exchanged { (b, a) } else { (a, b) };
        let holds = match self.widens {
            None => (self.holds.one)(a, b),
            Some((format, ftz)) => (self.holds.one)(wide(a, format, ftz), wide(b, format, ftz)),
        };
        holds != self.negated
    }
}

#[inline(never)]
fn widened(values: &Lanes, format: Format, ftz: bool) -> Lanes {
    let mut out = [0; WARP];
    for (out, bits) in out.iter_mut().zip(values) {
        *out = wide(*bits, format, ftz);
    }
    out
}

/// A value as a double.
fn wide(bits: u64, format: Format, ftz: bool) -> u64 {
    let value = format.decode(bits);
    if ftz && format.is_subnormal(value) { 0 } else { value.to_bits() }
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
        for lane in lanes(mask) {
            out[lane] = self.one(source[0][lane], source[1][lane]);
        }
    }

    /// The same for one lane.
    pub fn one(&self, a: u64, b: u64) -> u64 {
        let half = |a: u64, b: u64| if self.test.one(a, b) { u64::from(self.holds) } else { 0 };
        half(a, b) | half(a >> 16, b >> 16) << 16
    }
}

macro_rules! holds {
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {{
        #[inline(always)]
        fn one($a: u64, $b: u64) -> bool {
            let $a = <$t>::get($a);
            let $b = <$t>::get($b);
            $e
        }
        fn all(x: &Lanes, y: &Lanes, mask: u32) -> u32 {
            which(mask, |lane| one(x[lane], y[lane]))
        }
        Holds { one, all }
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
