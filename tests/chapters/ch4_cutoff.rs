//! Chapter 4's recursion with a cutoff: right for every size, block and number of blocks, launch after
//! launch, with no child and with children of children. On the simulator, and on a GPU where there is one:
//! `cargo test --test chapters cutoff -- --ignored`.

use chapters::ch4_when_it_pays::plan::{CUTOFF_BLOCKS, partial_sums, passes_to_cutoff};
use workbook::device::{Buffer, Device, DeviceChoice, Function, LaunchConfig};
use workbook::kernels;
use workbook::reduction::data;

/// The two kernels, an array and what they need besides.
struct Bench {
    device: Device,
    step: Function,
    end: Function,
    numbers: Vec<i32>,
    g_data: Buffer<i32>,
    g_odata: Buffer<i32>,
    total: Buffer<u64>,
    failure: Buffer<u32>,
}

impl Bench {
    fn new(choice: DeviceChoice, most: usize) -> Bench {
        let device = Device::open(choice).unwrap();
        let module = kernels::load(&device, "ch4_when_it_pays").unwrap();
        let load = |name| module.load_function(name).unwrap();
        let numbers = data::numbers(most, 3);
        Bench {
            step: load("gpuRecursiveReduceCutoff"),
            end: load("reduceToOne"),
            g_data: device.clone_htod(&numbers).unwrap(),
            g_odata: device.alloc(1).unwrap(),
            total: device.alloc_zeros(1).unwrap(),
            failure: device.alloc_zeros(2).unwrap(),
            numbers,
            device,
        }
    }

    fn launch(&self, recurses: bool, partials: &Buffer<i32>, n: usize, config: LaunchConfig) {
        let mut launch = self.device.launch_builder(if recurses { &self.step } else { &self.end });
        launch.arg(&self.g_data);
        if recurses {
            launch.arg(partials);
        }
        launch.arg(&self.g_odata).arg(&(n as u32)).arg(&self.total);
        if recurses {
            launch.arg(&self.failure);
        }
        launch.launch(config).unwrap_or_else(|error| panic!("{error:#}"));
    }

    /// Twice the sum of the first `n` numbers. Memory that nothing has cleared between them must do.
    fn is_right(&self, recurses: bool, partials: usize, n: usize, config: LaunchConfig) {
        let partials = self.device.alloc::<i32>(partials).unwrap();
        let expected = self.numbers[..n].iter().fold(0i32, |sum, x| sum.wrapping_add(*x));
        for time in 1..=2 {
            self.device.memcpy_htod(&[!expected], &self.g_odata).unwrap();
            self.launch(recurses, &partials, n, config);
            let sum = self.device.clone_dtoh(&self.g_odata).unwrap();
            assert_eq!(sum, [expected], "n = {n}, {config:?}, recurses: {recurses}, launch {time}");
        }
        assert_eq!(self.device.clone_dtoh(&self.failure).unwrap(), [0, 0], "n = {n}, {config:?}");
    }

    /// As the chapter launches it.
    fn is_right_for(&self, n: usize, block: u32) {
        let passes = passes_to_cutoff(n as u64, block);
        let config = LaunchConfig::new(passes[0].grid, block);
        self.is_right(passes.len() > 1, partial_sums(n as u64, block), n, config);
    }
}

const BLOCKS: [u32; 12] = [1, 2, 31, 32, 33, 64, 96, 100, 256, 512, 1000, 1024];
const SIZES: [usize; 11] = [0, 1, 2, 3, 31, 33, 1000, 1025, 8193, 65_553, 262_145];

fn every_size_and_block(choice: DeviceChoice) {
    let bench = Bench::new(choice, 262_145);
    for block in BLOCKS {
        let all = choice == DeviceChoice::Gpu || block == 96;
        for n in SIZES.into_iter().filter(|n| all || *n < 2000) {
            bench.is_right_for(n, block);
        }
        // Any number of blocks, also more than there are elements.
        for grid in [1, 2, 3, 7, 100] {
            let config = LaunchConfig::new(grid, block);
            bench.is_right(false, 1, 1025, config);
            bench.is_right(true, 128, 1025, config);
        }
    }
}

/// As many blocks as the cutoff, one more, and so many that the child has a child.
fn around_the_cutoff(choice: DeviceChoice) {
    let cutoff = CUTOFF_BLOCKS as usize;
    let bench = Bench::new(choice, 16 * (cutoff + 1));
    bench.is_right_for(16 * cutoff, 1);
    bench.is_right_for(16 * cutoff + 1, 1);
    let grid = 16 * cutoff as u32 + 1;
    bench.is_right(true, 2 * grid as usize, 16 * cutoff, LaunchConfig::new(grid, 1));
}

#[test]
fn every_size_is_right_in_every_block() {
    every_size_and_block(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn every_size_is_right_in_every_block_on_a_gpu() {
    every_size_and_block(DeviceChoice::Gpu);
}

#[test]
fn beyond_the_cutoff_a_child_adds_up_and_beyond_its_cutoff_another() {
    around_the_cutoff(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn beyond_the_cutoff_a_child_adds_up_on_a_gpu() {
    around_the_cutoff(DeviceChoice::Gpu);
}

/// Sizes that only a GPU takes.
#[test]
#[ignore = "needs a GPU"]
fn large_arrays_are_right_on_a_gpu() {
    let bench = Bench::new(DeviceChoice::Gpu, (1 << 28) + 1);
    for exponent in (20..=28).step_by(2) {
        for n in [(1 << exponent) - 1, 1 << exponent, (1 << exponent) + 1] {
            for block in BLOCKS {
                bench.is_right_for(n, block);
            }
        }
    }
    for block in BLOCKS {
        bench.is_right_for(1_000_003, block);
    }
}

#[test]
fn children_are_launched_where_the_plan_says() {
    let bench = Bench::new(DeviceChoice::Sim, 1);
    for (n, block, launches) in
        [(CUTOFF_BLOCKS * 16, 1, 0), (CUTOFF_BLOCKS * 16 + 1, 1, 1), (CUTOFF_BLOCKS * 256 + 1, 1, 2)]
    {
        let passes = passes_to_cutoff(n, block);
        let partials = bench.device.alloc(partial_sums(n, block)).unwrap();
        let config = LaunchConfig::new(passes[0].grid, block);
        // The number of blocks alone decides.
        let launch = || {
            bench.launch(passes.len() > 1, &partials, 1, config);
            Ok(())
        };
        let ran = bench.device.measure_launch(launch).unwrap();
        let made = ran.counters.unwrap().device_launches;
        assert_eq!((made, passes.len() as u64 - 1, ran.found), (launches, launches, vec![]), "n = {n}");
        assert_eq!(bench.device.clone_dtoh(&bench.g_odata).unwrap(), bench.numbers);
    }
}
