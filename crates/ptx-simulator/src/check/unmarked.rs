//! data-race: a lock that a thread takes by a compare-and-swap which leaves the word as it was. The lock
//! looks free to every other thread, though this one is inside: the number of thread 0 as the owner's mark.
//!
//! A swap to what is there already may be meant: the entry of a table, an error that is none. A lock is a
//! word that the thread gives back afterwards, by writing what it had found there.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conflict::Who;
use super::locks::{Thread, Word, is_constant, is_read, thread, word};
use crate::arith::{AtomOp, lanes};
use crate::decode::{Function, Op, Program};
use crate::observe::{Access, Actor, Request};

/// Words that are kept, and threads.
const MAX_WORDS: usize = 1 << 12;

/// The locks that threads take by a number of their own.
#[derive(Debug, Default)]
pub struct Unmarked {
    /// The lines that take one: a compare-and-swap of a constant to a number that is none.
    taking: FxHashSet<u32>,
    /// The lines that give one back by a compare-and-swap to a constant.
    giving: FxHashSet<u32>,
    /// What each thread has taken without a mark, and not given back yet.
    inside: FxHashMap<Thread, Inside>,
    /// Who has come to a word first, and whether others have.
    comers: FxHashMap<Word, (Thread, bool)>,
    /// Who has been inside without a mark and has given the lock back, while nobody else had come yet.
    alone: FxHashMap<Word, LooksFree>,
}

/// A lock that its owner has not marked.
#[derive(Clone, Copy, Debug)]
struct Inside {
    word: Word,
    taken: Who,
    /// What says that it is free.
    free: u64,
}

/// A lock that looked free while a thread was inside: who took it, and where it was given back.
#[derive(Clone, Copy, Debug)]
pub struct LooksFree {
    pub taken: Who,
    pub word: Word,
    pub bytes: u32,
    pub free: u64,
    pub given_back: u32,
}

impl Unmarked {
    pub fn new(program: &Program) -> Unmarked {
        let lines = |is_it: fn(&Function, &Op) -> bool| {
            let of = move |function| lines_of(function, is_it);
            program.functions.iter().flat_map(of).collect()
        };
        Unmarked { taking: lines(takes), giving: lines(gives_back), ..Unmarked::default() }
    }

    /// An access. What it shows of a lock that another thread takes too.
    pub fn request(&mut self, actor: Actor, request: &Request) -> Vec<LooksFree> {
        if self.taking.is_empty() || !request.access.writes() {
            return Vec::new();
        }
        let takes = request.access.is_atomic() && self.taking.contains(&actor.loc);
        if !takes && self.inside.is_empty() {
            return Vec::new();
        }
        let step = |lane| {
            let who = Who::new(actor, lane);
            match takes {
                true => self.comes(who, word(actor, request, lane), (request, lane)),
                false => self.writes(who, word(actor, request, lane), (request, lane)),
            }
        };
        lanes(request.mask).filter_map(step).collect()
    }

    /// A thread tries to take a lock.
    fn comes(&mut self, who: Who, word: Word, (request, lane): (&Request, usize)) -> Option<LooksFree> {
        let me = thread(who);
        if self.comers.len() < MAX_WORDS || self.comers.contains_key(&word) {
            let (first, others) = self.comers.entry(word).or_insert((me, false));
            *others |= *first != me;
        }
        let leaves_it = (request.unchanged | request.changed) >> lane & 1 == 0;
        let free = request.values.first().map(|before| before[lane]);
        match free.filter(|_| leaves_it && self.inside.len() < MAX_WORDS) {
            Some(free) => _ = self.inside.insert(me, Inside { word, taken: who, free }),
            None => _ = self.inside.remove(&me),
        }
        let is_contended = self.comers.get(&word).is_some_and(|(_, others)| *others);
        if is_contended { self.alone.remove(&word) } else { None }
    }

    /// A thread writes: if it gives back what it has taken without a mark, that was a lock.
    fn writes(&mut self, who: Who, word: Word, (request, lane): (&Request, usize)) -> Option<LooksFree> {
        let Inside { word: own, taken, free } = *self.inside.get(&thread(who))?;
        if own != word || !self.gives_back(who.loc, free, (request, lane)) {
            return None;
        }
        self.inside.remove(&thread(who));
        let found = LooksFree { taken, word, bytes: request.bytes, free, given_back: who.loc };
        let (_, is_contended) = *self.comers.get(&word)?;
        if !is_contended {
            self.alone.insert(word, found);
        }
        is_contended.then_some(found)
    }

    /// Whether a write puts there again what says that the lock is free.
    fn gives_back(&self, loc: u32, free: u64, (request, lane): (&Request, usize)) -> bool {
        let written = match request.access {
            Access::Atomic { .. } if self.giving.contains(&loc) => return true,
            Access::Atomic { .. } => request.values.get(1),
            _ => request.values.first(),
        };
        let mask = u64::MAX >> (64 - 8 * request.bytes.clamp(1, 8));
        written.is_some_and(|written| written[lane] & mask == free & mask)
    }

    /// The word of the lock that a thread is inside of and that looks free.
    pub fn inside(&self, who: Who) -> Option<u32> {
        self.inside.get(&thread(who)).map(|inside| inside.taken.loc)
    }
}

/// The lines in which a function does this.
fn lines_of(function: &Function, is_it: fn(&Function, &Op) -> bool) -> impl Iterator<Item = u32> + '_ {
    function.code.iter().filter(move |inst| is_it(function, &inst.op)).map(|inst| inst.loc)
}

/// Whether it swaps a constant for a number that is none, and looks at what was there.
fn takes(function: &Function, op: &Op) -> bool {
    let Op::Atomic { op: AtomOp::CompareSwap, d, b, c, .. } = *op else { return false };
    is_constant(function, b) && !is_constant(function, c) && is_read(function, d)
}

/// Whether it swaps a number that is no constant for one that is.
fn gives_back(function: &Function, op: &Op) -> bool {
    let Op::Atomic { op: AtomOp::CompareSwap, b, c, .. } = *op else { return false };
    !is_constant(function, b) && is_constant(function, c)
}
