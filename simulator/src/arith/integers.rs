//! Instructions on integers and bits: PTX ISA 9.7.1, 9.7.6 to 9.7.8.

use super::bits::*;
use super::lanes::{AluFn, Lanes, TestFn, each};
use super::value::Value;

/// `$e` for the type of so many words, `$t` standing for it.
macro_rules! by_type {
    ($ty:expr, $t:ident => $e:expr, $($($word:literal)|+ => $type:ty,)*) => {
        match $ty {
            $($($word)|+ => {
                type $t = $type;
                Some($e)
            })*
            _ => None,
        }
    };
}

/// The same for each integer type.
macro_rules! by_int {
    ($ty:expr, $t:ident => $e:expr) => {
        by_type!($ty, $t => $e, "u16" | "b16" => u16, "s16" => i16, "u32" | "b32" => u32, "s32" => i32,
            "u64" | "b64" => u64, "s64" => i64,)
    };
}

/// The same for each width, as an unsigned type.
macro_rules! by_bits {
    ($ty:expr, $t:ident => $e:expr) => {
        by_type!($ty, $t => $e, "b16" | "u16" | "s16" => u16, "b32" | "u32" | "s32" => u32,
            "b64" | "u64" | "s64" => u64,)
    };
}

/// The function that `words` spell, and how many sources it has.
pub fn select(words: &[&str]) -> Option<(AluFn, usize)> {
    let [name, options @ .., ty] = words else { return None };
    let by_sources = [unary, binary, ternary, quaternary].into_iter().zip(1..);
    by_sources.filter_map(|(select, sources)| Some((select(name, options, ty)?, sources))).next()
}

fn unary(name: &str, options: &[&str], ty: &str) -> Option<AluFn> {
    Some(match (name, options, ty) {
        ("abs", [], "s16") => typed!(i16, |a| a.wrapping_abs()),
        ("abs", [], "s32") => typed!(i32, |a| a.wrapping_abs()),
        ("abs", [], "s64") => typed!(i64, |a| a.wrapping_abs()),
        ("neg", [], "s16") => typed!(i16, |a| a.wrapping_neg()),
        ("neg", [], "s32") => typed!(i32, |a| a.wrapping_neg()),
        ("neg", [], "s64") => typed!(i64, |a| a.wrapping_neg()),
        ("not", [], _) => by_bits!(ty, T => typed!(T, |a| !a))?,
        ("cnot", [], _) => by_bits!(ty, T => typed!(T, |a| (a == 0) as T))?,
        ("clz", [], _) => by_bits!(ty, T => raw!(|a| T::get(a).leading_zeros() as u64))?,
        ("popc", [], _) => by_bits!(ty, T => raw!(|a| T::get(a).count_ones() as u64))?,
        ("brev", [], _) => by_bits!(ty, T => typed!(T, |a| a.reverse_bits()))?,
        ("bfind", [], "u32") => raw!(|a| find_bit(a as u32 as u64, 32, false)),
        ("bfind", [], "u64") => raw!(|a| find_bit(a, 64, false)),
        ("bfind", [], "s32") => raw!(|a| find_bit(without_sign(a as i32 as i64), 32, false)),
        ("bfind", [], "s64") => raw!(|a| find_bit(without_sign(a as i64), 64, false)),
        ("bfind", ["shiftamt"], "u32") => raw!(|a| find_bit(a as u32 as u64, 32, true)),
        ("bfind", ["shiftamt"], "u64") => raw!(|a| find_bit(a, 64, true)),
        ("bfind", ["shiftamt"], "s32") => raw!(|a| find_bit(without_sign(a as i32 as i64), 32, true)),
        ("bfind", ["shiftamt"], "s64") => raw!(|a| find_bit(without_sign(a as i64), 64, true)),
        ("mov" | "cvta", ..) => raw!(|a| a),
        _ => return None,
    })
}

