//! The host's side of every way to add up rows.

use std::sync::Arc;

use anyhow::Result;
use workbook::chapter::{Case, Launches, Outcome, Shape};
use workbook::device::measure::Measurement;
use workbook::device::{Buffer, DEFAULT_PENDING_LAUNCHES, Device, Function, LaunchConfig, View};
use workbook::record::Dropped;

use super::choice::{WHOLE, Way};
use super::rows::{KINDS, Kind, Rows, Summand};

/// Steps of the merge path per thread of `mergePath`.
pub const EACH: u32 = 16;
/// A row with more elements is long: `THRESHOLD` of the kernels.
pub const THRESHOLD: u32 = 256;

/// A ragged array on a device, and room for its sums.
pub struct Ragged<T> {
    pub rows: Arc<Rows>,
    pub n: u64,
    pub values: Buffer<T>,
    pub offsets: Buffer<u32>,
    pub sums: Buffer<T>,
}

impl<T: Summand> Ragged<T> {
    /// Rows of `kind` with the elements that `numbers` stand for.
    pub fn new(device: &Device, kind: Kind, numbers: &[i32]) -> Result<Ragged<T>> {
        let n = numbers.len() as u64;
        let rows = kind.rows(n)?;
        Ok(Ragged {
            n,
            values: device.clone_htod(&T::elements(numbers))?,
            offsets: device.clone_htod(rows.offsets())?,
            sums: device.alloc(rows.count() as usize)?,
            rows,
        })
    }
}

fn ragged<const KIND: usize, T: Summand>(case: &Case) -> Result<Ragged<T>> {
    Ragged::new(case.device, KINDS[KIND], case.data)
}

fn outcome<T: Summand>(case: &Case, ragged: &Ragged<T>, grid: u32, cost: Measurement) -> Result<Outcome> {
    let sums = T::array(case.device.clone_dtoh(&ragged.sums)?);
    Ok(Outcome::new(sums, Measurement { grid: Some(grid), ..cost }))
}

// ---- shapes and launches

/// How many rows of that kind there are; none where there are too many for any run.
fn count(kind: Kind, n: u64) -> u64 {
    kind.rows(n).map_or(0, |rows| rows.count().into())
}

fn whole_warps(shape: Shape) -> u32 {
    shape.block.next_multiple_of(32)
}

/// A thread for each row.
pub fn threads<const KIND: usize>(n: u64, shape: Shape, _: u32) -> Shape {
    Shape::of_blocks(count(KINDS[KIND], n), whole_warps(shape))
}

/// A warp for each row.
pub fn warps<const KIND: usize>(n: u64, shape: Shape, _: u32) -> Shape {
    Shape::of_blocks(32 * count(KINDS[KIND], n), whole_warps(shape))
}

/// A block for each row.
pub fn blocks<const KIND: usize>(n: u64, shape: Shape, _: u32) -> Shape {
    Shape { block: whole_warps(shape), grid: count(KINDS[KIND], n).max(1) as u32 }
}

/// A thread for each share of the merge path.
pub fn paths<const KIND: usize>(n: u64, shape: Shape, _: u32) -> Shape {
    let steps = n + count(KINDS[KIND], n);
    Shape::of_blocks(steps.div_ceil(EACH.into()), whole_warps(shape))
}

/// A warp for each share.
pub fn shares<const KIND: usize>(n: u64, _: Shape, multiprocessors: u32) -> Shape {
    Way::flattened(n, count(KINDS[KIND], n) as u32, multiprocessors).shape()
}

/// Whatever the last rung takes.
pub fn chosen_shape<const KIND: usize>(n: u64, _: Shape, multiprocessors: u32) -> Shape {
    Way::of(n, count(KINDS[KIND], n) as u32, multiprocessors).shape()
}

/// Children that may start at once, `total` of them; about 2 µs each on an H200.
fn at_once(total: u64) -> Launches {
    Launches { total, pending: total, blocks_at_once: u32::MAX, microseconds: 2.0 }
}

