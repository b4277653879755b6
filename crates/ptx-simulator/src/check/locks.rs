//! deadlock at a lock: which thread holds it.
//!
//! A lock is a word that threads change by a compare-and-swap or an exchange. Where it is never released, the
//! last one that changed it has it.

use rustc_hash::FxHashMap;

use super::conflict::{Who, place_of};
use super::order::BlockId;
use crate::arith::{AtomOp, lanes};
use crate::decode::{Op, Program};
use crate::observe::{Actor, Request};
use crate::ptx::Space;

/// Words that are kept.
const MAX_WORDS: usize = 1 << 12;

/// A word: the block in whose shared memory it lies, if it does, and its address.
type Word = (Option<BlockId>, u64);

#[derive(Debug, Default)]
pub struct Locks {
    /// Whether the program has such instructions at all.
    is_used: bool,
    holders: FxHashMap<Word, Who>,
}

impl Locks {
    pub fn new(program: &Program) -> Locks {
        let mut code = program.functions.iter().flat_map(|function| &function.code);
        let is_used =
            code.any(|inst| matches!(inst.op, Op::Atomic { op: AtomOp::CompareSwap | AtomOp::Exchange, .. }));
        Locks { is_used, ..Locks::default() }
    }

    pub fn request(&mut self, actor: Actor, request: &Request) {
        if !self.is_used || !request.access.is_atomic() {
            return;
        }
        for lane in lanes(request.changed) {
            let word = word(actor, request, lane);
            if self.holders.len() < MAX_WORDS || self.holders.contains_key(&word) {
                self.holders.insert(word, Who::new(actor, lane));
            }
        }
    }

    /// Who has last changed the word that a lane looks at.
    pub fn holder(&self, actor: Actor, request: &Request, lane: usize) -> Option<Who> {
        self.holders.get(&word(actor, request, lane)).copied()
    }

    /// The shared memory of a block that has ended.
    pub fn block_end(&mut self, id: BlockId) {
        if !self.holders.is_empty() {
            self.holders.retain(|(place, _), _| *place != Some(id));
        }
    }
}

fn word(actor: Actor, request: &Request, lane: usize) -> Word {
    let place = (request.space == Space::Shared).then(|| place_of(actor, request));
    (place, request.addresses[lane])
}
