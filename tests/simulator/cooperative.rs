//! Cooperative launches: as many blocks as the device holds may wait for each other, and one more is refused
//! before anything runs. On the simulator, and on a GPU where there is one.

use workbook::device::{Device, DeviceChoice, LaunchConfig};
use workbook::kernels;
use workbook::sim::{Diagnostic, Kind};

#[test]
fn as_many_blocks_as_fit_are_taken_and_one_more_is_refused() {
    for device in [DeviceChoice::Sim, DeviceChoice::Auto].map(|choice| Device::open(choice).unwrap()) {
        let module = kernels::load(&device, "ch6_operators").unwrap();
        let kernel = module.load_function("reduceGridSync_sum_i32").unwrap();
        let blocks = |grid| LaunchConfig { shared_mem_bytes: 1024 * 4, ..LaunchConfig::new(grid, 1024) };
        let fit = device.resident_blocks(&kernel, blocks(1)).unwrap();
        let input = device.clone_htod(&vec![1; 3000]).unwrap();
        let partials = device.alloc::<i32>(fit as usize + 1).unwrap();
        let launch = |grid| {
            let out = device.clone_htod(&[-1]).unwrap();
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&input).arg(&partials).arg(&out).arg(&3000u32);
            let launched = launch.launch_cooperative(blocks(grid));
            (launched, device.clone_dtoh(&out).unwrap()[0])
        };
        let (launched, sum) = launch(fit);
        launched.unwrap();
        assert_eq!(sum, 3000);

        let (refused, sum) = launch(fit + 1);
        let refused: Diagnostic = refused.unwrap_err().downcast().unwrap();
        assert_eq!((refused.kind, sum), (Kind::LaunchLimit, -1), "nothing has run");
        let says = format!("a cooperative launch of {} blocks, and {fit} fit at a time", fit + 1);
        assert_eq!(refused.message(), says);
        assert_eq!(refused.kernel.as_deref(), Some("reduceGridSync_sum_i32"));
    }
}
