//! One request and what memory remembers: which of its lanes race with whom, and what is remembered now.

use super::conflict::{Race, Strength, Why, morally_strong, strength};
use super::order::{Before, Gap, Here, Past, Time};
use super::shadow::{Cell, Region, Touched};
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
    /// The access, by none of its lanes.
    me: Touched,
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
    /// `others`: accesses in all lists of cells.
    pub fn new(here: Here<'a>, loc: u32, request: &'a Request<'a>, others: usize) -> Touch<'a> {
        let (warp, time, access) = (here.warp, here.now(), request.access);
        let me = Touched { warp, mask: 0, time, loc, strength: strength(request), access };
        let most = if others < SHORT { MOST } else { FEW };
        Touch { here, request, me, barrier: here.barrier(), most, found: None, flag: None }
    }

    /// The lanes of `mask` access `region`, which starts at address `start`. `all`: bytes that all regions
    /// take, and accesses in all their lists.
    pub fn lanes(&mut self, region: &mut Region, mask: u32, start: u64, all: [&mut usize; 2]) {
        let before = [region.bytes(), region.others];
        let Request { addresses, bytes, .. } = *self.request;
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let address = addresses[lane as usize];
            let mut me = Touched { mask: 1 << lane, ..self.me };
            rest &= rest - 1;
            // Neighbours that read the same go on as one.
            while !me.writes() && rest != 0 && addresses[rest.trailing_zeros() as usize] == address {
                me.mask |= rest & rest.wrapping_neg();
                rest &= rest - 1;
            }
            region.each(address - start, bytes, |cell, offset, others| {
                self.cell(cell, me, start + offset, others);
            });
        }
        for (all, (now, before)) in
            all.into_iter().zip([region.bytes(), region.others].into_iter().zip(before))
        {
            *all = *all + now - before;
        }
    }

    #[inline(always)]
    fn cell(&mut self, cell: &mut Cell, me: Touched, address: u64, others: &mut usize) {
        if let Some(write) = &cell.write
            && !self.is_before(write, me)
        {
            self.meets(*write, me, address);
        }
        if me.writes() {
            if let Some(read) = &cell.read
                && !self.is_before(read, me)
            {
                self.meets(*read, me, address);
            }
            if !cell.others.is_empty() || me.strength != Strength::Weak {
                return self.write(cell, me, address, others);
            }
            (cell.write, cell.read) = (Some(me), None);
        } else {
            match &mut cell.read {
                _ if !cell.others.is_empty() => self.read(cell, me, address, others),
                None => cell.read = Some(me),
                Some(read) if read.is_like(&me) => read.mask |= me.mask,
                Some(read) if self.covers(&me, read) => *read = me,
                Some(_) => self.read(cell, me, address, others),
            }
        }
    }

    /// A write of a word with a longer past, or a strong one.
    #[inline(never)]
    fn write(&mut self, cell: &mut Cell, me: Touched, address: u64, others: &mut usize) {
        for past in &cell.others {
            if !self.is_before(past, me) {
                self.meets(*past, me, address);
            }
        }
        if me.strength == Strength::Weak {
            *others -= cell.others.len();
            *cell = Cell { write: Some(me), ..Cell::default() };
            return;
        }
        if let Some(weak) = cell.write.replace(me).filter(|write| write.strength == Strength::Weak) {
            cell.others.push(weak);
            *others += 1;
        }
    }

    /// A read of a word with a longer past.
    #[inline(never)]
    fn read(&mut self, cell: &mut Cell, me: Touched, address: u64, others: &mut usize) {
        for past in &cell.others {
            if past.writes() && !self.is_before(past, me) {
                self.meets(*past, me, address);
            }
        }
        let last = cell.others.iter_mut().rev().take(LOOK_BACK).chain(&mut cell.read);
        if let Some(past) =
            last.filter(|past| !past.writes()).find(|past| past.is_like(&me) || self.covers(&me, past))
        {
            let mask = if past.is_like(&me) { past.mask } else { 0 };
            *past = Touched { mask: mask | me.mask, ..me };
            return;
        }
        let length = cell.others.len();
        if length >= self.most
            && let Some(oldest) = &cell.read
            && self.is_known(oldest, &me)
        {
            cell.read = cell.read.filter(|past| !self.covers_known(&me, past));
            cell.others.retain(|past| past.writes() || !self.covers_known(&me, past));
        }
        if cell.read.is_none() {
            cell.read = Some(me);
        } else if cell.others.len() < self.most {
            if cell.others.is_empty() {
                cell.others.reserve_exact(self.most.min(FEW));
            }
            cell.others.push(me);
        } else if let Some(last) = cell.others.iter_mut().rev().find(|past| !past.writes())
            && !self.is_own_block(last)
            && !cell.read.is_some_and(|first| self.is_own_block(&first))
        {
            // The first and the last are of two blocks, so that the barriers of one block do not order both.
            *last = me;
        }
        *others = *others + cell.others.len() - length;
    }

    fn is_own_block(&self, past: &Touched) -> bool {
        past.warp.wrapping_sub(self.here.first_warp) < self.here.warps
    }

    /// Whether an earlier access is before this one, as far as that is seen at a glance, and the two are no
    /// race whatever their order.
    #[inline(always)]
    fn is_before(&self, past: &Touched, me: Touched) -> bool {
        let is_ordered = self.is_own_block(past) && past.time < self.barrier
            || past.warp == me.warp && past.mask == me.mask && me.mask.is_power_of_two();
        is_ordered && past.strength != Strength::ReadOnly && me.strength != Strength::ReadOnly
    }

    /// Whether whatever races with an earlier read races with this one, too.
    #[inline(always)]
    fn covers(&self, me: &Touched, past: &Touched) -> bool {
        let is_before = self.is_own_block(past) && past.time < self.barrier
            || past.warp == me.warp && past.mask & !me.mask == 0;
        is_before && me.strength <= past.strength
    }

    /// The same, by all that the thread knows.
    fn covers_known(&self, me: &Touched, past: &Touched) -> bool {
        me.strength <= past.strength && self.is_known(past, me)
    }

    /// Whether an earlier access is before this one.
    fn is_known(&self, past: &Touched, me: &Touched) -> bool {
        let lane = me.mask.trailing_zeros() as usize;
        lanes(past.mask).all(|other| self.here.before(past.past(other), lane) == Before::Yes)
    }

    /// Looks for races with an earlier access, thread by thread, and keeps the worst.
    #[inline(never)]
    fn meets(&mut self, past: Touched, me: Touched, address: u64) {
        let own_block = self.is_own_block(&past);
        let sees = me.strength > Strength::Weak && me.access != Access::Store;
        if past.writes() && past.strength > Strength::Weak && !own_block && sees {
            self.flag = Some(past.loc);
        }
        let both = if own_block { Scope::Cta } else { self.here.scope_with_others() };
        if morally_strong(past.strength, me.strength, both) {
            return;
        }
        for lane in lanes(me.mask) {
            for other in lanes(past.mask) {
                let earlier = past.past(other);
                let Some(why) = self.why(earlier, past.strength, lane) else { continue };
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
                    earlier_loc: past.loc,
                    earlier_writes: past.writes(),
                    earlier_atomic: matches!(past.access, Access::Atomic { .. }),
                    same_value: me.writes() && past.writes() && self.request.unchanged >> lane & 1 == 1,
                });
                if mine == (true, true) {
                    return;
                }
            }
        }
    }

    /// Why a lane races with an earlier access, if it does.
    fn why(&self, earlier: Past, strength: Strength, lane: usize) -> Option<Why> {
        let read_only = [strength, self.me.strength].contains(&Strength::ReadOnly);
        if read_only && self.here.is_own_grid(earlier) {
            return Some(Why::ReadOnly);
        }
        match self.here.before(earlier, lane) {
            Before::Yes => None,
            _ if morally_strong(strength, self.me.strength, self.here.scope_with(earlier)) => None,
            Before::Almost(gap) => Some(Why::Almost(gap)),
            Before::No => Some(Why::Unordered),
        }
    }
}
