//! The pieces in flight: several streams per GPU, each with a piece in pinned memory and one on the GPU.

use anyhow::{Error, Result};
use workbook::device::{Buffer, Device, Function, LaunchConfig};
use workbook::kernels;
use workbook::sim::Diagnostic;
use workbook::text::number::thousands;

use super::checkpoint::Checkpoint;
use super::source::Source;

/// Where the kernel is.
const KERNELS: &str = "ch8_streamed";
/// Threads per block: the kernel is compiled for it.
const BLOCK: u32 = 512;
/// The most blocks: eight per multiprocessor of an H200.
const MAX_BLOCKS: usize = 1056;

/// A stream with its buffers.
struct Slot {
    device: Device,
    kernel: Function,
    /// The cores write here, while no copy reads.
    pinned: Buffer<i32>,
    input: Buffer<i32>,
    partials: Buffer<i64>,
    ticket: Buffer<u32>,
    /// Where the kernel leaves the sum, in the host's memory.
    sum: Buffer<i64>,
    /// Numbers of the piece that is under way, if one is.
    numbers: usize,
}

impl Slot {
    fn new(device: Device, kernel: Function, piece: usize) -> Result<Slot> {
        Ok(Slot {
            kernel,
            // What is small comes first: then it is a piece that finds no room.
            partials: device.alloc(MAX_BLOCKS)?,
            ticket: device.alloc_zeros(1)?,
            sum: device.alloc_host(1)?,
            input: device.alloc(piece)?,
            pinned: device.alloc_host(piece)?,
            numbers: 0,
            device,
        })
    }

    // ANCHOR: slot
    /// All cores put the numbers from number `start` on into pinned memory. Then they are copied to the GPU
    /// and added, which is not waited for.
    fn start(&mut self, source: &Source, start: u64, numbers: usize) -> Result<()> {
        self.device.on_host(&mut self.pinned, |to| source.fill(start, &mut to[..numbers]))??;
        self.numbers = numbers;
        self.device.memcpy_async(&self.pinned.slice(0..), &self.input, numbers)?;
        let mut launch = self.device.launch_builder(&self.kernel);
        launch.arg(&self.input).arg(&self.sum).arg(&(numbers as u32));
        launch.arg(&self.partials).arg(&self.ticket);
        let blocks = numbers.div_ceil(4 * BLOCK as usize).clamp(1, MAX_BLOCKS);
        launch.launch(LaunchConfig::new(blocks as u32, BLOCK))
    }

    /// Waits for the GPU, and adds its sum.
    fn finish(&mut self, at: &mut Checkpoint) -> Result<()> {
        at.sum += i128::from(self.device.clone_dtoh(&self.sum)?[0]);
        at.done += std::mem::take(&mut self.numbers) as u64;
        Ok(())
    }
    // ANCHOR_END: slot
}

/// The buffers of a slot do not fit. The simulator's advice is about `simulate`, so it is left out.
fn no_room(error: Error, streams: usize, piece: usize) -> Error {
    let error =
        error.downcast::<Diagnostic>().map_or_else(|error| error, |found| Error::msg(found.message()));
    error.context(format!(
        "cannot hold {streams} × {} numbers on each GPU; try a smaller --piece or fewer --streams",
        thousands(piece as i64)
    ))
}

/// All slots.
pub struct Pieces {
    slots: Vec<Slot>,
    piece: usize,
}

impl Pieces {
    /// `streams` of each of `devices`, for pieces of this many numbers.
    pub fn new(devices: &[Device], streams: usize, piece: usize) -> Result<Pieces> {
        let mut slots = Vec::new();
        let load = |device| kernels::load(device, KERNELS);
        let modules = devices.iter().map(load).collect::<Result<Vec<_>>>()?;
        for _ in 0..streams {
            for (device, module) in devices.iter().zip(&modules) {
                let device = device.another_stream()?;
                let kernel = module.load_function("reducePiece")?;
                slots.push(Slot::new(device, kernel, piece).map_err(|error| no_room(error, streams, piece))?);
            }
        }
        Ok(Pieces { slots, piece })
    }

    /// Goes on from `at` to the end of its `source`. Pieces go to the slots in turn and come back in the same
    /// order, so `at` is always the sum of all numbers before an offset. `after` sees it after each piece.
    pub fn sum(
        &mut self,
        source: &Source,
        at: &mut Checkpoint,
        mut after: impl FnMut(&Checkpoint),
    ) -> Result<()> {
        let first = at.done;
        let all = at.source.numbers;
        let slots = self.slots.len();
        let pieces = (first..all).step_by(self.piece).map(Some);
        // Behind the last piece each slot has its turn once more.
        for (turn, start) in pieces.chain(std::iter::repeat_n(None, slots)).enumerate() {
            let slot = &mut self.slots[turn % slots];
            if slot.numbers > 0 {
                slot.finish(at)?;
                after(at);
            }
            if let Some(start) = start {
                slot.start(source, start, self.piece.min((all - start) as usize))?;
            }
        }
        Ok(())
    }
}
