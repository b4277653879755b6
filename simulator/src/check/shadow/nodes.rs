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
/// What nodes may take for each word that has been touched, and besides, in bytes. Beyond that a word
/// remembers two readers.
const BYTES_PER_WORD: usize = 8;
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

/// Accesses at one time, from one line, by the same warps of blocks whose first warps are `step` apart.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    refs: u32,
    length: u16,
    /// Readers besides.
    pub rest: Id,
    pub first: Reader,
    pub blocks: u32,
    step: u32,
}

impl Node {
    /// All warps, by their numbers.
    pub fn warps(self) -> impl Iterator<Item = u32> {
        (0..self.blocks).flat_map(move |number| {
            let block = self.first.block + number * self.step;
            crate::arith::lanes(self.first.warp).map(move |warp| block + warp as u32)
        })
    }

    /// The only warp, if there is one.
    pub fn is_of(&self, block: u32, warp: u32) -> bool {
        (self.blocks, self.first.block, self.first.warp) == (1, block, warp)
    }

    pub fn seen(&self, warp: u32, lane: usize) -> Seen {
        let (strength, atomic) = MANNERS[self.first.what.0 as usize >> 24];
        let past = Past { warp, lane: lane as u8, time: self.first.time };
        Seen { past, loc: self.first.what.0 & 0xff_ffff, strength, atomic }
    }

    /// Whether a reader is among these, or has nothing new to say.
    fn holds(&self, reader: &Reader) -> bool {
        let Reader { time, what, who, .. } = self.first;
        let ahead = reader.block.wrapping_sub(self.first.block);
        let is_block =
            ahead == 0 || ahead.is_multiple_of(self.step.max(1)) && ahead / self.step.max(1) < self.blocks;
        who.holds(reader.who)
            && is_block
            && time == reader.time
            && what.strength() == reader.what.strength()
            && self.first.warp & reader.warp != 0
    }

    /// The two as one node, if the other goes on where this ends: it is of the next block.
    fn with(&self, next: &Reader) -> Option<Node> {
        let step = next.block.wrapping_sub(self.first.block + (self.blocks - 1) * self.step);
        let fits = Reader { block: self.first.block, ..*next } == self.first
            && step != 0
            && step < 1 << 31
            && (self.blocks == 1 || step == self.step);
        fits.then_some(Node { blocks: self.blocks + 1, step, ..*self })
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
    free: Vec<Id>,
    memo: Vec<Option<Memo>>,
    /// Words that there is room for.
    pub words: usize,
}

impl Default for Nodes {
    fn default() -> Nodes {
        Nodes { all: Vec::new(), free: Vec::new(), memo: vec![None; MEMO], words: 0 }
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
            self.free.push(id);
            (id, times) = (node.rest, 1);
        }
    }

    fn keep(&mut self, node: Node) -> Id {
        let length = 1 + self.length(node.rest);
        self.hold(node.rest, 1);
        let node = Node { refs: 0, length, ..node };
        match self.free.pop() {
            Some(id) => {
                self.all[id as usize - 1] = node;
                id
            }
            None => {
                self.all.push(node);
                self.all.len() as Id
            }
        }
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
        (self.all.len() - self.free.len()) * size_of::<Node>() < BYTES + self.words * BYTES_PER_WORD
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
        let node = Node { refs: 0, length: 1, rest: old, first: reader, blocks: 1, step: 0 };
        if self.chain(old).all(covered) {
            let who = Who { further: 0, ..reader.who };
            let alone = Node { rest: NOBODY, first: Reader { who, ..reader }, ..node };
            return Some((self.keep(alone), true));
        }
        if self.chain(old).take(LOOK_BACK).any(|node| node.holds(&reader)) {
            return Some((old, false));
        }
        let head = *self.get(old);
        // The same threads have read before: what is before them now was so then.
        if reader.who.holds(head.first.who)
            && head.is_of(reader.block, reader.warp)
            && reader.what.strength() <= head.first.what.strength()
        {
            return Some((self.keep(Node { rest: head.rest, ..node }), false));
        }
        let alike = Reader { block: reader.block, warp: reader.warp, ..head.first } == reader;
        if alike && head.blocks == 1 && head.first.block == reader.block {
            let first = Reader { warp: head.first.warp | reader.warp, ..reader };
            // A block that is complete may go on a run of blocks.
            let before = (head.rest != NOBODY).then(|| *self.get(head.rest));
            let more = before.and_then(|before| before.with(&first));
            return Some((self.keep(more.unwrap_or(Node { first, ..head })), false));
        }
        if let Some(more) = head.with(&reader) {
            return Some((self.keep(more), false));
        }
        (self.length(old) < MOST && self.has_room()).then(|| (self.keep(node), false))
    }

    #[cfg(test)]
    pub fn live(&self) -> usize {
        self.all.len() - self.free.len()
    }
}

const _: () = assert!(size_of::<Node>() <= 44 && WARP == 32);
