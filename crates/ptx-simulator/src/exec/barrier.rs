//! How lanes arrive at the barriers of their block, wait there and go on (PTX ISA 9.7.13.1).

use super::activation::source;
use super::block::BARRIERS;
use super::context::{At, Context, Executed};
use super::split::Wait;
use super::warp::{CallSite, Warp};
use crate::arith::{WARP, each};
use crate::decode::*;
use crate::diagnostic::Kind;
use crate::observe::{Act, Event};

impl Context<'_> {
    /// A split behind an open barrier: takes the barrier's result, if it asked for one, and goes on.
    pub fn leave_barrier(&mut self, warp: &mut Warp, index: usize, id: u8) {
        let at = self.at(warp, index);
        if let Op::Barrier { reduce: Some(kind), d, q, .. } = &at.inst.op {
            let (count, threads) = self.block.barriers[id as usize].result;
            let activation = &mut warp.activations[at.slot as usize];
            let holds = match kind {
                BarReduce::Popc => {
                    let lanes = &mut activation.registers[*d as usize];
                    each(at.mask, |lane| lanes[lane] = count as u64);
                    false
                }
                BarReduce::And => count == threads,
                BarReduce::Or => count > 0,
            };
            activation.set_predicate(*q, at.mask, if holds { u32::MAX } else { 0 });
        }
        warp.splits[index].go_on();
    }

    /// Opens the block's complete barriers.
    #[inline]
    pub fn release(&mut self) {
        let grid = self.grid;
        let block = self.block.linear;
        let observer = &mut *self.observer;
        let mut opens =
            |id, all, exited| observer.event(&Event::BarrierOpens { grid, block, id, all, exited });
        self.block.open(&mut opens);
    }

    /// Lanes of the split `index` arrive at a block barrier; whether they wait there.
    pub fn barrier(&mut self, warp: &mut Warp, index: usize, at: At) -> Executed<bool> {
        let Op::Barrier { id, count, arrive, p, .. } = &at.inst.op else { return Ok(false) };
        let active = at.mask;
        let activation = &warp.activations[at.slot as usize];
        let only = |r: Reg| source(activation, at.function, r)[active.trailing_zeros() as usize] as u32;
        let number = only(*id) as usize;
        let expected = if *count == NONE { 0 } else { only(*count) };
        let holds = p.map_or(0, |p| active & activation.holds(p));
        if number >= BARRIERS {
            let what = format!("there is no barrier {number}: a block has barriers 0 to 15");
            return Err(self.fault(warp, at, Kind::BarrierDivergence, what, "use one of them"));
        }
        if !expected.is_multiple_of(WARP as u32) {
            let what = format!(
                "a barrier for {expected} threads: their number has to be a multiple of the warp size, \
                 {WARP} (PTX ISA 9.7.13.1)"
            );
            let help = "count each warp that takes part as 32 threads";
            return Err(self.fault(warp, at, Kind::BarrierDivergence, what, help));
        }
        let whole_warp = active | warp.exited == warp.lanes;
        self.act(warp, at, Act::Barrier { mask: active, id: number as u32, waits: !*arrive });
        if self.checks {
            self.barrier_sites(warp, index, at);
        }
        self.progress.stored();
        let barrier = &mut self.block.barriers[number];
        barrier.expected = expected;
        // A count is in whole warps (PTX ISA 9.7.13.1).
        barrier.arrived += if expected != 0 && whole_warp { WARP as u32 } else { active.count_ones() };
        barrier.count += holds.count_ones();
        barrier.threads += active.count_ones();
        let round = barrier.round;
        if let Some(turns) = self.turns {
            turns.borrow_mut().arrives(self.process(warp, active), active, number as u32, !arrive);
        }
        if *arrive {
            self.release();
            return Ok(false);
        }
        let waiting = warp.stay(index, active);
        warp.splits[waiting].wait = Wait::Barrier { id: number as u8, round };
        self.release();
        if self.block.barriers[number].round == round {
            self.act(warp, at, Act::BarrierStall);
        }
        Ok(true)
    }

    /// Tells which watched branches a barrier lies behind: those of its function, and those around the calls.
    pub fn barrier_sites(&mut self, warp: &Warp, index: usize, at: At) {
        let split = warp.splits[index];
        let mut place = Some(CallSite { activation: split.activation, pc: split.pc, join: split.join });
        while let Some(CallSite { activation, pc, join }) = place {
            let function = &self.program.functions[warp.activations[activation as usize].function];
            if let Some(sites) = function.barrier_sites.get(&pc) {
                self.act(warp, at, Act::BarrierSite { mask: at.mask, sites });
            }
            place = warp.call_of(join);
        }
    }
}
