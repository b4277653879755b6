//! What an operation of a stream reads and writes. Two operations that nothing orders must not touch the same
//! bytes, unless both read, or both are atomic.

use std::ops::Range;

use ptx_simulator::observe::{Act, Actor, Event, Observer, Request};
use ptx_simulator::{Module, Space, number_and_offset};
use rustc_hash::FxHashMap;

/// Bytes that share a bit.
const GRAIN: u64 = 4;

/// How an operation touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    Reads,
    Writes,
    Atomic,
}

impl Way {
    const ALL: [Way; 3] = [Way::Reads, Way::Writes, Way::Atomic];

    /// Whether it and `other` may touch the same without an order.
    fn agrees_with(self, other: Way) -> bool {
        self == other && self != Way::Writes
    }

    pub fn verb(self) -> &'static str {
        match self {
            Way::Reads => "reads",
            Way::Writes => "writes",
            Way::Atomic => "changes by atomics",
        }
    }
}

/// A set of words of one allocation, with the line and the bytes of the first access.
#[derive(Clone, Debug, Default)]
pub struct Words {
    bits: Vec<u64>,
    loc: Option<u32>,
    width: u64,
}

impl Words {
    /// The first of its 64 words together of which some are in `other` too.
    fn shared(&self, other: &Words) -> Option<usize> {
        self.bits.iter().zip(&other.bits).position(|(one, other)| one & other != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Whether both have a word.
    pub fn meets(&self, other: &Words) -> bool {
        self.shared(other).is_some()
    }

    /// All that is in `other` too.
    pub fn join(&mut self, other: &Words) {
        if self.bits.is_empty() {
            (self.loc, self.width) = (other.loc, other.width);
        }
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine |= theirs;
        }
    }

    /// How many bytes it has that are not in `other`, and where the first is; `None`: all are.
    pub fn without(&self, other: &Words) -> Option<(u64, u64)> {
        let theirs = other.bits.iter().copied().chain(std::iter::repeat(0));
        let rest = || self.bits.iter().zip(theirs.clone()).map(|(mine, theirs)| mine & !theirs);
        let (at, first) = rest().enumerate().find(|(_, bits)| *bits != 0)?;
        let count: u64 = rest().map(|bits| u64::from(bits.count_ones())).sum();
        Some((count * GRAIN, (at as u64 * 64 + u64::from(first.trailing_zeros())) * GRAIN))
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.bits.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>() * GRAIN
    }

    /// The line of the first access, if it is a kernel's, and the bytes of that access.
    pub fn loc(&self) -> Option<u32> {
        self.loc
    }

    pub fn width(&self) -> u64 {
        self.width
    }

    /// How many elements it has, each as wide as the first access; none if these share words.
    pub fn elements(&self) -> Option<u64> {
        (self.width >= GRAIN).then(|| self.bytes() / self.width)
    }
}

/// What an operation touches, by the numbers of the allocations.
#[derive(Debug, Default)]
pub struct Touched {
    words: FxHashMap<(u64, Way), Words>,
}

/// Where two operations meet: an address, and how each of them touches it, with its line if it is a kernel's.
#[derive(Debug)]
pub struct Meeting {
    pub address: u64,
    pub ways: [Way; 2],
    pub locs: [Option<u32>; 2],
}

impl Touched {
    /// A range of bytes is touched.
    pub fn add(&mut self, address: u64, bytes: u64, way: Way, loc: Option<u32>) {
        self.add_run(address..address + bytes, bytes, way, loc);
    }

    /// What lanes of a warp touch by one instruction. Those that follow each other are one range.
    fn add_lanes(&mut self, mask: u32, request: &Request, way: Way, loc: u32) {
        let bytes = u64::from(request.bytes);
        let mut run = 0..0;
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let address = request.addresses[lane];
            let is_inside = run.start <= address && address + bytes <= run.end;
            match address {
                _ if is_inside => {}
                address if address == run.end => run.end += bytes,
                address => {
                    self.add_run(run, bytes, way, Some(loc));
                    run = address..address + bytes;
                }
            }
        }
        self.add_run(run, bytes, way, Some(loc));
    }

    /// Elements of so many bytes that follow each other are touched.
    fn add_run(&mut self, run: Range<u64>, element: u64, way: Way, loc: Option<u32>) {
        if run.is_empty() {
            return;
        }
        let (number, offset) = number_and_offset(run.start);
        let bytes = run.end - run.start;
        let words = self.words.entry((number, way)).or_default();
        words.loc = words.loc.or(loc);
        words.width = if words.bits.is_empty() { element } else { words.width };
        let first = offset / GRAIN;
        let last = (offset + bytes - 1) / GRAIN;
        let end = (last / 64 + 1) as usize;
        if words.bits.len() < end {
            words.bits.resize(end, 0);
        }
        for word in first / 64..=last / 64 {
            let from = first.max(64 * word) % 64;
            let to = last.min(64 * word + 63) % 64;
            words.bits[word as usize] |= u64::MAX << from & u64::MAX >> (63 - to);
        }
    }

