//! The launches of a rung, from the array to one sum: checked once, so that only the driver's call is timed.

use anyhow::{Context, Result, ensure};
use bytemuck::Pod;
use workbook::chapter::Shape;
use workbook::device::{Buffer, Device, Function, LaunchConfig, Prepared, View};

use super::choice::{MAX_BLOCKS_IN_DIGITS, MAX_ELEMENTS, scratch_words};
use super::rung::Finish;

/// The launches of a rung.
pub struct Chain<'a, T> {
    device: &'a Device,
    launches: Vec<Prepared<'a>>,
    output: Buffer<T>,
    /// Partial sums between launches; kept, since the launches name them.
    _partials: [Buffer<T>; 2],
    /// Scratch memory of a kernel that finishes in one launch; of this chain alone.
    scratch: Buffer<u64>,
}

impl<'a, T: Pod> Chain<'a, T> {
    // ANCHOR: chain
    /// `function` on `n` elements of `input`, first in the shape `first`, and as its rung finishes: later
    /// launches have the shape of `next`.
    pub fn new(
        device: &'a Device,
        function: &'a Function,
        finish: Finish,
        input: &Buffer<T>,
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
        let output = device.alloc_zeros::<T>(1)?;
        let partials = [device.alloc_zeros(first.grid as usize)?, device.alloc_zeros(first.grid as usize)?];
        let scratch = device.alloc_zeros::<u64>(scratch_words(first.grid))?; // 0 before the first launch

        let mut launches = Vec::new();
        let mut from = input;
        let mut left = n;
        let mut shape = first;
        loop {
            let is_last = in_one_launch || shape.grid == 1;
            let to = if is_last { &output } else { &partials[launches.len() % 2] };
            ensure!(left <= MAX_ELEMENTS, "{left} elements are more than the {MAX_ELEMENTS} that fit");
            let size = left as u32;
            let mut launch = device.launch_builder(function);
            launch.arg(from).arg(to).arg(&size);
            if in_one_launch {
                launch.arg(&scratch);
            }
            launches.push(launch.prepare(LaunchConfig::new(shape.grid, shape.block))?);
            if is_last {
                return Ok(Chain { device, launches, output, _partials: partials, scratch });
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
    // ANCHOR_END: chain

    /// The result of the last launch, once it is done. The scratch memory has to be ready for the next.
    pub fn sum(&self) -> Result<T> {
        let left = self.device.clone_dtoh(&self.scratch)?[0];
        ensure!(left == 0, "a launch left {left:#x} in its scratch memory; the next would give a wrong sum");
        Ok(self.device.clone_dtoh(&self.output)?[0])
    }

    /// Blocks and threads of the first launch.
    pub fn config(&self) -> LaunchConfig {
        self.launches[0].config
    }
}
