//! `cvt` (PTX ISA 9.7.9.21): between integers, between floats, and from one to the other.

use super::alu::{AluFn, Lanes, each, saturate};
use super::rounding::{self as round, Mode};

macro_rules! conversion {
    ($from:expr, $to:expr, $wide:ident => $e:expr) => {
        conversion!(@from $from, $to, $wide => $e,
            "u8": u8, "b8": u8, "s8": i8, "u16": u16, "b16": u16, "s16": i16, "u32": u32, "b32": u32, "s32": i32,
            "u64": u64, "b64": u64, "s64": i64)
    };
    (@from $from:expr, $to:expr, $wide:ident => $e:expr, $($name:literal: $t:ty),*) => {
        match $from {
            $($name => {
                fn go(out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
                    each(mask, |lane| {
                        let $wide = source[0][lane] as $t;
                        out[lane] = $e;
                    })
                }
                Some(go as AluFn)
            })*
            _ => None,
        }
    };
}

/// The function of a `cvt` opcode.
pub fn select(words: &[&str]) -> Option<AluFn> {
    let (&from, &to) = (words.last()?, words.get(words.len().checked_sub(2)?)?);
    let options = &words[1..words.len() - 2];
    if !options.iter().all(|w| matches!(*w, "ftz" | "sat") || Mode::parse(w).is_some()) {
        return None;
    }
    let rounding = options.iter().find(|w| Mode::parse(w).is_some());
    let mode = rounding.and_then(|w| Mode::parse(w)).unwrap_or(Mode::Nearest);
    let integral = rounding.is_some_and(|w| w.ends_with('i'));
    let (ftz, sat) = (options.contains(&"ftz"), options.contains(&"sat"));
    let is_float = |t: &str| matches!(t, "f32" | "f64");
    match (is_float(from), is_float(to)) {
        (false, false) => integers(from, to, sat),
        (false, true) => from_integer(from, to, mode),
        (true, false) => to_integer(from, to, mode, ftz),
        (true, true) => floats(from, to, mode, integral, ftz, sat),
    }
}

/// Integer to integer. Without `.sat` the low bits are kept; a signed result is extended over the register.
fn integers(from: &str, to: &str, sat: bool) -> Option<AluFn> {
    macro_rules! to {
        ($t:ty, $wider:ty) => {
            if sat {
                conversion!(from, to, a => (a as i128).clamp(<$t>::MIN as i128, <$t>::MAX as i128) as $t as $wider as u64)
            } else {
                conversion!(from, to, a => a as $t as $wider as u64)
            }
        };
    }
    match to {
        "u8" | "b8" => to!(u8, u64),
        "s8" => to!(i8, i64),
        "u16" | "b16" => to!(u16, u64),
        "s16" => to!(i16, i64),
        "u32" | "b32" => to!(u32, u64),
        "s32" => to!(i32, i64),
        "u64" | "b64" => to!(u64, u64),
        "s64" => to!(i64, i64),
        _ => None,
    }
}

fn from_integer(from: &str, to: &str, mode: Mode) -> Option<AluFn> {
    macro_rules! with {
        ($m:expr) => {
            match to {
                "f32" => conversion!(from, to, a => round::f32_from_int(a as i128, $m).to_bits() as u64),
                _ => conversion!(from, to, a => round::f64_from_int(a as i128, $m).to_bits()),
            }
        };
    }
    match mode {
        Mode::Nearest => with!(Mode::Nearest),
        Mode::Zero => with!(Mode::Zero),
        Mode::Down => with!(Mode::Down),
        Mode::Up => with!(Mode::Up),
    }
}

