//! One sum per row of a matrix.

use anyhow::Result;
use workbook::chapter::{Case, Outcome, Shape};
use workbook::device::LaunchConfig;
use workbook::reduction::operation::Operation;
use workbook::reduction::operator::ElementType;
use workbook::reduction::serial::recursive_reduce;
use workbook::reduction::value::{Array, Expected};

/// The sums of rows of `COLUMNS` elements; the last row may be shorter.
pub const fn of<const COLUMNS: usize>() -> Operation {
    let name = match COLUMNS {
        64 => "sums of rows of 64 i32",
        1024 => "sums of rows of 1,024 i32",
        _ => "sums of rows of 65,536 i32",
    };
    let expected = |numbers: &[i32]| {
        let rows = numbers.chunks(COLUMNS);
        Expected::exactly(Array::I32(rows.map(|row| recursive_reduce(&mut row.to_vec())).collect()))
    };
    Operation { name, element: ElementType::I32, element_bytes: 4, expected }
}

/// A warp for each row.
pub fn by_warps<const COLUMNS: usize>(n: u64, shape: Shape, _: u32) -> Shape {
    let block = shape.block.next_multiple_of(32);
    Shape::of_blocks(n.div_ceil(COLUMNS as u64) * 32, block)
}

/// A block for each row.
pub fn by_blocks<const COLUMNS: usize>(n: u64, shape: Shape, _: u32) -> Shape {
    let block = shape.block.next_multiple_of(32);
    Shape { block, ..Shape::of_blocks(n, COLUMNS as u32) }
}

pub fn sums<const COLUMNS: usize>(case: &Case) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let matrix = device.clone_htod(case.data)?;
    let sums = device.alloc::<i32>(case.data.len().div_ceil(COLUMNS))?;
    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&matrix).arg(&sums).arg(&case.size()).arg(&(COLUMNS as u32));
        launch.launch(LaunchConfig::new(grid, block))
    })?;
    Ok(Outcome::new(Array::I32(device.clone_dtoh(&sums)?), cost))
}
