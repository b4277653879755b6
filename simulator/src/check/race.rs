//! data-race and child-visibility: two accesses to a byte, one of them a write, that nothing orders.
//!
//! PTX ISA 8.7.1 ("conflict") and 8.10 ("data races"): accesses conflict if they touch the same byte and one
//! writes; a conflict is a race unless one is before the other (`order.rs`) or both are strong at scopes that
//! include both threads. Strong are atomics, `.relaxed`, `.acquire` and `.release`, and volatile accesses to
//! global memory. Volatile accesses to shared memory are not taken as strong: they were how warp-synchronous
//! code was written before lanes made progress on their own, and order nothing between lanes.
//!
//! For every byte the last write is kept and the set of reads since; a read that is before a later read is
//! dropped, since a write that is after the later one is after both (Flanagan and Freund, "FastTrack", PLDI
//! 2009).

use rustc_hash::FxHashMap;

use super::order::{Before, Gap, Here, Location, Order, Past};
use super::shadow::{Cell, Region, Rest, Seen, Strength};
use crate::arith::lanes;
use crate::memory::number_and_offset;
use crate::observe::{Access, Actor, MbarrierUse, Request};
use crate::ptx::Space;
use crate::ptx::{Order as MemoryOrder, Scope};

/// Two accesses that race: the earlier one, as it happened.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    pub lane: usize,
    pub address: u64,
    pub earlier: Past,
    pub earlier_loc: u32,
    pub earlier_writes: bool,
    pub earlier_atomic: bool,
    pub why: Why,
    /// Both write, and this one writes what is there already.
    pub same_value: bool,
}

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing orders them.
    Unordered,
    /// Nearly: the later thread has seen the flag that orders them.
    Almost(Gap),
    /// One is a load of what no thread of the grid may write (PTX ISA, `ld.global.nc`), in whatever order.
    ReadOnly,
}

#[derive(Debug, Default)]
pub struct Shadow {
    /// By allocation.
    global: Vec<Region>,
    /// By grid and block.
    shared: FxHashMap<(u32, u64), Region>,
}

impl Shadow {
    pub fn block_end(&mut self, grid: u32, block: u64) {
        self.shared.remove(&(grid, block));
    }

