//! data-race and child-visibility: two accesses to a byte, one of them a write, that nothing orders.
//!
//! PTX ISA 8.7 ("morally strong") and 8.7.1 ("conflict and data-races"): accesses conflict if they touch
//! the same byte and one writes; a conflict is a race unless one is before the other (`order/`) or both are
//! strong, of the same width and at scopes that include both threads. Strong are atomics, `.relaxed`,
//! `.acquire` and `.release`, and volatile accesses, which are relaxed for the whole system (PTX ISA
//! 9.7.9.8, `ld`). What such accesses leave open, `strong.rs` judges.
//!
//! The algorithm is FastTrack (Flanagan and Freund, PLDI 2009). An access is an *epoch*: who, and at which
//! time of theirs. A thread has a vector clock, which says up to which time it has seen each other thread. So
//! one comparison tells whether an access that has happened is before what a thread does now. For every byte
//! the last write is kept and the reads since; a read that is before a later one is dropped, as a write that
//! is after the later read is after both.
//!
//! A GPU adds, each in a file of its own:
//! - **Warps and blocks.** A thread's time is its block's, and a clock has one entry for each block, not for
//!   each of a million threads; an access is by some lanes of a warp (`order/`).
//! - **Scopes.** What a release hands on depends on who acquires it (`order/release.rs`, clusters included).
//! - **Strong accesses**, which do not race with each other (`conflict.rs`). A strong write does not cover a
//!   weak one before it (`shadow.rs`).
//! - **Many readers.** A cell keeps them one by one as long as they are few (`touch.rs`); what is forgotten
//!   can hide a race, and never makes one up.
//! - **Asynchronous copies**, which take place some time between two instructions (`copies.rs`).

use rustc_hash::FxHashMap;

use super::conflict::{Race, Strength, place_of, strength};
use super::order::{BlockId, Location, Order, Past};
use super::shadow::{How, Region};
use super::touch::Touch;
use crate::arith::{at, groups, lanes};
use crate::memory::number_and_offset;
use crate::observe::{Access, Actor, MbarrierUse, Request};
use crate::ptx::{Order as MemoryOrder, Space};

/// What a store has left in a part of shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub offset: u64,
    pub past: Past,
    pub loc: u32,
    /// Bytes of an element.
    pub width: u8,
    /// Half of an update.
    pub updates: bool,
    pub is_read: bool,
}

#[derive(Debug, Default)]
pub struct Shadow {
    /// By allocation.
    global: Vec<Region>,
    /// By grid and block.
    shared: FxHashMap<BlockId, Box<Region>>,
    /// How lines of the program access memory, and their numbers.
    hows: Vec<How>,
    how_of: FxHashMap<How, u32>,
    /// What all this takes, and reads in all lists of cells.
    bytes: usize,
    reads: usize,
}

impl Shadow {
    pub fn block_end(&mut self, grid: u32, block: u64) {
        if let Some(ended) = self.shared.remove(&(grid, block)) {
            self.bytes -= ended.bytes();
            self.reads -= ended.lists.reads;
        }
    }

    /// Bytes that all this takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Who has last written a byte, by a plain store that is no update, and in which line: of the shared
    /// memory of block `place`, or of the allocation whose number stands there, at an offset.
    pub fn stored(&self, space: Space, place: BlockId, offset: u64) -> Option<(Past, u32)> {
        let region = match space {
            Space::Shared => self.shared.get(&place).map(|region| &**region),
            _ => self.global.get(place.1 as usize),
        };
        let write = region?.known(offset)?.write;
        let past = write.pasts().next()?;
        let how = self.hows.get(write.how as usize)?;
        (how.access == Access::Store && !how.updates).then_some((past, how.loc))
    }

