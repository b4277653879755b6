//! Chapter 7's kernels on the simulator: every one of them, for every type, at sizes around warps, vectors
//! and blocks, on arrays that begin anywhere, launch after launch with the same scratch memory.

use std::fmt::Debug;

use chapters::ch7_limit::choice::{self, Choice, UNTUNED};
use rayon::prelude::*;
use workbook::chapter::Shape;
use workbook::device::{Buffer, Device, DeviceChoice, LaunchConfig, Module};
use workbook::kernels;
use workbook::reduction::data;
use workbook::reduction::operation::{Operation, SUM_F32, SUM_I64};
use workbook::reduction::operator::{Operator, SumF32, SumI32, SumI64, elements};

const SIZES: [usize; 7] = [0, 1, 2, 31, 33, 1000, 1025];
/// Rungs that leave one partial sum per block.
const SEVERAL_LAUNCHES: [&str; 6] = [
    "reduceSharedTree",
    "reduceSequential",
    "reduceFirstAdd",
    "reduceInFlight",
    "reduceShuffle",
    "reduceVector",
];

/// An array of `n` elements that begins at element `offset` of a buffer, with other numbers before and after
/// it.
struct Case<O: Operator> {
    device: Device,
    module: Module,
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
        let module = kernels::load(&device, "ch7_limit").unwrap();
        Case { device, module, buffer, offset, n, expected }
    }

    /// One launch that leaves `grid` partial sums.
    fn partial_sums(&self, kernel: &str, grid: u32, block: u32) {
        let kernel_function = self.module.load_function(kernel).unwrap();
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
        let kernel_function = self.module.load_function(kernel).unwrap();
        let scratch = self.device.alloc_zeros::<u64>(choice::scratch_words(grid)).unwrap();
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

/// Sizes, and where the array begins: also those at which the comparison on a GPU is made besides the tuned,
/// as far as they are small.
fn places() -> Vec<(usize, usize)> {
    let offsets = |n: usize| if n < 100_000 { vec![0, 1, 3] } else { vec![1] };
    let sizes = SIZES.iter().flat_map(|&n| offsets(n).into_iter().map(move |offset| (n, offset)));
    let untuned = UNTUNED.iter().filter(|(n, _)| *n < 1 << 19);
    sizes.chain(untuned.map(|&(n, offset)| (n as usize, offset as usize))).collect()
}

#[test]
fn every_rung_is_right() {
    places().into_par_iter().for_each(|(n, offset)| {
        let case = Case::<SumI32>::new(n, offset);
        for rung in SEVERAL_LAUNCHES {
            case.partial_sums(rung, grid(n, 96), 96);
        }
        case.sum("reduceSinglePass", grid(n, 8 * 96), 96);
        case.sum("reduceOneAtomic", grid(n, 8 * 512), 512);
        case.sum("reduceFourLoads", grid(n, 16 * 512), 512);
    });
}

fn last_rung<O: Operator>(operation: &Operation)
where
    O::Element: PartialEq + Debug,
{
    places().into_par_iter().for_each(|(n, offset)| {
        let Choice { kernel, shape: Shape { block, grid } } = choice::choice(operation, n as u64);
        Case::<O>::new(n, offset).sum(kernel, grid, block);
    });
}

#[test]
fn the_last_rung_is_right_for_every_type() {
    last_rung::<SumI32>(&Operation::SUM);
    last_rung::<SumF32>(&SUM_F32);
    last_rung::<SumI64>(&SUM_I64);
}

/// Every choice of the table, with few elements and many blocks, and the other way round.
fn every_choice<O: Operator>(operation: &Operation)
where
    O::Element: PartialEq + Debug,
{
    // The largest power of two for each.
    let sizes: Vec<u64> = (0..=31).rev().map(|exponent| 1u64 << exponent).collect();
    let mut choices: Vec<_> = sizes.iter().map(|&size| (size, choice::choice(operation, size))).collect();
    choices.dedup_by_key(|(_, choice)| choice.kernel);
    assert!(choices.len() >= 4, "{choices:?}");
    for (n, offset) in [(0, 0), (5, 2), (3001, 1), (40_000, 0)] {
        let case = Case::<O>::new(n, offset);
        for (largest, Choice { kernel, shape: Shape { block, grid } }) in &choices {
            let one_tile = *grid == 1;
            let grids: &[u32] = if one_tile { &[1] } else { &[1, 8, 40] };
            for &grid in grids.iter().filter(|_| !one_tile || n as u64 <= *largest) {
                case.sum(kernel, grid, *block);
            }
        }
    }
    // A block that is alone has room for the largest array that it is chosen for, wherever that begins.
    let alone = choices.iter().filter(|(_, choice)| choice.shape.grid == 1);
    for (largest, Choice { kernel, shape: Shape { block, .. } }) in alone {
        Case::<O>::new(*largest as usize, 0).sum(kernel, 1, *block);
        Case::<O>::new(*largest as usize, 1).sum(kernel, 1, *block);
    }
}

#[test]
fn every_choice_is_right_in_any_grid() {
    every_choice::<SumI32>(&Operation::SUM);
    every_choice::<SumF32>(&SUM_F32);
    every_choice::<SumI64>(&SUM_I64);
}

/// A block's tile has one element that counts, `of_block[b]`; each order of the blocks gives the same sum.
fn sum_of_blocks(of_block: &[f32]) -> f32 {
    const TILE: usize = 128 * 4 * 4;
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let module = kernels::load(&device, "ch7_limit").unwrap();
    let kernel = module.load_function("reduceLimitSmallF32").unwrap();
    let output = device.alloc_zeros::<f32>(1).unwrap();
    let scratch = device.alloc_zeros::<u64>(choice::scratch_words(of_block.len() as u32)).unwrap();
    let sum = |of_block: &mut dyn Iterator<Item = &f32>| {
        let elements: Vec<f32> = of_block.flat_map(|&x| [vec![x], vec![0.0; TILE - 1]].concat()).collect();
        let input = device.clone_htod(&elements).unwrap();
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&output).arg(&(elements.len() as u32)).arg(&scratch);
        launch.launch(LaunchConfig::new((elements.len() / TILE) as u32, 128)).unwrap();
        device.clone_dtoh(&output).unwrap()[0]
    };
    let forwards = sum(&mut of_block.iter());
    let backwards = sum(&mut of_block.iter().rev());
    assert_eq!(forwards.to_bits(), backwards.to_bits(), "{of_block:?}");
    assert!(device.clone_dtoh(&scratch).unwrap().iter().all(|&word| word == 0), "{of_block:?}");
    forwards
}

