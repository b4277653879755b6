//! The GPU that is simulated: its properties, attributes and limits, and occupancy.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{LaunchConfig, Owner, Simulator};
use rustc_hash::FxHashMap;

use super::error::{Error, Errors};
use crate::runtime::{Natives_, Runtime, put};

pub const NATIVES: &Natives_ = &[
    ("cudaGetDeviceCount", |runtime, call| answer(runtime, call, 1)),
    ("cudaGetDevice", |runtime, call| answer(runtime, call, 0)),
    ("cudaSetDevice", set_device),
    ("cudaSetDeviceFlags", |runtime, _| Ok(runtime.fine())),
    ("cudaSetValidDevices", |runtime, _| Ok(runtime.fine())),
    ("cudaChooseDevice", |runtime, call| answer(runtime, call, 0)),
    ("cudaDriverGetVersion", |runtime, call| answer(runtime, call, VERSION)),
    ("cudaRuntimeGetVersion", |runtime, call| answer(runtime, call, VERSION)),
    ("cudaDeviceCanAccessPeer", |runtime, call| answer(runtime, call, 0)),
    ("cudaDeviceEnablePeerAccess", no_device),
    ("cudaDeviceDisablePeerAccess", no_device),
    ("cudaDeviceGetStreamPriorityRange", priorities),
    ("cudaDeviceGetAttribute", |runtime, call| {
        let value = attribute(call.simulator, call.word(1));
        answer(runtime, call, value)
    }),
    ("__wb_device_name", name),
    ("__wb_device_memory", |_, call| Ok(Given::Long(call.simulator.used_and_allowed().1))),
    ("__wb_max_potential_block_size", max_potential_block_size),
    ("cudaOccupancyAvailableDynamicSMemPerBlock", available_shared),
    ("cudaInitDevice", |runtime, _| Ok(runtime.fine())),
    ("cudaGetDeviceFlags", |runtime, call| answer(runtime, call, 0)),
    ("cudaDeviceGetP2PAttribute", |runtime, call| answer(runtime, call, 0)),
    ("cudaDeviceGetPCIBusId", bus_id),
    ("cudaDeviceGetByPCIBusId", |runtime, call| answer(runtime, call, 0)),
    ("cudaThreadSetLimit", set_limit),
    ("cudaThreadGetLimit", get_limit),
    ("cudaThreadSetCacheConfig", |runtime, _| Ok(runtime.fine())),
    ("cudaDeviceSetLimit", set_limit),
    ("cudaDeviceGetLimit", get_limit),
    ("cudaDeviceSetCacheConfig", |runtime, _| Ok(runtime.fine())),
    ("cudaDeviceGetCacheConfig", |runtime, call| answer(runtime, call, 0)),
    ("cudaDeviceSetSharedMemConfig", |runtime, _| Ok(runtime.fine())),
    ("cudaDeviceGetSharedMemConfig", |runtime, call| answer(runtime, call, FOUR_BYTE_BANKS)),
    ("cudaFuncSetCacheConfig", |runtime, _| Ok(runtime.fine())),
    ("cudaFuncSetSharedMemConfig", |runtime, _| Ok(runtime.fine())),
    ("cudaFuncSetAttribute", set_function_attribute),
    ("cudaFuncGetAttributes", function_attributes),
    ("cudaOccupancyMaxActiveBlocksPerMultiprocessor", occupancy),
    ("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", occupancy),
    ("cudaProfilerStart", |runtime, _| Ok(runtime.fine())),
    ("cudaProfilerStop", |runtime, _| Ok(runtime.fine())),
];

/// The version of CUDA that the runtime says it is: 13.0.
const VERSION: u32 = 13_000;
/// Of an H200; the simulator has no clock.
const CLOCK_KHZ: u32 = 1_980_000;

/// `cudaSharedMemBankSizeFourByte`: since Maxwell banks have no other width.
const FOUR_BYTE_BANKS: u32 = 1;

/// Limits that a program sets.
#[derive(Debug, Default)]
pub struct Limits {
    /// Dynamic shared memory that kernels may have, in bytes, where it was raised.
    raised: FxHashMap<String, u32>,
    values: FxHashMap<u32, u64>,
}

impl Limits {
    /// Dynamic shared memory that a kernel may have, if that was raised.
    pub fn dynamic_shared(&self, kernel: &str) -> Option<u32> {
        self.raised.get(kernel).copied()
    }
}

/// Writes a number to where the first argument points.
fn answer(runtime: &mut Runtime, call: &mut Call, value: u32) -> Result<Given, Stop> {
    put(call, call.long(0), &value.to_le_bytes())?;
    Ok(runtime.fine())
}

fn set_device(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let error = if call.word(0) == 0 { Error::Success } else { Error::InvalidDevice };
    Ok(runtime.kept.get::<Errors>().give(error))
}

fn no_device(runtime: &mut Runtime, _: &mut Call) -> Result<Given, Stop> {
    Ok(runtime.kept.get::<Errors>().give(Error::InvalidDevice))
}

