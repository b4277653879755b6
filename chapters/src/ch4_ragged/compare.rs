//! The last rung beside CUB and the other ways, on the same rows in one process. Needs a GPU.
//!
//! The work alone is timed: a graph of calls on copies in turns, after the L2 cache was filled with other
//! data, as chapter 7 does it. Kernels that launch children don't go into a graph; a single call of them is
//! timed, and one of the last rung beside it.

use anyhow::{Context, Result, ensure};
use workbook::chapter::Shape;
use workbook::device::measure::Effort;
use workbook::device::{Buffer, Device, Function, LaunchConfig, Module, Timing, View};
use workbook::record::{Record, Run, Section, Timings};
use workbook::reduction::data;
use workbook::reduction::operation::{Operation, SUM_F32};
use workbook::reduction::value::Expected;
use workbook::text::say;

use super::choice::Way;
use super::comparison::{COMPARISON, KINDS, ROWS, SIZES};
use super::cub::{Cub, CubRowSums};
use super::rows::{Kind, Rows, Summand};
use super::ways::{EACH, RowSums, THRESHOLD};

/// Several times the bytes of the L2 cache.
const FLUSH_BYTES: usize = 256 << 20;
/// Elements, at most, of a brief look.
const MAX_BRIEF: u64 = 1 << 20;
/// Microseconds that the calls of a graph take together, about, and the samples of a contender.
const GRAPH: f64 = 2e3;
const SAMPLES: f64 = 50e3;
/// Threads per block of the ways that have no choice of their own.
const BLOCK: u32 = 256;

/// Adds the comparison to `record`, at all sizes up to `n`.
pub fn measure(device: &Device, module: &Module, n: Option<u64>, record: &mut Record) -> Result<()> {
    let most = n.unwrap_or(match device.effort() {
        Effort::Full => u64::MAX,
        Effort::Brief => MAX_BRIEF,
    });
    let sizes: Vec<u64> = SIZES.into_iter().filter(|size| *size <= most).collect();
    let Some(&most) = sizes.last() else { return Ok(()) };
    let cub = Cub::open(device, workbook::root()?)
        .inspect_err(|error| say::err(&format!("note: CUB is not measured: {error:#}\n")))
        .ok();
    let numbers = data::numbers(most as usize, record.seed);
    let stage = Stage::new(device, module, cub)?;
    let mut compared = Vec::new();
    let mut rows = serde_json::Map::new();
    for n in sizes {
        for kind in KINDS {
            let numbers = &numbers[..n as usize];
            compared.extend(stage.compare::<i32>(kind, numbers)?);
            compared.extend(stage.compare::<f32>(kind, numbers)?);
            rows.insert(format!("{}-{n}", kind.suffix()), kind.rows(n)?.count().into());
        }
    }
    record.sections.insert(COMPARISON.to_string(), Section::Runs(compared));
    record.sections.insert(ROWS.to_string(), Section::Other(rows.into()));
    Ok(())
}

/// Where the comparison takes place.
pub struct Stage<'a> {
    device: &'a Device,
    module: &'a Module,
    cub: Option<Cub>,
    flush: Buffer<u8>,
}

/// Copies of an array, to be taken in turns.
struct Copies<T> {
    values: Buffer<T>,
    offsets: Buffer<u32>,
    count: usize,
    /// Elements and offsets of one, with what lies between two.
    stride: (usize, usize),
    sums: Buffer<T>,
}

impl<T: Summand> Copies<T> {
    fn of(device: &Device, values: &[T], rows: &Rows) -> Result<Copies<T>> {
        let count = (FLUSH_BYTES / (4 * (values.len() + rows.offsets().len()))).clamp(1, 64);
        let stride = (values.len().next_multiple_of(64), rows.offsets().len().next_multiple_of(64));
        let copies = Copies {
            values: device.alloc(count * stride.0)?,
            offsets: device.alloc(count * stride.1)?,
            count,
            stride,
            sums: device.alloc(rows.count() as usize)?,
        };
        for copy in 0..count {
            device.write_at(values, &copies.values, copy * stride.0)?;
            device.write_at(rows.offsets(), &copies.offsets, copy * stride.1)?;
        }
        Ok(copies)
    }

    fn copy(&self, turn: usize) -> (View<'_, T>, View<'_, u32>) {
        let copy = turn % self.count;
        (self.values.slice(copy * self.stride.0..), self.offsets.slice(copy * self.stride.1..))
    }
}

