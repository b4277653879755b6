//! What a softmax needs of each row, in one pass: the maximum, and the sum of exp(x - maximum).

use anyhow::Result;
use workbook::chapter::{Case, Outcome, Shape};
use workbook::device::LaunchConfig;
use workbook::reduction::error_bound::UNIT_F32;
use workbook::reduction::operation::Operation;
use workbook::reduction::operator::ElementType;
use workbook::reduction::value::{Answer, Array, Expected};

use super::elements::{Element, numerators, wholes};

/// Elements of a row.
pub const COLUMNS: usize = 1024;
/// Lanes that share a row.
pub const LANES: u64 = 32;

/// The pairs of the rows, one after the other: maximum, sum. The elements are whole numbers from 0 to 127, so
/// a plain sum of exp(x) would overflow. A maximum is one of them, and any bound below 1 tells it apart.
pub const fn of<T: Element>() -> Operation {
    let name = match T::TYPE {
        ElementType::F16 => "softmax of rows of 1,024 f16",
        _ => "softmax of rows of 1,024 f32",
    };
    Operation { name, element: T::TYPE, element_bytes: size_of::<T>() as u32, expected }
}

/// A serial sum in `f64`, with u Σ (1 + d) exp(-d) as the bound, d being how far an element lies below the
/// maximum, for [`error_factor`].
fn expected(numbers: &[i32]) -> Expected {
    let mut pairs = Vec::new();
    let mut bound = 0.0f64;
    for row in numbers.chunks(COLUMNS) {
        let max = numerators(row).max().unwrap_or_default();
        let below = || numerators(row).map(|x| (max - x) as f64);
        pairs.push(max as f32);
        pairs.push(below().map(|d| (-d).exp()).sum::<f64>() as f32);
        bound = bound.max(below().map(|d| (1.0 + d) * (-d).exp()).sum());
    }
    Expected { answer: Answer::Many(Array::F32(pairs)), bound: Some(bound * UNIT_F32) }
}

/// Error-bound factor. On its way into the sum a term exp(-d) passes through `levels` combinations at most,
/// in each of which it is scaled and added: `__expf(x)` is off by 2 + 1.173 |x| units in the last place, that
/// is (4 + 2.4 |x|) u, and a product and a sum by u each. The |x| of all its scalings add up to d.
pub fn error_factor<T: Element>(_: u64, _: Shape) -> f64 {
    let pack = 16 / size_of::<T>() as u64;
    let combined = (COLUMNS as u64 / pack).div_ceil(LANES) + u64::from(LANES.ilog2());
    let levels = pack + combined;
    6.0 * levels as f64 * 1.01 // for the products of errors, far below this
}

pub fn pairs<T: Element>(case: &Case) -> Result<Outcome> {
    let Case { device, data, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let matrix = device.clone_htod(&wholes::<T>(data))?;
    let pairs = device.alloc::<[f32; 2]>(data.len().div_ceil(COLUMNS))?;
    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&matrix).arg(&pairs).arg(&(data.len() as u64)).arg(&(COLUMNS as u32));
        launch.launch(LaunchConfig::new(grid, block))
    })?;
    Ok(Outcome::new(Array::F32(device.clone_dtoh(&pairs)?.concat()), cost))
}
