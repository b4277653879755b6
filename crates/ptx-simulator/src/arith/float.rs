//! Floating-point instructions in all their formats, rounding modes and modifiers: PTX ISA 9.7.3 to 9.7.5.
//!
//! Single and double precision without modifiers is the host's arithmetic, [`native`]. The rest is an
//! operation with its options, done lane by lane on values that `f64` holds exactly and rounded once.

use super::lanes::{AluFn, Lanes, each, lanes};
use super::rounding::{self as round, Format, Mode};
use super::value::Value;

/// A floating-point instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float {
    operation: Operation,
    format: Format,
    /// Two values in one register: `.f16x2`, `.bf16x2`.
    packed: bool,
    mode: Mode,
    /// Denormals become zeros; the result is clamped to [0, 1]; to [0, inf).
    ftz: bool,
    sat: bool,
    relu: bool,
    /// Of `min` and `max`: a NaN wins; the sign is the product of the signs, the size that of the magnitudes.
    nan: bool,
    xorsign: bool,
    /// An approximation, where it shows: quotients by numbers above 2^126, the low half of a double.
    approx: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Rcp,
    Sqrt,
    Rsqrt,
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
    Min,
    Max,
    Abs,
    Neg,
}

/// The format of a type word, and whether two of it share a register.
pub fn format(word: &str) -> Option<(Format, bool)> {
    match word.strip_suffix("x2") {
        Some(half @ ("f16" | "bf16")) => Some((Format::parse(half)?, true)),
        Some(_) => None,
        None => Some((Format::parse(word)?, false)),
    }
}

/// The floating-point instruction that `words` spell, and how many sources it has.
pub fn select(words: &[&str]) -> Option<(Float, usize)> {
    let &name = words.first()?;
    let &ty = words.last()?;
    let (format, packed) = format(ty)?;
    let options = words.get(1..words.len() - 1)?;
    use Operation::*;
    const ROUND: [&str; 4] = ["rn", "rz", "rm", "rp"];
    let has = |word: &str| options.contains(&word);
    let (operation, sources, modifiers): (_, _, &[&str]) = match name {
        "add" => (Add, 2, &["sat"]),
        "sub" => (Sub, 2, &["sat"]),
        "mul" => (Mul, 2, &["sat"]),
        "fma" | "mad" => (Fma, 3, &["sat", "relu"]),
        "div" => (Div, 2, &["approx", "full"]),
        "rcp" => (Rcp, 1, &["approx"]),
        "sqrt" => (Sqrt, 1, &["approx"]),
        "rsqrt" => (Rsqrt, 1, &["approx"]),
        "ex2" => (Ex2, 1, &["approx"]),
        "lg2" => (Lg2, 1, &["approx"]),
        "sin" => (Sin, 1, &["approx"]),
        "cos" => (Cos, 1, &["approx"]),
        "tanh" => (Tanh, 1, &["approx"]),
        "min" => (Min, 2, &["NaN", "xorsign", "abs"]),
        "max" => (Max, 2, &["NaN", "xorsign", "abs"]),
        "abs" => (Abs, 1, &[]),
        "neg" => (Neg, 1, &[]),
        _ => return None,
    };
    let rounds =
        matches!(operation, Add | Sub | Mul | Fma | Div | Rcp | Sqrt) && !has("approx") && !has("full");
    let known = |word: &&str| match *word {
        "ftz" => match format {
            Format::F64 => has("approx"),
            Format::BF16 => operation == Ex2,
            _ => true,
        },
        "sat" if matches!(format, Format::F64 | Format::BF16) => false,
        "relu" if matches!(format, Format::F64 | Format::F32) => false,
        "xorsign" => modifiers.contains(word) && has("abs"),
        "abs" => modifiers.contains(word) && has("xorsign"),
        word => modifiers.contains(&word) || rounds && ROUND.contains(&word),
    };
    if !options.iter().all(known) || !round::all_count(options) {
        return None;
    }
    let mode = options.iter().find_map(|word| Mode::parse(word)).unwrap_or(Mode::Nearest);
    let float = Float {
        operation,
        format,
        packed,
        mode,
        ftz: has("ftz"),
        sat: has("sat"),
        relu: has("relu"),
        nan: has("NaN"),
        xorsign: has("xorsign"),
        approx: has("approx"),
    };
    Some((float, sources))
}

impl Float {
    pub fn apply(&self, out: &mut Lanes, source: [&Lanes; 3], mask: u32) {
        for lane in lanes(mask) {
            out[lane] = self.register(source.map(|s| s[lane]));
        }
    }

    /// One lane, from bits to bits.
    pub fn register(&self, [a, b, c]: [u64; 3]) -> u64 {
        if self.packed {
            self.bits(a, b, c) | self.bits(a >> 16, b >> 16, c >> 16) << 16
        } else {
            self.bits(a, b, c)
        }
    }

    /// The same as an atomic on global memory does it: single precision loses its denormals there, and only
    /// there (PTX ISA 9.7.13.8, `atom`).
    pub fn in_global_memory(self) -> Float {
        Float { ftz: self.format == Format::F32, ..self }
    }

