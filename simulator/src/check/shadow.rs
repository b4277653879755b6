//! What the race check remembers of memory: of every byte the last write and the reads since.
//!
//! | | bytes |
//! | --- | --- |
//! | a word in a touched page, read since its last write by lanes of one warp from one line | 28 |
//! | more for a word with other reads, or weak and strong writes | 88, and 24 to 48 for each run of reads |
//! | more for a word whose bytes differ | 128 |

use std::num::NonZeroU32;

use super::order::{Past, Time};
use crate::ptx::Scope;

/// Words in a page: a page comes into being when one of its words is touched.
const PAGE: usize = 256;
/// A read that is made again is looked for in the last so many runs.
const LOOK_BACK: usize = 8;
/// Runs of reads that a word remembers; beyond, the older half is forgotten.
const RUNS: usize = 4096;
/// Bytes of a word.
const WORD: u64 = 4;

/// How strongly an access was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Of a read, through the path for data that the grid does not write.
    ReadOnly,
    Weak,
    Strong(Scope),
}

/// An access that has happened.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub past: Past,
    /// Index into the program's line table.
    pub loc: u32,
    pub strength: Strength,
    pub atomic: bool,
}

/// An index into the line table in three bytes; a program with 16 million lines has no more of them in
/// messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line([u8; 3]);

impl Line {
    fn new(loc: u32) -> Line {
        let [a, b, c, _] = loc.min(0xff_ffff).to_le_bytes();
        Line([a, b, c])
    }

    fn loc(self) -> u32 {
        let Line([a, b, c]) = self;
        u32::from_le_bytes([a, b, c, 0])
    }
}

/// A [`Seen`] that writes, in 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Write {
    warp: u32,
    /// Time begins with the first grid, at 1.
    time: NonZeroU32,
    line: Line,
    /// The lane in the lower five bits, and [`MANNERS`] above.
    lane_and_manner: u8,
}

/// How strong a write is, and whether it is an atomic, which are all strong.
const MANNERS: [(Strength, bool); 7] = [
    (Strength::Weak, false),
    (Strength::Strong(Scope::Cta), false),
    (Strength::Strong(Scope::Gpu), false),
    (Strength::Strong(Scope::System), false),
    (Strength::Strong(Scope::Cta), true),
    (Strength::Strong(Scope::Gpu), true),
    (Strength::Strong(Scope::System), true),
];

impl Write {
    fn new(seen: &Seen) -> Write {
        let manner = match (seen.strength, seen.atomic) {
            (Strength::Weak | Strength::ReadOnly, _) => 0,
            (Strength::Strong(scope), atomic) => 1 + scope as u8 + 3 * atomic as u8,
        };
        Write {
            warp: seen.past.warp,
            time: NonZeroU32::new(seen.past.time).unwrap_or(NonZeroU32::MIN),
            line: Line::new(seen.loc),
            lane_and_manner: manner << 5 | seen.past.lane,
        }
    }

    fn is_weak(&self) -> bool {
        self.lane_and_manner >> 5 == 0
    }

    fn seen(&self) -> Seen {
        let (strength, atomic) = MANNERS[self.lane_and_manner as usize >> 5];
        let past = Past { warp: self.warp, lane: self.lane_and_manner & 31, time: self.time.get() };
        Seen { past, loc: self.line.loc(), strength, atomic }
    }
}

/// Reads by lanes of one warp, at one time, from one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reads {
    warp: u32,
    mask: u32,
    time: Time,
    line: Line,
    strength: Strength,
}

impl Reads {
    fn new(seen: &Seen) -> Reads {
        let Past { warp, lane, time } = seen.past;
        Reads { warp, mask: 1 << lane, time, line: Line::new(seen.loc), strength: seen.strength }
    }

    /// Takes in `other`, of a single lane, if it is like these or says nothing new.
    fn merge(&mut self, other: &Reads) -> bool {
        let alike = (self.warp, self.time, self.strength) == (other.warp, other.time, other.strength)
            && (self.line == other.line || self.mask & other.mask != 0);
        if alike {
            self.mask |= other.mask;
        }
        alike
    }

