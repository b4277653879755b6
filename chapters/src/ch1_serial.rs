//! Chapter 1: the serial sum, five ways, timed on the CPU.

use rayon::prelude::*;
use workbook::chapter::{Chapter, Place, Shape, Variant};
use workbook::record::{Failure, Wrong};
use workbook::reduction::serial;

pub const CHAPTER: Chapter = Chapter {
    place: Place::Cpu,
    default_n: |_| 1_000_000, // no power of two: the post's recursion loses elements
    source: include_str!("ch1_serial.rs"),
    ..Chapter::new(
        "ch1_serial",
        "The serial sum, five ways, timed on the CPU",
        &[
            Variant::new("loop", |case| case.on_cpu(|data| sum_in_a_loop(data))),
            Variant {
                expected_failure: drops_odd_element,
                ..Variant::new("recursiveReduce", |case| case.on_cpu(recursive_reduce))
            },
            Variant::new("recursiveReduceAnyLength", |case| case.on_cpu(serial::recursive_reduce)),
            Variant::new("iterator", |case| case.on_cpu(|data| sum_by_iterator(data))),
            Variant::new("rayon", |case| case.on_cpu(|data| sum_by_rayon(data))),
        ],
    )
};

// ANCHOR: loop
fn sum_in_a_loop(data: &[i32]) -> i32 {
    let mut sum = 0i32;
    for &number in data {
        sum = sum.wrapping_add(number);
    }
    sum
}
// ANCHOR_END: loop

/// The post's recursion: the second half is added onto the first, in place. Of an odd number of elements the
/// last is left out.
// ANCHOR: recursiveReduce
fn recursive_reduce(data: &mut [i32]) -> i32 {
    let size = data.len();
    if size <= 1 {
        return data.first().copied().unwrap_or(0);
    }
    let stride = size / 2;
    for i in 0..stride {
        data[i] = data[i].wrapping_add(data[i + stride]);
    }
    recursive_reduce(&mut data[..stride])
}
// ANCHOR_END: recursiveReduce

/// Halving meets an odd size, and loses an element there, unless `n` is a power of two.
fn drops_odd_element(n: u64, _: Shape) -> Option<Failure> {
    (n > 0 && !n.is_power_of_two()).then_some(Failure::Result(Wrong::DropsOddElement))
}

// ANCHOR: iterator
fn sum_by_iterator(data: &[i32]) -> i32 {
    data.iter().fold(0, |sum, &x| sum.wrapping_add(x))
}
// ANCHOR_END: iterator

// ANCHOR: rayon
fn sum_by_rayon(data: &[i32]) -> i32 {
    data.par_iter().copied().reduce(|| 0, i32::wrapping_add)
}
// ANCHOR_END: rayon
