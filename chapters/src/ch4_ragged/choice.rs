//! How the last rung is launched: which kernel, in how many shares or chunks.

use workbook::chapter::Shape;

/// Warps per block of the flattened kernels: a warp per share.
const SHARE_WARPS: u32 = 8;
/// Blocks of the flattened kernels for which a multiprocessor of an H200 has room.
const RESIDENT: u32 = 4;
/// A share has no fewer steps of the merge path, if there is more than one: a tile.
const LEAST_SHARE: u64 = 512;
/// Steps of a row's end in the flattened kernels. From a sweep, on an H200 in November 2026: with 2 the
/// shares with short rows take longer than the others, with 16 they are done earlier.
const END_STEPS: u64 = 8;
/// A row of no more elements is not divided between shares.
pub const WHOLE: u32 = 1024;

/// Rows per multiprocessor that a block takes sooner than the flattened kernel finds its shares.
const FEW: u64 = 64;
/// Elements that the flattened kernel adds up while a block takes one more row.
const PER_ROW: u64 = 512;
/// Warps per block: many where they are all under way at once and each has a chunk to load, else few.
const MANY_WARPS: u32 = 8;
const FEW_WARPS: u32 = 4;
/// Rows per multiprocessor, at most, for which many warps are under way at once.
const LARGE_BLOCKS: u32 = 2;
/// Elements that a warp loads at once.
const CHUNK: u64 = 1024;
/// Elements per multiprocessor, at most, of an array whose time is that of its longest chain of loads.
const SMALL: u64 = 16_384;
/// Blocks of the smaller kind for which a multiprocessor has room: no block has several rows before.
const FULL: u32 = 8;
/// Elements of a piece, at least: what a large block loads at once.
const LEAST_PIECE: u64 = MANY_WARPS as u64 * CHUNK;
/// Pieces per multiprocessor, at most, and the helpers that look at them.
const PIECES: u64 = 16;
const HELPERS: u32 = 4;
/// So many times the mean is a long row.
const LONG: u64 = 4;

/// The kernel of the last rung, and its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `flattened`
    Flattened(Shares),
    /// `chunked`
    Chunked(Chunks),
}

impl Way {
    /// Chunked where rows are few, else flattened: by `n`, `m` and the device alone. Each copes with any
    /// lengths, so no average can mislead.
    pub fn of(n: u64, m: u32, multiprocessors: u32) -> Way {
        let few = FEW * u64::from(multiprocessors) + n / PER_ROW;
        if u64::from(m) <= few {
            Way::Chunked(Chunks::of(n, m, multiprocessors))
        } else {
            Way::flattened(n, m, multiprocessors)
        }
    }

    /// Flattened, however many rows there are.
    pub fn flattened(n: u64, m: u32, multiprocessors: u32) -> Way {
        Way::Flattened(Shares::of(n, m, multiprocessors))
    }

    /// The kernel's name, for elements whose kernels end in `suffix`.
    pub fn kernel(self, suffix: &str) -> String {
        let name = match self {
            Way::Flattened(_) => "flattened",
            Way::Chunked(_) => "chunked",
        };
        format!("{name}{suffix}")
    }

    /// Its blocks.
    pub fn shape(self) -> Shape {
        match self {
            Way::Flattened(shares) => shares.shape,
            Way::Chunked(chunks) => chunks.shape,
        }
    }

    /// Into how many parts rows may be divided.
    pub fn parts(self) -> usize {
        match self {
            Way::Flattened(shares) => (shares.shape.grid * SHARE_WARPS) as usize,
            Way::Chunked(chunks) => chunks.pieces as usize + 1,
        }
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
    fn of(n: u64, m: u32, multiprocessors: u32) -> Shares {
        let steps = n + END_STEPS * u64::from(m);
        let blocks = steps.div_ceil(LEAST_SHARE * u64::from(SHARE_WARPS)).max(1);
        let grid = blocks.min(u64::from(RESIDENT * multiprocessors.max(1))) as u32;
        let share = steps.div_ceil(u64::from(grid * SHARE_WARPS)).max(1) as u32;
        Shares { shape: Shape { block: 32 * SHARE_WARPS, grid }, steps: share }
    }
}

/// The blocks of a chunked kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// The launch: the helpers first.
    pub shape: Shape,
    /// Rows per block.
    pub rows: u32,
    /// A row of no more elements is its block's alone.
    pub most: u32,
    /// Elements of a piece, and the array's pieces.
    pub piece: u32,
    pub pieces: u32,
    /// Blocks that look for the pieces of long rows.
    pub helpers: u32,
}

