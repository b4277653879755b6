//! Who has read a word, or written it last, in a form that all words share which were accessed alike.
//!
//! A node says: these warps of these blocks, at this time, from this line. Its lanes are given relative to a
//! lane that the word itself knows, so that the words side by side that a warp reads have one node. Further
//! readers are a node before it. Nodes are counted by who refers to them.
//!
//! Most nodes are one warp by itself: such a node takes 7 bytes ([`One`]), the warp's number and that of a
//! [`Manner`], which says the rest for all warps that do the same.

use super::{Cell, Seen};
use crate::arith::WARP;
use crate::check::conflict::Strength;
use crate::check::order::{Past, Time};
use crate::ptx::Scope;

/// A node by its number, which is odd for one warp by itself; there is none for nobody.
pub type Id = u32;
pub const NOBODY: Id = 0;

/// Readers that a word remembers, in nodes; further ones are forgotten.
const MOST: u16 = 256;
/// A reader that reads again is looked for in the last this many nodes.
const LOOK_BACK: usize = 8;
/// Transitions that are remembered.
const MEMO: usize = 256;
/// Manners that there is room for, in sets by their hash, and the bits of their numbers.
const MANNER_BITS: u32 = 10;
const A_SET: usize = 16;
/// So often a warp by itself can be referred to; one that has been so often stays for good.
const REFS: u32 = (1 << (24 - MANNER_BITS)) - 1;
/// As long as nodes take less than this for each word that has been touched, and this besides, in bytes,
/// there are sets of readers that no other word shares. Beyond that a word remembers two readers: of two
/// blocks if possible, so that the barriers of one block do not order both.
const BYTES_PER_WORD: usize = 3;
const BYTES: usize = 1 << 20;

/// A source line, and how strongly it is accessed: 24 bits and 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct What(u32);

/// How strong an access is, and whether it is an atomic, which are all strong.
const STRENGTHS: [(Strength, bool); 10] = [
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
        STRENGTHS[self.0 as usize >> 24].0
    }
}

/// Lanes of a warp, relative to a lane that the word knows: the first is this many further, and the mask says
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
    /// Warps of its block.
    pub warps: u8,
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
    warps: u8,
}

/// What warps have in common that access in the same way: when, how, and where their blocks begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Manner {
    time: Time,
    what: What,
    mask: u32,
    further: i8,
    warps: u8,
    /// What is left of the number of a block's first warp.
    first: u8,
}

/// A warp by itself: its number, 32 bits, that of its manner, and how often it is referred to. Of a free one
/// the warp is the next free one.
#[derive(Clone, Copy, Debug)]
struct One([u8; 7]);

impl One {
    fn new(warp: u32, manner: usize, refs: u32) -> One {
        let rest = (manner as u32) << (24 - MANNER_BITS) | refs;
        let ([a, b, c, d], [e, f, g, _]) = (warp.to_le_bytes(), rest.to_le_bytes());
        One([a, b, c, d, e, f, g])
    }

    fn parts(self) -> (u32, usize, u32) {
        let One([a, b, c, d, e, f, g]) = self;
        let rest = u32::from_le_bytes([e, f, g, 0]);
        (u32::from_le_bytes([a, b, c, d]), (rest >> (24 - MANNER_BITS)) as usize, rest & REFS)
    }
}

impl Node {
    fn new(reader: Reader, rest: Id) -> Node {
        let Reader { block, warp, warps, time, what, who: Who { further, mask } } = reader;
        Node { refs: 0, rest, block, warp, time, what, mask, blocks: 1, step: 0, length: 1, further, warps }
    }

    /// Who accesses in the first block.
    pub fn first(&self) -> Reader {
        let Node { block, warp, warps, time, what, mask, further, .. } = *self;
        Reader { block, warp, warps, time, what, who: Who { further, mask } }
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
        let (strength, atomic) = STRENGTHS[self.what.0 as usize >> 24];
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
    ones: Vec<One>,
    /// Of each manner, who refers to it.
    manners: Vec<(Manner, u32)>,
    /// Of nodes and of ones: the first that is free again, and how many are not.
    free: [Id; 2],
    live: [usize; 2],
    memo: Vec<Option<Memo>>,
    /// Words that there is room for.
    pub words: usize,
    /// Bytes that nodes may take besides.
    pub besides: usize,
}

impl Default for Nodes {
    fn default() -> Nodes {
        Nodes {
            all: Vec::new(),
            ones: Vec::new(),
            manners: vec![Default::default(); 1 << MANNER_BITS],
            free: [NOBODY; 2],
            live: [0; 2],
            memo: vec![None; MEMO],
            words: 0,
            besides: BYTES,
        }
    }
}

impl Nodes {
    #[inline]
    pub fn get(&self, id: Id) -> Node {
        let at = id as usize / 2;
        if id.is_multiple_of(2) { self.all[at - 1] } else { self.one_at(at) }
    }

