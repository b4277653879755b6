//! Buffers: how large they may be, and whose work the host waits for.

use workbook::device::{Device, DeviceChoice};

#[test]
fn a_buffer_larger_than_the_address_space_is_refused() {
    refused(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn a_buffer_larger_than_the_address_space_is_refused_on_a_gpu() {
    refused(DeviceChoice::Gpu);
}

fn refused(choice: DeviceChoice) {
    let device = Device::open(choice).unwrap();
    for refusal in [device.alloc::<u64>(usize::MAX).err(), device.alloc_host::<u64>(usize::MAX).err()] {
        let refusal = refusal.unwrap().to_string();
        assert_eq!(refusal, "the buffer is larger than the address space");
    }
}

#[test]
fn the_host_waits_for_the_work_of_other_streams() {
    the_host_sees_all(DeviceChoice::Sim);
}

#[test]
#[ignore = "needs a GPU"]
fn the_host_waits_for_the_work_of_other_streams_on_a_gpu() {
    the_host_sees_all(DeviceChoice::Gpu);
}

/// Long copies in another stream, which the host has not waited for.
fn the_host_sees_all(choice: DeviceChoice) {
    let device = Device::open(choice).unwrap();
    let other = device.another_stream().unwrap();
    let len = if choice == DeviceChoice::Gpu { 1 << 26 } else { 1 << 10 };
    let from = other.clone_htod(&vec![3u32; len]).unwrap();
    let mut to = device.alloc_host::<u32>(len).unwrap();
    other.memcpy_dtod(&from, &to).unwrap();
    drop(from);
    let wrong = device.on_host(&mut to, |numbers| numbers.iter().filter(|number| **number != 3).count());
    assert_eq!(wrong.unwrap(), 0);
    // What is dropped while another stream uses it is not given out before that is done.
    let from = device.clone_htod(&vec![4u32; len]).unwrap();
    other.memcpy_dtod(&from, &to).unwrap();
    drop(from);
    let _next = device.clone_htod(&vec![5u32; len]).unwrap();
    let wrong = device.on_host(&mut to, |numbers| numbers.iter().filter(|number| **number != 4).count());
    assert_eq!(wrong.unwrap(), 0);
}
