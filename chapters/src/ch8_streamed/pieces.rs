//! From the host's memory to the GPUs: in one piece or in many, in one stream or in two.

use anyhow::Result;
use workbook::chapter::{Case, Outcome};
use workbook::device::{Buffer, Device, Function, KernelArg, LaunchConfig};

/// Threads per block: the kernel is compiled for it.
pub const BLOCK: u32 = 512;
/// The most elements of a piece: 32 MiB, which take half a millisecond to copy.
const MAX_ELEMENTS: usize = 1 << 23;
/// The fewest of a piece: 1 MiB, which take about as long as starting a copy and a kernel.
const MIN_ELEMENTS: usize = 1 << 18;
/// Elements that a block has at least: four loads of 16 bytes per thread. With one it takes 2.7 times as many
/// instructions per element, since each block then adds up its threads' sums.
const TILE: usize = 16 * BLOCK as usize;

/// Elements of a piece: a sixteenth, but neither so few that starting a copy is what it costs, nor this many
/// that the first copy is long, which no kernel can hide behind.
pub fn piece(n: usize) -> usize {
    n.div_ceil(16).clamp(MIN_ELEMENTS, MAX_ELEMENTS).next_multiple_of(4)
}

/// Blocks for a piece.
pub fn blocks(elements: usize) -> u32 {
    elements.div_ceil(TILE).clamp(1, 1056) as u32
}

/// A stream of a GPU, with room for a piece.
struct Slot<'a> {
    device: Device,
    kernel: &'a Function,
    input: Buffer<i32>,
    partials: Buffer<i64>,
    ticket: Buffer<u32>,
}

impl<'a> Slot<'a> {
    fn new(device: Device, kernel: &'a Function, elements: usize) -> Result<Slot<'a>> {
        let input = device.alloc(elements)?;
        let partials = device.alloc(blocks(elements) as usize)?;
        let ticket = device.alloc_zeros(1)?;
        Ok(Slot { device, kernel, input, partials, ticket })
    }

    /// Puts the sum of the first elements of its input into the stream.
    fn add<'s>(&'s self, elements: usize, sum: impl KernelArg<'s>) -> Result<()> {
        let mut launch = self.device.launch_builder(self.kernel);
        launch.arg(&self.input).arg(sum).arg(&(elements as u32)).arg(&self.partials).arg(&self.ticket);
        launch.launch(LaunchConfig::new(blocks(elements), BLOCK))
    }
}

// ANCHOR: streamed
/// Piece after piece, each to the next stream of the next GPU. What is in one stream waits for what
/// is before it there: the kernel for its copy, and the next copy for the kernel. Streams do not wait
/// for each other.
pub fn streamed(case: &Case, devices: &[&Device], streams: usize) -> Result<Outcome> {
    let array = pinned(case)?;
    let kernels = case.kernels()?;
    let n = case.data.len();
    let piece = piece(n);
    let sums = case.device.alloc_host::<i64>(n.div_ceil(piece))?; // one per piece
    let mut slots = Vec::new();
    for _ in 0..streams {
        for (device, kernel) in devices.iter().zip(&kernels) {
            slots.push(Slot::new(device.another_stream()?, kernel, piece)?);
        }
    }
    let cost = case.device.measure_until_done(|| {
        for (number, start) in (0..n).step_by(piece).enumerate() {
            let slot = &slots[number % slots.len()];
            let elements = piece.min(n - start);
            slot.device.memcpy_async(&array.slice(start..), &slot.input, elements)?;
            slot.add(elements, &sums.slice(number..))?;
        }
        slots.iter().try_for_each(|slot| slot.device.synchronize())
    })?;
    outcome(case, &sums, cost)
}
// ANCHOR_END: streamed

/// The whole share of each GPU, then its sum.
pub fn copied_and_summed(case: &Case, devices: &[&Device]) -> Result<Outcome> {
    shares(case, devices, |share, array, sums| {
        share.slot.device.memcpy_async(&array.slice(share.start..), &share.slot.input, share.elements)?;
        share.slot.add(share.elements, &sums.slice(share.number..))
    })
}

/// The copies alone; what has arrived is added afterwards.
pub fn copied(case: &Case, devices: &[&Device]) -> Result<Outcome> {
    shares(case, devices, |share, array, _| {
        share.slot.device.memcpy_async(&array.slice(share.start..), &share.slot.input, share.elements)
    })
}

/// From memory that the system may move, so that the driver copies it to pinned memory of its own first.
pub fn pageable(case: &Case, devices: &[&Device]) -> Result<Outcome> {
    shares(case, devices, |share, _, sums| {
        let data = &case.data[share.start..share.start + share.elements];
        share.slot.device.memcpy_htod(data, &share.slot.input)?;
        share.slot.add(share.elements, &sums.slice(share.number..))
    })
}

/// What one GPU has of the array, in one piece.
struct Share<'a> {
    slot: Slot<'a>,
    number: usize,
    start: usize,
    elements: usize,
}

/// What `start` puts into the stream of each share costs.
fn shares(
    case: &Case,
    devices: &[&Device],
    start: impl Fn(&Share, &Buffer<i32>, &Buffer<i64>) -> Result<()>,
) -> Result<Outcome> {
    let array = pinned(case)?;
    let kernels = case.kernels()?;
    let n = case.data.len();
    let sums = case.device.alloc_host::<i64>(devices.len())?;
    let each = n.div_ceil(devices.len()).next_multiple_of(4);
    let mut shares = Vec::new();
    for (number, (device, kernel)) in devices.iter().zip(&kernels).enumerate() {
        let [start, end] = [number, number + 1].map(|k| (k * each).min(n));
        let slot = Slot::new(device.another_stream()?, kernel, end - start)?;
        shares.push(Share { slot, number, start, elements: end - start });
    }
    let cost = case.device.measure_until_done(|| {
        shares.iter().try_for_each(|share| start(share, &array, &sums))?;
        shares.iter().try_for_each(|share| share.slot.device.synchronize())
    })?;
    shares.iter().try_for_each(|share| share.slot.add(share.elements, &sums.slice(share.number..)))?;
    shares.iter().try_for_each(|share| share.slot.device.synchronize())?;
    outcome(case, &sums, cost)
}

/// The numbers in pinned memory: it stays where it is, so that the copy needs no help of the CPU.
fn pinned(case: &Case) -> Result<Buffer<i32>> {
    let mut array = case.device.alloc_host(case.data.len())?;
    case.device.on_host(&mut array, |array| array.copy_from_slice(case.data))?;
    Ok(array)
}

/// The sum of the pieces, which is exact, as the 32 bits that this book's other sums have.
fn outcome(case: &Case, sums: &Buffer<i64>, cost: workbook::device::measure::Measurement) -> Result<Outcome> {
    let sum: i64 = case.device.clone_dtoh(sums)?.iter().sum();
    Ok(Outcome::new(sum as i32, cost))
}
