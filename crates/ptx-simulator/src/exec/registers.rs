//! Instructions that only move values between the registers of a lane: selections, predicates, packing,
//! addresses of variables, and the parameters of calls.

use super::activation::{Activation, source};
use crate::arith::{Lanes, WARP, each, lanes};
use crate::decode::{Function, NONE, Op, Reg};
use crate::memory::{self, extend, shared};

/// Does `op` for the lanes of `active`. `globals`: addresses of the module's variables.
pub fn execute(op: &Op, activation: &mut Activation, function: &Function, active: u32, globals: &[u64]) {
    match op {
        Op::TestHalves { f, d, q, a, b, combine } => {
            let (a, b) = (source(activation, function, *a), source(activation, function, *b));
            let high = |lanes: &Lanes| lanes.map(|bits| bits >> 16);
            let halves = [f.holds(a, b, active), f.holds(&high(a), &high(b), active)];
            let given = combine.map(|(bits, p)| (bits, activation.holds(p)));
            for (holds, to) in halves.into_iter().zip([*d, *q]) {
                let holds = given.map_or(holds, |(bits, p)| bits.of(holds, p));
                activation.set_predicate(to, active, holds);
            }
        }
        Op::Logic { bits, d, a, b } => {
            let a = activation.holds(*a);
            let value = b.map_or(a, |b| bits.of(a, activation.holds(b)));
            activation.set_predicate(*d, active, value);
        }
        Op::PredConst { d, value } => {
            activation.set_predicate(*d, active, if *value { u32::MAX } else { 0 });
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
            let yes = (0..WARP).fold(0, |yes, lane| yes | (class(a[lane]) as u32) << lane);
            activation.set_predicate(*d, active, yes);
        }
        Op::Unpack { parts, a, bits } => {
            let a = *source(activation, function, *a);
            let keep = low(*bits);
            for (i, part) in parts.iter().enumerate() {
                write(activation, *part, active, &a.map(|a| a >> (i as u32 * bits) & keep));
            }
        }
        Op::LoadFrame { d, bytes, signed, offset } => {
            for (i, d) in d.iter().enumerate() {
                for lane in lanes(active) {
                    let at = offset + i * *bytes as usize;
                    let value = activation.frame_of(lane, at, *bytes as usize).map_or(0, |b| memory::read(b));
                    activation.registers[*d as usize][lane] = extend(value, *bytes, *signed);
                }
            }
        }
        Op::StoreFrame { s, bytes, offset } => {
            for (i, s) in s.iter().enumerate() {
                let values = *source(activation, function, *s);
                for lane in lanes(active) {
                    let at = offset + i * *bytes as usize;
                    if let Some(slot) = activation.frame_of(lane, at, *bytes as usize) {
                        memory::write(slot, values[lane]);
                    }
                }
            }
        }
        op => value(op, activation, function, active, globals),
    }
}

/// Does an `op` that gives one value, in `d`.
fn value(op: &Op, activation: &mut Activation, function: &Function, active: u32, globals: &[u64]) {
    let mut out: Lanes = [0; WARP];
    let read = |r: Reg| source(activation, function, r);
    let d = match op {
        Op::Select { d, a, b, p } => {
            let (p, a, b) = (activation.holds(*p), read(*a), read(*b));
            (0..WARP).for_each(|lane| out[lane] = if p >> lane & 1 == 1 { a[lane] } else { b[lane] });
            d
        }
        Op::Set { f, d, a, b, holds } => {
            let yes = f.holds(read(*a), read(*b), active);
            (0..WARP).for_each(|lane| out[lane] = if yes >> lane & 1 == 1 { *holds } else { 0 });
            d
        }
        Op::LogicTest { f, d, p, s, bits, q } => {
            f.apply(&mut out, s.map(read), active);
            let any = (0..WARP).fold(0, |any, lane| any | ((out[lane] != 0) as u32) << lane);
            let holds = bits.of(any, activation.holds(*q));
            activation.set_predicate(*p, active, holds);
            d
        }
        Op::Pack { d, parts, bits } => {
            let keep = low(*bits);
            for (i, part) in parts.iter().enumerate() {
                let part = read(*part);
                (0..WARP).for_each(|lane| out[lane] |= (part[lane] & keep) << (i as u32 * bits));
            }
            d
        }
        Op::LocalAddress { d, offset } => {
            out = [offset.wrapping_add(activation.local_base as u64); WARP];
            d
        }
        Op::GlobalAddress { d, global, offset } => {
            out = [globals[*global].wrapping_add(*offset as u64); WARP];
            d
        }
        Op::MapShared { d, a, rank, own } => {
            let (a, rank, own) = (read(*a), read(*rank), read(*own));
            (0..WARP).for_each(|lane| out[lane] = shared::with_rank(a[lane], rank[lane], own[lane]));
            d
        }
        Op::RankOf { d, a, own } => {
            let (a, own) = (read(*a), read(*own));
            let rank = |lane: usize| shared::rank(a[lane] & u64::from(u32::MAX)).0.map(u64::from);
            (0..WARP).for_each(|lane| out[lane] = rank(lane).unwrap_or(own[lane]));
            d
        }
        Op::ActiveMask { d } => {
            out = [active.into(); WARP];
            d
        }
        _ => return,
    };
    write(activation, *d, active, &out);
}

/// The lanes of `active` write `values` to a register.
fn write(activation: &mut Activation, d: Reg, active: u32, values: &Lanes) {
    let d = &mut activation.registers[d as usize];
    each(active, |lane| d[lane] = values[lane]);
}

/// So many low bits.
pub fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
