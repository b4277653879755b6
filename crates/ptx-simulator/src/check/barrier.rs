//! barrier-divergence: threads of a block that do not agree on which barrier comes next.
//!
//! CUDA C++ Programming Guide, "Synchronization Functions": `__syncthreads()` is allowed in conditional code
//! only if the condition is the same for the whole block. So: a branch that has a barrier on one side only is
//! visited by all threads of a block in the same way, or not at all. If on its k-th visit some threads go to
//! a side on which they come to a barrier, and others go to the other side, that barrier is divergent, even
//! if the exits of the others release it later. A branch whose other side only leads out of the kernel is an
//! early exit, which is legal. Of the barrier of a cluster the same holds for all threads of the cluster.

use rustc_hash::FxHashMap;

use crate::arith::{WARP, at, each, groups};

/// What the threads of a group did on one visit of a branch: a thread for each side, and where a barrier was
/// reached.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    taken: Option<u32>,
    rest: Option<u32>,
    /// The barrier's line, and a thread that is at it, on the taken side and on the other.
    barrier: [Option<(u32, u32)>; 2],
}

/// What the threads of a group did at a branch.
#[derive(Clone, Debug, Default)]
struct AtBranch {
    visits: Vec<Visit>,
    /// How often each lane has been there, by warp.
    counts: Vec<[u32; WARP]>,
}

#[derive(Debug, Default)]
struct GroupVisits {
    /// By the number of the branch.
    branches: Vec<AtBranch>,
    /// Blocks that have ended, of a cluster.
    ended: u32,
}

/// A barrier that one thread comes to and another goes past.
#[derive(Clone, Copy, Debug)]
pub struct Divergence {
    pub watch: u32,
    pub barrier_loc: u32,
    /// Threads of the group, by number: one that is at the barrier, one that is not.
    pub group: Group,
    pub at: u32,
    pub past: u32,
}

/// Threads that have to agree on a barrier: those of a block, or of a cluster, of a grid. They are numbered
/// warp by warp, and warps block by block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    Block(u32, u64),
    Cluster(u32, u64),
}

#[derive(Debug, Default)]
pub struct Branches {
    groups: FxHashMap<Group, GroupVisits>,
}

impl Branches {
    /// A block ends, of a cluster of this many.
    pub fn block_end(&mut self, grid: u32, block: u64, (cluster, blocks): (u64, u32)) {
        self.groups.remove(&Group::Block(grid, block));
        let cluster = Group::Cluster(grid, cluster);
        if let Some(state) = self.groups.get_mut(&cluster) {
            state.ended += 1;
            if state.ended == blocks {
                self.groups.remove(&cluster);
            }
        }
    }

    /// Lanes of a warp come to a watched branch.
    pub fn branch(
        &mut self,
        (group, warp): (Group, u32),
        watch: u32,
        taken: u32,
        rest: u32,
    ) -> Option<Divergence> {
        let state = self.groups.entry(group).or_default();
        let AtBranch { visits, counts } = at(&mut state.branches, watch as usize);
        let counts = at(counts, warp as usize);
        let mut found = None;
        for (number, lanes) in groups(taken | rest, |lane| counts[lane]) {
            let visit = at(visits, number as usize);
            for (side, lanes) in [(&mut visit.taken, lanes & taken), (&mut visit.rest, lanes & rest)] {
                if lanes != 0 {
                    side.get_or_insert(warp * 32 + lanes.trailing_zeros());
                }
            }
            found = found.or(visit.divergence(watch, group));
        }
        each(taken | rest, |lane| counts[lane] += 1);
        found
    }

    /// Lanes of a warp come to a barrier that lies behind the branch `watch`, on the taken side or the other.
    pub fn barrier(
        &mut self,
        (group, warp): (Group, u32),
        mask: u32,
        loc: u32,
        watch: u32,
        taken: bool,
    ) -> Option<Divergence> {
        let state = self.groups.entry(group).or_default();
        let AtBranch { visits, counts } = state.branches.get_mut(watch as usize)?;
        let counts = counts.get(warp as usize)?;
        groups(mask, |lane| counts[lane]).find_map(|(number, lanes)| {
            let visit = visits.get_mut(number.checked_sub(1)? as usize)?;
            visit.barrier[!taken as usize].get_or_insert((loc, warp * 32 + lanes.trailing_zeros()));
            visit.divergence(watch, group)
        })
    }
}

impl Visit {
    fn divergence(&self, watch: u32, group: Group) -> Option<Divergence> {
        let taken = self.taken?;
        let rest = self.rest?;
        let ((barrier_loc, at), past) = match self.barrier {
            [Some(barrier), _] => (barrier, rest),
            [None, barrier] => (barrier?, taken),
        };
        Some(Divergence { watch, barrier_loc, group, at, past })
    }
}
