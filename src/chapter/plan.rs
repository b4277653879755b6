//! Which runs a chapter makes: every requested variant at the requested size, then a sweep over other sizes.
//!
//! With `--n` the sizes of the sweep go no further than `n`; with `--block` or `--grid` there is one block
//! size. With `--pending-launches` there is no sweep: such a run is made to see what goes wrong. The plan
//! follows from the options and the device's properties alone, so two runs of a command make the same runs.

use anyhow::{Result, ensure};
use device::{DeviceInfo, DeviceKind};
use reduction::serial;
use text::number::{thousands, time};

use super::options::Options;
use super::shape::{Place, Shape};
use super::variant::{Chapter, Launches, Sweep, Variant};

/// A run that is to be made.
#[derive(Clone, Copy)]
pub struct Planned {
    /// What runs.
    pub variant: Variant,
    /// Elements.
    pub n: u64,
    /// The first grid.
    pub shape: Shape,
}

/// The runs of a chapter.
pub struct Plan {
    /// Every requested variant at the requested size.
    pub runs: Vec<Planned>,
    /// The same at other sizes.
    pub sweep: Vec<Planned>,
    /// What is left out, and why; one line each.
    pub left_out: Vec<String>,
}

/// The serial recursion on the CPU, which a GPU's kernels are compared with; chapter 1 calls it by this name.
const SERIAL: Variant =
    Variant::new("recursiveReduceAnyLength", |case| case.on_cpu(serial::recursive_reduce));

/// A sweep on a GPU leaves out runs that take longer than this.
const SWEEP_MICROSECONDS: f64 = 5e6;
/// The same limit where no record of the book is made.
const BRIEF_MICROSECONDS: f64 = 0.2e6;
/// The most elements of a sweep on a GPU where no record of the book is made.
const BRIEF_SIZE: u64 = 1 << 24;
/// A sweep on a GPU leaves out runs with more pending launches than this, since the driver reserves memory
/// for each.
const SWEEP_PENDING: u64 = 1 << 18;

impl Planned {
    /// What device code launches.
    pub fn launches(&self) -> Launches {
        (self.variant.launches)(self.n, self.shape)
    }
}

impl Plan {
    /// The runs of `chapter` on `device`, which has `multiprocessors`: `n` elements in `shape`, from
    /// [`Place::shape`].
    ///
    /// # Errors
    /// If a requested run would never end, or a kernel asked for by name cannot run on the
    /// device.
    pub fn new(
        chapter: &Chapter,
        device: &DeviceInfo,
        multiprocessors: u32,
        n: u64,
        shape: Shape,
        options: &Options,
    ) -> Result<Plan> {
        let (variants, mut left_out) = able(chapter, device, options)?;
        let place = chapter.place;
        let kind = device.kind;
        // A grid-stride loop works in any grid, so the reader's choice holds for every kernel.
        let grid = options.grid.filter(|_| matches!(place, Place::GridStride));
        let planned = |variant: &Variant, n: u64, shape: Shape| Planned {
            variant: *variant,
            n,
            shape: shape_of(variant, n, shape, multiprocessors, grid),
        };
        // A GPU's sums are compared with the serial recursion, which runs once at each size.
        let adds_up = variants.iter().any(|variant| variant.operation.name == SERIAL.operation.name);
        let baseline = (kind == DeviceKind::Gpu && adds_up).then_some(SERIAL);
        let at_size = |variants: &[Variant], n: u64, shape: Shape| -> Vec<Planned> {
            let mut cases: Vec<Planned> = variants.iter().map(|variant| planned(variant, n, shape)).collect();
            cases.extend(baseline.map(|variant| Planned { variant, n, shape: Shape::CPU }));
            cases
        };

        let runs = at_size(&variants, n, shape);
        runs.iter().try_for_each(refuse_endless)?;
        let mut sweep = Vec::new();
        if options.pending_launches.is_some() || options.no_sweep || options.steps {
            return Ok(Plan { runs, sweep, left_out });
        }
        let mut swept = variants.clone();
        swept.retain(|variant| match variant.sweep {
            Sweep::Everywhere => true,
            Sweep::TimesOnly => kind != DeviceKind::Sim,
            Sweep::Never => false,
        });
        for size in place.sizes(kind, options.n).into_iter().filter(|&size| size != n) {
            sweep.extend(at_size(&swept, size, place.shape_of(size, shape.block)));
        }
        if options.block.is_none() && options.grid.is_none() {
            for block in place.blocks(kind, n).into_iter().filter(|&block| block != shape.block) {
                let in_blocks = swept.iter().map(|variant| planned(variant, n, place.shape_of(n, block)));
                // A kernel with a fixed block size has run already.
                sweep.extend(in_blocks.filter(|case| case.shape.block == block));
            }
            // The simulator's counts of a `TimesOnly` variant are those of another one.
            let is_repeated =
                |variant: &Variant| kind == DeviceKind::Sim && variant.sweep == Sweep::TimesOnly;
            for variant in variants.iter().filter(|variant| !is_repeated(variant)) {
                for &(size, block) in (variant.also)(kind) {
                    if options.n.is_none_or(|limit| size < limit) {
                        sweep.push(planned(variant, size, place.shape_of(size, block)));
                    }
                }
            }
        }
        if kind == DeviceKind::Gpu {
            if !options.record {
                left_out.extend(keep_brief(&mut sweep, n));
            }
            sweep.retain(|case| match why_left_out(case) {
                Some(why) => {
                    left_out.push(why);
                    false
                }
                None => true,
            });
        }
        Ok(Plan { runs, sweep, left_out })
    }
}

