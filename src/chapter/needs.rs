//! What a chapter needs before it runs: a device that it can run on, and memory.

use anyhow::{Result, ensure};

use super::options::Options;
use super::output::Output;
use super::variant::Chapter;
use crate::build::kernels::Build;
use crate::device::{Device, DeviceChoice, measure};
use crate::number::thousands;

/// The device that the reader asks for, if the chapter can run there.
pub fn choice(chapter: &Chapter, options: &Options, build: &Build) -> Result<DeviceChoice> {
    let what_if = build.what_if.map(|_| "an edited kernel is there to be looked at, not to be timed");
    let Some(why) = what_if.or(build.simulator_only()).or(chapter.simulator_only) else {
        return Ok(options.device);
    };
    ensure!(
        options.device != DeviceChoice::Gpu,
        "{why}; leave --device gpu out, and it runs on the simulator"
    );
    Ok(DeviceChoice::Sim)
}

/// The CPU, for a chapter without a kernel.
pub fn on_cpu(chapter: &Chapter, options: &Options, output: &mut dyn Output) -> Result<Device> {
    ensure!(
        options.device != DeviceChoice::Gpu,
        "{} has no kernel and runs on the CPU; leave --device gpu out, or go on to chapter 2",
        chapter.stem
    );
    if options.block.is_some() || options.grid.is_some() {
        output.complain(
            "note: this chapter runs on the CPU, which has no blocks; --block and --grid change nothing here",
        );
    }
    Ok(Device::cpu())
}

/// Sees that there is memory for `n` numbers, and for the copy that is added up in place.
///
/// # Errors
/// There is too little, with the bytes.
pub fn ensure_room(n: u64) -> Result<()> {
    let bytes = 2 * 4 * n;
    let is_allowed =
        usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    let free = measure::free_memory().unwrap_or(u64::MAX);
    ensure!(
        is_allowed && bytes <= free,
        "{} numbers and a copy of them take {} bytes, more than this program can have; give a smaller --n",
        thousands(n as i64),
        thousands(bytes as i64)
    );
    Ok(())
}
