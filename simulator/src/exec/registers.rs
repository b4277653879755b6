//! Instructions that only move values between the registers of a lane: selections, predicates, packing,
//! addresses of variables, and the parameters of calls.

use super::activation::{Activation, source};
use crate::arith::{Lanes, WARP, each, lanes};
use crate::decode::{Function, NONE, Op};
use crate::memory::{self, extend, shared};

/// Does `op` for the lanes of `active`. `globals`: addresses of the module's variables.
pub fn execute(op: &Op, activation: &mut Activation, function: &Function, active: u32, globals: &[u64]) {
    match op {
        Op::Select { d, a, b, p } => {
            let p = activation.holds(*p);
            let (a, b) = (*source(activation, function, *a), *source(activation, function, *b));
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = if p >> lane & 1 == 1 { a[lane] } else { b[lane] });
        }
        Op::TestHalves { f, d, q, a, b, combine } => {
            let (a, b) = (source(activation, function, *a), source(activation, function, *b));
            let halves = [
                f.holds(a, b, active),
                f.holds(&a.map(|bits| bits >> 16), &b.map(|bits| bits >> 16), active),
            ];
            let given = combine.map(|(bits, p)| (bits, activation.holds(p)));
            for (holds, to) in halves.into_iter().zip([*d, *q]) {
                let holds = given.map_or(holds, |(bits, p)| bits.of(holds, p));
                activation.set_predicate(to, active, holds);
            }
        }
        Op::LogicTest { f, d, p, s, bits, q } => {
            let mut out: Lanes = [0; WARP];
            f.apply(&mut out, s.map(|r| source(activation, function, r)), active);
            let mut any = 0;
            each(active, |lane| any |= ((out[lane] != 0) as u32) << lane);
            let holds = bits.of(any, activation.holds(*q));
            activation.set_predicate(*p, active, holds);
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = out[lane]);
        }
        Op::Logic { bits, d, a, b } => {
            let a = activation.holds(*a);
            let value = b.map_or(a, |b| bits.of(a, activation.holds(b)));
            activation.set_predicate(*d, active, value);
        }
        Op::PredConst { d, value } => {
            activation.set_predicate(*d, active, if *value { u32::MAX } else { 0 });
        }
        Op::Set { f, d, a, b, holds } => {
            let yes = f.holds(source(activation, function, *a), source(activation, function, *b), active);
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = if yes >> lane & 1 == 1 { *holds } else { 0 });
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
            let mut yes = 0;
            each(active, |lane| yes |= (class(a[lane]) as u32) << lane);
            activation.set_predicate(*d, active, yes);
        }
        Op::Pack { d, parts, bits } => {
            let mut out: Lanes = [0; WARP];
            let keep = if *bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            for (i, part) in parts.iter().enumerate() {
                let part = source(activation, function, *part);
                each(active, |lane| out[lane] |= (part[lane] & keep) << (i as u32 * bits));
            }
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = out[lane]);
        }
        Op::Unpack { parts, a, bits } => {
            let a = *source(activation, function, *a);
            let keep = if *bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            for (i, part) in parts.iter().enumerate() {
                let d = &mut activation.registers[*part as usize];
                each(active, |lane| d[lane] = a[lane] >> (i as u32 * bits) & keep);
            }
        }
        Op::LocalAddress { d, offset } => {
            let address = offset.wrapping_add(activation.local_base as u64);
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = address);
        }
        Op::GlobalAddress { d, global, offset } => {
            let address = globals[*global].wrapping_add(*offset as u64);
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = address);
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
        Op::MapShared { d, a, rank, own } => {
            let read = |r| *source(activation, function, r);
            let (a, rank, own) = (read(*a), read(*rank), read(*own));
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = shared::with_rank(a[lane], rank[lane], own[lane]));
        }
        Op::RankOf { d, a, own } => {
            let (a, own) = (*source(activation, function, *a), *source(activation, function, *own));
            let rank =
                |lane: usize| shared::rank(a[lane] & u64::from(u32::MAX)).0.map_or(own[lane], u64::from);
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = rank(lane));
        }
        Op::ActiveMask { d } => {
            let d = &mut activation.registers[*d as usize];
            each(active, |lane| d[lane] = active as u64);
        }
        _ => {}
    }
}
