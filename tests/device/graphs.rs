//! Launches captured into a graph and launched again.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use workbook::device::{Buffer, Device, DeviceChoice, Function, LaunchConfig};
use workbook::kernels;

const BLOCK: u32 = 32;

/// Chapter 3's kernel on two buffers: 64 elements, two partial sums.
struct Bench {
    device: Device,
    kernel: Function,
    ones: Buffer<i32>,
    g_idata: Buffer<i32>,
    g_odata: Buffer<i32>,
}

impl Bench {
    fn new(choice: DeviceChoice) -> Bench {
        let device = Device::open(choice).unwrap();
        let module = kernels::load(&device, "ch3_blocks").unwrap();
        let kernel = module.load_function("reduceInterleaved").unwrap();
        let ones = device.clone_htod(&[1; 64]).unwrap();
        let g_idata = device.alloc_zeros(64).unwrap();
        let g_odata = device.alloc_zeros(2).unwrap();
        Bench { device, kernel, ones, g_idata, g_odata }
    }

    fn reduce(&self, size: u32) -> Result<()> {
        let mut launch = self.device.launch_builder(&self.kernel);
        launch.arg(&self.g_idata).arg(&self.g_odata).arg(&size).launch(LaunchConfig::new(2, BLOCK))
    }

    fn sums(&self) -> Vec<i32> {
        self.device.clone_dtoh(&self.g_odata).unwrap()
    }
}

#[test]
fn a_graph_does_what_was_captured_in_order_and_only_when_launched() {
    a_graph_does_what_was_captured(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn a_graph_on_a_gpu_does_what_was_captured_in_order_and_only_when_launched() {
    a_graph_does_what_was_captured(DeviceChoice::Gpu);
}

fn a_graph_does_what_was_captured(choice: DeviceChoice) {
    let bench = Bench::new(choice);
    let device = &bench.device;
    let graph = device
        .capture(|| {
            device.memset_zeros(&bench.g_odata)?;
            device.memcpy_dtod(&bench.ones, &bench.g_idata)?;
            bench.reduce(50)
        })
        .unwrap();
    assert_eq!((bench.sums(), device.clone_dtoh(&bench.g_idata).unwrap()), (vec![0; 2], vec![0; 64]));
    graph.launch().unwrap();
    assert_eq!(bench.sums(), [32, 18]);
    // It reads what the buffers hold when it is launched.
    device.memcpy_htod(&[3; 64], &bench.ones).unwrap();
    graph.launch().unwrap();
    assert_eq!(bench.sums(), [96, 54]);
}

#[test]
fn what_a_graph_costs_is_what_its_launches_cost() {
    let bench = Bench::new(DeviceChoice::Sim);
    let device = &bench.device;
    let twice = || (0..2).try_for_each(|_| bench.reduce(64));
    let direct = device.measure_launch(twice).unwrap().counters.unwrap();
    let graph = device.capture(twice).unwrap();
    let replayed = device.measure_launch(|| graph.launch()).unwrap().counters.unwrap();
    assert!(direct.warp_instructions > 0);
    assert_eq!(direct, replayed);
}

#[test]
fn what_no_graph_can_hold_is_refused_by_name() {
    refusals(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn what_no_graph_can_hold_is_refused_by_name_on_a_gpu() {
    refusals(DeviceChoice::Gpu);
}

#[test]
fn a_graph_for_the_device_is_refused_where_kernels_launch_none() {
    let bench = Bench::new(DeviceChoice::Sim);
    let refusal = bench.device.capture_for_device(|| bench.reduce(64)).err().unwrap().to_string();
    assert!(refusal.contains("use a GPU"), "{refusal}");
}

fn refusals(choice: DeviceChoice) {
    let bench = Bench::new(choice);
    let device = &bench.device;
    type Work<'a> = &'a dyn Fn() -> Result<()>;
    let works: [(&str, Work); 7] = [
        ("an allocation cannot", &|| device.alloc::<i32>(1).map(drop)),
        ("a copy from the host cannot", &|| device.memcpy_htod(&[0; 64], &bench.ones)),
        ("a copy to the host cannot", &|| device.clone_dtoh(&bench.ones).map(drop)),
        ("waiting cannot", &|| device.synchronize()),
        ("a limit of the device cannot", &|| device.set_pending_launch_limit(4096)),
        ("a measurement cannot", &|| device.measure_launch(|| Ok(())).map(drop)),
        ("captured already", &|| device.capture(|| Ok(())).map(drop)),
    ];
    for (part, work) in works {
        let refusal = device.capture(work).err().unwrap().to_string();
        assert!(refusal.contains(part), "{refusal}");
    }
    // A capture that failed is over, and has left nothing behind.
    let failed = device.capture(|| {
        bench.reduce(64)?;
        ensure!(false, "changed my mind");
        Ok(())
    });
    assert_eq!(failed.err().unwrap().to_string(), "changed my mind");
    device.memcpy_dtod(&bench.ones, &bench.g_idata).unwrap();
    bench.reduce(64).unwrap();
    assert_eq!(bench.sums(), [32, 32]);
}

#[test]
fn a_graph_keeps_what_its_work_used_and_has_dropped() {
    a_graph_keeps_what_its_work_used(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn a_graph_on_a_gpu_keeps_what_its_work_used_and_has_dropped() {
    a_graph_keeps_what_its_work_used(DeviceChoice::Gpu);
}

fn a_graph_keeps_what_its_work_used(choice: DeviceChoice) {
    let Bench { device, kernel, g_odata, .. } = Bench::new(choice);
    let own = RefCell::new(Some((kernel, device.clone_htod(&[1; 64]).unwrap())));
    let graph = device
        .capture(|| {
            let (kernel, input) = own.take().unwrap(); // and both are dropped at the end
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&input).arg(&g_odata).arg(&64u32).launch(LaunchConfig::new(2, BLOCK))
        })
        .unwrap();
    // What was freed would be given out again, and hold something else.
    let _others: Vec<_> = (0..64).map(|_| device.clone_htod(&[7; 64]).unwrap()).collect();
    graph.launch().unwrap();
    assert_eq!(device.clone_dtoh(&g_odata).unwrap(), [32, 32]);
}

#[test]
fn the_host_works_on_no_buffer_that_a_graph_holds() {
    the_host_keeps_away(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn the_host_works_on_no_buffer_that_a_graph_on_a_gpu_holds() {
    the_host_keeps_away(DeviceChoice::Gpu);
}

fn the_host_keeps_away(choice: DeviceChoice) {
    let device = Device::open(choice).unwrap();
    let from = device.clone_htod(&[5; 64]).unwrap();
    let to = RefCell::new(device.alloc_host::<i32>(64).unwrap());
    let graph = device.capture(|| device.memcpy_dtod(&from, &to.borrow())).unwrap();
    let refusal = device.on_host(&mut to.borrow_mut(), |_| graph.launch()).unwrap_err().to_string();
    assert!(refusal.contains("a graph holds the buffer"), "{refusal}");
    graph.launch().unwrap();
    drop(graph);
    assert_eq!(device.on_host(&mut to.borrow_mut(), |numbers| numbers.to_vec()).unwrap(), [5; 64]);
}
