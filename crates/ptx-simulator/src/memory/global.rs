//! Global memory and its allocations.
//!
//! Every allocation has 64 GiB of addresses to itself: the number of the allocation stands in bits 36 to 55.
//! An index that runs over the end of a buffer therefore never lands in its neighbour, which on a GPU hides
//! such mistakes, and numbers are never used again, so a pointer to freed memory is recognised too.

mod compared;

use rustc_hash::FxHashMap;

use super::UNWRITTEN;
use super::spaces::{index, span};
use super::written::Written;
use crate::device::DEFAULT_MEMORY;
use crate::what::Region;

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
    /// Memory of the other side: of the host for a kernel, of the device for the host.
    OtherSide {
        /// The allocation.
        number: u64,
        /// Whose it is.
        owner: Owner,
        /// Where in it.
        offset: i64,
    },
    /// The allocation has been given back.
    Freed,
    /// `offset` bytes into an allocation of `bytes` bytes (negative: in front of it), by its number.
    Outside {
        /// The allocation.
        number: u64,
        /// Where in it, or beside it.
        offset: i64,
        /// Bytes that it has.
        bytes: u64,
    },
}

/// Who has freed memory in device code.
#[derive(Clone, Copy, Debug)]
pub struct Freed {
    /// Number of the grid in its launch.
    pub grid: u32,
    /// Index into the program's line table.
    pub loc: u32,
}

/// Whose memory an allocation is: who reaches it decides that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Device memory, `__device__` and `__constant__` variables: kernels alone reach it.
    #[default]
    Device,
    /// `cudaMallocManaged`, `__managed__`: both reach it.
    Managed,
    /// Page-locked memory of the host, which kernels reach too.
    Pinned,
    /// What `malloc` and `new` give the host.
    Heap,
    /// The host's variables in functions.
    Stack,
    /// The host's other variables.
    Static,
    /// Constants of the compiler, such as texts: each side has its own, which are the same.
    Constant,
}

impl Owner {
    /// Whether the host's code reaches it.
    #[inline(always)]
    pub fn is_reached_by_host(self) -> bool {
        self != Owner::Device
    }

    /// Whether kernels reach it.
    #[inline(always)]
    pub fn is_reached_by_kernels(self) -> bool {
        !matches!(self, Owner::Heap | Owner::Stack | Owner::Static)
    }
}

#[derive(Clone, Debug)]
struct Allocation {
    bytes: Vec<u8>,
    owner: Owner,
    /// Which bytes have been written; `None` if all count as written.
    written: Option<Written>,
    live: bool,
    /// What it is, for messages: a module variable's name, or nothing.
    name: String,
}

impl Allocation {
    /// Which bytes have been written, kept one by one from now on.
    fn bits(&mut self) -> &mut Written {
        let bytes = self.bytes.len();
        self.written.get_or_insert_with(|| {
            let mut all = Written::default();
            all.set(0, bytes, true);
            all
        })
    }

    /// Of `bytes` bytes, those whose bit is set in `lost` are undefined, and the others written.
    #[cold]
    fn lose(&mut self, offset: usize, bytes: usize, lost: u8) {
        let bits = self.bits();
        for byte in 0..bytes {
            bits.set(offset + byte, 1, lost >> byte & 1 == 0);
        }
    }
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
    /// What the launch has freed in device code, by the numbers of allocations.
    freed: FxHashMap<u64, Freed>,
    /// What device code has asked `malloc` for and not freed: addresses and bytes.
    heap: FxHashMap<u64, u64>,
    heap_bytes: u64,
    /// Whether accesses of the host are noted to memory that kernels reach too, and those that were.
    pub noting: bool,
    pub notes: Vec<Note>,
}

/// An access of the host, noted while launches are pending.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Whether it writes.
    pub writes: bool,
    /// Its line, as the program's line table has it.
    pub loc: u32,
}

