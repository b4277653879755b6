//! Memory that kernels reach: a GPU's own, or pinned memory of the host.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anyhow::{Result, ensure};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, result, sys};

use super::Gpu;
use super::error::failed;

/// Memory that kernels reach; given back when dropped, after all work that uses it.
pub struct Memory {
    /// None when it is being given back.
    place: Option<Place>,
    address: u64,
    bytes: usize,
    /// The streams whose work uses it, other than the one in whose order it is freed.
    streams: RefCell<Vec<Arc<CudaStream>>>,
}

/// Where it lies.
enum Place {
    /// On a GPU; allocated and freed in the order of a stream.
    Gpu(CudaSlice<u8>),
    /// On the host.
    Host(Pinned),
}

/// What `cuMemHostAlloc` has given.
struct Pinned(*mut u8);

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: it came from cuMemHostAlloc, and its owner has waited for all work that uses it. An error
        // here has nobody to be told to.
        let _ = unsafe { result::free_host(self.0.cast()) };
    }
}

impl Memory {
    /// Its address: for the host's memory the same for kernels and the host (unified addressing).
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Notes that work in `stream` uses it from now on. Whoever puts such work into a stream says so before.
    ///
    /// # Errors
    /// A kernel went wrong in the stream that it was allocated in.
    pub(super) fn used_in(&self, stream: &Arc<CudaStream>) -> Result<()> {
        let mut streams = self.streams.borrow_mut();
        let is_known = |known: &Arc<CudaStream>| Arc::ptr_eq(known, stream);
        if self.own_stream().is_some_and(is_known) || streams.iter().any(is_known) {
            return Ok(());
        }
        // Other streams may use it once its own has come to the allocation.
        self.own_stream().map_or(Ok(()), wait_for)?;
        streams.push(stream.clone());
        Ok(())
    }

    /// Waits for all work that uses it.
    ///
    /// # Errors
    /// A kernel went wrong there.
    fn wait(&self) -> Result<()> {
        self.own_stream().map_or(Ok(()), wait_for)?;
        self.streams.borrow().iter().try_for_each(wait_for)
    }

    /// Its bytes, once all work that uses them is done; none of a GPU's memory.
    ///
    /// # Errors
    /// A kernel went wrong.
    pub fn host_bytes(&mut self) -> Result<Option<&mut [u8]>> {
        self.wait()?;
        let Some(Place::Host(Pinned(start))) = self.place else { return Ok(None) };
        // SAFETY: this many bytes are allocated and were set at the start. All work that uses them is done:
        // each verb that starts some notes its stream, and these have just been waited for. The exclusive
        // borrow keeps more from being started, and the host's other uses away.
        Ok(Some(unsafe { std::slice::from_raw_parts_mut(start, self.bytes) }))
    }

    /// Its first four bytes, if they are the host's: a kernel may be writing there, and the host looks at
    /// them again and again.
    pub fn word(&self) -> Option<&AtomicU32> {
        let Some(Place::Host(Pinned(start))) = self.place else { return None };
        // SAFETY: the allocation is page-aligned, at least four bytes long, and lives as long as `self`;
        // kernels store whole words there.
        (self.bytes >= 4).then(|| unsafe { AtomicU32::from_ptr(start.cast()) })
    }

    /// The address of `count` bytes from byte `start` on.
    ///
    /// # Errors
    /// There are fewer.
    pub(super) fn part(&self, start: usize, count: usize) -> Result<u64> {
        let is_within = start.checked_add(count).is_some_and(|end| end <= self.bytes);
        ensure!(is_within, "{count} bytes from byte {start} on, of a buffer of {} bytes", self.bytes);
        Ok(self.address + start as u64)
    }

    fn own_stream(&self) -> Option<&Arc<CudaStream>> {
        if let Some(Place::Gpu(slice)) = &self.place { Some(slice.stream()) } else { None }
    }
}

fn wait_for(stream: &Arc<CudaStream>) -> Result<()> {
    stream.synchronize().map_err(|error| failed("the GPU reports", error))
}

impl Drop for Memory {
    fn drop(&mut self) {
        let place = self.place.take();
        let is_unused = self.streams.borrow().iter().try_for_each(wait_for).is_ok();
        if !is_unused {
            // Work may go on there, so it is never given to anybody else.
            std::mem::forget(place);
        }
    }
}

