//! Vector clocks: what a thread, or a moment that it has left behind, knows of all threads.
//!
//! A block has one time for all of its threads, which counts what orders something in it. So a clock has an
//! entry for each block that it knows of, not for each thread, and mostly says when its last barrier was;
//! lanes of single warps are listed where more is known of them (`View`).
//!
//! Thousands of blocks hand the same clock on, from one to the next, through a counter that each of them
//! increments. A clock is therefore a tree whose parts many share: to join two takes time only where they
//! differ. Clocks that are handed on side by side, as those of releases and of fences are, say the same and
//! share nothing; so every part has a fingerprint, and parts with the same one are not looked into. Two that
//! differ have the same one in one of 2^64 cases, by chance.

use std::rc::Rc;

pub type Time = u32;
/// A grid, and a block of it.
pub type BlockId = (u32, u64);
/// A grid, and a cluster of it.
pub type ClusterId = (u32, u64);
/// A location that threads synchronise through: an address in global memory, or in a block's shared memory.
pub type Location = (Option<BlockId>, u64);

/// Who acquires what has been released at a location, besides the threads of the releasing block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    Block(BlockId),
    Cluster(ClusterId),
    Device(u32),
    All,
}

/// How far a thread is from having acquired a past access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// It has seen the flag, but has no fence behind it.
    Fence,
    /// Another thread has seen the flag, and has no fence behind it; a barrier lies between.
    FenceElsewhere,
    /// It has one, at a scope that does not include the other thread.
    Scope,
}

/// An access that has happened: by which lane of which warp (counted over all grids), and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    pub warp: u32,
    pub lane: u8,
    pub time: Time,
}

/// What is known of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// All that its threads did before this time.
    pub barrier: Time,
    /// What lanes of a warp, counted in the block, did before some later time.
    pub lanes: Vec<(u32, u32, Time)>,
    /// All grids below its launches with numbers smaller than this have ended.
    pub children: u32,
}

impl View {
    /// What lanes of a warp did before this time.
    pub fn of_lanes(warp: u32, mask: u32, time: Time) -> View {
        View { lanes: vec![(warp, mask, time)], ..View::default() }
    }

    fn knows(&self, warp: u32, lane: u8, time: Time) -> bool {
        let of_lane =
            |&(w, mask, before): &(u32, u32, Time)| w == warp && mask >> lane & 1 == 1 && time < before;
        time < self.barrier || self.lanes.iter().any(of_lane)
    }

    fn join(&self, other: &View) -> View {
        let barrier = self.barrier.max(other.barrier);
        let later = |of: &&(u32, u32, Time)| of.2 > barrier;
        let mut lanes: Vec<(u32, u32, Time)> = self.lanes.iter().filter(later).copied().collect();
        for &(warp, mask, time) in other.lanes.iter().filter(later) {
            if lanes.iter().any(|&(w, m, t)| w == warp && t >= time && mask & !m == 0) {
                continue;
            }
            lanes.retain(|&(w, m, t)| w != warp || t > time || m & !mask != 0);
            match lanes.iter_mut().find(|(w, _, t)| (*w, *t) == (warp, time)) {
                Some((_, m, _)) => *m |= mask,
                None => lanes.push((warp, mask, time)),
            }
        }
        View { barrier, lanes, children: self.children.max(other.children) }
    }
}

/// The views of the blocks whose first warps are `first` and the `1 << bits` - 1 after it.
#[derive(Debug)]
struct Node {
    first: u64,
    bits: u32,
    /// Of the part.
    fingerprint: u64,
    part: Part,
}

#[derive(Debug)]
enum Part {
    View(View),
    /// The lower half and the upper one.
    Halves([Rc<Node>; 2]),
}

/// Mixes two numbers into one that depends on all bits of both, and on which is the first.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product as u64 ^ (product >> 64) as u64).rotate_left(29) ^ a
}