/// A child for each row that is longer than `than`.
fn longer(kind: Kind, n: u64, than: u32) -> u64 {
    kind.rows(n).map_or(0, |rows| rows.lengths().filter(|length| *length > than).count() as u64)
}

/// A child for each row that has elements.
pub fn per_row<const KIND: usize>(n: u64, _: Shape) -> Launches {
    at_once(longer(KINDS[KIND], n, 0))
}

/// A child for each long row.
pub fn per_long_row<const KIND: usize>(n: u64, _: Shape) -> Launches {
    at_once(longer(KINDS[KIND], n, THRESHOLD))
}

/// A child for each block that has long rows.
pub fn per_block<const KIND: usize>(n: u64, shape: Shape) -> Launches {
    let Ok(rows) = KINDS[KIND].rows(n) else { return Launches::NONE };
    let lengths: Vec<u32> = rows.lengths().collect();
    let has_long = |block: &&[u32]| block.iter().any(|length| *length > THRESHOLD);
    at_once(lengths.chunks(shape.block.max(1) as usize).filter(has_long).count() as u64)
}

/// One child, if there are long rows.
pub fn per_grid<const KIND: usize>(n: u64, _: Shape) -> Launches {
    at_once(longer(KINDS[KIND], n, THRESHOLD).min(1))
}

// ---- the ways

/// A thread, a warp or a block for each row, whatever the case's kernel takes.
pub fn flat<const KIND: usize>(case: &Case) -> Result<Outcome> {
    let ragged = ragged::<KIND, i32>(case)?;
    let kernel = case.kernel()?;
    let cost = case.device.measure_launch(|| {
        let mut launch = case.device.launch_builder(&kernel);
        launch.arg(&ragged.values).arg(&ragged.offsets).arg(&ragged.sums).arg(&ragged.rows.count());
        launch.launch(LaunchConfig::new(case.grid, case.block))
    })?;
    outcome(case, &ragged, case.grid, cost)
}

/// With a child for each row, or for each long one.
pub fn nested<const KIND: usize>(case: &Case) -> Result<Outcome> {
    nest::<KIND>(case, false, false)
}

/// With lists of long rows: one for each block.
pub fn nested_with_lists<const KIND: usize>(case: &Case) -> Result<Outcome> {
    nest::<KIND>(case, true, false)
}

/// With one list, and counters of what is on it and of the blocks that have finished.
pub fn nested_with_one_list<const KIND: usize>(case: &Case) -> Result<Outcome> {
    nest::<KIND>(case, true, true)
}

fn nest<const KIND: usize>(case: &Case, has_lists: bool, has_counters: bool) -> Result<Outcome> {
    let Case { device, block, grid, .. } = *case;
    // Before the first launch: a device launch that finds no room does not happen, and the host is not told.
    let room = case.launches.pending.max(DEFAULT_PENDING_LAUNCHES).next_power_of_two();
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(room))?;
    let ragged = ragged::<KIND, i32>(case)?;
    let kernel = case.kernel()?;
    let lists = device.alloc::<u64>(if has_lists { (grid * block) as usize } else { 0 })?;
    let counts = device.alloc_zeros::<u64>(1)?;
    let finished = device.alloc_zeros::<u32>(1)?;
    let failure = device.alloc_zeros::<u32>(2)?; // first cudaError_t, launches that did not happen
    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&ragged.values).arg(&ragged.offsets).arg(&ragged.sums).arg(&ragged.rows.count());
        if has_lists {
            launch.arg(&lists);
        }
        if has_counters {
            launch.arg(&counts).arg(&finished);
        }
        launch.arg(&failure).launch(LaunchConfig::new(grid, block))
    })?;
    let dropped = Dropped::from_words(&device.clone_dtoh(&failure)?);
    Ok(Outcome { dropped, ..outcome(case, &ragged, grid, cost)? })
}

