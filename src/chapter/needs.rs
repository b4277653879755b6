//! What a chapter needs before it runs: a device that it can run on, its kernels there, and memory.

use anyhow::{Context, Result, ensure};
use device::{Device, DeviceChoice, Module, Peers, SimulatorOptions, measure};
use kernel_compiler::build::Build;
use text::number::thousands;

use super::options::Options;
use super::output::Output;
use super::shape::Place;
use super::variant::Chapter;
use crate::kernels;

/// Where a chapter runs.
pub struct Stage {
    pub device: Device,
    /// The other devices of a chapter that runs on several, with its kernels there.
    pub others: Vec<(Device, Module)>,
    /// The kernels on `device`, and the build that they are from; none on the CPU.
    pub module: Option<Module>,
    pub build: Option<Build>,
}

/// Opens the devices, and loads the kernels: of `build`, on the simulator only, or else of the chapter's own.
pub fn open(
    chapter: &Chapter,
    build: Option<Build>,
    options: &Options,
    output: &mut dyn Output,
) -> Result<Stage> {
    if chapter.place == Place::Cpu {
        let device = on_cpu(chapter, options, output)?;
        return Ok(Stage { device, others: Vec::new(), module: None, build: None });
    }
    let is_own = build.is_none();
    let build = match build {
        Some(build) => build,
        None => kernels::get(chapter.stem)?,
    };
    let simulated = SimulatorOptions {
        schedule: options.schedule,
        every_order: options.orders.clone(),
        step_limit: Some(options.step_limit),
        keep_printed: true,
        ..SimulatorOptions::default()
    };
    let choice = choice(chapter, options, &build)?;
    let mut devices = if chapter.many_gpus {
        let peers = if options.no_peers { Peers::Apart } else { Peers::Connected };
        Device::open_some(choice, options.gpus, peers, simulated)?
    } else {
        vec![Device::open_with(choice, simulated)?]
    }
    .into_iter();
    let device = devices.next().context("no device was opened")?;
    if let Some(why) = &device.no_peer_atomics {
        output.complain(&format!(
            "note: {why}; so no kernel adds to another GPU's memory, and the host adds what each has"
        ));
        ensure!(!options.record, "not recorded: the book's GPUs add to each other's memory");
    }
    let load = |device: &Device| {
        if let Some(simulator) = device.simulated() {
            simulator.name_by(&build.source);
            return Module::simulated(&build);
        }
        ensure!(is_own, "only the simulator runs kernels that are not the chapter's own; add --device sim");
        kernels::load_own(device, &build)
    };
    let module = load(&device)?;
    let beside = |other: Device| {
        // Simulated GPUs share a simulator, and the module.
        let loaded = if other.is_simulated() { module.clone() } else { load(&other)? };
        Ok((other, loaded))
    };
    let others = devices.map(beside).collect::<Result<_>>()?;
    Ok(Stage { device, others, module: Some(module), build: Some(build) })
}

/// The device that the reader asks for, if the chapter can run there.
fn choice(chapter: &Chapter, options: &Options, build: &Build) -> Result<DeviceChoice> {
    let what_if = build.what_if.as_ref().map(|_| "an edited kernel is meant to be studied, not timed");
    let Some(why) = what_if.or(build.simulator_only()).or(chapter.simulator_only) else {
        return Ok(options.device);
    };
    ensure!(options.device != DeviceChoice::Gpu, "{why}; omit --device gpu to run it on the simulator");
    Ok(DeviceChoice::Sim)
}

/// The CPU, for a chapter without a kernel.
fn on_cpu(chapter: &Chapter, options: &Options, output: &mut dyn Output) -> Result<Device> {
    ensure!(
        options.device != DeviceChoice::Gpu,
        "{} has no kernel and runs on the CPU; omit --device gpu, or go on to chapter 2",
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
