//! The pieces on their way: several streams per GPU, each with a piece in pinned memory and one on the GPU.

use anyhow::Result;
use workbook::build::kernels::Build;
use workbook::device::{Buffer, Device, Function, LaunchConfig};

use super::checkpoint::Checkpoint;
use super::source::Source;

/// Threads per block: the kernel is compiled for it.
const BLOCK: u32 = 512;
/// The most blocks: eight per multiprocessor of an H200.
const MOST_BLOCKS: usize = 1056;

/// A stream with its buffers.
struct Slot {
    device: Device,
    kernel: Function,
    /// The host writes here, while no copy reads.
    pinned: Buffer<i32>,
    input: Buffer<i32>,
    partials: Buffer<i64>,
    ticket: Buffer<u32>,
    /// Where the kernel leaves the sum, in the host's memory.
    sum: Buffer<i64>,
    /// Numbers of the piece that is under way; 0 if none is.
    under_way: usize,
}

impl Slot {
    // ANCHOR: slot
    /// Copies the numbers from number `start` on to the GPU, and adds them; does not wait for either.
    fn start(&mut self, source: &Source, start: u64, numbers: usize) -> Result<()> {
        // Once the copy of the piece before has been made; here its sum has been fetched.
        self.device.on_host(&mut self.pinned, |pinned| source.fill(start, &mut pinned[..numbers]))??;
        self.device.memcpy_async(&self.pinned.slice(0..), &self.input, numbers)?;
        let mut launch = self.device.launch_builder(&self.kernel);
        launch.arg(&self.input).arg(&self.sum).arg(&(numbers as u32));
        launch.arg(&self.partials).arg(&self.ticket);
        let blocks = numbers.div_ceil(4 * BLOCK as usize).clamp(1, MOST_BLOCKS);
        launch.launch(LaunchConfig::new(blocks as u32, BLOCK))?;
        self.under_way = numbers;
        Ok(())
    }

    /// Waits for the piece that is under way, and adds its sum.
    fn finish(&mut self, at: &mut Checkpoint) -> Result<()> {
        at.sum += i128::from(self.device.clone_dtoh(&self.sum)?[0]);
        at.done += self.under_way as u64;
        self.under_way = 0;
        Ok(())
    }
    // ANCHOR_END: slot
}

/// All slots.
pub struct Pieces {
    slots: Vec<Slot>,
    piece: usize,
}

impl Pieces {
    /// `streams` of each of `devices`, for pieces of so many numbers.
    pub fn new(devices: &[Device], build: &Build, streams: usize, piece: usize) -> Result<Pieces> {
        let mut slots = Vec::new();
        for _ in 0..streams {
            for device in devices {
                let device = device.another_stream()?;
                slots.push(Slot {
                    kernel: device.load_module(build)?.load_function("reducePiece")?,
                    pinned: device.alloc_host(piece)?,
                    input: device.alloc(piece)?,
                    partials: device.alloc(MOST_BLOCKS)?,
                    ticket: device.alloc_zeros(1)?,
                    sum: device.alloc_host(1)?,
                    under_way: 0,
                    device,
                });
            }
        }
        Ok(Pieces { slots, piece })
    }

    // ANCHOR: sum
    /// Goes on from `at` to the end of `source`. Pieces go to the slots in turn and come back in the same
    /// order, so `at` is always the sum of all numbers before an offset. `after` sees it after each piece.
    pub fn sum(
        &mut self,
        source: &Source,
        at: &mut Checkpoint,
        mut after: impl FnMut(&Checkpoint) -> Result<()>,
    ) -> Result<()> {
        let (mut next, slots) = (at.done, self.slots.len());
        for turn in (0..slots).cycle() {
            let slot = &mut self.slots[turn];
            if slot.under_way > 0 {
                slot.finish(at)?;
                after(at)?;
            }
            if next < source.len() {
                let numbers = self.piece.min((source.len() - next) as usize);
                slot.start(source, next, numbers)?;
                next += numbers as u64;
            } else if at.done == next {
                break;
            }
        }
        source.check()
    }
    // ANCHOR_END: sum
}
