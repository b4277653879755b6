//! data-race and child-visibility: two accesses to a byte, one of them a write, that nothing orders.
//!
//! PTX ISA 8.7.1 ("conflict") and 8.10 ("data races"): accesses conflict if they touch the same byte and one writes;
//! a conflict is a race unless one is before the other (`order.rs`) or both are strong at scopes that include both
//! threads. Strong are atomics, `.relaxed`, `.acquire` and `.release`, and volatile accesses to global memory.
//! Volatile accesses to shared memory are not taken as strong: they were how warp-synchronous code was written
//! before lanes made progress on their own, and order nothing between lanes.
//!
//! For every byte the last write is kept and the set of reads since; a read that is before a later read is dropped,
//! since a write that is after the later one is after both (Flanagan and Freund, "FastTrack", PLDI 2009).

use std::collections::HashMap;

use super::order::{Here, Location, Order, Past, Time};
use crate::sim::observe::{Access, Actor, Request};
use crate::sim::program::{Order as MemoryOrder, Scope};
use crate::sim::ptx::Space;

/// Words of 4 bytes in a page of the shadow.
const PAGE: usize = 1024;
/// Reads that a word remembers; beyond, the oldest are forgotten.
const READS: usize = 4096;

/// Bytes of an address that number the place within an allocation (see `memory.rs`).
const OFFSET_BITS: u32 = 36;

/// How strongly an access was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    Weak,
    Strong(Scope),
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    past: Past,
    loc: u32,
    strength: Strength,
    atomic: bool,
}

/// Reads by lanes of one warp, at one time, from one line.
#[derive(Clone, Copy, Debug)]
struct Reads {
    warp: u32,
    mask: u32,
    time: Time,
    loc: u32,
    strength: Strength,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    /// The last weak write, and the last strong one: a strong write does not cover a weak one, since it may be in no
    /// conflict with what the weak one races with.
    write: Option<Seen>,
    strong: Option<Seen>,
    read: Option<Reads>,
    more: Option<Box<Vec<Reads>>>,
}

/// A word, or its four bytes where an access was narrower.
#[derive(Clone, Debug, Default)]
struct Word {
    whole: Cell,
    bytes: Option<Box<[Cell; 4]>>,
}

/// Two accesses that race: the earlier one, as it happened.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    pub lane: usize,
    pub address: u64,
    pub earlier: Past,
    pub earlier_loc: u32,
    pub earlier_writes: bool,
    pub earlier_atomic: bool,
    /// Both write, and this one writes what is there already.
    pub same_value: bool,
}

#[derive(Debug, Default)]
pub struct Shadow {
    /// By allocation and page.
    global: Vec<Vec<Option<Box<[Word]>>>>,
    shared: HashMap<(u32, u64), Vec<Word>>,
}

impl Shadow {
    pub fn block_end(&mut self, grid: u32, block: u64) {
        self.shared.remove(&(grid, block));
    }

