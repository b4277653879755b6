//! What a load from each memory space of a GPU costs in latency and bandwidth, measured by chapter 5's
//! kernels.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use workbook::device::{Buffer, Device, LaunchConfig, Limit, Module, Timing};
use workbook::record::{Record, Section};
use workbook::text::columns::Column;
use workbook::text::number::{thousands, three_digits};

/// What a memory space costs.
#[derive(Serialize, Deserialize)]
pub struct MemorySpace {
    /// `shared`, `global-l2`
    pub space: String,
    /// Clocks of the multiprocessor from one load to the next where each needs the one before.
    pub clocks: f64,
    /// GB/s (10^9 bytes) of the whole GPU, where all threads load.
    pub gbps: f64,
}

/// The costs of the memory spaces in a record; none where they were not measured.
pub fn spaces(record: &Record) -> Result<Vec<MemorySpace>> {
    Ok(record.section("memory_spaces")?.unwrap_or_default())
}

/// What a record's device allows, as the driver reports it.
pub fn limits(record: &Record) -> Result<Vec<Limit>> {
    Ok(record.section("limits")?.unwrap_or_default())
}

/// Measurements of a latency, of which the median counts.
const REPEATS: usize = 11;
/// Loads in a row; a measurement is their average.
const STEPS: u32 = 4096;
/// Loads before the first measurement. They fill the caches, with up to 8 MiB for L2.
const WARM_UP: u32 = 1 << 16;
/// Threads per block, and blocks per multiprocessor that fill it.
const BLOCK: u32 = 256;
const BLOCKS: u32 = 8;
/// Independent loads per thread and turn, as in the kernels.
const LOADS: u64 = 8;
/// Bytes between two places of a chain through global memory: a cache line.
const LINE: usize = 128;

/// A memory space, and the kernels that measure it: `chase…` its latency, `stream…` its bandwidth.
struct Probe {
    space: &'static str,
    /// How their names end.
    kernels: &'static str,
    /// Bytes of global memory that the two read; 0 in another space.
    chased: usize,
    streamed: usize,
    /// Bytes per load and thread, and turns of [`LOADS`] loads: about a millisecond on an H200.
    bytes: u64,
    turns: u32,
    /// Blocks per multiprocessor.
    blocks: u32,
}

/// A kernel that streams past L1 takes a mask for its addresses.
const PAST_L1: &str = "GlobalPastL1";

/// 16 KiB fit into L1, 8 and 16 MiB into L2, 256 MiB and 1 GiB into neither. Memory is read in many short
/// blocks: [`BLOCKS`] of them, each with 16 times the turns, read at 4.0 TB/s of an H200, these at 4.6.
const PROBES: [Probe; 7] = [
    probe("register", "Register", 24, 8192),
    probe("shared", "Shared", 4, 4096),
    probe("constant", "Constant", 4, 4096),
    probe("local", "Local", 4, 2048),
    Probe { chased: 16 << 10, streamed: 16 << 10, ..probe("global-l1", "Global", 16, 1024) },
    Probe { chased: 8 << 20, streamed: 16 << 20, ..probe("global-l2", PAST_L1, 16, 256) },
    Probe { chased: 256 << 20, streamed: 1 << 30, blocks: 16 * BLOCKS, ..probe("global", PAST_L1, 16, 7) },
];

/// That of a space whose kernels read no global memory.
const fn probe(space: &'static str, kernels: &'static str, bytes: u64, turns: u32) -> Probe {
    Probe { space, kernels, chased: 0, streamed: 0, bytes, turns, blocks: BLOCKS }
}

/// Adds a GPU's limits and the costs of its memory spaces to `record`, unless the reader asks for a size.
pub fn add(device: &Device, module: &Module, n: Option<u64>, record: &mut Record) -> Result<()> {
    if n.is_none() {
        for (name, value) in [
            ("limits", serde_json::to_value(device.limits())?),
            ("memory_spaces", serde_json::to_value(measure(device, module)?)?),
        ] {
            record.sections.insert(name.to_string(), Section::Other(value));
        }
    }
    Ok(())
}

