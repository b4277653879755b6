//! `<stdlib.h>`: `qsort` and `bsearch`, which call the program back.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::observe::Access;
use ptx_simulator::{Kind, Owner};

use crate::runtime::{Natives_, Runtime};

pub const NATIVES: &Natives_ = &[("qsort", sort), ("bsearch", search)];

/// How the program's own function compares two elements.
fn compared(runtime: &mut Runtime, call: &mut Call, function: u64, elements: [u64; 2]) -> Result<i32, Stop> {
    let given = call.host.invoke(call.simulator, runtime, function, &elements)?;
    Ok(given as i32)
}

/// `(array, count, size, compare)`: stable, as glibc's is.
fn sort(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [array, count, size, function] = [0, 1, 2, 3].map(|number| call.long(number));
    let bytes = usize::try_from(count.saturating_mul(size)).unwrap_or(usize::MAX);
    if count < 2 || size == 0 {
        return Ok(Given::Nothing);
    }
    let reached = call.simulator.host_bytes(array, bytes).map(|_| ());
    reached.map_err(|wrong| call.wrong(Access::Load, array, bytes, wrong))?;
    let mut order: Vec<u64> = (0..count).map(|number| array + number * size).collect();
    let mut merged = Vec::with_capacity(order.len());
    let mut width = 1;
    while width < order.len() {
        merged.clear();
        for run in order.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let ([one, left_rest @ ..], [other, right_rest @ ..]) = (left, right) {
                if compared(runtime, call, function, [*one, *other])? <= 0 {
                    merged.push(*one);
                    left = left_rest;
                } else {
                    merged.push(*other);
                    right = right_rest;
                }
            }
            merged.extend(left.iter().chain(right));
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    // Into memory of their own first, with what was never written of them.
    let Some(aside) = call.simulator.alloc_for(Owner::Heap, bytes as u64, "qsort") else {
        let what = "no room for a copy of the array that `qsort` sorts";
        return Err(call.host.fault(Kind::MemoryLimit, what, "run a smaller problem").into());
    };
    let mut to = aside;
    for from in order {
        _ = call.simulator.copy(to, from, size as usize);
        to += size;
    }
    _ = call.simulator.copy(array, aside, bytes);
    call.simulator.free(aside);
    Ok(Given::Nothing)
}

/// `(key, array, count, size, compare)`
fn search(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [key, array, count, size, function] = [0, 1, 2, 3, 4].map(|number| call.long(number));
    let mut range = 0..count;
    while range.start < range.end {
        let middle = range.start + (range.end - range.start) / 2;
        let element = array.wrapping_add(middle.wrapping_mul(size));
        match compared(runtime, call, function, [key, element])? {
            0 => return Ok(Given::Long(element)),
            ..0 => range.end = middle,
            1.. => range.start = middle + 1,
        }
    }
    Ok(Given::Long(0))
}
