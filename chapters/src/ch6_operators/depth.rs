//! How many additions an element passes through on its way into the sum, at most: the height of the tree in
//! which chapter 6's kernels add. The error bound of a sum of floats grows with it
//! ([`workbook::reduction::error_bound::of_sum`]).
//!
//! Adding the identity rounds nothing and does not count.

use workbook::chapter::Shape;

/// One block adds its threads' elements in pairs of neighbours: ⌈log₂ threads⌉ steps.
fn of_block(threads: u64) -> u64 {
    threads.max(1).next_power_of_two().ilog2().into()
}

/// A block's chunk (`reduceMyChunk`): tiles of a block's size, each added in pairs, one tile after another.
fn of_chunk(n: u64, Shape { block, grid }: Shape) -> u64 {
    let tiles_per_block = n.div_ceil(block.into()).div_ceil(grid.into());
    of_block(n.min(block.into())) + tiles_per_block.saturating_sub(1)
}

/// `reducePasses`: a first pass in `shape`, then passes over what is left, one tile per block.
pub fn of_passes(n: u64, shape: Shape) -> u64 {
    let mut left = u64::from(shape.grid);
    let block = u64::from(shape.block.max(2));
    let mut height = of_chunk(n, shape);
    while left > 1 {
        height += of_block(left.min(block));
        left = left.div_ceil(block);
    }
    height
}

/// `reduceSingleLaunch` and `reduceGridSync`: one block takes all the partial sums for its chunk.
pub fn of_one_last_block(n: u64, shape: Shape) -> u64 {
    of_chunk(n, shape) + of_chunk(shape.grid.into(), Shape { grid: 1, ..shape })
}

/// `reduceAtomicBlocks`: the partial sums arrive in an unknown order, in the worst case one by one.
pub fn of_atomic_blocks(n: u64, shape: Shape) -> u64 {
    of_chunk(n, shape) + u64::from(shape.grid) - 1
}

/// `reduceAtomicThreads`: the elements arrive in an unknown order.
pub fn of_atomic_threads(n: u64, _: Shape) -> u64 {
    n.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The height of what has been added so far; the identity has none.
    type Height = Option<u64>;

    fn add(first: Height, second: Height) -> Height {
        match (first, second) {
            (Some(first), Some(second)) => Some(first.max(second) + 1),
            (height, None) | (None, height) => height,
        }
    }

    /// The loops of `reduceChunk` and `blockReduce`, on heights.
    fn reduce_chunk(elements: &[Height], block: usize) -> Height {
        let mut total = None;
        for tile in elements.chunks(block) {
            let mut data = tile.to_vec();
            data.resize(block, None);
            let mut stride = 1;
            while stride < block {
                for tid in (0..block - stride).step_by(2 * stride) {
                    data[tid] = add(data[tid], data[tid + stride]);
                }
                stride *= 2;
            }
            total = add(total, data[0]);
        }
        total
    }

    fn partials(elements: &[Height], Shape { block, grid }: Shape) -> Vec<Height> {
        let chunk = elements.len().div_ceil(block as usize).div_ceil(grid as usize) * block as usize;
        let first = |b: usize| (b * chunk).min(elements.len());
        (0..grid as usize).map(|b| reduce_chunk(&elements[first(b)..first(b + 1)], block as usize)).collect()
    }

    #[test]
    fn heights_are_those_of_the_kernels_loops() {
        for n in [0usize, 1, 2, 31, 33, 100, 1000, 1025, 5000] {
            for (block, fewer) in [(1, 1), (2, 1), (3, 5), (32, 1), (32, 7), (96, 1), (256, 2), (1024, 1)] {
                let grid = n.div_ceil(block as usize).div_ceil(fewer).max(1) as u32;
                let shape = Shape { block, grid };
                let first = partials(&vec![Some(0); n], shape);
                let model = reduce_chunk(&first, block as usize).unwrap_or(0);
                assert_eq!(of_one_last_block(n as u64, shape), model, "{n} elements in {shape:?}");

                let mut left = first.clone();
                while left.len() > 1 {
                    let grid = left.len().div_ceil(block.max(2) as usize) as u32;
                    left = partials(&left, Shape { block: block.max(2), grid });
                }
                let model = left[0].unwrap_or(0);
                assert_eq!(of_passes(n as u64, shape), model, "{n} elements in {shape:?}");

                let model = first.iter().fold(None, |sum, &partial| add(sum, partial)).unwrap_or(0);
                assert!(of_atomic_blocks(n as u64, shape) >= model, "{n} elements in {shape:?}");
            }
        }
    }

    #[test]
    fn sixteen_million_elements_in_blocks_of_512() {
        let shape = Shape { block: 512, grid: 32_768 };
        assert_eq!(of_passes(1 << 24, shape), 9 + 9 + 6);
        assert_eq!(of_one_last_block(1 << 24, shape), 9 + 9 + 63);
        assert_eq!(of_atomic_blocks(1 << 24, shape), 9 + 32_767);
        assert_eq!(of_atomic_threads(1 << 24, shape), (1 << 24) - 1);
    }
}
