//! [`Buffer`]: device memory, and the copies from, to and within it.

use std::marker::PhantomData;
use std::ops::{Range, RangeFrom};
use std::rc::Rc;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, bail, ensure};
use bytemuck::Pod;
use ptx_simulator::Written;

use super::cuda;
use super::device::{Device, Kind, OTHER_DEVICE};
use super::simulator::{Simulator, Step, found};
use crate::info::DeviceKind;

/// `len` elements of `T` in device memory, given back when dropped. Kernels write through a shared reference,
/// as on any device.
pub struct Buffer<T> {
    pub(super) memory: Memory,
    /// Of the first element, on its device.
    pub(super) address: u64,
    len: usize,
    element: PhantomData<T>,
}

pub(super) enum Memory {
    Gpu(#[allow(dead_code, reason = "it is kept to be dropped")] cuda::Memory),
    /// The host's, which GPUs can reach.
    Host(cuda::HostMemory),
    Sim(Rc<Simulator>),
}

impl Device {
    /// `len` elements, contents undefined.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        self.refuse_in_capture("an allocation")?;
        let bytes = len.checked_mul(size_of::<T>()).context("the buffer is larger than the address space")?;
        let (memory, address) = match &self.kind {
            Kind::Gpu(gpu) => {
                let (memory, address) = gpu.alloc(bytes)?;
                (Memory::Gpu(memory), address)
            }
            Kind::Sim(simulator) => {
                let address = simulator.core.borrow_mut().alloc(bytes as u64).map_err(found)?;
                (Memory::Sim(simulator.clone()), address)
            }
            Kind::Cpu => bail!("the CPU has no device memory; use a GPU or the simulator"),
        };
        Ok(Buffer { memory, address, len, element: PhantomData })
    }

