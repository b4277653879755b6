//! Chapter 4: how its kernels unfold, how many launches device code makes, and how many may be pending.

use workbook::chapter::{Launches, Shape};
use workbook::device::DEFAULT_PENDING_LAUNCHES;

/// The most blocks whose children may be pending together. The device reserves memory for as many launches as
/// the limit allows, and the more may be pending, the longer each takes: at 2^18 elements, 32 threads per
/// block, the tail-launched form took 605 ms with all 8,192 blocks at once and 440 ms with 2,048, the other
/// form 34.7 ms and 12 to 15 ms (measured once, H200, driver 580.159.04).
const BLOCKS_AT_ONCE: u32 = 2_048;

/// The number of halvings, each rounded up, that reduce `count` elements to one.
fn halvings(count: u64) -> u64 {
    count.max(1).next_power_of_two().ilog2().into()
}

/// One child per block and halving: those of the full blocks, and those of the last.
fn children(n: u64, shape: Shape) -> u64 {
    let block = u64::from(shape.block);
    n / block * halvings(block) + halvings(n % block)
}

/// One child per block and halving, tail-launched. All blocks' children are pending when the first grid ends.
/// They run one after the other, each with its own children, about 11 µs per launch (H200).
pub fn tail_launches(n: u64, shape: Shape) -> Launches {
    let pending = u64::from(shape.grid.min(BLOCKS_AT_ONCE)) + 1;
    Launches { total: children(n, shape), pending, blocks_at_once: BLOCKS_AT_ONCE, microseconds: 11.0 }
}

/// The same, with all blocks in one launch of the host.
pub fn tail_launches_at_once(n: u64, shape: Shape) -> Launches {
    let pending = u64::from(shape.grid) + 1;
    Launches { pending, blocks_at_once: u32::MAX, microseconds: 25.0, ..tail_launches(n, shape) }
}

/// Whether the default room is too small for [`tail_launches_at_once`]: a launching child takes room itself.
pub fn overflows_the_default_room(n: u64, shape: Shape) -> bool {
    let launching = u64::from(shape.grid).min(n.div_ceil(shape.block.into()));
    let full = halvings(u64::from(shape.block).min(n));
    full > 0 && launching > DEFAULT_PENDING_LAUNCHES || full > 1 && launching == DEFAULT_PENDING_LAUNCHES
}

/// One child per block and halving, fire-and-forget. A grid counts as pending until all its children are
/// done, so the whole tree may be. About 0.5 µs per launch, since children run side by side (H200).
pub fn fire_and_forget_launches(n: u64, shape: Shape) -> Launches {
    let pending = u64::from(shape.grid.min(BLOCKS_AT_ONCE)) * halvings(shape.block.into()) + 1;
    Launches { total: children(n, shape), pending, blocks_at_once: BLOCKS_AT_ONCE, microseconds: 0.5 }
}

/// One child per level, each after the one before.
pub fn one_launch_per_level(n: u64, _: Shape) -> Launches {
    Launches::one_after_another(halvings(n))
}

/// The blocks that halve `n` elements, with one thread per addition.
pub fn level_shape(n: u64, shape: Shape, _: u32) -> Shape {
    Shape::of_blocks(n / 2, shape.block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_can_be_counted_by_hand() {
        let shape = |n, block| Shape::of_blocks(n, block);
        assert_eq!(tail_launches(1 << 16, shape(1 << 16, 512)).total, 128 * 9);
        assert_eq!(tail_launches(513, shape(513, 512)).total, 9, "a block of one element launches nothing");
        assert_eq!(one_launch_per_level(1 << 20, shape(1 << 20, 512)).total, 20);
        assert_eq!(one_launch_per_level(1000, shape(1000, 512)).total, 10);
        for (blocks, block, overflows) in
            [(2048, 2, false), (2047, 4, false), (2048, 4, true), (2049, 2, true), (5000, 1, false)]
        {
            let n = blocks * u64::from(block);
            let overflow = overflows_the_default_room(n, shape(n, block));
            assert_eq!(overflow, overflows, "{blocks} blocks of {block}");
        }
    }
}
