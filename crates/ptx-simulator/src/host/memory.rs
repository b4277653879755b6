//! The memory of a program, as its natives see it.

use crate::device::{LaunchConfig, count_in};
pub use crate::memory::Note;
use crate::memory::{Owner, Wrong};
use crate::simulator::{Module, Simulator};
use crate::what::Limit;

impl Simulator {
    /// A new allocation of whosever memory, if there is room; its address is never 0. `name` is what findings
    /// call it.
    pub fn alloc_for(&mut self, owner: Owner, bytes: u64, name: &str) -> Option<u64> {
        self.memory.alloc_for(owner, bytes, name)
    }

    /// Whose memory an address lies in, the bytes of that allocation, and where in it; `None` if there is no
    /// live one.
    pub fn allocation(&self, address: u64) -> Option<(Owner, u64, u64)> {
        let (owner, bytes) = self.memory.allocation(address)?;
        Some((owner, bytes, crate::memory::number_and_offset(address).1))
    }

    /// What findings call the allocation of an address; empty if nothing.
    pub fn name_of(&self, address: u64) -> String {
        self.memory.own_name(crate::memory::number_and_offset(address).0).to_string()
    }

    /// Whether an address lies in an allocation that has been given back.
    pub fn is_freed(&self, address: u64) -> bool {
        self.memory.is_freed(address)
    }

    /// Bytes that the host reaches.
    ///
    /// # Errors
    /// It does not reach all of them.
    pub fn host_bytes(&self, address: u64, bytes: usize) -> Result<&[u8], Wrong> {
        self.moves(bytes);
        self.memory.host_slice(address, bytes)
    }

    /// Bytes that a native reads or writes, of the program or of its own: they count as the host's steps.
    pub fn moves(&self, bytes: usize) {
        self.moved.set(self.moved.get().saturating_add(bytes as u64));
    }

    /// A word of at most eight bytes that the host reaches, and which of its bytes have not been written, a
    /// bit each.
    ///
    /// # Errors
    /// It does not reach all of them.
    pub fn host_word(&self, address: u64, bytes: usize) -> Result<(u64, u8), Wrong> {
        self.memory.host_load(address, bytes)
    }

    /// Writes bytes that the host reaches.
    ///
    /// # Errors
    /// It does not reach all of them.
    pub fn host_write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Wrong> {
        self.moves(bytes.len());
        self.memory.host_slice(address, bytes.len())?;
        self.memory.content_mut(address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// The text from an address to the zero behind it, in memory that the host reaches.
    ///
    /// # Errors
    /// It leads outside.
    pub fn host_text(&self, address: u64) -> Result<&[u8], Wrong> {
        self.memory.host_slice(address, 1)?;
        let (_, bytes) = self.memory.allocation(address).ok_or(Wrong::NoAllocation)?;
        let start = crate::memory::number_and_offset(address).1;
        let rest = self.memory.host_slice(address, (bytes - start) as usize)?;
        match rest.iter().position(|byte| *byte == 0) {
            Some(end) => {
                self.moves(end);
                Ok(&rest[..end])
            }
            None => {
                let number = crate::memory::number_and_offset(address).0;
                Err(Wrong::Outside { number, offset: bytes as i64, bytes })
            }
        }
    }

    /// Bytes of either side.
    ///
    /// # Errors
    /// They do not all lie in one live allocation.
    pub fn content(&self, address: u64, bytes: usize) -> Result<&[u8], Wrong> {
        self.memory.content(address, bytes)
    }

    /// The same, to write them.
    ///
    /// # Errors
    /// As [`Simulator::content`].
    pub fn content_mut(&mut self, address: u64, bytes: usize) -> Result<&mut [u8], Wrong> {
        self.moves(bytes);
        self.memory.content_mut(address, bytes)
    }

    /// Copies bytes of either side, and which of them have been written. Where it leads outside: whether in
    /// what is written, and how.
    ///
    /// # Errors
    /// They do not all lie in one live allocation each.
    pub fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), (bool, Wrong)> {
        self.moves(bytes);
        self.memory.copy(to, from, bytes)
    }

    /// Bytes that all allocations have together, and may have.
    pub fn used_and_allowed(&self) -> (u64, u64) {
        (self.memory.live_bytes, self.memory.most_bytes)
    }

    /// Whether none of these bytes was ever written.
    pub fn is_unwritten(&self, address: u64, bytes: usize) -> bool {
        self.memory.written(address).is_some_and(|(written, at)| !written.any(at, bytes))
    }

    /// Whether all of these bytes have been written.
    pub fn is_written(&self, address: u64, bytes: usize) -> bool {
        self.memory.written(address).is_none_or(|(written, at)| written.all(at, bytes))
    }

    /// Makes an allocation another owner's; whether there is one.
    pub fn give_to(&mut self, address: u64, owner: Owner) -> bool {
        self.memory.give_to(address, owner)
    }

    /// From now on accesses of the host are noted to memory that kernels reach too, or no longer: then those
    /// that were noted are forgotten.
    pub fn note_host(&mut self, notes: bool) {
        self.memory.noting = notes;
        if !notes {
            self.memory.notes.clear();
        }
    }

    /// The accesses of the host that were noted.
    pub fn notes(&self) -> &[Note] {
        &self.memory.notes
    }

    /// Whether a launch by the host can be: what it exceeds if not. `raised`: dynamic shared memory that the
    /// kernel may have, where that was raised.
    ///
    /// # Errors
    /// It cannot.
    pub fn check_launch(
        &self,
        module: &Module,
        kernel: &str,
        config: &LaunchConfig,
        cluster: Option<(u32, u32, u32)>,
        raised: Option<u32>,
    ) -> Result<(), (Limit, String)> {
        let program = module.program();
        let Some(number) = program.by_name.get(kernel) else { return Ok(()) };
        let function = &program.functions[*number];
        let device = self.properties();
        let most = raised.map_or(device.shared_per_block, |raised| raised as usize + function.shared_bytes);
        function.check(device, config, cluster.map(Into::into), most)
    }

    /// Bytes of a kernel's static shared memory and of its local memory, and the threads that a block of it
    /// may have.
    pub fn kernel_sizes(&self, module: &Module, kernel: &str) -> (usize, usize, u32) {
        let program = module.program();
        let Some(number) = program.by_name.get(kernel) else { return (0, 0, 1024) };
        let function = &program.functions[*number];
        let threads = function.bounds.most_threads.map_or(1024, |most| count_in(most) as u32);
        (function.shared_bytes, function.local_bytes, threads)
    }

    /// Sets the memory aside that only the host reaches, for a launch: orders are tried without copying it.
    pub fn set_host_aside(&mut self) -> Aside {
        Aside(self.memory.set_host_aside())
    }

    /// Brings it back.
    pub fn bring_host_back(&mut self, aside: Aside) {
        self.memory.bring_host_back(aside.0);
    }
}

/// The host's memory, while a launch runs.
#[derive(Debug)]
pub struct Aside(Vec<(usize, Vec<u8>)>);
