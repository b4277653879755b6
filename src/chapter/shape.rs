//! Threads per block and blocks of a launch, and the sizes that suit a chapter.

use anyhow::{Result, ensure};
use device::{DeviceKind, MAX_BLOCK};
use text::number::thousands;

/// Threads per block, and blocks; both 0 for work of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Threads per block.
    pub block: u32,
    /// Blocks.
    pub grid: u32,
}

impl Shape {
    /// Work of the CPU, where nothing is launched.
    pub const CPU: Shape = Shape { block: 0, grid: 0 };

    /// One thread per element. `--block` alone: as many blocks as the elements need. `--grid` alone: a block
    /// large enough for its share. Both: they must hold the elements. Neither: `default_block`.
    ///
    /// # Errors
    /// If the blocks cannot hold `n` elements.
    pub fn new(n: u64, block: Option<u32>, grid: Option<u32>, default_block: u32) -> Result<Shape> {
        match (block, grid) {
            (None, Some(grid)) => {
                let block = n.div_ceil(grid.into()).max(1);
                ensure!(
                    block <= MAX_BLOCK.into(),
                    "--grid {grid} leaves {} elements per block, and a block has at most {MAX_BLOCK} \
                     threads; give --grid {} or more",
                    thousands(block as i64),
                    n.div_ceil(MAX_BLOCK.into())
                );
                Ok(Shape { block: block as u32, grid })
            }
            (Some(block), Some(grid)) => {
                let threads = u64::from(block) * u64::from(grid);
                ensure!(
                    threads >= n,
                    "--grid {grid} --block {block} makes {} threads, and there are {} elements; leave one of \
                     the two out, or give --grid {} or more",
                    thousands(threads as i64),
                    thousands(n as i64),
                    n.div_ceil(block.into())
                );
                Ok(Shape { block, grid })
            }
            (block, None) => Ok(Shape::of_blocks(n, block.unwrap_or(default_block))),
        }
    }

    /// As many blocks of `block` threads as `n` elements need, at least 1.
    pub fn of_blocks(n: u64, block: u32) -> Shape {
        Shape { block, grid: n.div_ceil(block.into()).max(1) as u32 }
    }
}

/// Where a chapter's kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the CPU: there is nothing to launch.
    Cpu,
    /// In one block, one thread per element.
    OneBlock,
    /// In as many blocks as the elements need.
    ManyBlocks,
    /// The same, for at most this many elements; on the simulator 1/32 of them.
    ManyBlocksUpTo(u64),
    /// In any number of blocks: each thread goes on to further elements until there are none.
    GridStride,
}

/// Blocks in a chapter of grid-stride loops, unless the reader or a kernel wants others: the post's constant.
const GRID_STRIDE_BLOCKS: u32 = 32;
/// The most elements that the simulator takes: some minutes and some hundred megabytes.
const SIM_MAX_N: u64 = 1 << 26;
/// The largest size of a sweep on the simulator: a second or two.
const SIM_SWEEP_N: u64 = 1 << 20;

impl Place {
    /// The most elements on the simulator.
    pub fn most_simulated(self) -> u64 {
        match self {
            Place::Cpu | Place::ManyBlocks | Place::GridStride => SIM_MAX_N,
            Place::ManyBlocksUpTo(most) => most / 32,
            Place::OneBlock => MAX_BLOCK.into(),
        }
    }

