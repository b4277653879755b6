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
/// Warps per block.
const MANY_WARPS: u32 = 8;
const FEW_WARPS: u32 = 4;
/// Blocks of few warps for which a multiprocessor has room. More than half of them help only where the rows
/// leave room for that.
const FULL: u32 = 8;
/// So many times as many rows as there is room for blocks are many rows.
const MANY_TIMES: u32 = 4;
/// Elements per row, on average, for blocks of many warps: where there is no room for all at once, and where
/// rows are many.
const LARGE_BLOCK: u64 = 4096;
const LARGE_BLOCK_OF_MANY: u64 = 16_384;
/// Elements per row, on average, for a block per row, and for one where rows are not many.
const OWN_BLOCK: u64 = 2048;
const OWN_BLOCK_OF_FEW: u64 = 768;
/// Elements per row, on average, for rows of a large block that they share, where rows are few: below this a
/// longer row is most likely an exception, and many warps add it up sooner.
const SHARED_BLOCK: u64 = 64;
/// Elements that a warp loads at once.
const CHUNK: u64 = 1024;
/// A row is long that takes its block more turns, in each of which every warp loads a chunk; fewer where
/// there is room for all blocks at once, as no other has anything to do then; …
const LONG_TURNS: u64 = 8;
const LONG_TURNS_AT_ONCE: u64 = 6;
/// … and that is more than this block's part of the array, if so many warps share a multiprocessor's part.
const SHARING_WARPS: u64 = 8;
/// Elements of a piece, at least: what a large block loads at once.
const LEAST_PIECE: u64 = MANY_WARPS as u64 * CHUNK;
/// Pieces per multiprocessor, at most.
const PIECES: u64 = 16;

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
    /// By how many rows there are, and how long they are on average.
    fn of(n: u64, m: u32, multiprocessors: u32) -> Chunks {
        let multiprocessors = multiprocessors.max(1);
        let warps = warps(n, m, multiprocessors);
        let rows = rows(n, m, warps, multiprocessors);
        let blocks = m.div_ceil(rows).max(1);
        let room = room(warps, multiprocessors);
        let turns = if blocks <= room { LONG_TURNS_AT_ONCE } else { LONG_TURNS };
        let part = n / (SHARING_WARPS * u64::from(multiprocessors));
        let most = (u64::from(warps) * part.max(turns * CHUNK)).min(u32::MAX.into()) as u32;
        let piece = LEAST_PIECE.max(n / (PIECES * u64::from(multiprocessors))) as u32;
        let pieces = (n / u64::from(piece)) as u32;
        let most_helpers = pieces.min(room.saturating_sub(blocks).max(room / 2));
        // In an array that is not long itself no row is.
        let helpers = if n > most.into() { most_helpers } else { 0 };
        let shape = Shape { block: 32 * warps, grid: helpers + blocks };
        Chunks { shape, rows, most, piece, pieces, helpers }
    }
}

/// Blocks of so many warps for which there is room at once.
fn room(warps: u32, multiprocessors: u32) -> u32 {
    FULL * FEW_WARPS / warps * multiprocessors
}

/// Many warps per block where rows are so few that more blocks would have nothing to do; where they are few
/// and very short, so that several share a block; or where they are so long that each warp has enough to
/// load.
fn warps(n: u64, m: u32, multiprocessors: u32) -> u32 {
    let room = room(MANY_WARPS, multiprocessors);
    let are_many = m > MANY_TIMES * room;
    let are_short = n < SHARED_BLOCK * u64::from(m);
    let least = if m <= room || (are_short && !are_many) {
        0
    } else if are_many {
        LARGE_BLOCK_OF_MANY
    } else {
        LARGE_BLOCK
    };
    if n >= least * u64::from(m) { MANY_WARPS } else { FEW_WARPS }
}

/// Several rows per block where they are short and there is no room for all blocks at once.
fn rows(n: u64, m: u32, warps: u32, multiprocessors: u32) -> u32 {
    let mean = n / u64::from(m.max(1));
    let times = if mean >= OWN_BLOCK_OF_FEW { MANY_TIMES } else { 1 };
    let blocks = times * room(warps, multiprocessors);
    if mean >= OWN_BLOCK { 1 } else { m.div_ceil(blocks).clamp(1, FEW_WARPS) }
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
        for multiprocessors in [1, 2, 20, 132, 1000] {
            for n in [0, 1, 1 << 14, 1 << 20, 1 << 28, u64::from(u32::MAX)] {
                for m in [0, 1, 9, 265, 529, 1057, 4225, 8000, 500_000] {
                    let chunks = Chunks::of(n, m, multiprocessors);
                    let blocks = chunks.shape.grid - chunks.helpers;
                    assert!(blocks * chunks.rows >= m && blocks >= 1, "{n} {m} {chunks:?}");
                    assert!(32 * chunks.rows <= chunks.shape.block && chunks.shape.block <= 256);
                    assert!(chunks.most >= 2 * chunks.piece, "a long row has a whole piece");
                    assert!(u64::from(chunks.pieces) * u64::from(chunks.piece) <= n);
                    assert_eq!(chunks.helpers > 0, n > chunks.most.into(), "help where a row can be long");
                }
            }
        }
    }

    #[test]
    fn blocks_are_large_and_have_one_row_where_rows_are_few_or_long() {
        let shape = |n, m| (Chunks::of(n, m, 132).shape.block, Chunks::of(n, m, 132).rows);
        assert_eq!(shape(1 << 14, 528), (256, 1));
        assert_eq!([shape(1 << 14, 529), shape(1 << 16, 2112)], [(256, 2), (256, 4)]);
        assert_eq!([shape(529 * 64, 529), shape(1 << 16, 2113)], [(128, 1), (128, 3)]);
        assert_eq!([shape(2112 * 4096, 2112), shape(2112 * 4096 - 1, 2112)], [(256, 1), (128, 1)]);
        assert_eq!([shape(1 << 28, 1 << 14), shape(1 << 28, 1 << 15)], [(256, 1), (128, 1)]);
        assert_eq!([shape(1 << 28, 1 << 17), shape(1 << 28, (1 << 17) + 1)], [(128, 1), (128, 4)]);
        assert_eq!([shape(4224 * 768, 4224), shape(4224 * 768 - 1, 4224)], [(128, 1), (128, 4)]);
    }

    #[test]
    fn a_row_is_long_after_fewer_turns_where_all_blocks_have_room() {
        assert_eq!(Chunks::of(1 << 16, 2049, 132).most, 6 * 8 * 1024);
        assert_eq!(Chunks::of(1 << 20, 1056, 132).most, 6 * 4 * 1024);
        assert_eq!(Chunks::of(1 << 20, 4225, 132).most, 8 * 4 * 1024);
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
