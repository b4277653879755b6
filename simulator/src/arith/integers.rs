//! Instructions on integers and bits: PTX ISA 9.7.1, 9.7.6 to 9.7.8.

use super::bits::*;
use super::lanes::{AluFn, Lanes, TestFn, each};
use super::value::Value;

/// One arm for each integer type, `$t` standing for it.
macro_rules! by_int {
    ($ty:expr, $t:ident => $e:expr) => {
        match $ty {
            "u16" | "b16" => {
                type $t = u16;
                Some($e)
            }
            "s16" => {
                type $t = i16;
                Some($e)
            }
            "u32" | "b32" => {
                type $t = u32;
                Some($e)
            }
            "s32" => {
                type $t = i32;
                Some($e)
            }
            "u64" | "b64" => {
                type $t = u64;
                Some($e)
            }
            "s64" => {
                type $t = i64;
                Some($e)
            }
            _ => None,
        }
    };
}

/// One arm for each bit width, `$t` standing for the unsigned type.
macro_rules! by_bits {
    ($ty:expr, $t:ident => $e:expr) => {
        match $ty {
            "b16" | "u16" | "s16" => {
                type $t = u16;
                Some($e)
            }
            "b32" | "u32" | "s32" => {
                type $t = u32;
                Some($e)
            }
            "b64" | "u64" | "s64" => {
                type $t = u64;
                Some($e)
            }
            _ => None,
        }
    };
}

