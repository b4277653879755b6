//! Whether a launch makes progress, which tells an endless loop from a long run.
//!
//! A launch is stopped as soon as every warp that has not ended waits or runs in a cycle
//! (`cycle.rs`), and no byte of memory that threads share has changed in between: nothing can change any
//! more. (Without checks every store counts as a change.) Any other run may still end; how long it may take
//! is for the caller to say, by a limit of instructions.

use std::sync::atomic::{AtomicBool, Ordering};

use super::still::Steps;

/// The first time that a launch says how far it is; again whenever it has executed twice as much.
const NEWS: u64 = 1 << 20;
/// Instructions without a change after which warps are followed for the first time, to see whether they go
/// in cycles: for one instruction in [`FOLLOWED`] of these, and again whenever they are twice as many.
const SUSPECT: u64 = 1 << 17;
const FOLLOWED: u64 = 16;
/// Instructions in all after which a launch is recorded for the first time, to see whether its state comes
/// again: for one instruction in [`RECORDED`], and again whenever they are twice as many. Turns are short
/// then, and loops that wait take more or fewer of them; the book's records are of shorter launches.
const LONG: u64 = 1 << 23;
const RECORDED: u64 = 32;
/// Instructions without a change after which turns are no longer shuffled: a cycle is one only if the same
/// state always leads to the same one.
const SETTLED: u64 = 1 << 20;

/// A launch is foreseen to be too long for its limit when it has executed one instruction in [`EARLY`] of
/// that, if it would execute more than [`HOPELESS`] times as many. It is stopped half a block later, where
/// blocks are for most of their time.
const EARLY: u64 = 16;
const HOPELESS: u64 = 8;

/// What a launch has executed, and how much more it may.
#[derive(Debug)]
pub struct Progress {
    /// Instructions of warps: so far, and at which number it ends.
    pub executed: u64,
    end: u64,
    /// How many it would execute, if that is foreseen to be too many.
    pub expected: Option<u64>,
    /// The same, times the lanes that were active.
    pub by_threads: u64,
    /// Is set by somebody who wants it to stop.
    stop: Option<&'static AtomicBool>,
    /// When it says next how far it is.
    news: u64,
    /// What has changed, counted; when the last of it has; and how many warps have run in a cycle or
    /// waited since.
    changes: u64,
    changed_at: u64,
    pub stuck_warps: usize,
    /// Changes other than stores and arrivals at barriers, counted.
    upheavals: u64,
    /// What is kept while it is looked whether the state of the launch comes again (`grid/recurrence.rs`).
    pub recording: Option<Recording>,
}

/// What a launch does while it is recorded.
#[derive(Debug, Default)]
pub struct Recording {
    pub steps: Steps,
    /// The sum of a number for each byte of memory and its value, less what it was at first: 0 if memory
    /// holds what it held then.
    pub memory: u64,
}

impl Recording {
    /// A byte of memory changes. `space` tells one memory from another.
    pub fn byte(&mut self, space: u64, address: u64, before: u8, now: u8) {
        let number = |value: u8| mix(mix(space ^ mix(address)) ^ u64::from(value));
        self.memory = self.memory.wrapping_add(number(now)).wrapping_sub(number(before));
    }
}

