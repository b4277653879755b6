//! [`Buffer`]: device memory, and the copies from, to and within it.
//!
//! While kernels use a buffer it cannot be dropped:
//!
//! ```compile_fail,E0505
//! # use device::{Device, DeviceChoice, Function, LaunchConfig};
//! # fn launch(device: &Device, kernel: &Function) -> anyhow::Result<()> {
//! let numbers = device.clone_htod(&[1; 64])?;
//! let view = numbers.slice(32..);
//! let mut launch = device.launch_builder(kernel);
//! launch.arg(&view);
//! drop(numbers);
//! launch.launch(LaunchConfig::new(1, 32))
//! # }
//! ```

use std::marker::PhantomData;
use std::ops::{Range, RangeFrom};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail, ensure};
use bytemuck::Pod;
use ptx_simulator::Written;

use super::cuda;
use super::device::{Device, Kind, OTHER_DEVICE};
use super::simulator::{Simulator, Step, found};
use crate::info::DeviceKind;

/// `len` elements of `T` in device memory, given back when dropped, after the work that uses it. Kernels
/// write through a shared reference, as on any device.
pub struct Buffer<T> {
    /// A graph has a share of it too.
    pub(super) memory: Rc<Memory>,
    len: usize,
    element: PhantomData<T>,
}

/// Bytes that kernels reach, given back when dropped.
pub(super) enum Memory {
    Gpu(cuda::Memory),
    Sim(Rc<Simulator>, u64),
}

impl Memory {
    /// Of its first byte, on its device.
    pub fn address(&self) -> u64 {
        match self {
            Memory::Gpu(memory) => memory.address(),
            Memory::Sim(_, address) => *address,
        }
    }

    /// It, if GPUs reach it.
    pub fn on_gpu(&self) -> Option<&cuda::Memory> {
        if let Memory::Gpu(memory) = self { Some(memory) } else { None }
    }

    /// Which devices reach it.
    pub fn on(&self) -> DeviceKind {
        match self {
            Memory::Gpu(_) => DeviceKind::Gpu,
            Memory::Sim(..) => DeviceKind::Sim,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Memory::Sim(simulator, address) = self {
            simulator.core.borrow_mut().free(*address);
        }
    }
}

impl Device {
    /// `len` elements, contents undefined.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        self.refuse_in_capture("an allocation")?;
        let bytes = bytes_of::<T>(len)?;
        let memory = match &self.kind {
            Kind::Gpu(gpu) => Memory::Gpu(gpu.alloc(bytes)?),
            Kind::Sim(simulator) => {
                let address = simulator.core.borrow_mut().alloc(bytes as u64).map_err(found)?;
                Memory::Sim(simulator.clone(), address)
            }
            Kind::Cpu => bail!("the CPU has no device memory; use a GPU or the simulator"),
        };
        Ok(Buffer { memory: Rc::new(memory), len, element: PhantomData })
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
        self.refuse_in_capture("an allocation")?;
        let memory = Memory::Gpu(gpu.alloc_host(bytes_of::<T>(len)?)?);
        Ok(Buffer { memory: Rc::new(memory), len, element: PhantomData })
    }