/// The first grid of a variant: its own for `shape`, or `grid`, the reader's.
fn shape_of(variant: &Variant, n: u64, shape: Shape, multiprocessors: u32, grid: Option<u32>) -> Shape {
    let own = (variant.shape)(n, shape, multiprocessors);
    match grid {
        Some(grid) if own != Shape::CPU => Shape { grid, ..own },
        _ => own,
    }
}

/// Keeps the short runs of inputs no longer than `n` or [`BRIEF_SIZE`]; a line on the long ones, if there are
/// any.
fn keep_brief(sweep: &mut Vec<Planned>, n: u64) -> Option<String> {
    sweep.retain(|case| case.n <= BRIEF_SIZE.max(n));
    let all = sweep.len();
    sweep.retain(|case| case.launches().all_microseconds() <= BRIEF_MICROSECONDS);
    let long = all - sweep.len();
    if long == 0 {
        return None;
    }
    let what = if long == 1 { "run of another size takes" } else { "runs of other sizes take" };
    let least = time(BRIEF_MICROSECONDS);
    Some(format!("left out: {long} {what} longer than {least}; --record makes all"))
}

/// The requested variants that `device` can run, and a line for each that it cannot.
fn able(chapter: &Chapter, device: &DeviceInfo, options: &Options) -> Result<(Vec<Variant>, Vec<String>)> {
    let mut variants = Vec::new();
    let mut left_out = Vec::new();
    for variant in chapter.variants.iter().filter(|variant| options.asks_for(variant.name, variant.story)) {
        let missing = match variant.least_capability {
            Some(least) if !can_run(device, variant, least) => Some(least),
            _ => None,
        };
        if let Some((major, minor)) = missing {
            let name = variant.name;
            let needs = format!("{name}, which needs a GPU of compute capability {major}.{minor} or higher");
            ensure!(!options.names_kernels(), "cannot run {needs}");
            left_out.push(format!("left out: {needs}"));
        } else {
            variants.push(*variant);
        }
    }
    Ok((variants, left_out))
}

/// Whether a variant that needs compute capability `least` runs on `device`.
fn can_run(device: &DeviceInfo, variant: &Variant, least: (u32, u32)) -> bool {
    match device.kind {
        DeviceKind::Sim => variant.simulated,
        DeviceKind::Gpu | DeviceKind::Cpu => device.compute_capability() >= Some(least),
    }
}

fn refuse_endless(case: &Planned) -> Result<()> {
    let Planned { variant: Variant { name, least_block, .. }, shape, .. } = case;
    ensure!(
        shape.grid <= 1 || shape.block >= *least_block,
        "{name} in blocks of {} thread leaves as many partial sums as there were elements, so its passes \
         would never end; give --block {least_block} or more",
        shape.block
    );
    Ok(())
}