    /// Takes in a request, with what it acquires and releases, and finds the first race in it.
    pub fn request(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Option<Race> {
        let in_shared = request.space == Space::Shared;
        let is_strong = strength(request) != Strength::Weak;
        let location = |lane: usize| -> Location {
            (in_shared.then_some((actor.grid, actor.block)), request.addresses[lane])
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
                (Some((actor.grid, actor.block)), request.addresses[lane] + (by.odd >> lane & 1) as u64);
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

    /// Takes in a request that orders nothing, and finds the first race in it.
    pub fn touch(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Option<Race> {
        let in_shared = request.space == Space::Shared;
        if !in_shared && request.space != Space::Global {
            return None;
        }
        let strength = strength(request);
        let writes = request.access != Access::Load;
        let atomic = matches!(request.access, Access::Atomic { .. });
        let here = order.here(actor);
        let time = here.now();
        let sees = strength > Strength::Weak && request.access != Access::Store;
        let mut flag = None;
        let mut own_shared = in_shared.then(|| self.shared.entry((actor.grid, actor.block)).or_default());
        let mut found = None;
        for lane in lanes(request.mask) {
            let address = request.addresses[lane];
            let (region, offset) = match &mut own_shared {
                Some(region) => (&mut **region, address),
                None if address >> 56 != 0 => continue, // an argument buffer of a launch: one thread's own
                None => {
                    let (number, offset) = number_and_offset(address);
                    (allocation(&mut self.global, number as usize), offset)
                }
            };
            let past = Past { warp: here.warp, lane: lane as u8, time };
            let me = Seen { past, loc: actor.loc, strength, atomic };
            let end = offset + request.bytes as u64;
            let mut at = offset;
            while at < end {
                let next = end.min((at / 4 + 1) * 4);
                let race = region.touch(at, next - at, |cell, rest| {
                    let race = race_with(cell, rest, &here, &me, writes);
                    if sees {
                        let by_others =
                            |write: &Seen| !here.is_own_block(write.past) && write.strength > Strength::Weak;
                        flag = cell.writes(rest).into_iter().flatten().find(by_others).or(flag);
                    }
                    if writes {
                        cell.write(rest, &me);
                    } else {
                        cell.read(rest, &me, |past| here.after(past, lane));
                    }
                    race
                });
                if let Some((earlier, earlier_writes, why)) = race
                    && found.is_none_or(|found: Race| {
                        here.rank(earlier.past, why) > here.rank(found.earlier, found.why)
                    })
                {
                    found = Some(Race {
                        why,
                        lane,
                        address: address + (at - offset),
                        earlier: earlier.past,
                        earlier_loc: earlier.loc,
                        earlier_writes,
                        earlier_atomic: earlier.atomic,
                        same_value: writes && earlier_writes && request.unchanged >> lane & 1 == 1,
                    });
                }
                at = next;
            }
        }
        if let Some(flag) = flag {
            order.clock(actor).flag = Some(flag.loc);
        }
        found
    }
}

fn strength(request: &Request) -> Strength {
    let in_shared = request.space == Space::Shared;
    match (request.access, request.order) {
        _ if !in_shared && request.space != Space::Global => Strength::Weak,
        (Access::Atomic { .. }, _) => Strength::Strong(request.scope),
        (_, MemoryOrder::Weak) => Strength::Weak,
        (_, MemoryOrder::ReadOnly) => Strength::ReadOnly,
        (_, MemoryOrder::Volatile) if in_shared => Strength::Weak,
        _ => Strength::Strong(request.scope),
    }
}

fn allocation(regions: &mut Vec<Region>, number: usize) -> &mut Region {
    if regions.len() <= number {
        regions.resize_with(number + 1, Region::default);
    }
    &mut regions[number]
}

/// Both strong, at scopes that include both threads.
fn morally_strong(a: Strength, b: Strength, same_block: bool) -> bool {
    match (a, b) {
        (Strength::Strong(a), Strength::Strong(b)) => same_block || (a > Scope::Cta && b > Scope::Cta),
        _ => false,
    }
}

impl Here<'_> {
    /// Which of several races is told: an error rather than a note, and one with another warp rather than one
    /// within this.
    fn rank(&self, earlier: Past, why: Why) -> (bool, bool) {
        (why != Why::Almost(Gap::Fence), earlier.warp != self.warp)
    }
}

/// The earlier access to a cell that this one races with, whether that writes, and why. If there are several,
/// one of the highest rank.
#[inline]
fn race_with(cell: &Cell, rest: &Rest, here: &Here, me: &Seen, writes: bool) -> Option<(Seen, bool, Why)> {
    let mut best: Option<(Seen, bool, Why)> = None;
    let mut race = |earlier: Seen, earlier_writes| {
        let why = why(&earlier, here, me)?;
        let rank = here.rank(earlier.past, why);
        if best.is_none_or(|(other, _, why)| rank > here.rank(other.past, why)) {
            best = Some((earlier, earlier_writes, why));
        }
        (rank == (true, true)).then_some(())
    };
    let of_writes = cell.writes(rest).into_iter().flatten().find_map(|write| race(write, true));
    if writes && of_writes.is_none() {
        cell.find_read(rest, |read| race(read, false));
    }
    best
}

/// Why an access races with an earlier one, if it does.
#[inline]
fn why(earlier: &Seen, here: &Here, me: &Seen) -> Option<Why> {
    let read_only = [earlier, me].iter().any(|one| one.strength == Strength::ReadOnly);
    if read_only && here.is_own_grid(earlier.past) {
        return Some(Why::ReadOnly);
    }
    match here.before(earlier.past, me.past.lane as usize) {
        Before::Yes => None,
        _ if morally_strong(earlier.strength, me.strength, here.is_own_block(earlier.past)) => None,
        Before::Almost(gap) => Some(Why::Almost(gap)),
        Before::No => Some(Why::Unordered),
    }
}
