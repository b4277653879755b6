//! Whether 32 bits were too few for an index: what the instructions before an access have computed is
//! computed once more, exactly.

use super::activation::source;
use super::context::{At, Context};
use super::warp::Warp;
use crate::arith::{Alu, Exact};
use crate::decode::{CONSTANT, Inst, Op, Reg, Role};

/// Instructions, one computed from the other, that are looked at.
const MAX_DEPTH: u32 = 12;

/// An index that has overflowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow {
    pub exact: i64,
    pub became: i64,
}

/// The registers of a lane at an access.
struct Lane<'a> {
    warp: &'a Warp,
    at: At<'a>,
    lane: usize,
}

/// How a register got its value: the number of the instruction, what that does, and its sources.
type Definition = (usize, Exact, [Reg; 4]);

impl Context<'_> {
    /// How the address of a lane of `at` has overflowed, if it has.
    pub fn overflow(&self, warp: &Warp, at: At) -> Option<Overflow> {
        let mut base = None;
        at.inst.op.operands(|role, register| {
            if role == Role::Addresses {
                base = base.or(Some(register));
            }
        });
        let here = at.function.code.iter().position(|inst| std::ptr::eq(inst, at.inst))?;
        let lane = at.mask.trailing_zeros() as usize;
        Lane { warp, at, lane }.wide(base?, here, MAX_DEPTH)
    }
}

impl Lane<'_> {
    /// The last instruction before number `before` that writes `register`.
    fn definition(&self, register: Reg, before: usize) -> Option<Definition> {
        let writes = |inst: &Inst| {
            let mut writes = false;
            inst.op.operands(|role, number| writes |= role == Role::Writes && number == register);
            writes
        };
        let pc = self.at.function.code[..before].iter().rposition(writes)?;
        match &self.at.function.code[pc].op {
            Op::Alu { f: Alu::Plain(f), s, .. } => Some((pc, f.exact?, *s)),
            _ => None,
        }
    }

    /// The overflow in a value of 64 bits.
    fn wide(&self, register: Reg, before: usize, depth: u32) -> Option<Overflow> {
        let depth = depth.checked_sub(1)?;
        let (pc, how, s) = self.definition(register, before)?;
        let wide = |source: Reg| self.wide(source, pc, depth);
        match how {
            Exact::Widens { signed } => {
                self.narrow(s[0], signed, pc).or_else(|| self.narrow(s[1], signed, pc)).or_else(|| wide(s[2]))
            }
            Exact::Wide => s[..3].iter().find_map(|source| wide(*source)),
            _ => None,
        }
    }

    /// The overflow in a value of 32 bits. One below 0 of what has no sign is none.
    fn narrow(&self, register: Reg, signed: bool, before: usize) -> Option<Overflow> {
        let became = self.value(register, signed);
        let exact = self.exact(register, signed, before, MAX_DEPTH);
        let most = if signed { i128::from(i32::MAX) } else { i128::from(u32::MAX) };
        let is_below = signed && exact < i128::from(i32::MIN);
        (exact > most || is_below)
            .then(|| Some(Overflow { exact: exact.try_into().ok()?, became: became.try_into().ok()? }))?
    }

    /// What a register of 32 bits would hold if it had room; what it does hold, if that is not known.
    fn exact(&self, register: Reg, signed: bool, before: usize, depth: u32) -> i128 {
        let value = self.value(register, signed);
        let Some((pc, how, s)) = self.definition(register, before).filter(|_| depth > 0) else {
            return value;
        };
        let of = |source: usize| self.exact(s[source], signed, pc, depth - 1);
        let product = || of(0).checked_mul(of(1));
        let exact = match how {
            Exact::Move => Some(of(0)),
            Exact::Add => Some(of(0) + of(1)),
            Exact::Sub => Some(of(0) - of(1)),
            Exact::Mul => product(),
            Exact::MulAdd => product().map(|product| product + of(2)),
            Exact::Shift => of(0).checked_mul(1 << (self.value(s[1], false) & 31)),
            Exact::Widens { .. } | Exact::Wide => None,
        };
        // A register may have got another value since.
        exact.filter(|exact| *exact as u32 == value as u32 && exact.abs() < 1 << 62).unwrap_or(value)
    }

    /// What a register of 32 bits holds. A constant has a sign: `n - 1` is `n + 4294967295` in PTX.
    fn value(&self, register: Reg, signed: bool) -> i128 {
        let activation = &self.warp.activations[self.at.slot as usize];
        let bits = source(activation, self.at.function, register)[self.lane] as u32;
        if signed || register >= CONSTANT { i128::from(bits as i32) } else { i128::from(bits) }
    }
}