/// The function that `words` spell, and how many sources it has.
pub fn select(words: &[&str]) -> Option<(AluFn, usize)> {
    let (&name, &ty) = (words.first()?, words.last()?);
    let options = words.get(1..words.len() - 1)?;
    let plain = |allowed: &[&str]| options == allowed;
    let unary = |f: Option<AluFn>| f.map(|f| (f, 1));
    let binary = |f: Option<AluFn>| f.map(|f| (f, 2));
    let ternary = |f: Option<AluFn>| f.map(|f| (f, 3));
    match name {
        "add" if plain(&["sat"]) && ty == "s32" => Some((typed!(i32, |a, b| a.saturating_add(b)), 2)),
        "sub" if plain(&["sat"]) && ty == "s32" => Some((typed!(i32, |a, b| a.saturating_sub(b)), 2)),
        "add" if plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| a.wrapping_add(b)))),
        "sub" if plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| a.wrapping_sub(b)))),
        "mul" if plain(&["lo"]) => binary(by_int!(ty, T => typed!(T, |a, b| a.wrapping_mul(b)))),
        "mul" if plain(&["hi"]) => binary(multiply_high(ty)),
        "mul" if plain(&["wide"]) => binary(Some(match ty {
            "u16" => raw!(|a, b| (a as u16 as u32 * b as u16 as u32) as u64),
            "s16" => raw!(|a, b| (a as i16 as i32 * b as i16 as i32) as u32 as u64),
            "u32" => raw!(|a, b| a as u32 as u64 * b as u32 as u64),
            "s32" => raw!(|a, b| (a as i32 as i64 * b as i32 as i64) as u64),
            _ => return None,
        })),
        "mul24" => binary(Some(match (options, ty) {
            (["lo"], "u32") => raw!(|a, b| low_24(a).wrapping_mul(low_24(b)) & 0xffff_ffff),
            (["hi"], "u32") => raw!(|a, b| low_24(a).wrapping_mul(low_24(b)) >> 16 & 0xffff_ffff),
            (["lo"], "s32") => raw!(|a, b| signed_24(a).wrapping_mul(signed_24(b)) as u32 as u64),
            (["hi"], "s32") => raw!(|a, b| (signed_24(a).wrapping_mul(signed_24(b)) >> 16) as u32 as u64),
            _ => return None,
        })),
        "mad" if plain(&["lo"]) => {
            ternary(by_int!(ty, T => typed!(T, |a, b, c| a.wrapping_mul(b).wrapping_add(c))))
        }
        "mad" if plain(&["hi"]) => ternary(Some(match ty {
            "u32" => {
                raw!(|a, b, c| (((a as u32 as u64 * b as u32 as u64) >> 32) as u32).wrapping_add(c as u32)
                    as u64)
            }
            "s32" => raw!(|a, b, c| {
                (((a as i32 as i64 * b as i32 as i64) >> 32) as i32).wrapping_add(c as i32) as u32 as u64
            }),
            "u64" => raw!(|a, b, c| (((a as u128 * b as u128) >> 64) as u64).wrapping_add(c)),
            "s64" => raw!(|a, b, c| (((a as i64 as i128 * b as i64 as i128) >> 64) as u64).wrapping_add(c)),
            _ => return None,
        })),
        "mad" if plain(&["wide"]) => ternary(Some(match ty {
            "u16" => raw!(|a, b, c| (a as u16 as u32 * b as u16 as u32).wrapping_add(c as u32) as u64),
            "s16" => raw!(|a, b, c| (a as i16 as i32 * b as i16 as i32).wrapping_add(c as i32) as u32 as u64),
            "u32" => raw!(|a, b, c| (a as u32 as u64 * b as u32 as u64).wrapping_add(c)),
            "s32" => raw!(|a, b, c| ((a as i32 as i64 * b as i32 as i64) as u64).wrapping_add(c)),
            _ => return None,
        })),
        // Division by zero is left open by PTX for integers; these are the bits that NVIDIA hardware gives.
        "div" if plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| {
            if b == 0 { !0 } else { a.wrapping_div(b) }
        }))),
        "rem" if plain(&[]) => {
            binary(by_int!(ty, T => typed!(T, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) })))
        }
        "min" if plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| a.min(b)))),
        "max" if plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| a.max(b)))),
        "abs" if plain(&[]) => unary(match ty {
            "s16" => Some(typed!(i16, |a| a.wrapping_abs())),
            "s32" => Some(typed!(i32, |a| a.wrapping_abs())),
            "s64" => Some(typed!(i64, |a| a.wrapping_abs())),
            _ => None,
        }),
        "neg" if plain(&[]) => unary(match ty {
            "s16" => Some(typed!(i16, |a| a.wrapping_neg())),
            "s32" => Some(typed!(i32, |a| a.wrapping_neg())),
            "s64" => Some(typed!(i64, |a| a.wrapping_neg())),
            _ => None,
        }),
        "copysign" if plain(&[]) => binary(match ty {
            "f32" => Some(raw!(|a, b| (b & 0x7fff_ffff) | (a & 0x8000_0000))),
            "f64" => Some(raw!(|a, b| (b & (u64::MAX >> 1)) | (a & (1 << 63)))),
            _ => None,
        }),
        "and" if plain(&[]) => binary(by_bits!(ty, T => typed!(T, |a, b| a & b))),
        "or" if plain(&[]) => binary(by_bits!(ty, T => typed!(T, |a, b| a | b))),
        "xor" if plain(&[]) => binary(by_bits!(ty, T => typed!(T, |a, b| a ^ b))),
        "not" if plain(&[]) => unary(by_bits!(ty, T => typed!(T, |a| !a))),
        "cnot" if plain(&[]) => unary(by_bits!(ty, T => typed!(T, |a| (a == 0) as T))),
        // A shift by the width or more gives 0, or the sign; the amount is always 32 bits wide.
        "shl" if plain(&[]) => {
            binary(by_bits!(ty, T => raw!(|a, b| T::get(a).checked_shl(b as u32).unwrap_or(0).put())))
        }
        "shr" if plain(&[]) => binary(by_int!(ty, T => raw!(|a, b| {
            let a = T::get(a);
            a.checked_shr(b as u32).unwrap_or(if T::MIN == 0 { 0 } else { a >> (T::BITS - 1) }).put()
        }))),
        "shf" => {
            let f = match (*words.get(1)?, *words.get(2)?, ty) {
                ("l", "clamp", "b32") => raw!(|a, b, c| funnel_left(a, b, (c as u32).min(32))),
                ("l", "wrap", "b32") => raw!(|a, b, c| funnel_left(a, b, c as u32 & 31)),
                ("r", "clamp", "b32") => raw!(|a, b, c| funnel_right(a, b, (c as u32).min(32))),
                ("r", "wrap", "b32") => raw!(|a, b, c| funnel_right(a, b, c as u32 & 31)),
                _ => return None,
            };
            Some((f, 3))
        }
        "clz" if plain(&[]) => unary(by_bits!(ty, T => raw!(|a| T::get(a).leading_zeros() as u64))),
        "popc" if plain(&[]) => unary(by_bits!(ty, T => raw!(|a| T::get(a).count_ones() as u64))),
        "brev" if plain(&[]) => unary(by_bits!(ty, T => typed!(T, |a| a.reverse_bits()))),
        "bfind" => {
            macro_rules! find {
                ($a:ident => $value:expr, $width:literal) => {
                    match options {
                        [] => Some((raw!(|$a| find_bit($value, $width, false)), 1)),
                        ["shiftamt"] => Some((raw!(|$a| find_bit($value, $width, true)), 1)),
                        _ => None,
                    }
                };
            }
            match ty {
                "u32" => find!(a => a as u32 as u64, 32),
                "u64" => find!(a => a, 64),
                "s32" => find!(a => (a as i32 ^ (a as i32 >> 31)) as u32 as u64, 32),
                "s64" => find!(a => (a as i64 ^ (a as i64 >> 63)) as u64, 64),
                _ => None,
            }
        }
        "bfe" if plain(&[]) => ternary(match ty {
            "u32" => Some(raw!(|a, b, c| extract(a as u32 as u64, b, c, 32, false))),
            "u64" => Some(raw!(|a, b, c| extract(a, b, c, 64, false))),
            "s32" => Some(raw!(|a, b, c| extract(a as u32 as u64, b, c, 32, true) & 0xffff_ffff)),
            "s64" => Some(raw!(|a, b, c| extract(a, b, c, 64, true))),
            _ => None,
        }),
        "bfi" if plain(&[]) => Some(match ty {
            "b32" => (raw!(|a, b, c, d| insert(a, b, c, d, 32) & 0xffff_ffff), 4),
            "b64" => (raw!(|a, b, c, d| insert(a, b, c, d, 64)), 4),
            _ => return None,
        }),
        "lop3" if plain(&[]) && ty == "b32" => Some((
            raw!(|a, b, c, table| {
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
            4,
        )),
        "prmt" if words.get(1) == Some(&"b32") => {
            let by = |f: AluFn| Some((f, 3));
            match words[2..] {
                [] => by(raw!(|a, b, c| permute(a, b, c as u32))),
                ["f4e"] => by(raw!(|a, b, c| permute(a, b, FORWARD[c as usize & 3]))),
                ["b4e"] => by(raw!(|a, b, c| permute(a, b, BACKWARD[c as usize & 3]))),
                ["rc8"] => by(raw!(|a, b, c| permute(a, b, REPLICATE_8[c as usize & 3]))),
                ["rc16"] => by(raw!(|a, b, c| permute(a, b, REPLICATE_16[c as usize & 3]))),
                ["ecl"] => by(raw!(|a, b, c| permute(a, b, EDGE_LEFT[c as usize & 3]))),
                ["ecr"] => by(raw!(|a, b, c| permute(a, b, EDGE_RIGHT[c as usize & 3]))),
                _ => None,
            }
        }
        // A comparison of -0 and of a denormal that is flushed is one of 0; a NaN selects the second.
        "slct" => ternary(match (options, ty) {
            ([_], "s32") => Some(raw!(|a, b, c| if c as i32 >= 0 { a } else { b })),
            ([_], "f32") => Some(raw!(|a, b, c| if f32::get(c) >= 0.0 { a } else { b })),
            (["ftz", _], "f32") => Some(raw!(|a, b, c| if f32::get(c) > -f32::MIN_POSITIVE { a } else { b })),
            _ => None,
        }),
        "sad" if plain(&[]) => ternary(match ty {
            "u16" => Some(typed!(u16, |a, b, c| a.abs_diff(b).wrapping_add(c))),
            "s16" => Some(raw!(|a, b, c| (a as i16).abs_diff(b as i16).wrapping_add(c as u16) as u64)),
            "u32" => Some(typed!(u32, |a, b, c| a.abs_diff(b).wrapping_add(c))),
            "s32" => Some(raw!(|a, b, c| (a as i32).abs_diff(b as i32).wrapping_add(c as u32) as u64)),
            "u64" => Some(typed!(u64, |a, b, c| a.abs_diff(b).wrapping_add(c))),
            "s64" => Some(raw!(|a, b, c| (a as i64).abs_diff(b as i64).wrapping_add(c))),
            _ => None,
        }),
        "fns" if plain(&[]) && ty == "b32" => {
            ternary(Some(raw!(|a, b, c| find_nth_set(a as u32, b as u32, c as i32) as u64)))
        }
        "bmsk" => binary(Some(match (options, ty) {
            (["clamp"], "b32") => raw!(|a, b| mask(a as u32, b as u32, true) as u64),
            (["wrap"], "b32") => raw!(|a, b| mask(a as u32, b as u32, false) as u64),
            _ => return None,
        })),
        "szext" => binary(Some(match (options, ty) {
            (["clamp"], "u32") => raw!(|a, b| extend_bits(a as u32, b as u32, false, true) as u64),
            (["clamp"], "s32") => raw!(|a, b| extend_bits(a as u32, b as u32, true, true) as u64),
            (["wrap"], "u32") => raw!(|a, b| extend_bits(a as u32, b as u32, false, false) as u64),
            (["wrap"], "s32") => raw!(|a, b| extend_bits(a as u32, b as u32, true, false) as u64),
            _ => return None,
        })),
        "dp4a" | "dp2a" => ternary(dot_product(words)),
        "mov" | "cvta" => unary(Some(raw!(|a| a))),
        _ => None,
    }
}

