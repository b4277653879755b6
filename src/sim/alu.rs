//! What each arithmetic instruction does, to 32 lanes at once: PTX ISA 9.7.1 to 9.7.9.
//!
//! An opcode is looked up once, when the program is decoded, and becomes a plain function over lanes. Every
//! operand is 64 bits a lane; an operation reads the low bits that its type has and ignores the rest.

use super::rounding::{self as round, Mode};

/// Lanes of a warp.
pub const WARP: usize = 32;
/// One register of a warp.
pub type Lanes = [u64; WARP];
/// Writes the lanes of the mask from up to four sources.
pub type AluFn = fn(&mut Lanes, [&Lanes; 4], u32);
/// The lanes of the mask for which a comparison holds.
pub type TestFn = fn(&Lanes, &Lanes, u32) -> u32;

/// Calls `f` with every lane of `mask`. The full mask gets its own loop, which the compiler can vectorise.
#[inline(always)]
pub fn each(mask: u32, mut f: impl FnMut(usize)) {
    if mask == u32::MAX {
        for lane in 0..WARP {
            f(lane);
        }
    } else {
        let mut rest = mask;
        while rest != 0 {
            f(rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// A type as it lies in the low bits of a register.
pub trait Value: Copy {
    fn get(bits: u64) -> Self;
    fn put(self) -> u64;
}

macro_rules! values {
    ($($t:ty: $unsigned:ty),*) => {$(
        impl Value for $t {
            #[inline(always)]
            fn get(bits: u64) -> $t { bits as $t }
            #[inline(always)]
            fn put(self) -> u64 { self as $unsigned as u64 }
        }
    )*};
}
values!(u8: u8, i8: u8, u16: u16, i16: u16, u32: u32, i32: u32, u64: u64, i64: u64);

impl Value for f32 {
    #[inline(always)]
    fn get(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        // A NaN that an operation makes is the canonical one (PTX ISA 9.7.3).
        if self.is_nan() { 0x7fff_ffff } else { self.to_bits() as u64 }
    }
}

impl Value for f64 {
    #[inline(always)]
    fn get(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        if self.is_nan() { 0xfff8_0000_0000_0000 } else { self.to_bits() }
    }
}

/// An [`AluFn`] from an expression over the raw bits of its sources.
macro_rules! raw {
    (|$a:ident| $e:expr) => {
        raw!(|$a, _b, _c, _d| $e)
    };
    (|$a:ident, $b:ident| $e:expr) => {
        raw!(|$a, $b, _c, _d| $e)
    };
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        raw!(|$a, $b, $c, _d| $e)
    };
    (|$a:ident, $b:ident, $c:ident, $d:ident| $e:expr) => {{
        fn go(out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
            each(mask, |lane| {
                let ($a, $b, $c, $d) = (source[0][lane], source[1][lane], source[2][lane], source[3][lane]);
                out[lane] = $e;
            })
        }
        go as AluFn
    }};
}

/// An [`AluFn`] over sources of one type.
macro_rules! typed {
    ($t:ty, |$a:ident| $e:expr) => {
        raw!(|x| {
            let $a = <$t>::get(x);
            Value::put($e)
        })
    };
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {
        raw!(|x, y| {
            let ($a, $b) = (<$t>::get(x), <$t>::get(y));
            Value::put($e)
        })
    };
    ($t:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {
        raw!(|x, y, z| {
            let ($a, $b, $c) = (<$t>::get(x), <$t>::get(y), <$t>::get(z));
            Value::put($e)
        })
    };
}

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

/// One arm for each rounding mode.
macro_rules! by_mode {
    ($mode:expr, $m:ident => $e:expr) => {
        match $mode {
            Mode::Nearest => {
                const $m: Mode = Mode::Nearest;
                $e
            }
            Mode::Zero => {
                const $m: Mode = Mode::Zero;
                $e
            }
            Mode::Down => {
                const $m: Mode = Mode::Down;
                $e
            }
            Mode::Up => {
                const $m: Mode = Mode::Up;
                $e
            }
        }
    };
}

/// Denormals become zeros of the same sign (`.ftz`).
#[inline(always)]
fn flush(a: f32) -> f32 {
    if a.is_subnormal() { 0.0f32.copysign(a) } else { a }
}

fn minimum<T: PartialOrd + Copy>(a: T, b: T, a_nan: bool, b_nan: bool, a_negative: bool) -> T {
    if a_nan {
        b
    } else if b_nan || a < b || (a == b && a_negative) {
        a
    } else {
        b
    }
}

/// The function of an arithmetic opcode and how many sources it takes; `None` for one that is not known.
pub fn select(words: &[&str]) -> Option<(AluFn, usize)> {
    let (&name, &ty) = (words.first()?, words.last()?);
    let has = |word: &str| words.contains(&word);
    let mode = words.iter().find_map(|word| Mode::parse(word)).unwrap_or(Mode::Nearest);
    let plain = |allowed: &[&str]| words[1..words.len() - 1].iter().all(|word| allowed.contains(word));
    let float = matches!(ty, "f32" | "f64");
    if float && has("ftz") && ty == "f32" {
        return flushed(words);
    }
    let unary = |f: Option<AluFn>| f.map(|f| (f, 1));
    let binary = |f: Option<AluFn>| f.map(|f| (f, 2));
    let ternary = |f: Option<AluFn>| f.map(|f| (f, 3));
    match name {
        "add" | "sub" | "mul" if float && plain(&["rn", "rz", "rm", "rp", "sat"]) => {
            let f = match (name, ty) {
                ("add", "f32") => by_mode!(mode, M => typed!(f32, |a, b| round::add_f32(a, b, M))),
                ("add", _) => by_mode!(mode, M => typed!(f64, |a, b| round::add_f64(a, b, M))),
                ("sub", "f32") => by_mode!(mode, M => typed!(f32, |a, b| round::add_f32(a, -b, M))),
                ("sub", _) => by_mode!(mode, M => typed!(f64, |a, b| round::add_f64(a, -b, M))),
                (_, "f32") => by_mode!(mode, M => typed!(f32, |a, b| round::mul_f32(a, b, M))),
                _ => by_mode!(mode, M => typed!(f64, |a, b| round::mul_f64(a, b, M))),
            };
            if has("sat") {
                // Only the nearest mode is met with .sat in compiled code.
                let f = match name {
                    "add" => typed!(f32, |a, b| saturate(a + b)),
                    "sub" => typed!(f32, |a, b| saturate(a - b)),
                    _ => typed!(f32, |a, b| saturate(a * b)),
                };
                return (mode == Mode::Nearest && ty == "f32").then_some((f, 2));
            }
            Some((f, 2))
        }
        "add" if has("sat") => (ty == "s32").then_some((typed!(i32, |a, b| a.saturating_add(b)), 2)),
        "sub" if has("sat") => (ty == "s32").then_some((typed!(i32, |a, b| a.saturating_sub(b)), 2)),
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
        "mul24" if plain(&["lo"]) => binary(Some(match ty {
            "u32" => raw!(|a, b| (a as u32 & 0xff_ffff).wrapping_mul(b as u32 & 0xff_ffff) as u64),
            "s32" => raw!(|a, b| ((a as i32) << 8 >> 8).wrapping_mul((b as i32) << 8 >> 8) as u32 as u64),
            _ => return None,
        })),
        "mad" if plain(&["lo"]) && !float => {
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
        "fma" | "mad" if plain(&["rn", "rz", "rm", "rp"]) => Some(match ty {
            "f32" => (by_mode!(mode, M => typed!(f32, |a, b, c| round::fma_f32(a, b, c, M))), 3),
            "f64" => (by_mode!(mode, M => typed!(f64, |a, b, c| round::fma_f64(a, b, c, M))), 3),
            _ => return None,
        }),
        // Division by zero is left open by PTX for integers; these are the bits that NVIDIA hardware gives.
        "div" if !float && plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| {
            if b == 0 { !0 } else { a.wrapping_div(b) }
        }))),
        "rem" if plain(&[]) => {
            binary(by_int!(ty, T => typed!(T, |a, b| if b == 0 { a } else { a.wrapping_rem(b) })))
        }
        "div" if plain(&["rn", "rz", "rm", "rp", "approx", "full"]) => Some(match ty {
            "f32" => (by_mode!(mode, M => typed!(f32, |a, b| round::div_f32(a, b, M))), 2),
            _ => (by_mode!(mode, M => typed!(f64, |a, b| round::div_f64(a, b, M))), 2),
        }),
        "rcp" if plain(&["rn", "rz", "rm", "rp", "approx"]) => Some(match ty {
            "f32" => (by_mode!(mode, M => typed!(f32, |a| round::div_f32(1.0, a, M))), 1),
            "f64" => (by_mode!(mode, M => typed!(f64, |a| round::div_f64(1.0, a, M))), 1),
            _ => return None,
        }),
        "sqrt" if plain(&["rn", "rz", "rm", "rp", "approx"]) => Some(match ty {
            "f32" => (by_mode!(mode, M => typed!(f32, |a| round::sqrt_f32(a, M))), 1),
            "f64" => (by_mode!(mode, M => typed!(f64, |a| round::sqrt_f64(a, M))), 1),
            _ => return None,
        }),
        // The approximations are computed in double precision and rounded: closer than the hardware's, which
        // may be a few units in the last place away (PTX ISA gives the bounds).
        "rsqrt" if plain(&["approx"]) => unary(match ty {
            "f32" => Some(typed!(f32, |a| (1.0 / (a as f64).sqrt()) as f32)),
            "f64" => Some(typed!(f64, |a| 1.0 / a.sqrt())),
            _ => None,
        }),
        "ex2" if ty == "f32" => unary(Some(typed!(f32, |a| (a as f64).exp2() as f32))),
        "lg2" if ty == "f32" => unary(Some(typed!(f32, |a| (a as f64).log2() as f32))),
        "sin" if ty == "f32" => unary(Some(typed!(f32, |a| (a as f64).sin() as f32))),
        "cos" if ty == "f32" => unary(Some(typed!(f32, |a| (a as f64).cos() as f32))),
        "tanh" if ty == "f32" => unary(Some(typed!(f32, |a| (a as f64).tanh() as f32))),
        "min" | "max" if float && plain(&["NaN"]) => {
            let (nan, least) = (has("NaN"), name == "min");
            Some((
                match (ty, least, nan) {
                    ("f32", true, false) => {
                        typed!(f32, |a, b| minimum(a, b, a.is_nan(), b.is_nan(), a.is_sign_negative()))
                    }
                    ("f32", false, false) => {
                        typed!(f32, |a, b| -minimum(-a, -b, a.is_nan(), b.is_nan(), !a.is_sign_negative()))
                    }
                    ("f32", true, true) => typed!(f32, |a, b| if a.is_nan() || b.is_nan() {
                        f32::NAN
                    } else {
                        minimum(a, b, false, false, a.is_sign_negative())
                    }),
                    ("f32", false, true) => typed!(f32, |a, b| if a.is_nan() || b.is_nan() {
                        f32::NAN
                    } else {
                        -minimum(-a, -b, false, false, !a.is_sign_negative())
                    }),
                    (_, true, false) => {
                        typed!(f64, |a, b| minimum(a, b, a.is_nan(), b.is_nan(), a.is_sign_negative()))
                    }
                    (_, false, false) => {
                        typed!(f64, |a, b| -minimum(-a, -b, a.is_nan(), b.is_nan(), !a.is_sign_negative()))
                    }
                    _ => return None,
                },
                2,
            ))
        }
        "min" if plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| a.min(b)))),
        "max" if plain(&[]) => binary(by_int!(ty, T => typed!(T, |a, b| a.max(b)))),
        "abs" if plain(&[]) => unary(match ty {
            "s16" => Some(typed!(i16, |a| a.wrapping_abs())),
            "s32" => Some(typed!(i32, |a| a.wrapping_abs())),
            "s64" => Some(typed!(i64, |a| a.wrapping_abs())),
            "f32" => Some(raw!(|a| a & 0x7fff_ffff)),
            "f64" => Some(raw!(|a| a & (u64::MAX >> 1))),
            _ => None,
        }),
        "neg" if plain(&[]) => unary(match ty {
            "s16" => Some(typed!(i16, |a| a.wrapping_neg())),
            "s32" => Some(typed!(i32, |a| a.wrapping_neg())),
            "s64" => Some(typed!(i64, |a| a.wrapping_neg())),
            "f32" => Some(raw!(|a| (a ^ 0x8000_0000) & 0xffff_ffff)),
            "f64" => Some(raw!(|a| a ^ (1 << 63))),
            _ => None,
        }),
        "copysign" => binary(match ty {
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
        "clz" => unary(by_bits!(ty, T => raw!(|a| T::get(a).leading_zeros() as u64))),
        "popc" => unary(by_bits!(ty, T => raw!(|a| T::get(a).count_ones() as u64))),
        "brev" => unary(by_bits!(ty, T => typed!(T, |a| a.reverse_bits()))),
        "bfind" => {
            let shift_amount = has("shiftamt");
            unary(match (ty, shift_amount) {
                ("u32", false) => Some(raw!(|a| find_bit(a as u32 as u64, 32, false))),
                ("u32", true) => Some(raw!(|a| find_bit(a as u32 as u64, 32, true))),
                ("u64", false) => Some(raw!(|a| find_bit(a, 64, false))),
                ("u64", true) => Some(raw!(|a| find_bit(a, 64, true))),
                ("s32", false) => {
                    Some(raw!(|a| find_bit((a as i32 ^ (a as i32 >> 31)) as u32 as u64, 32, false)))
                }
                ("s32", true) => {
                    Some(raw!(|a| find_bit((a as i32 ^ (a as i32 >> 31)) as u32 as u64, 32, true)))
                }
                ("s64", false) => Some(raw!(|a| find_bit((a as i64 ^ (a as i64 >> 63)) as u64, 64, false))),
                ("s64", true) => Some(raw!(|a| find_bit((a as i64 ^ (a as i64 >> 63)) as u64, 64, true))),
                _ => None,
            })
        }
        "bfe" => ternary(match ty {
            "u32" => Some(raw!(|a, b, c| extract(a as u32 as u64, b, c, 32, false))),
            "u64" => Some(raw!(|a, b, c| extract(a, b, c, 64, false))),
            "s32" => Some(raw!(|a, b, c| extract(a as u32 as u64, b, c, 32, true) & 0xffff_ffff)),
            "s64" => Some(raw!(|a, b, c| extract(a, b, c, 64, true))),
            _ => None,
        }),
        "bfi" => Some(match ty {
            "b32" => (raw!(|a, b, c, d| insert(a, b, c, d, 32) & 0xffff_ffff), 4),
            "b64" => (raw!(|a, b, c, d| insert(a, b, c, d, 64)), 4),
            _ => return None,
        }),
        "prmt" => ternary(match *words.get(2).unwrap_or(&"") {
            "" => Some(raw!(|a, b, c| permute(a, b, c as u32, |selector, i| (selector >> (4 * i)) & 0xf))),
            _ => None,
        }),
        "lop3" if ty == "b32" => Some((
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
        "slct" => ternary(match ty {
            "s32" => Some(raw!(|a, b, c| if c as i32 >= 0 { a } else { b })),
            "f32" => Some(raw!(|a, b, c| if f32::from_bits(c as u32) >= 0.0 { a } else { b })),
            _ => None,
        }),
        "sad" if plain(&[]) => ternary(match ty {
            "u32" => Some(typed!(u32, |a, b, c| a.abs_diff(b).wrapping_add(c))),
            "s32" => Some(raw!(|a, b, c| ((a as i32).abs_diff(b as i32)).wrapping_add(c as u32) as u64)),
            "u64" => Some(typed!(u64, |a, b, c| a.abs_diff(b).wrapping_add(c))),
            "s64" => Some(raw!(|a, b, c| (a as i64).abs_diff(b as i64).wrapping_add(c))),
            _ => None,
        }),
        "mov" | "cvta" => unary(Some(raw!(|a| a))),
        "cvt" => super::convert::select(words).map(|f| (f, 1)),
        _ => None,
    }
}

/// `.ftz` on single precision: the same operation with denormal inputs and results flushed.
fn flushed(words: &[&str]) -> Option<(AluFn, usize)> {
    let name = words[0];
    let mode = words.iter().find_map(|word| Mode::parse(word)).unwrap_or(Mode::Nearest);
    if words.contains(&"sat") || words.contains(&"NaN") {
        return None;
    }
    Some(match name {
        "add" => (by_mode!(mode, M => typed!(f32, |a, b| flush(round::add_f32(flush(a), flush(b), M)))), 2),
        "sub" => (by_mode!(mode, M => typed!(f32, |a, b| flush(round::add_f32(flush(a), -flush(b), M)))), 2),
        "mul" => (by_mode!(mode, M => typed!(f32, |a, b| flush(round::mul_f32(flush(a), flush(b), M)))), 2),
        "fma" => (
            by_mode!(mode, M => typed!(f32, |a, b, c| flush(round::fma_f32(flush(a), flush(b), flush(c), M)))),
            3,
        ),
        "div" => (by_mode!(mode, M => typed!(f32, |a, b| flush(round::div_f32(flush(a), flush(b), M)))), 2),
        "rcp" => (by_mode!(mode, M => typed!(f32, |a| flush(round::div_f32(1.0, flush(a), M)))), 1),
        "sqrt" => (by_mode!(mode, M => typed!(f32, |a| flush(round::sqrt_f32(flush(a), M)))), 1),
        "rsqrt" => (typed!(f32, |a| flush((1.0 / (flush(a) as f64).sqrt()) as f32)), 1),
        "ex2" => (typed!(f32, |a| flush((flush(a) as f64).exp2() as f32)), 1),
        "lg2" => (typed!(f32, |a| flush((flush(a) as f64).log2() as f32)), 1),
        "sin" => (typed!(f32, |a| flush((flush(a) as f64).sin() as f32)), 1),
        "cos" => (typed!(f32, |a| flush((flush(a) as f64).cos() as f32)), 1),
        "abs" => (typed!(f32, |a| flush(a).abs()), 1),
        "neg" => (typed!(f32, |a| -flush(a)), 1),
        "min" => (
            typed!(f32, |x, y| {
                let (a, b) = (flush(x), flush(y));
                minimum(a, b, a.is_nan(), b.is_nan(), a.is_sign_negative())
            }),
            2,
        ),
        "max" => (
            typed!(f32, |x, y| {
                let (a, b) = (flush(x), flush(y));
                -minimum(-a, -b, a.is_nan(), b.is_nan(), !a.is_sign_negative())
            }),
            2,
        ),
        "cvt" => (super::convert::select(words)?, 1),
        _ => return None,
    })
}

/// `[0, 1]`, NaN as 0 (`.sat` on floats).
pub fn saturate(a: f32) -> f32 {
    if a.is_nan() { 0.0 } else { a.clamp(0.0, 1.0) + 0.0 }
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

fn funnel_left(a: u64, b: u64, n: u32) -> u64 {
    let joined = (b as u32 as u64) << 32 | a as u32 as u64;
    if n == 32 { a as u32 as u64 } else { (joined << n) >> 32 }
}

fn funnel_right(a: u64, b: u64, n: u32) -> u64 {
    let joined = (b as u32 as u64) << 32 | a as u32 as u64;
    (joined >> n) as u32 as u64
}

/// Position of the most significant set bit, or how far it is from the top; all ones if there is none.
fn find_bit(a: u64, width: u32, shift_amount: bool) -> u64 {
    if a == 0 {
        return 0xffff_ffff;
    }
    let position = 63 - a.leading_zeros();
    (if shift_amount { width - 1 - position } else { position }) as u64
}

/// `bfe` (PTX ISA 9.7.1.19): `length` bits from `start` on, filled up with zeros or the field's sign.
fn extract(a: u64, start: u64, length: u64, width: u32, signed: bool) -> u64 {
    let (start, length) = ((start & 0xff) as u32, (length & 0xff) as u32);
    let top = width - 1;
    let sign_at = (start + length).saturating_sub(1).min(top);
    let sign = signed && length != 0 && a >> sign_at & 1 == 1;
    let mut out = if sign { u64::MAX } else { 0 };
    for i in 0..length.min(width) {
        let from = start + i;
        let bit = if from <= top { a >> from & 1 } else { sign as u64 };
        out = (out & !(1 << i)) | bit << i;
    }
    out
}

/// `bfi` (PTX ISA 9.7.1.20): the low `length` bits of `a` put into `b` from `start` on.
fn insert(a: u64, b: u64, start: u64, length: u64, width: u32) -> u64 {
    let (start, length) = ((start & 0xff) as u32, (length & 0xff) as u32);
    let mut out = b;
    for i in 0..length {
        let to = start + i;
        if to >= width || i >= width {
            break;
        }
        out = (out & !(1 << to)) | (a >> i & 1) << to;
    }
    out
}

fn permute(a: u64, b: u64, selector: u32, pick: fn(u32, u32) -> u32) -> u64 {
    let bytes = (b as u32 as u64) << 32 | a as u32 as u64;
    let mut out = 0;
    for i in 0..4 {
        let choice = pick(selector, i);
        let byte = bytes >> (8 * (choice & 7)) & 0xff;
        let byte = if choice & 8 != 0 { if byte & 0x80 != 0 { 0xff } else { 0 } } else { byte };
        out |= byte << (8 * i);
    }
    out
}

/// The comparison of `setp` and `set` (PTX ISA 9.7.6): words like `["lt", "u32"]`.
pub fn test(compare: &str, ty: &str, ftz: bool) -> Option<TestFn> {
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
    macro_rules! floats {
        ($t:ty, $f:expr) => {
            match compare {
                "eq" => holds!($t, |a, b| $f(a) == $f(b)),
                "ne" => holds!($t, |a, b| $f(a) != $f(b) && !a.is_nan() && !b.is_nan()),
                "lt" => holds!($t, |a, b| $f(a) < $f(b)),
                "le" => holds!($t, |a, b| $f(a) <= $f(b)),
                "gt" => holds!($t, |a, b| $f(a) > $f(b)),
                "ge" => holds!($t, |a, b| $f(a) >= $f(b)),
                "equ" => holds!($t, |a, b| $f(a) == $f(b) || a.is_nan() || b.is_nan()),
                "neu" => holds!($t, |a, b| $f(a) != $f(b)),
                "ltu" => holds!($t, |a, b| $f(a) < $f(b) || a.is_nan() || b.is_nan()),
                "leu" => holds!($t, |a, b| $f(a) <= $f(b) || a.is_nan() || b.is_nan()),
                "gtu" => holds!($t, |a, b| $f(a) > $f(b) || a.is_nan() || b.is_nan()),
                "geu" => holds!($t, |a, b| $f(a) >= $f(b) || a.is_nan() || b.is_nan()),
                "num" => holds!($t, |a, b| !a.is_nan() && !b.is_nan()),
                "nan" => holds!($t, |a, b| a.is_nan() || b.is_nan()),
                _ => return None,
            }
        };
    }
    if matches!(ty, "f32" | "f64") {
        return Some(match (ty, ftz) {
            ("f32", true) => floats!(f32, flush),
            ("f32", false) => floats!(f32, std::convert::identity),
            _ => floats!(f64, std::convert::identity),
        });
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
