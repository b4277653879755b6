//! data-race where PTX sees none: strong accesses, such as volatile and relaxed, that nothing orders,
//! where a thread goes on with a value that depends on which of them comes first.
//!
//! Two strong accesses do not race (PTX ISA 8.7.1), but neither do they order anything: a volatile read that
//! comes a little earlier or later gives another value. That is as it should be for a thread that waits for
//! a value, that only decides by it (a hint to stop, a look before a lock is tried), or that reads the word
//! again by an atomic (the first guess of a loop that swaps). `decode/uses.rs` tells these apart. What is
//! left is a value that becomes part of a result: a tree without barriers, a sum whose parts nobody has
//! waited for. And one that decides whether something is stored, which gets a warning: others may store the
//! same.
//!
//! In shared memory decisions count, too: so was code written for warps whose lanes move in step.
//!
//! For every word that strong accesses touch, the last write is kept, whether it changed the word or not,
//! and who has read it since. Kernels without such loads pay nothing.

use rustc_hash::FxHashMap;

use super::conflict::{Later, Race, Strength, morally_strong, place_of, strength};
use super::order::{Before, BlockId, Gap, Here, Order, Past};
use super::reads::Reads;
use crate::arith::lanes;
use crate::decode::{Op, Program};
use crate::observe::{Access, Actor, Request, Use};
use crate::ptx::{Order as MemoryOrder, Space};
use crate::what::{Depends, Disorder};

/// Bytes of a word.
const WORD: u64 = 4;
/// Readers of a word that are kept, and doubts about the same two lines.
const READERS: usize = 1 << 12;
const ALIKE: usize = 8;
/// The same of doubts whose value is followed: most of them may turn out to be none.
const ALIKE_FOLLOWED: usize = 1 << 10;

/// A word: the block in whose shared memory it lies, if it does, and its number.
type Word = (Option<BlockId>, u64);

/// An access to some bytes of a word.
#[derive(Clone, Copy, Debug)]
struct Touched {
    past: Past,
    loc: u32,
    /// A bit for each byte.
    bytes: u32,
    strength: Strength,
    access: Access,
    used: Use,
    /// The number of a read whose value is followed.
    read: u32,
    /// Whether the same thread has waited for what it reads now.
    has_looked: bool,
    volatile: bool,
    /// Half of an update (`decode/updates.rs`).
    updates: bool,
}

impl Touched {
    fn is_by(&self, past: Past) -> bool {
        (self.past.warp, self.past.lane) == (past.warp, past.lane)
    }

    fn is_doubtful(&self, in_shared: bool) -> bool {
        match self.used {
            _ if self.access.is_atomic() => false,
            Use::Waits => false,
            Use::Decides => in_shared,
            Use::GoesOn | Use::Shows | Use::Claims => true,
        }
    }
}

/// The last write that changed a word, and the last read since of each thread, by the threads' numbers.
#[derive(Debug, Default)]
struct Known {
    write: Option<Touched>,
    reads: Vec<Touched>,
}

/// A value that depends on the order of turns, unless its reader still looks at the word again: the later
/// access, and how it stands to the earlier one.
#[derive(Debug)]
pub struct Doubt {
    word: Word,
    reader: Past,
    /// The number of the read, if its value is followed: it is a doubt only if that is used.
    read: u32,
    /// Whether it is one only if the reader goes on to change the word itself.
    is_open: bool,
    /// Whether both are in one warp, and in one block.
    near: [bool; 2],
    pub later: Later,
    pub race: Race,
    /// Where another block has last written what the later thread's block has seen.
    pub flag: Option<u32>,
}

/// A request, and who makes it.
struct By<'a> {
    here: Here<'a>,
    actor: Actor<'a>,
    request: &'a Request<'a>,
    flag: Option<u32>,
}