/// Accesses of the host that are noted, at most.
const MAX_NOTES: usize = 1 << 20;

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
        self.alloc_for(Owner::Device, bytes, name)
    }

    /// [`Memory::alloc`] of whosever memory.
    pub fn alloc_for(&mut self, owner: Owner, bytes: u64, name: &str) -> Option<u64> {
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
        self.allocations.push(Allocation { bytes: content, owner, written, live: true, name });
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
    pub fn heap_free(&mut self, address: u64, by: Freed) -> bool {
        let Some(bytes) = self.heap.remove(&address) else { return false };
        self.freed.insert(address >> OFFSET_BITS, by);
        self.heap_bytes -= bytes;
        self.free(address);
        true
    }

    /// Who has freed the allocation of an address, if device code of this launch has.
    pub fn freed_by(&self, address: u64) -> Option<Freed> {
        self.freed.get(&(address >> OFFSET_BITS)).copied()
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
        self.freed.clear();
        self.called = arguments.map(|(address, argument)| (address >> OFFSET_BITS, argument)).collect();
    }

    /// What an allocation is for a launch, by its number: the argument that points to it, if one does.
    pub fn name(&self, number: u64) -> Region {
        if let Some((_, argument)) = self.called.iter().find(|(called, _)| *called == number) {
            return Region::Argument(*argument);
        }
        match self.own_name(number) {
            "" => Region::Buffer,
            name => Region::Variable(name.to_string()),
        }
    }

    /// What an allocation is called, by its number: a variable's name, or what the host calls it.
    pub fn own_name(&self, number: u64) -> &str {
        let allocation = self.allocations.get(index(number).wrapping_sub(1));
        allocation.map_or("", |allocation| &allocation.name)
    }

    /// All allocations that are something for a launch, by their numbers.
    pub fn names(&self) -> Vec<(u64, Region)> {
        let all = (1..=self.allocations.len() as u64).map(|number| (number, self.name(number)));
        all.filter(|(_, region)| *region != Region::Buffer).collect()
    }

    /// Where the allocation that an address lies in starts, and what it holds.
    #[inline]
    pub fn around(&self, address: u64) -> (u64, &[u8]) {
        let allocation = self.allocations.get(place(address)).filter(|one| one.owner.is_reached_by_kernels());
        (address & !OFFSET_MASK, allocation.map_or(&[], |allocation| &allocation.bytes))
    }

    #[inline]
    pub fn slice(&self, address: u64, bytes: usize) -> Result<&[u8], Wrong> {
        self.allocations
            .get(place(address))
            .filter(|allocation| allocation.owner.is_reached_by_kernels())
            .and_then(|allocation| allocation.bytes.get(span(address & OFFSET_MASK, bytes)))
            .ok_or_else(|| self.wrong(address))
    }

    #[inline]
    pub fn slice_mut(&mut self, address: u64, bytes: usize) -> Result<&mut [u8], Wrong> {
        let place = place(address);
        let span = span(address & OFFSET_MASK, bytes);
        let fits = self.allocations.get(place).is_some_and(|allocation| {
            allocation.owner.is_reached_by_kernels() && span.end <= allocation.bytes.len()
        });
        if !fits {
            return Err(self.wrong(address));
        }
        Ok(&mut self.allocations[place].bytes[span])
    }

    /// What a load of the host finds: the value, and which of its bytes have not been written, a bit each.
    #[inline(always)]
    pub fn host_load(&self, address: u64, bytes: usize) -> Result<(u64, u8), Wrong> {
        let offset = index(address & OFFSET_MASK);
        let allocation = self.allocations.get(place(address)).filter(|one| one.owner.is_reached_by_host());
        let found = allocation.and_then(|one| Some((one, one.bytes.get(offset..offset + bytes)?)));
        let Some((allocation, content)) = found else { return Err(self.wrong_for_host(address)) };
        let lost = match &allocation.written {
            None => 0,
            Some(written) => written.missing(offset, bytes),
        };
        Ok((super::read(content), lost))
    }

    /// A store of the host, of bytes of which some may be undefined (a bit each).
    #[inline(always)]
    pub fn host_store(&mut self, address: u64, bytes: usize, value: u64, lost: u8) -> Result<(), Wrong> {
        let offset = index(address & OFFSET_MASK);
        let place = place(address);
        let fits = self
            .allocations
            .get(place)
            .is_some_and(|one| one.owner.is_reached_by_host() && offset + bytes <= one.bytes.len());
        if !fits {
            return Err(self.wrong_for_host(address));
        }
        let allocation = &mut self.allocations[place];
        super::write(&mut allocation.bytes[offset..offset + bytes], value);
        if lost != 0 {
            allocation.lose(offset, bytes, lost);
        } else if let Some(written) = &mut allocation.written {
            written.set_few(offset, bytes);
            if offset + bytes == allocation.bytes.len() && written.all(0, offset + bytes) {
                allocation.written = None;
            }
        }
        Ok(())
    }

    /// Bytes that the host reaches.
    ///
    /// # Errors
    /// Not all are, or not in one allocation.
    pub fn host_slice(&self, address: u64, bytes: usize) -> Result<&[u8], Wrong> {
        let allocation = self.allocations.get(place(address)).filter(|one| one.owner.is_reached_by_host());
        let content = allocation.and_then(|one| one.bytes.get(span(address & OFFSET_MASK, bytes)));
        content.ok_or_else(|| self.wrong_for_host(address))
    }

    /// What an allocation is: whose, and how many bytes, if it is live.
    pub fn allocation(&self, address: u64) -> Option<(Owner, u64)> {
        let allocation = self.allocations.get(place(address)).filter(|one| one.live)?;
        Some((allocation.owner, allocation.bytes.len() as u64))
    }

    /// Whether an address lies in an allocation that has been given back.
    pub fn is_freed(&self, address: u64) -> bool {
        self.allocations.get(place(address)).is_some_and(|one| !one.live)
    }

    /// Bytes that either side reaches.
    pub fn content(&self, address: u64, bytes: usize) -> Result<&[u8], Wrong> {
        let allocation = self.allocations.get(place(address));
        let content = allocation.and_then(|one| one.bytes.get(span(address & OFFSET_MASK, bytes)));
        content.ok_or_else(|| self.wrong_on_either_side(address))
    }

    /// The same, to write them; they count as written from now on.
    pub fn content_mut(&mut self, address: u64, bytes: usize) -> Result<&mut [u8], Wrong> {
        self.content(address, bytes)?;
        self.define_end(address, bytes);
        Ok(&mut self.allocations[place(address)].bytes[span(address & OFFSET_MASK, bytes)])
    }

    /// Copies bytes, and which of them have been written.
    ///
    /// # Errors
    /// Where the copy leads outside, `to` or else `from`.
    pub fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), (bool, Wrong)> {
        self.content(to, bytes).map_err(|wrong| (true, wrong))?;
        let content = self.content(from, bytes).map_err(|wrong| (false, wrong))?.to_vec();
        let written = self.written(from).map(|(written, at)| written.part(at, bytes));
        let content_of = &mut self.allocations[place(to)];
        let offset = index(to & OFFSET_MASK);
        content_of.bytes[offset..offset + bytes].copy_from_slice(&content);
        match written {
            None => self.define_end(to, bytes),
            Some(part) => content_of.bits().take_over(offset, bytes, &part),
        }
        Ok(())
    }

    /// Notes an access of the host, if kernels reach the memory too. Neighbours by one line become one.
    pub fn note(&mut self, address: u64, bytes: u64, writes: bool, loc: u32) {
        let owner = self.allocations.get(place(address)).map(|one| one.owner);
        if !matches!(owner, Some(Owner::Managed | Owner::Pinned)) || self.notes.len() >= MAX_NOTES {
            return;
        }
        if let Some(last) = self.notes.last_mut()
            && (last.writes, last.loc, last.address + last.bytes) == (writes, loc, address)
        {
            last.bytes += bytes;
            return;
        }
        self.notes.push(Note { address, bytes, writes, loc });
    }

    /// Makes an allocation another owner's; whether there is one.
    pub fn give_to(&mut self, address: u64, owner: Owner) -> bool {
        match self.allocations.get_mut(place(address)) {
            Some(allocation) if allocation.live => allocation.owner = owner,
            _ => return false,
        }
        true
    }

    /// Takes out what only the host reaches, by the places of the allocations.
    pub fn set_host_aside(&mut self) -> Vec<(usize, Vec<u8>)> {
        let mut aside = Vec::new();
        for (place, one) in self.allocations.iter_mut().enumerate() {
            if one.live && !one.owner.is_reached_by_kernels() && !one.bytes.is_empty() {
                self.live_bytes -= one.bytes.len() as u64;
                aside.push((place, std::mem::take(&mut one.bytes)));
            }
        }
        aside
    }

    /// Puts it back.
    pub fn bring_host_back(&mut self, aside: Vec<(usize, Vec<u8>)>) {
        for (place, bytes) in aside {
            self.live_bytes += bytes.len() as u64;
            self.allocations[place].bytes = bytes;
        }
    }

    /// These bytes count as never written: a variable that begins to live again.
    pub fn forget(&mut self, address: u64, bytes: usize) {
        let offset = index(address & OFFSET_MASK);
        if let Some(allocation) = self.allocations.get_mut(place(address)) {
            allocation.bits().set(offset, bytes, false);
        }
    }

    /// Makes an allocation longer; the new bytes are [`UNWRITTEN`].
    pub fn grow(&mut self, address: u64, bytes: usize) -> bool {
        let room = self.room();
        let Some(allocation) = self.allocations.get_mut(place(address)) else { return false };
        let more = (bytes as u64).saturating_sub(allocation.bytes.len() as u64);
        if more > room {
            return false;
        }
        self.live_bytes += more;
        allocation.bits();
        allocation.bytes.resize(bytes.max(allocation.bytes.len()), UNWRITTEN);
        true
    }

    #[cold]
    fn wrong_for_host(&self, address: u64) -> Wrong {
        match self.allocations.get(place(address)) {
            Some(Allocation { owner, live: true, .. })
                if !owner.is_reached_by_host() && !self.is_before_next(address) =>
            {
                let (number, offset) = number_and_offset(address);
                Wrong::OtherSide { number, owner: *owner, offset: offset as i64 }
            }
            _ => self.wrong_on_either_side(address),
        }
    }

    #[cold]
    fn wrong(&self, address: u64) -> Wrong {
        match self.allocations.get(place(address)) {
            // What lies before the next allocation is meant for that one.
            Some(Allocation { owner, live: true, .. })
                if !owner.is_reached_by_kernels() && !self.is_before_next(address) =>
            {
                let (number, offset) = number_and_offset(address);
                Wrong::OtherSide { number, owner: *owner, offset: offset as i64 }
            }
            _ => self.wrong_on_either_side(address),
        }
    }

    /// A small negative index borrows from the allocation's number: an address near the end of one
    /// allocation's 64 GiB is meant for the next one, `allocations[number]`, since numbers begin with 1.
    fn is_before_next(&self, address: u64) -> bool {
        let is_high = address & OFFSET_MASK >= 1 << (OFFSET_BITS - 1);
        is_high && self.allocations.get(index(address >> OFFSET_BITS)).is_some_and(|next| next.live)
    }

    #[cold]
    fn wrong_on_either_side(&self, address: u64) -> Wrong {
        let number = index(address >> OFFSET_BITS);
        let offset = (address & OFFSET_MASK) as i64;
        if self.is_before_next(address)
            && let Some(next) = self.allocations.get(number)
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

/// The address of a byte of an allocation, as [`number_and_offset`] takes it apart.
#[inline]
pub fn address_of(number: u64, offset: u64) -> u64 {
    number << OFFSET_BITS | offset
}

/// The allocation that an address lies in, and the byte in it.
#[inline]
pub fn number_and_offset(address: u64) -> (u64, u64) {
    (address >> OFFSET_BITS, address & OFFSET_MASK)
}
