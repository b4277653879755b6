//! What is compared, and the arrays that it adds up.

use std::cell::Cell;

use anyhow::Result;
use bytemuck::Pod;
use workbook::chapter::Shape;
use workbook::device::{Buffer, Device, Function, LaunchConfig, Prepared, View};

use super::chain::Chain;
use super::libraries::{Cub, Libraries, Summed};

/// Shape of the empty kernel.
const EMPTY: Shape = Shape { block: 32, grid: 1 };

/// Several times the bytes of the L2 cache.
pub const FLUSH_BYTES: usize = 256 << 20;

/// What is compared.
pub enum Work<'a, T> {
    Ours(Chain<'a, T>),
    /// A kernel of the sweep.
    Candidate(Prepared<'a>),
    Nothing(Prepared<'a>),
    Cub(Cub<'a, T>),
    Thrust(&'a Libraries, usize),
}

impl<'a, T: Summed> Work<'a, T> {
    /// An empty kernel.
    pub fn nothing(device: &'a Device, function: &'a Function) -> Result<Work<'a, T>> {
        let config = LaunchConfig::new(EMPTY.grid, EMPTY.block);
        Ok(Work::Nothing(device.launch_builder(function).prepare(config)?))
    }

    /// One call, on the array at the start of `input`.
    pub fn call(&self, input: &View<T>) -> Result<()> {
        match self {
            Work::Ours(chain) => chain.launch(input),
            Work::Candidate(launch) => launch.launch_on(input),
            Work::Nothing(launch) => launch.launch(),
            Work::Cub(cub) => cub.launch(input),
            Work::Thrust(library, n) => library.thrust(input, *n).map(drop),
        }
    }

    /// The sum of one call; `None` of a kernel that keeps none here.
    pub fn sum(&self, input: &View<T>) -> Result<Option<T>> {
        self.call(input)?;
        Ok(match self {
            Work::Ours(chain) => Some(chain.sum()?),
            Work::Candidate(_) | Work::Nothing(_) => None,
            Work::Cub(cub) => Some(cub.sum()?),
            Work::Thrust(library, n) => Some(library.thrust(input, *n)?),
        })
    }

    /// Threads per block, and blocks of the first launch, where they are known.
    pub fn shape(&self) -> Shape {
        match self {
            Work::Ours(chain) => {
                let LaunchConfig { grid_dim, block_dim, .. } = chain.config();
                Shape { block: block_dim.0, grid: grid_dim.0 }
            }
            Work::Nothing(_) => EMPTY,
            Work::Candidate(_) | Work::Cub(_) | Work::Thrust(..) => Shape::CPU,
        }
    }

    /// Thrust allocates and waits, which a graph cannot hold.
    pub fn in_graph(&self) -> bool {
        !matches!(self, Work::Thrust(..))
    }

    /// Whose it is, if it is not ours.
    pub fn library(&self) -> Option<String> {
        match self {
            Work::Ours(_) | Work::Candidate(_) | Work::Nothing(_) => None,
            Work::Cub(cub) => Some(format!("CUB {}", cub.version())),
            Work::Thrust(..) => Some("Thrust".to_string()),
        }
    }
}

/// Copies of an array on the GPU, one after the other, to be taken in turns: if they are some times as large
/// as the L2 cache, the others have passed through it by the time a copy is used again.
pub struct Copies<T> {
    /// Holds them all.
    pub buffer: Buffer<T>,
    /// Bytes of one.
    pub bytes: usize,
    count: usize,
    start: usize,
    stride: usize,
    next: Cell<usize>,
}

impl<T: Pod> Copies<T> {
    /// As many of `array` as fill the L2 cache twice over. They begin `start` elements after multiples of 256
    /// bytes, where allocations begin. What lies between them is `around`: no 0, so it would show in a sum.
    pub fn of(array: Vec<T>, start: usize, around: T, device: &Device) -> Result<Copies<T>> {
        let bytes = size_of_val(&*array);
        let stride = (start + array.len()).next_multiple_of(256 / size_of::<T>());
        let mut host = [vec![around; start], array].concat();
        host.resize(stride, around);
        let count = (2 * FLUSH_BYTES / bytes).clamp(if (bytes as u64) < 1 << 32 { 2 } else { 1 }, 1 << 16);
        let buffer = device.clone_htod(&host.repeat(count))?;
        Ok(Copies { buffer, bytes, count, start, stride, next: Cell::new(0) })
    }

    /// The first one.
    pub fn first(&self) -> View<'_, T> {
        self.buffer.slice(self.start..)
    }

    /// The one that was used longest ago.
    pub fn next(&self) -> View<'_, T> {
        let copy = self.next.get();
        self.next.set((copy + 1) % self.count);
        self.buffer.slice(copy * self.stride + self.start..)
    }
}