impl Chunks {
    /// Several rows per block where there is no room for all of them at once.
    fn of(n: u64, m: u32, multiprocessors: u32) -> Chunks {
        let multiprocessors = multiprocessors.max(1);
        let is_small = n <= SMALL * u64::from(multiprocessors) && m <= LARGE_BLOCKS * multiprocessors;
        let warps = if is_small && n >= CHUNK * u64::from(m) { MANY_WARPS } else { FEW_WARPS };
        let rows = m.div_ceil(FULL * multiprocessors).clamp(1, warps);
        let piece = LEAST_PIECE.max(n / (PIECES * u64::from(multiprocessors))) as u32;
        let pieces = (n / u64::from(piece)) as u32;
        let helpers = pieces.min(HELPERS * multiprocessors);
        // Rows fewer than multiprocessors leave some without work, so that help pays for all of them.
        let of_mean = if m < multiprocessors { 0 } else { LONG * n / u64::from(m) };
        let most = (2 * piece).max(of_mean.min(u32::MAX.into()) as u32);
        let shape = Shape { block: 32 * warps, grid: helpers + m.div_ceil(rows).max(1) };
        Chunks { shape, rows, most, piece, pieces, helpers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_hold_all_steps() {
        for (n, m) in [(0, 0), (1, 1), (511, 1), (1 << 16, 1024), (1 << 28, 1 << 26), (0, 1 << 20)] {
            let shares = Shares::of(n, m, 132);
            let steps = u64::from(shares.shape.grid * SHARE_WARPS) * u64::from(shares.steps);
            assert!(steps >= n + END_STEPS * u64::from(m), "{n} {m} {shares:?}");
            assert!(shares.shape.grid <= 4 * 132);
        }
        assert_eq!(Shares::of(1 << 28, 1, 132).shape.grid, 528);
    }

    #[test]
    fn every_row_has_a_block_and_every_block_at_most_a_row_per_warp() {
        for (n, m) in
            [(0, 0), (1, 1), (1 << 14, 8000), (1 << 20, 265), (1 << 28, 500_000), (u32::MAX.into(), 9)]
        {
            let chunks = Chunks::of(n, m, 132);
            let blocks = chunks.shape.grid - chunks.helpers;
            assert!(blocks * chunks.rows >= m && blocks >= 1, "{n} {m} {chunks:?}");
            assert!(32 * chunks.rows <= chunks.shape.block && chunks.shape.block <= 256);
            assert!(chunks.most >= 2 * chunks.piece, "a long row has a whole piece");
            assert!(u64::from(chunks.pieces) * u64::from(chunks.piece) <= n);
        }
    }

    #[test]
    fn host_and_kernel_agree_on_warps_and_tiles() {
        let source = &workbook::kernels::get("ch4_ragged").unwrap().source;
        assert!(source.contains(&format!("constexpr unsigned int SHARE_WARPS = {SHARE_WARPS};")));
        assert!(source.contains(&format!("constexpr Wide END_STEPS = {END_STEPS};")));
        assert!(source.contains("constexpr unsigned int RUN = 8;"));
        assert!(source.contains("constexpr unsigned int RUNS = 2;"), "a tile is {LEAST_SHARE} elements");
        assert!(source.contains(&format!("constexpr unsigned int MOST_WARPS = {MANY_WARPS};")));
        assert!(source.contains(&format!("constexpr unsigned int CHUNK = {CHUNK};")));
    }

    #[test]
    fn the_way_follows_from_rows_elements_and_multiprocessors() {
        let is_chunked = |n, m| matches!(Way::of(n, m, 132), Way::Chunked(_));
        assert!(is_chunked(1 << 16, 1024) && is_chunked(1 << 16, 1) && is_chunked(0, 0));
        assert!(is_chunked(1 << 28, 1 << 18) && !is_chunked(1 << 28, 1 << 22));
        assert!(is_chunked(1 << 14, 64 * 132 + 32) && !is_chunked(1 << 14, 64 * 132 + 33));
    }
}