    fn one_at(&self, at: usize) -> Node {
        let (number, manner, _) = self.ones[at].parts();
        let Manner { time, what, mask, further, warps, first } = self.manners[manner].0;
        let warp = (number - first as u32) % warps as u32;
        let who = Who { further, mask };
        Node::new(Reader { block: number - warp, warp: 1 << warp, warps, time, what, who }, NOBODY)
    }

    /// A set of readers, node by node.
    pub fn chain(&self, id: Id) -> impl Iterator<Item = Node> {
        let next = |id: Id| (id != NOBODY).then(|| self.get(id));
        std::iter::successors(next(id), move |node| next(node.rest))
    }

    #[inline]
    pub fn hold(&mut self, id: Id, times: u32) {
        let at = id as usize / 2;
        if id % 2 == 1 {
            let (warp, manner, refs) = self.ones[at].parts();
            self.ones[at] = One::new(warp, manner, REFS.min(refs + times));
        } else if id != NOBODY {
            self.all[at - 1].refs += times;
        }
    }

    #[inline]
    pub fn release(&mut self, mut id: Id, mut times: u32) {
        while id != NOBODY {
            let at = id as usize / 2;
            let is_one = id % 2 == 1;
            let rest = if is_one {
                let (warp, manner, refs) = self.ones[at].parts();
                if refs == REFS {
                    return;
                }
                self.ones[at] = One::new(warp, manner, refs - times);
                if refs > times {
                    return;
                }
                self.manners[manner].1 -= 1;
                self.ones[at] = One::new(self.free[1], 0, 0);
                NOBODY
            } else {
                let node = &mut self.all[at - 1];
                node.refs -= times;
                if node.refs > 0 {
                    return;
                }
                std::mem::replace(&mut node.rest, self.free[0])
            };
            self.free[is_one as usize] = id;
            self.live[is_one as usize] -= 1;
            (id, times) = (rest, 1);
        }
    }

    fn keep(&mut self, node: Node) -> Id {
        if let Some(one) = self.as_one(&node) {
            self.live[1] += 1;
            let id = self.free[1];
            if id != NOBODY {
                let place = &mut self.ones[id as usize / 2];
                self.free[1] = std::mem::replace(place, one).parts().0;
                return id;
            }
            push(&mut self.ones, one);
            return self.ones.len() as Id * 2 - 1;
        }
        let length = 1 + self.length(node.rest);
        self.hold(node.rest, 1);
        let node = Node { refs: 0, length, ..node };
        self.live[0] += 1;
        let id = self.free[0];
        if id != NOBODY {
            let place = &mut self.all[id as usize / 2 - 1];
            self.free[0] = std::mem::replace(place, node).rest;
            return id;
        }
        push(&mut self.all, node);
        self.all.len() as Id * 2
    }

    /// A node that is one warp by itself, if there is room for its manner.
    fn as_one(&mut self, node: &Node) -> Option<One> {
        let Reader { block, warp, warps, time, what, who: Who { further, mask } } = node.first();
        if node.blocks > 1 || node.rest != NOBODY || !warp.is_power_of_two() {
            return None;
        }
        let manner = Manner { time, what, mask, further, warps, first: (block % warps as u32) as u8 };
        let hash = [time, what.0, mask].iter().fold(further as u32, |hash, part| mixed(hash, *part));
        let set = (hash >> 16) as usize % (self.manners.len() / A_SET) * A_SET;
        let known =
            self.manners[set..][..A_SET].iter().position(|(other, refs)| *refs > 0 && *other == manner);
        let free = || self.manners[set..][..A_SET].iter().position(|(_, refs)| *refs == 0);
        let number = set + known.or_else(free)?;
        self.manners[number] = (manner, self.manners[number].1 + 1);
        Some(One::new(block + warp.trailing_zeros(), number, 0))
    }

    fn length(&self, id: Id) -> u16 {
        if id == NOBODY { 0 } else { self.get(id).length }
    }

    /// Bytes that the nodes and the words take.
    pub fn bytes(&self) -> usize {
        let ones = self.ones.capacity() * size_of::<One>();
        self.words * size_of::<Cell>() + self.all.capacity() * size_of::<Node>() + ones
    }

    /// Whether there is room for sets that no other word shares.
    fn has_room(&self) -> bool {
        self.live[0] * size_of::<Node>() < self.besides + self.words * BYTES_PER_WORD
    }