    fn bits(&self, a: u64, b: u64, c: u64) -> u64 {
        let width = self.format.bits();
        let sign = 1u64 << (width - 1);
        // Only the sign changes. What becomes of a NaN is left open; this is what an H200 does.
        let nan = matches!(self.operation, Operation::Abs | Operation::Neg) && self.format.decode(a).is_nan();
        match self.format {
            Format::F32 if nan => return 0x7fff_ffff,
            Format::F64 if nan => return a | 1 << 51,
            _ => {}
        }
        match self.operation {
            Operation::Abs if !self.ftz => return a & (sign - 1),
            Operation::Neg if !self.ftz => return (a ^ sign) & (sign | (sign - 1)),
            _ => {}
        }
        let read = |bits: u64| self.flush(self.format.decode(bits));
        let [a, b, c] = [a, b, c].map(read);
        let mut value = self.flush(self.value(a, b, c));
        if self.ftz && self.format == Format::F16 && self.operation == Operation::Mul {
            // A product that only rounding makes normal is flushed too, by an H200. It is exact in a double.
            value = if self.format.is_subnormal(a * b) { 0.0f64.copysign(a * b) } else { value };
        }
        if self.sat {
            value = saturate(value);
        }
        if self.relu && value <= 0.0 {
            value = 0.0;
        }
        let bits = self.format.encode(value);
        // The fast approximations of a double give its high word only.
        if self.approx && self.format == Format::F64 && self.ftz && !value.is_nan() {
            return bits & 0xffff_ffff_0000_0000;
        }
        bits
    }

    fn flush(&self, a: f64) -> f64 {
        if self.ftz && self.format.is_subnormal(a) { 0.0f64.copysign(a) } else { a }
    }

    fn value(&self, a: f64, b: f64, c: f64) -> f64 {
        let to = self.format;
        let mode = self.mode;
        // An approximation is computed in double precision and rounded: closer than the hardware's, which may
        // be a few units in the last place away (the ISA gives the bounds). Not by the host's C library, so
        // that every platform has the same bits.
        let nearest = |value: f64| round::narrow(value, to, Mode::Nearest);
        match self.operation {
            Operation::Add => round::add(a, b, to, mode),
            Operation::Sub => round::add(a, -b, to, mode),
            Operation::Mul => round::mul(a, b, to, mode),
            Operation::Fma => round::fma(a, b, c, to, mode),
            Operation::Div if self.approx && b.is_finite() && b.abs() > 2f64.powi(126) => {
                if a.is_infinite() {
                    f64::NAN
                } else {
                    a * 0.0f64.copysign(b)
                }
            }
            Operation::Div => round::div(a, b, to, mode),
            Operation::Rcp => round::div(1.0, a, to, mode),
            Operation::Sqrt => round::sqrt(a, to, mode),
            Operation::Rsqrt => nearest(1.0 / a.sqrt()),
            Operation::Ex2 => nearest(libm::exp2(a)),
            Operation::Lg2 => nearest(libm::log2(a)),
            Operation::Sin => nearest(libm::sin(a)),
            Operation::Cos => nearest(libm::cos(a)),
            Operation::Tanh => nearest(libm::tanh(a)),
            Operation::Min | Operation::Max if self.nan && (a.is_nan() || b.is_nan()) => f64::NAN,
            Operation::Min | Operation::Max if self.xorsign => {
                let least = self.operation == Operation::Min;
                let size = if least { minimum(a.abs(), b.abs()) } else { maximum(a.abs(), b.abs()) };
                if a.is_sign_negative() != b.is_sign_negative() { -size } else { size }
            }
            Operation::Min => minimum(a, b),
            Operation::Max => maximum(a, b),
            Operation::Abs => a.abs(),
            Operation::Neg => -a,
        }
    }
}

/// `[0, 1]`, NaN as +0 (`.sat`).
pub fn saturate(a: f64) -> f64 {
    if a > 0.0 { a.min(1.0) } else { 0.0 }
}

/// The lesser of two numbers, -0 below +0; the number where one is a NaN.
pub fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b < a || (a == b && b.is_sign_negative()) { b } else { a }
}

pub fn maximum(a: f64, b: f64) -> f64 {
    -minimum(-a, -b)
}

/// The class that `testp` asks for (PTX ISA 9.7.3.1), over the bits of a register; zeros are normal.
pub fn class(name: &str, ty: &str) -> Option<fn(u64) -> bool> {
    macro_rules! classes {
        ($t:ty) => {
            match name {
                "finite" => |a| <$t>::get(a).is_finite(),
                "infinite" => |a| <$t>::get(a).is_infinite(),
                "number" => |a| !<$t>::get(a).is_nan(),
                "notanumber" => |a| <$t>::get(a).is_nan(),
                "normal" => |a| <$t>::get(a).is_normal() || <$t>::get(a) == 0.0,
                "subnormal" => |a| <$t>::get(a).is_subnormal(),
                _ => return None,
            }
        };
    }
    match ty {
        "f32" => Some(classes!(f32)),
        "f64" => Some(classes!(f64)),
        _ => None,
    }
}

/// Single and double precision as the host computes them: rounded to nearest-even, without modifiers.
pub fn native(words: &[&str]) -> Option<(AluFn, usize)> {
    let options = words.get(1..words.len() - 1)?;
    if !matches!(options, [] | ["rn"]) {
        return None;
    }
    macro_rules! by_type {
        (|$a:ident $(, $b:ident)*| $e:expr) => {
            match *words.last()? {
                "f32" => looped!(f32, |$a $(, $b)*| $e),
                "f64" => looped!(f64, |$a $(, $b)*| $e),
                _ => return None,
            }
        };
    }
    Some(match words[0] {
        "add" => (by_type!(|a, b| a + b), 2),
        "sub" => (by_type!(|a, b| a - b), 2),
        "mul" => (by_type!(|a, b| a * b), 2),
        "fma" | "mad" => match *words.last()? {
            "f32" => (looped!(f32, |a, b, c| round::fma_f32(a, b, c)), 3),
            "f64" => (looped!(f64, |a, b, c| round::fma_f64(a, b, c)), 3),
            _ => return None,
        },
        "div" => (by_type!(|a, b| a / b), 2),
        "rcp" => (by_type!(|a| 1.0 / a), 1),
        "sqrt" => (by_type!(|a| a.sqrt()), 1),
        _ => return None,
    })
}
