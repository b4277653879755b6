//! `malloc` and its like, `new` and `delete`: what gives memory, and what may take it back.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Kind, Owner, Severity};
use rustc_hash::FxHashMap;
use text::number::thousands;

use crate::constants::{constant_behind, make_smaller};
use crate::runtime::{Natives_, Runtime};

pub const NATIVES: &Natives_ = &[
    ("malloc", |runtime, call| allocate(runtime, call, Maker::Malloc, call.long(0))),
    ("calloc", calloc),
    ("realloc", |runtime, call| Ok(Given::Long(resize(runtime, call, call.long(0), call.long(1))?))),
    ("reallocarray", |runtime, call| {
        let bytes = call.long(1).saturating_mul(call.long(2));
        Ok(Given::Long(resize(runtime, call, call.long(0), bytes)?))
    }),
    ("free", |runtime, call| release(runtime, call, Maker::Malloc, call.long(0))),
    // `new`, `new[]`, `delete` and `delete[]`, plain, with a size, aligned, and without exceptions (Itanium
    // C++ ABI, 5.1.5).
    ("_Znwm", |runtime, call| allocate(runtime, call, Maker::New, call.long(0))),
    ("_ZnwmRKSt9nothrow_t", |runtime, call| allocate(runtime, call, Maker::New, call.long(0))),
    ("_ZnwmSt11align_val_t", |runtime, call| allocate(runtime, call, Maker::New, call.long(0))),
    ("_Znam", |runtime, call| allocate(runtime, call, Maker::NewArray, call.long(0))),
    ("_ZnamRKSt9nothrow_t", |runtime, call| allocate(runtime, call, Maker::NewArray, call.long(0))),
    ("_ZnamSt11align_val_t", |runtime, call| allocate(runtime, call, Maker::NewArray, call.long(0))),
    ("_ZdlPv", |runtime, call| release(runtime, call, Maker::New, call.long(0))),
    ("_ZdlPvm", |runtime, call| release(runtime, call, Maker::New, call.long(0))),
    ("_ZdlPvRKSt9nothrow_t", |runtime, call| release(runtime, call, Maker::New, call.long(0))),
    ("_ZdlPvSt11align_val_t", |runtime, call| release(runtime, call, Maker::New, call.long(0))),
    ("_ZdlPvmSt11align_val_t", |runtime, call| release(runtime, call, Maker::New, call.long(0))),
    ("_ZdaPv", |runtime, call| release(runtime, call, Maker::NewArray, call.long(0))),
    ("_ZdaPvm", |runtime, call| release(runtime, call, Maker::NewArray, call.long(0))),
    ("_ZdaPvRKSt9nothrow_t", |runtime, call| release(runtime, call, Maker::NewArray, call.long(0))),
    ("_ZdaPvSt11align_val_t", |runtime, call| release(runtime, call, Maker::NewArray, call.long(0))),
    ("_ZdaPvmSt11align_val_t", |runtime, call| release(runtime, call, Maker::NewArray, call.long(0))),
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

/// Bytes that no machine gives: null for these is what a program gets elsewhere too.
const NEVER: u64 = 1 << 40;

/// New memory; null where a machine has none either.
///
/// # Errors
/// The simulator has no room, where a machine would: nothing that would follow says something of the program.
fn allocate(runtime: &mut Runtime, call: &mut Call, maker: Maker, bytes: u64) -> Result<Given, Stop> {
    let name = crate::cuda::name_of_target(runtime, call);
    let Some(address) = call.simulator.alloc_for(Owner::Heap, bytes, &name) else {
        if bytes >= NEVER {
            return Ok(Given::Long(0));
        }
        let (used, allowed) = call.simulator.used_and_allowed();
        let what = format!(
            "the simulator has no room for {} bytes by `{}`: {} of its {} bytes are used",
            thousands(bytes as i64),
            maker.names().0,
            thousands(used as i64),
            thousands(allowed as i64)
        );
        let place = crate::cuda::user_place(runtime, call);
        let constant = place.and_then(|place| constant_behind(runtime.outside, &place));
        let help = make_smaller(constant, "this size comes from");
        return Err(call.host.fault(Kind::MemoryLimit, what, &help).into());
    };
    runtime.kept.get::<Heap>().made.insert(address, maker);
    Ok(Given::Long(address))
}

fn calloc(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let bytes = call.long(0).saturating_mul(call.long(1));
    let given = allocate(runtime, call, Maker::Malloc, bytes)?;
    if let Given::Long(address @ 1..) = given {
        _ = call.simulator.content_mut(address, bytes as usize).map(|bytes| bytes.fill(0));
    }
    Ok(given)
}

/// Memory as `malloc` gives it; null if there is no room.
pub fn give(runtime: &mut Runtime, call: &mut Call, bytes: u64) -> Result<u64, Stop> {
    Ok(match allocate(runtime, call, Maker::Malloc, bytes)? {
        Given::Long(address) => address,
        _ => 0,
    })
}

/// Moves what `old` holds to memory of another size.
pub fn resize(runtime: &mut Runtime, call: &mut Call, old: u64, bytes: u64) -> Result<u64, Stop> {
    let address = give(runtime, call, bytes)?;
    if old != 0 && address != 0 {
        if let Some((_, had, 0)) = call.simulator.allocation(old) {
            _ = call.simulator.copy(address, old, had.min(bytes) as usize);
        }
        release(runtime, call, Maker::Malloc, old)?;
    }
    Ok(address)
}

fn posix_memalign(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Given::Long(address @ 1..) = allocate(runtime, call, Maker::Malloc, call.long(2))? else {
        return Ok(Given::Word(12)); // ENOMEM
    };
    crate::runtime::put(call, call.long(0), &address.to_le_bytes())?;
    Ok(Given::Word(0))
}

/// Gives memory back, if it came from `maker`.
fn release(runtime: &mut Runtime, call: &mut Call, maker: Maker, address: u64) -> Result<Given, Stop> {
    if address == 0 {
        return Ok(Given::Nothing);
    }
    let (_, takes) = maker.names();
    let made = runtime.kept.get::<Heap>().made.get(&address).copied();
    if let Some(made) = made.filter(|made| *made != maker) {
        let (gave, wanted) = made.names();
        let what = format!("`{takes}` of memory that `{gave}` gave");
        runtime.find(call, Kind::HostAccess, Severity::Error, what, &format!("use `{wanted}`"));
    }
    if made.is_some() {
        runtime.kept.get::<Heap>().made.remove(&address);
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
        Some((_, _, offset)) if runtime.kept.get::<Heap>().made.contains_key(&(address - offset)) => {
            ("an address in the middle of an allocation", Kind::HostAccess, "free what was given".to_string())
        }
        Some(_) => {
            let gives = maker.names().0;
            ("a variable", Kind::HostAccess, format!("free only what `{gives}` has given"))
        }
        None => ("an address that no allocation has", Kind::HostAccess, "free what was given".to_string()),
    };
    runtime.find(call, kind, Severity::Error, format!("`{takes}` of {what}"), &help);
    Ok(Given::Nothing)
}
