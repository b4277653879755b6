//! Who has read a word, or written it last, in a form that all words share which were accessed alike.
//!
//! A node says: these warps of these blocks, at this time, from this line. Its lanes are given relative to a
//! lane that the word itself knows, so that the words side by side that a warp reads have one node. Further
//! readers are a node before it. Nodes are counted by who refers to them.

use super::{Cell, Seen};
use crate::arith::WARP;
use crate::check::conflict::Strength;
use crate::check::order::{Past, Time};
use crate::ptx::Scope;

/// A node by its number; there is none for nobody.
pub type Id = u32;
pub const NOBODY: Id = 0;

/// Readers that a word remembers, in nodes; further ones are forgotten.
const MOST: u16 = 256;
/// A reader that reads again is looked for in the last so many nodes.
const LOOK_BACK: usize = 8;
/// Transitions that are remembered.
const MEMO: usize = 256;
/// As long as nodes take less than this for each word that has been touched, and this besides, in bytes, there
/// are sets of readers that no other word shares. Beyond that a word remembers two readers: of two blocks if
/// possible, so that the barriers of one block do not order both.
const BYTES_PER_WORD: usize = 3;
const BYTES: usize = 1 << 20;

/// A source line, and how strongly it is accessed: 24 bits and 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct What(u32);

/// How strong an access is, and whether it is an atomic, which are all strong.
const MANNERS: [(Strength, bool); 10] = [
    (Strength::Weak, false),
    (Strength::Strong(Scope::Cta), false),
    (Strength::Strong(Scope::Cluster), false),
    (Strength::Strong(Scope::Gpu), false),
    (Strength::Strong(Scope::System), false),
    (Strength::Strong(Scope::Cta), true),
    (Strength::Strong(Scope::Cluster), true),
    (Strength::Strong(Scope::Gpu), true),
    (Strength::Strong(Scope::System), true),
    (Strength::ReadOnly, false),
];

impl What {
    /// A program with 16 million lines has no more of them in messages.
    pub fn new(loc: u32, strength: Strength, atomic: bool) -> What {
        let manner = match strength {
            Strength::Weak => 0,
            Strength::Strong(scope) => 1 + scope as u32 + 4 * atomic as u32,
            Strength::ReadOnly => 9,
        };
        What(manner << 24 | loc.min(0xff_ffff))
    }

    pub fn strength(self) -> Strength {
        MANNERS[self.0 as usize >> 24].0
    }
}

/// Lanes of a warp, relative to a lane that the word knows: the first is so many further, and the mask says
/// which others there are from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub further: i8,
    pub mask: u32,
}

impl Who {
    /// The lanes, if the word's is `lane`.
    pub fn lanes(self, lane: usize) -> u32 {
        (u64::from(self.mask) << (lane as i8 + self.further)) as u32
    }

    fn holds(self, other: Who) -> bool {
        let bits = |who: Who| u128::from(who.mask) << (WARP as i8 + who.further);
        bits(other) & !bits(self) == 0
    }
}

/// Who accesses: all but those before it, for one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// The first warp of its block, counted over all grids, and which of the block it is, as a bit.
    pub block: u32,
    pub warp: u32,
    pub time: Time,
    pub what: What,
    pub who: Who,
}

/// Accesses at one time, from one line, by the same warps of blocks whose first warps are `step` apart. The
/// fields of a [`Reader`] by themselves, since they take less so.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    refs: u32,
    /// Readers besides; of a free node the next free one.
    pub rest: Id,
    block: u32,
    warp: u32,
    time: Time,
    what: What,
    mask: u32,
    pub blocks: u16,
    step: u16,
    length: u16,
    further: i8,
}

impl Node {
    fn new(reader: Reader, rest: Id) -> Node {
        let Reader { block, warp, time, what, who: Who { further, mask } } = reader;
        Node { refs: 0, rest, block, warp, time, what, mask, blocks: 1, step: 0, length: 1, further }
    }

    /// Who accesses in the first block.
    pub fn first(&self) -> Reader {
        let Node { block, warp, time, what, mask, further, .. } = *self;
        Reader { block, warp, time, what, who: Who { further, mask } }
    }

