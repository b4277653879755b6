//! What makes an operator fit for a reduction: its identity changes nothing, it is associative; and what does
//! not.

use workbook::device::{Device, DeviceChoice, LaunchConfig};
use workbook::kernels;
use workbook::reduction::data;
use workbook::reduction::operator::{ArgMax, FromZero, Hash, Max, Min, Operator, Product, Sum, elements};
use workbook::reduction::serial::recursive_reduce_by;

/// Elements in threes, the same on every machine: of many numbers, of few (so that some are equal), and the
/// identity.
fn threes<O: Operator>() -> Vec<[O::Element; 3]> {
    let wide = data::numbers(3000, 3);
    let narrow: Vec<i32> = wide.iter().map(|number| number >> 30).collect();
    let mut all = [elements::<O>(&wide), elements::<O>(&narrow), vec![O::IDENTITY; 3]].concat();
    all.extend([elements::<O>(&[i32::MIN, i32::MAX, -1, 0, 1, i32::MIN]), vec![O::IDENTITY; 3]].concat());
    all.windows(3).map(|three| [three[0], three[1], three[2]]).collect()
}

fn same<O: Operator>(a: O::Element, b: O::Element) -> bool {
    bytemuck::bytes_of(&a) == bytemuck::bytes_of(&b)
}

fn is_a_monoid<O: Operator>() {
    for [a, b, c] in threes::<O>() {
        assert!(same::<O>(O::combine(O::IDENTITY, a), a), "{:?}", O::value(a));
        assert!(same::<O>(O::combine(a, O::IDENTITY), a), "{:?}", O::value(a));
        let left = O::combine(O::combine(a, b), c);
        let right = O::combine(a, O::combine(b, c));
        assert!(same::<O>(left, right), "{:?}, {:?}, {:?}", O::value(a), O::value(b), O::value(c));
    }
}

#[test]
fn operators_are_associative_and_have_an_identity() {
    is_a_monoid::<Sum<i32>>();
    is_a_monoid::<Sum<i64>>();
    is_a_monoid::<FromZero>();
    is_a_monoid::<Min<i32>>();
    is_a_monoid::<Min<i64>>();
    is_a_monoid::<Min<f32>>();
    is_a_monoid::<Min<f64>>();
    is_a_monoid::<Max<i32>>();
    is_a_monoid::<Max<i64>>();
    is_a_monoid::<Max<f32>>();
    is_a_monoid::<Max<f64>>();
    is_a_monoid::<ArgMax<i32>>();
    is_a_monoid::<ArgMax<i64>>();
    is_a_monoid::<ArgMax<f32>>();
    is_a_monoid::<ArgMax<f64>>();
    is_a_monoid::<Product>();
    is_a_monoid::<Hash>();
}

#[test]
fn sums_of_floats_have_an_identity_and_are_not_associative() {
    let differing = |threes: &[[f32; 3]]| {
        let add = Sum::<f32>::combine;
        threes.iter().filter(|&&[a, b, c]| add(add(a, b), c) != add(a, add(b, c))).count()
    };
    let threes = threes::<Sum<f32>>();
    assert!(threes.iter().all(|&[a, ..]| Sum::<f32>::combine(a, Sum::<f32>::IDENTITY) == a));
    assert!(differing(&threes) * 10 > threes.len(), "rounding shows in many of them");
    // In f64 the chapter's numbers, multiples of 2^-31, have room: a sum of a few does not round.
    let add = Sum::<f64>::combine;
    assert!(self::threes::<Sum<f64>>().iter().all(|&[a, b, c]| add(add(a, b), c) == add(a, add(b, c))));
    assert_ne!(add(add(0.1, 0.2), 0.3), add(0.1, add(0.2, 0.3)));
}

#[test]
fn the_order_of_the_operands_matters_to_the_hash_alone() {
    fn commutes<O: Operator>() -> bool {
        threes::<O>().iter().all(|&[a, b, _]| same::<O>(O::combine(a, b), O::combine(b, a)))
    }
    assert!(commutes::<Sum<i32>>() && commutes::<Product>() && commutes::<Min<f32>>());
    assert!(commutes::<ArgMax<i32>>() && commutes::<ArgMax<f64>>());
    assert!(!commutes::<Hash>());
}

/// The hash of a string is that of its characters one after the other, however it is cut.
#[test]
fn the_recursion_keeps_the_operands_in_their_order() {
    for n in [0, 1, 2, 3, 7, 31, 33, 1000, 1025] {
        let letters = elements::<Hash>(&data::numbers(n, 5));
        let in_order = letters.iter().fold(Hash::IDENTITY, |hash, &letter| Hash::combine(hash, letter));
        assert_eq!(recursive_reduce_by::<Hash>(&mut letters.clone()), in_order, "{n}");
    }
}

/// What one block of a kernel of chapter 6 makes of `elements`, on the simulator.
fn reduced(kernel: &str, elements: &[f32]) -> f32 {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let module = kernels::load(&device, "ch6_operators").unwrap();
    let function = module.load_function(kernel).unwrap();
    let input = device.clone_htod(elements).unwrap();
    let output = device.alloc_zeros::<f32>(1).unwrap();
    let mut launch = device.launch_builder(&function);
    launch.arg(&input).arg(&output).arg(&(elements.len() as u32));
    let one_block = LaunchConfig { shared_mem_bytes: 32 * 4, ..LaunchConfig::new(1, 32) };
    launch.launch(one_block).unwrap();
    device.clone_dtoh(&output).unwrap()[0]
}

/// As chapter 6 says of NaNs and of the identities of `f32`.
#[test]
fn minimum_and_maximum_skip_nans_and_a_sum_of_negative_zeros_is_positive() {
    let nan = f32::NAN;
    assert_eq!(reduced("reducePasses_min_f32", &[nan, 3.0, nan, 5.0]), 3.0);
    assert_eq!(reduced("reducePasses_max_f32", &[nan, 3.0, nan, 5.0]), 5.0);
    assert_eq!(reduced("reducePasses_min_f32", &[nan; 4]), f32::INFINITY);
    assert_eq!(reduced("reducePasses_max_f32", &[nan; 4]), f32::NEG_INFINITY);
    assert!(reduced("reducePasses_sum_f32", &[nan, 3.0]).is_nan());
    assert_eq!(reduced("reducePasses_sum_f32", &[-0.0; 5]).to_bits(), 0.0f32.to_bits());
}
