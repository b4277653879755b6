//! One request and what memory remembers: which of its lanes race with whom, and what is remembered now.

use super::conflict::{Race, Strength, Why, morally_strong};
use super::order::{Before, Gap, Here, Past, Time};
use super::shadow::{Cell, How, Lists, More, Region, Touched, WIDEST};
use crate::arith::lanes;
use crate::observe::{Access, Request};
use crate::ptx::Scope;

/// Readers that a cell remembers besides the first: so many while all lists together are short, and so many
/// beyond that.
const MOST: usize = 64;
const FEW: usize = 3;
const SHORT: usize = 1 << 21;
/// A reader that reads again is looked for among the last this many.
const LOOK_BACK: usize = 8;

/// A request that is under way.
pub struct Touch<'a> {
    here: Here<'a>,
    request: &'a Request<'a>,
    /// How lines access memory, by their numbers, and how this one does.
    hows: &'a [How],
    how: How,
    /// The access, by none of its lanes.
    me: Touched,
    writes: bool,
    /// The last barrier of the block.
    barrier: Time,
    /// Readers that a cell may remember now.
    most: usize,
    /// The worst race.
    pub found: Option<Race>,
    /// Where another block has written what is seen now by a strong read.
    pub flag: Option<u32>,
}

impl<'a> Touch<'a> {
    /// `hows`, and the number of what happens now; `reads`: in all lists.
    pub fn new(
        here: Here<'a>,
        request: &'a Request<'a>,
        (hows, how): (&'a [How], u32),
        reads: usize,
    ) -> Touch<'a> {
        let me = Touched { warp: here.warp, mask: 0, time: here.now(), how };
        let most = if reads < SHORT { MOST } else { FEW };
        let (how, barrier) = (hows[how as usize], here.barrier());
        let writes = how.access != Access::Load;
        Touch { here, request, hows, how, me, writes, barrier, most, found: None, flag: None }
    }

    /// The lanes of `mask` access `region`, which starts at address `start`.
    pub fn lanes(&mut self, region: &mut Region, mask: u32, start: u64) {
        let Request { addresses, bytes, .. } = *self.request;
        let mut rest = mask;
        while rest != 0 {
            let address = addresses[rest.trailing_zeros() as usize];
            let mut me = Touched { mask: rest & rest.wrapping_neg(), ..self.me };
            rest &= rest - 1;
            // Neighbours that read the same go on as one.
            while !self.writes && rest != 0 && addresses[rest.trailing_zeros() as usize] == address {
                me.mask |= rest & rest.wrapping_neg();
                rest &= rest - 1;
            }
            let (mut at, end) = (address, address + u64::from(bytes));
            let shift = (address | u64::from(bytes)).trailing_zeros().min(WIDEST);
            while at < end {
                let (cell, lists, width) = region.cell(at - start, shift);
                self.cell(cell, lists, me, at);
                at += width;
            }
        }
    }

    #[inline(always)]
    fn cell(&mut self, cell: &mut Cell, lists: &mut Lists, me: Touched, address: u64) {
        if !self.is_before(&cell.write, &me) {
            self.meets(cell.write, me, address);
        }
        if self.writes {
            if !self.is_before(&cell.read, &me) {
                self.meets(cell.read, me, address);
            }
            if cell.more != 0 || self.how.strength != Strength::Weak {
                return self.write(cell, lists, me, address);
            }
            (cell.write, cell.read) = (me, Touched::default());
        } else if cell.more != 0 {
            self.read(cell, lists, me, address);
        } else if cell.read.is_like(&me) {
            cell.read.mask |= me.mask;
        } else if self.covers(&me, &cell.read) {
            cell.read = me;
        } else {
            self.read(cell, lists, me, address);
        }
    }

    /// A write of a word with a longer past, or a strong one.
    #[inline(never)]
    fn write(&mut self, cell: &mut Cell, lists: &mut Lists, me: Touched, address: u64) {
        if cell.more != 0 {
            let More { weak, reads } = lists.of(cell);
            for past in [&*weak].into_iter().chain(&*reads) {
                if !self.is_before(past, &me) {
                    self.meets(*past, me, address);
                }
            }
        }
        if self.how.strength == Strength::Weak {
            let More { weak, reads } = lists.of(cell);
            *weak = Touched::default();
            let gone = std::mem::take(reads).len();
            lists.reads -= gone;
            cell.read = Touched::default();
        } else if cell.write.mask != 0 && self.how_of(&cell.write).strength == Strength::Weak {
            lists.of(cell).weak = cell.write;
        }
        cell.write = me;
    }