fn binary(name: &str, options: &[&str], ty: &str) -> Option<AluFn> {
    Some(match (name, options, ty) {
        ("add", ["sat"], "s32") => typed!(i32, |a, b| a.saturating_add(b)),
        ("sub", ["sat"], "s32") => typed!(i32, |a, b| a.saturating_sub(b)),
        ("add", [], _) => by_int!(ty, T => typed!(T, |a, b| a.wrapping_add(b)))?,
        ("sub", [], _) => by_int!(ty, T => typed!(T, |a, b| a.wrapping_sub(b)))?,
        ("mul", ["lo"], _) => by_int!(ty, T => typed!(T, |a, b| a.wrapping_mul(b)))?,
        ("mul", ["hi"], "u16") => raw!(|a, b| (a as u16 as u64 * b as u16 as u64) >> 16),
        ("mul", ["hi"], "s16") => raw!(|a, b| ((a as i16 as i32 * b as i16 as i32) >> 16) as u16 as u64),
        ("mul", ["hi"], "u32") => raw!(|a, b| (a as u32 as u64 * b as u32 as u64) >> 32),
        ("mul", ["hi"], "s32") => raw!(|a, b| ((a as i32 as i64 * b as i32 as i64) >> 32) as u32 as u64),
        ("mul", ["hi"], "u64") => raw!(|a, b| ((a as u128 * b as u128) >> 64) as u64),
        ("mul", ["hi"], "s64") => raw!(|a, b| ((a as i64 as i128 * b as i64 as i128) >> 64) as u64),
        ("mul", ["wide"], "u16") => raw!(|a, b| (a as u16 as u32 * b as u16 as u32) as u64),
        ("mul", ["wide"], "s16") => raw!(|a, b| (a as i16 as i32 * b as i16 as i32) as u32 as u64),
        ("mul", ["wide"], "u32") => raw!(|a, b| a as u32 as u64 * b as u32 as u64),
        ("mul", ["wide"], "s32") => raw!(|a, b| (a as i32 as i64 * b as i32 as i64) as u64),
        ("mul24", ["lo"], "u32") => raw!(|a, b| low_24(a).wrapping_mul(low_24(b)) & 0xffff_ffff),
        ("mul24", ["hi"], "u32") => raw!(|a, b| low_24(a).wrapping_mul(low_24(b)) >> 16 & 0xffff_ffff),
        ("mul24", ["lo"], "s32") => raw!(|a, b| signed_24(a).wrapping_mul(signed_24(b)) as u32 as u64),
        ("mul24", ["hi"], "s32") => {
            raw!(|a, b| (signed_24(a).wrapping_mul(signed_24(b)) >> 16) as u32 as u64)
        }
        // Division by zero is left open by PTX for integers; these are the bits that NVIDIA hardware gives.
        ("div", [], _) => by_int!(ty, T => typed!(T, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) }))?,
        ("rem", [], _) => by_int!(ty, T => typed!(T, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) }))?,
        ("min", [], _) => by_int!(ty, T => typed!(T, |a, b| a.min(b)))?,
        ("max", [], _) => by_int!(ty, T => typed!(T, |a, b| a.max(b)))?,
        ("copysign", [], "f32") => raw!(|a, b| (b & 0x7fff_ffff) | (a & 0x8000_0000)),
        ("copysign", [], "f64") => raw!(|a, b| (b & (u64::MAX >> 1)) | (a & (1 << 63))),
        ("and", [], _) => by_bits!(ty, T => typed!(T, |a, b| a & b))?,
        ("or", [], _) => by_bits!(ty, T => typed!(T, |a, b| a | b))?,
        ("xor", [], _) => by_bits!(ty, T => typed!(T, |a, b| a ^ b))?,
        // A shift by the width or more gives 0, or the sign; the amount is always 32 bits wide.
        ("shl", [], _) => by_bits!(ty, T => raw!(|a, b| T::get(a).checked_shl(b as u32).unwrap_or(0).put()))?,
        ("shr", [], _) => by_int!(ty, T => raw!(|a, b| {
            let a = T::get(a);
            a.checked_shr(b as u32).unwrap_or(if T::MIN == 0 { 0 } else { a >> (T::BITS - 1) }).put()
        }))?,
        ("bmsk", ["clamp"], "b32") => raw!(|a, b| mask(a as u32, b as u32, true) as u64),
        ("bmsk", ["wrap"], "b32") => raw!(|a, b| mask(a as u32, b as u32, false) as u64),
        ("szext", ["clamp"], "u32") => raw!(|a, b| extend_bits(a as u32, b as u32, false, true) as u64),
        ("szext", ["clamp"], "s32") => raw!(|a, b| extend_bits(a as u32, b as u32, true, true) as u64),
        ("szext", ["wrap"], "u32") => raw!(|a, b| extend_bits(a as u32, b as u32, false, false) as u64),
        ("szext", ["wrap"], "s32") => raw!(|a, b| extend_bits(a as u32, b as u32, true, false) as u64),
        _ => return None,
    })
}

