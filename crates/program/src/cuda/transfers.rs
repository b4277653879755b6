//! Copies and sets: of all kinds, checked at the call, done in their streams.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Kind, Owner, Severity};

use text::number::thousands;

use super::counts::{check_count, check_value, pointer_itself, pointer_to_device, vector_itself};
use super::error::{Error, Errors};
use super::launches::Launches;
use super::names::by_name;
use super::queue::{DEFAULT, Issued, Queue, Rows, Work};
use crate::runtime::{Natives_, Runtime};

pub const NATIVES: &Natives_ = &[
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
    ("cudaMemset", |runtime, call| set(runtime, call, [Rows::one(call.long(0)), ONE_ROW], Wait::Device)),
    ("cudaMemsetAsync", |runtime, call| {
        set(runtime, call, [Rows::one(call.long(0)), ONE_ROW], Wait::Stream(call.long(3)))
    }),
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
    /// nobody knows whether the word or the order of the pointers is wrong. Most programs copy to the device
    /// before something `was_launched`, and back afterwards: what is against that comes first.
    fn help(self, from: Owner, to: Owner, was_launched: bool) -> String {
        let of_pointers = Direction::of(from, to);
        let right = of_pointers.name();
        if !(self.fits(to, true) && self.fits(from, false)) {
            return format!("write {right}");
        }
        let side = |owner: Owner| if owner == Owner::Device { "the device" } else { "the host" };
        let (from, to) = (side(from), side(to));
        let way =
            format!("the first pointer is where a copy goes to, so this one would go from {from} to {to}");
        let usual = if was_launched { Direction::DeviceToHost } else { Direction::HostToDevice };
        if of_pointers == usual {
            return format!(
                "{way}: write {right}, or, if it is meant to go the other way, exchange the two pointers"
            );
        }
        format!("{way}: exchange the two pointers, or, if it is meant to go that way, write {right}")
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
        if let Some(name) = vector_itself(runtime, call, at.address, bytes) {
            let what = format!("a copy {way} the vector `{name}` itself, and not {way} its elements");
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
            let has_run = !runtime.kept.get::<Launches>().kernels.is_empty();
            let was_launched = has_run || runtime.kept.get::<Queue>().has_kernel();
            let help = direction.help(from_owner, to_owner, was_launched);
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
    let mut staged = None;
    if matches!(wait, Wait::Stream(_)) && is_pageable(from_owner) && rows == 1 {
        // What is pageable is copied aside at once.
        if let Some(aside) = call.simulator.alloc_for(Owner::Pinned, bytes, "a staging buffer") {
            _ = call.simulator.copy(aside, from.address, bytes as usize);
            source = Rows::one(aside);
            staged = Some(from.address);
        }
    }
    let work = Work::Copy { to, from: source, bytes, rows, staged };
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
    let number = value as i32;
    if !(-0x80..=0xff).contains(&number) {
        let byte = value & 0xff;
        let what = format!("cudaMemset sets bytes: of {number} it takes the lowest, {byte}");
        let help = "set words by a kernel, or by cudaMemcpy from the host";
        runtime.find(call, Kind::HostAccess, Severity::Warning, what, help);
    }
    check_value(runtime, call, value as u8);
    let work = Work::Set { to, value: [value as u8; 4], bytes, rows };
    runtime.kept.get::<Queue>().issue(wait.stream(), work, Issued::by(call));
    call.simulator.note_host(true);
    Ok(runtime.fine())
}