    /// Takes in a request, and finds the first race in it.
    pub fn request(&mut self, order: &mut Order, actor: Actor, request: &Request) -> Option<Race> {
        let (grid, block, warp) = (actor.grid, actor.block, actor.warp);
        let in_shared = request.space == Space::Shared;
        if !in_shared && request.space != Space::Global {
            return None;
        }
        let strength = match (request.access, request.order) {
            (Access::Atomic { .. }, _) => Strength::Strong(request.scope),
            (_, MemoryOrder::Weak) => Strength::Weak,
            (_, MemoryOrder::Volatile) if in_shared => Strength::Weak,
            _ => Strength::Strong(request.scope),
        };
        let writes = !matches!(request.access, Access::Load);
        let reads = !matches!(request.access, Access::Store);
        let atomic = matches!(request.access, Access::Atomic { .. });
        let location =
            |lane: usize| -> Location { (in_shared.then_some((grid, block)), request.addresses[lane]) };
        if strength != Strength::Weak && reads {
            for lane in crate::sim::exec::lanes(request.mask) {
                order.acquire(grid, block, warp, lane, location(lane));
            }
        }
        let time = order.now();
        let here = order.here(grid, block, warp);
        let mut found = None;
        for lane in crate::sim::exec::lanes(request.mask) {
            let address = request.addresses[lane];
            if !in_shared && address >> 56 != 0 {
                continue; // an argument buffer of a launch: one thread's own
            }
            let me = Seen {
                past: Past { warp: here.warp, lane: lane as u8, time },
                loc: actor.loc,
                strength,
                atomic,
            };
            let mut at = address;
            let end = address + request.bytes as u64;
            while at < end {
                let word = if in_shared {
                    shared_word(self.shared.entry((grid, block)).or_default(), at)
                } else {
                    global_word(&mut self.global, at)
                };
                let whole = at % 4 == 0 && end - at >= 4;
                let next = if whole { at + 4 } else { at + 1 };
                let race = if whole && word.bytes.is_none() {
                    word.whole.touch(&here, &me, reads && !writes, writes)
                } else {
                    let whole = &word.whole;
                    let bytes =
                        word.bytes.get_or_insert_with(|| Box::new(std::array::from_fn(|_| whole.clone())));
                    (at..next)
                        .filter_map(|at| bytes[at as usize % 4].touch(&here, &me, reads && !writes, writes))
                        .next()
                };
                if let Some((earlier, earlier_writes)) = race
                    && found.is_none()
                {
                    found = Some(Race {
                        lane,
                        address: at,
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
        if strength != Strength::Weak && writes {
            let releases = matches!(request.order, MemoryOrder::Release | MemoryOrder::AcquireRelease);
            // A compare-and-swap that did not swap has written nothing.
            let written = if atomic { request.mask & !request.unchanged } else { request.mask };
            for lane in crate::sim::exec::lanes(written) {
                order.release(grid, block, warp, lane, location(lane), request.scope, releases);
            }
        }
        found
    }
}

fn shared_word(words: &mut Vec<Word>, address: u64) -> &mut Word {
    let index = (address / 4) as usize;
    if words.len() <= index {
        words.resize_with((index + 1).next_power_of_two(), Word::default);
    }
    &mut words[index]
}

fn global_word(pages: &mut Vec<Vec<Option<Box<[Word]>>>>, address: u64) -> &mut Word {
    let allocation = (address >> OFFSET_BITS) as usize;
    let word = ((address & ((1 << OFFSET_BITS) - 1)) / 4) as usize;
    if pages.len() <= allocation {
        pages.resize_with(allocation + 1, Vec::new);
    }
    let pages = &mut pages[allocation];
    if pages.len() <= word / PAGE {
        pages.resize_with(word / PAGE + 1, || None);
    }
    &mut pages[word / PAGE].get_or_insert_with(|| vec![Word::default(); PAGE].into_boxed_slice())[word % PAGE]
}

/// Both strong, at scopes that include both threads.
fn morally_strong(a: Strength, b: Strength, same_block: bool) -> bool {
    match (a, b) {
        (Strength::Strong(a), Strength::Strong(b)) => same_block || (a > Scope::Cta && b > Scope::Cta),
        _ => false,
    }
}

impl Cell {
    /// Takes in an access; the earlier access that it races with, and whether that writes.
    #[inline]
    fn touch(&mut self, here: &Here, me: &Seen, read_only: bool, writes: bool) -> Option<(Seen, bool)> {
        let lane = me.past.lane as usize;
        let mut race = None;
        for write in [&self.write, &self.strong].into_iter().flatten() {
            if race.is_none()
                && !here.after(write.past, lane)
                && !morally_strong(write.strength, me.strength, here.is_own_block(write.past))
            {
                race = Some((*write, true));
            }
        }
        if writes {
            let racing = |reads: &Reads| {
                let mut others = reads.mask;
                if reads.warp == me.past.warp {
                    others &= !(1 << lane);
                }
                crate::sim::exec::lanes(others).find_map(|other| {
                    let past = Past { warp: reads.warp, lane: other as u8, time: reads.time };
                    let ordered = here.after(past, lane)
                        || morally_strong(reads.strength, me.strength, here.is_own_block(past));
                    (!ordered).then_some(Seen {
                        past,
                        loc: reads.loc,
                        strength: reads.strength,
                        atomic: false,
                    })
                })
            };
            if race.is_none() {
                race = self
                    .read
                    .iter()
                    .chain(self.more.iter().flat_map(|more| more.iter()))
                    .find_map(racing)
                    .map(|seen| (seen, false));
            }
            if me.strength == Strength::Weak {
                (self.write, self.strong, self.read, self.more) = (Some(*me), None, None, None);
            } else {
                self.strong = Some(*me);
            }
        } else if read_only {
            self.add_read(here, me);
        }
        race
    }

    #[inline]
    fn add_read(&mut self, here: &Here, me: &Seen) {
        let lane = me.past.lane as usize;
        let mine = Reads {
            warp: me.past.warp,
            mask: 1 << lane,
            time: me.past.time,
            loc: me.loc,
            strength: me.strength,
        };
        let merge = |reads: &mut Reads| {
            let same = reads.warp == mine.warp && reads.time == mine.time && reads.strength == mine.strength;
            if same {
                reads.mask |= mine.mask;
            }
            same
        };
        let Some(first) = &mut self.read else {
            self.read = Some(mine);
            return;
        };
        if merge(first) {
            return;
        }
        let gone = |reads: &Reads| {
            crate::sim::exec::lanes(reads.mask)
                .all(|other| here.after(Past { warp: reads.warp, lane: other as u8, time: reads.time }, lane))
        };
        if self.more.is_none() {
            if gone(first) {
                *first = mine;
            } else {
                self.more = Some(Box::new(vec![mine]));
            }
            return;
        }
        if let Some(more) = &mut self.more {
            if more.last_mut().is_some_and(merge) {
                return;
            }
            if more.len() % 16 == 0 {
                more.retain(|reads| !gone(reads));
            }
            if more.len() >= READS {
                more.remove(0);
            }
            more.push(mine);
        }
    }
}