    /// That of a lane, by a warp.
    fn seen(&self, warp: u32, lane: usize) -> Seen {
        let past = Past { warp, lane: lane as u8, time: self.time };
        Seen { past, loc: self.line.loc(), strength: self.strength, atomic: false }
    }

    fn covers(&self, earlier: Run, before: impl Fn(Past) -> bool) -> bool {
        self.strength <= earlier.first.strength && earlier.iter().all(|seen| before(seen.past))
    }
}

/// The same reads by each of some warps, whose numbers are `step` apart.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    first: Reads,
    warps: u32,
    step: u32,
}

impl Run {
    fn one(first: Reads) -> Run {
        Run { first, warps: 1, step: 1 }
    }

    fn iter(self) -> impl Iterator<Item = Seen> {
        (0..self.warps).flat_map(move |number| {
            let first = self.first;
            crate::arith::lanes(first.mask).map(move |lane| first.seen(first.warp + number * self.step, lane))
        })
    }

    /// At the same time, from the same line, and as strongly.
    fn is_like(&self, other: &Reads) -> bool {
        let Reads { time, line, strength, .. } = self.first;
        (time, line, strength) == (other.time, other.line, other.strength)
    }

    /// Takes in `mine` if it is among these already, or of the one warp that there is.
    fn merge(&mut self, mine: &Reads) -> bool {
        if self.warps == 1 {
            return self.first.merge(mine);
        }
        let ahead = mine.warp.wrapping_sub(self.first.warp);
        self.is_like(mine)
            && ahead.is_multiple_of(self.step)
            && ahead / self.step < self.warps
            && mine.mask & !self.first.mask == 0
    }

    /// This run and one that goes on where it ends.
    fn with(self, next: &Run) -> Option<Run> {
        let last = self.first.warp + (self.warps - 1) * self.step;
        let step = next.first.warp.wrapping_sub(last);
        let goes_on = self.is_like(&next.first)
            && self.first.mask == next.first.mask
            && next.first.warp > last
            && (self.warps == 1 || self.step == step)
            && (next.warps == 1 || next.step == step);
        goes_on.then_some(Run { warps: self.warps + next.warps, step, ..self })
    }
}

/// A word or a byte, as far as it mostly goes: its last write, and the first of the reads since.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// The last weak write; the last strong one as long as there is no weak one.
    write: Option<Write>,
    read: Option<Reads>,
}

/// What a [`Cell`] does not hold.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// The last strong write since the weak one. It does not cover the weak one and the reads, since it may
    /// be in no conflict with what they race with.
    strong: Option<Write>,
    /// Further reads since the last weak write.
    reads: Vec<Run>,
}

impl Rest {
    fn is_empty(&self) -> bool {
        self.strong.is_none() && self.reads.is_empty()
    }
}

impl Cell {
    /// The last writes.
    #[inline]
    pub fn writes(&self, rest: &Rest) -> [Option<Seen>; 2] {
        [self.write, rest.strong].map(|write| write.map(|write| write.seen()))
    }

    /// What `find` finds first among the reads since the last weak write.
    #[inline]
    pub fn find_read<T>(&self, rest: &Rest, mut find: impl FnMut(Seen) -> Option<T>) -> Option<T> {
        // Mostly there is one: a loop of its own is faster than a chain of iterators.
        if let Some(first) = self.read {
            for lane in crate::arith::lanes(first.mask) {
                let found = find(first.seen(first.warp, lane));
                if found.is_some() {
                    return found;
                }
            }
        }
        rest.reads.iter().flat_map(|run| run.iter()).find_map(find)
    }

    /// A write takes place.
    #[inline]
    pub fn write(&mut self, rest: &mut Rest, seen: &Seen) {
        let write = Write::new(seen);
        if write.is_weak() {
            (self.write, self.read, *rest) = (Some(write), None, Rest::default());
        } else if self.write.is_some_and(|write| write.is_weak()) {
            rest.strong = Some(write);
        } else {
            self.write = Some(write);
        }
    }

