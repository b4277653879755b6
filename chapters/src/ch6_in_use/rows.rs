//! One sum per row of a matrix: by some lanes of a warp, by a warp, by a block, or in two launches.

use anyhow::Result;
use workbook::chapter::{Case, Outcome, Shape};
use workbook::device::LaunchConfig;
use workbook::reduction::operation::Operation;
use workbook::reduction::operator::ElementType;
use workbook::reduction::value::{Array, Expected};

use super::elements::{Element, fractions, numerators};

/// Threads of a block that has a row to itself: the kernels are compiled for it.
pub const BLOCK: u32 = 256;
/// The name of the variant that takes two launches.
pub const IN_PARTS: &str = "blocksPerRow_65536";
/// The parts of a row that [`split`] gives a block each.
const PARTS: usize = 16;

/// The sums of rows of `COLUMNS` elements of type `T`; the last row may be shorter. A sum has at most 23
/// bits, so an `f32` holds it exactly, in whatever order it is added up.
pub const fn of<T: Element, const COLUMNS: usize>() -> Operation {
    assert!((COLUMNS * size_of::<T>()).is_multiple_of(16), "a row begins at a multiple of 16 bytes");
    let name = match (COLUMNS, T::TYPE) {
        (64, ElementType::F16) => "sums of rows of 64 f16",
        (64, _) => "sums of rows of 64 f32",
        (1024, ElementType::F16) => "sums of rows of 1,024 f16",
        (1024, _) => "sums of rows of 1,024 f32",
        (_, ElementType::F16) => "sums of rows of 65,536 f16",
        _ => "sums of rows of 65,536 f32",
    };
    let expected = |numbers: &[i32]| {
        let sum = |row: &[i32]| numerators(row).sum::<i64>() as f32 / 128.0;
        Expected::exactly(Array::F32(numbers.chunks(COLUMNS).map(sum).collect()))
    };
    Operation { name, element: T::TYPE, element_bytes: size_of::<T>() as u32, expected }
}

/// `LANES` lanes for each row.
pub fn by_lanes<const COLUMNS: usize, const LANES: u64>(n: u64, shape: Shape, _: u32) -> Shape {
    let block = shape.block.next_multiple_of(32).min(BLOCK);
    Shape::of_blocks(n.div_ceil(COLUMNS as u64) * LANES, block)
}

/// A block for each row.
pub fn by_blocks<const COLUMNS: usize>(n: u64, _: Shape, _: u32) -> Shape {
    Shape { block: BLOCK, ..Shape::of_blocks(n, COLUMNS as u32) }
}

/// A block for each part of a row.
pub fn by_parts<const COLUMNS: usize>(n: u64, _: Shape, _: u32) -> Shape {
    Shape { block: BLOCK, ..Shape::of_blocks(n, (COLUMNS / PARTS) as u32) }
}

/// Rows of `COLUMNS` elements, in one launch.
pub fn sums<T: Element, const COLUMNS: usize>(case: &Case) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let matrix = device.clone_htod(&fractions::<T>(case.data))?;
    let sums = device.alloc::<f32>(case.data.len().div_ceil(COLUMNS))?;
    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&matrix).arg(&sums).arg(&(case.data.len() as u64)).arg(&(COLUMNS as u32));
        launch.launch(LaunchConfig::new(grid, block))
    })?;
    Ok(Outcome::new(Array::F32(device.clone_dtoh(&sums)?), cost))
}

/// A row of 65,536 elements is 16 rows of 4,096, and their 16 sums are a row again.
pub fn split<const COLUMNS: usize>(case: &Case) -> Result<Outcome> {
    let Case { device, data, block, grid, .. } = *case;
    let parts_kernel = case.kernel()?;
    let rows_kernel = case.load_function("lanesPerRow_f32")?;
    let matrix = device.clone_htod(&fractions::<f32>(data))?;
    let parts = data.len().div_ceil(COLUMNS / PARTS);
    let part_sums = device.alloc::<f32>(parts)?;
    let sums = device.alloc::<f32>(data.len().div_ceil(COLUMNS))?;
    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&parts_kernel);
        launch.arg(&matrix).arg(&part_sums).arg(&(data.len() as u64)).arg(&((COLUMNS / PARTS) as u32));
        launch.launch(LaunchConfig::new(grid, block))?;
        let mut launch = device.launch_builder(&rows_kernel);
        launch.arg(&part_sums).arg(&sums).arg(&(parts as u64)).arg(&(PARTS as u32));
        launch.launch(LaunchConfig::new(grid.div_ceil(PARTS as u32).div_ceil(BLOCK / 4), BLOCK))
    })?;
    Ok(Outcome::new(Array::F32(device.clone_dtoh(&sums)?), cost))
}
