//! deadlock at a lock: which thread holds it. data-race of threads that take a lock, and how one of them gets
//! around it.
//!
//! A lock is a word that threads change by a compare-and-swap or an exchange. Where it is never released, the
//! last one that changed it has it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conflict::{Who, place_of};
use super::order::BlockId;
use crate::arith::{AtomOp, lanes};
use crate::decode::{Function, Inst, NONE, Op, Program, Reg, Role};
use crate::observe::{Access, Actor, Request};
use crate::ptx::Space;

/// Words that are kept, and threads of each that have taken it.
const MAX_WORDS: usize = 1 << 12;
const MAX_TAKERS: usize = 1 << 10;

/// A word: the block in whose shared memory it lies, if it does, and its address.
pub type Word = (Option<BlockId>, u64);

#[derive(Debug, Default)]
pub struct Locks {
    /// Whether the program has such instructions at all.
    is_used: bool,
    /// Whether it has one that may release a lock: an exchange whose result is not looked at. What is never
    /// released is a mark, and no lock.
    releases: bool,
    holders: FxHashMap<Word, Who>,
    /// The lines in which a lock is taken.
    taking: FxHashSet<u32>,
    /// Who has taken a lock, and where.
    takers: FxHashMap<Word, Vec<Who>>,
    /// What each thread that has come to such a line has done last with a lock; and which lock it held, if
    /// any, when it was last in a line.
    last: FxHashMap<Thread, Done>,
    held: FxHashMap<(Thread, u32), Option<Word>>,
    /// The stores by which a thread has released the lock that it held, and where it had taken that.
    stores: FxHashMap<u32, u32>,
}

/// A thread: its grid, its block, and its number in that.
pub type Thread = (u32, u64, u32);

/// What a thread has done with a lock.
#[derive(Clone, Copy, Debug)]
struct Done {
    word: Word,
    /// Where it takes the lock.
    taking: u32,
    what: Last,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Taken,
    /// Another thread has it.
    Failed,
    /// In this line.
    Released(u32),
}

/// How two threads get around a lock: where it is taken, and what the later one has done, with the place
/// where it has released it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    pub taking: u32,
    pub how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    NotWaited,
    InShared,
    Two,
    Released(u32),
    Outside,
    Ignored,
}

/// A plain store to a lock: where the lock is taken, and whether the store releases it; else it sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    pub taking: u32,
    pub releases: bool,
}

impl Locks {
    pub fn new(program: &Program) -> Locks {
        let mut code = program.functions.iter().flat_map(|function| &function.code);
        let is_used =
            code.any(|inst| matches!(inst.op, Op::Atomic { op: AtomOp::CompareSwap | AtomOp::Exchange, .. }));
        let releases = program.functions.iter().any(releases);
        let taking = program.functions.iter().flat_map(lines_that_take).collect();
        Locks { is_used, releases, taking, ..Locks::default() }
    }

    pub fn request(&mut self, actor: Actor, request: &Request) {
        if !self.is_used {
            return;
        }
        if !request.access.is_atomic() {
            self.plain(actor, request);
            return;
        }
        if self.taking.contains(&actor.loc) {
            for lane in lanes(request.mask & !request.changed) {
                self.note(Who::new(actor, lane), word(actor, request, lane), Last::Failed);
            }
        }
        for lane in lanes(request.changed) {
            let word = word(actor, request, lane);
            let who = Who::new(actor, lane);
            let is_taken = self.taking.contains(&who.loc);
            self.note(who, word, if is_taken { Last::Taken } else { Last::Released(who.loc) });
            if self.holders.len() < MAX_WORDS || self.holders.contains_key(&word) {
                self.holders.insert(word, who);
            }
            if is_taken {
                self.take(word, who);
            }
        }
    }

    /// An access that is no atomic operation. A store may release a lock, too.
    fn plain(&mut self, actor: Actor, request: &Request) {
        if self.last.is_empty() {
            return;
        }
        for lane in lanes(request.mask) {
            let who = Who::new(actor, lane);
            let thread = thread(who);
            let Some(last) = self.last.get(&thread) else { continue };
            let holds = (last.what == Last::Taken).then_some(last.word);
            if self.held.len() < MAX_WORDS {
                self.held.insert((thread, who.loc), holds);
            }
            if request.access == Access::Store {
                if holds == Some(word(actor, request, lane)) {
                    self.stores.insert(who.loc, last.taking);
                }
                self.note(who, word(actor, request, lane), Last::Released(who.loc));
            }
        }
    }

