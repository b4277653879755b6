//! Global memory and its allocations.
//!
//! Every allocation has 64 GiB of addresses to itself: the number of the allocation stands in bits 36 to 55.
//! An index that runs over the end of a buffer therefore never lands in its neighbour, which on a GPU hides
//! such mistakes, and numbers are never used again, so a pointer to freed memory is recognised too.

use std::hash::BuildHasher;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::UNWRITTEN;
use super::spaces::{index, span};
use super::written::Written;
use crate::device::DEFAULT_MEMORY;
use crate::diagnostic::Region;

const OFFSET_BITS: u32 = 36;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// Most allocations a simulator can make.
const MAX_ALLOCATIONS: usize = 1 << 20;
/// Bytes that device code can have by `malloc` (`cudaLimitMallocHeapSize`, unless it is set).
const HEAP_BYTES: u64 = 8 << 20;

/// Why an access to global memory is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No allocation was ever made there.
    NoAllocation,
    /// The allocation has been given back.
    Freed,
    /// `offset` bytes into an allocation of `bytes` bytes (negative: in front of it), by its number.
    Outside { number: u64, offset: i64, bytes: u64 },
}

#[derive(Clone, Debug)]
struct Allocation {
    bytes: Vec<u8>,
    /// Which bytes have been written; `None` if all count as written.
    written: Option<Written>,
    live: bool,
    /// What it is, for messages: a module variable's name, or nothing.
    name: String,
}

/// All allocations of a simulated device.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    allocations: Vec<Allocation>,
    /// Bytes of all allocations.
    pub live_bytes: u64,
    /// Bytes that launches by device code take until they have ended.
    pub launch_bytes: u64,
    /// The most that these two, and what the checks remember, may have together.
    pub most_bytes: u64,
    /// The allocations that are arguments: their numbers, and those of the arguments.
    called: Vec<(u64, usize)>,
    /// What device code has asked `malloc` for and not freed: addresses and bytes.
    heap: FxHashMap<u64, u64>,
    heap_bytes: u64,
}

impl Memory {
    pub fn new() -> Memory {
        Memory { most_bytes: DEFAULT_MEMORY, ..Memory::default() }
    }

    /// Bytes that may still be had.
    pub fn room(&self) -> u64 {
        self.most_bytes.saturating_sub(self.live_bytes + self.launch_bytes)
    }

    /// A new allocation; its bytes are [`UNWRITTEN`].
    pub fn alloc(&mut self, bytes: u64, name: &str) -> Option<u64> {
        if self.allocations.len() >= MAX_ALLOCATIONS || bytes > self.room() {
            return None;
        }
        let mut content = Vec::new();
        let length = usize::try_from(bytes).ok()?;
        content.try_reserve_exact(length).ok()?;
        content.resize(length, UNWRITTEN);
        self.live_bytes += bytes;
        let written = Some(Written::default());
        let name = name.to_string();
        self.allocations.push(Allocation { bytes: content, written, live: true, name });
        Some((self.allocations.len() as u64) << OFFSET_BITS)
    }

    pub fn free(&mut self, address: u64) {
        self.take(address);
    }

    /// Gives an allocation back. What it held, and which bytes of that have been written; `None` if all have.
    pub fn take(&mut self, address: u64) -> (Vec<u8>, Option<Written>) {
        let is_start = address & OFFSET_MASK == 0;
        let Some(allocation) = self.allocations.get_mut(place(address)).filter(|_| is_start) else {
            return Default::default();
        };
        allocation.live = false;
        self.live_bytes -= allocation.bytes.len() as u64;
        (std::mem::take(&mut allocation.bytes), allocation.written.replace(Written::default()))
    }

    /// `malloc` on the device: `None` if the heap, or the device, is full.
    pub fn heap_alloc(&mut self, bytes: u64) -> Option<u64> {
        if bytes == 0 || bytes > HEAP_BYTES - self.heap_bytes {
            return None;
        }
        let address = self.alloc(bytes, "")?;
        self.heap.insert(address, bytes);
        self.heap_bytes += bytes;
        Some(address)
    }

    /// `free` on the device; whether `malloc` has given this address, and nobody has freed it since.
    pub fn heap_free(&mut self, address: u64) -> bool {
        let Some(bytes) = self.heap.remove(&address) else { return false };
        self.heap_bytes -= bytes;
        self.free(address);
        true
    }

    /// Bytes of an allocation have been written.
    #[inline]
    pub fn define(&mut self, address: u64, bytes: usize) {
        let place = place(address);
        let offset = index(address & OFFSET_MASK);
        let Some(allocation) = self.allocations.get_mut(place) else { return };
        if bytes == allocation.bytes.len() {
            allocation.written = None;
        } else if let Some(written) = &mut allocation.written {
            written.set(offset, bytes, true);
        }
    }

    /// [`Memory::define`] of the last bytes of an allocation whose others may all have been written before.
    pub fn define_end(&mut self, address: u64, bytes: usize) {
        self.define(address, bytes);
        let Some(allocation) = self.allocations.get_mut(place(address)) else { return };
        let end = index(address & OFFSET_MASK) + bytes;
        let len = allocation.bytes.len();
        if end == len && allocation.written.as_ref().is_some_and(|written| written.all(0, len)) {
            allocation.written = None;
        }
    }

