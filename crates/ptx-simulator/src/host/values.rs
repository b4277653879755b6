//! What the seldom steps do to values, one thread's.

use super::code::{Rare, slot_of, slot_of_predicate};
use crate::arith::low;
use crate::decode::{Function, Guard, NONE, Op, Reg};
use crate::memory::{extend, read, write};

/// Does a step that comes from `op`, with the values and the frame of its function. `now` is what a clock
/// shows.
pub fn execute(rare: &Rare, op: &Op, function: &Function, values: &mut [u64], frame: &mut [u8], now: u64) {
    match rare {
        Rare::Alu4 { f, d, s } => values[*d as usize] = f(s.map(|slot| values[slot as usize])),
        Rare::General { f, d, s } => values[*d as usize] = f.one(s.map(|slot| values[slot as usize])),
        Rare::Test { f, d, q, a, b } => {
            let holds = f.one(values[*a as usize], values[*b as usize]);
            values[*q as usize] = u64::from(!holds);
            values[*d as usize] = u64::from(holds);
        }
        Rare::LoadParams { offset, d, bytes, signed } => {
            for (number, d) in d.iter().enumerate() {
                let value = read(&frame[offset + number * bytes..][..*bytes]);
                values[*d as usize] = extend(value, *bytes as u32, *signed);
            }
        }
        Rare::StoreParams { offset, s, bytes } => {
            for (number, s) in s.iter().enumerate() {
                write(&mut frame[offset + number * bytes..][..*bytes], values[*s as usize]);
            }
        }
        _ => plain(op, function, values, now),
    }
}

/// Does an instruction on values that are looked up by its names.
fn plain(op: &Op, function: &Function, values: &mut [u64], now: u64) {
    let slot = |register: Reg| slot_of(function, register);
    let place = |p: u32| slot_of_predicate(function, p);
    let holds = |values: &[u64], guard: &Guard| (values[place(guard.p)] != 0) != guard.negated;
    match op {
        Op::Logic { bits, d, a, b } => {
            let a = holds(values, a);
            let both = |b: &Guard| bits.of(a.into(), holds(values, b).into()) & 1 == 1;
            values[place(*d)] = u64::from(b.as_ref().map_or(a, both));
        }
        Op::Test { f, d, q, a, b, bits, combine } => {
            let given = f.one(values[slot(*a)], values[slot(*b)]);
            let with = combine.as_ref().map(|guard| u32::from(holds(values, guard)));
            let combined = |holds: bool| with.map_or(holds, |with| bits.of(holds.into(), with) & 1 == 1);
            values[place(*q)] = u64::from(combined(!given));
            values[place(*d)] = u64::from(combined(given));
        }
        Op::Set { f, d, a, b, holds } => {
            values[slot(*d)] = if f.one(values[slot(*a)], values[slot(*b)]) { *holds } else { 0 };
        }
        Op::Extended { how, d, s, carry_in, carry_out } => {
            let carry = if *carry_in == NONE { 0 } else { values[slot(*carry_in)] };
            let (value, after) = how.compute(s.map(|register| values[slot(register)]), carry);
            values[slot(*d)] = value;
            if *carry_out != NONE {
                values[slot(*carry_out)] = after;
            }
        }
        Op::Classify { d, a, class } => values[place(*d)] = u64::from(class(values[slot(*a)])),
        Op::Pack { d, parts, bits } => {
            let part = |(number, part): (u32, &Reg)| (values[slot(*part)] & low(*bits)) << (number * bits);
            values[slot(*d)] = (0..).zip(parts).map(part).fold(0, |all, part| all | part);
        }
        Op::Unpack { parts, a, bits } => {
            let whole = values[slot(*a)];
            for (number, part) in (0..).zip(parts) {
                values[slot(*part)] = whole >> (number * bits) & low(*bits);
            }
        }
        Op::Clock { d } => values[slot(*d)] = now,
        Op::ActiveMask { d } => values[slot(*d)] = 1,
        // What only threads of a block have: a shuffle alone gives its own value.
        Op::Shuffle { d, a, .. } | Op::Reduce { d, a, .. } => values[slot(*d)] = values[slot(*a)],
        _ => {}
    }
}