impl Gpu {
    /// `bytes` bytes of device memory, contents undefined; one byte where none is asked for, so that every
    /// buffer has an address.
    pub fn alloc(&self, bytes: usize) -> Result<Memory> {
        // SAFETY: the bytes are undefined until they are written, and `u8` has no invalid value.
        let slice = unsafe { self.stream.alloc(bytes.max(1)) }
            .map_err(|error| failed(&format!("cannot allocate {bytes} bytes on the GPU"), error))?;
        let address = slice.device_ptr(&self.stream).0;
        Ok(Memory { place: Some(Place::Gpu(slice)), address, bytes, streams: RefCell::default() })
    }

    /// `bytes` bytes of the host's memory, all 0, that every GPU and the host can reach at one address
    /// (`cuMemHostAlloc`, portable and mapped).
    pub fn alloc_host(&self, bytes: usize) -> Result<Memory> {
        let failed = |error| failed(&format!("cannot pin {bytes} bytes of the host's memory"), error);
        self.context.bind_to_thread().map_err(failed)?;
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the bytes are set to 0 before they are read.
        let start = unsafe { result::malloc_host(bytes.max(1), flags) }.map_err(failed)?.cast::<u8>();
        let place = Some(Place::Host(Pinned(start)));
        // SAFETY: this many bytes have just been allocated there.
        unsafe { start.write_bytes(0, bytes.max(1)) };
        Ok(Memory { place, address: start as u64, bytes, streams: RefCell::default() })
    }

    /// Notes that work in this GPU's stream uses `memory`.
    ///
    /// # Errors
    /// A kernel went wrong in the stream that `memory` was allocated in.
    pub fn uses(&self, memory: &Memory) -> Result<()> {
        memory.used_in(&self.stream)
    }

    /// Sets all bytes of `memory` to 0, in the order of the stream.
    pub fn memset_zeros(&self, memory: &Memory) -> Result<()> {
        let failed = |error| failed("cannot clear device memory", error);
        self.uses(memory)?;
        self.context.bind_to_thread().map_err(failed)?;
        let stream = self.stream.cu_stream();
        // SAFETY: there are this many bytes, or one, and they stay until the work of this stream is done.
        unsafe { result::memset_d8_async(memory.address, 0, memory.bytes.max(1), stream) }.map_err(failed)
    }

    /// Copies `bytes` bytes of `from`, from byte `start` on, to the beginning of `to`, in the order of the
    /// stream, and does not wait.
    pub fn memcpy_async(&self, from: &Memory, start: usize, to: &Memory, bytes: usize) -> Result<()> {
        let source = from.part(start, bytes)?;
        let target = to.part(0, bytes)?;
        self.uses(from)?;
        self.uses(to)?;
        // SAFETY: this many bytes are there, and stay until the work of this stream is done.
        unsafe { self.copy(source, target, bytes) }
    }

    /// Copies `data` to `memory`, from byte `start` on, after all work of the stream, and waits for that.
    pub fn write(&self, data: &[u8], memory: &Memory, start: usize) -> Result<()> {
        let target = memory.part(start, data.len())?;
        self.uses(memory)?;
        // SAFETY: this many bytes are there; those of the host stay where they are until the copy is done,
        // for which this waits.
        unsafe { self.copy(data.as_ptr() as u64, target, data.len())? };
        // Pinned memory would still be read when the caller has it back.
        self.synchronize()
    }

    /// Copies bytes of `memory`, from byte `start` on, to `data`, after all work of the stream, and waits for
    /// that.
    pub fn read(&self, memory: &Memory, start: usize, data: &mut [u8]) -> Result<()> {
        let source = memory.part(start, data.len())?;
        self.uses(memory)?;
        // SAFETY: as in `write`.
        unsafe { self.copy(source, data.as_mut_ptr() as u64, data.len())? };
        self.synchronize()
    }

    /// Puts a copy of `bytes` bytes into the stream.
    ///
    /// # Safety
    /// This many bytes are at both addresses, until the copy is done, and it may write those at `to`.
    unsafe fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let failed = |error| failed("cannot start a copy", error);
        self.context.bind_to_thread().map_err(failed)?;
        // SAFETY: the caller's.
        unsafe { sys::cuMemcpyAsync(to, from, bytes, self.stream.cu_stream()) }.result().map_err(failed)
    }
}
