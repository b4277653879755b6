//! `grid.sync()`: how often each block has called it.
//!
//! A block calls it by an atomic operation on a word that the launch provides.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conflict::Who;
use super::order::BlockId;
use crate::arith::lanes;
use crate::memory::number_and_offset;
use crate::observe::{Actor, Request, Start};
use crate::ptx::Space;

#[derive(Debug, Default)]
pub struct GridSyncs {
    /// The allocation with the word of each grid that has one.
    words: FxHashMap<u32, u64>,
    /// How often each block has called it, and where it did last.
    calls: FxHashMap<BlockId, (u32, Who)>,
    ended: FxHashSet<BlockId>,
}

impl GridSyncs {
    pub fn grid(&mut self, start: &Start) {
        if start.workspace != 0 {
            self.words.insert(start.grid, number_and_offset(start.workspace).0);
        }
    }

    pub fn request(&mut self, actor: Actor, request: &Request) {
        if self.words.is_empty() || !request.access.is_atomic() || request.space != Space::Global {
            return;
        }
        let Some(word) = self.words.get(&actor.grid) else { return };
        for lane in lanes(request.mask).filter(|lane| number_and_offset(request.addresses[*lane]).0 == *word)
        {
            let who = Who::new(actor, lane);
            let (count, last) = self.calls.entry((actor.grid, actor.block)).or_insert((0, who));
            *count += 1;
            *last = who;
        }
    }

    pub fn block_end(&mut self, id: BlockId) {
        if self.words.contains_key(&id.0) {
            self.ended.insert(id);
        }
    }

    /// Whether what a lane looks at is such a word.
    pub fn is_word(&self, actor: Actor, request: &Request, lane: usize) -> bool {
        let number = number_and_offset(request.addresses[lane]).0;
        request.space == Space::Global && self.words.get(&actor.grid) == Some(&number)
    }

    /// How often a block has called it.
    pub fn count(&self, id: BlockId) -> u32 {
        self.calls.get(&id).map_or(0, |(count, _)| *count)
    }

    /// Where a block called it last.
    pub fn last(&self, id: BlockId) -> Option<Who> {
        self.calls.get(&id).map(|(_, who)| *who)
    }

    /// Whether a block has ended.
    pub fn has_ended(&self, id: BlockId) -> bool {
        self.ended.contains(&id)
    }
}