    /// A read takes place. Those that it covers are forgotten, now or when room is needed: they are `before`
    /// it, and no weaker, so that a write that races with one of them races with it.
    #[inline]
    pub fn read(&mut self, rest: &mut Rest, seen: &Seen, before: impl Fn(Past) -> bool) {
        let mine = Reads::new(seen);
        let Some(first) = &mut self.read else {
            self.read = Some(mine);
            return;
        };
        if first.merge(&mine) {
            return;
        }
        if rest.reads.is_empty() && mine.covers(Run::one(*first), &before) {
            *first = mine;
        } else {
            add_run(&mut rest.reads, mine, before);
        }
    }
}

#[inline(never)]
fn add_run(runs: &mut Vec<Run>, mine: Reads, before: impl Fn(Past) -> bool) {
    if runs.iter_mut().rev().take(LOOK_BACK).any(|run| run.merge(&mine)) {
        return;
    }
    if runs.len() == runs.capacity() {
        runs.retain(|run| !mine.covers(*run, &before));
        join(runs);
        if runs.len() >= RUNS {
            runs.drain(..RUNS / 2);
        }
        // At least half of the room is free afterwards, so that a read costs the same however many there are.
        runs.reserve_exact(runs.len().max(2));
    }
    runs.push(Run::one(mine));
}

/// Puts runs together.
fn join(runs: &mut Vec<Run>) {
    // By time, so that the first race found stays the oldest.
    runs.sort_by_key(|Run { first, .. }| (first.time, first.strength, first.line, first.warp));
    runs.dedup_by(|next, run| next.warps == 1 && run.merge(&next.first));
    let mut kept = 0;
    for i in 1..runs.len() {
        // Two warps alone make no run: their distance may be chance.
        let run = runs[kept].with(&runs[i]);
        let run =
            run.filter(|run| run.warps > 2 || runs.get(i + 1).is_some_and(|next| run.with(next).is_some()));
        match run {
            Some(run) => runs[kept] = run,
            None => {
                kept += 1;
                runs[kept] = runs[i];
            }
        }
    }
    runs.truncate(kept + 1);
}

/// A word as it stands in its page, or a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Word {
    Plain(Cell),
    /// The number of its [`Rich`].
    Rich(u32),
}

const _: () = assert!(size_of::<Word>() == 28);

/// What a [`Word`] cannot hold.
#[derive(Debug)]
enum Rich {
    More(Box<(Cell, Rest)>),
    /// The bytes of a word differ, or did.
    Bytes(Box<[Word; WORD as usize]>),
    Free,
}

/// Rich words by their numbers.
#[derive(Debug, Default)]
struct Riches {
    all: Vec<Rich>,
    free: Vec<u32>,
}

impl Riches {
    fn keep(&mut self, rich: Rich) -> Word {
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(Rich::Free);
            self.all.len() as u32 - 1
        });
        self.all[number as usize] = rich;
        Word::Rich(number)
    }

    fn take(&mut self, number: u32) -> Rich {
        self.free.push(number);
        std::mem::replace(&mut self.all[number as usize], Rich::Free)
    }

    /// Calls `touch` for a word, all of it, or for a byte.
    #[inline(always)]
    fn touch<T>(
        &mut self,
        word: &mut Word,
        touch: &mut impl FnMut(&mut Cell, &mut Rest) -> Option<T>,
    ) -> Option<T> {
        let Word::Plain(cell) = word else { return self.touch_rich(word, touch) };
        let mut rest = Rest::default();
        let found = touch(cell, &mut rest);
        if !rest.is_empty() {
            *word = self.keep(Rich::More(Box::new((*cell, rest))));
        }
        found
    }

    #[inline(never)]
    fn touch_rich<T>(
        &mut self,
        word: &mut Word,
        touch: &mut impl FnMut(&mut Cell, &mut Rest) -> Option<T>,
    ) -> Option<T> {
        let Word::Rich(number) = *word else { return None };
        let Rich::More(more) = &mut self.all[number as usize] else { return None };
        let (cell, rest) = &mut **more;
        let found = touch(cell, rest);
        if rest.is_empty() {
            *word = Word::Plain(*cell);
            self.take(number);
        }
        found
    }

    /// The bytes of a word, by themselves.
    fn split(&mut self, word: Word) -> Box<[Word; WORD as usize]> {
        match word {
            Word::Plain(_) => Box::new([word; WORD as usize]),
            Word::Rich(number) => match self.take(number) {
                Rich::Bytes(bytes) => bytes,
                Rich::More(more) => Box::new(std::array::from_fn(|_| self.keep(Rich::More(more.clone())))),
                Rich::Free => Box::default(),
            },
        }
    }
}

