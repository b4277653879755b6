//! The order within a block that is under way: barriers of the block and of its warps, and what its threads
//! have learnt.

use super::known::{Known, Seen, learn_all};
use super::{Past, Time};
use crate::arith::{WARP, lanes};
use crate::check::lanes::at;

/// Partial barriers (of some warps only) that a block remembers.
const PARTIAL: usize = 64;

/// What a thread has done and learnt since the last barrier of its block.
#[derive(Clone, Debug, Default)]
pub struct ThreadClock {
    pub known: Known,
    pub seen: Vec<Seen>,
    /// Its last fence of each scope.
    pub fences: [Time; 4],
    /// Device launches before the last wait for the children of the block.
    pub children: u32,
}

/// The rows say, for each lane, up to when it has seen each other lane.
type Rows = Box<[[Time; WARP]; WARP]>;

/// A barrier of some of the block's warps: when, and which lanes.
#[derive(Clone, Debug)]
pub struct Partial {
    time: Time,
    members: Vec<u32>,
    /// Earlier barriers that some of the members have passed, and those before them.
    earlier: Vec<(Time, Vec<u32>)>,
}

impl Partial {
    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        let earlier =
            self.earlier.iter().map(|(_, members)| size_of::<(Time, Vec<u32>)>() + 4 * members.len());
        size_of::<Partial>() + 4 * self.members.len() + earlier.sum::<usize>()
    }
}

/// The order within a block that is under way. Its time counts what orders something in it.
#[derive(Debug)]
pub struct BlockClock {
    pub now: Time,
    /// The last barrier of the whole block.
    pub barrier: Time,
    pub partial: Vec<Partial>,
    rows: Vec<Option<Rows>>,
    arrivals: Vec<(u32, u32, u32)>,
    pub known: Known,
    pub seen: Vec<Seen>,
    pub children: u32,
    /// By their numbers, as far as there is something to know.
    pub threads: Vec<ThreadClock>,
    /// The line where another block has last written what a thread of this one has seen by a strong read.
    pub flag: Option<u32>,
}

impl Default for BlockClock {
    fn default() -> BlockClock {
        BlockClock {
            now: 1,
            barrier: 0,
            partial: Vec::new(),
            rows: Vec::new(),
            arrivals: Vec::new(),
            known: Known::new(),
            seen: Vec::new(),
            children: 0,
            threads: Vec::new(),
            flag: None,
        }
    }
}

impl BlockClock {
    pub fn tick(&mut self) -> Time {
        self.now += 1;
        self.now
    }

    pub fn thread(&mut self, warp: u32, lane: usize) -> &mut ThreadClock {
        at(&mut self.threads, warp * WARP as u32 + lane as u32)
    }

    pub fn arrives(&mut self, warp: u32, mask: u32, id: u32) {
        self.arrivals.push((id, warp, mask));
    }

    /// Barrier `id` opens, for all threads of the block that have not exited or for those that have arrived.
    pub fn barrier_opens(&mut self, id: u32, all: bool) {
        let time = self.tick();
        if all {
            self.barrier = time;
            self.partial.clear();
            for thread in &mut self.threads {
                learn_all(&mut self.known, &std::mem::take(&mut thread.known));
                Seen::add(&mut self.seen, &std::mem::take(&mut thread.seen));
                self.children = self.children.max(thread.children);
            }
            self.arrivals.retain(|arrival| arrival.0 != id);
            return;
        }
        let mut members = Vec::new();
        for (_, warp, mask) in self.arrivals.extract_if(.., |arrival| arrival.0 == id) {
            if members.len() <= warp as usize {
                members.resize(warp as usize + 1, 0);
            }
            members[warp as usize] |= mask;
        }
        let threads = (0..).zip(&members).flat_map(|(warp, mask)| threads_of(warp, *mask)).collect();
        self.share(threads);
        let meet = |other: &[u32]| members.iter().zip(other).any(|(a, b)| a & b != 0);
        let mut earlier: Vec<(Time, Vec<u32>)> = Vec::new();
        for partial in self.partial.iter().filter(|partial| meet(&partial.members)) {
            let passed = partial.earlier.iter().cloned().chain([(partial.time, partial.members.clone())]);
            for barrier in passed {
                if !earlier.iter().any(|(time, _)| *time == barrier.0) {
                    earlier.push(barrier);
                }
            }
        }
        earlier.drain(..earlier.len().saturating_sub(PARTIAL));
        if self.partial.len() == PARTIAL {
            self.partial.remove(0);
        }
        self.partial.push(Partial { time, members, earlier });
    }
    /// Lanes of a warp meet at `__syncwarp()`.
    pub fn warp_barrier(&mut self, warp: u32, mask: u32) {
        let time = self.tick();
        if self.rows.len() <= warp as usize {
            self.rows.resize_with(warp as usize + 1, || None);
        }
        let rows = self.rows[warp as usize].get_or_insert_with(|| Box::new([[0; WARP]; WARP]));
        let mut merged = [0; WARP];
        for lane in lanes(mask) {
            for (to, from) in merged.iter_mut().zip(&rows[lane]) {
                *to = (*from).max(*to);
            }
        }
        lanes(mask).for_each(|lane| merged[lane] = time);
        lanes(mask).for_each(|lane| rows[lane] = merged);
        self.share(threads_of(warp, mask).collect());
    }

    /// Up to when a lane has seen each lane of its warp.
    pub fn row(&self, warp: u32, lane: usize) -> Option<&[Time; WARP]> {
        Some(&self.rows.get(warp as usize)?.as_ref()?[lane])
    }

    /// These threads have met: each knows what any of them knows.
    fn share(&mut self, threads: Vec<u32>) {
        if self.threads.is_empty() {
            return;
        }
        let mut shared = ThreadClock::default();
        for thread in threads.iter().filter_map(|thread| self.threads.get(*thread as usize)) {
            learn_all(&mut shared.known, &thread.known);
            Seen::add(&mut shared.seen, &thread.seen);
            shared.children = shared.children.max(thread.children);
        }
        if shared.known.is_empty() && shared.seen.is_empty() && shared.children == 0 {
            return;
        }
        for thread in threads {
            let clock = at(&mut self.threads, thread);
            *clock = ThreadClock { fences: clock.fences, ..shared.clone() };
        }
    }
}

fn threads_of(warp: u32, mask: u32) -> impl Iterator<Item = u32> {
    lanes(mask).map(move |lane| warp * WARP as u32 + lane as u32)
}

/// Whether a lane of a warp has met the thread of a past access since, at a barrier of some of the block's
/// warps. Warps count within the block.
pub fn in_partial(partial: &[Partial], past: Past, past_warp: u32, warp: u32, lane: u8) -> bool {
    let member = |members: &[u32], warp: u32, lane: u8| {
        members.get(warp as usize).is_some_and(|mask| mask >> lane & 1 == 1)
    };
    let was_there = |time: Time, members: &[u32]| past.time < time && member(members, past_warp, past.lane);
    partial.iter().filter(|p| member(&p.members, warp, lane)).any(|p| {
        was_there(p.time, &p.members) || p.earlier.iter().any(|(time, members)| was_there(*time, members))
    })
}
