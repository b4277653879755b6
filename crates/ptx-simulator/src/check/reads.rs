//! Only what is used of a racing read counts.
//!
//! A compiler reads ahead of an `if` and discards the value where the condition is false; lanes read what
//! they exchange and half of them do not need. Such a read is in a race by the letter, and no result can
//! show it. So the execution follows the values of racing reads as it follows undefined ones
//! (`exec/undefined.rs`), and a race is told when one of them decides something, is part of an address, is
//! stored to global memory or is an operand of an atomic. What is never used is dropped.
//!
//! A read is followed if it races with a write that has happened: then the value carries a number. Where the
//! write comes later, the read must have had a number before: those have one whose values may be discarded
//! (`decode/uses.rs`). All others count as used.
//!
//! A value may be the first guess of a loop that swaps (CUDA C++ Programming Guide, "Atomic Functions"): a
//! compare-and-swap of the same word compares it with what is there, and nothing else uses it. That gets a
//! note, as long as the other side is an atomic.

use rustc_hash::FxHashMap;

use super::conflict::{Later, Race, place_of};
use super::order::BlockId;
use crate::arith::{Lanes, lanes};
use crate::observe::{Actor, Given, Request};
use crate::ptx::Space;

/// Reads of one launch that are followed though they have not raced yet. Later ones count as used.
const MAX_AHEAD: usize = 1 << 16;
/// Races that are kept of such a read.
const MAX_RACES: usize = 32;

/// A race that waits for its read to be used.
#[derive(Debug)]
pub struct Pending {
    pub later: Later,
    pub race: Race,
    /// Where another block has last written what the later thread's block has seen.
    pub flag: Option<u32>,
    /// Whether the value has been the guess of a swap, and no more.
    pub is_guess: bool,
    /// The lanes whose use counts.
    lanes: u32,
}

/// A read that is followed, by lanes of a warp.
#[derive(Debug)]
struct Read {
    /// Whether it had not raced when it was made.
    is_ahead: bool,
    space: Space,
    place: BlockId,
    /// What its lanes have read, as long as they are there.
    addresses: Option<Box<Lanes>>,
    used: u32,
    guessed: u32,
    races: Vec<Pending>,
}

/// Reads of a warp that race with the same line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Alike {
    block: BlockId,
    warp: u32,
    loc: u32,
    other_loc: u32,
    other_reads: bool,
    part: usize,
}

#[derive(Debug, Default)]
pub struct Reads {
    reads: FxHashMap<u32, Read>,
    last: u32,
    ahead: usize,
    alike: FxHashMap<Alike, u32>,
    of_blocks: FxHashMap<BlockId, Vec<u32>>,
    /// What the values of the last load carry.
    given: Vec<Given>,
}

impl Reads {
    /// Bytes that all this takes, about.
    pub fn bytes(&self) -> usize {
        self.reads.len() * size_of::<(u32, Read)>() + self.of_blocks.len() * size_of::<Lanes>()
    }

    fn number(&mut self, actor: Actor, request: &Request, is_ahead: bool) -> u32 {
        self.last += 1;
        let block = (actor.grid, actor.block);
        let read = Read {
            is_ahead,
            space: request.space,
            place: place_of(actor, request),
            addresses: Some(Box::new(*request.addresses)),
            used: 0,
            guessed: 0,
            races: Vec::new(),
        };
        self.reads.insert(self.last, read);
        self.of_blocks.entry(block).or_default().push(self.last);
        self.last
    }

    /// The number of a read whose value may be discarded; 0: it counts as used.
    pub fn ahead(&mut self, actor: Actor, request: &Request) -> u32 {
        if self.ahead >= MAX_AHEAD {
            return 0;
        }
        self.ahead += 1;
        let number = self.number(actor, request, true);
        self.given.push(Given { read: number, part: None, lanes: request.mask });
        number
    }

    /// A read races with a write before it.
    pub fn races(&mut self, actor: Actor, request: &Request, race: Race, flag: Option<u32>) {
        let alike = Alike {
            block: (actor.grid, actor.block),
            warp: actor.warp,
            loc: actor.loc,
            other_loc: race.earlier_loc,
            other_reads: race.earlier_access.is_atomic(),
            part: race.part,
        };
        let number = match self.alike.get(&alike) {
            Some(number) => *number,
            None => {
                let number = self.number(actor, request, false);
                self.alike.insert(alike, number);
                number
            }
        };
        self.given.push(Given { read: number, part: Some(race.part), lanes: race.lanes });
        let Some(read) = self.reads.get_mut(&number) else { return };
        let later = Later::new(actor, request, race.lane);
        read.addresses = Some(Box::new(*request.addresses));
        // Lanes may still hold what an earlier one has given.
        let lanes = read.races.iter().fold(race.lanes, |lanes, earlier| lanes | earlier.lanes);
        read.races = vec![Pending { later, race, flag, is_guess: false, lanes }];
    }

