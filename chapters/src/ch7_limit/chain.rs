//! The launches of a rung, from the array to one sum: checked once, so that only the driver's call is timed.

use anyhow::{Context, Result, ensure};
use bytemuck::Pod;
use workbook::chapter::Shape;
use workbook::device::{Buffer, Device, Function, LaunchConfig, Prepared, View};

use super::choice::{MAX_BLOCKS_IN_DIGITS, MAX_ELEMENTS, scratch_words};
use super::rung::Finish;

/// The launches of a rung.
pub struct Chain<'a, T> {
    launches: Vec<Prepared<'a>>,
    memory: &'a Memory<'a, T>,
}

/// What a chain works on beside its input; of this chain alone.
pub struct Memory<'a, T> {
    device: &'a Device,
    output: Buffer<T>,
    /// Partial sums between launches.
    partials: [Buffer<T>; 2],
    /// Of a kernel that finishes in one launch.
    scratch: Buffer<u64>,
}

impl<'a, T: Pod> Memory<'a, T> {
    /// For a chain whose first launch has this many blocks.
    pub fn new(device: &'a Device, blocks: u32) -> Result<Memory<'a, T>> {
        let partials = [device.alloc_zeros(blocks as usize)?, device.alloc_zeros(blocks as usize)?];
        let scratch = device.alloc_zeros(scratch_words(blocks))?; // 0 before the first launch
        Ok(Memory { device, output: device.alloc_zeros(1)?, partials, scratch })
    }
}

impl<'a, T: Pod> Chain<'a, T> {
    /// `function` on `n` elements of `input`, first in the shape `first`, and as its rung finishes: later
    /// launches have the shape of `next`.
    pub fn new(
        memory: &'a Memory<'a, T>,
        function: &'a Function,
        finish: Finish,
        input: &'a Buffer<T>,
        n: u64,
        first: Shape,
        next: impl Fn(u64) -> Shape,
    ) -> Result<Chain<'a, T>> {
        let in_one_launch = finish == Finish::InOneLaunch;
        ensure!(
            !in_one_launch || first.grid <= MAX_BLOCKS_IN_DIGITS,
            "{} counts its blocks up to {MAX_BLOCKS_IN_DIGITS}, and {} were asked for",
            function.name,
            first.grid
        );
        let mut launches = Vec::new();
        let mut from = input;
        let mut left = n;
        let mut shape = first;
        loop {
            let is_last = in_one_launch || shape.grid == 1;
            let to = if is_last { &memory.output } else { &memory.partials[launches.len() % 2] };
            ensure!(left <= MAX_ELEMENTS, "{left} elements are more than the {MAX_ELEMENTS} that fit");
            let size = left as u32;
            let mut launch = memory.device.launch_builder(function);
            launch.arg(from).arg(to).arg(&size);
            if in_one_launch {
                launch.arg(&memory.scratch);
            }
            launches.push(launch.prepare(LaunchConfig::new(shape.grid, shape.block))?);
            if is_last {
                return Ok(Chain { launches, memory });
            }
            from = to;
            left = shape.grid.into();
            shape = next(left);
        }
    }

    /// Puts all launches into the stream; the first reads `input`.
    pub fn launch(&self, input: &View<T>) -> Result<()> {
        let (first, others) = self.launches.split_first().context("a chain has a launch")?;
        first.launch_on(input)?;
        others.iter().try_for_each(Prepared::launch)
    }

    /// The result of the last launch, once it is done. The scratch memory has to be ready for the next.
    pub fn sum(&self) -> Result<T> {
        let left = self.memory.device.clone_dtoh(&self.memory.scratch)?[0];
        ensure!(left == 0, "a launch left {left:#x} in its scratch memory; the next would give a wrong sum");
        Ok(self.memory.device.clone_dtoh(&self.memory.output)?[0])
    }

    /// Blocks and threads of the first launch.
    pub fn config(&self) -> LaunchConfig {
        self.launches[0].config
    }
}
