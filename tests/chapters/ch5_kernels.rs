//! Chapter 5's kernels on the simulator, with numbers whose sum is exact in f32 whatever the order: a missing
//! or doubled element shows. And the kernels that measure memory spaces: nothing is wrong with them.

use workbook::device::measure::Measurement;
use workbook::device::{Device, DeviceChoice, LaunchConfig, Module};
use workbook::kernels;

const SIZES: [usize; 8] = [0, 1, 2, 31, 33, 1000, 1025, 262_145];
const SHAPES: [(u32, u32); 6] = [(256, 32), (1, 3), (32, 1), (96, 7), (1000, 2), (1024, 40)];

fn module() -> (Device, Module) {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let module = kernels::load(&device, "ch5_shared").unwrap();
    (device, module)
}

/// The sum of what `kernel` leaves for the products of `a` and `b`, and what the checks have found.
fn dot(kernel: &str, a: &[f32], b: &[f32], (block, grid): (u32, u32)) -> (f32, Measurement) {
    let (device, module) = module();
    let function = module.load_function(kernel).unwrap();
    let dev_a = device.clone_htod(a).unwrap();
    let dev_b = device.clone_htod(b).unwrap();
    let c = device.alloc_zeros::<f32>(grid as usize).unwrap();
    let shared_mem_bytes = if kernel == "dotDynamic" { 4 * block } else { 0 };
    let config = LaunchConfig { shared_mem_bytes, ..LaunchConfig::new(grid, block) };
    let launch = || {
        let mut launch = device.launch_builder(&function);
        launch.arg(&dev_a).arg(&dev_b).arg(&c).arg(&(a.len() as u32)).launch(config)
    };
    let cost = device.measure_launch(launch).unwrap();
    (device.clone_dtoh(&c).unwrap().iter().sum(), cost)
}

#[test]
fn every_size_is_exact_in_every_shape() {
    for n in SIZES {
        // 1, 2, 3 and 4 times 1: at most 2.5 million, and each element counts.
        let a: Vec<f32> = (0..n).map(|i| (1 + i % 4) as f32).collect();
        let ones = vec![1.0; n];
        let exact: f32 = a.iter().sum();
        // Large arrays in few threads take long and show nothing new.
        let quick = |(block, grid): &(u32, u32)| n < 2000 || block * grid >= 1000;
        for shape in SHAPES.into_iter().filter(quick) {
            for kernel in ["dot", "dotDynamic", "dotStrided", "dotAtomic"] {
                let (sum, cost) = dot(kernel, &a, &ones, shape);
                assert_eq!(sum, exact, "{kernel}, {n} elements, block and grid {shape:?}");
                assert!(cost.found.is_empty(), "{kernel}, {n}, {shape:?}: {:?}", cost.found);
            }
        }
    }
}

#[test]
fn a_dynamic_cache_without_a_length_is_found() {
    let (device, module) = module();
    let function = module.load_function("dotDynamic").unwrap();
    let ones = device.clone_htod(&[1.0f32; 32]).unwrap();
    let mut launch = device.launch_builder(&function);
    let launched = launch.arg(&ones).arg(&ones).arg(&ones).arg(&32u32).launch(LaunchConfig::new(1, 32));
    assert!(launched.unwrap_err().to_string().contains("out-of-bounds"), "no cache, 32 threads");
}

#[test]
fn neighbours_in_the_same_bank_are_counted() {
    let ones = vec![1.0; 256];
    let conflicts = |kernel| dot(kernel, &ones, &ones, (256, 1)).1.counters.unwrap().shared_bank_conflicts;
    assert_eq!((conflicts("dot"), conflicts("dotDynamic")), (0, 0));
    assert!(conflicts("dotStrided") > 0);
}

#[test]
fn a_barrier_that_threads_go_past_is_found_whether_or_not_the_sum_is_right() {
    let ones = vec![1.0; 1000];
    let kinds = |cost: &Measurement| -> Vec<String> {
        cost.found.iter().map(|found| found.kind.to_string()).collect()
    };
    let (sum, cost) = dot("dotBarrierInBranch", &ones, &ones, (256, 4));
    assert_eq!((sum, kinds(&cost)), (1000.0, vec!["barrier-divergence".to_string()]));

    let (sum, cost) = dot("dotBarriersMispaired", &ones, &ones, (256, 4));
    assert_ne!(sum, 1000.0);
    assert!(kinds(&cost).contains(&"barrier-divergence".to_string()), "{:?}", cost.found);
    // Two warps: one adds, one waits, and the arrivals pair up by luck.
    let (sum, _) = dot("dotBarriersMispaired", &ones, &ones, (64, 16));
    assert_eq!(sum, 1000.0);
    // One warp: no branch divides the block.
    let (sum, cost) = dot("dotBarriersMispaired", &ones, &ones, (32, 32));
    assert_eq!((sum, kinds(&cost)), (1000.0, vec![]));
}

#[test]
fn the_kernels_that_measure_are_clean() {
    let (device, module) = module();
    let clocks = device.alloc_zeros::<i64>(1).unwrap();
    let end = device.clone_htod(&[1u64]).unwrap();
    let steps = 64u32;
    let turns = 3u32;
    let clean =
        |cost: Measurement, kernel: &str| assert!(cost.found.is_empty(), "{kernel}: {:?}", cost.found);
    let chain = device.alloc::<u64>(16 * 32).unwrap();
    let link = module.load_function("linkGlobal").unwrap();
    for kernel in [
        "chaseRegister",
        "chaseShared",
        "chaseLocal",
        "chaseConstant",
        "linkGlobal",
        "chaseGlobal",
        "chaseGlobalPastL1",
    ] {
        let function = module.load_function(kernel).unwrap();
        let launch = || match kernel {
            "linkGlobal" => {
                let mut launch = device.launch_builder(&link);
                launch.arg(&chain).arg(&32u32).arg(&end).launch(LaunchConfig::new(1, 64))
            }
            _ => {
                let mut launch = device.launch_builder(&function);
                launch.arg(&steps).arg(&clocks).arg(&end).launch(LaunchConfig::new(1, 1))
            }
        };
        clean(device.measure_launch(launch).unwrap(), kernel);
    }
    // Steps before the timed ones, the timed ones, twice; 33 lines further on each time, of 32 lines.
    let places = device.clone_dtoh(&end).unwrap()[0];
    let first = device.clone_dtoh(&chain).unwrap();
    let start = first[16 * 31];
    assert_eq!((places - start) / 128, u64::from(2 * (steps + steps / 8)) * 33 % 32, "where the chain led");

    let out = device.alloc_zeros::<f32>(1).unwrap();
    let data = device.alloc_zeros::<[f32; 4]>(1024).unwrap();
    for kernel in [
        "streamRegister",
        "streamShared",
        "streamLocal",
        "streamConstant",
        "streamGlobal",
        "streamGlobalPastL1",
    ] {
        let function = module.load_function(kernel).unwrap();
        let launch = || {
            let mut launch = device.launch_builder(&function);
            if kernel.starts_with("streamGlobal") {
                launch.arg(&data);
            }
            if kernel == "streamGlobalPastL1" {
                launch.arg(&1023u32);
            }
            launch.arg(&turns).arg(&out).launch(LaunchConfig::new(2, 96))
        };
        clean(device.measure_launch(launch).unwrap(), kernel);
    }
}
