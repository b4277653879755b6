//! How the last rung is launched: which kernel, and in how many shares.

use workbook::chapter::Shape;

/// Threads per block of the flattened kernels: a warp per share.
pub const BLOCK: u32 = 256;
/// Warps per block of the flattened kernels.
const WARPS: u32 = BLOCK / 32;
/// Blocks of the flattened kernels for which a multiprocessor of an H200 has room.
const RESIDENT: u32 = 4;
/// A share has no fewer steps of the merge path, if there is more than one: a tile.
const LEAST_SHARE: u64 = 512;
/// Steps of a row's end in the flattened kernels. From a sweep, on an H200 in November 2026: with 1 the
/// shares with short rows take longer than the others, with 16 they are done earlier.
const END_STEPS: u64 = 8;
/// A row of no more elements is not divided between shares.
pub const WHOLE: u32 = 1024;
/// Rows are short if they have fewer elements on average: then a tile has more of them than the kernel
/// usually looks at ahead.
const SHORT: u64 = 12;

/// The kernel that adds up rows of a certain average length, the last rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `flattened`
    Flattened,
    /// `flattenedShort`: the same for short rows.
    FlattenedShort,
    /// `warpPerRowWide`
    Warp,
    /// `blockPerRowWide`, with so many threads.
    Block(u32),
}

impl Way {
    /// The fastest of the ways in a sweep, on an H200 in November 2026, of those with this average. A way
    /// that gives a row to a warp or a block is slow where one row is much longer than the others, and the
    /// average does not tell. So it is chosen where it gains most: for small arrays, where the search on the
    /// path takes longer than the elements, and for rows that fill a block a few times, as CUB does it.
    pub fn of(n: u64, m: u32) -> Way {
        const SMALL: u64 = 1 << 20;
        const SEVERAL: u32 = 16;
        let mean = n / u64::from(m.max(1));
        match mean {
            16_384..=131_072 if m >= SEVERAL => Way::Block(1024),
            256..4096 if n <= SMALL => Way::Block(256),
            48..256 if n <= SMALL => Way::Warp,
            _ => Way::flattened(n, m),
        }
    }

    /// The flattened kernel for rows of this average.
    pub fn flattened(n: u64, m: u32) -> Way {
        if n < SHORT * u64::from(m) { Way::FlattenedShort } else { Way::Flattened }
    }

    /// The kernel's name, for elements whose kernels end in `suffix`.
    pub fn kernel(self, suffix: &str) -> String {
        let name = match self {
            Way::Flattened => "flattened",
            Way::FlattenedShort => "flattenedShort",
            Way::Warp => "warpPerRowWide",
            Way::Block(_) => "blockPerRowWide",
        };
        format!("{name}{suffix}")
    }
}

/// The shares of a flattened kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The launch.
    pub shape: Shape,
    /// Steps of the merge path in each.
    pub steps: u32,
}

impl Shares {
    /// As many as there is room for at once, on a device with so many multiprocessors.
    pub fn of(n: u64, m: u32, multiprocessors: u32) -> Shares {
        let steps = n + END_STEPS * u64::from(m);
        let blocks = steps.div_ceil(LEAST_SHARE * u64::from(WARPS)).max(1);
        let grid = blocks.min(u64::from(RESIDENT * multiprocessors.max(1))) as u32;
        let share = steps.div_ceil(u64::from(grid * WARPS)).max(1) as u32;
        Shares { shape: Shape { block: BLOCK, grid }, steps: share }
    }

    /// How many.
    pub fn count(self) -> usize {
        (self.shape.grid * WARPS) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_hold_all_steps() {
        for (n, m) in [(0, 0), (1, 1), (511, 1), (1 << 16, 1024), (1 << 28, 1 << 26), (0, 1 << 20)] {
            let shares = Shares::of(n, m, 132);
            let steps = shares.count() as u64 * u64::from(shares.steps);
            assert!(steps >= n + END_STEPS * u64::from(m), "{n} {m} {shares:?}");
            assert!(shares.shape.grid <= 4 * 132);
        }
        assert_eq!(Shares::of(1 << 28, 1, 132).shape.grid, 528);
    }

    #[test]
    fn host_and_kernel_agree_on_warps_and_tiles() {
        let source = &workbook::kernels::get("ch4_ragged").unwrap().source;
        assert!(source.contains(&format!("constexpr unsigned int SHARE_WARPS = {WARPS};")));
        assert!(source.contains(&format!("constexpr Wide END_STEPS = {END_STEPS};")));
        assert!(source.contains("constexpr unsigned int RUN = 8;"));
        assert!(source.contains("constexpr unsigned int RUNS = 2;"), "a tile is {LEAST_SHARE} elements");
    }

    #[test]
    fn the_way_follows_from_the_mean_and_the_size() {
        assert_eq!(Way::of(1 << 16, 1024), Way::Warp);
        assert_eq!(Way::of(1 << 20, 1024), Way::Block(256));
        assert_eq!(Way::of(1 << 16, 1), Way::Flattened);
        assert_eq!(Way::of(1 << 28, 1 << 22), Way::Flattened);
        assert_eq!(Way::of(1 << 28, 1 << 26), Way::FlattenedShort);
        assert_eq!(Way::of(1 << 28, 1 << 12), Way::Block(1024));
        assert_eq!(Way::of(1 << 28, 1 << 8), Way::Flattened, "rows of 2^20 elements take a block too long");
        assert_eq!(Way::of(0, 0), Way::Flattened);
    }
}