    /// The readers `old` and one more; `None` where there is no room. And whether only the new one is left,
    /// whose lanes are then no further, since all others are of its block, before this `barrier`, and no
    /// stronger in what they do not race with: what races with one of them races with it too.
    pub fn with(&mut self, old: Id, reader: Reader, barrier: Time) -> Option<(Id, bool)> {
        let Who { further, mask } = reader.who;
        let mix = [reader.block, reader.warp, reader.time, reader.what.0, mask, further as u32].into_iter();
        let hash = mix.fold(old, mixed);
        let slot = hash as usize >> 16 & (MEMO - 1);
        let known = self.memo[slot].filter(|memo| memo.old == old && memo.reader == reader);
        if let Some(memo) = known.filter(|memo| self.can_be_held(memo.new)) {
            return Some((memo.new, memo.alone));
        }
        let (new, alone) = self.compute(old, reader, barrier)?;
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
        self.with(NOBODY, reader, 0).map_or(NOBODY, |(id, _)| id)
    }

    fn compute(&mut self, old: Id, reader: Reader, barrier: Time) -> Option<(Id, bool)> {
        let covered = |node: Node| {
            node.is_before(reader.block, barrier) && reader.what.strength() <= node.what.strength()
        };
        let node = Node::new(reader, old);
        if self.chain(old).all(covered) {
            let who = Who { further: 0, ..reader.who };
            return Some((self.keep(Node::new(Reader { who, ..reader }, NOBODY)), true));
        }
        if self.chain(old).take(LOOK_BACK).any(|node| node.holds(&reader)) {
            return Some((old, false));
        }
        let head = self.get(old);
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
            let before = (head.rest != NOBODY).then(|| self.get(head.rest));
            let more = before.and_then(|before| before.with(&first));
            return Some((self.keep(more.unwrap_or(Node { warp: first.warp, ..head })), false));
        }
        if let Some(more) = head.with(&reader) {
            return Some((self.keep(more), false));
        }
        (self.length(old) < MOST && self.has_room()).then(|| (self.keep(node), false))
    }

    /// Whether a node can be referred to by all words of a request more.
    fn can_be_held(&self, id: Id) -> bool {
        id.is_multiple_of(2) || self.ones[id as usize / 2].parts().2 < REFS / 4
    }

    #[cfg(test)]
    pub fn live(&self) -> usize {
        self.live[0] + self.live[1]
    }
}

fn mixed(hash: u32, part: u32) -> u32 {
    (hash.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b9)
}

fn push<T>(all: &mut Vec<T>, one: T) {
    if all.len() == all.capacity() {
        // Twice as many would be more than has been promised.
        all.reserve_exact(32 + all.len() / 32);
    }
    all.push(one);
}

const _: () = assert!(size_of::<Node>() == 36 && WARP == 32);

#[cfg(test)]
mod tests {
    use super::*;

    /// Accesses of one warp of blocks that begin anywhere, in more manners than there is room for.
    #[test]
    fn a_warp_by_itself_is_what_it_was() {
        let mut nodes = Nodes::default();
        let mut kept = Vec::new();
        for number in 0..20_000u32 {
            let warps = 1 + number % 32;
            let reader = Reader {
                block: number % 7 + number / 100 * warps,
                warp: 1 << (number / 3 % warps),
                warps: warps as u8,
                time: number / 4_000,
                what: What::new(number / 500, Strength::Weak, false),
                who: Who { further: 0, mask: 1 + number % 2 },
            };
            let id = nodes.one(reader);
            nodes.hold(id, 1);
            kept.push((id, reader));
            if number % 5 == 0 {
                let (id, _) = kept.swap_remove(number as usize / 7 % kept.len());
                nodes.release(id, 1);
            }
        }
        assert!(kept.iter().all(|(id, reader)| nodes.get(*id).first() == *reader));
        let ones = kept.iter().filter(|(id, _)| id % 2 == 1).count();
        assert!(ones > 1_000 && kept.len() - ones > 1_000, "{ones} of {}", kept.len());
        kept.iter().for_each(|(id, _)| nodes.release(*id, 1));
        assert!(nodes.live() <= MEMO, "what is remembered besides");
        let refs: u32 = nodes.manners.iter().map(|(_, refs)| refs).sum();
        assert_eq!(refs as usize, nodes.live[1]);
    }

    /// One that is referred to more often than it can count stays, and is not taken again.
    #[test]
    fn what_cannot_be_counted_stays() {
        let mut nodes = Nodes::default();
        let (what, who) = (What::new(7, Strength::Weak, false), Who { further: 0, mask: 1 });
        let reader = Reader { block: 4, warp: 2, warps: 4, time: 1, what, who };
        let many = nodes.one(reader);
        (0..30).for_each(|_| nodes.hold(many, 1_000));
        assert_ne!(nodes.one(reader), many);
        (0..30).for_each(|_| nodes.release(many, 1_000));
        let other = nodes.one(Reader { warp: 4, ..reader });
        assert!(other != many && nodes.get(many).first() == reader);
    }
}
