//! deadlock at `grid.sync()`: which block has called it less often than the others, and how often each has.
//!
//! A block calls it by an atomic operation on a word that the launch provides.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use super::conflict::Who;
use super::order::BlockId;
use crate::arith::lanes;
use crate::device::count_in;
use crate::diagnostic::{Site, Words};
use crate::memory::number_and_offset;
use crate::observe::{Actor, Request, Start};
use crate::ptx::Space;
use crate::words::{index, times};

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
    fn is_word(&self, actor: Actor, request: &Request, lane: usize) -> bool {
        let number = number_and_offset(request.addresses[lane]).0;
        request.space == Space::Global && self.words.get(&actor.grid) == Some(&number)
    }

    fn count(&self, id: BlockId) -> u32 {
        self.calls.get(&id).map_or(0, |(count, _)| *count)
    }
}

impl Checker<'_> {
    /// What is wrong, if a lane waits at `grid.sync()` for ever.
    pub(super) fn waits_for_the_grid(&self, actor: Actor, request: &Request, lane: usize) -> Option<Words> {
        let syncs = &self.grid_syncs;
        if !syncs.is_word(actor, request, lane) {
            return None;
        }
        let grid = self.order.grids.get(actor.grid as usize)?;
        let blocks = count_in(grid.grid_dim);
        let mine = syncs.count((actor.grid, actor.block));
        let behind = (0..blocks).min_by_key(|block| syncs.count((actor.grid, *block)))?;
        let id = (actor.grid, behind);
        let count = syncs.count(id);
        let named = |block: u64| index(self.place(Who { grid: actor.grid, block, thread: 0, loc: 0 }).0);
        let ended = if syncs.ended.contains(&id) { " and has ended" } else { "" };
        let message = format!(
            "grid.sync() waits for every block of the grid: block {} has called it {}, and block {} \
             {}{ended}",
            named(actor.block),
            times(mine),
            named(behind),
            if count == 0 { "not at all".to_string() } else { format!("only {}", times(count)) },
        );
        let last = syncs.calls.get(&id).and_then(|(_, who)| self.site(who.loc));
        let message_there = format!("block {} has called it here last", named(behind));
        let related = last.map(|(file, line)| Site { file, line, message: message_there });
        (count < mine).then(|| Words { message, related: related.into_iter().collect() })
    }
}
