//! `<stdlib.h>`: the environment, which is empty until the program writes to it.

use ptx_simulator::Owner;
use ptx_simulator::host::{Call, Given, Stop};
use rustc_hash::FxHashMap;

use super::variables::EINVAL;
use crate::runtime::{Natives_, Runtime, text};

pub const NATIVES: &Natives_ = &[
    ("getenv", |runtime, call| {
        let name = text(call, call.long(0))?;
        Ok(Given::Long(runtime.kept.get::<Environment>().values.get(&name).copied().unwrap_or(0)))
    }),
    ("setenv", |runtime, call| {
        let name = text(call, call.long(0))?;
        let keeps = call.word(2) == 0 && runtime.kept.get::<Environment>().values.contains_key(&name);
        let value = text(call, call.long(1))?;
        if keeps { DONE } else { set(runtime, call, &name, &value) }
    }),
    ("unsetenv", |runtime, call| {
        let name = text(call, call.long(0))?;
        unset(runtime, call, &name)
    }),
    ("putenv", |runtime, call| {
        let whole = text(call, call.long(0))?;
        match whole.iter().position(|byte| *byte == b'=') {
            Some(end) => set(runtime, call, &whole[..end], &whole[end + 1..]),
            None => unset(runtime, call, &whole),
        }
    }),
];

const DONE: Result<Given, Stop> = Ok(Given::Word(0));

/// Where the values of the variables lie, by name.
#[derive(Debug, Default)]
struct Environment {
    values: FxHashMap<Vec<u8>, u64>,
}

/// Gives a variable a value.
fn set(runtime: &mut Runtime, call: &mut Call, name: &[u8], value: &[u8]) -> Result<Given, Stop> {
    if name.is_empty() || name.contains(&b'=') {
        runtime.set_errno(call, EINVAL)?;
        return Ok(Given::Word(u32::MAX));
    }
    let value = [value, &[0]].concat();
    let Some(address) = call.simulator.alloc_for(Owner::Static, value.len() as u64, "the environment") else {
        return Ok(Given::Word(u32::MAX));
    };
    crate::runtime::put(call, address, &value)?;
    call.simulator.moves(name.len() + value.len());
    if let Some(before) = runtime.kept.get::<Environment>().values.insert(name.to_vec(), address) {
        call.simulator.free(before);
    }
    DONE
}

/// Removes a variable.
fn unset(runtime: &mut Runtime, call: &mut Call, name: &[u8]) -> Result<Given, Stop> {
    if let Some(before) = runtime.kept.get::<Environment>().values.remove(name) {
        call.simulator.free(before);
    }
    DONE
}
