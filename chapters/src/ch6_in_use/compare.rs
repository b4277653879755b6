//! Work alone, in one process and in turns: sums of rows beside `cub::DeviceSegmentedReduce`, and the ways to
//! end a sum. Needs a GPU.

use std::ffi::{c_int, c_void};

use anyhow::{Context, Result, ensure};
use workbook::chapter::Shape;
use workbook::device::libloading::Symbol;
use workbook::device::measure::Effort;
use workbook::device::{Buffer, Device, LaunchConfig, Module, Prepared, Timing};
use workbook::library::{self, CUB, Loaded, checked};
use workbook::record::{Record, Run, Section, Timings};
use workbook::reduction::data;
use workbook::reduction::operation::Operation;
use workbook::reduction::value::{Answer, Array, Expected};
use workbook::text::say;

use super::VARIANTS;
use super::elements::{Element, Half, fractions};
use super::{passes, rows};

/// The section of the record, which pages read as chapter 7's.
const SECTION: &str = "comparison";
/// Elements of the matrix.
const ROWS_OF: u64 = 1 << 28;
/// Elements of the longest sum of a brief look, which leaves the matrix out.
const MAX_BRIEF: u64 = 1 << 22;
/// Threads per block, where a kernel does not choose.
const BLOCK: u32 = 512;
/// Blocks per multiprocessor, twice as many as it has room for.
const TWO_WAVES: u32 = 8;
/// Bytes that several copies of an input have together: the L2 cache holds little of the oldest.
const COPIED_BYTES: usize = 256 << 20;

/// Adds the comparison to `record`: sums of up to `n` elements, and rows if there are enough.
pub fn measure(device: &Device, module: &Module, n: Option<u64>, record: &mut Record) -> Result<()> {
    let most = n.unwrap_or(match device.effort() {
        Effort::Full => ROWS_OF,
        Effort::Brief => MAX_BRIEF,
    });
    let mut runs = Vec::new();
    for n in (10..=26).step_by(2).map(|exponent| 1u64 << exponent).take_while(|&n| n <= most) {
        let numbers = data::numbers(n as usize, record.seed);
        let one_wave = passes::shape(n, Shape { block: BLOCK, grid: 0 }, device.multiprocessors());
        runs.extend(ends(device, module, &numbers, one_wave, "_f32")?);
        let two_waves = Shape { grid: TWO_WAVES * device.multiprocessors(), ..one_wave };
        if n >= u64::from(two_waves.grid) * 4 * u64::from(BLOCK) {
            runs.extend(ends(device, module, &numbers, two_waves, "InWaves_f32")?);
        }
    }
    if most >= ROWS_OF {
        let libraries = library::open(device, workbook::root()?, CUB)
            .inspect_err(|error| say::err(&format!("note: CUB is not measured: {error:#}\n")))
            .ok();
        let numbers = data::numbers(ROWS_OF as usize, record.seed);
        let stage = Stage { device, module, libraries: libraries.as_ref(), numbers: &numbers };
        runs.extend(stage.all_rows::<f32>("f32")?);
        runs.extend(stage.all_rows::<Half>("f16")?);
    }
    record.sections.insert(SECTION.to_string(), Section::Runs(runs));
    Ok(())
}

/// What takes part: its name, its shape, whose it is, and a call of it on one of the copies.
struct Contender<'a> {
    name: String,
    shape: Shape,
    library: Option<String>,
    call: Box<dyn Fn(usize) -> Result<()> + 'a>,
}

/// The times of each, in microseconds per call of a graph of `calls`, in turns: each sample begins with
/// another one.
fn alone(
    device: &Device,
    contenders: &[Contender],
    calls: usize,
    samples: usize,
) -> Result<Vec<Option<Timing>>> {
    let mut graphs = Vec::new();
    for contender in contenders {
        (contender.call)(0)?; // excludes one-time initialisation
        device.synchronize()?;
        graphs.push(device.capture(|| (0..calls).try_for_each(|call| (contender.call)(call)))?);
    }
    let mut times = vec![Vec::new(); graphs.len()];
    for sample in 0..=samples {
        for turn in 0..graphs.len() {
            let of = (sample + turn) % graphs.len();
            let time = device.time(|| graphs[of].launch())?;
            // The first round warms up.
            times[of].extend(time.filter(|_| sample > 0).map(|time| time / calls as f64));
        }
    }
    Ok(times.into_iter().map(Timing::of).collect())
}

