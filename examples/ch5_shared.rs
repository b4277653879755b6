//! Chapter 5: the dot product. The threads of a block share a cache, and wait for each other at a barrier.
//!
//!     cargo run --example ch5_shared                                # the post's constants: 33 * 1024 pairs
//!     cargo run --example ch5_shared -- --n 1_000_003 --block 96 --grid 7

use std::process::ExitCode;

use anyhow::Result;
use workbook::chapter::options::Shape;
use workbook::chapter::{self, Case, Chapter, Kernel, Outcome, Place};
use workbook::chapters::memory_spaces;
use workbook::device::LaunchConfig;
use workbook::device::measure::{self, Measurement};
use workbook::record::DeviceKind;
use workbook::reduction::error_bound;
use workbook::reduction::operator::{Operator, elements};
use workbook::reduction::serial;
use workbook::reduction::value::{Expected, Operation, Value};

const CHAPTER: Chapter = Chapter {
    stem: "ch5_shared",
    about: "Threads of a block cooperate: the dot product in shared memory",
    place: Place::GridStride,
    kernels: &[
        DOT,
        Kernel { name: "dotDynamic", ..DOT },
        Kernel { name: "dotStrided", ..DOT },
        Kernel { name: "dotAtomic", grid: a_thousand_blocks, ..DOT },
        Kernel { name: "dotLoop", on_host: true, error: |n, _| error_bound::of_dot(n, n), ..DOT },
        Kernel { name: "dotKahan", on_host: true, error: |n, _| kahan_error(n), ..DOT },
        Kernel { name: POSTS_DATA, operation: DOT_OF_THE_POST, swept: false, ..DOT },
        Kernel { name: "dotBarrierInBranch", swept: false, teaches: |_, shape| divergence(shape, 1), ..DOT },
        Kernel {
            name: "dotBarriersMispaired",
            swept: false,
            teaches: |_, shape| divergence(shape, 32),
            ..DOT
        },
    ],
    default_n: |_| 33 * 1024, // the post's constant
};

const DOT: Kernel = Kernel { operation: DOT_OF_F32, error, ..Kernel::new("dot") };
/// The same kernel on the post's data.
const POSTS_DATA: &str = "dot(i,2i)";

fn main() -> ExitCode {
    chapter::run_with_spaces(&CHAPTER, dot, memory_spaces::measure)
}

// ANCHOR: data
/// Pairs in [0, 1) with 24 bits each, made of one number: its bits in their order and in the other.
fn random_pair(number: i32) -> (f32, f32) {
    let share = |bits: u32| (bits >> 8) as f32 / (1 << 24) as f32;
    (share(number as u32), share(number.cast_unsigned().reverse_bits()))
}

/// The post's data: a[i] = i, b[i] = 2i.
fn posts_pair(index: usize) -> (f32, f32) {
    (index as f32, (2 * index) as f32)
}
// ANCHOR_END: data

// ANCHOR: operations
/// The reference: products in f64, where they are exact, and their sum, which keeps 29 bits more.
struct DotInF64;

impl Operator for DotInF64 {
    type Element = f64;
    const IDENTITY: f64 = 0.0;

    fn combine(first: f64, second: f64) -> f64 {
        first + second
    }
    fn element(number: i32, _: usize) -> f64 {
        let (a, b) = random_pair(number);
        f64::from(a) * f64::from(b)
    }
    fn value(element: f64) -> Value {
        element.into()
    }
}

/// No product is negative, so the sum of |a·b|, on which the error bound rests, is the dot product.
const DOT_OF_F32: Operation = Operation {
    name: "dot product of f32",
    element_bytes: 8,
    expected: |numbers| {
        let dot = serial::recursive_reduce_by::<DotInF64>(&mut elements::<DotInF64>(numbers));
        Expected::within(dot, dot)
    },
};

/// Checked as the post does it, against 2 * (N-1) N (2N-1) / 6, but in integers.
const DOT_OF_THE_POST: Operation = Operation {
    name: "dot product of i and 2i",
    element_bytes: 8,
    expected: |numbers| {
        let n = numbers.len() as u128;
        let dot = (n.saturating_sub(1) * n * (2 * n).saturating_sub(1) / 3) as f64;
        Expected::within(dot, dot)
    },
};

