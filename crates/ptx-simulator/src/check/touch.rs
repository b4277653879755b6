//! One request and what memory remembers: which of its lanes race with whom, and what is remembered now.

use super::conflict::{Race, Strength};
use super::order::{Before, Gap, Here, Past, Time};
use super::shadow::{Cell, How, Lists, More, Page, Region, Touched, WIDEST};
use crate::arith::{Lanes, lanes, which};
use crate::observe::{Access, Request};
use crate::ptx::Scope;
use crate::what::Disorder;

/// Reads that a cell remembers besides the first.
const MAX_READERS: usize = 64;
/// The same, once all cells together remember [`MANY_READS`].
const FEW_READERS: usize = 3;
const MANY_READS: usize = 1 << 21;
/// A reader that reads again is looked for among the last this many.
const LOOK_BACK: usize = 8;
/// Races of a request that are kept.
const MAX_FOUND: usize = 64;

/// How bad a race is, for the choice among those of the same two lines; compared field by field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Nothing could order the two.
    is_unordered: bool,
    differs: bool,
    is_other_warp: bool,
}

/// No race is worse.
const WORST: Rank = Rank { is_unordered: true, differs: true, is_other_warp: true };

/// A request that is under way.
pub struct Touch<'a> {
    here: Here<'a>,
    request: &'a Request<'a>,
    /// How lines access memory, by their numbers.
    hows: &'a [How],
    /// How this request does.
    how: How,
    /// The access, by none of its lanes.
    me: Touched,
    writes: bool,
    /// The last barrier of the block.
    barrier: Time,
    /// Readers that a cell may remember now.
    most: usize,
    /// The worst races, one for each line and read that it races with.
    pub found: Vec<Race>,
    /// The line of a strong write by another block, if this strong read may see it.
    pub flag: Option<u32>,
}

