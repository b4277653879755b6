//! Pinned memory of the host, which copies and kernels can reach.

use std::sync::atomic::AtomicU32;

use anyhow::Result;
use cudarc::driver::{result, sys};

use super::Gpu;
use super::error::failed;

/// Memory of the host that kernels can reach; given back when dropped.
pub struct HostMemory {
    start: *mut u8,
    bytes: usize,
}

impl HostMemory {
    /// Its bytes.
    pub fn num_bytes(&self) -> usize {
        self.bytes
    }

    /// Its address, which is the same for kernels (unified addressing).
    pub fn address(&self) -> u64 {
        self.start as u64
    }

    /// Its bytes; no kernel may be writing there, and no copy reading.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: this many bytes are allocated and were set at the start; the borrow keeps the host's other
        // uses away.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// Its first four bytes, which a kernel may be writing: the host looks at them again and again.
    pub fn word(&self) -> &AtomicU32 {
        assert!(self.bytes >= 4, "a word has four bytes");
        // SAFETY: the allocation is page-aligned, at least four bytes long, and lives as long as `self`;
        // kernels store whole words there.
        unsafe { AtomicU32::from_ptr(self.start.cast()) }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: it came from cuMemHostAlloc, and nobody has its address any more. Where the context is
        // lost, there is nobody to tell.
        let _ = unsafe { result::free_host(self.start.cast()) };
    }
}

impl Gpu {
    /// `bytes` bytes of the host's memory, all 0, that every GPU and the host can reach at one address
    /// (`cuMemHostAlloc`, portable and mapped).
    pub fn alloc_host(&self, bytes: usize) -> Result<HostMemory> {
        let failed = |error| failed(&format!("cannot pin {bytes} bytes of the host's memory"), error);
        self.context.bind_to_thread().map_err(failed)?;
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the bytes are set to 0 before anybody reads them.
        let start = unsafe { result::malloc_host(bytes.max(1), flags) }.map_err(failed)?.cast::<u8>();
        // SAFETY: this many bytes have just been allocated there.
        unsafe { start.write_bytes(0, bytes) };
        Ok(HostMemory { start, bytes })
    }
}