    /// The shape for `n` elements on a device of `kind`, with the requested `block` threads or `grid` blocks.
    ///
    /// # Errors
    /// If the device, the chapter or the requested blocks cannot hold `n` elements.
    pub fn shape(self, n: u64, kind: DeviceKind, block: Option<u32>, grid: Option<u32>) -> Result<Shape> {
        ensure!(
            kind != DeviceKind::Sim || n <= SIM_MAX_N,
            "{} elements are too many for the simulator; give --n 2^26 or less, or use a GPU",
            thousands(n as i64)
        );
        match self {
            Place::Cpu => Ok(Shape::CPU),
            Place::ManyBlocks => Shape::new(n, block, grid, 512),
            Place::ManyBlocksUpTo(most) => {
                let most = if kind == DeviceKind::Sim { self.most_simulated() } else { most };
                ensure!(n <= most, "{} are too many here; give --n {most} or less", thousands(n as i64));
                Shape::new(n, block, grid, 256)
            }
            Place::GridStride => {
                let shape = self.shape_of(n, block.unwrap_or(256));
                Ok(Shape { grid: grid.unwrap_or(shape.grid), ..shape })
            }
            Place::OneBlock => {
                ensure!(
                    n <= MAX_BLOCK.into(),
                    "{} elements do not fit one block, which has at most {MAX_BLOCK} threads; give --n \
                     {MAX_BLOCK} or less, or go on to chapter 3: cargo run --example ch3_blocks -- --n {n}",
                    thousands(n as i64)
                );
                ensure!(
                    grid.is_none_or(|grid| grid == 1),
                    "this chapter runs in one block; leave --grid out, or go on to chapter 3: cargo run \
                     --example ch3_blocks"
                );
                let block = block.unwrap_or(n.max(1) as u32);
                ensure!(
                    u64::from(block) >= n,
                    "--block {block} has fewer threads than there are elements ({n}); leave it out, or go on \
                     to chapter 3: cargo run --example ch3_blocks -- --n {n} --block {block}"
                );
                Ok(Shape { block, grid: 1 })
            }
        }
    }

    /// The shape of another size in the sweep, in blocks of `block` threads where the chapter has a choice.
    pub fn shape_of(self, n: u64, block: u32) -> Shape {
        match self {
            Place::Cpu => Shape::CPU,
            Place::OneBlock => Shape { block: n.max(1) as u32, grid: 1 },
            Place::ManyBlocks | Place::ManyBlocksUpTo(_) => Shape::of_blocks(n, block),
            Place::GridStride => {
                let Shape { grid, .. } = Shape::of_blocks(n, block);
                Shape { block, grid: grid.min(GRID_STRIDE_BLOCKS) }
            }
        }
    }

    /// The sizes of the sweep: powers of 2 in one block, else powers of 4 from 2^10 on; up to `asked`, or to
    /// what is quick on the device.
    pub(super) fn sizes(self, kind: DeviceKind, asked: Option<u64>) -> Vec<u64> {
        let (first, step) = if self == Place::OneBlock { (1, 1) } else { (10, 2) };
        let quick = match (self, kind) {
            (Place::OneBlock, _) => MAX_BLOCK.into(),
            (_, DeviceKind::Sim) => SIM_SWEEP_N.min(self.most_simulated()),
            (Place::ManyBlocksUpTo(most), _) => most,
            (_, DeviceKind::Cpu) => 1 << 26,
            (_, DeviceKind::Gpu) => 1 << 28,
        };
        let last = asked.unwrap_or(quick).min(if kind == DeviceKind::Sim { quick } else { u64::MAX });
        (first..).step_by(step).map(|exponent| 1 << exponent).take_while(|&size| size <= last).collect()
    }

    /// The block sizes of the sweep, where there are enough elements to tell them apart.
    pub(super) fn blocks(self, kind: DeviceKind, n: u64) -> Vec<u32> {
        let quick = kind != DeviceKind::Sim || n <= SIM_SWEEP_N;
        let many = matches!(self, Place::ManyBlocks | Place::ManyBlocksUpTo(_) | Place::GridStride);
        if !many || n < MAX_BLOCK.into() || !quick {
            return Vec::new();
        }
        (5..=10).map(|exponent| 1 << exponent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_the_options() {
        let shape = |n, block, grid| Shape::new(n, block, grid, 512).map(|s| (s.block, s.grid));
        assert_eq!(shape(1000, None, None).unwrap(), (512, 2));
        assert_eq!(shape(0, None, None).unwrap(), (512, 1), "a grid is never empty");
        assert_eq!(shape(1000, Some(96), None).unwrap(), (96, 11));
        assert_eq!(shape(65_536, None, Some(128)).unwrap(), (512, 128), "the post's choice");
        assert_eq!(shape(0, None, Some(4)).unwrap(), (1, 4));
        assert_eq!(shape(100, Some(32), Some(8)).unwrap(), (32, 8), "more blocks than needed");
        let few = shape(65_536, None, Some(4)).unwrap_err().to_string();
        assert!(few.contains("--grid 64 or more"), "{few}");
        let small = shape(1000, Some(32), Some(8)).unwrap_err().to_string();
        assert!(small.contains("256 threads") && small.contains("--grid 32 or more"), "{small}");
    }
}
