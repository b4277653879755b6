//! deadlock at `grid.sync()`: which block has called it less often than the others.

use super::Checker;
use super::conflict::Who;
use crate::device::count_in;
use crate::observe::{Actor, Request};
use crate::what::{Site, Words};
use crate::words::{index, times};

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
        let ended = if syncs.has_ended(id) { " and has ended" } else { "" };
        let message = format!(
            "grid.sync() waits for every block of the grid: block {} has called it {}, and block {} \
             {}{ended}",
            named(actor.block),
            times(mine),
            named(behind),
            if count == 0 { "not at all".to_string() } else { format!("only {}", times(count)) },
        );
        let last = syncs.last(id).and_then(|who| self.site(who.loc));
        let message_there = format!("block {} has called it here last", named(behind));
        let related = last.map(|(file, line)| Site { file, line, message: message_there });
        (count < mine).then(|| Words { message, related: related.into_iter().collect() })
    }
}