/// A number made of another, as if by chance (the last steps of SplitMix64: Steele, Lea and Flood, OOPSLA
/// 2014).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Progress {
    /// `limit`: instructions of warps in all.
    pub fn new(limit: Option<u64>) -> Progress {
        let end = limit.unwrap_or(u64::MAX);
        Progress {
            executed: 0,
            end,
            expected: None,
            by_threads: 0,
            stop: None,
            news: NEWS,
            changes: 1,
            changed_at: 0,
            stuck_warps: 0,
            upheavals: 0,
            recording: None,
        }
    }

    /// One instruction more, of this many threads, unless it is one too many.
    #[inline(always)]
    pub fn step(&mut self, threads: u32) -> bool {
        if self.executed == self.end {
            return false;
        }
        self.executed += 1;
        self.by_threads += u64::from(threads);
        true
    }

    /// The same, but it ends as soon as `stop` is set.
    pub fn until(self, stop: Option<&'static AtomicBool>) -> Progress {
        Progress { stop, ..self }
    }

    /// Whether somebody wants it to stop.
    pub fn is_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// At least so many instructions more may be executed.
    pub fn allow(&mut self, instructions: u64) {
        self.end = self.end.max(self.executed.saturating_add(instructions));
    }

    /// Blocks have ended: of a launch that is plainly too long the end comes early.
    pub fn foresee(&mut self, ended: u64, blocks: u64) {
        if self.executed < self.end / EARLY || self.expected.is_some() {
            return;
        }
        let block = self.executed / ended.max(1);
        let expected = block.saturating_mul(blocks);
        if expected / HOPELESS > self.end {
            self.expected = Some(expected);
            self.end = self.end.min(self.executed + block / 2);
        }
    }

    /// The last instruction has not been executed after all.
    pub fn take_back(&mut self, threads: u32) {
        self.executed -= 1;
        self.by_threads -= u64::from(threads);
    }

    /// Whether it is time to say how far the launch is.
    #[inline]
    pub fn is_news(&mut self) -> bool {
        let is_news = self.executed >= self.news;
        self.news <<= is_news as u32;
        is_news
    }

    /// Something has changed that threads can wait for, other than by a store or at a barrier of a block.
    #[inline]
    pub fn changed(&mut self) {
        self.upheavals += 1;
        self.stored();
    }

    /// How many times that was.
    pub fn upheavals(&self) -> u64 {
        self.upheavals
    }

    /// A store has changed memory, or threads have arrived at a barrier of their block.
    #[inline]
    pub fn stored(&mut self) {
        self.changes += 1;
        self.changed_at = self.executed;
        self.stuck_warps = 0;
    }

    /// Tells one state of all memory from another.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether nothing has changed for long.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.still() > SETTLED
    }

    /// Instructions since anything has changed.
    #[inline]
    pub fn still(&self) -> u64 {
        self.executed - self.changed_at
    }

    /// Whether warps are followed now.
    pub fn follows(&self) -> bool {
        is_in_window(self.still(), SUSPECT, FOLLOWED)
    }

    /// Whether the launch may be recorded now.
    pub fn may_record(&self) -> bool {
        is_in_window(self.executed, LONG, RECORDED)
    }

    /// A warp does not get on by itself; `since` is the warp's own note of when it last did not.
    pub fn note_stuck(&mut self, since: &mut u64) {
        self.stuck_warps += (*since != self.changes) as usize;
        *since = self.changes;
    }
}

/// Whether `number` lies at the beginning of the numbers between two powers of two, of which the first is at
/// least `first`: in this part of them.
fn is_in_window(number: u64, first: u64, part: u64) -> bool {
    if number < first {
        return false;
    }
    let power = 1 << number.ilog2();
    number - power < power / part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limit_ends_a_launch() {
        let steps = |limit| {
            let mut progress = Progress::new(limit);
            (0..2000).take_while(|_| progress.step(32)).count()
        };
        assert_eq!((steps(Some(1000)), steps(Some(0)), steps(None)), (1000, 0, 2000));
    }

    #[test]
    fn a_launch_that_is_plainly_too_long_ends_early() {
        let mut progress = Progress::new(Some(16_000));
        progress.executed = 999;
        progress.foresee(1, 1000);
        assert_eq!(progress.expected, None, "it is too early to say");
        progress.executed = 2000;
        progress.foresee(20, 1000);
        assert_eq!(progress.expected, None, "100,000 may be wrong");
        progress.foresee(2, 1000);
        assert_eq!((progress.expected, progress.end), (Some(1_000_000), 2500));
    }

    #[test]
    fn news_come_whenever_as_much_again_is_done() {
        let mut progress = Progress::new(None);
        let news: Vec<u64> = (0..40)
            .filter(|part| {
                progress.executed = part << 18;
                progress.is_news()
            })
            .collect();
        assert_eq!(news, [4, 8, 16, 32]);
    }

    #[test]
    fn warps_are_stuck_until_something_changes() {
        let mut progress = Progress::new(None);
        let mut since = [0; 2];
        for warp in [0, 0, 1, 1, 0] {
            progress.note_stuck(&mut since[warp]);
        }
        assert_eq!(progress.stuck_warps, 2);
        progress.changed();
        progress.note_stuck(&mut since[1]);
        assert_eq!(progress.stuck_warps, 1);
    }
}
