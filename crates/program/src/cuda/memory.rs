//! Allocations, copies and sets: of all kinds, checked at the call, done in their streams.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Access, Diagnostic, Kind, Owner, Severity, Site, Words, Wrong};

use text::number::thousands;

use super::allocations::{Allocations, Made};
use super::counts::{check_count, check_value, object_itself, pointer_itself, pointer_to_device};
use super::error::{Error, Errors};
use super::launches::Launches;
use super::meetings::AT_ONCE;
use super::names::{name_of_target, user_place};
use super::queue::{DEFAULT, Issued, Queue, Rows, Work};
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
    ("cudaMemcpy", |runtime, call| copy_by_address(runtime, call, Wait::Host)),
    ("cudaMemcpyAsync", |runtime, call| copy_by_address(runtime, call, Wait::Stream(call.long(4)))),
    ("cudaMemcpyPeer", |runtime, call| copy(runtime, call, peers(call), Wait::Host)),
    ("cudaMemcpyPeerAsync", |runtime, call| copy(runtime, call, peers(call), Wait::Stream(call.long(5)))),
    ("cudaMemcpyToSymbol", |runtime, call| copy(runtime, call, to_symbol(call), Wait::Host)),
    ("cudaMemcpyToSymbolAsync", |runtime, call| {
        copy(runtime, call, to_symbol(call), Wait::Stream(call.long(5)))
    }),
    ("cudaMemcpyFromSymbol", |runtime, call| copy(runtime, call, from_symbol(call), Wait::Host)),
    ("cudaMemcpyFromSymbolAsync", |runtime, call| {
        copy(runtime, call, from_symbol(call), Wait::Stream(call.long(5)))
    }),
    ("cudaGetSymbolAddress", symbol_address),
    ("cudaGetSymbolSize", symbol_size),
    ("cudaMemset", |runtime, call| set(runtime, call, [Rows::one(call.long(0)), ONE_ROW], Wait::Device)),
    ("cudaMemsetAsync", |runtime, call| {
        set(runtime, call, [Rows::one(call.long(0)), ONE_ROW], Wait::Stream(call.long(3)))
    }),
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

/// Stands for one row.
const ONE_ROW: Rows = Rows { address: 0, pitch: 0 };

/// Who waits for an operation.
#[derive(Clone, Copy)]
pub enum Wait {
    /// The host, and the operation is one of the default stream.
    Host,
    /// Nobody, in the default stream.
    Device,
    /// Nobody, in this stream.
    Stream(u64),
}

impl Wait {
    fn stream(self) -> u64 {
        match self {
            Wait::Stream(stream) => stream,
            Wait::Host | Wait::Device => DEFAULT,
        }
    }
}

/// The direction of a copy (`cudaMemcpyKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    HostToHost,
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    Default,
}

impl Direction {
    const ALL: [Direction; 5] = [
        Direction::HostToHost,
        Direction::HostToDevice,
        Direction::DeviceToHost,
        Direction::DeviceToDevice,
        Direction::Default,
    ];

    fn name(self) -> &'static str {
        match self {
            Direction::HostToHost => "cudaMemcpyHostToHost",
            Direction::HostToDevice => "cudaMemcpyHostToDevice",
            Direction::DeviceToHost => "cudaMemcpyDeviceToHost",
            Direction::DeviceToDevice => "cudaMemcpyDeviceToDevice",
            Direction::Default => "cudaMemcpyDefault",
        }
    }

    /// Whether it takes this memory as its source, or as its destination.
    fn fits(self, owner: Owner, is_source: bool) -> bool {
        let wants_host = match self {
            Direction::Default => return true,
            Direction::HostToHost => true,
            Direction::HostToDevice => is_source,
            Direction::DeviceToHost => !is_source,
            Direction::DeviceToDevice => false,
        };
        match owner {
            // Page-locked memory of the host has an address on the device too.
            Owner::Managed | Owner::Constant | Owner::Pinned => true,
            Owner::Device => !wants_host,
            _ => wants_host,
        }
    }

    /// What to do about this direction in a copy between these two. Where the other way round it would fit,
    /// nobody knows whether the word or the order of the pointers is wrong.
    fn help(self, from: Owner, to: Owner) -> String {
        let right = Direction::of(from, to).name();
        if !(self.fits(to, true) && self.fits(from, false)) {
            return format!("write {right}");
        }
        let side = |owner: Owner| if owner == Owner::Device { "the device" } else { "the host" };
        let (from, to) = (side(from), side(to));
        format!(
            "the first pointer is where a copy goes to, so this one would go from {from} to {to}: exchange \
             the two pointers, or, if it is meant to go that way, write {right}"
        )
    }

    /// The direction between these two.
    fn of(from: Owner, to: Owner) -> Direction {
        let is_host = |owner: Owner| !matches!(owner, Owner::Device | Owner::Managed);
        match (is_host(from), is_host(to)) {
            (true, true) => Direction::HostToHost,
            (true, false) => Direction::HostToDevice,
            (false, true) => Direction::DeviceToHost,
            (false, false) => Direction::DeviceToDevice,
        }
    }
}