    /// All warps, by their numbers.
    pub fn warps(self) -> impl Iterator<Item = u32> {
        (0..self.blocks as u32).flat_map(move |number| {
            let block = self.block + number * self.step as u32;
            crate::arith::lanes(self.warp).map(move |warp| block + warp as u32)
        })
    }

    /// The only warp, if there is one.
    pub fn is_of(&self, block: u32, warp: u32) -> bool {
        (self.blocks, self.block, self.warp) == (1, block, warp)
    }

    /// All in the block with this first warp.
    pub fn is_of_block(&self, block: u32) -> bool {
        (self.blocks, self.block) == (1, block)
    }

    /// All in this block, and before a barrier of it.
    pub fn is_before(&self, block: u32, barrier: Time) -> bool {
        self.is_of_block(block) && self.time < barrier
    }

    pub fn seen(&self, warp: u32, lane: usize) -> Seen {
        let (strength, atomic) = MANNERS[self.what.0 as usize >> 24];
        let past = Past { warp, lane: lane as u8, time: self.time };
        Seen { past, loc: self.what.0 & 0xff_ffff, strength, atomic }
    }

    /// Whether a reader is among these, or has nothing new to say.
    fn holds(&self, reader: &Reader) -> bool {
        let Reader { time, what, who, .. } = self.first();
        let (ahead, step) = (reader.block.wrapping_sub(self.block), self.step.max(1) as u32);
        let is_block = ahead == 0 || ahead.is_multiple_of(step) && ahead / step < self.blocks as u32;
        who.holds(reader.who)
            && is_block
            && time == reader.time
            && what.strength() == reader.what.strength()
            && self.warp & reader.warp != 0
    }

    /// The two as one node, if the other goes on where this ends: it is of the next block.
    fn with(&self, next: &Reader) -> Option<Node> {
        let last = self.block + (self.blocks as u32 - 1) * self.step as u32;
        let step = u16::try_from(next.block.wrapping_sub(last)).ok()?;
        let fits = Reader { block: self.block, ..*next } == self.first()
            && step != 0
            && (self.blocks == 1 || step == self.step);
        let blocks = self.blocks.checked_add(1)?;
        fits.then_some(Node { blocks, step, ..*self })
    }
}

/// What becomes of readers when one more comes.
#[derive(Clone, Copy, Debug)]
struct Memo {
    old: Id,
    reader: Reader,
    new: Id,
    alone: bool,
}

/// All nodes of some memory.
#[derive(Debug)]
pub struct Nodes {
    all: Vec<Node>,
    /// The first that is free again, and how many are not.
    free: Id,
    live: usize,
    memo: Vec<Option<Memo>>,
    /// Words that there is room for.
    pub words: usize,
    /// Bytes that nodes may take besides.
    pub besides: usize,
}

impl Default for Nodes {
    fn default() -> Nodes {
        Nodes { all: Vec::new(), free: NOBODY, live: 0, memo: vec![None; MEMO], words: 0, besides: BYTES }
    }
}

impl Nodes {
    #[inline]
    pub fn get(&self, id: Id) -> &Node {
        &self.all[id as usize - 1]
    }

    /// A set of readers, node by node.
    pub fn chain(&self, id: Id) -> impl Iterator<Item = &Node> {
        let next = |id: Id| (id != NOBODY).then(|| self.get(id));
        std::iter::successors(next(id), move |node| next(node.rest))
    }

    #[inline]
    pub fn hold(&mut self, id: Id, times: u32) {
        if id != NOBODY {
            self.all[id as usize - 1].refs += times;
        }
    }

    #[inline]
    pub fn release(&mut self, mut id: Id, mut times: u32) {
        while id != NOBODY {
            let node = &mut self.all[id as usize - 1];
            node.refs -= times;
            if node.refs > 0 {
                return;
            }
            let rest = std::mem::replace(&mut node.rest, self.free);
            self.free = id;
            self.live -= 1;
            (id, times) = (rest, 1);
        }
    }