impl Default for Word {
    fn default() -> Word {
        Word::Plain(Cell::default())
    }
}

/// The memory of one allocation, or the shared memory of one block.
#[derive(Debug, Default)]
pub struct Region {
    pages: Vec<Option<Box<[Word]>>>,
    riches: Riches,
}

impl Region {
    /// Calls `touch` for the cells of `bytes` bytes from `at` on, which lie in one word, with their rest.
    /// Gives the first that it returns.
    #[inline]
    pub fn touch<T>(
        &mut self,
        at: u64,
        bytes: u64,
        mut touch: impl FnMut(&mut Cell, &mut Rest) -> Option<T>,
    ) -> Option<T> {
        let number = (at / WORD) as usize;
        if self.pages.len() <= number / PAGE {
            self.pages.resize_with(number / PAGE + 1, || None);
        }
        let page =
            self.pages[number / PAGE].get_or_insert_with(|| vec![Word::default(); PAGE].into_boxed_slice());
        let word = &mut page[number % PAGE];
        let in_bytes = |number: u32| matches!(self.riches.all[number as usize], Rich::Bytes(_));
        match *word {
            Word::Plain(_) if bytes == WORD => self.riches.touch(word, &mut touch),
            Word::Rich(number) if bytes == WORD && !in_bytes(number) => self.riches.touch(word, &mut touch),
            _ => touch_bytes(word, &mut self.riches, (at % WORD) as usize, bytes as usize, touch),
        }
    }
}