/// Copies of `elements`, which calls take in turns.
fn copies<T: Element>(device: &Device, elements: &[T]) -> Result<Vec<Buffer<T>>> {
    let count = (2 * COPIED_BYTES / size_of_val(elements)).clamp(2, 64);
    (0..count).map(|_| device.clone_htod(elements)).collect()
}

/// A run of a contender.
fn run(
    of: &Contender,
    n: u64,
    operation: &Operation,
    answer: &Answer,
    expected: &Expected,
    time: Option<Timing>,
) -> Run {
    let timings = Some(Timings { work_alone: time, ..Timings::default() });
    let Shape { block, grid } = of.shape;
    let library = of.library.clone();
    Run { block, grid, library, timings, ..Run::of(&of.name, n, operation, answer, expected) }
}

/// Launches of ours, of which the first reads a copy.
fn ours<'a, T>(
    name: &str,
    shape: Shape,
    launches: &'a [Prepared<'a>],
    copies: &'a [Buffer<T>],
) -> Contender<'a> {
    let call = move |copy: usize| {
        let (first, others) = launches.split_first().context("nothing is launched")?;
        first.launch_on(&copies[copy % copies.len()].slice(0..))?;
        others.iter().try_for_each(Prepared::launch)
    };
    Contender { name: name.to_string(), shape, library: None, call: Box::new(call) }
}

/// The sum of `f32` in two launches, and in one by either ticket, in this shape; names end with `suffix`.
fn ends(device: &Device, module: &Module, numbers: &[i32], shape: Shape, suffix: &str) -> Result<Vec<Run>> {
    let n = numbers.len() as u64;
    let inputs = copies(device, &fractions::<f32>(numbers))?;
    let config = LaunchConfig::new(shape.grid, shape.block);
    let partials = device.alloc::<f32>(shape.grid as usize)?;
    let result = device.alloc::<f32>(1)?;
    let ticket = device.alloc_zeros::<u32>(1)?;
    let first = module.load_function("firstPass_f32")?;
    let last = module.load_function("lastPass")?;
    let fenced = module.load_function("onePass_f32")?;
    let ordered = module.load_function("onePassAcqRel_f32")?;

    let two_launches = [
        device.launch_builder(&first).arg(&inputs[0]).arg(&partials).arg(&(n as u32)).prepare(config)?,
        device
            .launch_builder(&last)
            .arg(&partials)
            .arg(&result)
            .arg(&shape.grid)
            .prepare(LaunchConfig::new(1, shape.block))?,
    ];
    let by_ticket = |function| {
        let mut launch = device.launch_builder(function);
        launch.arg(&inputs[0]).arg(&partials).arg(&(n as u32)).arg(&result).arg(&ticket);
        launch.prepare(config)
    };
    let fenced = [by_ticket(&fenced)?];
    let ordered = [by_ticket(&ordered)?];
    let contenders = [
        ours(&format!("twoPasses{suffix}"), shape, &two_launches, &inputs),
        ours(&format!("onePass{suffix}"), shape, &fenced, &inputs),
        ours(&format!("onePassAcqRel{suffix}"), shape, &ordered, &inputs),
    ];
    let (calls, samples) = if n < 1 << 26 { (64, 101) } else { (8, 15) };
    let times = alone(device, &contenders, calls, device.effort().samples(samples))?;
    let operation = passes::of::<f32>("sum of f32");
    let expected = (operation.expected)(numbers).widened(super::f32_error(n, shape));
    let mut runs = Vec::new();
    for (contender, time) in contenders.iter().zip(times) {
        (contender.call)(0)?;
        let sum = device.clone_dtoh(&result)?[0];
        runs.push(run(contender, n, &operation, &sum.into(), &expected, time));
    }
    Ok(runs)
}

/// `(temporary, bytes, input, output, rows, columns, stream)`; without temporary memory it stores the bytes
/// needed.
type CubRows = unsafe extern "C" fn(u64, *mut usize, u64, u64, c_int, c_int, *mut c_void) -> c_int;

/// Where rows are compared.
struct Stage<'a> {
    device: &'a Device,
    module: &'a Module,
    libraries: Option<&'a Loaded>,
    numbers: &'a [i32],
}

