//! Launches that do not fit the kernel, and what the simulator finds in one that goes wrong.

use workbook::device::{Arg, Device, DeviceChoice, DeviceKind, KernelArg, LaunchConfig};
use workbook::kernels;
use workbook::sim::{Diagnostic, Kind};
use workbook::view::diagnostics;

#[test]
fn a_launch_is_checked_against_the_kernels_signature() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    assert_eq!(device.info().kind, DeviceKind::Sim);
    let module = kernels::load(&device, "ch3_blocks").unwrap();
    let unknown = module.load_function("reduceNeighbord").err().unwrap().to_string();
    let named = "The host launches a kernel named reduceNeighbord, and the file has reduceNeighbored.";
    assert!(
        unknown.starts_with("kernels/ch3_blocks.cu(21): error: ") && unknown.contains(named),
        "{unknown}"
    );

    let kernel = module.load_function("reduceNeighbored").unwrap();
    let numbers = device.clone_htod(&[1, 2, 3]).unwrap();
    let few = device.launch_builder(&kernel).arg(&numbers).launch(LaunchConfig::new(1, 32)).unwrap_err();
    let takes = "the kernel takes (unsigned int *g_idata, unsigned int *g_odata, unsigned int size)";
    let given = "The host launches reduceNeighbored with (address), and ";
    assert!(format!("{few:#}").contains(&format!("{given}{takes}")), "{few:#}");
    let mut launch = device.launch_builder(&kernel);
    let wide = launch.arg(&numbers).arg(&numbers).arg(&3u64).launch(LaunchConfig::new(1, 32)).unwrap_err();
    assert!(
        format!("{wide:#}").contains("(address, address, 8-byte number), and the kernel takes"),
        "{wide:#}"
    );
}

#[test]
fn what_the_simulator_finds_is_shown_with_its_source_line() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let build = kernels::get("ch3_blocks").unwrap();
    let module = kernels::load(&device, "ch3_blocks").unwrap();
    let kernel = module.load_function("reduceInterleaved").unwrap();
    let short = device.clone_htod(&[1; 32]).unwrap();
    let mut launch = device.launch_builder(&kernel);
    let error = launch.arg(&short).arg(&short).arg(&64u32).launch(LaunchConfig::new(1, 64)).unwrap_err();
    let found = error.downcast::<Diagnostic>().unwrap();
    assert_eq!(found.kind, Kind::OutOfBounds);
    let report =
        diagnostics::render(&found, |file| (build.source_path == file).then_some(&*build.source), false);
    for part in
        ["error[out-of-bounds]", "kernels/ch3_blocks.cu:", "idata[tid] += idata[tid + half];", "help: "]
    {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
}

#[test]
fn buffers_of_no_elements_are_legal() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let empty = device.clone_htod::<i32>(&[]).unwrap();
    let other = device.alloc_zeros::<i32>(0).unwrap();
    device.memcpy_dtod(&empty, &other).unwrap();
    assert!(device.clone_dtoh(&other).unwrap().is_empty());
    let lengths = device.memcpy_htod(&[1], &empty).unwrap_err().to_string();
    assert!(lengths.contains("1 elements into a buffer of 0"), "{lengths}");
}

#[test]
fn a_prepared_launch_takes_another_buffer_only_in_place_of_one_like_it() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let module = kernels::load(&device, "ch3_blocks").unwrap();
    let kernel = module.load_function("reduceInterleaved").unwrap();
    let ones = device.clone_htod(&[1; 32]).unwrap();
    let twos = device.clone_htod(&[2; 32]).unwrap();
    let sums = device.alloc_zeros::<i32>(1).unwrap();
    let on_twos = |prepared_for: Arg| {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&prepared_for).arg(&sums).arg(&32u32);
        launch.prepare(LaunchConfig::new(1, 32)).unwrap().launch_on(&twos.slice(0..))
    };
    on_twos(ones.arg()).unwrap();
    assert_eq!(device.clone_dtoh(&sums).unwrap(), [64]);

    let refusal = on_twos(0u64.arg()).unwrap_err().to_string();
    assert!(refusal.contains("its first argument is not one"), "{refusal}");
    let wide = device.clone_htod(&[1u64; 16]).unwrap();
    let refusal = on_twos(wide.arg()).unwrap_err().to_string();
    assert!(refusal.contains("elements of 4 bytes: its own have 8"), "{refusal}");
}
