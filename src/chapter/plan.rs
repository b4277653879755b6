//! Which runs a chapter makes: every kernel at the asked size, then a sweep over what was not asked for.
//!
//! With `--n` the sizes of the sweep go no further than `n`; with `--block` or `--grid` there is one block size. With
//! `--pending-launches` there is no sweep: such a run is made to see what goes wrong.
//! The plan follows from the options and the kind of device alone, so two runs of a command make the same runs.

use anyhow::{Result, bail, ensure};

use crate::chapter::options::{Options, Shape};
use crate::device::MAX_BLOCK;
use crate::number::{thousands, time};
use crate::record::DeviceKind;
use crate::reduction::value::Operation;

/// Where a chapter's kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the CPU: there is nothing to launch.
    Cpu,
    /// In one block, a thread an element.
    OneBlock,
    /// In as many blocks as the elements need.
    ManyBlocks,
    /// The same, for at most so many; on the simulator 1/32 of that.
    ManyBlocksUpTo(u64),
    /// In any number of blocks: a thread goes on to further elements until there are none.
    GridStride,
}

/// One way to reduce.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub name: &'static str,
    /// What it computes.
    pub operation: Operation,
    /// Whether the sweep runs it too.
    pub swept: bool,
    /// What the sweep runs it at besides: elements and threads a block.
    pub also: fn(kind: DeviceKind) -> &'static [(u64, u32)],
    /// Whether it runs on the CPU, for the kernels to be compared with.
    pub on_host: bool,
    /// By what the operation's error bound is multiplied for `n` elements in a shape: 1, unless the bound depends on
    /// the order in which that shape adds.
    pub error: fn(n: u64, shape: Shape) -> f64,
    /// What a wrong run of `n` elements in `shape` is kept to show: a diagnostic kind or a word of its own.
    pub teaches: fn(n: u64, shape: Shape) -> Option<&'static str>,
    /// Threads a block, where `block` were asked for.
    pub block: fn(n: u64, block: u32) -> u32,
    /// Blocks of the first grid.
    pub grid: fn(n: u64, shape: Shape) -> u32,
    /// What the device launches by itself, `shape` being that of the first grid.
    pub launches: fn(n: u64, shape: Shape) -> Launches,
    /// Does what another kernel of the chapter does, in another time: the simulator's sweep leaves it out.
    pub same_counts: bool,
    /// The lowest compute capability of a GPU that can run it; none if the simulator can too.
    pub needs_gpu: Option<(u32, u32)>,
}

impl Kernel {
    /// A kernel that adds up rightly, runs in the asked shape and launches nothing.
    pub const fn new(name: &'static str) -> Kernel {
        Kernel {
            name,
            operation: Operation::SUM,
            swept: true,
            also: |_| &[],
            on_host: false,
            error: |_, _| 1.0,
            teaches: |_, _| None,
            block: |_, block| block,
            grid: |_, shape| shape.grid,
            launches: |_, _| Launches::NONE,
            same_counts: false,
            needs_gpu: None,
        }
    }
}

/// Launches made by device code in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Launches {
    pub total: u64,
    /// How many may be waiting or running at a time.
    pub pending: u64,
    /// Blocks of the first grid that the host launches at once.
    pub blocks_at_once: u32,
    /// What one costs on a GPU, about.
    pub microseconds: f64,
}

impl Launches {
    const NONE: Launches = Launches { total: 0, pending: 0, blocks_at_once: u32::MAX, microseconds: 0.0 };

    /// What all of them cost on a GPU, about.
    fn all_microseconds(self) -> f64 {
        self.total as f64 * self.microseconds
    }
}

/// A run that is to be made.
#[derive(Clone, Copy)]
pub struct Planned {
    pub kernel: Kernel,
    pub n: u64,
    /// Threads a block, and blocks of the first grid; 0 for work of the CPU.
    pub shape: Shape,
}

/// The runs of a chapter.
pub struct Plan {
    /// Every kernel at the asked size.
    pub runs: Vec<Planned>,
    pub sweep: Vec<Planned>,
    /// What the sweep leaves out, and why; one line a run.
    pub left_out: Vec<String>,
}

/// The serial recursion on the CPU, which a GPU's kernels are compared with; chapter 1 calls it by this name.
pub const SERIAL: Kernel = Kernel::new("recursiveReduceAnyLength");

/// Blocks in a chapter of grid-stride loops, unless the reader or a kernel wants others: the post's constant.
const GRID_STRIDE_BLOCKS: u32 = 32;

