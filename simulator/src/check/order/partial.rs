//! Barriers of some of a block's warps (PTX ISA, "barrier{.cta}", with a number of threads).

use super::{Past, Time};

/// How many of them a block remembers.
const REMEMBERED: usize = 64;

/// A barrier of some of the block's warps: when, and which lanes.
#[derive(Clone, Debug)]
pub struct Partial {
    time: Time,
    members: Vec<u32>,
    /// Earlier barriers that some of the members have passed, and those before them.
    earlier: Vec<(Time, Vec<u32>)>,
}

impl Partial {
    /// The lanes `members` of each warp have met; `all` are those that the block remembers.
    pub fn add(all: &mut Vec<Partial>, time: Time, members: Vec<u32>) {
        let meet = |other: &[u32]| members.iter().zip(other).any(|(a, b)| a & b != 0);
        let mut earlier: Vec<(Time, Vec<u32>)> = Vec::new();
        for partial in all.iter().filter(|partial| meet(&partial.members)) {
            let passed = partial.earlier.iter().cloned().chain([(partial.time, partial.members.clone())]);
            for barrier in passed {
                if !earlier.iter().any(|(time, _)| *time == barrier.0) {
                    earlier.push(barrier);
                }
            }
        }
        earlier.drain(..earlier.len().saturating_sub(REMEMBERED));
        if all.len() == REMEMBERED {
            all.remove(0);
        }
        all.push(Partial { time, members, earlier });
    }
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
