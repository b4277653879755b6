//! barrier-divergence: threads of a block that do not agree on which barrier comes next.
//!
//! CUDA C++ Programming Guide, "Synchronization Functions": `__syncthreads()` is allowed in conditional code
//! only if the condition is the same for the whole block. So: a branch that has a barrier on one side only is
//! visited by all threads of a block in the same way, or not at all. If on its k-th visit some threads go to
//! a side on which they come to a barrier, and others go to the other side, that barrier is divergent, even
//! if the exits of the others release it later. A branch whose other side only leads out of the kernel is an
//! early exit, which is legal.

use rustc_hash::FxHashMap;

use crate::arith::WARP;

/// What the threads of a block did on one visit of a branch: a thread for each side, and where a barrier was
/// reached.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    taken: Option<u32>,
    rest: Option<u32>,
    /// The barrier's line, and a thread that is at it, on the taken side and on the other.
    barrier: [Option<(u32, u32)>; 2],
}

#[derive(Debug, Default)]
struct BlockVisits {
    /// By branch.
    visits: FxHashMap<u32, Vec<Visit>>,
    /// How often each lane of a warp has been there, by branch and warp.
    counts: FxHashMap<(u32, u32), [u32; WARP]>,
}

/// A barrier that one thread comes to and another goes past.
#[derive(Clone, Copy, Debug)]
pub struct Divergence {
    pub watch: u32,
    pub barrier_loc: u32,
    /// Threads of the block, by number: one that is at the barrier, one that is not.
    pub at: u32,
    pub past: u32,
}

#[derive(Debug, Default)]
pub struct Branches {
    blocks: FxHashMap<(u32, u64), BlockVisits>,
}

impl Branches {
    pub fn block_end(&mut self, grid: u32, block: u64) {
        self.blocks.remove(&(grid, block));
    }

    /// Lanes of a warp come to a watched branch.
    pub fn branch(
        &mut self,
        block: (u32, u64),
        warp: u32,
        watch: u32,
        taken: u32,
        rest: u32,
    ) -> Option<Divergence> {
        let state = self.blocks.entry(block).or_default();
        let counts = state.counts.entry((watch, warp)).or_default();
        let visits = state.visits.entry(watch).or_default();
        let mut found = None;
        for lane in crate::arith::lanes(taken | rest) {
            let number = counts[lane] as usize;
            counts[lane] += 1;
            if visits.len() <= number {
                visits.resize_with(number + 1, Visit::default);
            }
            let visit = &mut visits[number];
            let thread = warp * 32 + lane as u32;
            let side = if taken >> lane & 1 == 1 { &mut visit.taken } else { &mut visit.rest };
            side.get_or_insert(thread);
            found = found.or(visit.divergence(watch));
        }
        found
    }

    /// Lanes of a warp come to a barrier that lies behind the branch `watch`, on the taken side or the other.
    pub fn barrier(
        &mut self,
        block: (u32, u64),
        warp: u32,
        mask: u32,
        loc: u32,
        watch: u32,
        taken: bool,
    ) -> Option<Divergence> {
        let state = self.blocks.entry(block).or_default();
        let counts = state.counts.get(&(watch, warp))?;
        let visits = state.visits.get_mut(&watch)?;
        crate::arith::lanes(mask).find_map(|lane| {
            let visit = visits.get_mut(counts[lane].checked_sub(1)? as usize)?;
            visit.barrier[!taken as usize].get_or_insert((loc, warp * 32 + lane as u32));
            visit.divergence(watch)
        })
    }
}

impl Visit {
    fn divergence(&self, watch: u32) -> Option<Divergence> {
        let (taken, rest) = (self.taken?, self.rest?);
        match self.barrier {
            [Some((barrier_loc, at)), _] => Some(Divergence { watch, barrier_loc, at, past: rest }),
            [None, Some((barrier_loc, at))] => Some(Divergence { watch, barrier_loc, at, past: taken }),
            _ => None,
        }
    }
}
