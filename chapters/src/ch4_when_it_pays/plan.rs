//! Chapter 4.1, when nesting pays: the passes of its recursions, launched by the device or by the host.

use workbook::chapter::{Launches, Shape};

/// The most blocks that add up their sums themselves: `CUTOFF` of `gpuRecursiveReduceCutoff`. With this many
/// blocks of 512 a sum took 250 µs without a child and 259 µs with one; with twice as many of 256, 269 and
/// 260 µs; blocks of 32 break even a little earlier, 40.6 and 36.1 µs (once, H200, driver 580.159.04).
pub const CUTOFF_BLOCKS: u64 = 1 << 15;

/// Blocks of a cluster in `gpuRecursiveReduceCluster`.
const CLUSTER: u64 = 8;

/// One child per pass after the first.
pub fn one_launch_per_pass(n: u64, shape: Shape) -> Launches {
    Launches::one_after_another(passes(n, shape.block).len() as u64 - 1)
}

/// One child per pass after the first, in clusters.
pub fn one_launch_per_pass_of_clusters(n: u64, shape: Shape) -> Launches {
    let clusters = |n| blocks_of_pass(n, CLUSTER * u64::from(shape.block));
    Launches::one_after_another(passes_until(1, n, clusters).len() as u64 - 1)
}

/// One child per pass after the first, down to the first pass whose blocks add up their sums themselves.
pub fn one_launch_per_pass_above_the_cutoff(n: u64, shape: Shape) -> Launches {
    Launches::one_after_another(passes_to_cutoff(n, shape.block).len() as u64 - 1)
}

/// The blocks that halve `n` elements, with one thread per addition.
pub fn level_shape(n: u64, shape: Shape, _: u32) -> Shape {
    Shape::of_blocks(n / 2, shape.block)
}

/// The blocks of the first pass over `n` elements.
pub fn pass_shape(n: u64, shape: Shape, _: u32) -> Shape {
    Shape { grid: blocks_of_pass(n, shape.block.into()) as u32, ..shape }
}

/// The blocks of the first pass in clusters.
pub fn cluster_shape(n: u64, shape: Shape, _: u32) -> Shape {
    Shape { grid: (CLUSTER * blocks_of_pass(n, CLUSTER * u64::from(shape.block))) as u32, ..shape }
}

/// The blocks of the first pass in the recursion with a cutoff.
pub fn cutoff_shape(n: u64, shape: Shape, _: u32) -> Shape {
    Shape { grid: blocks_for(n, shape.block.into()) as u32, ..shape }
}

/// `blocksOfPass` of the kernels: one block for at most 512 elements per thread, else 16 per thread.
fn blocks_of_pass(n: u64, threads: u64) -> u64 {
    if n <= 512 * threads { 1 } else { blocks_for(n, threads) }
}

/// Blocks of `threads` for `n` elements, 16 per thread.
fn blocks_for(n: u64, threads: u64) -> u64 {
    n.div_ceil(16 * threads).max(1)
}

/// One level of the recursion over halves: elements, and the blocks that halve them.
pub struct Level {
    /// Elements.
    pub size: u32,
    /// Blocks.
    pub grid: u32,
}

/// The levels that bring `n` elements down to one; the last copies it.
pub fn levels(n: u64, block: u32) -> Vec<Level> {
    let sizes = std::iter::successors(Some(n), |&size| (size > 1).then(|| size.div_ceil(2)));
    let level = |size| Level { size: size as u32, grid: Shape::of_blocks(size / 2, block).grid };
    sizes.map(level).collect()
}

/// One pass of the recursion over passes: `grid` blocks add up `size` numbers, and leave their sums from
/// place `sums` of the buffer of partial sums on.
pub struct Pass {
    /// Numbers to add up.
    pub size: u32,
    /// Blocks.
    pub grid: u32,
    /// Where their sums begin, in elements.
    pub sums: usize,
}

/// The passes that bring `n` elements down to one sum.
pub fn passes(n: u64, block: u32) -> Vec<Pass> {
    passes_until(1, n, |size| blocks_of_pass(size, block.into()))
}