impl Stage<'_> {
    /// Rows of every length, of elements of type `T`, by our kernels and by CUB.
    fn all_rows<T: Element>(&self, suffix: &str) -> Result<Vec<Run>> {
        let copies = copies(self.device, &fractions::<T>(self.numbers))?;
        let mut runs = self.rows::<T, 64>(suffix, &copies)?;
        runs.extend(self.rows::<T, 1024>(suffix, &copies)?);
        runs.extend(self.rows::<T, 65536>(suffix, &copies)?);
        Ok(runs)
    }

    fn rows<T: Element, const COLUMNS: usize>(&self, suffix: &str, copies: &[Buffer<T>]) -> Result<Vec<Run>> {
        let Stage { device, module, .. } = *self;
        let operation = rows::of::<T, COLUMNS>();
        let n = self.numbers.len() as u64;
        let sums = device.alloc::<f32>(self.numbers.len() / COLUMNS)?;
        let is_meant = |name: &str| name != rows::IN_PARTS;
        let mut functions = Vec::new();
        for variant in VARIANTS.iter().filter(|variant| is_meant(variant.name)) {
            if variant.operation.name == operation.name {
                functions.push((variant, module.load_function(variant.symbol)?));
            }
        }
        let mut launches = Vec::new();
        for (variant, function) in &functions {
            let shape = (variant.shape)(n, Shape { block: BLOCK, grid: 0 }, device.multiprocessors());
            let mut launch = device.launch_builder(function);
            launch.arg(&copies[0]).arg(&sums).arg(&n).arg(&(COLUMNS as u32));
            let launch = launch.prepare(LaunchConfig::new(shape.grid, shape.block))?;
            launches.push((variant.name, shape, [launch]));
        }
        let mut contenders = Vec::new();
        for (name, shape, launch) in &launches {
            contenders.push(ours(name, *shape, launch, copies));
        }
        for (name, function) in [("cubRows", "cub_rows"), ("cubRowsOfOneLength", "cub_rows_of_one_length")] {
            let Some(cub) = self.cub(&format!("{function}_{suffix}"), copies, &sums, COLUMNS)? else {
                continue;
            };
            let library = self.libraries.map(|libraries| format!("CUB {}", libraries.version));
            let name = format!("{name}_{COLUMNS}_{suffix}");
            contenders.push(Contender { name, shape: Shape::CPU, library, call: Box::new(cub) });
        }
        let times = alone(device, &contenders, 8, 15)?;
        let expected = (operation.expected)(self.numbers);
        let mut runs = Vec::new();
        for (contender, time) in contenders.iter().zip(times) {
            device.memset_zeros(&sums)?;
            (contender.call)(0)?;
            let answer = Answer::Many(Array::F32(device.clone_dtoh(&sums)?));
            runs.push(run(contender, n, &operation, &answer, &expected, time));
        }
        Ok(runs)
    }

    /// A call of CUB's function of this name; `None` if this CUB has no such sum.
    fn cub<'a, T: Element>(
        &'a self,
        name: &str,
        copies: &'a [Buffer<T>],
        sums: &'a Buffer<f32>,
        columns: usize,
    ) -> Result<Option<impl Fn(usize) -> Result<()> + 'a>> {
        /// `cudaErrorNotSupported`
        const NOT_SUPPORTED: c_int = 801;
        let Some(libraries) = self.libraries else { return Ok(None) };
        // SAFETY: a function of `CUB` with this signature.
        let function: Symbol<CubRows> = unsafe { libraries.library.get(name) }
            .with_context(|| format!("the library of {} has no {name}", CUB.path))?;
        let rows = sums.len();
        ensure!(rows * columns <= copies[0].len(), "{rows} rows of {columns} are more than there are");
        let sizes = [rows, columns].map(|size| size as c_int);
        let mut bytes = 0;
        // SAFETY: without temporary memory it writes the number of bytes and touches no other memory.
        let asked = unsafe { function(0, &mut bytes, 0, 0, sizes[0], sizes[1], libraries.stream) };
        if asked == NOT_SUPPORTED {
            return Ok(None);
        }
        checked("cub::DeviceSegmentedReduce", asked)?;
        let temporary = self.device.alloc::<u8>(bytes.max(1))?;
        Ok(Some(move |copy: usize| {
            let mut bytes = temporary.len();
            // SAFETY: it reads `rows` rows of `columns` elements at the copy, which has as many, and writes a
            // sum for each to `sums` and at most `bytes` to the temporary memory, all in the stream in which
            // these buffers are freed.
            let error = unsafe {
                function(
                    temporary.slice(0..).address(),
                    &mut bytes,
                    copies[copy % copies.len()].slice(0..).address(),
                    sums.slice(0..).address(),
                    sizes[0],
                    sizes[1],
                    libraries.stream,
                )
            };
            checked("cub::DeviceSegmentedReduce", error)
        }))
    }
}