    /// A thread takes a lock, tries to, or releases the one that it has.
    fn note(&mut self, who: Who, word: Word, what: Last) {
        let thread = thread(who);
        let known = self.last.get(&thread).copied();
        let taking = match (what, known) {
            (Last::Released(_), Some(known)) if known.word == word && known.what == Last::Taken => {
                known.taking
            }
            (Last::Released(_), _) => return,
            _ => who.loc,
        };
        if known.is_some() || self.last.len() < MAX_WORDS {
            self.last.insert(thread, Done { word, taking, what });
        }
    }

    /// How the later one of two threads that race, or the earlier one, gets around a lock, if there is one.
    pub fn around(&self, who: Who, other: Who) -> Option<Around> {
        let held = self.held.get(&(thread(other), other.loc)).copied().flatten();
        let Some(me) = self.last.get(&thread(who)) else {
            let last = self.last.get(&thread(other))?;
            let is_inside = held == Some(last.word) && self.releases;
            return is_inside.then_some(Around { taking: last.taking, how: How::Ignored });
        };
        let both_know = self.both_know(me.word, other);
        let how = match (me.what, held) {
            (Last::Failed, _) => (both_know && self.releases).then_some(How::NotWaited),
            (Last::Released(at), _) => both_know.then_some(How::Released(at)),
            (Last::Taken, None) => {
                let takes_none = self.releases && !self.last.contains_key(&thread(other));
                (both_know || takes_none).then_some(How::Outside)
            }
            (Last::Taken, Some(held)) => {
                let is_shared = me.word.0.is_some() && held.0.is_some();
                let how = if is_shared { How::InShared } else { How::Two };
                (self.releases && held != me.word).then_some(how)
            }
        }?;
        Some(Around { taking: me.taking, how })
    }

    /// What a plain store to the lock in `word` is, if that is one; `other` has changed it too.
    pub fn stored(&self, store: Who, other: Who, word: Word) -> Option<Stored> {
        if let Some(taking) = self.stores.get(&store.loc) {
            return Some(Stored { taking: *taking, releases: true });
        }
        let taken = self.takers.get(&word).and_then(|takers| takers.first()).map(|taker| taker.loc);
        let taking = taken.or_else(|| self.taking.contains(&other.loc).then_some(other.loc))?;
        self.releases.then_some(Stored { taking, releases: false })
    }

    /// Whether a thread has ever taken the lock in this word.
    fn both_know(&self, word: Word, who: Who) -> bool {
        self.takers.get(&word).is_some_and(|takers| takers.iter().any(|known| is_thread(*known, who)))
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

pub fn word(actor: Actor, request: &Request, lane: usize) -> Word {
    let place = (request.space == Space::Shared).then(|| place_of(actor, request));
    (place, request.addresses[lane])
}

pub fn thread(who: Who) -> Thread {
    (who.grid, who.block, who.thread)
}

fn is_thread(one: Who, other: Who) -> bool {
    thread(one) == thread(other)
}

/// The lines in which a function takes a lock: by a compare-and-swap of two constants, or by an exchange or
/// an `or` with a constant, and looks at what was there.
fn lines_that_take(function: &Function) -> impl Iterator<Item = u32> + '_ {
    function.code.iter().filter_map(|inst| match inst.op {
        Op::Atomic { op: AtomOp::CompareSwap, b, c, .. } => {
            (is_constant(function, b) && is_constant(function, c)).then_some(inst.loc)
        }
        Op::Atomic { op: AtomOp::Exchange | AtomOp::Or, d, b, .. } => {
            (is_read(function, d) && is_constant(function, b)).then_some(inst.loc)
        }
        _ => None,
    })
}

/// Whether a function may release a lock: by an exchange whose result it does not look at.
fn releases(function: &Function) -> bool {
    let releases =
        |inst: &Inst| matches!(inst.op, Op::Atomic { op: AtomOp::Exchange, d, .. } if !is_read(function, d));
    function.code.iter().any(releases)
}

/// Whether some instruction reads a register.
pub fn is_read(function: &Function, register: Reg) -> bool {
    let reads = |inst: &Inst| {
        let mut found = false;
        inst.op.operands(|role, number| found |= role == Role::Reads && number == register);
        found
    };
    register != NONE && function.code.iter().any(reads)
}

/// Whether a register holds the same number all the time.
pub fn is_constant(function: &Function, register: Reg) -> bool {
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
