//! Allocations of all kinds, and what is asked about them.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Access, Diagnostic, Kind, Owner, Severity, Site, Words, Wrong};

use super::allocations::{Allocations, Made};
use super::error::{Error, Errors};
use super::launches::Launches;
use super::meetings::AT_ONCE;
use super::names::{name_of_target, user_place};
use super::queue::{Issued, Queue, Work};
use crate::runtime::{Natives_, Runtime, put};

pub const NATIVES: &Natives_ = &[
    ("cudaMalloc", |runtime, call| allocate(runtime, call, Owner::Device, call.long(1))),
    ("cudaMallocAsync", |runtime, call| allocate_in_order(runtime, call, call.long(2))),
    ("cudaMallocFromPoolAsync", |runtime, call| allocate_in_order(runtime, call, call.long(3))),
    ("cudaMallocManaged", |runtime, call| allocate(runtime, call, Owner::Managed, call.long(1))),
    ("cudaMallocHost", |runtime, call| allocate(runtime, call, Owner::Pinned, call.long(1))),
    ("cudaHostAlloc", |runtime, call| allocate(runtime, call, Owner::Pinned, call.long(1))),
    ("cudaFree", free),
    ("cudaFreeAsync", free_async),
    ("cudaFreeHost", free_host),
    ("cudaHostRegister", |runtime, call| register(runtime, call, Owner::Pinned)),
    ("cudaHostUnregister", |runtime, call| register(runtime, call, Owner::Heap)),
    ("cudaHostGetDevicePointer", device_pointer),
    ("cudaGetSymbolAddress", symbol_address),
    ("cudaGetSymbolSize", symbol_size),
    ("cudaMemGetInfo", mem_info),
    ("cudaPointerGetAttributes", pointer_attributes),
    ("__wb_prefetch", |runtime, _| Ok(runtime.fine())),
    ("__wb_advise", |runtime, _| Ok(runtime.fine())),
    ("cudaStreamAttachMemAsync", |runtime, _| Ok(runtime.fine())),
    ("cudaHostGetFlags", |runtime, call| zero(runtime, call, 0, 4)),
    // Each attribute is a number of 32 bits, or a list that begins with one.
    ("cudaMemRangeGetAttribute", |runtime, call| zero(runtime, call, 0, call.long(1).min(4))),
    // Memory pools: there is one, without limits.
    ("cudaDeviceGetDefaultMemPool", |runtime, call| pool(runtime, call)),
    ("cudaDeviceGetMemPool", |runtime, call| pool(runtime, call)),
    ("cudaDeviceSetMemPool", |runtime, _| Ok(runtime.fine())),
    ("cudaMemPoolSetAttribute", |runtime, _| Ok(runtime.fine())),
    ("cudaMemPoolGetAttribute", |runtime, call| zero(runtime, call, 2, 8)),
    ("cudaMemPoolTrimTo", |runtime, _| Ok(runtime.fine())),
    ("cudaMemPoolDestroy", |runtime, _| Ok(runtime.fine())),
];

/// Zeros to where argument `number` points.
fn zero(runtime: &mut Runtime, call: &mut Call, number: usize, bytes: u64) -> Result<Given, Stop> {
    put(call, call.long(number), &vec![0; bytes as usize])?;
    Ok(runtime.fine())
}