/// A copy that was asked for.
#[derive(Clone, Copy)]
pub struct Asked {
    pub to: Rows,
    pub from: Rows,
    pub bytes: u64,
    pub rows: u64,
    pub direction: Direction,
}

pub fn direction(number: u32) -> Direction {
    Direction::ALL.get(number as usize).copied().unwrap_or(Direction::Default)
}

/// `(to, from, bytes, direction)`
fn plain(call: &Call) -> Asked {
    let [to, from] = [0, 1].map(|number| Rows::one(call.long(number)));
    Asked { to, from, bytes: call.long(2), rows: 1, direction: direction(call.word(3)) }
}

/// `(to, device, from, device, bytes)`
fn peers(call: &Call) -> Asked {
    let [to, from] = [0, 2].map(|number| Rows::one(call.long(number)));
    Asked { to, from, bytes: call.long(4), rows: 1, direction: Direction::Default }
}

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

/// `(symbol, from, bytes, offset, direction)`
fn to_symbol(call: &Call) -> Asked {
    let to = Rows::one(call.long(0).wrapping_add(call.long(3)));
    let from = Rows::one(call.long(1));
    Asked { to, from, bytes: call.long(2), rows: 1, direction: direction(call.word(4)) }
}

/// `(to, symbol, bytes, offset, direction)`
fn from_symbol(call: &Call) -> Asked {
    let to = Rows::one(call.long(0));
    let from = Rows::one(call.long(1).wrapping_add(call.long(3)));
    Asked { to, from, bytes: call.long(2), rows: 1, direction: direction(call.word(4)) }
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

/// A copy between addresses: what a device variable's name is in host code is none of the device's.
fn copy_by_address(runtime: &mut Runtime, call: &mut Call, wait: Wait) -> Result<Given, Stop> {
    let asked = plain(call);
    let variable = [asked.to, asked.from].into_iter().find_map(|rows| by_name(runtime, call, rows.address));
    let Some(name) = variable else { return copy(runtime, call, asked, wait) };
    let what = format!(
        "`{name}` in host code is not its address on the device: {}, and nothing is copied",
        Error::InvalidValue.said()
    );
    let help =
        "write cudaMemcpyToSymbol or cudaMemcpyFromSymbol, or ask cudaGetSymbolAddress for the address";
    Ok(runtime.refuse(call, Error::InvalidValue, what, help))
}

/// The variable of the device that lies at an address which the program has not asked for.
pub fn by_name(runtime: &mut Runtime, call: &Call, address: u64) -> Option<String> {
    let (_, _, offset) = call.simulator.allocation(address)?;
    let allocations = runtime.kept.get::<Allocations>();
    let is_asked_for = allocations.symbols.contains(&(address - offset));
    let name = call.simulator.name_of(address);
    (allocations.variables.contains(&name) && !is_asked_for).then_some(name)
}

/// Refuses a copy to or from (`way`) the pointer `name` itself.
fn of_the_pointer(runtime: &mut Runtime, call: &mut Call, name: &str, way: &str) -> Given {
    let what = format!("a copy {way} the pointer `{name}` itself, and not {way} what it points to");
    runtime.refuse(call, Error::InvalidValue, what, &format!("write `{name}` without `&`"))
}

/// Checks a copy, and puts it into its stream.
pub fn copy(runtime: &mut Runtime, call: &mut Call, asked: Asked, wait: Wait) -> Result<Given, Stop> {
    let Asked { to, from, bytes, rows, direction } = asked;
    if bytes == 0 || rows == 0 {
        return Ok(runtime.fine());
    }
    if !runtime.kept.get::<Queue>().has_stream(wait.stream()) {
        return Ok(Given::Word(runtime.no_stream(call, wait.stream(), "the copy") as u32));
    }
    for (at, way) in [(to, "to"), (from, "from")].into_iter().filter(|_| rows == 1) {
        if let Some(name) = pointer_itself(call, at.address, bytes) {
            return Ok(of_the_pointer(runtime, call, &name, way));
        }
        if let Some(name) = object_itself(runtime, call, at.address, bytes) {
            let what = format!("a copy {way} the object `{name}` itself, and not {way} its elements");
            let help = format!("write `{name}.data()`");
            return Ok(runtime.refuse(call, Error::InvalidValue, what, &help));
        }
    }
    let to_owner = match owner(runtime, call, (to, bytes, rows), "to") {
        Ok(owner) => owner,
        Err(given) => return Ok(given),
    };
    let from_owner = match owner(runtime, call, (from, bytes, rows), "from") {
        Ok(owner) => owner,
        Err(given) => return Ok(given),
    };
    for (owner, is_source) in [(from_owner, true), (to_owner, false)] {
        if !direction.fits(owner, is_source) {
            let which = if is_source { "source" } else { "destination" };
            let (at, way) = if is_source { (from, "from") } else { (to, "to") };
            if let Some(name) = pointer_to_device(call, at.address) {
                return Ok(of_the_pointer(runtime, call, &name, way));
            }
            let name = said(call, at.address);
            let side = if owner == Owner::Device { "device" } else { "host" };
            let what = format!(
                "{} in a copy whose {which}{name} is {side} memory: {}, and nothing is copied",
                direction.name(),
                Error::InvalidValue.said()
            );
            let help = direction.help(from_owner, to_owner);
            return Ok(runtime.refuse(call, Error::InvalidValue, what, &help));
        }
    }
    if rows == 1 {
        check_count(runtime, call, (to.address, from.address, bytes));
    }
    check_written(runtime, call, &asked, from_owner);
    let wait = match wait {
        // From one place of the device to another, no host waits (CUDA Runtime API, "API synchronization
        // behavior").
        Wait::Host if from_owner == Owner::Device && to_owner == Owner::Device => Wait::Device,
        asked => asked,
    };
    let is_pageable = |owner: Owner| matches!(owner, Owner::Heap | Owner::Stack | Owner::Static);
    let mut source = from;
    if matches!(wait, Wait::Stream(_)) && is_pageable(from_owner) && rows == 1 {
        // What is pageable is copied aside at once.
        if let Some(aside) = call.simulator.alloc_for(Owner::Pinned, bytes, "a staging buffer") {
            _ = call.simulator.copy(aside, from.address, bytes as usize);
            source = Rows::one(aside);
        }
    }
    let work = Work::Copy { to, from: source, bytes, rows };
    runtime.kept.get::<Queue>().issue(wait.stream(), work, Issued::by(call));
    let waits = match wait {
        Wait::Host => true,
        Wait::Device => false,
        // The host waits for what goes to pageable memory (CUDA Runtime API, "API synchronization behavior").
        Wait::Stream(_) => is_pageable(to_owner),
    };
    if waits && runtime.kept.get::<Queue>().captured.is_none() {
        let until = runtime.kept.get::<Queue>().through(wait.stream());
        runtime.wait(call, &until)?;
    } else {
        call.simulator.note_host(true);
    }
    Ok(runtime.fine())
}

/// Whose memory rows lie in, if they all lie in one allocation; else what the call gives.
fn owner(
    runtime: &mut Runtime,
    call: &mut Call,
    (at, bytes, rows): (Rows, u64, u64),
    way: &str,
) -> Result<Owner, Given> {
    if rows > 1 && at.pitch < bytes {
        let [pitch, width] = [at.pitch, bytes].map(|bytes| thousands(bytes as i64));
        let what =
            format!("rows of {width} bytes that begin {pitch} bytes after each other: nothing is copied");
        let help =
            "the pitch is what lies between the beginnings of two rows, in bytes, never less than a row";
        return Err(runtime.refuse(call, Error::InvalidPitchValue, what, help));
    }
    let Some((owner, size, offset)) = call.simulator.allocation(at.address) else {
        let why = match at.address {
            0 => "a null pointer".to_string(),
            address if call.simulator.is_freed(address) => {
                let what = format!("a copy {way} memory that has been freed");
                runtime.find(call, Kind::UseAfterFree, Severity::Error, what, "free it after its last use");
                return Err(runtime.kept.get::<Errors>().give(Error::InvalidValue));
            }
            _ => "an address that no allocation has".to_string(),
        };
        let help = "let the pointer point to an allocation before this line";
        return Err(runtime.refuse(call, Error::InvalidValue, format!("a copy {way} {why}"), help));
    };
    let has = size.saturating_sub(offset);
    let wants = at.pitch.checked_mul(rows - 1).and_then(|before| before.checked_add(bytes));
    let wants = wants.unwrap_or(u64::MAX);
    if wants > has {
        let name = said(call, at.address);
        let name = if name.is_empty() { " an allocation".to_string() } else { name };
        let [wanted, there] = [wants, has].map(|bytes| thousands(bytes as i64));
        let what = format!("a copy of {wanted} bytes {way}{name}, which has {there}: nothing is copied");
        let help = if [4, 8].iter().any(|size| has.checked_mul(*size) == Some(wants)) {
            "the allocation counts bytes, not elements: multiply by sizeof of an element there"
        } else {
            "copy no more than the smaller of the two has"
        };
        runtime.find(call, Kind::OutOfBounds, Severity::Error, what, help);
        return Err(runtime.kept.get::<Errors>().give(Error::InvalidValue));
    }
    Ok(owner)
}

/// ` `name``, if an address has one.
fn said(call: &Call, address: u64) -> String {
    match call.simulator.name_of(address) {
        name if name.is_empty() => String::new(),
        name => format!(" `{name}`"),
    }
}

/// A copy of what nobody has written.
fn check_written(runtime: &mut Runtime, call: &mut Call, asked: &Asked, from: Owner) {
    let queue = runtime.kept.get::<Queue>();
    let waits_for = queue.is_pending() || queue.captured.is_some();
    if waits_for && matches!(from, Owner::Device | Owner::Managed | Owner::Pinned) {
        return; // what is pending may write it
    }
    let address = asked.from.address;
    let bytes = asked.bytes as usize;
    if asked.rows == 1 && call.simulator.is_unwritten(address, bytes) {
        let name = call.simulator.name_of(address);
        let name = if name.is_empty() { "its source".to_string() } else { format!("`{name}`") };
        let what = format!("a copy of {bytes} bytes, of which {name} holds none that was ever written");
        let help = if from == Owner::Device {
            "let a kernel, a copy or cudaMemset write it first"
        } else {
            "fill the array before it is copied"
        };
        runtime.find(call, Kind::UninitializedRead, Severity::Warning, what, help);
    }
}

/// `(to, value, bytes)`
fn set(runtime: &mut Runtime, call: &mut Call, [to, _]: [Rows; 2], wait: Wait) -> Result<Given, Stop> {
    set_rows(runtime, call, (to, call.long(2), 1), call.word(1), wait)
}

pub fn set_rows(
    runtime: &mut Runtime,
    call: &mut Call,
    (to, bytes, rows): (Rows, u64, u64),
    value: u32,
    wait: Wait,
) -> Result<Given, Stop> {
    if bytes == 0 || rows == 0 {
        return Ok(runtime.fine());
    }
    if !runtime.kept.get::<Queue>().has_stream(wait.stream()) {
        return Ok(Given::Word(runtime.no_stream(call, wait.stream(), "the memset") as u32));
    }
    let owner = match owner(runtime, call, (to, bytes, rows), "to") {
        Ok(owner) => owner,
        Err(given) => return Ok(given),
    };
    if matches!(owner, Owner::Heap | Owner::Stack | Owner::Static) {
        let what = format!("cudaMemset of host memory: {}", Error::InvalidValue.said());
        return Ok(runtime.refuse(call, Error::InvalidValue, what, "use memset"));
    }
    if value > 0xff && (value as i32) != -1 && value as i32 >= 0 {
        let byte = value & 0xff;
        let what = format!("cudaMemset sets bytes: of {value} it takes the lowest, {byte}");
        let help = "set words by a kernel, or by cudaMemcpy from the host";
        runtime.find(call, Kind::HostAccess, Severity::Warning, what, help);
    }
    check_value(runtime, call, value as u8);
    let work = Work::Set { to, value: [value as u8; 4], bytes, rows };
    runtime.kept.get::<Queue>().issue(wait.stream(), work, Issued::by(call));
    call.simulator.note_host(true);
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