    /// From now on every byte counts as written: a kernel has run without being watched.
    pub fn define_all(&mut self) {
        for allocation in &mut self.allocations {
            allocation.written = None;
        }
    }

    /// Which bytes of the allocation of an address have been written, and the offset of the address there;
    /// `None` if all have.
    #[inline]
    pub fn written(&self, address: u64) -> Option<(&Written, usize)> {
        let allocation = self.allocations.get(place(address))?;
        Some((allocation.written.as_ref()?, index(address & OFFSET_MASK)))
    }

    /// Says which arguments of the next launch point to allocations, by the addresses of their first bytes.
    pub fn call(&mut self, arguments: impl Iterator<Item = (u64, usize)>) {
        self.called = arguments.map(|(address, argument)| (address >> OFFSET_BITS, argument)).collect();
    }

    /// What an allocation is for a launch, by its number.
    pub fn name(&self, number: u64) -> Region {
        let allocation = self.allocations.get(index(number).wrapping_sub(1));
        if let Some(variable) = allocation.map(|allocation| &allocation.name).filter(|name| !name.is_empty())
        {
            return Region::Variable(variable.clone());
        }
        match self.called.iter().find(|(called, _)| *called == number) {
            Some((_, argument)) => Region::Argument(*argument),
            None => Region::Buffer,
        }
    }

    /// All allocations that are something for a launch, by their numbers.
    pub fn names(&self) -> Vec<(u64, Region)> {
        let all = (1..=self.allocations.len() as u64).map(|number| (number, self.name(number)));
        all.filter(|(_, region)| *region != Region::Buffer).collect()
    }

    /// Where the allocation that an address lies in starts, and what it holds.
    #[inline]
    pub fn around(&self, address: u64) -> (u64, &[u8]) {
        let allocation = self.allocations.get(place(address));
        (address & !OFFSET_MASK, allocation.map_or(&[], |allocation| &allocation.bytes))
    }

    /// The first of some addresses (of all: `None`) at which another memory, which began with the same
    /// allocations, holds something else, in words of `bytes` bytes; with what both hold.
    pub fn first_difference(
        &self,
        other: &Memory,
        bytes: usize,
        among: Option<Range<u64>>,
    ) -> Option<(u64, [u64; 2])> {
        let is_compared = |address: &u64| among.as_ref().is_none_or(|among| among.contains(address));
        for (number, (mine, theirs)) in (1..).zip(self.allocations.iter().zip(&other.allocations)) {
            if !mine.live || !theirs.live || mine.bytes == theirs.bytes {
                continue;
            }
            let words = mine.bytes.chunks(bytes).zip(theirs.bytes.chunks(bytes));
            let words = (0..).map(|at: u64| (number << OFFSET_BITS) + at * bytes as u64).zip(words);
            let mut differing = words.filter(|(address, (one, other))| one != other && is_compared(address));
            if let Some((address, (one, other))) = differing.next() {
                return Some((address, [super::read(one), super::read(other)]));
            }
        }
        None
    }

    /// A hash of all that it holds.
    pub fn hash(&self) -> u64 {
        let live = self.allocations.iter().filter(|allocation| allocation.live);
        FxBuildHasher.hash_one(live.map(|allocation| &allocation.bytes).collect::<Vec<_>>())
    }

    #[inline]
    pub fn slice(&self, address: u64, bytes: usize) -> Result<&[u8], Wrong> {
        self.allocations
            .get(place(address))
            .and_then(|allocation| allocation.bytes.get(span(address & OFFSET_MASK, bytes)))
            .ok_or_else(|| self.wrong(address))
    }

    #[inline]
    pub fn slice_mut(&mut self, address: u64, bytes: usize) -> Result<&mut [u8], Wrong> {
        let place = place(address);
        let span = span(address & OFFSET_MASK, bytes);
        let fits = self.allocations.get(place).is_some_and(|allocation| span.end <= allocation.bytes.len());
        if !fits {
            return Err(self.wrong(address));
        }
        Ok(&mut self.allocations[place].bytes[span])
    }

    #[cold]
    fn wrong(&self, address: u64) -> Wrong {
        // A small negative index borrows from the allocation's number: an address near the end of one
        // allocation's 64 GiB is meant for the next one, `allocations[number]`, since numbers begin with 1.
        let number = index(address >> OFFSET_BITS);
        let offset = (address & OFFSET_MASK) as i64;
        if offset >= 1 << (OFFSET_BITS - 1)
            && let Some(next) = self.allocations.get(number)
            && next.live
        {
            let offset = offset - (1 << OFFSET_BITS);
            return Wrong::Outside { number: number as u64 + 1, offset, bytes: next.bytes.len() as u64 };
        }
        match number.checked_sub(1).and_then(|i| self.allocations.get(i)) {
            None => Wrong::NoAllocation,
            Some(allocation) if !allocation.live => Wrong::Freed,
            Some(allocation) => {
                Wrong::Outside { number: number as u64, offset, bytes: allocation.bytes.len() as u64 }
            }
        }
    }
}

/// Where the allocation of an address stands among all.
#[inline]
fn place(address: u64) -> usize {
    index(address >> OFFSET_BITS).wrapping_sub(1)
}

/// The allocation that an address lies in, and the byte in it.
#[inline]
pub fn number_and_offset(address: u64) -> (u64, u64) {
    (address >> OFFSET_BITS, address & OFFSET_MASK)
}