    /// Sets all bytes of `buffer` to 0.
    ///
    /// # Errors
    /// Its buffer is another device's.
    pub fn memset_zeros<T: Pod>(&self, buffer: &Buffer<T>) -> Result<()> {
        match (&self.kind, &*buffer.memory) {
            (Kind::Gpu(gpu), Memory::Gpu(memory)) => gpu.memset_zeros(memory)?,
            (Kind::Sim(simulator), Memory::Sim(_, address)) => {
                simulator.enqueue(Step::Zero { address: *address, bytes: buffer.num_bytes() })?;
            }
            _ => bail!(OTHER_DEVICE),
        }
        self.keep(&buffer.memory);
        Ok(())
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
        let start = buffer.part(start, data.len())?;
        match (&self.kind, &*buffer.memory) {
            (Kind::Gpu(gpu), Memory::Gpu(memory)) => gpu.write(bytes, memory, start),
            (Kind::Sim(simulator), Memory::Sim(_, address)) => simulator.write(address + start as u64, bytes),
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
        let start = from.start * size_of::<T>();
        let bytes = count * size_of::<T>();
        match (&self.kind, &*from.buffer.memory, &*to.memory) {
            (_, _, _) if count == 0 => return Ok(()),
            (Kind::Gpu(gpu), Memory::Gpu(from), Memory::Gpu(to)) => {
                gpu.memcpy_async(from, start, to, bytes)?
            }
            (Kind::Sim(simulator), Memory::Sim(_, from), Memory::Sim(_, to)) => {
                simulator.enqueue(Step::Copy { from: from + start as u64, to: *to, bytes })?;
            }
            _ => bail!(OTHER_DEVICE),
        }
        self.keep(&from.buffer.memory);
        self.keep(&to.memory);
        Ok(())
    }

    /// Lets the host `work` on a buffer of [`Device::alloc_host`], once all work of this device before and
    /// all that uses the buffer is done.
    ///
    /// # Errors
    /// The buffer lies elsewhere, or a graph holds it; a kernel went wrong.
    pub fn on_host<T: Pod, R>(&self, buffer: &mut Buffer<T>, work: impl FnOnce(&mut [T]) -> R) -> Result<R> {
        self.synchronize()?;
        let len = buffer.len;
        let memory = Rc::get_mut(&mut buffer.memory);
        let memory = memory.context("a graph holds the buffer; the host works on it before or after")?;
        match (&self.kind, memory) {
            (Kind::Gpu(_), Memory::Gpu(memory)) => {
                let bytes =
                    memory.host_bytes()?.context("the buffer lies on a GPU, where the host cannot work")?;
                Ok(work(bytemuck::cast_slice_mut(bytes)))
            }
            (Kind::Sim(simulator), Memory::Sim(_, address)) => {
                let mut elements = vec![T::zeroed(); len];
                simulator.read(*address, bytemuck::cast_slice_mut(&mut elements))?;
                let result = work(&mut elements);
                simulator.write(*address, bytemuck::cast_slice(&elements))?;
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
        match word(buffer) {
            Some(word) => {
                word.store(0, Ordering::Release);
                Ok(())
            }
            None => self.memset_zeros(buffer),
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
        let Some(word) = word(buffer) else { return Ok(()) };
        let is_set = || word.load(Ordering::Acquire) != 0;
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
        let start = buffer.part(elements.start, elements.len())?;
        let mut data = vec![T::zeroed(); elements.len()];
        let bytes = bytemuck::cast_slice_mut(&mut data);
        match (&self.kind, &*buffer.memory) {
            (Kind::Gpu(gpu), Memory::Gpu(memory)) => gpu.read(memory, start, bytes)?,
            (Kind::Sim(simulator), Memory::Sim(_, address)) => {
                simulator.read(address + start as u64, bytes)?
            }
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
        match (&self.kind, &*buffer.memory) {
            (Kind::Sim(simulator), Memory::Sim(_, address)) => Ok(simulator.core.borrow_mut().take(*address)),
            _ => Ok((self.clone_dtoh(&buffer)?, None)),
        }
    }

    /// Whether these `elements` of `buffer` have been written, by the host or by a kernel under the
    /// simulator's checks. A GPU does not know, and says yes.
    pub fn is_defined<T>(&self, buffer: &Buffer<T>, elements: Range<usize>) -> bool {
        let start = elements.start * size_of::<T>();
        let bytes = elements.len() * size_of::<T>();
        match &*buffer.memory {
            Memory::Gpu(_) => true,
            Memory::Sim(simulator, address) => {
                simulator.core.borrow().is_defined(address + start as u64, bytes)
            }
        }
    }
}

fn same_length(from: usize, to: usize) -> Result<()> {
    ensure!(from == to, "a copy of {from} elements into a buffer of {to}: the lengths must be the same");
    Ok(())
}

/// Bytes of `len` elements.
fn bytes_of<T>(len: usize) -> Result<usize> {
    len.checked_mul(size_of::<T>()).context("the buffer is larger than the address space")
}

/// The first word of a buffer that lies on the host of a GPU.
fn word(buffer: &Buffer<u32>) -> Option<&AtomicU32> {
    buffer.memory.on_gpu()?.word()
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

    /// At which byte `count` elements from `start` on begin.
    fn part(&self, start: usize, count: usize) -> Result<usize> {
        let is_within = start.checked_add(count).is_some_and(|end| end <= self.len);
        ensure!(is_within, "a copy of {count} elements from element {start} on, of a buffer of {}", self.len);
        Ok(start * size_of::<T>())
    }

    /// Elements times the size of one.
    pub fn num_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The addresses of its elements, on its device: what a kernel and an observer see of it.
    pub fn addresses(&self) -> Range<u64> {
        let start = self.memory.address();
        start..start + self.num_bytes() as u64
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
        self.buffer.memory.address() + (self.start * size_of::<T>()) as u64
    }
}