/// A thread for each share; the sums are set to 0 first.
pub fn merge_path<const KIND: usize>(case: &Case) -> Result<Outcome> {
    let ragged = ragged::<KIND, i32>(case)?;
    let kernel = case.kernel()?;
    let cost = case.device.measure_launch(|| {
        case.device.memset_zeros(&ragged.sums)?;
        let mut launch = case.device.launch_builder(&kernel);
        launch.arg(&ragged.values).arg(&ragged.offsets).arg(&ragged.sums);
        launch.arg(&case.size()).arg(&ragged.rows.count()).arg(&EACH);
        launch.launch(LaunchConfig::new(case.grid, case.block))
    })?;
    outcome(case, &ragged, case.grid, cost)
}

/// A warp for each share, in one launch.
pub fn flattened<const KIND: usize, T: Summand>(case: &Case) -> Result<Outcome> {
    run::<KIND, T>(case, Way::flattened)
}

/// In chunks or flattened: by the number of rows.
pub fn chosen<const KIND: usize, T: Summand>(case: &Case) -> Result<Outcome> {
    run::<KIND, T>(case, Way::of)
}

fn run<const KIND: usize, T: Summand>(case: &Case, way: fn(u64, u32, u32) -> Way) -> Result<Outcome> {
    let ragged = ragged::<KIND, T>(case)?;
    let way = way(ragged.n, ragged.rows.count(), case.device.multiprocessors());
    let kernel = case.load_function(&way.kernel(T::SUFFIX))?;
    let sum = RowSums::new(case.device, &kernel, way, ragged.n, ragged.rows.count())?;
    let cost = case
        .device
        .measure_launch(|| sum.launch(&ragged.values.slice(0..), &ragged.offsets.slice(0..), &ragged.sums))?;
    outcome(case, &ragged, way.shape().grid, cost)
}

/// The last rung, with the memory that it needs beside its arrays.
pub struct RowSums<'a, T> {
    device: &'a Device,
    kernel: &'a Function,
    way: Way,
    n: u32,
    m: u32,
    /// Of rows that are divided: two for each part.
    parts: Buffer<T>,
    /// How many parts of such a row have arrived; the kernel leaves it at 0.
    arrived: Buffer<u32>,
}

impl<'a, T: Summand> RowSums<'a, T> {
    pub fn new(device: &'a Device, kernel: &'a Function, way: Way, n: u64, m: u32) -> Result<RowSums<'a, T>> {
        let parts = device.alloc(2 * way.parts())?;
        let arrived = device.alloc_zeros(way.parts())?;
        Ok(RowSums { device, kernel, way, n: n as u32, m, parts, arrived })
    }

    pub fn shape(&self) -> Shape {
        self.way.shape()
    }

    pub fn launch(&self, values: &View<T>, offsets: &View<u32>, sums: &Buffer<T>) -> Result<()> {
        let mut launch = self.device.launch_builder(self.kernel);
        launch.arg(values).arg(offsets).arg(sums);
        match &self.way {
            Way::Flattened(shares) => launch.arg(&self.n).arg(&self.m).arg(&shares.steps).arg(&WHOLE),
            Way::Chunked(chunks) => {
                launch.arg(&self.m).arg(&chunks.rows).arg(&chunks.most);
                launch.arg(&chunks.piece).arg(&chunks.pieces).arg(&chunks.helpers)
            }
        };
        launch.arg(&self.parts).arg(&self.arrived);
        let Shape { block, grid } = self.shape();
        launch.launch(LaunchConfig::new(grid, block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_kernel_have_the_same_threshold() {
        let source = &workbook::kernels::get("ch4_ragged").unwrap().source;
        assert!(source.contains(&format!("constexpr unsigned int THRESHOLD = {THRESHOLD};")));
    }

    #[test]
    fn launches_can_be_counted_by_hand() {
        let shape = Shape::of_blocks(2049, 256);
        let totals =
            |n| [per_row::<2>, per_long_row::<2>, per_block::<2>, per_grid::<2>].map(|of| of(n, shape).total);
        assert_eq!(totals(1 << 16), [2049, 1, 1, 1]);
        assert_eq!(totals(512), [17, 0, 0, 0], "the giant has 256, and is not long");
        assert_eq!(totals(0), [0; 4]);
    }
}