    /// What was touched in this way of an allocation, by its number.
    pub fn of(&self, number: u64, way: Way) -> Option<&Words> {
        self.words.get(&(number, way))
    }

    /// What was touched in this way of each allocation, in the order of their numbers.
    pub fn all(&self, way: Way) -> Vec<(u64, &Words)> {
        let of_way = self.words.iter().filter(|((_, known), _)| *known == way);
        let mut all: Vec<_> = of_way.map(|((number, _), words)| (*number, words)).collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }

    /// The first place where this and `other` need an order.
    pub fn meets(&self, other: &Touched) -> Option<Meeting> {
        let mut first: Option<Meeting> = None;
        for ((number, way), mine) in &self.words {
            for theirs_way in Way::ALL.into_iter().filter(|other| !way.agrees_with(*other)) {
                let Some(theirs) = other.words.get(&(*number, theirs_way)) else { continue };
                let Some(word) = mine.shared(theirs) else { continue };
                let bit = (mine.bits[word] & theirs.bits[word]).trailing_zeros() as u64;
                let address = ptx_simulator::address_of(*number, (word as u64 * 64 + bit) * GRAIN);
                if first.as_ref().is_none_or(|known| address < known.address) {
                    let ways = [*way, theirs_way];
                    first = Some(Meeting { address, ways, locs: [mine.loc, theirs.loc] });
                }
            }
        }
        first
    }
}

/// Hears what a kernel touches in global memory, all of it and early.
#[derive(Debug, Default)]
pub struct Listener {
    pub touched: Touched,
    /// What threads touch that have not waited for the kernel in front of theirs.
    pub early: Option<Touched>,
    /// Lanes that have waited, by their blocks and warps; no warp: the whole block.
    waited: FxHashMap<(u64, Option<u32>), u32>,
    /// How many accesses are still listened to.
    left: u64,
}

impl Listener {
    /// Of a kernel that may begin before the one in front of it has ended, or of another one; for `most`
    /// accesses of its warps.
    pub fn new(overlaps: bool, most: u64) -> Listener {
        Listener { early: overlaps.then(Touched::default), left: most, ..Listener::default() }
    }

    /// How many more accesses it would have listened to; 0: it may have missed some.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Another access: whether it is still listened to.
    fn takes_another(&mut self) -> bool {
        let takes = self.left > 0;
        self.left = self.left.saturating_sub(1);
        takes
    }

    /// Lanes of a warp that have waited, or met a thread that has at a barrier of the block.
    fn waited(&self, block: u64, warp: u32) -> u32 {
        let of = |warp: Option<u32>| self.waited.get(&(block, warp)).copied().unwrap_or(0);
        of(Some(warp)) | of(None)
    }

    fn accesses(&mut self, actor: &Actor, request: &Request) {
        let way = match request.access {
            access if access.is_atomic() => Way::Atomic,
            access if access.writes() => Way::Writes,
            _ => Way::Reads,
        };
        self.touched.add_lanes(request.mask, request, way, actor.loc);
        // Of the grids that a thread launches, the first instructions are not its first.
        let waited = if actor.grid == 0 { self.waited(actor.block, actor.warp) } else { u32::MAX };
        if let Some(early) = &mut self.early {
            early.add_lanes(request.mask & !waited, request, way, actor.loc);
        }
    }
}

impl Observer for Listener {
    fn event(&mut self, event: &Event) {
        match event {
            Event::By(actor, Act::Access(request))
                if request.space == Space::Global && self.takes_another() =>
            {
                self.accesses(actor, request);
            }
            Event::By(actor, Act::CopyStarts(copy)) => {
                for lane in (0..32).filter(|lane| copy.mask >> lane & 1 == 1) {
                    self.touched.add(copy.from[lane], copy.given[lane], Way::Reads, Some(actor.loc));
                }
            }
            Event::By(actor, Act::GridWait(mask)) => {
                *self.waited.entry((actor.block, Some(actor.warp))).or_default() |= mask;
            }
            Event::By(actor, Act::WarpBarrier(mask)) if self.waited(actor.block, actor.warp) & mask != 0 => {
                *self.waited.entry((actor.block, Some(actor.warp))).or_default() |= mask;
            }
            Event::BarrierOpens { grid: 0, block, .. }
                if self.waited.keys().any(|(waited, _)| waited == block) =>
            {
                self.waited.insert((*block, None), u32::MAX);
            }
            _ => {}
        }
    }
}

/// The line of an access of a kernel.
pub fn line(module: &Module, loc: Option<u32>) -> Option<(String, u32)> {
    let (file, line) = module.source_line(loc?)?;
    Some((file.to_string(), line))
}