#[inline(never)]
fn touch_bytes<T>(
    word: &mut Word,
    riches: &mut Riches,
    first: usize,
    bytes: usize,
    mut touch: impl FnMut(&mut Cell, &mut Rest) -> Option<T>,
) -> Option<T> {
    let mut all = riches.split(*word);
    let mut found = None;
    for byte in &mut all[first..first + bytes] {
        let this = riches.touch(byte, &mut touch);
        found = found.or(this);
    }
    let alike = matches!(all[0], Word::Plain(_)) && all.iter().all(|byte| *byte == all[0]);
    *word = if alike { all[0] } else { riches.keep(Rich::Bytes(all)) };
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(warp: u32, lane: u8, time: Time, strength: Strength) -> Seen {
        Seen { past: Past { warp, lane, time }, loc: 7, strength, atomic: false }
    }

    fn reads(cell: &Cell, rest: &Rest) -> Vec<Seen> {
        let mut all = Vec::new();
        cell.find_read(rest, |seen| {
            all.push(seen);
            None::<()>
        });
        all
    }

    /// What is written and read comes back, from every kind of access.
    #[test]
    fn records_hold_what_they_are_given() {
        for (strength, atomic) in MANNERS {
            let past = Past { warp: u32::MAX - 1, lane: 31, time: u32::MAX };
            let write = Write::new(&Seen { past, loc: 0xab_cdef, strength, atomic }).seen();
            assert_eq!((write.past, write.loc), (past, 0xab_cdef));
            assert_eq!((write.strength, write.atomic), (strength, atomic));
        }
        assert_eq!(Line::new(u32::MAX).loc(), 0xff_ffff);
    }

    /// Random accesses to 16 bytes, by threads of three blocks that have barriers, against lists that forget
    /// nothing.
    #[test]
    fn no_race_is_forgotten() {
        #[derive(Default, Clone)]
        struct Byte {
            weak: Option<Past>,
            strong: Option<Past>,
            reads: Vec<(Past, Strength)>,
        }
        let mut random = 1u64;
        let mut below = |limit: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 33) % limit
        };
        let gpu = Strength::Strong(Scope::Gpu);
        let (mut region, mut model) = (Region::default(), vec![Byte::default(); 16]);
        let (mut now, mut barriers, mut races) = (1, [0; 3], [0; 2]);
        for step in 0..200_000 {
            if below(20) == 0 {
                now += 1;
                barriers[below(3) as usize] = now;
            }
            let me = Past { warp: below(6) as u32, lane: below(4) as u8, time: now };
            let (writes, strength) = (below(4) == 0, if below(3) == 0 { gpu } else { Strength::Weak });
            let bytes = 1 << below(3);
            let at = below(16 / bytes) * bytes;
            let before = |past: Past| {
                (past.warp, past.lane) == (me.warp, me.lane)
                    || past.warp / 2 == me.warp / 2 && past.time < barriers[me.warp as usize / 2]
            };
            let races_with = |past: Past, other: Strength| !before(past) && (strength, other) != (gpu, gpu);
            let found = region.touch(at, bytes, |cell, rest| {
                let mine = seen(me.warp, me.lane, me.time, strength);
                let races = |earlier: &Seen| races_with(earlier.past, earlier.strength);
                let race = cell.writes(rest).into_iter().flatten().any(|e| races(&e))
                    || writes && cell.find_read(rest, |e| races(&e).then_some(())).is_some();
                if writes {
                    cell.write(rest, &mine)
                } else {
                    cell.read(rest, &mine, before)
                }
                race.then_some(())
            });
            let mut expected = false;
            for byte in &mut model[at as usize..(at + bytes) as usize] {
                expected |= byte.weak.is_some_and(|past| races_with(past, Strength::Weak));
                expected |= byte.strong.is_some_and(|past| races_with(past, gpu));
                expected |= writes && byte.reads.iter().any(|read| races_with(read.0, read.1));
                match (writes, strength) {
                    (true, Strength::Weak) => *byte = Byte { weak: Some(me), ..Byte::default() },
                    (true, _) => byte.strong = Some(me),
                    _ => byte.reads.push((me, strength)),
                }
            }
            assert_eq!(found.is_some(), expected, "step {step}");
            races[expected as usize] += 1;
        }
        assert!(races[0] > 10_000 && races[1] > 10_000, "both happen: {races:?}");
        assert!(region.riches.all.len() <= 4 + 16, "what is not needed any more is used again");
    }

    #[test]
    fn the_same_read_by_many_warps_is_few_runs() {
        let (mut cell, mut rest) = (Cell::default(), Rest::default());
        for warp in 0..100_000 {
            for lane in 0..32 {
                cell.read(&mut rest, &seen(warp, lane, 1, Strength::Weak), |past| {
                    past.warp == warp && past.lane == lane
                });
            }
        }
        assert_eq!(reads(&cell, &rest).len(), 32 * 100_000);
        assert!(rest.reads.capacity() <= 8, "{}", rest.reads.capacity());

        // One warp of each block, twice; a hundred blocks are under way at a time.
        let (mut cell, mut rest) = (Cell::default(), Rest::default());
        for block in 0..20_000 {
            let warp = 3 + 8 * (block / 100 * 100 % 10_000 + block * 37 % 100);
            cell.read(&mut rest, &seen(warp, 0, 1, Strength::Weak), |past| past.warp == warp);
        }
        let mut warps: Vec<_> = reads(&cell, &rest).iter().map(|seen| seen.past.warp).collect();
        warps.sort();
        warps.dedup();
        assert_eq!(warps.len(), 10_000);
        assert!(rest.reads.capacity() < 1000, "{}", rest.reads.capacity());
    }
}
