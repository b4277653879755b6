//! data-race and child-visibility: two accesses to a byte, one of them a write, that nothing orders.
//!
//! PTX ISA 8.7.1 ("conflict") and 8.10 ("data races"): accesses conflict if they touch the same byte and
//! one writes; a conflict is a race unless one is before the other (`order.rs`) or both are strong at
//! scopes that include both threads. Strong are atomics, `.relaxed`, `.acquire` and `.release`, and
//! volatile accesses, which are relaxed for the whole system (PTX ISA 9.7.9.8, `ld`). What such accesses
//! leave open, `strong.rs` judges.
//!
//! For every byte the last write is kept and the set of reads since (`shadow/`); a read that is before a
//! later read is dropped, since a write that is after the later one is after both (Flanagan and Freund,
//! "FastTrack", PLDI 2009).

use rustc_hash::FxHashMap;

use super::conflict::{Race, Strength, strength};
use super::order::{BlockId, Location, Order};
use super::shadow::{Nodes, Region};
use super::touch::Touch;
use crate::arith::lanes;
use crate::memory::number_and_offset;
use crate::observe::{Access, Actor, MbarrierUse, Request};
use crate::ptx::{Order as MemoryOrder, Space};

#[derive(Debug, Default)]
pub struct Shadow {
    /// By allocation.
    global: Vec<Region>,
    nodes: Nodes,
    /// By grid and block.
    shared: FxHashMap<BlockId, Box<(Region, Nodes)>>,
    /// What all this takes.
    bytes: usize,
}

impl Shadow {
    pub fn block_end(&mut self, grid: u32, block: u64) {
        let ended = self.shared.remove(&(grid, block));
        self.bytes -= ended.map_or(0, |ended| ended.0.bytes() + ended.1.bytes());
    }

    /// Bytes that all this takes.
    pub fn bytes(&self) -> usize {
        self.bytes + self.nodes.bytes()
    }

    /// Takes in a request, with what it acquires and releases, and finds the first race in it.
    pub fn request(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Option<Race> {
        let in_shared = request.space == Space::Shared;
        let is_strong = strength(request) > Strength::Weak;
        let location = |lane: usize| -> Location {
            (in_shared.then_some(place_of(actor, request)), request.addresses[lane])
        };
        if is_strong && !matches!(request.access, Access::Store | Access::Atomic { returns: false }) {
            let acquires = matches!(request.order, MemoryOrder::Acquire | MemoryOrder::AcquireRelease);
            for lane in lanes(request.mask) {
                order.acquire(actor, lane, location(lane), request.scope, acquires);
            }
        }
        let found = self.touch(order, actor, request);
        if is_strong && request.access != Access::Load {
            let releases = matches!(request.order, MemoryOrder::Release | MemoryOrder::AcquireRelease);
            // A compare-and-swap that did not swap has written nothing.
            let atomic = matches!(request.access, Access::Atomic { .. });
            let written = if atomic { request.mask & !request.unchanged } else { request.mask };
            for lane in lanes(written) {
                order.release(actor, lane, location(lane), request.scope, releases);
            }
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
    ) -> Option<Race> {
        let found = self.touch(order, actor, request);
        for lane in lanes(by.done) {
            let location =
                (Some(place_of(actor, request)), request.addresses[lane] + (by.odd >> lane & 1) as u64);
            if request.access == Access::Load {
                let acquires = request.order == MemoryOrder::Acquire;
                order.acquire(actor, lane, location, request.scope, acquires);
            } else {
                let releases = request.order == MemoryOrder::Release;
                order.release(actor, lane, location, request.scope, releases);
            }
        }
        found
    }

    /// Takes in a request that orders nothing, and finds the worst race in it.
    pub fn touch(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Option<Race> {
        let in_shared = request.space == Space::Shared;
        if !in_shared && request.space != Space::Global {
            return None;
        }
        let here = order.here(actor);
        let (found, flag) = if in_shared {
            let (region, nodes) = &mut **self.shared.entry(place_of(actor, request)).or_default();
            let before = region.bytes() + nodes.bytes();
            let mut touch = Touch::new(here, actor.loc, request, nodes);
            touch.lanes(region, request.mask, 0);
            let ended = touch.end();
            self.bytes += region.bytes() + nodes.bytes() - before;
            ended
        } else {
            let mut touch = Touch::new(here, actor.loc, request, &mut self.nodes);
            let mut rest = request.mask;
            while rest != 0 {
                let address = request.addresses[rest.trailing_zeros() as usize];
                let (number, offset) = number_and_offset(address);
                let same = lanes(rest).filter(|&lane| number_and_offset(request.addresses[lane]).0 == number);
                let mask = same.fold(0, |mask, lane| mask | 1 << lane);
                rest &= !mask;
                // An argument buffer of a launch is one thread's own.
                if address >> 56 == 0 {
                    let region = allocation(&mut self.global, number as usize);
                    let before = region.bytes();
                    touch.lanes(region, mask, address - offset);
                    self.bytes += region.bytes() - before;
                }
            }
            touch.end()
        };
        if let Some(loc) = flag {
            order.clock(actor).flag = Some(loc);
        }
        found
    }
}

/// The block in whose shared memory a request is.
pub fn place_of(actor: Actor, request: &Request) -> BlockId {
    (actor.grid, request.owner.map_or(actor.block, |peer| peer.block))
}

fn allocation(regions: &mut Vec<Region>, number: usize) -> &mut Region {
    if regions.len() <= number {
        regions.resize_with(number + 1, Region::default);
    }
    &mut regions[number]
}

#[cfg(test)]
mod room;

#[cfg(test)]
mod tests {
    use super::super::order::Time;
    use super::*;
    use crate::arith::WARP;
    use crate::device::LaunchConfig;
    use crate::observe::{After, Start};
    use crate::ptx::Scope;

    /// A grid of this many blocks of two warps.
    pub fn grid(blocks: u32) -> Order {
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
        });
        order
    }

    pub fn actor(warp: u32) -> Actor<'static> {
        Actor { grid: 0, block: (warp / 2).into(), warp: warp % 2, loc: 7, kernel: "k" }
    }