    /// A write races with a read before it that has a number; the race, if that has been used.
    pub fn overtaken(&mut self, later: Later, race: Race, flag: Option<u32>) -> Option<Pending> {
        let lane = 1 << race.earlier.lane;
        let pending = Pending { later, race, flag, is_guess: false, lanes: lane };
        let Some(read) = self.reads.get_mut(&race.read) else { return Some(pending) };
        if read.used & lane != 0 {
            return Some(pending);
        }
        if read.addresses.is_none() {
            // Nobody can use it any more.
            let is_guess = read.guessed & lane != 0;
            return is_guess.then(|| as_guess(pending));
        }
        if read.races.len() < MAX_RACES {
            read.races.push(pending);
        }
        None
    }

    /// What the values of the last load carry.
    pub fn take_given(&mut self) -> Vec<Given> {
        std::mem::take(&mut self.given)
    }

    /// Lanes use what these reads have given: the races that this shows.
    pub fn used(&mut self, numbers: &[u32], mask: u32) -> Vec<Pending> {
        let mut shown = Vec::new();
        for number in numbers {
            let Some(read) = self.reads.get_mut(number) else { continue };
            read.used |= mask;
            shown.extend(read.races.extract_if(.., |race| race.lanes & mask != 0));
        }
        shown
    }

    /// Whether a lane has used what a read has given; what is not followed counts as used.
    pub fn is_used(&self, number: u32, lane: u8) -> bool {
        self.reads.get(&number).is_none_or(|read| read.used >> lane & 1 == 1)
    }

    /// Lanes hand on what these reads have given to other lanes or threads, whose use of it counts as theirs.
    /// Those that have not raced yet: for them that is a use itself.
    pub fn handed_on(&mut self, numbers: &[u32], mask: u32) -> Vec<u32> {
        let mut not_raced = Vec::new();
        for number in numbers {
            let Some(read) = self.reads.get_mut(number) else { continue };
            if read.is_ahead {
                not_raced.push(*number);
                continue;
            }
            for race in read.races.iter_mut().filter(|race| race.lanes & mask != 0) {
                race.lanes = u32::MAX;
            }
        }
        not_raced
    }

    /// Lanes compare what they have read with what is there, by a compare-and-swap: the lanes for which it is
    /// the same word.
    pub fn guesses(&mut self, actor: Actor, numbers: &[u32], request: &Request) -> u32 {
        let place = place_of(actor, request);
        let mut same = request.mask;
        for number in numbers {
            let Some(read) = self.reads.get_mut(number) else { continue };
            let is_there = (read.space, read.place) == (request.space, place)
                || read.space == request.space && request.space == Space::Global;
            let Some(addresses) = read.addresses.as_ref().filter(|_| is_there) else { return 0 };
            for lane in lanes(request.mask) {
                if addresses[lane] != request.addresses[lane] {
                    same &= !(1 << lane);
                }
            }
        }
        for number in numbers {
            if let Some(read) = self.reads.get_mut(number) {
                read.guessed |= same;
            }
        }
        same
    }

    /// A block has ended, and what its threads have not used they never will: what is left are guesses.
    pub fn block_end(&mut self, id: BlockId) -> Vec<Pending> {
        let mut guesses = Vec::new();
        for number in self.of_blocks.remove(&id).unwrap_or_default() {
            let Some(read) = self.reads.get_mut(&number) else { continue };
            let guessed = read.guessed;
            let races = std::mem::take(&mut read.races);
            guesses.extend(races.into_iter().filter(|race| race.lanes & guessed != 0).map(as_guess));
            read.addresses = None;
            if !read.is_ahead {
                self.reads.remove(&number);
            }
        }
        self.alike.retain(|alike, _| alike.block != id);
        guesses
    }
}

fn as_guess(pending: Pending) -> Pending {
    let is_guess = pending.race.earlier_access.is_atomic() || pending.later.access.is_atomic();
    Pending { is_guess, ..pending }
}
