//! Chapter 7's kernels on the simulator: every one of them, for every type, at sizes around warps, vectors and blocks,
//! on arrays that begin anywhere, launch after launch with the same scratch memory.

use std::fmt::Debug;

use rayon::prelude::*;
use workbook::backend::{Buffer, Device, DeviceChoice, LaunchConfig};
use workbook::limit::{self, Choice, F32, I32, I64, SumF32, SumI64};
use workbook::operator::{Operator, SumI32, elements};
use workbook::value::Operation;
use workbook::{data, kernels};

const SIZES: [usize; 9] = [0, 1, 2, 31, 33, 1000, 1025, 262_145, 1_000_003];
/// Rungs that leave a partial sum a block.
const SEVERAL_LAUNCHES: [&str; 6] = [
    "reduceSharedTree",
    "reduceSequential",
    "reduceFirstAdd",
    "reduceInFlight",
    "reduceShuffle",
    "reduceVector",
];

/// An array of `n` elements that begins at element `offset` of a buffer, with strangers before and behind it.
struct Case<O: Operator> {
    device: Device,
    buffer: Buffer<O::Element>,
    offset: usize,
    n: usize,
    expected: O::Element,
}

impl<O: Operator> Case<O>
where
    O::Element: PartialEq + Debug,
{
    fn new(n: usize, offset: usize) -> Case<O> {
        let device = Device::open(DeviceChoice::Sim).unwrap();
        let all = elements::<O>(&data::numbers(offset + n + 9, 5));
        let expected = all[offset..offset + n].iter().fold(O::IDENTITY, |sum, &x| O::combine(sum, x));
        let buffer = device.clone_htod(&all).unwrap();
        Case { device, buffer, offset, n, expected }
    }

    /// One launch that leaves `grid` partial sums.
    fn partial_sums(&self, kernel: &str, grid: u32, block: u32) {
        let module = self.device.load_module(kernels::get("ch7_limit").unwrap()).unwrap();
        let kernel_function = module.load_function(kernel).unwrap();
        let partials = self.device.alloc_zeros::<O::Element>(grid as usize).unwrap();
        let mut launch = self.device.launch_builder(&kernel_function);
        launch.arg(&self.buffer.slice(self.offset..)).arg(&partials).arg(&(self.n as u32));
        launch.launch(LaunchConfig::new(grid, block)).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
        let sums = self.device.clone_dtoh(&partials).unwrap();
        let sum = sums.into_iter().fold(O::IDENTITY, O::combine);
        assert_eq!(sum, self.expected, "{kernel}, n = {}, offset {}", self.n, self.offset);
    }

    /// Three launches, each of which leaves the sum.
    fn sum(&self, kernel: &str, grid: u32, block: u32) {
        let module = self.device.load_module(kernels::get("ch7_limit").unwrap()).unwrap();
        let kernel_function = module.load_function(kernel).unwrap();
        let scratch = self.device.alloc_zeros::<u64>(limit::scratch_words(grid)).unwrap();
        for launch_number in 1..=3 {
            let output = self.device.clone_htod(&[elements::<O>(&[77])[0]]).unwrap();
            let mut launch = self.device.launch_builder(&kernel_function);
            launch.arg(&self.buffer.slice(self.offset..)).arg(&output).arg(&(self.n as u32)).arg(&scratch);
            let ended = launch.launch(LaunchConfig::new(grid, block));
            ended.unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
            let sum = self.device.clone_dtoh(&output).unwrap()[0];
            let of = format!("{kernel}, {grid} blocks, n = {}, offset {}", self.n, self.offset);
            assert_eq!(sum, self.expected, "{of}, launch {launch_number}");
        }
    }
}

/// Blocks of a kernel whose blocks take `tile` elements at a time: enough.
fn grid(n: usize, tile: usize) -> u32 {
    n.div_ceil(tile).max(1) as u32
}

fn every_kernel<O: Operator>(operation: &Operation, suffix: &str)
where
    O::Element: PartialEq + Debug,
{
    let offsets = |n: usize| if n < 100_000 { vec![0, 1, 3] } else { vec![1] };
    let places: Vec<_> =
        SIZES.iter().flat_map(|&n| offsets(n).into_iter().map(move |offset| (n, offset))).collect();
    places.into_par_iter().for_each(|(n, offset)| {
        let case = Case::<O>::new(n, offset);
        let block = 96;
        for rung in SEVERAL_LAUNCHES {
            case.partial_sums(&format!("{rung}{suffix}"), grid(n, 96), block);
        }
        case.sum(&format!("reduceSinglePass{suffix}"), grid(n, 8 * 96), block);
        let Choice { kernel, block, grid } = limit::choice(operation, n as u64);
        case.sum(kernel, grid, block);
    });
}

#[test]
fn every_rung_is_right_for_i32() {
    every_kernel::<SumI32>(&I32, "");
}

#[test]
fn every_rung_is_right_for_f32() {
    every_kernel::<SumF32>(&F32, "F32");
}

#[test]
fn every_rung_is_right_for_i64() {
    every_kernel::<SumI64>(&I64, "I64");
}

/// Every choice of the table, with few elements and many blocks, and the other way round.
fn every_choice<O: Operator>(operation: &Operation)
where
    O::Element: PartialEq + Debug,
{
    let sizes = (0..=31).map(|exponent| 1u64 << exponent);
    let mut choices: Vec<Choice> = sizes.map(|n| limit::choice(operation, n)).collect();
    choices.dedup_by_key(|choice| choice.kernel);
    assert!(choices.len() >= 4, "{choices:?}");
    for (n, offset) in [(0, 0), (5, 2), (3001, 1), (40_000, 0)] {
        let case = Case::<O>::new(n, offset);
        for Choice { kernel, block, .. } in &choices {
            let grids: &[u32] = if kernel.contains("OneBlock") { &[1] } else { &[1, 2, 8, 300] };
            for &grid in grids {
                case.sum(kernel, grid, *block);
            }
        }
    }
}

#[test]
fn every_choice_is_right_in_any_grid() {
    every_choice::<SumI32>(&I32);
    every_choice::<SumF32>(&F32);
    every_choice::<SumI64>(&I64);
}

#[test]
fn a_choice_launches_as_many_threads_as_its_kernel_is_compiled_for() {
    let ptx = kernels::get("ch7_limit").unwrap().ptx;
    for operation in [I32, F32, I64] {
        for n in (0..=31).flat_map(|exponent| [(1u64 << exponent) - 1, 1 << exponent, (1 << exponent) + 1]) {
            let Choice { kernel, block, grid } = limit::choice(&operation, n);
            let entry =
                ptx.split_once(&format!(".entry {kernel}(")).unwrap_or_else(|| panic!("no {kernel}")).1;
            let head = entry.split_once('{').unwrap().0;
            assert!(head.contains(&format!(".maxntid {block}")), "{kernel}, {block} threads: {head}");
            assert!(
                grid >= 1 && (grid == 1 || n * u64::from(operation.element_bytes) > 16),
                "{kernel}, n = {n}"
            );
            assert!(!kernel.contains("Cluster") || grid == 8, "{kernel} is compiled for clusters of 8");
        }
    }
}