    /// A read of a word with a longer past.
    #[inline(never)]
    fn read(&mut self, cell: &mut Cell, lists: &mut Lists, me: Touched, address: u64) {
        let More { weak, reads } = lists.of(cell);
        if !self.is_before(weak, &me) {
            self.meets(*weak, me, address);
        }
        let is_mine = |past: &&mut Touched| past.is_like(&me) || self.covers(&me, past);
        if let Some(past) = reads.iter_mut().rev().take(LOOK_BACK).chain([&mut cell.read]).find(is_mine) {
            let mask = if past.is_like(&me) { past.mask } else { 0 };
            *past = Touched { mask: mask | me.mask, ..me };
            return;
        }
        let length = reads.len();
        if length >= self.most && self.is_known(&cell.read, &me) {
            reads.retain(|past| !self.covers_known(&me, past));
            if self.covers_known(&me, &cell.read) {
                cell.read = reads.pop().unwrap_or_default();
            }
        }
        if reads.len() < self.most {
            if reads.is_empty() {
                reads.reserve_exact(FEW);
            }
            reads.push(me);
        } else if let Some(last) = reads.last_mut()
            && !self.is_own_block(&cell.read)
            && !self.is_own_block(last)
        {
            // The first and the last are of two blocks, so that the barriers of one block do not order both.
            *last = me;
        }
        let now = reads.len();
        lists.reads = lists.reads + now - length;
    }

    fn how_of(&self, past: &Touched) -> &'a How {
        &self.hows[past.how as usize]
    }

    fn is_own_block(&self, past: &Touched) -> bool {
        past.warp.wrapping_sub(self.here.first_warp) < self.here.warps
    }

    /// Whether there is no earlier access, or it is in order at a glance: before a barrier of the block, or by
    /// the same thread.
    #[inline(always)]
    fn is_before(&self, past: &Touched, me: &Touched) -> bool {
        let is_ordered = self.is_own_block(past) && past.time < self.barrier
            || past.warp == me.warp && past.mask == me.mask && me.mask.is_power_of_two();
        past.mask == 0 || is_ordered && !self.is_read_only(self.how_of(past))
    }

    /// Whether one of the two reads what no thread of its grid may write.
    fn is_read_only(&self, past: &How) -> bool {
        [past.strength, self.how.strength].contains(&Strength::ReadOnly)
    }

    /// Whether whatever races with an earlier read, if there is one, races with this one, too.
    #[inline(always)]
    fn covers(&self, me: &Touched, past: &Touched) -> bool {
        let is_before = self.is_own_block(past) && past.time < self.barrier
            || past.warp == me.warp && past.mask & !me.mask == 0;
        past.mask == 0 || is_before && self.how.strength <= self.how_of(past).strength
    }

    /// The same, by all that the thread knows.
    fn covers_known(&self, me: &Touched, past: &Touched) -> bool {
        self.how.strength <= self.how_of(past).strength && self.is_known(past, me)
    }

    /// Whether an earlier access is before this one.
    fn is_known(&self, past: &Touched, me: &Touched) -> bool {
        let lane = me.mask.trailing_zeros() as usize;
        lanes(past.mask).all(|other| self.here.before(past.past(other), lane) == Before::Yes)
    }

    /// Looks for races with an earlier access, thread by thread, and keeps the worst.
    #[inline(never)]
    fn meets(&mut self, past: Touched, me: Touched, address: u64) {
        let How { loc, strength, access } = *self.how_of(&past);
        let writes = access != Access::Load;
        let own_block = self.is_own_block(&past);
        if writes && strength > Strength::Weak && !own_block && self.sees() {
            self.flag = Some(loc);
        }
        let both = if own_block { Scope::Cta } else { self.here.scope_with_others() };
        if morally_strong(strength, self.how.strength, both) {
            return;
        }
        for lane in lanes(me.mask) {
            for other in lanes(past.mask) {
                let earlier = past.past(other);
                let Some(why) = self.why(earlier, strength, lane) else { continue };
                let rank = |why, past: Past| (why != Why::Almost(Gap::Fence), past.warp != me.warp);
                let mine = rank(why, earlier);
                if self.found.is_some_and(|found| mine <= rank(found.why, found.earlier)) {
                    continue;
                }
                self.found = Some(Race {
                    why,
                    lane,
                    address,
                    earlier,
                    earlier_loc: loc,
                    earlier_writes: writes,
                    earlier_atomic: matches!(access, Access::Atomic { .. }),
                    same_value: self.writes && writes && self.request.unchanged >> lane & 1 == 1,
                });
                if mine == (true, true) {
                    return;
                }
            }
        }
    }

    /// Whether this is a read that threads can synchronise by.
    fn sees(&self) -> bool {
        self.how.strength > Strength::Weak && self.how.access != Access::Store
    }

    /// Why a lane races with an earlier access, if it does.
    fn why(&self, earlier: Past, strength: Strength, lane: usize) -> Option<Why> {
        let read_only = [strength, self.how.strength].contains(&Strength::ReadOnly);
        if read_only && self.here.is_own_grid(earlier) {
            return Some(Why::ReadOnly);
        }
        match self.here.before(earlier, lane) {
            Before::Yes => None,
            _ if morally_strong(strength, self.how.strength, self.here.scope_with(earlier)) => None,
            Before::Almost(gap) => Some(Why::Almost(gap)),
            Before::No => Some(Why::Unordered),
        }
    }
}