fn low_24(a: u64) -> u64 {
    a & 0xff_ffff
}

fn signed_24(a: u64) -> i64 {
    (a as i64) << 40 >> 40
}

fn dot_product(words: &[&str]) -> Option<AluFn> {
    macro_rules! by_sign {
        ($a:expr, $b:expr, $shift:literal, $halves:literal) => {
            match ($a, $b) {
                ("u32", "u32") => dot_product!(false, false, $shift, $halves),
                ("u32", "s32") => dot_product!(false, true, $shift, $halves),
                ("s32", "u32") => dot_product!(true, false, $shift, $halves),
                ("s32", "s32") => dot_product!(true, true, $shift, $halves),
                _ => return None,
            }
        };
    }
    macro_rules! dot_product {
        ($a:literal, $b:literal, $shift:literal, $halves:literal) => {
            raw!(|a, b, c| dot(a as u32, b as u32 >> $shift, c as u32, $a, $b, $halves) as u64)
        };
    }
    Some(match *words {
        ["dp4a", a, b] => by_sign!(a, b, 0, false),
        ["dp2a", "lo", a, b] => by_sign!(a, b, 0, true),
        ["dp2a", "hi", a, b] => by_sign!(a, b, 16, true),
        _ => return None,
    })
}

fn multiply_high(ty: &str) -> Option<AluFn> {
    Some(match ty {
        "u16" => raw!(|a, b| (a as u16 as u64 * b as u16 as u64) >> 16),
        "s16" => raw!(|a, b| ((a as i16 as i32 * b as i16 as i32) >> 16) as u16 as u64),
        "u32" => raw!(|a, b| (a as u32 as u64 * b as u32 as u64) >> 32),
        "s32" => raw!(|a, b| ((a as i32 as i64 * b as i32 as i64) >> 32) as u32 as u64),
        "u64" => raw!(|a, b| ((a as u128 * b as u128) >> 64) as u64),
        "s64" => raw!(|a, b| ((a as i64 as i128 * b as i64 as i128) >> 64) as u64),
        _ => return None,
    })
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