fn priorities(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    put(call, call.long(0), &0i32.to_le_bytes())?;
    put(call, call.long(1), &(-5i32).to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(limit, value)`
fn set_limit(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    const PENDING_LAUNCHES: u32 = 4;
    const SYNC_DEPTH: u32 = 3;
    let limit = call.word(0);
    let value = call.long(1);
    match limit {
        PENDING_LAUNCHES => call.simulator.set_pending_launch_limit(value),
        SYNC_DEPTH => call.simulator.set_sync_depth_limit(value as u32),
        _ => {}
    }
    runtime.kept.get::<Limits>().values.insert(limit, value);
    Ok(runtime.fine())
}

/// `(value *, limit)`
fn get_limit(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let default = match call.word(1) {
        0 => 1 << 10,
        1 => 1 << 20,
        3 => 2,
        4 => 2048,
        _ => 8 << 20,
    };
    let value = runtime.kept.get::<Limits>().values.get(&call.word(1)).copied().unwrap_or(default);
    put(call, call.long(0), &value.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(kernel, attribute, value)`
fn set_function_attribute(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    const MAX_DYNAMIC_SHARED: u32 = 8;
    let name = call.host.name_at(call.long(0)).unwrap_or_default().to_string();
    if call.word(1) == MAX_DYNAMIC_SHARED {
        let most = call.simulator.properties().max_shared_per_block;
        if call.word(2) as usize > most {
            return Ok(runtime.kept.get::<Errors>().give(Error::InvalidValue));
        }
        runtime.kept.get::<Limits>().raised.insert(name, call.word(2));
    }
    Ok(runtime.fine())
}

/// `(cudaFuncAttributes *, kernel)`
fn function_attributes(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let name = call.host.name_at(call.long(1)).unwrap_or_default().to_string();
    let (shared, local, threads) = call.simulator.kernel_sizes(runtime.module, &name);
    let capability = {
        let (major, minor) = call.simulator.properties().compute_capability;
        major * 10 + minor
    };
    let mut raw = Vec::new();
    raw.extend((shared as u64).to_le_bytes());
    raw.extend(0u64.to_le_bytes());
    raw.extend((local as u64).to_le_bytes());
    for value in [threads, 32, capability, capability, 0, 48 << 10] {
        raw.extend(value.to_le_bytes());
    }
    put(call, call.long(0), &raw)?;
    Ok(runtime.fine())
}

/// `(blocks *, kernel, threads, dynamic shared bytes)`
fn occupancy(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let name = call.host.name_at(call.long(1)).unwrap_or_default().to_string();
    let config = LaunchConfig { shared_mem_bytes: call.long(3) as u32, ..LaunchConfig::new(1, call.word(2)) };
    let blocks = call.simulator.resident_blocks(runtime.module, &name, &config);
    let each = blocks / call.simulator.properties().multiprocessors;
    answer(runtime, call, each)
}

/// An attribute of the GPU (`cudaDeviceAttr`).
fn attribute(simulator: &Simulator, number: u32) -> u32 {
    let device = simulator.properties();
    match number {
        1..=3 => 1024,
        4 => 64,
        5 => i32::MAX as u32,
        6 | 7 => 65_535,
        8 => device.shared_per_block as u32,
        9 => 64 << 10,
        10 => 32,
        12 | 82 => device.registers_per_multiprocessor,
        13 => CLOCK_KHZ,
        16 => device.multiprocessors,
        36 => 2_619_000,
        37 => 5120,
        38 => 50 << 20,
        39 => device.warps_per_multiprocessor * 32,
        40 => 3,
        75 => device.compute_capability.0,
        76 => device.compute_capability.1,
        81 => device.shared_per_multiprocessor as u32,
        97 => device.max_shared_per_block as u32,
        106 => device.blocks_per_multiprocessor,
        111 => device.reserved_shared_per_block as u32,
        // What the GPU has: mapped memory, kernels side by side, one address space, managed memory,
        // cooperative launches, memory pools.
        19 | 31 | 41 | 83 | 89 | 90 | 95 | 115 => 1,
        _ => 0,
    }
}

/// What the GPU is called.
fn name(_: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let name = format!("Simulated {}\0", call.simulator.properties().name);
    let address = call.simulator.alloc_for(Owner::Static, name.len() as u64, "the GPU's name").unwrap_or(0);
    put(call, address, name.as_bytes())?;
    Ok(Given::Long(address))
}

/// `(text, size, device)`
fn bus_id(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    const ID: &[u8] = b"0000:00:00.0\0";
    if (call.word(1) as usize) < ID.len() {
        return Ok(runtime.kept.get::<Errors>().give(Error::InvalidValue));
    }
    put(call, call.long(0), ID)?;
    Ok(runtime.fine())
}

/// `(blocks *, threads *, kernel, dynamic shared bytes, most threads)`: the block with which most threads are
/// under way, and the blocks that fill the GPU with it.
fn max_potential_block_size(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let kernel = call.host.name_at(call.long(2)).unwrap_or_default().to_string();
    let (_, _, most) = call.simulator.kernel_sizes(runtime.module, &kernel);
    let most = match call.word(4) {
        0 => most,
        limit => limit.min(most),
    };
    let under_way = |threads: u32| {
        let config = LaunchConfig { shared_mem_bytes: call.long(3) as u32, ..LaunchConfig::new(1, threads) };
        let blocks = call.simulator.resident_blocks(runtime.module, &kernel, &config);
        (blocks * threads, blocks, threads)
    };
    let best = (1..=most / 32).map(|warps| under_way(32 * warps)).max_by_key(|best| (best.0, best.2));
    let (_, blocks, threads) = best.unwrap_or_else(|| under_way(most));
    put(call, call.long(0), &blocks.to_le_bytes())?;
    put(call, call.long(1), &threads.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(bytes *, kernel, blocks, threads)`
fn available_shared(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let device = call.simulator.properties();
    let each = device.shared_per_multiprocessor / call.word(2).max(1) as usize;
    let bytes = each.saturating_sub(device.reserved_shared_per_block).min(device.max_shared_per_block) as u64;
    put(call, call.long(0), &bytes.to_le_bytes())?;
    Ok(runtime.fine())
}