    /// What plain stores have left in the shared memory of a block, part by part.
    pub fn left(&self, block: BlockId) -> impl Iterator<Item = Left> + '_ {
        let cells = self.shared.get(&block).into_iter().flat_map(|region| region.cells());
        cells.filter_map(|(offset, cell)| {
            let past = cell.write.pasts().next()?;
            let How { loc, access, width, updates, .. } = *self.hows.get(cell.write.how as usize)?;
            let is_read = !cell.read.is_nobody() || cell.more != 0;
            (access == Access::Store).then_some(Left { offset, past, loc, width, updates, is_read })
        })
    }

    /// Takes in a request, with what it acquires and releases, and finds the races in it.
    pub fn request(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Vec<Race> {
        if strength(request) <= Strength::Weak {
            return self.touch(order, actor, request);
        }
        let place = (request.space == Space::Shared).then_some(place_of(actor, request));
        let location = |lane: usize| -> (usize, Location) { (lane, (place, request.addresses[lane])) };
        let is_relaxed = matches!(request.order, MemoryOrder::Relaxed | MemoryOrder::Volatile);
        let is_one_turn = !request.access.is_atomic()
            || is_relaxed && !order.hands_on(actor, lanes(request.mask).map(location))
            || are_distinct(request);
        if is_one_turn {
            return self.strong(order, actor, request);
        }
        // Lanes are threads: what one of them releases the next one acquires, in the order of their turns.
        let turns = request.turns.of(request.mask);
        turns.flat_map(|lane| self.strong(order, actor, &Request { mask: 1 << lane, ..*request })).collect()
    }

    /// Takes in a strong request whose lanes have nothing to do with each other.
    fn strong(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Vec<Race> {
        let place = (request.space == Space::Shared).then_some(place_of(actor, request));
        let location = |lane: usize| -> (usize, Location) { (lane, (place, request.addresses[lane])) };
        let is_atomic = request.access.is_atomic();
        if !matches!(request.access, Access::Store | Access::Atomic { returns: false }) {
            let acquires = matches!(request.order, MemoryOrder::Acquire | MemoryOrder::AcquireRelease);
            order.acquire(actor, lanes(request.mask).map(location), request.scope, acquires);
        }
        order.communicate(actor, lanes(request.mask).map(location), request.scope, request.access);
        let found = self.touch(order, actor, request);
        if request.access.writes() {
            let releases = matches!(request.order, MemoryOrder::Release | MemoryOrder::AcquireRelease);
            // A compare-and-swap that did not swap has written nothing.
            let written = if is_atomic { request.mask & !request.unchanged } else { request.mask };
            let locations = lanes(written).map(location);
            order.release(actor, locations, request.scope, (releases, is_atomic));
        }
        found
    }

    /// The use of an mbarrier: phases of odd and of even number are locations of their own, so that a wait
    /// for one does not acquire what is released in the next.
    pub fn mbarrier(
        &mut self,
        order: &mut Order,
        actor: Actor,
        request: &Request,
        by: &MbarrierUse,
    ) -> Vec<Race> {
        let found = self.touch(order, actor, request);
        let place = Some(place_of(actor, request));
        let location = |lane: usize| {
            let parity = u64::from((by.odd >> lane) & 1);
            (lane, (place, request.addresses[lane] + parity))
        };
        let locations = lanes(by.done).map(location);
        if request.access == Access::Load {
            order.acquire(actor, locations, request.scope, request.order == MemoryOrder::Acquire);
        } else {
            let releases = request.order == MemoryOrder::Release;
            order.release(actor, locations, request.scope, (releases, true));
        }
        found
    }

    /// Takes in a request that orders nothing, and finds the races in it.
    pub fn touch(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Vec<Race> {
        if !matches!(request.space, Space::Shared | Space::Global) {
            return Vec::new();
        }
        let how = How {
            loc: actor.loc,
            strength: strength(request),
            access: request.access,
            width: request.element_bytes() as u8,
            read: request.read,
            updates: request.updates,
        };
        let next = self.hows.len() as u32;
        let number = *self.how_of.entry(how).or_insert(next);
        if number == next {
            self.hows.push(how);
        }
        let mut touch = Touch::new(order.here(actor), request, &self.hows, number, self.reads);
        let mut touch_lanes = |region: &mut Region, mask: u32, start: u64| {
            let old_bytes = region.bytes();
            let old_reads = region.lists.reads;
            touch.access(region, mask, start);
            self.bytes = self.bytes + region.bytes() - old_bytes;
            self.reads = self.reads + region.lists.reads - old_reads;
        };
        if request.space == Space::Shared {
            let region = self.shared.entry(place_of(actor, request)).or_default();
            touch_lanes(region, request.mask, 0);
        } else {
            let allocation = |lane: usize| number_and_offset(request.addresses[lane]).0;
            for (number, mask) in groups(request.mask, allocation) {
                let address = request.addresses[mask.trailing_zeros() as usize];
                // An argument buffer of a launch is one thread's own.
                if address >> 56 != 0 {
                    continue;
                }
                let (_, offset) = number_and_offset(address);
                touch_lanes(at(&mut self.global, number as usize), mask, address - offset);
            }
        }
        let Touch { found, flag, .. } = touch;
        if let Some(loc) = flag {
            order.block_of(actor).flag = Some(loc);
        }
        found
    }
}

/// Whether no two lanes of a request touch the same address.
fn are_distinct(request: &Request) -> bool {
    let mut addresses: Vec<u64> = lanes(request.mask).map(|lane| request.addresses[lane]).collect();
    addresses.sort_unstable();
    addresses.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use super::super::order::Time;
    use super::*;
    use crate::arith::WARP;
    use crate::device::LaunchConfig;
    use crate::observe::{After, Start};
    use crate::ptx::Scope;

    /// A grid of this many blocks of two warps.
    fn grid(blocks: u32) -> Order {
        let mut order = Order::default();
        let config = &LaunchConfig::new(blocks, 64);
        order.grid(&Start {
            grid: 0,
            parent: None,
            depth: 0,
            device: 0,
            kernel: "k",
            config,
            cluster: [1; 3],
            after: After::Host,
            workspace: 0,
        });
        order
    }

    fn actor(warp: u32) -> Actor<'static> {
        Actor { grid: 0, block: (warp / 2).into(), warp: warp % 2, loc: 7, kernel: "k" }
    }

    fn random() -> impl FnMut(u64) -> u64 {
        let mut state = 1u64;
        move |limit| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % limit
        }
    }

    #[derive(Default, Clone)]
    struct Byte {
        weak: Option<(u32, usize, Time)>,
        /// With its width, and reads with theirs if they are strong.
        strong: Option<((u32, usize, Time), u64)>,
        /// Who has observed the strong write by a strong read.
        observers: Vec<(u32, usize, Time)>,
        reads: Vec<((u32, usize, Time), Option<u64>)>,
    }

    /// Random accesses to 256 bytes, by warps of three blocks that have barriers, against lists that forget
    /// nothing.
    #[test]
    fn no_race_is_forgotten() {
        const ROOM: u64 = 256;
        let mut below = random();
        let mut order = grid(3);
        let mut shadow = Shadow::default();
        let mut model = vec![Byte::default(); ROOM as usize];
        let mut barriers = [0; 3];
        let mut now = [1; 3];
        let mut races = [0; 2];
        for step in 0..200_000 {
            if below(4) == 0 {
                let block = below(3) as usize;
                order.block((0, block as u64)).barrier_opens(0, true);
                now[block] += 1;
                barriers[block] = now[block];
            }
            let warp = below(6) as u32;
            let block = warp as usize / 2;
            let writes = below(6) == 0;
            let strong = below(2) == 0;
            let bytes = 1 << below(4);
            // Mostly lanes side by side, and sometimes anywhere.
            let first = below(ROOM / bytes);
            let stride = below(3);
            let in_order = below(4) > 0;
            let mask = match below(3) {
                0 => 1 << below(4),
                1 => below(16) as u32 | 1,
                _ => 15,
            };
            let addresses: [u64; WARP] = std::array::from_fn(|lane| {
                let place = if in_order { first + lane as u64 * stride } else { below(ROOM) };
                (place % (ROOM / bytes)) * bytes + (1 << 36)
            });
            let access = if writes { Access::Store } else { Access::Load };
            let memory_order = if strong { MemoryOrder::Relaxed } else { MemoryOrder::Weak };
            let request =
                Request::new(access, Space::Global, mask, &addresses, bytes as u32, memory_order, Scope::Gpu);
            let found = shadow.touch(&mut order, actor(warp), &request);
            let mut expected = false;
            for lane in lanes(mask) {
                let me = (warp, lane, now[block]);
                let before = |past: (u32, usize, Time)| {
                    (past.0, past.1) == (warp, lane) || past.0 / 2 == warp / 2 && past.2 < barriers[block]
                };
                let races_with = |past, other: Option<u64>| !(before(past) || strong && other == Some(bytes));
                let at = (addresses[lane] % ROOM) as usize;
                for byte in &mut model[at..at + bytes as usize] {
                    expected |= byte.weak.is_some_and(|past| races_with(past, None));
                    let is_observed = byte.observers.iter().any(|past| before(*past));
                    if let Some((past, width)) = byte.strong.filter(|_| !is_observed) {
                        expected |= races_with(past, Some(width));
                        if !writes && strong && width == bytes {
                            byte.observers.push(me);
                        }
                    }
                    expected |= writes && byte.reads.iter().any(|read| races_with(read.0, read.1));
                    match (writes, strong) {
                        (true, false) => *byte = Byte { weak: Some(me), ..Byte::default() },
                        (true, true) => {
                            byte.strong = Some((me, bytes));
                            byte.observers.clear();
                        }
                        _ => byte.reads.push((me, strong.then_some(bytes))),
                    }
                }
            }
            assert_eq!(!found.is_empty(), expected, "step {step}");
            races[expected as usize] += 1;
        }
        assert!(races[0] > 10_000 && races[1] > 10_000, "both happen: {races:?}");
        let left: usize = shadow.global.iter().map(|region| region.lists.reads).sum();
        assert!(left == shadow.reads && left < 64 * ROOM as usize, "{left}, {}", shadow.reads);
    }

    /// Words side by side that two warps have written in turn, some of them again after the barrier: a warp
    /// that reads them all meets these, and all of them if it reads through the path for read-only data.
    #[test]
    fn a_reader_of_many_writers_meets_each() {
        let words = |first: u64, stride: u64| -> [u64; WARP] {
            std::array::from_fn(|lane| (1 << 36) + 4 * (first + stride * lane as u64))
        };
        let mut order = grid(1);
        let mut shadow = Shadow::default();
        let mut touch = |order: &mut Order, warp, access, memory_order, mask, addresses: [u64; WARP]| {
            let request = Request::new(access, Space::Global, mask, &addresses, 4, memory_order, Scope::Gpu);
            shadow.touch(order, actor(warp), &request).first().map(|race| race.lane)
        };
        let weak = MemoryOrder::Weak;
        for warp in 0..2 {
            let rows = words(warp.into(), 2);
            assert_eq!(touch(&mut order, warp, Access::Store, weak, !0, rows), None);
        }
        order.block((0, 0)).barrier_opens(0, true);
        assert_eq!(touch(&mut order, 0, Access::Store, weak, 1 << 21, words(0, 1)), None);
        assert_eq!(touch(&mut order, 1, Access::Load, weak, !0, words(0, 1)), Some(21));
        assert_eq!(touch(&mut order, 1, Access::Load, weak, !0, words(22, 1)), None);
        // The first of these words has not been written.
        let mut back = words(63, 1);
        back.swap(0, 1);
        assert_eq!(touch(&mut order, 0, Access::Load, MemoryOrder::ReadOnly, 3, back), Some(1));
    }

    /// Words that many warps read, in order and out of order, take little room, and a write still meets one
    /// of the readers.
    #[test]
    fn many_readers_take_little_room() {
        const BLOCKS: u32 = 4_000;
        for scattered in [false, true] {
            let mut below = random();
            let mut order = grid(BLOCKS);
            let mut shadow = Shadow::default();
            for warp in 0..2 * BLOCKS {
                for _ in 0..4 {
                    let addresses = std::array::from_fn(|lane| {
                        let word = if scattered { below(4096) } else { lane as u64 };
                        (1 << 36) + 4 * word
                    });
                    let weak = MemoryOrder::Weak;
                    let gpu = Scope::Gpu;
                    let request = Request::new(Access::Load, Space::Global, !0, &addresses, 4, weak, gpu);
                    assert!(shadow.touch(&mut order, actor(warp), &request).is_empty());
                }
            }
            let words = if scattered { 4096 } else { 32 };
            assert!(shadow.bytes() < words * 1700 + (16 << 10), "{} bytes", shadow.bytes());
            let addresses = [1 << 36; WARP];
            let weak = MemoryOrder::Weak;
            let gpu = Scope::Gpu;
            let request = Request::new(Access::Store, Space::Global, 1, &addresses, 4, weak, gpu);
            assert!(!shadow.touch(&mut order, actor(0), &request).is_empty());
        }
    }
}