/// Float to integer: rounded, then clamped to the type's range; NaN gives 0, or the sign bit for 64-bit results.
fn to_integer(from: &str, to: &str, mode: Mode, ftz: bool) -> Option<AluFn> {
    macro_rules! with {
        ($m:expr, $float:expr) => {
            match to {
                "u8" | "b8" => lanes!(a => round::integral($float(a), $m) as u8 as u64),
                "s8" => lanes!(a => round::integral($float(a), $m) as i8 as i64 as u64),
                "u16" | "b16" => lanes!(a => round::integral($float(a), $m) as u16 as u64),
                "s16" => lanes!(a => round::integral($float(a), $m) as i16 as i64 as u64),
                "u32" | "b32" => lanes!(a => round::integral($float(a), $m) as u32 as u64),
                "s32" => lanes!(a => round::integral($float(a), $m) as i32 as u32 as u64),
                "u64" | "b64" => lanes!(a => {
                    let a: f64 = $float(a);
                    if a.is_nan() { 1 << 63 } else { round::integral(a, $m) as u64 }
                }),
                "s64" => lanes!(a => {
                    let a: f64 = $float(a);
                    if a.is_nan() { 1 << 63 } else { round::integral(a, $m) as i64 as u64 }
                }),
                _ => None,
            }
        };
    }
    macro_rules! lanes {
        ($a:ident => $e:expr) => {{
            fn go(out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
                each(mask, |lane| {
                    let $a = source[0][lane];
                    out[lane] = $e;
                })
            }
            Some(go as AluFn)
        }};
    }
    macro_rules! modes {
        ($float:expr) => {
            match mode {
                Mode::Nearest => with!(Mode::Nearest, $float),
                Mode::Zero => with!(Mode::Zero, $float),
                Mode::Down => with!(Mode::Down, $float),
                Mode::Up => with!(Mode::Up, $float),
            }
        };
    }
    match (from, ftz) {
        ("f32", false) => modes!(|bits: u64| f32::from_bits(bits as u32) as f64),
        ("f32", true) => modes!(|bits: u64| flush(f32::from_bits(bits as u32)) as f64),
        _ => modes!(f64::from_bits),
    }
}

fn flush(a: f32) -> f32 {
    if a.is_subnormal() { 0.0f32.copysign(a) } else { a }
}

/// Float to float: narrowing rounds, `.r?i` rounds to an integral value, `.sat` clamps to [0, 1].
fn floats(from: &str, to: &str, mode: Mode, integral: bool, ftz: bool, sat: bool) -> Option<AluFn> {
    macro_rules! go {
        ($m:expr, $integral:literal, $ftz:literal, $sat:literal) => {{
            fn to_single(bits: u64, from_single: bool) -> u64 {
                let mut value = if from_single {
                    let a = f32::from_bits(bits as u32);
                    (if $ftz { flush(a) } else { a }) as f64
                } else {
                    f64::from_bits(bits)
                };
                if $integral {
                    value = round::integral(value, $m);
                }
                let mut single = round::f32_from_f64(value, $m);
                if $sat {
                    single = saturate(single);
                }
                if $ftz {
                    single = flush(single);
                }
                if single.is_nan() { 0x7fff_ffff } else { single.to_bits() as u64 }
            }
            fn to_double(bits: u64, from_single: bool) -> u64 {
                let mut value = if from_single {
                    let a = f32::from_bits(bits as u32);
                    (if $ftz { flush(a) } else { a }) as f64
                } else {
                    f64::from_bits(bits)
                };
                if $integral {
                    value = round::integral(value, $m);
                }
                if $sat {
                    value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) + 0.0 };
                }
                if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
            }
            macro_rules! table {
                ($convert:ident, $single:literal) => {{
                    fn lanes(out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
                        each(mask, |lane| out[lane] = $convert(source[0][lane], $single))
                    }
                    lanes as AluFn
                }};
            }
            Some(match (from, to) {
                ("f32", "f32") => table!(to_single, true),
                ("f64", "f32") => table!(to_single, false),
                ("f32", "f64") => table!(to_double, true),
                _ => table!(to_double, false),
            })
        }};
    }
    macro_rules! flags {
        ($m:expr) => {
            match (integral, ftz, sat) {
                (false, false, false) => go!($m, false, false, false),
                (false, false, true) => go!($m, false, false, true),
                (false, true, false) => go!($m, false, true, false),
                (false, true, true) => go!($m, false, true, true),
                (true, false, false) => go!($m, true, false, false),
                (true, false, true) => go!($m, true, false, true),
                (true, true, false) => go!($m, true, true, false),
                (true, true, true) => go!($m, true, true, true),
            }
        };
    }
    match mode {
        Mode::Nearest => flags!(Mode::Nearest),
        Mode::Zero => flags!(Mode::Zero),
        Mode::Down => flags!(Mode::Down),
        Mode::Up => flags!(Mode::Up),
    }
}