/// The passes of the recursion with a cutoff; the last one's blocks add up their sums themselves.
pub fn passes_to_cutoff(n: u64, block: u32) -> Vec<Pass> {
    passes_until(CUTOFF_BLOCKS, n, |size| blocks_for(size, block.into()))
}

/// Passes over `n` elements and then over what each leaves, until one has `enough` blocks or fewer.
fn passes_until(enough: u64, n: u64, blocks: impl Fn(u64) -> u64) -> Vec<Pass> {
    let mut passes = Vec::new();
    let mut size = n;
    let mut sums = 0;
    loop {
        let grid = blocks(size);
        passes.push(Pass { size: size as u32, grid: grid as u32, sums });
        if grid <= enough {
            return passes;
        }
        size = grid;
        sums += grid.next_multiple_of(4) as usize; // the next pass loads 16 bytes at a time
    }
}

/// Length of a buffer of partial sums that is enough for all passes: [`passes`], in clusters, to a cutoff.
pub fn partial_sums(n: u64, block: u32) -> usize {
    passes(n, block).iter().map(|pass| pass.sums + pass.grid as usize).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_go_down_to_one_block() {
        let of = |n, block| -> Vec<_> {
            passes(n, block).iter().map(|pass| (pass.size, pass.grid, pass.sums)).collect()
        };
        assert_eq!(of(0, 512), [(0, 1, 0)]);
        assert_eq!(of(1 << 18, 512), [(1 << 18, 1, 0)]);
        assert_eq!(of((1 << 18) + 1, 512), [((1 << 18) + 1, 33, 0), (33, 1, 36)]);
        let three = [(1 << 28, 1 << 19, 0), (1 << 19, 1 << 10, 1 << 19), (1 << 10, 1, (1 << 19) + (1 << 10))];
        assert_eq!(of(1 << 28, 32), three);
        assert_eq!(partial_sums(1 << 28, 32), (1 << 19) + (1 << 10) + 1);
    }

    #[test]
    fn host_and_kernel_have_the_same_cutoff() {
        let source = &workbook::kernels::get("ch4_when_it_pays").unwrap().source;
        assert!(source.contains(&format!("constexpr unsigned int CUTOFF = {CUTOFF_BLOCKS};")));
    }

    #[test]
    fn passes_to_the_cutoff_end_where_the_blocks_are_few() {
        let of = |n, block| -> Vec<_> {
            passes_to_cutoff(n, block).iter().map(|pass| (pass.size, pass.grid, pass.sums)).collect()
        };
        assert_eq!(of(0, 512), [(0, 1, 0)]);
        assert_eq!(of(8193, 512), [(8193, 2, 0)]);
        assert_eq!(of(1 << 28, 512), [(1 << 28, CUTOFF_BLOCKS as u32, 0)]);
        assert_eq!(of((1 << 24) + 1, 32), [((1 << 24) + 1, 32_769, 0), (32_769, 65, 32_772)]);
        assert_eq!(of(1 << 24, 1).iter().map(|pass| pass.1).collect::<Vec<_>>(), [1 << 20, 1 << 16, 1 << 12]);
        for (n, block) in [(1 << 28, 512), ((1 << 28) + 1, 512), (1 << 28, 32), (1 << 25, 1), (1 << 19, 1)] {
            let last = passes_to_cutoff(n, block).pop().unwrap();
            assert!(last.sums <= partial_sums(n, block), "{n} elements in blocks of {block}");
        }
    }

    #[test]
    fn launches_can_be_counted_by_hand() {
        let shape = |n, block| Shape::of_blocks(n, block);
        assert_eq!(one_launch_per_pass(1 << 28, shape(1 << 28, 32)).total, 2);
        for (n, block, launches) in
            [(1 << 28, 512, 0), (1 << 24, 32, 0), ((1 << 24) + 1, 32, 1), (1 << 24, 1, 2)]
        {
            let total = one_launch_per_pass_above_the_cutoff(n, shape(n, block)).total;
            assert_eq!(total, launches, "{n} elements in blocks of {block}");
        }
        assert_eq!(one_launch_per_pass_of_clusters(1 << 21, shape(1 << 21, 512)).total, 0);
        assert_eq!(one_launch_per_pass_of_clusters(1 << 22, shape(1 << 22, 512)).total, 1);
    }
}
