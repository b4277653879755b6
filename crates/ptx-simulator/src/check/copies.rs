//! data-race with an asynchronous copy that is under way.
//!
//! A copy may take place at any time between its instruction and the wait of the thread that asked for it
//! (PTX ISA 9.7.9.25.3). So whatever touches its target in between races with it, and so does a write to its
//! source: such an access comes after the instruction and before the wait, whoever makes it. What comes
//! before the instruction or after the wait is judged as for a load and a store at these two moments
//! (`race.rs`).

use super::conflict::{Who, place_of};
use super::order::{Past, Time};
use rustc_hash::FxHashMap;

use crate::arith::{WARP, groups, lanes};
use crate::observe::{Actor, CopyRequest, CopyWait, Request};
use crate::ptx::Space;

/// An access that meets a copy under way: by which lane, where, and who asked for the copy.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub lane: usize,
    pub address: u64,
    pub owner: Who,
    /// When it was asked for.
    pub start: Past,
    /// The last wait of that thread, if it comes after the copy's instruction.
    pub wait: Option<CopyWait>,
}

/// A copy under way.
#[derive(Clone, Copy, Debug)]
struct Begun {
    owner: Who,
    start: Past,
    wait: Option<CopyWait>,
}

/// Words of 4 bytes that copies under way write, by grid and block, and read.
#[derive(Debug, Default)]
pub struct UnderWay {
    at: FxHashMap<(u32, u64, u64), Vec<Begun>>,
}

const WORD: u64 = 4;
/// In place of a grid, for global memory.
const GLOBAL: u32 = u32::MAX;

fn words(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
    address / WORD..(address + bytes).div_ceil(WORD)
}

impl UnderWay {
    /// `now`: the warp, counted over all grids, and its block's time.
    pub fn starts(&mut self, actor: Actor, copy: &CopyRequest, (warp, time): (u32, Time)) {
        let begun = |owner: Who| {
            let lane = (owner.thread % WARP as u32) as u8;
            Begun { owner, start: Past { warp, lane, time }, wait: None }
        };
        each(actor, copy, |place, owner| self.at.entry(place).or_default().push(begun(owner)));
    }

    pub fn left_out(&mut self, actor: Actor, copy: &CopyRequest, wait: CopyWait) {
        each(actor, copy, |place, owner| {
            let copies = self.at.get_mut(&place).into_iter().flatten();
            for copy in copies.filter(|copy| copy.owner == owner) {
                copy.wait = Some(wait);
            }
        });
    }

    pub fn ends(&mut self, actor: Actor, copy: &CopyRequest) {
        each(actor, copy, |place, owner| {
            let Some(copies) = self.at.get_mut(&place) else { return };
            if let Some(at) = copies.iter().position(|copy| copy.owner == owner) {
                copies.swap_remove(at);
            }
            if copies.is_empty() {
                self.at.remove(&place);
            }
        });
    }

    /// Copies that nobody has waited for end with their block.
    pub fn block_end(&mut self, grid: u32, block: u64) {
        if self.at.is_empty() {
            return;
        }
        self.at.retain(|_, copies| {
            copies.retain(|copy| (copy.owner.grid, copy.owner.block) != (grid, block));
            !copies.is_empty()
        });
    }

    /// The first copy that a request meets.
    pub fn meets(&self, actor: Actor, request: &Request) -> Option<Meeting> {
        if self.at.is_empty() {
            return None;
        }
        let (grid, block) = match request.space {
            Space::Shared => place_of(actor, request),
            Space::Global if request.access.writes() => (GLOBAL, 0),
            _ => return None,
        };
        lanes(request.mask).find_map(|lane| {
            let address = request.addresses[lane];
            words(address, request.bytes as u64).find_map(|word| {
                let Begun { owner, start, wait } = *self.at.get(&(grid, block, word))?.last()?;
                Some(Meeting { lane, address: address.max(word * WORD), owner, start, wait })
            })
        })
    }
}

/// The words that each lane of a copy writes and reads.
fn each(actor: Actor, copy: &CopyRequest, mut word: impl FnMut((u32, u64, u64), Who)) {
    let Actor { grid, block, .. } = actor;
    for lane in lanes(copy.mask) {
        let owner = Who::new(actor, lane);
        let to = words(copy.to[lane], copy.bytes as u64).map(|word| (grid, block, word));
        let from = words(copy.from[lane], copy.given[lane]).map(|word| (GLOBAL, 0, word));
        for place in to.chain(from) {
            word(place, owner);
        }
    }
}

/// The lanes of a copy that take the same number of bytes from global memory, if it is not 0.
pub fn by_given(copy: &CopyRequest) -> impl Iterator<Item = (u32, u32)> {
    let all = groups(copy.mask, |lane| copy.given[lane]);
    all.filter(|(bytes, _)| *bytes > 0).map(|(bytes, mask)| (mask, bytes as u32))
}