impl By<'_> {
    fn doubt(&self, word: Word, me: &Touched, earlier: &Touched, reader: &Touched) -> Doubt {
        let used = [me.used, earlier.used];
        let are_stores = [me.access, earlier.access] == [Access::Store; 2];
        let depends = match word.0 {
            None if are_stores => Depends::Kept,
            _ if used.iter().any(|used| used.decides()) => Depends::Storing,
            _ => Depends::Result,
        };
        let lane = me.past.lane as usize;
        Doubt {
            word,
            reader: reader.past,
            read: reader.read,
            is_open: used.contains(&Use::Claims),
            near: [self.here.warp == earlier.past.warp, self.here.is_own_block(earlier.past)],
            later: Later::new(self.actor, self.request, lane),
            race: Race {
                lane,
                lanes: 1 << lane,
                part: 0,
                read: 0,
                address: word.1 * WORD + u64::from(me.bytes.trailing_zeros()),
                earlier: earlier.past,
                earlier_loc: earlier.loc,
                earlier_access: earlier.access,
                why: Disorder::Turns { volatile: me.volatile || earlier.volatile, depends },
                same_value: false,
                updates: me.updates && earlier.updates,
            },
            flag: self.flag,
        }
    }
}

/// Whether an access writes, and whether that changes what is there.
#[derive(Clone, Copy, Debug)]
enum Writes {
    Nothing,
    Something { changes: bool },
}

#[derive(Debug, Default)]
pub struct Strong {
    is_used: bool,
    /// Of global memory, and of the shared memory of each block.
    words: FxHashMap<Option<BlockId>, FxHashMap<u64, Known>>,
    /// Words and readers in all, at most.
    held: usize,
    doubts: Vec<Doubt>,
    /// The first two accesses that a flag orders, or a lock, where a fence is missing; the later one first.
    pub unfenced: Option<[(Past, u32, Access); 2]>,
}

impl Strong {
    pub fn new(program: &Program) -> Strong {
        let is_doubtful = |op: &Op| match op {
            Op::Load { order: MemoryOrder::Weak | MemoryOrder::ReadOnly, .. } => false,
            Op::Load { space: Space::Global, used, .. } => *used == Use::GoesOn || used.decides(),
            Op::Load { space: Space::Shared | Space::Generic, used, .. } => *used != Use::Waits,
            Op::Store { order, .. } => *order != MemoryOrder::Weak,
            _ => false,
        };
        let mut all = program.functions.iter().flat_map(|function| &function.code);
        Strong { is_used: all.any(|inst| is_doubtful(&inst.op)), ..Strong::default() }
    }

    /// Bytes that all this takes, about.
    pub fn bytes(&self) -> usize {
        self.held * size_of::<(u64, Known)>()
    }

    pub fn request(&mut self, order: &mut Order, actor: Actor, request: &Request) {
        let strength = strength(request);
        if !self.is_used || strength <= Strength::Weak {
            return;
        }
        let place = (request.space == Space::Shared).then(|| place_of(actor, request));
        let flag = order.block_of(actor).flag;
        let by = By { here: order.here(actor), actor, request, flag };
        let loc = actor.loc;
        let access = request.access;
        let read = request.read;
        let used = if access.is_atomic() { Use::Waits } else { request.used };
        let has_looked = used == Use::Waits;
        let volatile = request.order == MemoryOrder::Volatile;
        let updates = request.updates;
        for lane in lanes(request.mask) {
            let past = Past { warp: by.here.warp, lane: lane as u8, time: by.here.now() };
            // A compare-and-swap that did not swap has written nothing.
            let fails = access.is_atomic() && request.unchanged >> lane & 1 == 1;
            let writes = match access.writes() && !fails {
                true => Writes::Something { changes: request.changed >> lane & 1 == 1 },
                false => Writes::Nothing,
            };
            let start = request.addresses[lane];
            let end = request.addresses[lane] + request.bytes as u64;
            for number in start / WORD..end.div_ceil(WORD) {
                let bytes = (start.max(number * WORD)..end.min((number + 1) * WORD))
                    .fold(0, |bytes, address| bytes | 1 << (address % WORD));
                let me =
                    Touched { past, loc, bytes, strength, access, used, read, has_looked, volatile, updates };
                self.touch(&by, (place, number), me, writes);
            }
        }
    }