/// The handle of the pool.
fn pool(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    const POOL: u64 = 0x50;
    put(call, call.long(0), &POOL.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(pointer *, bytes, …)`
pub fn allocate(runtime: &mut Runtime, call: &mut Call, owner: Owner, bytes: u64) -> Result<Given, Stop> {
    let (used, allowed) = call.simulator.used_and_allowed();
    let name = name_of_target(runtime, call);
    let bytes_of_pointer = size_of::<u64>();
    match call.simulator.host_bytes(call.long(0), bytes_of_pointer).map(|_| ()) {
        Ok(()) => {}
        Err(wrong @ (Wrong::Outside { .. } | Wrong::Freed)) => {
            return Err(call.wrong(Access::Store, call.long(0), bytes_of_pointer, wrong).into());
        }
        Err(_) => return Err(no_pointer(call, &name).into()),
    }
    let place = user_place(runtime, call);
    let address = match bytes {
        0 => Some(0),
        bytes => call.simulator.alloc_for(owner, bytes, &name),
    };
    let Some(address) = address else {
        let what = format!(
            "no room for {bytes} bytes of device memory, of which {used} of {allowed} are used: the call \
             gives {}",
            Error::MemoryAllocation.said()
        );
        runtime.find(call, Kind::MemoryLimit, Severity::Warning, what, "run a smaller problem");
        return Ok(runtime.kept.get::<Errors>().give(Error::MemoryAllocation));
    };
    // Both sides see what is written there.
    runtime.kept.get::<Launches>().is_heard |= owner != Owner::Device;
    let takes = if owner == Owner::Pinned { "cudaFreeHost" } else { "cudaFree" };
    if address != 0 {
        runtime.kept.get::<Allocations>().made.insert(address, Made { takes, name, place, in_order: false });
    }
    put(call, call.long(0), &address.to_le_bytes())?;
    Ok(runtime.fine())
}

/// Memory that is there for what comes after the call in its stream.
fn allocate_in_order(runtime: &mut Runtime, call: &mut Call, stream: u64) -> Result<Given, Stop> {
    let given = allocate(runtime, call, Owner::Device, call.long(1))?;
    let address = call.simulator.host_bytes(call.long(0), size_of::<u64>()).ok();
    let address = address.and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
    let Some(address) = address else { return Ok(given) };
    if let Some(made) = runtime.kept.get::<Allocations>().made.get_mut(&address) {
        made.in_order = true;
        let work = Work::Allocate { address, bytes: call.long(1) };
        let queue = runtime.kept.get::<Queue>();
        if queue.captured.is_none() {
            queue.issue(stream, work, Issued::by(call));
        }
    }
    Ok(given)
}

/// What is said of an allocation whose address can't be written to where the first argument points.
fn no_pointer(call: &Call, name: &str) -> Box<Diagnostic> {
    let where_to = match call.simulator.allocation(call.long(0)) {
        Some(_) => "to memory of the device",
        None if call.long(0) == 0 => "nowhere: it is null, or was never set",
        None => "to where nothing has been allocated",
    };
    let what = format!(
        "the call writes the address that it gives to where its first argument points, and `{name}` points \
         {where_to}"
    );
    call.host.fault(Kind::OutOfBounds, what, &format!("give it the address of the pointer: &{name}"))
}

/// `(pointer *, pitch *, width, height)`: rows begin at multiples of 512 bytes.
fn free(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let address = call.long(0);
    let queue = runtime.kept.get::<Queue>();
    // Then all that uses it is taken to be complete (CUDA C++ Programming Guide, "Stream-Ordered Memory
    // Allocator").
    let is_used = queue.is_pending() && queue.captured.is_none();
    let made = runtime.kept.get::<Allocations>().made.get(&address);
    if is_used && made.is_some_and(|made| made.in_order) {
        let work = Work::Free { address, by: AT_ONCE };
        runtime.kept.get::<Queue>().issue_at_once(work, Issued::by(call));
        return Ok(runtime.fine());
    }
    let until = runtime.kept.get::<Queue>().all_through();
    runtime.wait(call, &until)?;
    Ok(release(runtime, call, call.long(0), "cudaFree"))
}

fn free_host(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let until = runtime.kept.get::<Queue>().all_through();
    runtime.wait(call, &until)?;
    Ok(release(runtime, call, call.long(0), "cudaFreeHost"))
}

fn free_async(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let work = Work::Free { address: call.long(0), by: "cudaFreeAsync" };
    runtime.kept.get::<Queue>().issue(call.long(1), work, Issued::by(call));
    Ok(runtime.fine())
}

/// Gives memory back that a call of the runtime has given.
pub fn release(runtime: &mut Runtime, call: &mut Call, address: u64, takes: &'static str) -> Given {
    if address == 0 {
        return runtime.fine();
    }
    if let Some(made) = runtime.kept.get::<Allocations>().made.get(&address).cloned() {
        if made.takes != takes {
            let what = format!("`{takes}` of memory that `{}` takes back", made.takes);
            return runtime.refuse(call, Error::InvalidValue, what, &format!("use `{}`", made.takes));
        }
        runtime.say_left(call, Some(address));
        let place = user_place(runtime, call);
        let allocations = runtime.kept.get::<Allocations>();
        allocations.made.remove(&address);
        allocations.freed.extend(place.map(|place| (address, place)));
        call.simulator.free(address);
        return runtime.fine();
    }
    if call.simulator.is_freed(address) {
        return freed_twice(runtime, call, address, takes);
    }
    let (what, help) = match call.simulator.allocation(address) {
        Some((Owner::Heap, _, 0)) => ("memory that malloc or new gave", "use `free` or `delete`"),
        Some((Owner::Stack | Owner::Static, ..)) => ("a variable", "free what cudaMalloc gave"),
        Some((_, _, 1..)) => ("an address in the middle of an allocation", "free the address that was given"),
        _ => ("an address that no allocation has", "free the address that was given"),
    };
    runtime.refuse(call, Error::InvalidValue, format!("`{takes}` of {what}"), help)
}

/// What is said of memory that is freed once more, with where it was freed.
fn freed_twice(runtime: &mut Runtime, call: &mut Call, address: u64, takes: &str) -> Given {
    let message = format!("`{takes}` of memory that has been freed already");
    let first = runtime.kept.get::<Allocations>().freed.get(&address).cloned();
    let message_there = "it was freed here".to_string();
    let related = first.map(|(file, line)| Site { file, line, message: message_there });
    let words = Words { message, related: related.into_iter().collect() };
    let help = "free it once; an object that frees in its destructor frees once more for each copy of it";
    let mut found = Diagnostic::of_host(Kind::UseAfterFree, None, words, help);
    (found.file, found.line) = user_place(runtime, call).unzip();
    runtime.add(found);
    runtime.kept.get::<Errors>().give(Error::InvalidValue)
}

/// Host memory becomes page-locked, or is so no longer.
fn register(runtime: &mut Runtime, call: &mut Call, owner: Owner) -> Result<Given, Stop> {
    if !call.simulator.give_to(call.long(0), owner) {
        let what = "an address that no allocation has".to_string();
        return Ok(runtime.refuse(call, Error::InvalidValue, what, "register what malloc gave"));
    }
    runtime.kept.get::<Launches>().is_heard = true;
    Ok(runtime.fine())
}

fn device_pointer(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    put(call, call.long(0), &call.long(1).to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(pointer *, symbol)`
fn symbol_address(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    runtime.kept.get::<Allocations>().symbols.insert(call.long(1));
    put(call, call.long(0), &call.long(1).to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(size *, symbol)`
fn symbol_size(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let size = call.simulator.allocation(call.long(1)).map_or(0, |(_, bytes, _)| bytes);
    put(call, call.long(0), &size.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(free *, total *)`
fn mem_info(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let (used, allowed) = call.simulator.used_and_allowed();
    put(call, call.long(0), &(allowed - used.min(allowed)).to_le_bytes())?;
    put(call, call.long(1), &allowed.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `cudaPointerAttributes`: its type, the device, the pointers of both sides.
fn pointer_attributes(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let address = call.long(1);
    let (kind, device, host) = match call.simulator.allocation(address).map(|found| found.0) {
        Some(Owner::Device) => (2u32, address, 0),
        Some(Owner::Managed) => (3, address, address),
        Some(Owner::Pinned) => (1, address, address),
        _ => (0, 0, address),
    };
    let mut raw = Vec::new();
    raw.extend(kind.to_le_bytes());
    raw.extend(0u32.to_le_bytes());
    raw.extend(device.to_le_bytes());
    raw.extend(host.to_le_bytes());
    put(call, call.long(0), &raw)?;
    Ok(runtime.fine())
}
