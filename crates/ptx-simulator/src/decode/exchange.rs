//! Exchanges between the lanes of a warp whose lanes may stand at several instructions: the ways of a branch,
//! each with its own `shfl.sync`.
//!
//! From `sm_70` on a lane waits for those that execute the same instruction with the same mask, wherever that
//! stands (PTX ISA 9.7.9.6 and 9.7.13). Each such instruction has registers of its own, so a function keeps
//! some in which all of them can meet.

use super::op::{Guard, NONE, Op, Pred, Reg};

/// What an exchange reads and writes; [`NONE`] where it has no such operand.
pub struct Parts {
    pub values: [Reg; 4],
    pub vote: Option<Guard>,
    pub result: Reg,
    pub holds: Pred,
}

/// Registers and predicates in which exchanges meet: the first of each.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    register: Reg,
    predicate: Pred,
}

impl Common {
    /// Room for it among the registers and predicates of a function, if that has several exchanges.
    pub fn of<'a>(
        mut code: impl Iterator<Item = &'a Op>,
        registers: &mut usize,
        predicates: &mut usize,
    ) -> Option<Common> {
        let is_exchange = |op: &&Op| parts(op).is_some();
        code.find(is_exchange)?;
        code.find(is_exchange)?;
        let first = Common { register: *registers as Reg, predicate: *predicates as Pred };
        *registers += 5;
        *predicates += 2;
        Some(first)
    }

    pub fn parts(self) -> Parts {
        let Common { register: first, predicate } = self;
        Parts {
            values: [first, first + 1, first + 2, first + 3],
            vote: Some(Guard { p: predicate, negated: false }),
            result: first + 4,
            holds: predicate + 1,
        }
    }

    /// An exchange like `op`, in these registers.
    pub fn exchange(self, op: &Op) -> Option<Op> {
        let Parts { values: [a, b, c, mask], vote, result: d, holds: p } = self.parts();
        Some(match op {
            Op::Shuffle { mode, .. } => Op::Shuffle { mode: *mode, d, p, a, b, c, mask },
            Op::Vote { mode, .. } => Op::Vote { mode: *mode, d, q: p, p: vote?, mask },
            Op::Match { all, wide, .. } => Op::Match { all: *all, d, p, a, wide: *wide, mask },
            Op::Reduce { op, .. } => Op::Reduce { op: *op, d, a, mask },
            _ => return None,
        })
    }
}

/// Those of an exchange that needs no lanes side by side, as `mma` and `ldmatrix` do.
pub fn parts(op: &Op) -> Option<Parts> {
    let of = |values, result, holds| Some(Parts { values, vote: None, result, holds });
    match *op {
        Op::Shuffle { d, p, a, b, c, mask, .. } => of([a, b, c, mask], d, p),
        Op::Vote { d, q, p, mask, .. } => {
            Some(Parts { values: [NONE, NONE, NONE, mask], vote: Some(p), result: d, holds: q })
        }
        Op::Match { d, p, a, mask, .. } => of([a, NONE, NONE, mask], d, p),
        Op::Reduce { d, a, mask, .. } => of([a, NONE, NONE, mask], d, NONE),
        _ => None,
    }
}

/// Whether two exchanges are the same instruction with the same qualifiers.
pub fn is_same(one: &Op, other: &Op) -> bool {
    match (one, other) {
        (Op::Shuffle { mode: one, .. }, Op::Shuffle { mode: other, .. }) => one == other,
        (Op::Vote { mode: one, .. }, Op::Vote { mode: other, .. }) => one == other,
        (Op::Match { all: one, wide, .. }, Op::Match { all: other, wide: wide_too, .. }) => {
            (one, wide) == (other, wide_too)
        }
        (Op::Reduce { op: one, .. }, Op::Reduce { op: other, .. }) => one == other,
        _ => false,
    }
}