/// What is compared.
enum Work<'a, T> {
    Ours(RowSums<'a, T>),
    PerRow(&'a Function, Shape, u32),
    /// With the sums set to 0 before.
    Path(&'a Function, Shape, u32, u32),
    Nested {
        kernel: &'a Function,
        shape: Shape,
        m: u32,
        memory: Memory,
    },
    Cub(CubRowSums<'a>),
}

/// What `childPerGrid` needs beside its arrays.
struct Memory {
    list: Buffer<u64>,
    counts: Buffer<u64>,
    finished: Buffer<u32>,
    failure: Buffer<u32>,
}

impl<T: Summand> Work<'_, T> {
    fn call(&self, device: &Device, copies: &Copies<T>, turn: usize) -> Result<()> {
        let (values, offsets) = copies.copy(turn);
        let sums = &copies.sums;
        match self {
            Work::Ours(rows) => rows.launch(&values, &offsets, sums),
            Work::Cub(rows) => rows.launch(&values, &offsets, sums),
            Work::PerRow(kernel, shape, m) => {
                let mut launch = device.launch_builder(kernel);
                launch.arg(&values).arg(&offsets).arg(sums).arg(m);
                launch.launch(LaunchConfig::new(shape.grid, shape.block))
            }
            Work::Path(kernel, shape, n, m) => {
                device.memset_zeros(sums)?;
                let mut launch = device.launch_builder(kernel);
                launch.arg(&values).arg(&offsets).arg(sums).arg(n).arg(m).arg(&EACH);
                launch.launch(LaunchConfig::new(shape.grid, shape.block))
            }
            Work::Nested { kernel, shape, m, memory } => {
                let mut launch = device.launch_builder(kernel);
                launch.arg(&values).arg(&offsets).arg(sums).arg(m);
                launch.arg(&memory.list).arg(&memory.counts).arg(&memory.finished).arg(&memory.failure);
                launch.launch(LaunchConfig::new(shape.grid, shape.block))
            }
        }
    }

    fn shape(&self) -> Shape {
        match self {
            Work::Ours(rows) => rows.shape(),
            Work::PerRow(_, shape, _) | Work::Path(_, shape, ..) | Work::Nested { shape, .. } => *shape,
            Work::Cub(_) => Shape::CPU,
        }
    }
}

impl<'a> Stage<'a> {
    pub fn new(device: &'a Device, module: &'a Module, cub: Option<Cub>) -> Result<Stage<'a>> {
        let flush = device.alloc_zeros::<u8>(FLUSH_BYTES)?;
        Ok(Stage { device, module, cub, flush })
    }

    /// Microseconds of the last rung and of CUB on any rows, the work alone.
    ///
    /// # Errors
    /// There is no CUB; a sum is wrong.
    pub fn against_cub<T: Summand>(&self, rows: &Rows, elements: &[T]) -> Result<[f64; 2]> {
        let device = self.device;
        let (n, m) = (elements.len() as u64, rows.count());
        let way = Way::of(n, m, device.multiprocessors());
        let kernel = self.module.load_function(&way.kernel(T::SUFFIX))?;
        let cub = self.cub.as_ref().context("there is no CUB")?;
        let ours = Work::Ours(RowSums::new(device, &kernel, way, n, m)?);
        let theirs = Work::Cub(cub.row_sums::<T>(device, m, elements.len())?);
        let copies = Copies::of(device, elements, rows)?;
        ours.call(device, &copies, 0)?;
        let expected = rows.sums(elements);
        ensure!(device.clone_dtoh(&copies.sums)? == expected, "{n} elements in {m} rows: a sum is wrong");
        let timings = self.timings(&[("rowSums", ours), ("cub", theirs)], &copies)?;
        let alone = |at: usize| timings[at].work_alone.context("there is no time");
        Ok([alone(0)?.median, alone(1)?.median])
    }

    /// Everything on rows of one kind. The other ways than the last rung and CUB only of `i32`.
    fn compare<T: Summand>(&self, kind: Kind, numbers: &[i32]) -> Result<Vec<Run>> {
        let device = self.device;
        let n = numbers.len() as u64;
        let rows = kind.rows(n)?;
        let m = rows.count();
        let elements = T::elements(numbers);
        let operation =
            Operation { name: "sums of rows", ..if T::SUFFIX.is_empty() { Operation::SUM } else { SUM_F32 } };
        let expected = Expected::exactly(T::array(rows.sums(&elements)));
        let copies = Copies::of(device, &elements, &rows)?;
        drop(elements);

        let load = |name: &str| self.module.load_function(name);
        let multiprocessors = device.multiprocessors();
        let ours = Way::of(n, m, multiprocessors);
        let flat = Way::flattened(n, m, multiprocessors);
        let functions = [ours, flat].map(|way| load(&way.kernel(T::SUFFIX)));
        let [of_ours, of_flat] = functions;
        let of_ours = of_ours?;
        let of_flat = of_flat?;
        let by_warp = load("warpPerRow")?;
        let by_block = load("blockPerRow")?;
        let path = load("mergePath")?;
        let child = load("childPerGrid")?;
        let mut works: Vec<(&str, Work<T>)> =
            vec![("rowSums", Work::Ours(RowSums::new(device, &of_ours, ours, n, m)?))];
        if ours != flat {
            works.push(("flattened", Work::Ours(RowSums::new(device, &of_flat, flat, n, m)?)));
        }
        if let Some(cub) = &self.cub {
            works.push(("cub", Work::Cub(cub.row_sums::<T>(device, m, n as usize)?)));
        }
        if T::SUFFIX.is_empty() {
            let warps = Shape::of_blocks(32 * u64::from(m), BLOCK);
            let blocks = Shape { block: BLOCK, grid: m.max(1) };
            let paths = Shape::of_blocks((n + u64::from(m)).div_ceil(EACH.into()), BLOCK);
            let threads = Shape::of_blocks(m.into(), BLOCK);
            let long = rows.lengths().filter(|length| *length > THRESHOLD).count();
            let memory = Memory {
                list: device.alloc(long.max(1))?,
                counts: device.alloc_zeros(1)?,
                finished: device.alloc_zeros(1)?,
                failure: device.alloc_zeros(2)?,
            };
            works.push(("warpPerRow", Work::PerRow(&by_warp, warps, m)));
            works.push(("blockPerRow", Work::PerRow(&by_block, blocks, m)));
            works.push(("mergePath", Work::Path(&path, paths, n as u32, m)));
            works.push(("childPerGrid", Work::Nested { kernel: &child, shape: threads, m, memory }));
        }
        let timed = self.timings(&works, &copies)?;
        let mut runs = Vec::new();
        for ((name, work), timings) in works.iter().zip(timed) {
            device.memset_zeros(&copies.sums)?;
            work.call(device, &copies, 0)?;
            let sums = T::array(device.clone_dtoh(&copies.sums)?);
            let name = format!("{name}{}_{}", T::SUFFIX, kind.suffix());
            let Shape { block, grid } = work.shape();
            let library = matches!(work, Work::Cub(_)).then(|| self.cub.as_ref().map(Cub::name)).flatten();
            let run = Run::of(&name, n, &operation, &sums.into(), &expected);
            runs.push(Run { block, grid, timings: Some(timings), library, ..run });
        }
        Ok(runs)
    }

    /// The times of each, in turns.
    fn timings<T: Summand>(&self, works: &[(&str, Work<T>)], copies: &Copies<T>) -> Result<Vec<Timings>> {
        let device = self.device;
        let flush = || device.memset_zeros(&self.flush);
        let mut graphs = Vec::new();
        for (_, work) in works {
            work.call(device, copies, 0)?; // excludes one-time initialisation
            let once = device.time(|| work.call(device, copies, 1))?.context("there is no clock")?;
            let calls = (GRAPH / once).clamp(1.0, 64.0) as usize;
            let samples = (SAMPLES / (once * calls as f64)).clamp(3.0, 25.0) as usize;
            let samples = device.effort().samples(samples);
            let is_nested = matches!(work, Work::Nested { .. });
            let all = move || (0..calls).try_for_each(|turn| work.call(device, copies, turn));
            let capture = || device.capture(all);
            graphs.push((calls, samples, (!is_nested).then(capture).transpose()?));
        }
        let most = graphs.iter().map(|(_, samples, _)| *samples).max().unwrap_or(0);
        let mut alone = vec![Vec::new(); works.len()];
        let mut cold = vec![Vec::new(); works.len()];
        for sample in 0..=most {
            for (place, (_, work)) in works.iter().enumerate() {
                let (calls, samples, graph) = &graphs[place];
                if sample > *samples {
                    continue;
                }
                let is_one = matches!(work, Work::Nested { .. } | Work::Ours(_));
                if let Some(graph) = graph {
                    flush()?;
                    let time = device.time(|| graph.launch())?;
                    alone[place].extend(time.filter(|_| sample > 0).map(|time| time / *calls as f64));
                }
                if is_one {
                    flush()?;
                    device.synchronize()?;
                    let time = device.time(|| work.call(device, copies, sample))?;
                    cold[place].extend(time.filter(|_| sample > 0));
                }
            }
        }
        let of = |(alone, cold)| Timings {
            one_call_cold: Timing::of(cold),
            one_call_warm: None,
            work_alone: Timing::of(alone),
        };
        Ok(alone.into_iter().zip(cold).map(of).collect())
    }
}