    pub fn random() -> impl FnMut(u64) -> u64 {
        let mut state = 1u64;
        move |limit| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % limit
        }
    }

    #[derive(Default, Clone)]
    struct Byte {
        weak: Option<(u32, usize, Time)>,
        strong: Option<(u32, usize, Time)>,
        reads: Vec<((u32, usize, Time), bool)>,
    }

    /// Random accesses to 256 bytes, by warps of three blocks that have barriers, against lists that forget
    /// nothing.
    #[test]
    fn no_race_is_forgotten() {
        const ROOM: u64 = 256;
        let mut below = random();
        let (mut order, mut shadow) = (grid(3), Shadow::default());
        let mut model = vec![Byte::default(); ROOM as usize];
        let (mut barriers, mut now, mut races) = ([0; 3], [1; 3], [0; 2]);
        for step in 0..200_000 {
            if below(4) == 0 {
                let block = below(3) as usize;
                order.block((0, block as u64)).barrier_opens(0, true);
                now[block] += 1;
                barriers[block] = now[block];
            }
            let warp = below(6) as u32;
            let block = warp as usize / 2;
            let (writes, strong) = (below(6) == 0, below(2) == 0);
            let bytes = 1 << below(4);
            // Mostly lanes side by side, and sometimes anywhere.
            let (first, stride) = (below(ROOM / bytes), below(3));
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
                let races_with = |past, other: bool| !(before(past) || strong && other);
                let at = (addresses[lane] % ROOM) as usize;
                for byte in &mut model[at..at + bytes as usize] {
                    expected |= byte.weak.is_some_and(|past| races_with(past, false));
                    expected |= byte.strong.is_some_and(|past| races_with(past, true));
                    expected |= writes && byte.reads.iter().any(|read| races_with(read.0, read.1));
                    match (writes, strong) {
                        (true, false) => *byte = Byte { weak: Some(me), ..Byte::default() },
                        (true, true) => byte.strong = Some(me),
                        _ => byte.reads.push((me, strong)),
                    }
                }
            }
            assert_eq!(found.is_some(), expected, "step {step}");
            races[expected as usize] += 1;
        }
        assert!(races[0] > 10_000 && races[1] > 10_000, "both happen: {races:?}");
        assert!(shadow.nodes.live() < 24_000, "what is not needed any more is used again");
    }

    /// Words side by side that two warps have written in turn, some of them again after the barrier: a warp
    /// that reads them all meets these, and all of them if it reads through the path for read-only data.
    #[test]
    fn a_reader_of_many_writers_meets_each() {
        let words = |first: u64, stride: u64| -> [u64; WARP] {
            std::array::from_fn(|lane| (1 << 36) + 4 * (first + stride * lane as u64))
        };
        let (mut order, mut shadow) = (grid(1), Shadow::default());
        let mut touch = |order: &mut Order, warp, access, memory_order, mask, addresses: [u64; WARP]| {
            let request = Request::new(access, Space::Global, mask, &addresses, 4, memory_order, Scope::Gpu);
            shadow.touch(order, actor(warp), &request).map(|race| race.lane)
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
            let (mut order, mut shadow) = (grid(BLOCKS), Shadow::default());
            for warp in 0..2 * BLOCKS {
                for _ in 0..4 {
                    let addresses = std::array::from_fn(|lane| {
                        let word = if scattered { below(4096) } else { lane as u64 };
                        (1 << 36) + 4 * word
                    });
                    let (weak, gpu) = (MemoryOrder::Weak, Scope::Gpu);
                    let request = Request::new(Access::Load, Space::Global, !0, &addresses, 4, weak, gpu);
                    assert!(shadow.touch(&mut order, actor(warp), &request).is_none());
                }
            }
            let most = if scattered { 40_000 } else { 600 };
            assert!(shadow.nodes.live() < most, "{}", shadow.nodes.live());
            let addresses = [1 << 36; WARP];
            let request =
                Request::new(Access::Store, Space::Global, 1, &addresses, 4, MemoryOrder::Weak, Scope::Gpu);
            assert!(shadow.touch(&mut order, actor(0), &request).is_some());
        }
    }
}