fn ternary(name: &str, options: &[&str], ty: &str) -> Option<AluFn> {
    macro_rules! dot {
        ($shift:literal, $halves:literal, $a_signed:literal, $b_signed:literal) => {
            raw!(|a, b, c| dot(a as u32, b as u32 >> $shift, c as u32, $a_signed, $b_signed, $halves) as u64)
        };
    }
    Some(match (name, options, ty) {
        ("mad", ["lo"], _) => by_int!(ty, T => typed!(T, |a, b, c| a.wrapping_mul(b).wrapping_add(c)))?,
        ("mad", ["hi"], "u32") => raw!(|a, b, c| {
            (((a as u32 as u64 * b as u32 as u64) >> 32) as u32).wrapping_add(c as u32) as u64
        }),
        ("mad", ["hi"], "s32") => raw!(|a, b, c| {
            (((a as i32 as i64 * b as i32 as i64) >> 32) as i32).wrapping_add(c as i32) as u32 as u64
        }),
        ("mad", ["hi"], "u64") => raw!(|a, b, c| (((a as u128 * b as u128) >> 64) as u64).wrapping_add(c)),
        ("mad", ["hi"], "s64") => {
            raw!(|a, b, c| (((a as i64 as i128 * b as i64 as i128) >> 64) as u64).wrapping_add(c))
        }
        ("mad", ["wide"], "u16") => {
            raw!(|a, b, c| (a as u16 as u32 * b as u16 as u32).wrapping_add(c as u32) as u64)
        }
        ("mad", ["wide"], "s16") => {
            raw!(|a, b, c| (a as i16 as i32 * b as i16 as i32).wrapping_add(c as i32) as u32 as u64)
        }
        ("mad", ["wide"], "u32") => raw!(|a, b, c| (a as u32 as u64 * b as u32 as u64).wrapping_add(c)),
        ("mad", ["wide"], "s32") => {
            raw!(|a, b, c| ((a as i32 as i64 * b as i32 as i64) as u64).wrapping_add(c))
        }
        ("shf", ["l", "clamp"], "b32") => raw!(|a, b, c| funnel_left(a, b, (c as u32).min(32))),
        ("shf", ["l", "wrap"], "b32") => raw!(|a, b, c| funnel_left(a, b, c as u32 & 31)),
        ("shf", ["r", "clamp"], "b32") => raw!(|a, b, c| funnel_right(a, b, (c as u32).min(32))),
        ("shf", ["r", "wrap"], "b32") => raw!(|a, b, c| funnel_right(a, b, c as u32 & 31)),
        ("bfe", [], "u32") => raw!(|a, b, c| extract(a as u32 as u64, b, c, 32, false)),
        ("bfe", [], "u64") => raw!(|a, b, c| extract(a, b, c, 64, false)),
        ("bfe", [], "s32") => raw!(|a, b, c| extract(a as u32 as u64, b, c, 32, true) & 0xffff_ffff),
        ("bfe", [], "s64") => raw!(|a, b, c| extract(a, b, c, 64, true)),
        ("prmt", [], "b32") => raw!(|a, b, c| permute(a, b, c as u32)),
        ("prmt", ["b32"], "f4e") => raw!(|a, b, c| permute(a, b, FORWARD[c as usize & 3])),
        ("prmt", ["b32"], "b4e") => raw!(|a, b, c| permute(a, b, BACKWARD[c as usize & 3])),
        ("prmt", ["b32"], "rc8") => raw!(|a, b, c| permute(a, b, REPLICATE_8[c as usize & 3])),
        ("prmt", ["b32"], "rc16") => raw!(|a, b, c| permute(a, b, REPLICATE_16[c as usize & 3])),
        ("prmt", ["b32"], "ecl") => raw!(|a, b, c| permute(a, b, EDGE_LEFT[c as usize & 3])),
        ("prmt", ["b32"], "ecr") => raw!(|a, b, c| permute(a, b, EDGE_RIGHT[c as usize & 3])),
        // A comparison of -0 and of a denormal that is flushed is one of 0; a NaN selects the second.
        ("slct", [_], "s32") => raw!(|a, b, c| if c as i32 >= 0 { a } else { b }),
        ("slct", [_], "f32") => raw!(|a, b, c| if f32::get(c) >= 0.0 { a } else { b }),
        ("slct", ["ftz", _], "f32") => {
            raw!(|a, b, c| if f32::get(c) > -f32::MIN_POSITIVE { a } else { b })
        }
        ("sad", [], "u16" | "u32" | "u64") => {
            by_bits!(ty, T => typed!(T, |a, b, c| a.abs_diff(b).wrapping_add(c)))?
        }
        ("sad", [], "s16") => raw!(|a, b, c| (a as i16).abs_diff(b as i16).wrapping_add(c as u16) as u64),
        ("sad", [], "s32") => raw!(|a, b, c| (a as i32).abs_diff(b as i32).wrapping_add(c as u32) as u64),
        ("sad", [], "s64") => raw!(|a, b, c| (a as i64).abs_diff(b as i64).wrapping_add(c)),
        ("fns", [], "b32") => raw!(|a, b, c| find_nth_set(a as u32, b as u32, c as i32) as u64),
        ("dp4a", ["u32"], "u32") => dot!(0, false, false, false),
        ("dp4a", ["u32"], "s32") => dot!(0, false, false, true),
        ("dp4a", ["s32"], "u32") => dot!(0, false, true, false),
        ("dp4a", ["s32"], "s32") => dot!(0, false, true, true),
        ("dp2a", ["lo", "u32"], "u32") => dot!(0, true, false, false),
        ("dp2a", ["lo", "u32"], "s32") => dot!(0, true, false, true),
        ("dp2a", ["lo", "s32"], "u32") => dot!(0, true, true, false),
        ("dp2a", ["lo", "s32"], "s32") => dot!(0, true, true, true),
        ("dp2a", ["hi", "u32"], "u32") => dot!(16, true, false, false),
        ("dp2a", ["hi", "u32"], "s32") => dot!(16, true, false, true),
        ("dp2a", ["hi", "s32"], "u32") => dot!(16, true, true, false),
        ("dp2a", ["hi", "s32"], "s32") => dot!(16, true, true, true),
        _ => return None,
    })
}

