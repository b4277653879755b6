//! The shape in which each rung of the ladder runs, and which kernel the last one chooses for a size.

use workbook::chapter::Shape;
use workbook::reduction::operation::Operation;
use workbook::reduction::operator::ElementType;

/// Blocks of `block` threads, in tiles of `items` elements per thread: no more than 8 per multiprocessor.
pub fn in_tiles(n: u64, items: u64, block: u32, multiprocessors: u32) -> Shape {
    let tiles = n.div_ceil(items * u64::from(block));
    Shape { block, grid: tiles.clamp(1, 8 * u64::from(multiprocessors)) as u32 }
}

/// The most elements of an array: the kernels count in 32 bits, and go on beyond the end for a tile per
/// block.
pub const MAX_ELEMENTS: u64 = (1 << 32) - (1 << 25);

/// The most blocks that a kernel which finishes in digits can count: 16 bits of a word, with room to spare.
pub const MAX_BLOCKS_IN_DIGITS: u32 = 1 << 15;

/// How the last rung runs: which kernel of `kernels/ch7_limit.cu`, in which shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Its blocks, and their threads.
    pub shape: Shape,
}

/// A row of a table of choices.
struct Row {
    /// The largest size it is for.
    up_to: u64,
    kernel: &'static str,
    /// Threads in a block, as in the kernel's name.
    block: u32,
    /// Loads of 16 bytes per thread in a tile.
    loads: u64,
    /// Blocks: as many as there are tiles, and no more than this.
    grid: u64,
}

const fn row(up_to: u64, kernel: &'static str, block: u32, loads: u64, grid: u64) -> Row {
    Row { up_to, kernel, block, loads, grid }
}

/// What the sweep (`cargo bench --bench limit`) found best on an H200, or so near that it saves a kernel.
const OF_I32: &[Row] = &[
    row(1 << 10, "reduceLimitTiny", 128, 2, 1),
    row(1 << 12, "reduceLimitOneBlock", 256, 4, 1),
    row(1 << 18, "reduceLimitSmall", 128, 2, 256),
    row(1 << 22, "reduceLimit", 512, 4, 264),
    row(1 << 24, "reduceLimit", 512, 4, 1584),
    row(1 << 26, "reduceLimit", 512, 4, 4224),
    row(1 << 28, "reduceLimit", 512, 4, 16896),
    row(u64::MAX, "reduceLimitLarge", 1024, 4, 16896),
];
const OF_F32: &[Row] = &[
    row(1 << 10, "reduceLimitTinyF32", 128, 2, 1),
    row(1 << 12, "reduceLimitOneBlockF32", 256, 4, 1),
    row(1 << 14, "reduceLimitFullBlockF32", 1024, 4, 1),
    row(1 << 18, "reduceLimitSmallF32", 128, 4, 128),
    row(1 << 22, "reduceLimitF32", 512, 4, 256),
    row(1 << 24, "reduceLimitLargeF32", 1024, 4, 256),
    row(1 << 26, "reduceLimitLargeF32", 1024, 4, 1584),
    row(1 << 28, "reduceLimitLargeF32", 1024, 4, 4224),
    row(u64::MAX, "reduceLimitLargeF32", 1024, 4, 16896),
];
const OF_I64: &[Row] = &[
    row(1 << 10, "reduceLimitTinyI64", 128, 4, 1),
    row(1 << 12, "reduceLimitOneBlockI64", 512, 4, 1),
    row(1 << 18, "reduceLimitSmallI64", 256, 2, 256),
    row(1 << 22, "reduceLimitI64", 512, 4, 256),
    row(1 << 24, "reduceLimitI64", 512, 4, 1584),
    row(1 << 26, "reduceLimitI64", 512, 4, 8448),
    row(u64::MAX, "reduceLimitLargeI64", 1024, 4, 16896),
];

/// The choice for `n` elements of `operation`.
pub fn choice(operation: &Operation, n: u64) -> Choice {
    let rows = match operation.element {
        ElementType::F32 => OF_F32,
        ElementType::I64 => OF_I64,
        _ => OF_I32,
    };
    let row = rows.iter().find(|row| n <= row.up_to).unwrap_or(&rows[rows.len() - 1]);
    let tile = 16 * row.loads * u64::from(row.block); // bytes
    let grid = (n * u64::from(operation.element_bytes)).div_ceil(tile).clamp(1, row.grid) as u32;
    Choice { kernel: row.kernel, shape: Shape { block: row.block, grid } }
}

/// Words of scratch memory that a rung of one launch needs with `grid` blocks: a ticket and a word per block,
/// or a word per digit. All are 0 before the first launch; after each launch those are 0 again that have to
/// be. Launches that run at the same time must not share them.
pub fn scratch_words(grid: u32) -> usize {
    (1 + grid as usize).max(10)
}

/// Sizes that these tables were not tuned for, each with the place of the first element: one more than a row
/// of the table holds, one less than a power of two, three times one, and arrays that begin one element after
/// an aligned address.
pub const UNTUNED: [(u64, u64); 11] = [
    ((1 << 12) + 1, 0),
    (3 << 13, 0),
    (1 << 16, 1),
    ((1 << 18) + 1, 0),
    ((1 << 20) - 1, 0),
    (3 << 20, 0),
    ((1 << 22) + 1, 0),
    (1 << 24, 1),
    ((1 << 24) + 1, 0),
    (3 << 25, 0),
    ((1 << 28) + 1, 0),
];