    /// `len` elements, all bytes 0.
    ///
    /// # Errors
    /// Of [`Device::alloc`].
    pub fn alloc_zeros<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let buffer = self.alloc(len)?;
        self.memset_zeros(&buffer)?;
        Ok(buffer)
    }

    /// `len` elements, all bytes 0, in memory of the host that kernels on every GPU can reach: a result that
    /// lies there when they are done need not be copied. On the simulator memory like any other.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn alloc_host<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let Kind::Gpu(gpu) = &self.kind else { return self.alloc_zeros(len) };
        let memory = gpu.alloc_host(len * size_of::<T>())?;
        let address = memory.address();
        Ok(Buffer { memory: Memory::Host(memory), address, len, element: PhantomData })
    }

    /// Sets all bytes of `buffer` to 0.
    ///
    /// # Errors
    /// Its buffer is another device's.
    pub fn memset_zeros<T: Pod>(&self, buffer: &Buffer<T>) -> Result<()> {
        let address = buffer.address;
        let bytes = buffer.num_bytes();
        match &self.kind {
            Kind::Gpu(gpu) if buffer.on() == DeviceKind::Gpu => gpu.memset_zeros(address, bytes),
            Kind::Sim(simulator) if buffer.on() == DeviceKind::Sim => {
                simulator.enqueue(Step::Zero { address, bytes })
            }
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// A new buffer with a copy of `data`.
    ///
    /// # Errors
    /// Of [`Device::alloc`].
    pub fn clone_htod<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>> {
        let buffer = self.alloc(data.len())?;
        self.memcpy_htod(data, &buffer)?;
        Ok(buffer)
    }

    /// Copies `data` into `buffer`.
    ///
    /// # Errors
    /// The lengths differ; or the buffer is another device's.
    pub fn memcpy_htod<T: Pod>(&self, data: &[T], buffer: &Buffer<T>) -> Result<()> {
        same_length(data.len(), buffer.len)?;
        self.write_at(data, buffer, 0)
    }

    /// Copies `data` over the elements of `buffer` from `start` on.
    ///
    /// # Errors
    /// There are fewer; or the buffer is another device's.
    pub fn write_at<T: Pod>(&self, data: &[T], buffer: &Buffer<T>, start: usize) -> Result<()> {
        self.refuse_in_capture("a copy from the host")?;
        let bytes = bytemuck::cast_slice(data);
        let address = buffer.part(start, data.len())?;
        match &self.kind {
            Kind::Gpu(gpu) if buffer.on() == DeviceKind::Gpu => {
                gpu.memcpy_async(bytes.as_ptr() as u64, address, bytes.len())
            }
            Kind::Sim(simulator) if buffer.on() == DeviceKind::Sim => simulator.write(address, bytes),
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// Copies `from` into `to`, another buffer.
    ///
    /// # Errors
    /// The lengths differ; or one of them is another device's.
    pub fn memcpy_dtod<T: Pod>(&self, from: &Buffer<T>, to: &Buffer<T>) -> Result<()> {
        same_length(from.len, to.len)?;
        self.memcpy_async(&from.slice(0..), to, to.len)
    }

    /// Copies `count` elements of `from` to the beginning of `to`, in the order of this device's work and
    /// without waiting. To or from the memory of [`Device::alloc_host`], that goes on while the host does
    /// other things.
    ///
    /// # Errors
    /// One of them is shorter, or another device's.
    pub fn memcpy_async<T: Pod>(&self, from: &View<T>, to: &Buffer<T>, count: usize) -> Result<()> {
        ensure!(
            from.len() >= count && to.len >= count,
            "a copy of {count} elements, from {} elements into a buffer of {}",
            from.len(),
            to.len
        );
        let source = from.address();
        let address = to.address;
        let bytes = count * size_of::<T>();
        match (&self.kind, from.buffer.on(), to.on()) {
            (_, _, _) if count == 0 => Ok(()),
            (Kind::Gpu(gpu), DeviceKind::Gpu, DeviceKind::Gpu) => gpu.memcpy_async(source, address, bytes),
            (Kind::Sim(simulator), DeviceKind::Sim, DeviceKind::Sim) => {
                simulator.enqueue(Step::Copy { from: source, to: address, bytes })
            }
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// Lets the host `work` on a buffer of [`Device::alloc_host`], once all work of this device before is
    /// done.
    ///
    /// # Errors
    /// The buffer lies elsewhere; a kernel went wrong.
    pub fn on_host<T: Pod, R>(&self, buffer: &mut Buffer<T>, work: impl FnOnce(&mut [T]) -> R) -> Result<R> {
        self.synchronize()?;
        match (&self.kind, &mut buffer.memory) {
            (Kind::Gpu(_), Memory::Host(memory)) => Ok(work(bytemuck::cast_slice_mut(memory.bytes_mut()))),
            (Kind::Sim(simulator), Memory::Sim(_)) => {
                let mut elements = vec![T::zeroed(); buffer.len];
                simulator.read(buffer.address, bytemuck::cast_slice_mut(&mut elements))?;
                let result = work(&mut elements);
                simulator.write(buffer.address, bytemuck::cast_slice(&elements))?;
                Ok(result)
            }
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// Sets the first word of a buffer of [`Device::alloc_host`] to 0, without waiting for anything.
    ///
    /// # Errors
    /// The buffer lies elsewhere.
    pub fn clear_word(&self, buffer: &Buffer<u32>) -> Result<()> {
        match &buffer.memory {
            Memory::Host(memory) => {
                memory.word().store(0, Ordering::Release);
                Ok(())
            }
            _ => self.memset_zeros(buffer),
        }
    }

    /// Waits until a kernel on one of `devices` has stored something else than 0 in the first word of a
    /// buffer of [`Device::alloc_host`]. What it had stored elsewhere, with a fence of the system's scope
    /// between, is there too. That is earlier than the end of the kernel, which [`Device::synchronize`] waits
    /// for.
    ///
    /// # Errors
    /// A kernel went wrong, or all have ended and the word is still 0.
    pub fn wait_for_word(buffer: &Buffer<u32>, devices: &[&Device]) -> Result<()> {
        let Memory::Host(memory) = &buffer.memory else { return Ok(()) };
        let is_set = || memory.word().load(Ordering::Acquire) != 0;
        loop {
            for _ in 0..1 << 16 {
                if is_set() {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
            let mut idle = true;
            for device in devices {
                idle &= device.is_idle()?;
            }
            ensure!(!idle || is_set(), "all kernels have ended, and none has said so");
        }
    }

    /// The contents of `buffer`, once all work before is done.
    ///
    /// # Errors
    /// A kernel went wrong on a GPU ([`Fault`](super::Fault)); or the buffer is another device's.
    pub fn clone_dtoh<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        self.read_at(buffer, 0..buffer.len)
    }

    /// Some elements of `buffer`, once all work before is done.
    ///
    /// # Errors
    /// Of [`Device::clone_dtoh`]; there are fewer.
    pub fn read_at<T: Pod>(&self, buffer: &Buffer<T>, elements: Range<usize>) -> Result<Vec<T>> {
        self.refuse_in_capture("a copy to the host")?;
        let address = buffer.part(elements.start, elements.len())?;
        let mut data = vec![T::zeroed(); elements.len()];
        let bytes = bytemuck::cast_slice_mut(&mut data);
        match &self.kind {
            Kind::Gpu(gpu) if buffer.on() == DeviceKind::Gpu => {
                gpu.memcpy_async(address, bytes.as_mut_ptr() as u64, bytes.len())?;
                gpu.synchronize()?;
            }
            Kind::Sim(simulator) if buffer.on() == DeviceKind::Sim => simulator.read(address, bytes)?,
            _ => bail!(OTHER_DEVICE),
        }
        Ok(data)
    }

    /// What `buffer` holds, without a copy of it on the simulator, and which bytes of that have been written;
    /// `None` if all have.
    ///
    /// # Errors
    /// Of [`Device::clone_dtoh`].
    pub fn take(&self, buffer: Buffer<u8>) -> Result<(Vec<u8>, Option<Written>)> {
        match &self.kind {
            Kind::Sim(simulator) if buffer.on() == DeviceKind::Sim => {
                Ok(simulator.core.borrow_mut().take(buffer.address))
            }
            _ => Ok((self.clone_dtoh(&buffer)?, None)),
        }
    }

    /// Whether these `elements` of `buffer` have been written, by the host or by a kernel under the
    /// simulator's checks. A GPU does not know, and says yes.
    pub fn is_defined<T>(&self, buffer: &Buffer<T>, elements: Range<usize>) -> bool {
        let start = elements.start * size_of::<T>();
        let bytes = elements.len() * size_of::<T>();
        match &buffer.memory {
            Memory::Gpu(_) | Memory::Host(_) => true,
            Memory::Sim(simulator) => {
                simulator.core.borrow().is_defined(buffer.address + start as u64, bytes)
            }
        }
    }
}

fn same_length(from: usize, to: usize) -> Result<()> {
    ensure!(from == to, "a copy of {from} elements into a buffer of {to}: the lengths must be the same");
    Ok(())
}

impl<T> Buffer<T> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Which devices reach it.
    pub(super) fn on(&self) -> DeviceKind {
        match &self.memory {
            Memory::Gpu(_) | Memory::Host(_) => DeviceKind::Gpu,
            Memory::Sim(_) => DeviceKind::Sim,
        }
    }

    /// The address of `count` elements from `start` on.
    fn part(&self, start: usize, count: usize) -> Result<u64> {
        let is_within = start.checked_add(count).is_some_and(|end| end <= self.len);
        ensure!(is_within, "a copy of {count} elements from element {start} on, of a buffer of {}", self.len);
        Ok(self.address + (start * size_of::<T>()) as u64)
    }

    /// Elements times the size of one.
    pub fn num_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The addresses of its elements, on its device: what a kernel and an observer see of it.
    pub fn addresses(&self) -> Range<u64> {
        self.address..self.address + self.num_bytes() as u64
    }

    /// The elements from `start` on, as the argument of a launch. A start past the end gives the end.
    pub fn slice(&self, start: RangeFrom<usize>) -> View<'_, T> {
        View { buffer: self, start: start.start.min(self.len) }
    }
}

/// The rest of a [`Buffer`], from some element on.
pub struct View<'a, T> {
    pub(super) buffer: &'a Buffer<T>,
    start: usize,
}

impl<T> View<'_, T> {
    /// Elements from its start to the end of the buffer.
    pub fn len(&self) -> usize {
        self.buffer.len - self.start
    }

    /// Whether nothing is left of the buffer.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The address of its first element, on the buffer's device.
    pub fn address(&self) -> u64 {
        self.buffer.address + (self.start * size_of::<T>()) as u64
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if let Memory::Sim(simulator) = &self.memory {
            simulator.core.borrow_mut().free(self.address);
        }
    }
}