/// Elements that the simulator takes, at most: some minutes and some hundred megabytes.
const SIM_MAX_N: u64 = 1 << 26;
/// The largest size of a sweep on the simulator: a second or two.
const SIM_SWEEP_N: u64 = 1 << 20;
/// A run of the sweep that would take longer on a GPU is left out; so is one with more pending launches than
/// this, since the driver reserves memory for each.
const SWEEP_MICROSECONDS: f64 = 5e6;
const SWEEP_PENDING: u64 = 1 << 18;
/// An asked run that would take longer on a GPU is refused.
const MAX_MICROSECONDS: f64 = 180e6;

impl Plan {
    /// The runs of `kernels`, all of which can run there, on a device of `kind`, at `n` elements in `shape` (of
    /// [`Place::shape`]); an error if one would take minutes.
    pub fn new(
        place: Place,
        kernels: &[Kernel],
        kind: DeviceKind,
        n: u64,
        shape: Shape,
        options: &Options,
    ) -> Result<Plan> {
        ensure!(
            kind != DeviceKind::Sim || n <= SIM_MAX_N,
            "{} elements are too many for the simulator; give --n 2^26 or less, or use a GPU",
            thousands(n as i64)
        );
        if let Place::ManyBlocksUpTo(most) = place {
            let most = if kind == DeviceKind::Sim { most / 32 } else { most };
            ensure!(n <= most, "{} are too many here; give --n {most} or less", thousands(n as i64));
        }
        ensure!(
            options.pending_launches.is_none()
                || kernels.iter().any(|kernel| (kernel.launches)(n, shape) != Launches::NONE),
            "the kernels of this chapter launch no kernels; leave --pending-launches out, or go on to chapter 4: \
             cargo run --example ch4_nested -- --pending-launches 64"
        );
        let every = |n, shape: Shape| {
            kernels.iter().map(move |kernel| {
                let shape = Shape { block: (kernel.block)(n, shape.block), ..shape };
                let shape = match (kernel.on_host, place, options.grid) {
                    (true, _, _) => Shape { block: 0, grid: 0 },
                    // Any grid will do, so the reader's choice holds for every kernel.
                    (_, Place::GridStride, Some(grid)) => Shape { grid, ..shape },
                    _ => Shape { grid: (kernel.grid)(n, shape), ..shape },
                };
                Planned { kernel: *kernel, n, shape }
            })
        };
        let in_sweep = |kernel: &Kernel| kernel.swept && !(kernel.same_counts && kind == DeviceKind::Sim);
        let swept = |n, shape| every(n, shape).filter(|case| in_sweep(&case.kernel));
        // Beside a GPU's kernels that add up stands the serial recursion, once a size.
        let adds_up = kernels.iter().any(|kernel| kernel.operation.name == Operation::SUM.name);
        let serial = |n| {
            let cpu = Planned { kernel: SERIAL, n, shape: Shape { block: 0, grid: 0 } };
            (kind == DeviceKind::Gpu && adds_up).then_some(cpu)
        };

        let runs: Vec<Planned> = every(n, shape).chain(serial(n)).collect();
        let mut sweep = Vec::new();
        let sweeps = options.pending_launches.is_none();
        for size in place.sizes(kind, options.n).into_iter().filter(|&size| sweeps && size != n) {
            sweep.extend(swept(size, place.shape_of(size, shape.block)).chain(serial(size)));
        }
        if sweeps && options.block.is_none() && options.grid.is_none() {
            for block in place.blocks(kind, n).into_iter().filter(|&block| block != shape.block) {
                sweep.extend(swept(n, place.shape_of(n, block)).filter(|case| !case.kernel.on_host));
            }
            for kernel in kernels.iter().filter(|kernel| in_sweep(kernel)) {
                let sizes =
                    (kernel.also)(kind).iter().filter(|(size, _)| options.n.is_none_or(|n| *size < n));
                sweep.extend(sizes.map(|&(size, block)| {
                    let shape = place.shape_of(size, block);
                    Planned {
                        kernel: *kernel,
                        n: size,
                        shape: Shape { grid: (kernel.grid)(size, shape), ..shape },
                    }
                }));
            }
        }

        let mut left_out = Vec::new();
        if kind == DeviceKind::Gpu {
            runs.iter().try_for_each(refuse_minutes)?;
            let (short, long) = sweep.into_iter().partition(is_short);
            sweep = short;
            left_out = why_left_out(long);
        }
        Ok(Plan { runs, sweep, left_out })
    }
}