/// How far a kernel may be off, as a share of the sum of |a·b|. A product goes through the additions of
/// its thread, of the tree of its block, and of the partial sums; and it may be rounded itself, as may the
/// post's a and b from 2^24 on.
fn error(n: u64, shape: Shape) -> f64 {
    let threads = u64::from(shape.block) * u64::from(shape.grid);
    let tree = shape.block.next_power_of_two().ilog2();
    error_bound::of_dot(n, n.div_ceil(threads) + u64::from(tree) + u64::from(shape.grid) + 3)
}
// ANCHOR_END: operations

/// For [`kahan`]: (2u + O(nu²)) Σ|aᵢbᵢ| for the additions (Higham, 4.3), u for the product. The O is taken as 8nu².
fn kahan_error(n: u64) -> f64 {
    error_bound::UNIT_F32 * (3.0 + 8.0 * n as f64 * error_bound::UNIT_F32)
}

/// What a barrier in a branch is kept to show, in blocks of more than `alike` threads: those all go the same way.
fn divergence(shape: Shape, alike: u32) -> Option<&'static str> {
    (shape.block > alike).then_some("barrier-divergence")
}

/// As many as an H200 holds at a time, if there are elements for them.
fn a_thousand_blocks(n: u64, shape: Shape) -> u32 {
    Shape::of_blocks(n, shape.block).grid.min(1024)
}

// ANCHOR: host
/// The host side: two arrays, a partial sum a block, and what the host adds up.
fn dot(case: &Case) -> Result<Outcome> {
    let Case { device, module, block, grid, .. } = *case;
    let pair = |(index, &number): (usize, &i32)| match case.kernel {
        POSTS_DATA => posts_pair(index),
        _ => random_pair(number),
    };
    let (a, b): (Vec<f32>, Vec<f32>) = case.data.iter().enumerate().map(pair).unzip();
    let size = case.data.len() as u32;
    match case.kernel {
        "dotLoop" => return on_host(device.info().kind, || dot_in_a_loop(&a, &b)),
        "dotKahan" => return on_host(device.info().kind, || kahan(&a, &b)),
        _ => {}
    }

    let function = if case.kernel == POSTS_DATA { "dot" } else { case.kernel };
    let kernel = module.load_function(function)?;
    let (dev_a, dev_b) = (device.clone_htod(&a)?, device.clone_htod(&b)?);
    let partial_c = device.alloc::<f32>(grid as usize)?;
    // The other kernels say how long their cache is.
    let shared_mem_bytes = if function == "dotDynamic" { 4 * block } else { 0 };

    let cost = device.measure(
        || device.memset_zeros(&partial_c),
        || {
            let config = LaunchConfig { shared_mem_bytes, ..LaunchConfig::new(grid, block) };
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&dev_a).arg(&dev_b).arg(&partial_c).arg(&size).launch(config)
        },
    )?;

    let dot: f32 = device.clone_dtoh(&partial_c)?.iter().sum();
    Ok(Outcome { sum: dot.into(), cost, dropped: None })
}
// ANCHOR_END: host

/// On the CPU: beside the simulator, which has no clock, without a time.
fn on_host(device: DeviceKind, work: impl Fn() -> f32) -> Result<Outcome> {
    let (dot, cost) = match device {
        DeviceKind::Sim => (work(), Measurement::default()),
        _ => measure::floats_on_cpu(work)?,
    };
    Ok(Outcome { sum: dot.into(), cost, dropped: None })
}

// ANCHOR: dotLoop
fn dot_in_a_loop(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}
// ANCHOR_END: dotLoop

/// W. Kahan, "Further remarks on reducing truncation errors", CACM 8 (1965): what an addition rounds away goes in
/// with the next product.
// ANCHOR: dotKahan
fn kahan(a: &[f32], b: &[f32]) -> f32 {
    let (mut sum, mut lost) = (0.0f32, 0.0f32);
    for (a, b) in a.iter().zip(b) {
        let term = a * b - lost;
        let next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    sum
}
// ANCHOR_END: dotKahan
