//! Memory of two and three dimensions: its allocation, copies and sets.

use ptx_simulator::Owner;
use ptx_simulator::host::{Call, Given, Stop};

use super::error::Error;
use super::memory::allocate;
use super::queue::Rows;
use super::transfers::{Asked, Wait, copy, direction, set_rows};
use crate::runtime::{Natives_, Runtime, put};

pub const NATIVES: &Natives_ = &[
    ("cudaMallocPitch", malloc_pitch),
    ("cudaMemcpy2D", |runtime, call| copy(runtime, call, planes(call), Wait::Host)),
    ("cudaMemcpy2DAsync", |runtime, call| copy(runtime, call, planes(call), Wait::Stream(call.long(7)))),
    ("cudaMemset2D", |runtime, call| set_plane(runtime, call, Wait::Device)),
    ("cudaMemset2DAsync", |runtime, call| set_plane(runtime, call, Wait::Stream(call.long(5)))),
    ("cudaMalloc3D", malloc_3d),
    ("cudaMemcpy3D", |runtime, call| copy_3d(runtime, call, Wait::Host)),
    ("cudaMemcpy3DAsync", |runtime, call| copy_3d(runtime, call, Wait::Stream(call.long(1)))),
    ("cudaMemset3D", set_3d),
];

/// What rows begin at multiples of, in bytes.
const PITCH: u64 = 512;

/// The pitch of rows of `width` bytes; of rows that no memory holds, the largest number.
fn pitch_of(width: u64) -> u64 {
    width.checked_next_multiple_of(PITCH).unwrap_or(u64::MAX)
}

fn malloc_pitch(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let pitch = pitch_of(call.long(2));
    put(call, call.long(1), &pitch.to_le_bytes())?;
    allocate(runtime, call, Owner::Device, pitch.saturating_mul(call.long(3)))
}

/// `(to, pitch, from, pitch, width, height, direction)`
fn planes(call: &Call) -> Asked {
    let rows = |number: usize| Rows { address: call.long(number), pitch: call.long(number + 1) };
    Asked {
        to: rows(0),
        from: rows(2),
        bytes: call.long(4),
        rows: call.long(5),
        direction: direction(call.word(6)),
    }
}

/// `(to, pitch, value, width, height)`
fn set_plane(runtime: &mut Runtime, call: &mut Call, wait: Wait) -> Result<Given, Stop> {
    let to = Rows { address: call.long(0), pitch: call.long(1) };
    set_rows(runtime, call, (to, call.long(3), call.long(4)), call.word(2), wait)
}

/// Eight bytes of argument `number`, a structure, as its word `word`.
fn word(call: &Call, number: usize, word: usize) -> u64 {
    call.part(number, 8 * word, 8)
}

/// `(cudaPitchedPtr *, cudaExtent)`
fn malloc_3d(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [width, height, depth] = [0, 1, 2].map(|axis| word(call, 1, axis));
    let pitch = pitch_of(width);
    for (place, value) in (1..).zip([pitch, width, height]) {
        put(call, call.long(0).wrapping_add(8 * place), &value.to_le_bytes())?;
    }
    allocate(runtime, call, Owner::Device, pitch.saturating_mul(height).saturating_mul(depth))
}

/// `cudaMemcpy3DParms`: an array, a position and a pointer of each side, an extent, a direction.
fn copy_3d(runtime: &mut Runtime, call: &mut Call, wait: Wait) -> Result<Given, Stop> {
    const BYTES: usize = 160;
    let raw = crate::runtime::bytes(call, call.long(0), BYTES)?;
    let at = |place: usize| u64::from_le_bytes(raw[8 * place..8 * place + 8].try_into().unwrap_or_default());
    let [width, height, depth] = [16, 17, 18].map(at);
    // (array, x, y, z, pointer, pitch, width, height) twice.
    let start = |first: usize| {
        let [x, y, z, address, pitch, _, rows] = [1, 2, 3, 4, 5, 6, 7].map(|place| at(first + place));
        let row = rows.wrapping_mul(z).wrapping_add(y);
        let address = pitch.wrapping_mul(row).wrapping_add(address).wrapping_add(x);
        Slices { first: Rows { address, pitch }, bytes: pitch.wrapping_mul(rows) }
    };
    let [from, to] = [start(0), start(8)];
    let direction = direction(at(19) as u32);
    each_slice(runtime, call, [width, height, depth], &[from, to], |runtime, call, slice| {
        let [from, to] = [from, to].map(|side| side.at(slice));
        copy(runtime, call, Asked { to, from, bytes: width, rows: height, direction }, wait)
    })
}

/// `(cudaPitchedPtr, value, cudaExtent)`
fn set_3d(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [address, pitch, _, rows] = [0, 1, 2, 3].map(|place| word(call, 0, place));
    let [width, height, depth] = [0, 1, 2].map(|axis| word(call, 2, axis));
    let to = Slices { first: Rows { address, pitch }, bytes: pitch.wrapping_mul(rows) };
    each_slice(runtime, call, [width, height, depth], &[to], |runtime, call, slice| {
        set_rows(runtime, call, (to.at(slice), width, height), call.word(1), Wait::Device)
    })
}

/// Slices of memory, each of rows: the first, and how far the next ones are from it.
#[derive(Clone, Copy)]
struct Slices {
    first: Rows,
    bytes: u64,
}

impl Slices {
    /// The rows of a slice.
    fn at(self, slice: u64) -> Rows {
        let address = self.first.address.wrapping_add(self.bytes.wrapping_mul(slice));
        Rows { address, pitch: self.first.pitch }
    }
}

/// Does something with each slice of an extent (width in bytes, height, depth), until it fails.
fn each_slice(
    runtime: &mut Runtime,
    call: &mut Call,
    [width, height, depth]: [u64; 3],
    sides: &[Slices],
    mut does: impl FnMut(&mut Runtime, &mut Call, u64) -> Result<Given, Stop>,
) -> Result<Given, Stop> {
    let fine = runtime.fine();
    if width == 0 || height == 0 {
        return Ok(fine);
    }
    let overlap = |side: &Slices| side.bytes < side.first.pitch.saturating_mul(height);
    if depth > 1 && sides.iter().any(overlap) {
        let what =
            format!("slices of {height} rows, where the pitched pointer says fewer: nothing is copied");
        let help = "make_cudaPitchedPtr takes the height of the allocation, in rows, as its last argument";
        return Ok(runtime.refuse(call, Error::InvalidValue, what, help));
    }
    for slice in 0..depth {
        let given = does(runtime, call, slice)?;
        if given != fine {
            return Ok(given);
        }
    }
    Ok(fine)
}
