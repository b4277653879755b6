//! Instructions that only move values between the registers of a lane: selections, predicates, packing.

use super::activation::{Activation, source};
use crate::arith::{Lanes, WARP, each, lanes, low, which};
use crate::decode::{Function, NONE, Op, Reg};
use crate::memory::shared;

/// Does `op` for the lanes of `active`.
pub fn execute(op: &Op, activation: &mut Activation, function: &Function, active: u32) {
    match op {
        Op::Logic { bits, d, a, b } => {
            let a = activation.holds(*a);
            let value = b.map_or(a, |b| bits.of(a, activation.holds(b)));
            activation.set_predicate(*d, active, value);
        }
        Op::Extended { how, d, s, carry_in, carry_out } => {
            let sources = s.map(|r| *source(activation, function, r));
            for lane in lanes(active) {
                let before = activation.registers.get(*carry_in as usize).map_or(0, |carry| carry[lane]);
                let (value, after) = how.compute(sources.map(|s| s[lane]), before);
                activation.registers[*d as usize][lane] = value;
                if *carry_out != NONE {
                    activation.registers[*carry_out as usize][lane] = after;
                }
            }
        }
        Op::Classify { d, a, class } => {
            let a = source(activation, function, *a);
            let yes = which(u32::MAX, |lane| class(a[lane]));
            activation.set_predicate(*d, active, yes);
        }
        Op::Unpack { parts, a, bits } => {
            let a = *source(activation, function, *a);
            let keep = low(*bits);
            for (i, part) in parts.iter().enumerate() {
                write(activation, *part, active, &a.map(|a| a >> (i as u32 * bits) & keep));
            }
        }
        op => value(op, activation, function, active),
    }
}

/// Does an `op` that gives one value, in `d`.
fn value(op: &Op, activation: &mut Activation, function: &Function, active: u32) {
    use std::array::from_fn;
    let read = |r: Reg| source(activation, function, r);
    let (d, out): (_, Lanes) = match op {
        Op::Select { d, a, b, p } => {
            let p = activation.holds(*p);
            let a = read(*a);
            let b = read(*b);
            (d, from_fn(|lane| if p >> lane & 1 == 1 { a[lane] } else { b[lane] }))
        }
        Op::Set { f, d, a, b, holds } => {
            let yes = f.holds(read(*a), read(*b), active);
            (d, from_fn(|lane| if yes >> lane & 1 == 1 { *holds } else { 0 }))
        }
        Op::Pack { d, parts, bits } => {
            let mut out = [0; WARP];
            for (i, part) in parts.iter().enumerate() {
                let part = read(*part);
                for lane in 0..WARP {
                    out[lane] |= (part[lane] & low(*bits)) << (i as u32 * bits);
                }
            }
            (d, out)
        }
        Op::MapShared { d, a, rank, own } => {
            let a = read(*a);
            let rank = read(*rank);
            let own = read(*own);
            (d, from_fn(|lane| shared::with_rank(a[lane], rank[lane], own[lane])))
        }
        Op::ActiveMask { d } => (d, [active.into(); WARP]),
        _ => return,
    };
    write(activation, *d, active, &out);
}

/// The lanes of `active` write `values` to a register.
fn write(activation: &mut Activation, d: Reg, active: u32, values: &Lanes) {
    let d = &mut activation.registers[d as usize];
    each(active, |lane| d[lane] = values[lane]);
}