    fn keep(&mut self, node: Node) -> Id {
        let length = 1 + self.length(node.rest);
        self.hold(node.rest, 1);
        let node = Node { refs: 0, length, ..node };
        self.live += 1;
        if self.free != NOBODY {
            let id = self.free;
            self.free = self.get(id).rest;
            self.all[id as usize - 1] = node;
            return id;
        }
        if self.all.len() == self.all.capacity() {
            // Twice as many would be more than has been promised.
            self.all.reserve_exact(32 + self.all.len() / 32);
        }
        self.all.push(node);
        self.all.len() as Id
    }

    fn length(&self, id: Id) -> u16 {
        if id == NOBODY { 0 } else { self.get(id).length }
    }

    /// Bytes that the nodes and the words take.
    pub fn bytes(&self) -> usize {
        self.words * size_of::<Cell>() + self.all.capacity() * size_of::<Node>()
    }

    /// Whether there is room for sets that no other word shares.
    fn has_room(&self) -> bool {
        self.live * size_of::<Node>() < self.besides + self.words * BYTES_PER_WORD
    }

    /// The readers `old` and one more; `None` where there is no room. And whether only the new one is left,
    /// whose lanes are then no further, since all others are `covered`: what races with one of them races with it
    /// too.
    pub fn with(&mut self, old: Id, reader: Reader, covered: impl Fn(&Node) -> bool) -> Option<(Id, bool)> {
        let Who { further, mask } = reader.who;
        let mix = [reader.block, reader.warp, reader.time, reader.what.0, mask, further as u32].into_iter();
        let hash = mix.fold(old, |hash, part| (hash.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b9));
        let slot = hash as usize >> 16 & (MEMO - 1);
        if let Some(memo) = self.memo[slot].filter(|memo| memo.old == old && memo.reader == reader) {
            return Some((memo.new, memo.alone));
        }
        let (new, alone) = self.compute(old, reader, covered)?;
        self.hold(old, 1);
        self.hold(new, 1);
        let forgotten = self.memo[slot].replace(Memo { old, reader, new, alone });
        if let Some(memo) = forgotten {
            self.release(memo.old, 1);
            self.release(memo.new, 1);
        }
        Some((new, alone))
    }

    /// The readers of one node.
    pub fn one(&mut self, reader: Reader) -> Id {
        self.with(NOBODY, reader, |_| false).map_or(NOBODY, |(id, _)| id)
    }

    fn compute(&mut self, old: Id, reader: Reader, covered: impl Fn(&Node) -> bool) -> Option<(Id, bool)> {
        let node = Node::new(reader, old);
        if self.chain(old).all(covered) {
            let who = Who { further: 0, ..reader.who };
            return Some((self.keep(Node::new(Reader { who, ..reader }, NOBODY)), true));
        }
        if self.chain(old).take(LOOK_BACK).any(|node| node.holds(&reader)) {
            return Some((old, false));
        }
        let head = *self.get(old);
        // The same threads have read before: what is before them now was so then.
        if reader.who.holds(head.first().who)
            && head.is_of(reader.block, reader.warp)
            && reader.what.strength() <= head.what.strength()
        {
            return Some((self.keep(Node { rest: head.rest, ..node }), false));
        }
        let alike = Reader { block: reader.block, warp: reader.warp, ..head.first() } == reader;
        if alike && head.blocks == 1 && head.block == reader.block {
            let first = Reader { warp: head.warp | reader.warp, ..reader };
            // A block that is complete may go on a run of blocks.
            let before = (head.rest != NOBODY).then(|| *self.get(head.rest));
            let more = before.and_then(|before| before.with(&first));
            return Some((self.keep(more.unwrap_or(Node { warp: first.warp, ..head })), false));
        }
        if let Some(more) = head.with(&reader) {
            return Some((self.keep(more), false));
        }
        (self.length(old) < MOST && self.has_room()).then(|| (self.keep(node), false))
    }

    #[cfg(test)]
    pub fn live(&self) -> usize {
        self.live
    }
}

const _: () = assert!(size_of::<Node>() == 36 && WARP == 32);