impl Node {
    fn of_view(first: u64, view: View) -> Rc<Node> {
        let mut fingerprint = mix(view.barrier.into(), view.children.into());
        for &(warp, mask, time) in &view.lanes {
            let lanes = u64::from(warp) << 32 | u64::from(mask);
            fingerprint = mix(mix(fingerprint, lanes), time.into());
        }
        Rc::new(Node { first, bits: 0, fingerprint, part: Part::View(view) })
    }

    fn of_halves(first: u64, bits: u32, halves: [Rc<Node>; 2]) -> Rc<Node> {
        let of = |half: &Node| mix(mix(half.first, half.bits.into()), half.fingerprint);
        let fingerprint = mix(of(&halves[0]), of(&halves[1]));
        Rc::new(Node { first, bits, fingerprint, part: Part::Halves(halves) })
    }

    fn covers(&self, other: &Node) -> bool {
        self.bits >= other.bits && self.first >> self.bits == other.first >> self.bits
    }

    /// In which half of this node another one lies.
    fn half(&self, first: u64) -> usize {
        (first >> (self.bits - 1) & 1) as usize
    }

    fn join(this: &Rc<Node>, other: &Rc<Node>) -> Rc<Node> {
        if (this.first, this.bits, this.fingerprint) == (other.first, other.bits, other.fingerprint) {
            return this.clone();
        }
        let first = this.first;
        let bits = this.bits;
        let halves = match (&this.part, &other.part) {
            _ if !this.covers(other) && !other.covers(this) => {
                let bits = u64::BITS - (first ^ other.first).leading_zeros();
                let halves = if first < other.first { [this, other] } else { [other, this] };
                return Node::of_halves(first >> bits << bits, bits, halves.map(Rc::clone));
            }
            (Part::View(mine), Part::View(others)) => {
                let view = mine.join(others);
                return match () {
                    _ if view == *mine => this.clone(),
                    _ if view == *others => other.clone(),
                    _ => Node::of_view(first, view),
                };
            }
            (Part::Halves(mine), Part::Halves(others)) if bits == other.bits => {
                [0, 1].map(|half| Node::join(&mine[half], &others[half]))
            }
            (Part::Halves(mine), _) if bits > other.bits => {
                let mut halves = mine.clone();
                let half = &mut halves[this.half(other.first)];
                *half = Node::join(half, other);
                halves
            }
            _ => return Node::join(other, this),
        };
        let is = |node: &Node| match &node.part {
            Part::Halves(old) => old.iter().zip(&halves).all(|(old, new)| Rc::ptr_eq(old, new)),
            Part::View(_) => false,
        };
        match () {
            _ if is(this) => this.clone(),
            _ if is(other) => other.clone(),
            _ => Node::of_halves(first, bits, halves),
        }
    }
}

/// What fences knew, by the scope that two fences need to be morally strong. Each entry is for the group that
/// the thread is in: its block, its cluster, its device, all.
pub type ByScope = [Clock; 4];

/// Fences `.sc` that come before a moment (`fence_sc.rs`): in causality, and by one step of communication.
#[derive(Clone, Debug, Default)]
pub struct Fences {
    pub before: ByScope,
    pub across: ByScope,
}

fn join_all(to: &mut ByScope, from: &ByScope) {
    for (to, from) in to.iter_mut().zip(from) {
        to.join(from);
    }
}

impl Fences {
    pub fn join(mine: Option<Rc<Fences>>, others: &Option<Rc<Fences>>) -> Option<Rc<Fences>> {
        let (Some(mut mine), Some(others)) = (mine.clone(), others) else {
            return mine.or_else(|| others.clone());
        };
        if !Rc::ptr_eq(&mine, others) {
            let joined = Rc::make_mut(&mut mine);
            join_all(&mut joined.before, &others.before);
            join_all(&mut joined.across, &others.across);
        }
        Some(mine)
    }
}

/// What is known, block by block, each by the number of its first warp.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    root: Option<Rc<Node>>,
    /// All grids with smaller numbers than this have ended.
    pub grids: u32,
    /// Fences `.sc` that come before this moment; `None` in most kernels.
    pub fences: Option<Rc<Fences>>,
}

