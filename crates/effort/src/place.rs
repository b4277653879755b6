//! Which warp, and which word of memory.

/// Bytes of a number.
pub const NUMBER: u64 = 4;
/// Lanes of a warp: one for each bit of a mask.
pub const WARP: u32 = 32;

/// A warp of a block of a grid, in a launch by the host; a block's own number has warp 0.
pub type Warp = (usize, u32, u64, u32);
/// A warp's number: they are counted as they access memory for the first time.
pub type Number = u32;
/// A word of global memory, or of a block's shared memory, which has the block's own number.
pub type Place = (Option<Warp>, u64);

/// The numbers of the bits that are set.
pub fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..WARP).filter(move |lane| mask >> lane & 1 == 1)
}
