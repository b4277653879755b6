//! Lanes that stand at several exchanges, as the ways of a branch do, exchange values with one another: their
//! operands are brought together in registers that the function keeps for that, and the results go back.

use super::activation::{Activation, Kept, source};
use super::undefined::RacingReads;
use crate::arith::each;
use crate::decode::exchange::{Parts, parts};
use crate::decode::{Function, Guard, NONE, Op, Pred, Reg};

/// Lanes that stand at an exchange.
pub struct Way<'e> {
    pub op: &'e Op,
    pub mask: u32,
}

/// The exchange that `ways` make together: like each of them, in the registers that `function` keeps for it.
pub fn bring_together(activation: &mut Activation, function: &Function, ways: &[Way]) -> Option<Op> {
    let common = function.common?;
    let together = common.parts();
    for way in ways {
        let own = parts(way.op)?;
        for (from, to) in own.values.into_iter().zip(together.values) {
            copy(activation, function, (from, to), way.mask);
        }
        if let (Some(from), Some(to)) = (own.vote, together.vote) {
            copy_predicate(activation, (from, to.p), way.mask);
        }
    }
    common.exchange(ways.first()?.op)
}

/// Each of `ways` gets the results of the exchange.
pub fn give_back(activation: &mut Activation, function: &Function, ways: &[Way]) {
    let Some(common) = function.common else { return };
    let Parts { result, holds, .. } = common.parts();
    for way in ways {
        let Some(own) = parts(way.op) else { continue };
        copy(activation, function, (result, own.result), way.mask);
        copy_predicate(activation, (Guard { p: holds, negated: false }, own.holds), way.mask);
    }
}

/// Lanes of `mask` copy a register, with what is followed in it.
fn copy(activation: &mut Activation, function: &Function, (from, to): (Reg, Reg), mask: u32) {
    if from == NONE || to == NONE {
        return;
    }
    let values = *source(activation, function, from);
    let register = &mut activation.registers[to as usize];
    each(mask, |lane| register[lane] = values[lane]);
    follow::<u32>(activation, (from, to), mask);
    follow::<RacingReads>(activation, (from, to), mask);
}

fn follow<O: Kept>(activation: &mut Activation, (from, to): (Reg, Reg), mask: u32) {
    let followed = O::of_mut(activation);
    let (held, origin) = followed.source(from);
    match held & mask {
        0 => followed.set(to, mask, (0, O::NOWHERE)),
        _ => followed.set_bits(to, mask, &followed.bits_of(from), origin),
    }
}

fn copy_predicate(activation: &mut Activation, (from, to): (Guard, Pred), mask: u32) {
    let value = activation.holds(from);
    activation.set_predicate(to, mask, value);
    let of_undefined = activation.undefined.predicate(from.p);
    activation.undefined.set_predicate(to, mask, of_undefined);
    let of_racing = activation.racing.predicate(from.p);
    activation.racing.set_predicate(to, mask, of_racing);
}