impl<'a> Touch<'a> {
    /// `hows[number]` is how this request accesses memory. `reads`: how many reads all lists remember now.
    pub fn new(
        here: Here<'a>,
        request: &'a Request<'a>,
        hows: &'a [How],
        number: u32,
        reads: usize,
    ) -> Touch<'a> {
        let block = here.first_warp;
        let warps = 1 << (here.warp - here.first_warp);
        let me = Touched { block, warps, mask: 0, time: here.now(), how: number };
        let most = if reads < MANY_READS { MAX_READERS } else { FEW_READERS };
        let how = hows[number as usize];
        let barrier = here.barrier();
        let writes = how.access.writes();
        Touch { here, request, hows, how, me, writes, barrier, most, found: Vec::new(), flag: None }
    }

    /// The lanes of `mask` access `region`, which starts at address `start`.
    pub fn access(&mut self, region: &mut Region, mask: u32, start: u64) {
        let Request { addresses, bytes, .. } = *self.request;
        // Lanes that read the same address are remembered as one. Lanes that write it race with each other.
        let merges = !self.writes && !ascend(addresses, mask);
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let address = addresses[lane];
            // Looks at all 32 lanes: a loop of fixed length takes less time than one over the bits of `rest`.
            let equal = || which(u32::MAX, |other| addresses[other] == address);
            let same = if merges { rest & equal() } else { 1 << lane };
            rest &= !same;
            let me = Touched { mask: same, ..self.me };
            let mut at = address;
            let end = address + u64::from(bytes);
            // The largest power of two that divides both the address and the number of bytes.
            let shift = (address | u64::from(bytes)).trailing_zeros().min(WIDEST);
            while at < end {
                let (page, index, width, lists) = region.page(at - start, shift);
                self.touch_cell(page, index, lists, me, at);
                at += width;
            }
        }
    }

    /// Finds the races of `me` with what is remembered of one cell, and remembers `me` there.
    #[inline(always)]
    fn touch_cell(&mut self, page: &mut Page, index: usize, lists: &mut Lists, me: Touched, address: u64) {
        let more = page.more(index);
        let has_more = more != 0;
        let mut observes_write = false;
        if let Some(write) = page.writes.get(index).copied()
            && !self.cannot_race(&write, &me)
            && !(has_more && self.is_observed(lists.observers(more), &me))
        {
            observes_write = self.observes(&write);
            self.compare(write, me, address);
        }
        if self.writes {
            if let Some(read) = page.reads.get(index)
                && !self.cannot_race(read, &me)
            {
                self.compare(*read, me, address);
            }
            // The common cases need no list: a weak write replaces all that came before …
            if !has_more && self.how.strength == Strength::Weak {
                page.set_write(index, me, lists);
                page.set_read(index, Touched::default(), lists);
                return;
            }
        } else if !has_more && !observes_write {
            // … and a read replaces the only read, or joins it.
            let mut read = page.reads.get(index).copied().unwrap_or_default();
            if self.covers(&me, &read) {
                return page.set_read(index, me, lists);
            }
            if read.takes_in(&me) {
                return page.set_read(index, read, lists);
            }
        }
        // All others use the cell's lists.
        let mut cell = page.cell(index);
        if self.writes {
            self.write(&mut cell, lists, me, address)
        } else {
            if observes_write {
                remember(&mut lists.of(&mut cell).observers, me);
            }
            self.read(&mut cell, lists, me, address)
        }
        page.set(index, cell, lists);
    }

    /// A write of a word with a longer past, or a strong one.
    #[inline(never)]
    fn write(&mut self, cell: &mut Cell, lists: &mut Lists, me: Touched, address: u64) {
        if cell.more != 0 {
            let More { weak, reads, observers } = lists.of(cell);
            observers.clear();
            for past in [&*weak].into_iter().chain(&*reads) {
                if !self.cannot_race(past, &me) {
                    self.compare(*past, me, address);
                }
            }
        }
        if self.how.strength == Strength::Weak {
            let More { weak, reads, .. } = lists.of(cell);
            *weak = Touched::default();
            let gone = reads.drain(..).len();
            lists.reads -= gone;
            cell.read = Touched::default();
        } else if !cell.write.is_nobody() && self.how_of(&cell.write).strength == Strength::Weak {
            lists.of(cell).weak = cell.write;
        }
        cell.write = me;
    }

    /// A read of a word with a longer past.
    #[inline(never)]
    fn read(&mut self, cell: &mut Cell, lists: &mut Lists, me: Touched, address: u64) {
        let More { weak, reads, .. } = lists.of(cell);
        if !self.cannot_race(weak, &me) {
            self.compare(*weak, me, address);
        }
        for past in [&mut cell.read].into_iter().chain(reads.iter_mut().rev().take(LOOK_BACK)) {
            if self.covers(&me, past) {
                *past = me;
                return;
            }
            if past.takes_in(&me) {
                return;
            }
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
                reads.reserve_exact(FEW_READERS);
            }
            reads.push(me);
        } else if let Some(last) = reads.last_mut()
            && cell.read.block != me.block
            && last.block != me.block
        {
            // The first and the last are of two blocks, so that the barriers of one block do not order both.
            *last = me;
        }
        let now = reads.len();
        lists.reads = lists.reads + now - length;
    }

    /// Whether this is a strong read of what a strong write has left, of the same bytes.
    fn observes(&self, write: &Touched) -> bool {
        let is_own_block = write.block == self.me.block;
        let both = if is_own_block { Scope::Cta } else { self.here.scope_with_others() };
        self.sees() && self.how_of(write).is_morally_strong(&self.how, both)
    }

    /// Whether one of those that have observed a write is before this access.
    #[inline(never)]
    fn is_observed(&self, observers: &[Touched], me: &Touched) -> bool {
        let is_before_all_lanes =
            |past: Past| lanes(me.mask).all(|lane| self.here.before(past, lane) == Before::Yes);
        observers.iter().any(|observer| observer.pasts().any(is_before_all_lanes))
    }

    fn how_of(&self, past: &Touched) -> &'a How {
        &self.hows[past.how as usize]
    }

    /// Whether it is before the last barrier of this block.
    #[inline(always)]
    fn is_over(&self, past: &Touched) -> bool {
        past.block == self.me.block && past.time < self.barrier
    }

    /// Whether a race with the earlier access, if there is one, can be ruled out at a glance: it came before
    /// a barrier of the block, or the same thread made it.
    #[inline(always)]
    fn cannot_race(&self, past: &Touched, me: &Touched) -> bool {
        let is_ordered = || self.is_over(past) || (past.is_by(me) && me.mask.is_power_of_two());
        past.is_nobody() || (is_ordered() && !self.is_read_only(self.how_of(past)))
    }

    /// Whether one of the two reads what no thread of its grid may write.
    fn is_read_only(&self, past: &How) -> bool {
        [past.strength, self.how.strength].contains(&Strength::ReadOnly)
    }

    /// Whether this read may replace an earlier one, if there is one: what would race with that one races
    /// with this one too.
    #[inline(always)]
    fn covers(&self, me: &Touched, past: &Touched) -> bool {
        let has_no_other_lanes = || past.warps == me.warps && past.mask & !me.mask == 0;
        let is_earlier = || past.block == me.block && (past.time < self.barrier || has_no_other_lanes());
        past.is_nobody() || (is_earlier() && self.races_with_as_much(self.how_of(past)))
    }

    /// Whether whatever is not morally strong to an earlier read isn't to this one either; and whether this
    /// one counts if that one does.
    #[inline(always)]
    fn races_with_as_much(&self, past: &How) -> bool {
        let is_not_strong = self.how.strength <= Strength::Weak;
        let is_alike = is_not_strong || self.how.width == past.width;
        self.how.strength <= past.strength && is_alike && self.how.read == 0
    }

    /// The same, by all that the thread knows.
    fn covers_known(&self, me: &Touched, past: &Touched) -> bool {
        self.races_with_as_much(self.how_of(past)) && self.is_known(past, me)
    }

    /// Whether an earlier access is before this one.
    fn is_known(&self, past: &Touched, me: &Touched) -> bool {
        let lane = me.mask.trailing_zeros() as usize;
        past.pasts().all(|past| self.here.before(past, lane) == Before::Yes)
    }

    /// Notes the flag that this access may see, and looks for races with an earlier access, thread by thread.
    #[inline(never)]
    fn compare(&mut self, past: Touched, me: Touched, address: u64) {
        let how = self.how_of(&past);
        let own_block = past.block == me.block;
        let is_strong_write = how.access.writes() && how.strength > Strength::Weak;
        // Who swaps in vain looks again.
        let is_in_vain = self.request.access.is_atomic() && me.mask & !self.request.unchanged == 0;
        if is_strong_write && !own_block && self.sees() && !is_in_vain {
            self.flag = Some(how.loc);
        }
        let both = if own_block { Scope::Cta } else { self.here.scope_with_others() };
        if how.is_morally_strong(&self.how, both) {
            return;
        }
        let are_stores = how.access == Access::Store && self.how.access == Access::Store;
        for lane in lanes(me.mask) {
            for earlier in past.pasts() {
                let Some(why) = self.why(earlier, how, lane) else { continue };
                let updates = how.updates && self.how.updates;
                // Two racing updates (`x += 1`) store the same value because one of them is lost: that
                // excuses nothing.
                let is_equal = are_stores && !updates && self.request.unchanged >> lane & 1 == 1;
                let race = Race {
                    why,
                    lane,
                    lanes: 1 << lane,
                    address,
                    part: ((address - self.request.addresses[lane]) / u64::from(self.how.width)) as usize,
                    read: how.read,
                    earlier,
                    earlier_loc: how.loc,
                    earlier_access: how.access,
                    same_value: is_equal,
                    updates,
                };
                self.keep(race);
                // No other thread of the past access makes it worse for this lane.
                if self.rank(&race) == WORST {
                    break;
                }
            }
        }
    }

    fn rank(&self, race: &Race) -> Rank {
        Rank {
            is_unordered: !matches!(race.why, Disorder::NoFence | Disorder::FenceElsewhere),
            differs: !race.same_value,
            is_other_warp: race.earlier.warp != self.here.warp,
        }
    }

    /// Keeps the worst race of each kind, with all its lanes.
    fn keep(&mut self, race: Race) {
        // Of a read that is followed, each lane may be used or not.
        let read = |race: &Race| (race.read != 0).then_some((race.read, race.earlier.lane));
        let kind = |race: &Race| (race.earlier_loc, read(race), race.part, race.earlier_access);
        let at = self.found.iter().position(|one| kind(one) == kind(&race));
        match at {
            Some(at) => {
                let known = self.found[at];
                let worst = if self.rank(&race) > self.rank(&known) { race } else { known };
                self.found[at] = Race { lanes: known.lanes | race.lanes, ..worst };
            }
            None if self.found.len() < MAX_FOUND => self.found.push(race),
            None => {}
        }
    }

    /// Whether this is a read that threads can synchronise by.
    fn sees(&self) -> bool {
        self.how.strength > Strength::Weak && self.how.access != Access::Store
    }

    /// Why a lane races with an earlier access, if it does.
    fn why(&self, earlier: Past, how: &How, lane: usize) -> Option<Disorder> {
        let read_only = [how.strength, self.how.strength].contains(&Strength::ReadOnly);
        if read_only && self.here.is_own_grid(earlier) {
            return Some(Disorder::ReadOnly);
        }
        match self.here.before(earlier, lane) {
            Before::Yes => None,
            _ if how.is_morally_strong(&self.how, self.here.scope_with(earlier)) => None,
            Before::Almost(Gap::Fence) => Some(Disorder::NoFence),
            Before::Almost(Gap::FenceElsewhere) => Some(Disorder::FenceElsewhere),
            Before::Almost(Gap::Scope) => Some(Disorder::NarrowFence { clusters: self.here.has_clusters() }),
            Before::No => Some(Disorder::Nothing),
        }
    }
}

/// Remembers who has observed a write, from the first time on.
fn remember(observers: &mut Vec<Touched>, me: Touched) {
    let is_known = observers.iter().any(|one| one.is_by(&me));
    if !is_known && !observers.iter_mut().any(|one| one.takes_in(&me)) && observers.len() < MAX_READERS {
        observers.push(me);
    }
}

/// Whether addresses grow from lane to lane, so that no two are the same.
fn ascend(addresses: &Lanes, mask: u32) -> bool {
    if mask == u32::MAX {
        // Not `all`, which leaves the loop early: the compiler vectorises a loop that it cannot leave.
        return addresses.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]));
    }
    let all = || lanes(mask).map(|lane| addresses[lane]);
    all().zip(all().skip(1)).all(|(one, next)| one < next)
}
