//! Asynchronous copies from global to shared memory: `cp.async` (PTX ISA 9.7.9.25.3).
//!
//! A copy may take place at any time between its instruction and the thread's wait for it. The simulator
//! takes the latest moment: it moves the bytes when the thread waits, so who does not wait reads what was
//! there before. A copy that nobody waits for never takes place. `cp.async.mbarrier.arrive` is the exception:
//! the copies of the thread are done at once, and the arrival too.

use super::activation::source;
use super::context::{At, Context, Executed};
use super::warp::{Copy, Warp};
use crate::arith::{WARP, each, lanes, which};
use crate::decode::{NONE, Op};
use crate::memory::span;
use crate::observe::{Access, Act, CopyRequest, CopyWait};
use crate::ptx::Space;

impl Context<'_> {
    pub fn copy_async(&mut self, warp: &mut Warp, at: At) -> Executed<()> {
        let Op::CopyAsync { to, from, bytes, given } = &at.inst.op else { return Ok(()) };
        let mut to = self.checked_addresses(warp, at, to);
        let from = self.checked_addresses(warp, at, from);
        let activation = &warp.activations[at.slot as usize];
        let active = at.mask;
        let mut taken = [*bytes as u64; WARP];
        if *given != NONE {
            let given = source(activation, at.function, *given);
            each(active, |lane| taken[lane] = (given[lane] as u32).min(*bytes) as u64);
        }
        each(active, |lane| to[lane] = self.own_offset(to[lane], *bytes));
        let request = CopyRequest { mask: active, to, from, bytes: *bytes, given: taken };
        let store = request.side(Access::Store, Space::Shared, active, *bytes);
        let load = request.side(Access::Load, Space::Global, active, *bytes);
        for lane in lanes(active) {
            for request in [&store, &load] {
                if request.addresses[lane] % *bytes as u64 != 0 {
                    return Err(self.misaligned(warp, at, lane, request));
                }
            }
            if self.block.shared.bytes.get(span(to[lane], *bytes as usize)).is_none() {
                return Err(self.outside(warp, at, lane, &store));
            }
            if taken[lane] > 0 && self.memory.slice(from[lane], taken[lane] as usize).is_err() {
                return Err(self.outside(warp, at, lane, &load));
            }
        }
        self.progress.changed();
        self.act(warp, at, Act::CopyStarts(&request));
        let group = warp.copy_groups;
        warp.copies.push(Copy { request, group, loc: at.inst.loc });
        Ok(())
    }

    /// Lanes wait for their copies: for all, or for those in all groups `but` the last few.
    pub fn copies_done(&mut self, warp: &mut Warp, at: At, but: Option<u32>) {
        self.progress.changed();
        let mut pending = std::mem::take(&mut warp.copies);
        for copy in &mut pending {
            let all = copy.request.mask;
            let done = which(all & at.mask, |lane| match but {
                None => true,
                Some(but) => copy.group[lane].saturating_add(but) < warp.copy_groups[lane],
            });
            copy.request.mask = done;
            self.do_copy(warp, &copy.request, copy.loc);
            self.leave_out(warp, copy, at.inst.loc, (all & at.mask & !done, but.unwrap_or_default()));
            copy.request.mask = all & !done;
        }
        pending.retain(|copy| copy.request.mask != 0);
        warp.copies = pending;
    }

    /// Lanes wait at `wait` for all groups but so many, and not for this copy.
    fn leave_out(&mut self, warp: &Warp, copy: &mut Copy, wait: u32, (mask, groups): (u32, u32)) {
        let committed = which(mask, |lane| copy.group[lane] < warp.copy_groups[lane]);
        for (mask, committed) in [(committed, true), (mask & !committed, false)] {
            if mask != 0 {
                copy.request.mask = mask;
                let wait = CopyWait { loc: wait, groups, committed };
                self.act_at(warp, copy.loc, Act::CopyLeftOut(&copy.request, wait));
            }
        }
    }

    fn do_copy(&mut self, warp: &Warp, copy: &CopyRequest, loc: u32) {
        for lane in lanes(copy.mask) {
            let bytes = copy.bytes as usize;
            let given = copy.given[lane] as usize;
            let to = span(copy.to[lane], bytes);
            // A buffer that has been freed meanwhile gives zeros.
            let mut content = [0; 16];
            if let Ok(from) = self.memory.slice(copy.from[lane], given) {
                content[..given].copy_from_slice(from);
            }
            let shared = &mut self.block.shared;
            shared.bytes[to].copy_from_slice(&content[..bytes]);
            if self.checks {
                let from = self.memory.written(copy.from[lane]);
                let written = given == 0 || from.is_none_or(|(written, at)| written.any(at, given));
                shared.written.set(copy.to[lane] as usize, bytes, written);
            }
        }
        if copy.mask != 0 {
            self.act_at(warp, loc, Act::CopyEnds(copy));
        }
    }
}
