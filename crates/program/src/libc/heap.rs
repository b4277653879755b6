//! `malloc` and its like, `new` and `delete`: what gives memory, and what may take it back.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Kind, Owner, Severity, number_and_offset};
use rustc_hash::FxHashMap;

use crate::runtime::{Natives_, Runtime};

pub const NATIVES: &Natives_ = &[
    ("malloc", |runtime, call| allocate(runtime, call, Maker::Malloc, call.long(0))),
    ("calloc", calloc),
    ("realloc", realloc),
    ("free", |runtime, call| release(runtime, call, Maker::Malloc)),
    ("__wb_new", |runtime, call| allocate(runtime, call, Maker::New, call.long(0))),
    ("__wb_new_array", |runtime, call| allocate(runtime, call, Maker::NewArray, call.long(0))),
    ("__wb_delete", |runtime, call| release(runtime, call, Maker::New)),
    ("__wb_delete_array", |runtime, call| release(runtime, call, Maker::NewArray)),
    ("posix_memalign", posix_memalign),
    ("aligned_alloc", |runtime, call| allocate(runtime, call, Maker::Malloc, call.long(1))),
];

/// What gave memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    Malloc,
    New,
    NewArray,
}

impl Maker {
    /// Its name, and that of what takes the memory back.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Maker::Malloc => ("malloc", "free"),
            Maker::New => ("new", "delete"),
            Maker::NewArray => ("new[]", "delete[]"),
        }
    }
}

/// The host's heap: which allocations it has made, by their addresses.
#[derive(Debug, Default)]
pub struct Heap {
    made: FxHashMap<u64, Maker>,
}

fn allocate(runtime: &mut Runtime, call: &mut Call, maker: Maker, bytes: u64) -> Result<Given, Stop> {
    let name = crate::cuda::name_of_target(runtime, call);
    let Some(address) = call.simulator.alloc_for(Owner::Heap, bytes, &name) else {
        return Ok(Given::Long(0));
    };
    runtime.libc.heap.made.insert(address, maker);
    Ok(Given::Long(address))
}

fn calloc(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let bytes = call.long(0).saturating_mul(call.long(1));
    let given = allocate(runtime, call, Maker::Malloc, bytes)?;
    if let Given::Long(address @ 1..) = given {
        crate::runtime::put(call, address, &vec![0; bytes as usize])?;
    }
    Ok(given)
}

fn realloc(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let old = call.long(0);
    let given = allocate(runtime, call, Maker::Malloc, call.long(1))?;
    if let (Given::Long(address @ 1..), Some((_, had, 0))) = (given, call.simulator.allocation(old)) {
        let kept = had.min(call.long(1)) as usize;
        _ = call.simulator.copy(address, old, kept);
        release(runtime, call, Maker::Malloc)?;
    }
    Ok(given)
}

fn posix_memalign(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Given::Long(address) = allocate(runtime, call, Maker::Malloc, call.long(2))? else {
        return Ok(Given::Word(12)); // ENOMEM
    };
    crate::runtime::put(call, call.long(0), &address.to_le_bytes())?;
    Ok(Given::Word(0))
}

/// Gives memory back, if it came from `maker`.
fn release(runtime: &mut Runtime, call: &mut Call, maker: Maker) -> Result<Given, Stop> {
    let address = call.long(0);
    if address == 0 {
        return Ok(Given::Nothing);
    }
    let (_, takes) = maker.names();
    let made = runtime.libc.heap.made.get(&address).copied();
    if let Some(made) = made.filter(|made| *made != maker) {
        let (gave, wanted) = made.names();
        let what = format!("`{takes}` of memory that `{gave}` gave");
        runtime.find(call, Kind::HostAccess, Severity::Error, what, &format!("use `{wanted}`"));
    }
    if made.is_some() {
        runtime.libc.heap.made.remove(&address);
        call.simulator.free(address);
        return Ok(Given::Nothing);
    }
    let (what, kind, help) = match call.simulator.allocation(address) {
        _ if call.simulator.is_freed(address) => {
            ("memory that has been freed already", Kind::UseAfterFree, "free it once".to_string())
        }
        Some((Owner::Device | Owner::Managed, ..)) => {
            ("device memory", Kind::HostAccess, "use `cudaFree`".to_string())
        }
        Some((Owner::Pinned, ..)) => {
            ("page-locked memory", Kind::HostAccess, "use `cudaFreeHost`".to_string())
        }
        Some((_, _, offset)) if runtime.libc.heap.made.contains_key(&(address - offset)) => {
            ("an address in the middle of an allocation", Kind::HostAccess, "free what was given".to_string())
        }
        Some(_) => {
            let gives = maker.names().0;
            ("a variable", Kind::HostAccess, format!("free only what `{gives}` has given"))
        }
        None => ("an address that no allocation has", Kind::HostAccess, "free what was given".to_string()),
    };
    let _ = number_and_offset(address);
    runtime.find(call, kind, Severity::Error, format!("`{takes}` of {what}"), &help);
    Ok(Given::Nothing)
}
