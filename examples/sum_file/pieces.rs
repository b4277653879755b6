//! The pieces in flight: several streams per GPU, each with a piece in pinned memory and one on the GPU.

use std::sync::mpsc::{Receiver, sync_channel};

use anyhow::{Context, Error, Result};
use rayon::Scope;
use workbook::build::kernels::Build;
use workbook::device::{Buffer, Device, Function, LaunchConfig, Pinned};
use workbook::number::thousands;
use workbook::sim::Diagnostic;

use super::checkpoint::Checkpoint;
use super::source::Source;

/// Threads per block: the kernel is compiled for it.
const BLOCK: u32 = 512;
/// The most blocks: eight per multiprocessor of an H200.
const MOST_BLOCKS: usize = 1056;
/// The most pieces that are being read at a time. With fewer, cores are idle while the last parts of a piece
/// are read; with many more, all get ready at the same time, and the GPUs wait until then.
const AT_ONCE: usize = 4;

/// A stream with its buffers.
struct Slot {
    device: Device,
    kernel: Function,
    /// The cores write here, while no copy reads; they have it as long as they do.
    pinned: Option<Pinned<i32>>,
    /// Where it comes back from them.
    filled: Option<Receiver<(Pinned<i32>, Result<()>)>>,
    input: Buffer<i32>,
    partials: Buffer<i64>,
    ticket: Buffer<u32>,
    /// Where the kernel leaves the sum, in the host's memory.
    sum: Buffer<i64>,
    /// Numbers of the piece that is under way.
    numbers: usize,
}

impl Slot {
    fn new(device: Device, kernel: Function, piece: usize) -> Result<Slot> {
        Ok(Slot {
            kernel,
            pinned: Some(device.alloc_pinned(piece)?),
            filled: None,
            partials: device.alloc(MOST_BLOCKS)?,
            ticket: device.alloc_zeros(1)?,
            sum: device.alloc_host(1)?,
            input: device.alloc(piece)?,
            numbers: 0,
            device,
        })
    }

    // ANCHOR: slot
    /// Lets the cores put the numbers from number `start` on into pinned memory; does not wait for them.
    fn fill<'a>(&mut self, cores: &Scope<'a>, source: &'a Source, start: u64, numbers: usize) {
        let Some(mut pinned) = self.pinned.take() else { return };
        let (give_back, filled) = sync_channel(1);
        (self.filled, self.numbers) = (Some(filled), numbers);
        cores.spawn(move |_| {
            let read = source.fill(start, &mut pinned.as_mut_slice()[..numbers]);
            let _ = give_back.send((pinned, read));
        });
    }

    /// Waits for the cores. Copies the numbers to the GPU, and adds them; does not wait for either.
    fn start(&mut self) -> Result<()> {
        let filled = self.filled.take().context("nothing is to be copied")?;
        let (pinned, read) = filled.recv().context("a thread that reads has ended")?;
        read?;
        let pinned = self.pinned.insert(pinned);
        self.device.memcpy_pinned(pinned, &self.input, self.numbers)?;
        let mut launch = self.device.launch_builder(&self.kernel);
        launch.arg(&self.input).arg(&self.sum).arg(&(self.numbers as u32));
        launch.arg(&self.partials).arg(&self.ticket);
        let blocks = self.numbers.div_ceil(4 * BLOCK as usize).clamp(1, MOST_BLOCKS);
        launch.launch(LaunchConfig::new(blocks as u32, BLOCK))
    }

    /// Waits for the GPU, and adds its sum.
    fn finish(&mut self, at: &mut Checkpoint) -> Result<()> {
        let sum = i128::from(self.device.clone_dtoh(&self.sum)?[0]);
        at.sum = at.sum.checked_add(sum).context("the sum has more than 128 bits")?;
        at.done += self.numbers as u64;
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
    pub fn new(devices: &[Device], build: &Build, streams: usize, piece: usize) -> Result<Pieces> {
        let mut slots = Vec::new();
        for _ in 0..streams {
            for device in devices {
                let device = device.another_stream()?;
                let kernel = device.load_module(build)?.load_function("reducePiece")?;
                slots.push(Slot::new(device, kernel, piece).map_err(|error| no_room(error, streams, piece))?);
            }
        }
        Ok(Pieces { slots, piece })
    }

    /// Goes on from `at` to the end of `source`, which it is of. Pieces go to the slots in turn and come back in the same
    /// order, so `at` is always the sum of all numbers before an offset. `after` sees it after each piece.
    pub fn sum(
        &mut self,
        source: &Source,
        at: &mut Checkpoint,
        mut after: impl FnMut(&Checkpoint),
    ) -> Result<()> {
        let (mut next, all, slots) = (at.done, at.source.numbers, self.slots.len());
        let mut finish = |slot: &mut Slot| slot.finish(at).map(|()| after(at));
        // Pieces so far.
        let (mut filling, mut started, mut finished) = (0, 0, 0);
        rayon::in_place_scope(|cores| {
            loop {
                while next < all && filling - finished < slots && filling - started < AT_ONCE {
                    let numbers = self.piece.min((all - next) as usize);
                    self.slots[filling % slots].fill(cores, source, next, numbers);
                    (filling, next) = (filling + 1, next + numbers as u64);
                }
                if started < filling {
                    self.slots[started % slots].start()?; // waits for the cores, not for the GPUs
                    started += 1;
                } else if finished < started {
                    finish(&mut self.slots[finished % slots])?; // waits for a GPU
                    finished += 1;
                } else {
                    return Ok(());
                }
                while finished < started && self.slots[finished % slots].device.is_idle()? {
                    finish(&mut self.slots[finished % slots])?;
                    finished += 1;
                }
            }
        })
    }
}