/// Measures every space. `device` is a GPU, `module` holds the kernels of chapter 5.
fn measure(device: &Device, module: &Module) -> Result<Vec<MemorySpace>> {
    let cost = |probe: &Probe| {
        let doing = || format!("cannot measure the memory space {}", probe.space);
        Ok(MemorySpace {
            space: probe.space.to_string(),
            clocks: latency(device, module, probe).with_context(doing)?,
            gbps: bandwidth(device, module, probe).with_context(doing)?,
        })
    };
    PROBES.iter().map(cost).collect()
}

/// Clocks from one load to the next.
fn latency(device: &Device, module: &Module, probe: &Probe) -> Result<f64> {
    let kernel = module.load_function(&format!("chase{}", probe.kernels))?;
    let clocks = device.alloc_zeros::<i64>(1)?;
    let end = device.clone_htod(&[1u64])?; // of a run, and the start of the next
    let chain = match probe.chased {
        0 => None,
        bytes => Some(linked(device, module, bytes, &end)?),
    };
    let chase = |steps: u32| {
        device.launch_builder(&kernel).arg(&steps).arg(&clocks).arg(&end).launch(LaunchConfig::new(1, 1))
    };
    chase(WARM_UP)?;
    let mut samples = Vec::new();
    for _ in 0..REPEATS {
        chase(STEPS)?;
        samples.push(device.clone_dtoh(&clocks)?[0] as f64 / f64::from(STEPS));
    }
    drop(chain); // the kernel follows it until here
    Ok(Timing::of(samples).map_or(0.0, |clocks| clocks.median))
}

/// A chain through `bytes` of global memory; `start` receives its first place.
fn linked(device: &Device, module: &Module, bytes: usize, start: &Buffer<u64>) -> Result<Buffer<u64>> {
    let link = module.load_function("linkGlobal")?;
    let lines = (bytes / LINE) as u32;
    let chain = device.alloc::<u64>(bytes / size_of::<u64>())?;
    let config = LaunchConfig::new(lines.div_ceil(BLOCK), BLOCK);
    device.launch_builder(&link).arg(&chain).arg(&lines).arg(start).launch(config)?;
    if bytes > 64 << 20 {
        // What was written last is still in L2. Something else evicts it.
        device.alloc_zeros::<u8>(256 << 20)?;
        device.synchronize()?;
    }
    Ok(chain)
}

/// GB/s of a GPU full of threads.
fn bandwidth(device: &Device, module: &Module, probe: &Probe) -> Result<f64> {
    let kernel = module.load_function(&format!("stream{}", probe.kernels))?;
    let multiprocessors = device.info().gpu.map_or(1, |gpu| gpu.multiprocessors);
    let config = LaunchConfig::new(probe.blocks * multiprocessors, BLOCK);
    let out = device.alloc_zeros::<f32>(1)?;
    let data = match probe.streamed {
        0 => None,
        bytes => Some(device.alloc_zeros::<u8>(bytes)?),
    };
    let mask = data.as_ref().map_or(0, |data| (data.len() / 16 - 1) as u32); // in loads of 16 bytes
    let cost = device.measure_launch(|| {
        let mut launch = device.launch_builder(&kernel);
        if let Some(data) = &data {
            launch.arg(data);
        }
        if probe.kernels == PAST_L1 {
            launch.arg(&mask);
        }
        launch.arg(&probe.turns).arg(&out).launch(config)
    })?;
    let threads = u64::from(config.grid_dim.0 * config.block_dim.0);
    let bytes = (threads * LOADS * u64::from(probe.turns) * probe.bytes) as f64;
    Ok(cost.time.map_or(0.0, |time| bytes / time.median / 1e3))
}

/// What the device's memory spaces cost, and its limits. Empty if the record has neither.
pub fn tables(record: &Record) -> Result<Vec<Vec<Column>>> {
    let spaces = spaces(record)?;
    let limits = limits(record)?;
    if spaces.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![
        vec![
            Column::left("memory space", spaces.iter().map(|row| row.space.as_str())),
            Column::right("clocks per load", spaces.iter().map(|row| three_digits(row.clocks))),
            Column::right("GB/s, whole GPU", spaces.iter().map(|row| three_digits(row.gbps))),
        ],
        vec![
            Column::left("limit", limits.iter().map(|row| row.name.as_str())),
            Column::right("of this GPU", limits.iter().map(|row| thousands(row.value))),
        ],
    ])
}
