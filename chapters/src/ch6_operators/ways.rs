//! The host side of chapter 6: ways to put partial results together, for any operator.

use anyhow::Result;
use workbook::chapter::{Case, Outcome};
use workbook::device::measure::Measurement;
use workbook::device::{Buffer, LaunchConfig};
use workbook::reduction::operator::{Operator, elements};
use workbook::reduction::value::Value;

/// Blocks of `block` threads, with shared memory for one element per thread.
fn blocks<O: Operator>(grid: u32, block: u32) -> LaunchConfig {
    let shared_mem_bytes = block * size_of::<O::Element>() as u32;
    LaunchConfig { shared_mem_bytes, ..LaunchConfig::new(grid, block) }
}

/// The elements of the chapter's numbers, on the device.
fn input<O: Operator>(case: &Case) -> Result<Buffer<O::Element>> {
    case.device.clone_htod(&elements::<O>(case.data))
}

fn outcome<O: Operator>(case: &Case, result: &Buffer<O::Element>, cost: Measurement) -> Result<Outcome> {
    Ok(Outcome::new(O::value(case.device.clone_dtoh(result)?[0]), cost))
}

/// Two launches; the second is one block, one thread per partial result, rounded up to a power of 2.
pub fn the_posts_way<O: Operator>(case: &Case) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let input = input::<O>(case)?;
    let partials = device.alloc::<O::Element>(grid as usize)?;
    let result = device.alloc::<O::Element>(1)?;

    let measured = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&partials).arg(&case.size()).launch(blocks::<O>(grid, block))?;
        let mut launch = device.launch_builder(&kernel);
        let one_block = blocks::<O>(1, grid.next_power_of_two());
        launch.arg(&partials).arg(&result).arg(&grid).launch(one_block)
    });
    match measured {
        Ok(cost) => outcome::<O>(case, &result, cost),
        // A launch that cannot be made leaves no result.
        Err(error) => Ok(Outcome::stopped(Value::Text("none".to_string()), error.downcast()?)),
    }
}

/// Passes over what is left, until one element is left. Two buffers take turns.
pub fn passes<O: Operator>(case: &Case) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let input = input::<O>(case)?;
    let mut left = device.alloc::<O::Element>(grid as usize)?;
    let mut next = device.alloc::<O::Element>(grid as usize)?;

    let cost = device.measure_launch(|| {
        let mut n = case.size();
        let mut pass = blocks::<O>(grid, block);
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&left).arg(&n).launch(pass)?;
        while pass.grid_dim.0 > 1 {
            n = pass.grid_dim.0;
            let block = block.max(2); // one thread per block would leave as much as there was
            pass = blocks::<O>(n.div_ceil(block), block);
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&left).arg(&next).arg(&n).launch(pass)?;
            std::mem::swap(&mut left, &mut next);
        }
        Ok(())
    })?;
    outcome::<O>(case, &left, cost)
}

/// The last block finishes.
pub fn single_launch<O: Operator>(case: &Case) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let input = input::<O>(case)?;
    let partials = device.alloc::<O::Element>(grid as usize)?;
    let result = device.alloc::<O::Element>(1)?;
    let ticket = device.alloc_zeros::<u32>(1)?; // the kernel leaves it at 0

    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&partials).arg(&result).arg(&case.size()).arg(&ticket);
        launch.launch(blocks::<O>(grid, block))
    })?;
    outcome::<O>(case, &result, cost)
}

/// Blocks that wait for each other must all run at the same time, so no more are launched than fit.
pub fn grid_sync<O: Operator>(case: &Case) -> Result<Outcome> {
    let Case { device, block, .. } = *case;
    let kernel = case.kernel()?;
    let input = input::<O>(case)?;
    let grid = case.grid.min(device.resident_blocks(&kernel, blocks::<O>(1, block))?);
    let partials = device.alloc::<O::Element>(grid as usize)?;
    let result = device.alloc::<O::Element>(1)?;

    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&partials).arg(&result).arg(&case.size());
        launch.launch_cooperative(blocks::<O>(grid, block))
    })?;
    outcome::<O>(case, &result, Measurement { grid: Some(grid), ..cost })
}

/// The blocks, or the threads, add to one number.
pub fn atomics<O: Operator>(case: &Case) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    let kernel = case.kernel()?;
    let input = input::<O>(case)?;
    let result = device.alloc::<O::Element>(1)?;

    let cost = device.measure_launch(|| {
        device.memset_zeros(&result)?; // part of the work: the sum starts at 0
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&result).arg(&case.size()).launch(blocks::<O>(grid, block))
    })?;
    outcome::<O>(case, &result, cost)
}
