//! The array in shares: one per GPU, in its own memory.

use anyhow::Result;
use workbook::chapter::{Case, Shape};
use workbook::device::{Buffer, Device, LaunchConfig};
use workbook::reduction::operator::{Operator, elements};

/// Threads per block: the kernels are compiled for it.
const BLOCK: u32 = 512;
/// Bytes that the threads of a block have in flight: four loads of 16 bytes each.
const TILE: u64 = 4 * 16 * BLOCK as u64;
/// The most blocks of one GPU.
const MAX_BLOCKS: u64 = 4224;
/// The most blocks of all GPUs: `reduceIntoPeer` counts them in 16 bits.
pub const MAX_BLOCKS_IN_ALL: u64 = 1 << 15;

/// The shape in which the first of two GPUs runs: a block for each tile of its share, and no more than fit.
pub fn shape(n: u64, _: Shape, _: u32) -> Shape {
    Shape { block: BLOCK, grid: grid(4 * n.div_ceil(2), 2) }
}

/// Blocks for this many bytes on one of this many GPUs.
fn grid(bytes: u64, gpus: u64) -> u32 {
    bytes.div_ceil(TILE).clamp(1, MAX_BLOCKS.min(MAX_BLOCKS_IN_ALL / gpus)) as u32
}

/// One GPU's share.
pub struct Share<'a, T> {
    pub device: &'a Device,
    pub input: Buffer<T>,
    /// Elements, as kernels count them.
    pub size: u32,
    pub config: LaunchConfig,
}

impl<T> Share<'_, T> {
    /// Blocks.
    pub fn blocks(&self) -> u32 {
        self.config.grid_dim.0
    }
}

// ANCHOR: shares
/// The elements of `O` in one share per device, cut at multiples of 16 bytes; the last may be shorter.
pub fn shares<'a, O: Operator>(case: &Case, devices: &[&'a Device]) -> Result<Vec<Share<'a, O::Element>>> {
    let elements = elements::<O>(case.data);
    let each = elements.len().div_ceil(devices.len()).next_multiple_of(4);
    let mut shares = Vec::new();
    for (number, &device) in devices.iter().enumerate() {
        let start = (number * each).min(elements.len());
        let end = (start + each).min(elements.len());
        let own = &elements[start..end];
        let blocks = grid(size_of_val(own) as u64, devices.len() as u64);
        shares.push(Share {
            device,
            input: device.clone_htod(own)?,
            size: own.len() as u32,
            config: LaunchConfig::new(blocks, BLOCK),
        });
    }
    Ok(shares)
}
// ANCHOR_END: shares