impl Place {
    /// The shape for `n` elements under `options`.
    pub fn shape(self, n: u64, options: &Options) -> Result<Shape> {
        match self {
            Place::Cpu => Ok(Shape { block: 0, grid: 0 }),
            Place::ManyBlocks => Shape::new(n, options.block, options.grid, 512),
            Place::ManyBlocksUpTo(_) => Shape::new(n, options.block, options.grid, 256),
            Place::GridStride => {
                let shape = self.shape_of(n, options.block.unwrap_or(256));
                Ok(Shape { grid: options.grid.unwrap_or(shape.grid), ..shape })
            }
            Place::OneBlock => {
                ensure!(
                    n <= MAX_BLOCK.into(),
                    "{} elements do not fit one block, which has at most {MAX_BLOCK} threads; give --n {MAX_BLOCK} \
                     or less, or go on to chapter 3: cargo run --example ch3_blocks -- --n {n}",
                    thousands(n as i64)
                );
                ensure!(
                    options.grid.is_none_or(|grid| grid == 1),
                    "this chapter runs in one block; leave --grid out, or go on to chapter 3: cargo run --example \
                     ch3_blocks"
                );
                let block = options.block.unwrap_or(n.max(1) as u32);
                ensure!(
                    u64::from(block) >= n,
                    "--block {block} has fewer threads than there are elements ({n}); leave it out, or go on to \
                     chapter 3: cargo run --example ch3_blocks -- --n {n} --block {block}"
                );
                Ok(Shape { block, grid: 1 })
            }
        }
    }

    /// The shape of another size in the sweep.
    fn shape_of(self, n: u64, block: u32) -> Shape {
        match self {
            Place::Cpu => Shape { block: 0, grid: 0 },
            Place::OneBlock => Shape { block: n.max(1) as u32, grid: 1 },
            Place::ManyBlocks | Place::ManyBlocksUpTo(_) => Shape::of_blocks(n, block),
            Place::GridStride => {
                let Shape { grid, .. } = Shape::of_blocks(n, block);
                Shape { block, grid: grid.min(GRID_STRIDE_BLOCKS) }
            }
        }
    }

    /// The sizes of the sweep: powers of 2 in one block, else powers of 4 from 2^10 on; up to `asked`, or to what
    /// is quick on the device.
    fn sizes(self, kind: DeviceKind, asked: Option<u64>) -> Vec<u64> {
        let (first, step, quick) = match (self, kind) {
            (Place::OneBlock, _) => (1, 1, MAX_BLOCK.into()),
            (_, DeviceKind::Sim) => (10, 2, SIM_SWEEP_N),
            (_, DeviceKind::Cpu) => (10, 2, 1 << 26),
            (_, DeviceKind::Gpu) => (10, 2, 1 << 28),
        };
        let quick = match self {
            Place::ManyBlocksUpTo(most) if kind == DeviceKind::Sim => quick.min(most / 32),
            Place::ManyBlocksUpTo(most) => quick.min(most),
            _ => quick,
        };
        let last = match kind {
            DeviceKind::Sim => asked.unwrap_or(quick).min(quick),
            _ => asked.unwrap_or(quick),
        };
        (first..).step_by(step).map(|exponent| 1 << exponent).take_while(|&size| size <= last).collect()
    }

    /// The block sizes of the sweep, where there are enough elements to tell them apart.
    fn blocks(self, kind: DeviceKind, n: u64) -> Vec<u32> {
        let quick = kind != DeviceKind::Sim || n <= SIM_SWEEP_N;
        let many = matches!(self, Place::ManyBlocks | Place::ManyBlocksUpTo(_) | Place::GridStride);
        if !many || n < MAX_BLOCK.into() || !quick {
            return Vec::new();
        }
        (5..=10).map(|exponent| 1 << exponent).collect()
    }
}

fn refuse_minutes(case: &Planned) -> Result<()> {
    let launches = (case.kernel.launches)(case.n, case.shape);
    if launches.all_microseconds() > MAX_MICROSECONDS {
        bail!(
            "{} would make {} device launches at n = {} in blocks of {}, about {} minutes; give a smaller --n or \
             a larger --block",
            case.kernel.name,
            thousands(launches.total as i64),
            thousands(case.n as i64),
            case.shape.block,
            (launches.all_microseconds() / 60e6).round()
        );
    }
    Ok(())
}