impl Clock {
    pub fn join(&mut self, other: &Clock) {
        self.grids = self.grids.max(other.grids);
        if other.fences.is_some() {
            self.fences = Fences::join(self.fences.take(), &other.fences);
        }
        self.root = match (self.root.take(), &other.root) {
            (Some(mine), Some(others)) => Some(Node::join(&mine, others)),
            (mine, others) => mine.or_else(|| others.clone()),
        };
    }

    /// Learns what is known of one block.
    pub fn learn(&mut self, first_warp: u32, view: View) {
        let root = Some(Node::of_view(first_warp.into(), view));
        self.join(&Clock { root, ..Clock::default() });
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_none() && self.grids == 0
    }

    /// Whether the two are one, which is quickly found.
    pub fn is_same(&self, other: &Clock) -> bool {
        let address = |clock: &Clock| clock.root.as_ref().map(Rc::as_ptr);
        let fences = |clock: &Clock| clock.fences.as_ref().map(Rc::as_ptr);
        (address(self), self.grids, fences(self)) == (address(other), other.grids, fences(other))
    }

    pub fn view(&self, first_warp: u32) -> Option<&View> {
        let first = first_warp.into();
        let mut node = self.root.as_ref()?;
        loop {
            match &node.part {
                Part::View(view) => return (node.first == first).then_some(view),
                Part::Halves(halves) => node = &halves[node.half(first)],
            }
        }
    }

    /// Whether an access by a warp of its block, in `grid`, is known.
    pub fn knows(&self, past: Past, grid: u32, warp: u32) -> bool {
        let view = || self.view(past.warp - warp);
        grid < self.grids || view().is_some_and(|view| view.knows(warp, past.lane, past.time))
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;

    /// Clocks that learn and join at random, against tables of all that they know.
    #[test]
    fn a_clock_knows_what_it_has_learnt() {
        const BLOCKS: u64 = 40;
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % limit
        };
        type Known = FxHashMap<(u32, u32, u8), Time>;
        let mut clocks: Vec<(Clock, Known)> = vec![Default::default(); 8];
        let far = |block: u64| block as u32 * if block > 30 { 1 << 26 } else { 3 };
        for _ in 0..20_000 {
            let one = below(8) as usize;
            let other = below(8) as usize;
            let block = far(below(BLOCKS));
            let warp = below(3) as u32;
            let time = below(100) as Time;
            match below(20) {
                0 => clocks[one] = Default::default(),
                1..6 => {
                    let (theirs, known) = clocks[other].clone();
                    let mine = &mut clocks[one];
                    mine.0.join(&theirs);
                    for (thread, time) in known {
                        let old = mine.1.entry(thread).or_default();
                        *old = time.max(*old);
                    }
                    let before = mine.0.clone();
                    mine.0.join(&theirs);
                    assert!(mine.0.is_same(&before), "nothing new is no new clock");
                }
                how => {
                    let mask = if how < 8 { u32::MAX } else { below(16) as u32 };
                    let (warps, view) = match how {
                        6 => (0..3, View { barrier: time, ..View::default() }),
                        _ => (warp..warp + 1, View::of_lanes(warp, mask, time)),
                    };
                    let (clock, known) = &mut clocks[one];
                    clock.learn(block, view);
                    for (warp, lane) in warps.flat_map(|warp| (0..32).map(move |lane| (warp, lane))) {
                        if how == 6 || mask >> lane & 1 == 1 {
                            let old = known.entry((block, warp, lane)).or_default();
                            *old = time.max(*old);
                        }
                    }
                }
            }
            let block = far(below(BLOCKS));
            let warp = below(3) as u32;
            let lane = below(32) as u8;
            let time = below(100);
            for (clock, known) in &clocks {
                let past = Past { warp: block + warp, lane, time: time as Time };
                let expected = known.get(&(block, warp, lane)).is_some_and(|before| past.time < *before);
                assert_eq!(clock.knows(past, 0, warp), expected);
            }
        }
    }
}
