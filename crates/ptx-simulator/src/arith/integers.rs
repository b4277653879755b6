//! The instructions on integers and bits: PTX ISA 9.7.1, 9.7.8 and 9.7.9.

use super::bits::*;
use super::lanes::{AluFn, Common, LaneFn, Lanes, each};
use super::value::Value;
use crate::ptx::type_bytes;

/// The types as PTX calls them.
#[allow(non_camel_case_types)]
mod types {
    pub type b16 = u16;
    pub type b32 = u32;
    pub type b64 = u64;
    pub type s16 = i16;
    pub type s32 = i32;
    pub type s64 = i64;
}
use types::*;

/// An instruction as it is spelled, how many sources it has, and what it does.
type Row<F> = (&'static str, usize, F);

/// The function that `words` spell, as a loop over the lanes, and how many sources it has.
pub fn select(words: &[&str]) -> Option<(AluFn, usize)> {
    match words[0] {
        "mov" | "cvta" => Some((AluFn { common: Some(Common::Move), ..looped!(u64, |a| a) }, 1)),
        _ => {
            let spelled = words.join(".");
            let (f, sources) = find(COMMON, &spelled)?;
            let common = match &spelled[..] {
                "add.s32" | "add.u32" => Some(Common::Add32),
                "add.s64" | "add.u64" => Some(Common::Add64),
                "sub.s64" | "sub.u64" => Some(Common::Sub64),
                _ => None,
            };
            Some((AluFn { common, ..f }, sources))
        }
    }
}

/// The same of one that kernels seldom have.
pub fn select_rare(words: &[&str]) -> Option<(LaneFn, usize)> {
    match words {
        // What is selected may have any type.
        ["slct", how @ .., ty, of] if type_bytes(ty).is_some() => {
            find(RARE, &[&["slct"], how, &[*of]].concat().join("."))
        }
        _ => find(RARE, &words.join(".")),
    }
}

fn find<F: Copy>(rows: &[&[Row<F>]], spelled: &str) -> Option<(F, usize)> {
    let &(_, sources, function) = rows.iter().copied().flatten().find(|row| row.0 == spelled)?;
    Some((function, sources))
}

/// Each row has a name; in brackets the types for which the instruction exists, which end its name; behind
/// `as` the one that its sources are read as, if that is not the type; and what it does with this many
/// sources. Of it `$make` makes the function.
///
/// `"add" [u16 u32]` is `add.u16` and `add.u32`, `"add.u16x2" as u32` is that alone.
macro_rules! rows {
    ($make:ident: $($name:literal $([$($t:ident)+])? $(as $read:ident)? ($($does:tt)+),)*) => {
        &[$(rows!(@ $make $name $([$($t)+])? $(as $read)? ($($does)+))),*]
    };
    (@ $make:ident $name:literal [$($t:ident)+] as $read:ident $does:tt) => {
        &[$(rows!(@ $make (concat!($name, ".", stringify!($t))) $t $read $does)),+]
    };
    (@ $make:ident $name:literal [$($t:ident)+] $does:tt) => {
        &[$(rows!(@ $make (concat!($name, ".", stringify!($t))) $t $t $does)),+]
    };
    (@ $make:ident $name:literal as $read:ident $does:tt) => {
        &[rows!(@ $make ($name) $read $read $does)]
    };
    (@ $make:ident ($name:expr) $t:ident $read:ident (|$($a:ident),+| $e:expr)) => {
        ($name, [$(stringify!($a)),+].len(), {
            #[allow(dead_code)]
            type T = $t;
            $make!($read, |$($a),+| $e)
        })
    };
}

/// A [`LaneFn`] from an expression over values of one type.
macro_rules! single {
    ($t:ty, |$($a:ident),+| $e:expr) => {{
        fn go(source: [u64; 4]) -> u64 {
            let [$($a,)+ ..] = source;
            $(let $a = <$t>::get($a);)+
            Value::put($e)
        }
        go as LaneFn
    }};
}

const COMMON: &[&[Row<AluFn>]] = rows! { looped:
    "not" [b16 b32 b64] (|a| !a),
    "and" [b16 b32 b64] (|a, b| a & b),
    "or" [b16 b32 b64] (|a, b| a | b),
    "xor" [b16 b32 b64] (|a, b| a ^ b),
    "add" [u16 s16 u32 s32 u64 s64] (|a, b| a.wrapping_add(b)),
    "sub" [u16 s16 u32 s32 u64 s64] (|a, b| a.wrapping_sub(b)),
    "min" [u16 s16 u32 s32 u64 s64] (|a, b| a.min(b)),
    "max" [u16 s16 u32 s32 u64 s64] (|a, b| a.max(b)),
    "mul.lo" [u16 s16 u32 s32 u64 s64] (|a, b| a.wrapping_mul(b)),
    "mad.lo" [u16 s16 u32 s32 u64 s64] (|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
    "mul.hi" [u32] (|a, b| ((a as u64 * b as u64) >> 32) as u32),
    "mul.hi" [s32] (|a, b| ((a as i64 * b as i64) >> 32) as i32),
    "mul.wide" [u32] (|a, b| a as u64 * b as u64),
    "mul.wide" [s32] (|a, b| a as i64 * b as i64),
    "mad.wide.u32" as u64 (|a, b, c| (a as u32 as u64 * b as u32 as u64).wrapping_add(c)),
    "mad.wide.s32" as s64 (|a, b, c| (a as i32 as i64 * b as i32 as i64).wrapping_add(c)),
    // Division by zero is left open by PTX for integers; these are the bits that NVIDIA hardware gives.
    "div" [u16 s16 u32 s32 u64 s64] (|a, b| if b == 0 { !0 } else { a.wrapping_div(b) }),
    "rem" [u16 s16 u32 s32 u64 s64] (|a, b| if b == 0 { !0 } else { a.wrapping_rem(b) }),
    // A shift by the width or more gives 0, or the sign; the amount is always 32 bits wide.
    "shl" [b16 b32 b64] as u64 (|a, b| T::get(a).checked_shl(b as u32).unwrap_or(0)),
    "shr" [b16 b32 b64 u16 u32 u64] as u64 (|a, b| T::get(a).checked_shr(b as u32).unwrap_or(0)),
    "shr" [s16 s32 s64] as u64 (|a, b| T::get(a) >> (b as u32).min(T::BITS - 1)),
};

const RARE: &[&[Row<LaneFn>]] = rows! { single:
    "abs" [s16 s32 s64] (|a| a.wrapping_abs()),
    "neg" [s16 s32 s64] (|a| a.wrapping_neg()),
    "cnot" [b16 b32 b64] (|a| (a == 0) as u8),
    "clz" [b32 b64] (|a| a.leading_zeros()),
    "popc" [b32 b64] (|a| a.count_ones()),
    "brev" [b32 b64] (|a| a.reverse_bits()),
    "bfind" [u32 u64] (|a| find_bit(a as u64, T::BITS, false)),
    "bfind" [s32 s64] (|a| find_bit(without_sign(a as i64), T::BITS, false)),
    "bfind.shiftamt" [u32 u64] (|a| find_bit(a as u64, T::BITS, true)),
    "bfind.shiftamt" [s32 s64] (|a| find_bit(without_sign(a as i64), T::BITS, true)),
    "add.sat" [s32] (|a, b| a.saturating_add(b)),
    "sub.sat" [s32] (|a, b| a.saturating_sub(b)),
    "add.u16x2" as u32 (|a, b| both_halves(a, b, u16::wrapping_add)),
    "add.s16x2" as u32 (|a, b| both_halves(a, b, u16::wrapping_add)),
    "min.u16x2" as u32 (|a, b| both_halves(a, b, u16::min)),
    "max.u16x2" as u32 (|a, b| both_halves(a, b, u16::max)),
    "min.s16x2" as u32 (|a, b| both_halves(a, b, |a, b| (a as i16).min(b as i16) as u16)),
    "max.s16x2" as u32 (|a, b| both_halves(a, b, |a, b| (a as i16).max(b as i16) as u16)),
    "mul.hi" [u16] (|a, b| (a as u32 * b as u32) >> 16),
    "mul.hi" [s16] (|a, b| ((a as i32 * b as i32) >> 16) as i16),
    "mul.hi" [u64] (|a, b| ((a as u128 * b as u128) >> 64) as u64),
    "mul.hi" [s64] (|a, b| ((a as i128 * b as i128) >> 64) as i64),
    "mul.wide" [u16] (|a, b| a as u32 * b as u32),
    "mul.wide" [s16] (|a, b| a as i32 * b as i32),
    "mul24.lo" [u32] (|a, b| (low_24(a) * low_24(b)) as u32),
    "mul24.hi" [u32] (|a, b| ((low_24(a) * low_24(b)) >> 16) as u32),
    "mul24.lo" [s32] (|a, b| (signed_24(a) * signed_24(b)) as i32),
    "mul24.hi" [s32] (|a, b| ((signed_24(a) * signed_24(b)) >> 16) as i32),
    "copysign.f32" as u32 (|a, b| (b & 0x7fff_ffff) | (a & 0x8000_0000)),
    "copysign.f64" as u64 (|a, b| (b & (u64::MAX >> 1)) | (a & (1 << 63))),
    "bmsk.clamp" [b32] (|a, b| mask(a, b, true)),
    "bmsk.wrap" [b32] (|a, b| mask(a, b, false)),
    "szext.clamp" [u32] (|a, b| extend_bits(a, b, false, true)),
    "szext.clamp" [s32] (|a, b| extend_bits(a as u32, b as u32, true, true)),
    "szext.wrap" [u32] (|a, b| extend_bits(a, b, false, false)),
    "szext.wrap" [s32] (|a, b| extend_bits(a as u32, b as u32, true, false)),
    "mad.hi" [u32] (|a, b, c| (((a as u64 * b as u64) >> 32) as u32).wrapping_add(c)),
    "mad.hi" [s32] (|a, b, c| (((a as i64 * b as i64) >> 32) as i32).wrapping_add(c)),
    "mad.hi" [u64] (|a, b, c| (((a as u128 * b as u128) >> 64) as u64).wrapping_add(c)),
    "mad.hi" [s64] (|a, b, c| (((a as i128 * b as i128) >> 64) as i64).wrapping_add(c)),
    "mad.wide.u16" as u32 (|a, b, c| ((a as u16 as u32) * (b as u16 as u32)).wrapping_add(c)),
    "mad.wide.s16" as i32 (|a, b, c| ((a as i16 as i32) * (b as i16 as i32)).wrapping_add(c)),
    "shf.l.clamp" [b32] (|a, b, c| funnel_left(a, b, c.min(32))),
    "shf.l.wrap" [b32] (|a, b, c| funnel_left(a, b, c & 31)),
    "shf.r.clamp" [b32] (|a, b, c| funnel_right(a, b, c.min(32))),
    "shf.r.wrap" [b32] (|a, b, c| funnel_right(a, b, c & 31)),
    "bfe.u32" as u64 (|a, b, c| extract(a as u32 as u64, b, c, 32, false)),
    "bfe.u64" as u64 (|a, b, c| extract(a, b, c, 64, false)),
    "bfe.s32" as u64 (|a, b, c| extract(a as u32 as u64, b, c, 32, true) as u32),
    "bfe.s64" as u64 (|a, b, c| extract(a, b, c, 64, true)),
    "prmt" [b32] (|a, b, c| permute(a, b, c)),
    "prmt.b32.f4e" as u32 (|a, b, c| permute(a, b, FORWARD[c as usize & 3])),
    "prmt.b32.b4e" as u32 (|a, b, c| permute(a, b, BACKWARD[c as usize & 3])),
    "prmt.b32.rc8" as u32 (|a, b, c| permute(a, b, REPLICATE_8[c as usize & 3])),
    "prmt.b32.rc16" as u32 (|a, b, c| permute(a, b, REPLICATE_16[c as usize & 3])),
    "prmt.b32.ecl" as u32 (|a, b, c| permute(a, b, EDGE_LEFT[c as usize & 3])),
    "prmt.b32.ecr" as u32 (|a, b, c| permute(a, b, EDGE_RIGHT[c as usize & 3])),
    // A comparison of -0 and of a denormal that is flushed is one of 0; a NaN selects the second.
    "slct.s32" as u64 (|a, b, c| if c as i32 >= 0 { a } else { b }),
    "slct.f32" as u64 (|a, b, c| if f32::get(c) >= 0.0 { a } else { b }),
    "slct.ftz.f32" as u64 (|a, b, c| if f32::get(c) > -f32::MIN_POSITIVE { a } else { b }),
    "sad" [u16 u32 u64] (|a, b, c| a.abs_diff(b).wrapping_add(c)),
    "sad" [s16 s32 s64] (|a, b, c| a.abs_diff(b).wrapping_add_signed(c)),
    // `__vabsdiffu4` and `__vsadu4`; nvcc writes no other of the video instructions.
    "vabsdiff4.u32.u32" [u32] (|a, b, _c| u32::from_le_bytes(differences(a, b))),
    "vabsdiff4.u32.u32.u32.add" as u32 (|a, b, c| {
        differences(a, b).iter().fold(c, |sum, byte| sum.wrapping_add((*byte).into()))
    }),
    "fns" [b32] (|a, b, c| find_nth_set(a, b, c as i32)),
    "dp4a.u32" [u32] (|a, b, c| dot(a, b, c, false, false, false)),
    "dp4a.u32.s32" as u32 (|a, b, c| dot(a, b, c, false, true, false)),
    "dp4a.s32" [u32] (|a, b, c| dot(a, b, c, true, false, false)),
    "dp4a.s32.s32" as u32 (|a, b, c| dot(a, b, c, true, true, false)),
    "dp2a.lo.u32" [u32] (|a, b, c| dot(a, b, c, false, false, true)),
    "dp2a.lo.u32.s32" as u32 (|a, b, c| dot(a, b, c, false, true, true)),
    "dp2a.lo.s32" [u32] (|a, b, c| dot(a, b, c, true, false, true)),
    "dp2a.lo.s32.s32" as u32 (|a, b, c| dot(a, b, c, true, true, true)),
    "dp2a.hi.u32" [u32] (|a, b, c| dot(a, b >> 16, c, false, false, true)),
    "dp2a.hi.u32.s32" as u32 (|a, b, c| dot(a, b >> 16, c, false, true, true)),
    "dp2a.hi.s32" [u32] (|a, b, c| dot(a, b >> 16, c, true, false, true)),
    "dp2a.hi.s32.s32" as u32 (|a, b, c| dot(a, b >> 16, c, true, true, true)),
    "bfi.b32" as u64 (|a, b, c, d| insert(a, b, c, d, 32) as u32),
    "bfi" [b64] (|a, b, c, d| insert(a, b, c, d, 64)),
    "lop3" [b32] (|a, b, c, table| lookup(a, b, c, table)),
};

/// A negative number's complement, in which `bfind` looks for the highest bit that is not the sign.
fn without_sign(a: i64) -> u64 {
    (a ^ (a >> 63)) as u64
}

/// What `of` gives for the lower halves, and for the upper ones (PTX ISA 9.7.1, types .u16x2 and .s16x2).
fn both_halves(a: u32, b: u32, of: impl Fn(u16, u16) -> u16) -> u32 {
    let lower = of(a as u16, b as u16);
    let upper = of((a >> 16) as u16, (b >> 16) as u16);
    u32::from(upper) << 16 | u32::from(lower)
}

/// How far the bytes are apart.
fn differences(a: u32, b: u32) -> [u8; 4] {
    let a = a.to_le_bytes();
    let b = b.to_le_bytes();
    std::array::from_fn(|byte| a[byte].abs_diff(b[byte]))
}

fn low_24(a: u32) -> u64 {
    u64::from(a & 0xff_ffff)
}

fn signed_24(a: i32) -> i64 {
    i64::from(a << 8 >> 8)
}