    /// A lane's access to a word.
    fn touch(&mut self, by: &By, word: Word, mut me: Touched, writes: Writes) {
        let (place, number) = word;
        let in_shared = place.is_some();
        if me.used == Use::Waits {
            self.doubts.retain(|doubt| doubt.word != word || !me.is_by(doubt.reader));
        }
        let known = self.words.entry(place).or_default().entry(number).or_insert_with(|| {
            self.held += 2;
            Known::default()
        });
        let thread = |read: &Touched| (read.past.warp, read.past.lane);
        let mine = known.reads.binary_search_by_key(&thread(&me), thread);
        me.has_looked |= mine.is_ok_and(|at| known.reads[at].has_looked);
        if me.access == Access::Load
            && me.is_doubtful(in_shared)
            && !me.has_looked
            && let Some(write) = known.write.filter(|write| meet(by.here, write, &me))
        {
            keep(&mut self.doubts, by.doubt(word, &me, &write, &me));
        }
        match mine {
            _ if me.access == Access::Store => {}
            Ok(at) => known.reads[at] = me,
            Err(at) if known.reads.len() < READERS => {
                let before = known.reads.capacity();
                known.reads.insert(at, me);
                self.held += known.reads.capacity() - before;
            }
            Err(_) => {}
        }
        if self.unfenced.is_none()
            && let Some(write) = known.write.filter(|write| lacks_fence(by.here, write, &me))
        {
            self.unfenced = Some([&me, &write].map(|one| (one.past, one.loc, one.access)));
        }
        let Writes::Something { changes } = writes else { return };
        let mine = |doubt: &&mut Doubt| changes && doubt.word == word && me.is_by(doubt.reader);
        for doubt in self.doubts.iter_mut().filter(mine) {
            doubt.is_open = false;
        }
        for read in known.reads.iter().filter(|read| read.is_doubtful(in_shared)) {
            if meet(by.here, read, &me) {
                keep(&mut self.doubts, by.doubt(word, &me, read, read));
            }
        }
        // Of two stores the last one stays, unless it has seen the other (PTX ISA 8.9.5: what has been
        // observed comes before what follows the observation).
        let has_seen = known.reads.iter().any(|read| {
            me.is_by(read.past) || by.here.before(read.past, me.past.lane as usize) == Before::Yes
        });
        let is_doubtful = |write: &Touched| {
            [me.access, write.access] == [Access::Store; 2] && (in_shared || changes) && !has_seen
        };
        if let Some(write) = known.write.filter(|write| is_doubtful(write) && meet(by.here, write, &me)) {
            keep(&mut self.doubts, by.doubt(word, &me, &write, &write));
        }
        known.reads.clear();
        known.write = Some(me);
    }

    /// The shared memory of a block that has ended.
    pub fn block_end(&mut self, id: BlockId) {
        let words = self.words.remove(&Some(id)).unwrap_or_default();
        self.held -= words.values().map(|known| 2 + known.reads.capacity()).sum::<usize>();
    }

    /// What is left, but for values that no thread has used, and for blocks that are still under way: the
    /// launch has been stopped.
    pub fn into_doubts(mut self, order: &Order, reads: &Reads) -> Vec<Doubt> {
        self.doubts.retain(|doubt| {
            let (block, _) = order.locate(doubt.reader.warp);
            !doubt.is_open && !order.is_under_way(block) && reads.is_used(doubt.read, doubt.reader.lane)
        });
        self.doubts
    }
}

/// Whether nothing orders two accesses to the same byte, and both are strong.
fn meet(here: Here, earlier: &Touched, me: &Touched) -> bool {
    earlier.bytes & me.bytes != 0
        && !matches!(
            here.before(earlier.past, me.past.lane as usize),
            Before::Yes | Before::Almost(Gap::Fence | Gap::FenceElsewhere)
        )
        && morally_strong(earlier.strength, me.strength, here.scope_with(earlier.past))
}

/// Whether a flag orders two accesses to the same byte that are not both atomic, and a fence is missing.
fn lacks_fence(here: Here, earlier: &Touched, me: &Touched) -> bool {
    let gap = || here.before(earlier.past, me.past.lane as usize);
    earlier.bytes & me.bytes != 0
        && !(earlier.access.is_atomic() && me.access.is_atomic())
        && matches!(gap(), Before::Almost(Gap::Fence | Gap::FenceElsewhere))
}

/// Keeps a doubt, unless there are many of the same two lines.
fn keep(doubts: &mut Vec<Doubt>, doubt: Doubt) {
    let is_followed = doubt.read != 0;
    let kind = |doubt: &Doubt| {
        (doubt.later.who.loc, doubt.race.earlier_loc, doubt.near, doubt.is_open, doubt.read != 0)
    };
    let most = if is_followed { ALIKE_FOLLOWED } else { ALIKE };
    if doubts.iter().filter(|other| kind(other) == kind(&doubt)).count() < most {
        doubts.push(doubt);
    }
}
