//! [`Pinned`]: numbers in the host's memory, to be copied to a GPU.

use anyhow::{Result, anyhow, bail, ensure};
use bytemuck::Pod;
use bytemuck::allocation::try_zeroed_vec;

use super::buffer::Buffer;
use super::cuda;
use super::device::{Device, Kind, OTHER_DEVICE};
use crate::record::DeviceKind;

/// Elements in the host's memory: pinned, where they go to a GPU, which copies them by itself while the host
/// does other things. Any thread may fill them, and it alone then has them.
pub struct Pinned<T>(Memory<T>);

enum Memory<T> {
    Gpu(cuda::HostMemory),
    Plain(Vec<T>),
}

impl Device {
    /// `len` elements, all bytes 0.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn alloc_pinned<T: Pod>(&self, len: usize) -> Result<Pinned<T>> {
        Ok(Pinned(match &self.kind {
            Kind::Gpu(gpu) => Memory::Gpu(gpu.alloc_host(len * size_of::<T>())?),
            Kind::Sim(_) | Kind::Cpu => Memory::Plain(
                try_zeroed_vec(len).map_err(|()| anyhow!("the host has no room for {len} numbers"))?,
            ),
        }))
    }

    /// Copies the first `count` elements of `from` to the beginning of `to`, in the order of this device's
    /// work and without waiting: until that is done, nobody may change `from`.
    ///
    /// # Errors
    /// One of them is shorter, or another device's.
    pub fn memcpy_pinned<T: Pod>(&self, from: &Pinned<T>, to: &Buffer<T>, count: usize) -> Result<()> {
        ensure!(to.len() >= count, "a copy of {count} elements into a buffer of {}", to.len());
        match (&self.kind, &from.0, to.on()) {
            (Kind::Gpu(gpu), Memory::Gpu(memory), DeviceKind::Gpu) => {
                let bytes = count * size_of::<T>();
                ensure!(memory.num_bytes() >= bytes, "a copy of {bytes} bytes from {}", memory.num_bytes());
                gpu.memcpy_async(memory.address(), to.address, bytes)
            }
            (Kind::Sim(simulator), Memory::Plain(elements), DeviceKind::Sim) => {
                ensure!(elements.len() >= count, "a copy of {count} elements from {}", elements.len());
                simulator.write(to.address, bytemuck::cast_slice(&elements[..count]))
            }
            _ => bail!(OTHER_DEVICE),
        }
    }
}

impl<T: Pod> Pinned<T> {
    /// The elements, to be filled.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match &mut self.0 {
            Memory::Gpu(memory) => bytemuck::cast_slice_mut(memory.bytes_mut()),
            Memory::Plain(elements) => elements,
        }
    }
}
