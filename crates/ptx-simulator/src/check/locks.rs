//! deadlock at a lock: which thread holds it. data-race of threads that take the same lock.
//!
//! A lock is a word that threads change by a compare-and-swap or an exchange. Where it is never released, the
//! last one that changed it has it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conflict::{Who, place_of};
use super::order::BlockId;
use crate::arith::{AtomOp, lanes};
use crate::decode::{Function, NONE, Op, Program, Reg, Role};
use crate::observe::{Actor, Request};
use crate::ptx::Space;

/// Words that are kept, and threads of each that have taken it.
const MAX_WORDS: usize = 1 << 12;
const MAX_TAKERS: usize = 1 << 10;

/// A word: the block in whose shared memory it lies, if it does, and its address.
type Word = (Option<BlockId>, u64);

#[derive(Debug, Default)]
pub struct Locks {
    /// Whether the program has such instructions at all.
    is_used: bool,
    holders: FxHashMap<Word, Who>,
    /// The lines in which a lock is taken.
    taking: FxHashSet<u32>,
    /// Who has taken a lock, and where.
    takers: FxHashMap<Word, Vec<Who>>,
}

impl Locks {
    pub fn new(program: &Program) -> Locks {
        let mut code = program.functions.iter().flat_map(|function| &function.code);
        let is_used =
            code.any(|inst| matches!(inst.op, Op::Atomic { op: AtomOp::CompareSwap | AtomOp::Exchange, .. }));
        let taking = program.functions.iter().flat_map(lines_that_take).collect();
        Locks { is_used, taking, ..Locks::default() }
    }

    pub fn request(&mut self, actor: Actor, request: &Request) {
        if !self.is_used || !request.access.is_atomic() {
            return;
        }
        for lane in lanes(request.changed) {
            let word = word(actor, request, lane);
            let who = Who::new(actor, lane);
            if self.holders.len() < MAX_WORDS || self.holders.contains_key(&word) {
                self.holders.insert(word, who);
            }
            if self.taking.contains(&who.loc) {
                self.take(word, who);
            }
        }
    }

    fn take(&mut self, word: Word, who: Who) {
        let takers = self.takers.entry(word).or_default();
        let is_known = takers.iter().any(|known| is_thread(*known, who));
        if !is_known && takers.len() < MAX_TAKERS {
            takers.push(who);
        }
    }

    /// The line in which a thread has taken a lock that another one has taken too.
    pub fn both_take(&self, who: Who, other: Who) -> Option<u32> {
        let takes =
            |takers: &Vec<Who>, who: Who| takers.iter().find(|known| is_thread(**known, who)).copied();
        self.takers
            .values()
            .find_map(|takers| takes(takers, other).and(takes(takers, who)))
            .map(|who| who.loc)
    }

    /// Who has last changed the word that a lane looks at.
    pub fn holder(&self, actor: Actor, request: &Request, lane: usize) -> Option<Who> {
        self.holders.get(&word(actor, request, lane)).copied()
    }

    /// The shared memory of a block that has ended.
    pub fn block_end(&mut self, id: BlockId) {
        if !self.holders.is_empty() {
            self.holders.retain(|(place, _), _| *place != Some(id));
            self.takers.retain(|(place, _), _| *place != Some(id));
        }
    }
}

fn word(actor: Actor, request: &Request, lane: usize) -> Word {
    let place = (request.space == Space::Shared).then(|| place_of(actor, request));
    (place, request.addresses[lane])
}

fn is_thread(one: Who, other: Who) -> bool {
    (one.grid, one.block, one.thread) == (other.grid, other.block, other.thread)
}

/// The lines in which a function takes a lock: by a compare-and-swap of two constants, or by an exchange or
/// an `or` with a constant, and looks at what was there.
fn lines_that_take(function: &Function) -> impl Iterator<Item = u32> + '_ {
    function.code.iter().filter_map(|inst| match inst.op {
        Op::Atomic { op: AtomOp::CompareSwap, b, c, .. } => {
            (is_constant(function, b) && is_constant(function, c)).then_some(inst.loc)
        }
        Op::Atomic { op: AtomOp::Exchange | AtomOp::Or, d, b, .. } => {
            (d != NONE && is_constant(function, b)).then_some(inst.loc)
        }
        _ => None,
    })
}

/// Whether a register holds the same number all the time.
fn is_constant(function: &Function, register: Reg) -> bool {
    let is_number = |register: Reg| register as usize >= function.registers;
    let mut writers = function.code.iter().filter(|inst| writes(&inst.op, register));
    is_number(register)
        || match (writers.next(), writers.next()) {
            (Some(inst), None) => matches!(&inst.op, Op::Alu { s, .. } if s.iter().all(|s| is_number(*s))),
            _ => false,
        }
}

fn writes(op: &Op, register: Reg) -> bool {
    let mut found = false;
    op.operands(|role, number| found |= role == Role::Writes && number == register);
    found
}