#[test]
fn the_sum_of_the_blocks_of_f32_is_exact_until_its_end() {
    let least = f32::from_bits(1);
    let most = f32::MAX;
    let cases: [(&[f32], f32); 15] = [
        (&[1e30, 1.0, -1e30], 1.0),
        (&[1e30, least, -1e30, least], 2.0 * least),
        (&[most, -least, -most], -least),
        (&[2048.0, least, -1024.0, -1024.0], least), // the digits cancel, not the numbers in each
        (&[least, least, -1.5, 1.5], 2.0 * least),
        (&[-1.0, -2.5, -1e-20, 3.5], -1e-20),
        (&[f32::MIN_POSITIVE, -least], f32::MIN_POSITIVE - least),
        (&[16_777_216.0, 1.0, 1.0], 16_777_218.0),
        (&[0.1, 0.2, 0.3], (0.1f32 as f64 + 0.2f32 as f64 + 0.3f32 as f64) as f32),
        (&[most, most, -most], most),
        (&[most, most], f32::INFINITY),
        (&[-most, -most, 1.0], f32::NEG_INFINITY),
        (&[f32::INFINITY, -most, 7.0], f32::INFINITY),
        (&[f32::NEG_INFINITY, most, f32::NEG_INFINITY], f32::NEG_INFINITY),
        (&[0.0, -0.0], 0.0),
    ];
    for (of_block, sum) in cases {
        assert_eq!(sum_of_blocks(of_block).to_bits(), sum.to_bits(), "{of_block:?}, {sum:e}");
    }
    for of_block in
        [&[f32::INFINITY, 1.0, f32::NEG_INFINITY][..], &[1.0, f32::NAN], &[f32::NAN, f32::INFINITY]]
    {
        assert!(sum_of_blocks(of_block).is_nan(), "{of_block:?}");
    }
}

#[test]
fn a_choice_launches_as_many_threads_as_its_kernel_is_compiled_for() {
    let ptx = &kernels::get("ch7_limit").unwrap().ptx;
    for operation in [Operation::SUM, SUM_F32, SUM_I64] {
        for n in (0..=31).flat_map(|exponent| [(1u64 << exponent) - 1, 1 << exponent, (1 << exponent) + 1]) {
            let Choice { kernel, shape: Shape { block, grid } } = choice::choice(&operation, n);
            let entry =
                ptx.split_once(&format!(".entry {kernel}(")).unwrap_or_else(|| panic!("no {kernel}")).1;
            let head = entry.split_once('{').unwrap().0;
            assert!(head.contains(&format!(".maxntid {block}")), "{kernel}, {block} threads: {head}");
            assert!(
                grid >= 1 && (grid == 1 || n * u64::from(operation.element_bytes) > 16),
                "{kernel}, n = {n}"
            );
            assert!(grid < choice::MAX_BLOCKS_IN_DIGITS, "{kernel} counts its blocks");
        }
    }
}
