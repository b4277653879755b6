//! The integer instructions that kernels are full of, each as a loop over the lanes: PTX ISA 9.7.1 and 9.7.8.
//! The others are in `rare.rs`.

use super::lanes::{AluFn, Lanes, each};
use super::value::Value;

/// `$e` for the type of this many words, `$t` standing for it.
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
    let function = match (*name, options) {
        ("mov" | "cvta", _) => Some(looped!(u64, |a| a)),
        ("not", []) => by_bits!(*ty, T => looped!(T, |a| !a)),
        // The low bits of a sum and of a product do not depend on the signs.
        ("add", []) => by_bits!(*ty, T => looped!(T, |a, b| a.wrapping_add(b))),
        ("sub", []) => by_bits!(*ty, T => looped!(T, |a, b| a.wrapping_sub(b))),
        ("mul", ["lo"]) => by_bits!(*ty, T => looped!(T, |a, b| a.wrapping_mul(b))),
        ("mad", ["lo"]) => by_bits!(*ty, T => looped!(T, |a, b, c| a.wrapping_mul(b).wrapping_add(c))),
        ("mul", ["hi"]) if *ty == "u32" => Some(looped!(u32, |a, b| ((a as u64 * b as u64) >> 32) as u32)),
        ("mul", ["hi"]) if *ty == "s32" => Some(looped!(i32, |a, b| ((a as i64 * b as i64) >> 32) as i32)),
        ("mul", ["wide"]) if *ty == "u32" => Some(looped!(u32, |a, b| a as u64 * b as u64)),
        ("mul", ["wide"]) if *ty == "s32" => Some(looped!(i32, |a, b| a as i64 * b as i64)),
        ("mad", ["wide"]) if *ty == "u32" => {
            Some(looped!(u64, |a, b, c| (a as u32 as u64 * b as u32 as u64).wrapping_add(c)))
        }
        ("mad", ["wide"]) if *ty == "s32" => {
            Some(looped!(i64, |a, b, c| (a as i32 as i64 * b as i32 as i64).wrapping_add(c)))
        }
        // Division by zero is left open by PTX for integers; these are the bits that NVIDIA hardware gives.
        ("div", []) => by_int!(*ty, T => looped!(T, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) })),
        ("rem", []) => by_int!(*ty, T => looped!(T, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) })),
        ("min", []) => by_int!(*ty, T => looped!(T, |a, b| a.min(b))),
        ("max", []) => by_int!(*ty, T => looped!(T, |a, b| a.max(b))),
        ("and", []) => by_bits!(*ty, T => looped!(T, |a, b| a & b)),
        ("or", []) => by_bits!(*ty, T => looped!(T, |a, b| a | b)),
        ("xor", []) => by_bits!(*ty, T => looped!(T, |a, b| a ^ b)),
        // A shift by the width or more gives 0, or the sign; the amount is always 32 bits wide.
        ("shl", []) => {
            by_bits!(*ty, T => looped!(u64, |a, b| T::get(a).checked_shl(b as u32).unwrap_or(0)))
        }
        ("shr", []) => by_int!(*ty, T => looped!(u64, |a, b| {
            let a = T::get(a);
            a.checked_shr(b as u32).unwrap_or(if T::MIN == 0 { 0 } else { a >> (T::BITS - 1) })
        })),
        _ => None,
    };
    let sources = match *name {
        "mov" | "cvta" | "not" => 1,
        "mad" => 3,
        _ => 2,
    };
    Some((function?, sources))
}