fn quaternary(name: &str, options: &[&str], ty: &str) -> Option<AluFn> {
    Some(match (name, options, ty) {
        ("bfi", [], "b32") => raw!(|a, b, c, d| insert(a, b, c, d, 32) & 0xffff_ffff),
        ("bfi", [], "b64") => raw!(|a, b, c, d| insert(a, b, c, d, 64)),
        ("lop3", [], "b32") => raw!(|a, b, c, table| {
            let (a, b, c) = (a as u32, b as u32, c as u32);
            let mut out = 0u32;
            for minterm in 0..8u32 {
                if table >> minterm & 1 == 1 {
                    out |= (if minterm & 4 != 0 { a } else { !a })
                        & (if minterm & 2 != 0 { b } else { !b })
                        & (if minterm & 1 != 0 { c } else { !c });
                }
            }
            out as u64
        }),
        _ => return None,
    })
}

/// A negative number's complement, in which `bfind` looks for the highest bit that is not the sign.
fn without_sign(a: i64) -> u64 {
    (a ^ (a >> 63)) as u64
}

fn low_24(a: u64) -> u64 {
    a & 0xff_ffff
}

fn signed_24(a: u64) -> i64 {
    (a as i64) << 40 >> 40
}

/// The comparisons of integers (PTX ISA 9.7.6).
pub fn test(compare: &str, ty: &str) -> Option<TestFn> {
    macro_rules! holds {
        ($t:ty, |$a:ident, $b:ident| $e:expr) => {{
            fn go(x: &Lanes, y: &Lanes, mask: u32) -> u32 {
                let mut out = 0;
                each(mask, |lane| {
                    let ($a, $b) = (<$t>::get(x[lane]), <$t>::get(y[lane]));
                    out |= ($e as u32) << lane;
                });
                out
            }
            go as TestFn
        }};
    }
    by_int!(ty, T => match compare {
        "eq" => holds!(T, |a, b| a == b),
        "ne" => holds!(T, |a, b| a != b),
        "lt" | "lo" => holds!(T, |a, b| a < b),
        "le" | "ls" => holds!(T, |a, b| a <= b),
        "gt" | "hi" => holds!(T, |a, b| a > b),
        "ge" | "hs" => holds!(T, |a, b| a >= b),
        _ => return None,
    })
}
