//! How chapter 4's kernels unfold: how many blocks a grid has, how many launches device code makes.

use crate::chapter::options::Shape;
use crate::chapter::plan::Launches;

/// Blocks of a grid whose children may all be pending. The device reserves memory for as many launches as the
/// limit allows, and the more may be pending the longer each takes: at 2^18 elements, 32 threads a block, the
/// tail-launched form took 605 ms with all 8,192 blocks at once and 440 ms with 2,048, the other form 34.7 ms and
/// 12 to 15 ms (measured once, H200, driver 580.159.04).
const BLOCKS_AT_ONCE: u32 = 2_048;

/// Pending launches that a device has room for unless it is told otherwise (`cudaLimitDevRuntimePendingLaunchCount`,
/// CUDA C++ Programming Guide, "Dynamic Parallelism").
pub const DEFAULT_ROOM: u64 = 2_048;

/// Blocks, at most, that add up their sums themselves: `CUTOFF` of `gpuRecursiveReduceCutoff`. With so many in blocks of
/// 512 it took 250 µs without a child and 259 µs with one, with twice as many in blocks of 256 269 and 260 µs; in blocks
/// of 32 they meet a little below it, 40.6 and 36.1 µs (measured once, H200, driver 580.159.04).
pub const CUTOFF_BLOCKS: u64 = 1 << 15;

/// Blocks of a cluster in `gpuRecursiveReduceCluster`.
const CLUSTER: u64 = 8;

/// Halvings, rounded up, that bring `count` elements down to one.
fn halvings(count: u64) -> u64 {
    count.max(1).next_power_of_two().ilog2().into()
}

/// A child a block and halving, tail-launched. All blocks' children are pending when the first grid ends. They run
/// one after the other, each with its own children, about 11 µs a launch (H200).
pub fn tail_launches(n: u64, shape: Shape) -> Launches {
    let blocks_at_once = BLOCKS_AT_ONCE;
    let pending = u64::from(shape.grid.min(blocks_at_once)) + 1;
    Launches { total: children(n, shape), pending, blocks_at_once, microseconds: 11.0 }
}

/// The same, with all blocks in one launch of the host.
pub fn tail_launches_at_once(n: u64, shape: Shape) -> Launches {
    let pending = u64::from(shape.grid) + 1;
    Launches { pending, blocks_at_once: u32::MAX, microseconds: 25.0, ..tail_launches(n, shape) }
}

/// Whether the default room is too small for [`tail_launches_at_once`]: a child that launches still takes up room
/// itself.
pub fn overflows_the_default_room(n: u64, shape: Shape) -> bool {
    let launching = u64::from(shape.grid).min(n.div_ceil(shape.block.into()));
    let full = halvings(u64::from(shape.block).min(n));
    full > 0 && launching > DEFAULT_ROOM || full > 1 && launching == DEFAULT_ROOM
}

/// A child a block and halving, fire-and-forget. A grid counts as pending until all its children are done, so the
/// whole tree may be. About 0.5 µs a launch, since children run side by side (H200).
pub fn fire_and_forget_launches(n: u64, shape: Shape) -> Launches {
    let blocks_at_once = BLOCKS_AT_ONCE;
    let pending = u64::from(shape.grid.min(blocks_at_once)) * halvings(shape.block.into()) + 1;
    Launches { total: children(n, shape), pending, blocks_at_once, microseconds: 0.5 }
}

/// Every block halves its elements until one is left: the full blocks, and the last.
fn children(n: u64, shape: Shape) -> u64 {
    let block = u64::from(shape.block);
    n / block * halvings(block) + halvings(n % block)
}

/// A child a level: one at a time.
pub fn a_launch_a_level(n: u64, _: Shape) -> Launches {
    Launches { total: halvings(n), pending: 2, blocks_at_once: u32::MAX, microseconds: 10.0 }
}

/// A child a pass after the first.
pub fn a_launch_a_pass(n: u64, shape: Shape) -> Launches {
    chain(passes(n, shape.block).len() as u64 - 1)
}

/// A child a pass after the first, in clusters.
pub fn a_launch_a_pass_of_clusters(n: u64, shape: Shape) -> Launches {
    let mut launches = 0;
    let mut clusters = blocks_of_pass(n, CLUSTER * u64::from(shape.block));
    while clusters > 1 {
        launches += 1;
        clusters = blocks_of_pass(clusters, CLUSTER * u64::from(shape.block));
    }
    chain(launches)
}

