//! What an atomic operation makes of a word.

use super::float::Float;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AtomOp {
    Add,
    AddFloat(Float),
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    Inc,
    Dec,
}

/// The new value of an atomic, also used for `redux.sync`.
pub fn combine(op: AtomOp, bytes: u32, old: u64, b: u64, c: u64) -> u64 {
    let wide = bytes == 8;
    let mask = if wide { u64::MAX } else { (1 << (8 * bytes)) - 1 };
    let b = b & mask;
    let c = c & mask;
    let less_signed = if wide { (b as i64) < old as i64 } else { (b as i32) < old as i32 };
    match op {
        AtomOp::Add => old.wrapping_add(b) & mask,
        AtomOp::AddFloat(float) => float.register([old, b, 0]),
        AtomOp::MinU => old.min(b),
        AtomOp::MaxU => old.max(b),
        AtomOp::MinS if less_signed => b,
        AtomOp::MinS => old,
        AtomOp::MaxS if less_signed => old,
        AtomOp::MaxS => b,
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Exchange => b,
        AtomOp::CompareSwap if old == b => c,
        AtomOp::CompareSwap => old,
        AtomOp::Inc if old >= b => 0,
        AtomOp::Inc => old + 1,
        AtomOp::Dec if old == 0 || old > b => b,
        AtomOp::Dec => old - 1,
    }
}
