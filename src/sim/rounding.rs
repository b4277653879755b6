//! IEEE 754 arithmetic in the four rounding modes of PTX (PTX ISA 9.7.3): nearest-even, toward zero, down, up.
//!
//! Nearest-even is the host's own arithmetic. For the others the exact error of the nearest-even result is
//! computed (its sign is enough), and the result moved by one unit in the last place where it lies on the wrong
//! side. TwoSum: Knuth, TAOCP 4.2.2; the residuals of product, quotient and root come from one fused
//! multiply-add each.

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

/// `value` is the nearest result, `error` has the sign of (exact - value).
fn adjust64(value: f64, error: f64, mode: Mode) -> f64 {
    if error == 0.0 || error.is_nan() || value.is_nan() {
        return value;
    }
    match mode {
        Mode::Nearest => value,
        Mode::Down if error < 0.0 => value.next_down(),
        Mode::Up if error > 0.0 => value.next_up(),
        Mode::Zero if value > 0.0 && error < 0.0 => value.next_down(),
        Mode::Zero if value < 0.0 && error > 0.0 => value.next_up(),
        _ => value,
    }
}

/// Rounds `high + low` to single precision; `low` is the rest of an unevaluated sum, far below `high`.
fn narrow(high: f64, low: f64, mode: Mode) -> f32 {
    let nearest = high as f32;
    if mode == Mode::Nearest || !high.is_finite() {
        return nearest;
    }
    // (high - nearest) is exact where it is not so large that its sign is certain anyway.
    let difference = high - nearest as f64;
    let error = if difference == 0.0 { low } else { difference };
    if error == 0.0 || error.is_nan() {
        return nearest;
    }
    match mode {
        Mode::Down if error < 0.0 => nearest.next_down(),
        Mode::Up if error > 0.0 => nearest.next_up(),
        Mode::Zero if high > 0.0 && error < 0.0 => nearest.next_down(),
        Mode::Zero if high < 0.0 && error > 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// An exact zero that is the sum of two opposite numbers is -0 when rounding down (IEEE 754, 6.3).
fn zero_sum(sum: f64, a: f64, b: f64, mode: Mode) -> f64 {
    if sum == 0.0 && mode == Mode::Down && (a.is_sign_negative() || b.is_sign_negative()) {
        -0.0
    } else {
        sum
    }
}

pub fn add_f32(a: f32, b: f32, mode: Mode) -> f32 {
    if mode == Mode::Nearest {
        return a + b;
    }
    let (sum, rest) = two_sum(a as f64, b as f64);
    narrow(zero_sum(sum, a as f64, b as f64, mode), rest, mode)
}

pub fn add_f64(a: f64, b: f64, mode: Mode) -> f64 {
    if mode == Mode::Nearest {
        return a + b;
    }
    let (sum, rest) = two_sum(a, b);
    adjust64(zero_sum(sum, a, b, mode), rest, mode)
}

pub fn mul_f32(a: f32, b: f32, mode: Mode) -> f32 {
    if mode == Mode::Nearest { a * b } else { narrow(a as f64 * b as f64, 0.0, mode) }
}

pub fn mul_f64(a: f64, b: f64, mode: Mode) -> f64 {
    let product = a * b;
    if mode == Mode::Nearest { product } else { adjust64(product, a.mul_add(b, -product), mode) }
}

pub fn fma_f32(a: f32, b: f32, c: f32, mode: Mode) -> f32 {
    if mode == Mode::Nearest {
        return a.mul_add(b, c);
    }
    let product = a as f64 * b as f64;
    let (sum, rest) = two_sum(product, c as f64);
    narrow(zero_sum(sum, product, c as f64, mode), rest, mode)
}

pub fn fma_f64(a: f64, b: f64, c: f64, mode: Mode) -> f64 {
    let value = a.mul_add(b, c);
    if mode == Mode::Nearest {
        return value;
    }
    let product = a * b;
    let product_rest = a.mul_add(b, -product);
    let (sum, sum_rest) = two_sum(product, c);
    let (u, v) = two_sum(sum - value, sum_rest);
    adjust64(zero_sum(value, product, c, mode), u + (v + product_rest), mode)
}

pub fn div_f32(a: f32, b: f32, mode: Mode) -> f32 {
    if mode == Mode::Nearest {
        return a / b;
    }
    let quotient = a as f64 / b as f64;
    narrow(quotient, (-quotient).mul_add(b as f64, a as f64) / b as f64, mode)
}

pub fn div_f64(a: f64, b: f64, mode: Mode) -> f64 {
    let quotient = a / b;
    if mode == Mode::Nearest { quotient } else { adjust64(quotient, (-quotient).mul_add(b, a) / b, mode) }
}

pub fn sqrt_f32(a: f32, mode: Mode) -> f32 {
    if mode == Mode::Nearest {
        return a.sqrt();
    }
    let root = (a as f64).sqrt();
    narrow(root, (-root).mul_add(root, a as f64), mode)
}

pub fn sqrt_f64(a: f64, mode: Mode) -> f64 {
    let root = a.sqrt();
    if mode == Mode::Nearest { root } else { adjust64(root, (-root).mul_add(root, a), mode) }
}

pub fn f32_from_f64(a: f64, mode: Mode) -> f32 {
    narrow(a, 0.0, mode)
}

/// An integer, up to 64 bits of either sign, as a float.
pub fn f32_from_int(a: i128, mode: Mode) -> f32 {
    let nearest = a as f32;
    if mode == Mode::Nearest {
        return nearest;
    }
    match (nearest as i128).cmp(&a) {
        std::cmp::Ordering::Greater if mode == Mode::Down || (mode == Mode::Zero && a > 0) => {
            nearest.next_down()
        }
        std::cmp::Ordering::Less if mode == Mode::Up || (mode == Mode::Zero && a < 0) => nearest.next_up(),
        _ => nearest,
    }
}

pub fn f64_from_int(a: i128, mode: Mode) -> f64 {
    let nearest = a as f64;
    if mode == Mode::Nearest {
        return nearest;
    }
    match (nearest as i128).cmp(&a) {
        std::cmp::Ordering::Greater if mode == Mode::Down || (mode == Mode::Zero && a > 0) => {
            nearest.next_down()
        }
        std::cmp::Ordering::Less if mode == Mode::Up || (mode == Mode::Zero && a < 0) => nearest.next_up(),
        _ => nearest,
    }
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