/// Why the sweep leaves a run out, in a line, if it does.
fn why_left_out(case: &Planned) -> Option<String> {
    let launches = case.launches();
    let microseconds = launches.all_microseconds();
    let why = if microseconds > SWEEP_MICROSECONDS {
        format!("about {} per run", time(microseconds))
    } else if launches.pending > SWEEP_PENDING {
        format!("{} launches pending", thousands(launches.pending as i64))
    } else {
        return None;
    };
    Some(format!(
        "left out: {}, n = {}, {} threads per block: {why}",
        case.variant.name,
        thousands(case.n as i64),
        thousands(case.shape.block.into())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapter::{Case, Outcome};

    fn nothing(_: &Case) -> Result<Outcome> {
        anyhow::bail!("only planned")
    }

    fn plan(
        place: Place,
        variants: &'static [Variant],
        kind: DeviceKind,
        n: u64,
        line: &str,
    ) -> Result<Plan> {
        let chapter = Chapter { place, pending_launches: true, ..Chapter::new("ch0_test", "", variants) };
        let words: Vec<_> = ["chapter"].into_iter().chain(line.split_whitespace()).collect();
        let options = Options::try_parse_for(&chapter, words)?;
        let n = options.n.unwrap_or(n);
        let shape = place.shape(n, kind, options.block, options.grid)?;
        Plan::new(&chapter, &DeviceInfo::new(kind, "test"), 132, n, shape, &options)
    }

    fn sizes(plan: &Plan, name: &str) -> Vec<(u64, u32)> {
        let of_variant = plan.sweep.iter().filter(|case| case.variant.name == name);
        of_variant.map(|case| (case.n, case.shape.block)).collect()
    }

    const FLAT: Variant = Variant::new("flat", nothing);
    /// 25 µs per launch, one launch per block.
    const NESTED: Variant = Variant {
        launches: |_, shape| {
            let blocks = shape.grid as u64;
            Launches { total: blocks, pending: blocks, blocks_at_once: u32::MAX, microseconds: 25.0 }
        },
        ..Variant::new("nested", nothing)
    };

    #[test]
    fn what_is_asked_for_is_not_swept() {
        let sim =
            |line| sizes(&plan(Place::ManyBlocks, &[FLAT], DeviceKind::Sim, 1 << 16, line).unwrap(), "flat");
        let sizes = |exponents: &[u32]| exponents.iter().map(|e| (1 << e, 512)).collect::<Vec<(u64, u32)>>();
        let blocks = [32, 64, 128, 256, 1024].map(|block| (1 << 16, block));
        assert_eq!(sim(""), [sizes(&[10, 12, 14, 18, 20]), blocks.to_vec()].concat());
        assert_eq!(sim("--block 512"), sizes(&[10, 12, 14, 18, 20]));
        assert_eq!(sim("--n 2^14 --block 512"), sizes(&[10, 12]));
        assert_eq!(sim("--n 1000"), []);
        assert_eq!(sim("--n 2^24"), sizes(&[10, 12, 14, 16, 18, 20]), "no further than is quick");
        assert_eq!(sim("--pending-launches 9"), []);
    }

    #[test]
    fn the_story_runs_unless_kernels_are_named() {
        const ASIDE: Variant = Variant { story: false, ..Variant::new("aside", nothing) };
        const NEW: Variant =
            Variant { least_capability: Some((9, 0)), simulated: false, ..Variant::new("new", nothing) };
        let names = |line| -> Result<Vec<&str>> {
            let plan = plan(Place::ManyBlocks, &[FLAT, ASIDE, NEW], DeviceKind::Sim, 1 << 10, line)?;
            assert!(
                plan.sweep
                    .iter()
                    .all(|case| plan.runs.iter().any(|run| run.variant.name == case.variant.name))
            );
            Ok(plan.runs.iter().map(|case| case.variant.name).collect())
        };
        assert_eq!(names("").unwrap(), ["flat"]);
        assert_eq!(names("--kernel aside").unwrap(), ["aside"]);
        assert_eq!(names("--kernel aside --kernel flat").unwrap(), ["flat", "aside"]);
        assert_eq!(names("--kernel all").unwrap(), ["flat", "aside"]);
        assert_eq!(names("--record").unwrap(), ["flat", "aside"]);
        let refused = |line| names(line).unwrap_err().to_string();
        assert!(refused("--kernel flta").contains("a similar value exists: 'flat'"));
        assert!(refused("--kernel new").contains("new, which needs a GPU of compute capability 9.0"));
        assert!(refused("--kernel flat --record").contains("cannot be used with"));
    }

    #[test]
    fn one_block_sweeps_powers_of_two_with_one_thread_per_element() {
        let plan = plan(Place::OneBlock, &[FLAT], DeviceKind::Sim, 8, "").unwrap();
        let all: Vec<_> = sizes(&plan, "flat");
        assert_eq!(all, [2, 4, 16, 32, 64, 128, 256, 512, 1024].map(|n| (n, n as u32)));
    }

    #[test]
    fn further_runs_go_no_further_than_asked() {
        const ALSO: Variant = Variant { also: |_| &[(1 << 12, 1), (1 << 19, 1)], ..NESTED };
        let further = |line| {
            let plan = plan(Place::ManyBlocks, &[ALSO], DeviceKind::Sim, 1 << 16, line).unwrap();
            let of_one = plan.sweep.iter().filter(|case| case.shape.block == 1);
            of_one.map(|case| (case.n, case.shape.grid)).collect::<Vec<_>>()
        };
        assert_eq!(further(""), [(1 << 12, 1 << 12), (1 << 19, 1 << 19)]);
        assert_eq!(further("--n 2^14"), [(1 << 12, 1 << 12)]);
        assert_eq!(further("--block 512"), []);
        assert_eq!(further("--pending-launches 9"), [], "no sweep");
    }

    #[test]
    fn further_runs_of_a_variant_that_no_sweep_runs_are_made() {
        const ALSO: Variant = Variant { also: |_| &[(1 << 12, 64)], sweep: Sweep::Never, ..FLAT };
        let plan = plan(Place::ManyBlocks, &[ALSO], DeviceKind::Sim, 1 << 16, "").unwrap();
        assert_eq!(sizes(&plan, "flat"), [(1 << 12, 64)]);
    }

    #[test]
    fn long_runs_are_left_out_of_a_sweep() {
        let on_gpu = |line| plan(Place::ManyBlocks, &[NESTED], DeviceKind::Gpu, 1 << 20, line);
        let sweep = on_gpu("--record").unwrap();
        assert!(sizes(&sweep, "nested").contains(&(1 << 26, 512)), "131,072 launches: 3.3 s");
        let small_blocks = on_gpu("--record --n 2^26 --block 32").unwrap();
        assert_eq!(sizes(&small_blocks, "nested").last(), Some(&(1 << 22, 32)), "524,288 launches: 13 s");
        assert!(small_blocks.left_out[0].contains("n = 16,777,216, 32 threads per block: about 13.1 s"));
        let names: Vec<_> = small_blocks.runs.iter().map(|case| case.variant.name).collect();
        assert_eq!(names, ["nested", SERIAL.name], "the requested run is made all the same");
    }

    #[test]
    fn without_a_record_to_make_a_gpu_makes_short_runs_alone() {
        let brief = plan(Place::ManyBlocks, &[NESTED], DeviceKind::Gpu, 1 << 20, "").unwrap();
        let nested = sizes(&brief, "nested");
        assert!(nested.contains(&(1 << 20, 1024)) && nested.contains(&(1 << 16, 512)), "{nested:?}");
        assert!(!nested.contains(&(1 << 22, 512)), "8,192 launches: 0.2 s");
        assert!(brief.sweep.iter().all(|case| case.n <= BRIEF_SIZE));
        let left_out = &brief.left_out[0];
        assert!(
            left_out.ends_with("runs of other sizes take longer than 200 ms; --record makes all"),
            "{left_out}"
        );
        assert_eq!(brief.runs.len(), 2, "the requested run, and the recursion beside it");
    }

    #[test]
    fn a_gpu_has_the_serial_recursion_beside_it_once_per_size() {
        let plan = plan(Place::ManyBlocks, &[FLAT], DeviceKind::Gpu, 1 << 24, "--record").unwrap();
        let serial = sizes(&plan, SERIAL.name);
        assert_eq!(serial, [10, 12, 14, 16, 18, 20, 22, 26, 28].map(|exponent| (1 << exponent, 0)));
    }

    #[test]
    fn a_grid_stride_takes_any_grid_and_the_host_has_none() {
        const ON_HOST: Variant = Variant { shape: |_, _, _| Shape::CPU, ..Variant::new("host", nothing) };
        const WIDE: Variant = Variant { shape: |_, shape, _| Shape { grid: 1000, ..shape }, ..FLAT };
        let shapes = |variants, line| {
            let plan = plan(Place::GridStride, variants, DeviceKind::Sim, 33_792, line).unwrap();
            let shape = |case: &Planned| (case.n, case.shape.block, case.shape.grid);
            (shape(&plan.runs[0]), plan.sweep.iter().map(shape).collect::<Vec<_>>())
        };
        assert_eq!(shapes(&[FLAT], "").0, (33_792, 256, 32));
        assert_eq!(shapes(&[FLAT], "--n 1000").0, (1000, 256, 4));
        assert_eq!(shapes(&[FLAT], "--grid 5 --block 96").0, (33_792, 96, 5), "fewer than elements");
        assert_eq!(shapes(&[WIDE], "").0.2, 1000);
        assert_eq!(shapes(&[WIDE], "--grid 5").0.2, 5, "the reader's choice goes first");
        assert!(shapes(&[FLAT], "").1.contains(&(33_792, 1024, 32)), "block sizes are swept");
        let (host, sweep) = shapes(&[ON_HOST], "");
        assert_eq!(host, (33_792, 0, 0));
        assert_eq!(sweep, [10, 12, 14, 16, 18, 20].map(|e| (1 << e, 0, 0)), "sizes only");
    }

    #[test]
    fn chapter_2_sends_larger_arrays_to_chapter_3() {
        for line in ["--n 1025", "--n 100 --block 64", "--grid 2"] {
            let refusal = plan(Place::OneBlock, &[FLAT], DeviceKind::Sim, 8, line).err().unwrap().to_string();
            assert!(refusal.contains("ch3_blocks"), "{refusal}");
        }
    }
}