fn is_short(case: &Planned) -> bool {
    let launches = (case.kernel.launches)(case.n, case.shape);
    launches.all_microseconds() <= SWEEP_MICROSECONDS && launches.pending <= SWEEP_PENDING
}

/// The kernels that can run on a device of compute capability `gpu` (the simulator has none), and a line for each of
/// the others.
pub fn runnable(kernels: &[Kernel], gpu: Option<(u32, u32)>) -> (Vec<Kernel>, Vec<String>) {
    let (can, cannot): (Vec<Kernel>, Vec<Kernel>) =
        kernels.iter().partition(|kernel| kernel.needs_gpu.is_none_or(|least| gpu >= Some(least)));
    let line = |kernel: &Kernel| {
        let (major, minor) = kernel.needs_gpu?;
        let name = kernel.name;
        Some(format!("left out: {name}, which needs a GPU of compute capability {major}.{minor} or higher"))
    };
    (can, cannot.iter().filter_map(line).collect())
}

/// One line a run about what the sweep leaves out.
fn why_left_out(cases: Vec<Planned>) -> Vec<String> {
    let line = |case: &Planned| {
        let launches = (case.kernel.launches)(case.n, case.shape);
        let why = match launches.all_microseconds() {
            long if long > SWEEP_MICROSECONDS => format!("about {} a run", time(long)),
            _ => format!("{} launches pending", thousands(launches.pending as i64)),
        };
        format!(
            "left out: {}, n = {}, {} threads a block: {why}",
            case.kernel.name,
            thousands(case.n as i64),
            thousands(case.shape.block.into())
        )
    };
    cases.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn plan(place: Place, kernel: Kernel, kind: DeviceKind, n: u64, arguments: &[&str]) -> Result<Plan> {
        let options = Options::try_parse_from([&["chapter"], arguments].concat())?;
        let n = options.n.unwrap_or(n);
        let shape = place.shape(n, &options)?;
        Plan::new(place, &[kernel], kind, n, shape, &options)
    }

    fn sizes(plan: &Plan, kernel: &str) -> Vec<(u64, u32)> {
        let of_kernel = plan.sweep.iter().filter(|case| case.kernel.name == kernel);
        of_kernel.map(|case| (case.n, case.shape.block)).collect()
    }

    const FLAT: Kernel = Kernel::new("flat");
    /// 25 µs a launch, a launch a block.
    const NESTED: Kernel = Kernel {
        launches: |_, shape| {
            let blocks = shape.grid.into();
            Launches { total: blocks, pending: blocks, blocks_at_once: u32::MAX, microseconds: 25.0 }
        },
        ..Kernel::new("nested")
    };

    #[test]
    fn what_is_asked_for_is_not_swept() {
        let sim = |arguments: &[&str]| {
            sizes(&plan(Place::ManyBlocks, FLAT, DeviceKind::Sim, 1 << 16, arguments).unwrap(), "flat")
        };
        let sizes = |exponents: &[u32]| exponents.iter().map(|e| (1 << e, 512)).collect::<Vec<(u64, u32)>>();
        let blocks = [32, 64, 128, 256, 1024].map(|block| (1 << 16, block));
        assert_eq!(sim(&[]), [sizes(&[10, 12, 14, 18, 20]), blocks.to_vec()].concat());
        assert_eq!(sim(&["--block", "512"]), sizes(&[10, 12, 14, 18, 20]));
        assert_eq!(sim(&["--n", "2^14", "--block", "512"]), sizes(&[10, 12]));
        assert_eq!(sim(&["--n", "1000"]), []);
        assert_eq!(sim(&["--n", "2^24"]), sizes(&[10, 12, 14, 16, 18, 20]), "no further than is quick");
        let dropping =
            plan(Place::ManyBlocks, NESTED, DeviceKind::Sim, 1 << 16, &["--pending-launches", "9"]);
        assert!(dropping.unwrap().sweep.is_empty());
    }

    #[test]
    fn one_block_sweeps_powers_of_two_with_a_thread_an_element() {
        let plan = plan(Place::OneBlock, FLAT, DeviceKind::Sim, 8, &[]).unwrap();
        let all: Vec<_> = sizes(&plan, "flat");
        assert_eq!(all, [2, 4, 16, 32, 64, 128, 256, 512, 1024].map(|n| (n, n as u32)));
    }

    #[test]
    fn what_a_kernel_is_run_at_besides_goes_no_further_than_asked() {
        const ALSO: Kernel = Kernel { also: |_| &[(1 << 12, 1), (1 << 19, 1)], ..NESTED };
        let besides = |arguments: &[&str]| {
            let plan = plan(Place::ManyBlocks, ALSO, DeviceKind::Sim, 1 << 16, arguments).unwrap();
            let of_one = plan.sweep.iter().filter(|case| case.shape.block == 1);
            of_one.map(|case| (case.n, case.shape.grid)).collect::<Vec<_>>()
        };
        assert_eq!(besides(&[]), [(1 << 12, 1 << 12), (1 << 19, 1 << 19)]);
        assert_eq!(besides(&["--n", "2^14"]), [(1 << 12, 1 << 12)]);
        assert_eq!(besides(&["--block", "512"]), []);
        assert_eq!(besides(&["--pending-launches", "9"]), [], "no sweep");
    }

    #[test]
    fn long_runs_are_left_out_of_a_sweep_and_refused_when_asked_for() {
        let on_gpu =
            |arguments: &[&str]| plan(Place::ManyBlocks, NESTED, DeviceKind::Gpu, 1 << 20, arguments);
        let sweep = on_gpu(&[]).unwrap();
        assert!(sizes(&sweep, "nested").contains(&(1 << 26, 512)), "131,072 launches: 3.3 s");
        let small_blocks = on_gpu(&["--n", "2^26", "--block", "32"]).unwrap();
        assert_eq!(sizes(&small_blocks, "nested").last(), Some(&(1 << 22, 32)), "524,288 launches: 13 s");
        assert!(small_blocks.left_out[0].contains("n = 16,777,216, 32 threads a block: about 13.1 s"));
        assert_eq!(
            small_blocks.runs.len(),
            2,
            "the asked run is made all the same, beside the serial recursion"
        );
        let minutes = on_gpu(&["--n", "2^26", "--block", "1"]).err().unwrap().to_string();
        assert!(minutes.contains("about 28 minutes"), "{minutes}");
    }

    #[test]
    fn a_gpu_has_the_serial_recursion_beside_it_once_a_size() {
        let plan = plan(Place::ManyBlocks, FLAT, DeviceKind::Gpu, 1 << 24, &[]).unwrap();
        let serial = sizes(&plan, SERIAL.name);
        assert_eq!(serial, [10, 12, 14, 16, 18, 20, 22, 26, 28].map(|exponent| (1 << exponent, 0)));
    }

    #[test]
    fn a_grid_stride_takes_any_grid_and_the_host_has_none() {
        let on_host = Kernel { on_host: true, ..Kernel::new("host") };
        let wide = Kernel { grid: |_, _| 1000, ..FLAT };
        let shapes = |kernel, arguments: &[&str]| {
            let plan = plan(Place::GridStride, kernel, DeviceKind::Sim, 33_792, arguments).unwrap();
            let shape = |case: &Planned| (case.n, case.shape.block, case.shape.grid);
            (shape(&plan.runs[0]), plan.sweep.iter().map(shape).collect::<Vec<_>>())
        };
        assert_eq!(shapes(FLAT, &[]).0, (33_792, 256, 32));
        assert_eq!(shapes(FLAT, &["--n", "1000"]).0, (1000, 256, 4));
        assert_eq!(shapes(FLAT, &["--grid", "5", "--block", "96"]).0, (33_792, 96, 5), "fewer than elements");
        assert_eq!(shapes(wide, &[]).0.2, 1000);
        assert_eq!(shapes(wide, &["--grid", "5"]).0.2, 5, "the reader's choice goes first");
        assert!(shapes(FLAT, &[]).1.contains(&(33_792, 1024, 32)), "block sizes are swept");
        let (host, sweep) = shapes(on_host, &[]);
        assert_eq!(host, (33_792, 0, 0));
        assert_eq!(sweep, [10, 12, 14, 16, 18, 20].map(|e| (1 << e, 0, 0)), "sizes only");
    }

    #[test]
    fn chapter_2_sends_larger_arrays_to_chapter_3() {
        for arguments in [&["--n", "1025"][..], &["--n", "100", "--block", "64"], &["--grid", "2"]] {
            let refusal =
                plan(Place::OneBlock, FLAT, DeviceKind::Sim, 8, arguments).err().unwrap().to_string();
            assert!(refusal.contains("ch3_blocks"), "{refusal}");
        }
    }
}