/// A child a pass after the first, down to the first pass whose blocks add up their sums themselves.
pub fn a_launch_a_pass_above_the_cutoff(n: u64, shape: Shape) -> Launches {
    chain(passes_to_cutoff(n, shape.block).len() as u64 - 1)
}

fn chain(total: u64) -> Launches {
    Launches { total, pending: 2, blocks_at_once: u32::MAX, microseconds: 10.0 }
}

/// Blocks that halve `n` elements: a thread for each addition.
pub fn grid_of_level(n: u64, shape: Shape) -> u32 {
    Shape::of_blocks(n / 2, shape.block).grid
}

/// Blocks of the first pass over `n` elements.
pub fn grid_of_pass(n: u64, shape: Shape) -> u32 {
    blocks_of_pass(n, shape.block.into()) as u32
}

/// Blocks of the first pass in clusters.
pub fn grid_of_clusters(n: u64, shape: Shape) -> u32 {
    (CLUSTER * blocks_of_pass(n, CLUSTER * u64::from(shape.block))) as u32
}

/// Blocks of the first pass in the recursion with a cutoff.
pub fn grid_of_pass_to_cutoff(n: u64, shape: Shape) -> u32 {
    blocks_for(n, shape.block.into()) as u32
}

/// `blocksOfPass` of the kernels: one block while its threads have at most 512 elements each, else 16 a thread.
fn blocks_of_pass(n: u64, threads: u64) -> u64 {
    if n <= 512 * threads { 1 } else { blocks_for(n, threads) }
}

/// Blocks of `threads` for `n` elements, 16 a thread.
fn blocks_for(n: u64, threads: u64) -> u64 {
    n.div_ceil(16 * threads).max(1)
}

/// One level of the recursion over halves: elements, and blocks that halve them.
pub struct Level {
    pub size: u32,
    pub grid: u32,
}

/// The levels that bring `n` elements down to one; the last copies it.
pub fn levels(n: u64, block: u32) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut size = n;
    loop {
        let grid = Shape::of_blocks(size / 2, block).grid;
        levels.push(Level { size: size as u32, grid });
        if size <= 1 {
            return levels;
        }
        size = size.div_ceil(2);
    }
}

/// One pass of the recursion over passes: `grid` blocks add up `size` numbers, and leave their sums from place `sums`
/// of the buffer of partial sums on.
pub struct Pass {
    pub size: u32,
    pub grid: u32,
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
    let (mut size, mut sums) = (n, 0);
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

/// Places in the buffer of partial sums, for [`passes`], for those in clusters and for those to a cutoff.
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
        let source = crate::build::kernels::get("ch4_nested").unwrap().source;
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
        assert_eq!(tail_launches(1 << 16, shape(1 << 16, 512)).total, 128 * 9);
        assert_eq!(tail_launches(513, shape(513, 512)).total, 9, "a block of one element launches nothing");
        assert_eq!(a_launch_a_level(1 << 20, shape(1 << 20, 512)).total, 20);
        assert_eq!(a_launch_a_level(1000, shape(1000, 512)).total, 10);
        assert_eq!(a_launch_a_pass(1 << 28, shape(1 << 28, 32)).total, 2);
        assert_eq!(a_launch_a_pass_above_the_cutoff(1 << 28, shape(1 << 28, 512)).total, 0);
        assert_eq!(a_launch_a_pass_above_the_cutoff(1 << 24, shape(1 << 24, 32)).total, 0);
        assert_eq!(a_launch_a_pass_above_the_cutoff((1 << 24) + 1, shape((1 << 24) + 1, 32)).total, 1);
        assert_eq!(a_launch_a_pass_above_the_cutoff(1 << 24, shape(1 << 24, 1)).total, 2);
        assert_eq!(a_launch_a_pass_of_clusters(1 << 21, shape(1 << 21, 512)).total, 0);
        assert_eq!(a_launch_a_pass_of_clusters(1 << 22, shape(1 << 22, 512)).total, 1);
        for (blocks, block, overflows) in
            [(2048, 2, false), (2047, 4, false), (2048, 4, true), (2049, 2, true), (5000, 1, false)]
        {
            let n = blocks * u64::from(block);
            assert_eq!(
                overflows_the_default_room(n, shape(n, block)),
                overflows,
                "{blocks} blocks of {block}"
            );
        }
    }
}
