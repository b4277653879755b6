//! How a device is opened, and what of its launches can be asked for.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use workbook::device::{Buffer, Device, DeviceKind, Function, LaunchConfig, SimulatorOptions};
use workbook::kernels;
use workbook::sim::{Counters, Diagnostic, Kind};

const N: usize = 64;

fn kernel(device: &Device) -> Function {
    let module = kernels::load(device, "ch3_blocks").unwrap();
    module.load_function("reduceInterleaved").unwrap()
}

fn reduce(device: &Device, input: &Buffer<i32>, output: &Buffer<i32>) -> Result<()> {
    let kernel = kernel(device);
    let mut launch = device.launch_builder(&kernel);
    launch.arg(input).arg(output).arg(&(N as u32)).launch(LaunchConfig::new(1, N as u32))
}

#[test]
fn the_cpu_has_a_name_and_runs_no_kernel() {
    let cpu = Device::cpu();
    let info = cpu.info();
    assert_eq!((info.kind, cpu.multiprocessors()), (DeviceKind::Cpu, 0));
    assert!(!info.name.is_empty() && info.threads > Some(0));
    assert!(cpu.simulated().is_none(), "no observer listens there in vain");
    let refusal = kernels::load(&cpu, "ch3_blocks").err().unwrap().to_string();
    assert!(refusal.contains("the CPU runs no kernels"), "{refusal}");
    assert!(cpu.alloc::<i32>(1).err().unwrap().to_string().contains("no device memory"));
}

#[test]
fn memory_that_nobody_has_written_is_told_from_zeros() {
    let device = Device::simulator(SimulatorOptions::default());
    let input = device.clone_htod(&[1; N]).unwrap();
    let output = device.alloc::<i32>(2).unwrap();
    assert!(device.is_defined(&input, 0..N) && !device.is_defined(&output, 0..1));
    reduce(&device, &input, &output).unwrap();
    assert!(device.is_defined(&output, 0..1) && !device.is_defined(&output, 1..2));
    assert!(device.is_defined(&device.alloc_zeros::<i32>(2).unwrap(), 0..2));
}

#[test]
fn a_launch_that_is_stopped_has_its_findings_and_counts() {
    for checks in [true, false] {
        let device = Device::simulator(SimulatorOptions { checks, ..Default::default() });
        let short = device.clone_htod(&[1; N / 2]).unwrap();
        let stopped: Diagnostic = reduce(&device, &short, &short).unwrap_err().downcast().unwrap();
        let seen = device.take_seen();
        assert_eq!((stopped.kind, seen.found.last()), (Kind::OutOfBounds, Some(&stopped)));
        assert!(seen.counters.unwrap().warp_instructions > 0);
        assert!(device.take_seen().found.is_empty(), "what has been taken is gone");
    }
}

#[test]
fn a_step_limit_ends_a_launch() {
    let device = Device::simulator(SimulatorOptions { step_limit: Some(10), ..Default::default() });
    let input = device.clone_htod(&[1; N]).unwrap();
    let output = device.alloc::<i32>(1).unwrap();
    let stopped: Diagnostic = reduce(&device, &input, &output).unwrap_err().downcast().unwrap();
    assert_eq!(stopped.kind, Kind::StepLimit);
}

#[test]
fn an_observer_is_told_what_every_launch_does() {
    let device = Device::simulator(SimulatorOptions { schedule: 3, ..Default::default() });
    let input = device.clone_htod(&[1; N]).unwrap();
    let output = device.alloc::<i32>(1).unwrap();
    let observer = Rc::new(RefCell::new(Counters::default()));
    device.simulated().unwrap().observe(observer.clone());
    for _ in 0..2 {
        reduce(&device, &input, &output).unwrap();
    }
    let counters = device.take_seen().counters.unwrap();
    assert!(counters.warp_instructions > 0);
    assert_eq!(*observer.borrow(), counters);
}
