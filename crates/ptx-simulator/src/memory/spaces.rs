//! Generic addresses: the window of each state space, and bytes as numbers.

use crate::ptx::Space;

/// Where the addresses of a space lie when they are generic. Global addresses are generic already.
pub fn window(space: Space) -> u64 {
    match space {
        Space::Shared => 0x01 << 56,
        Space::Local => 0x02 << 56,
        Space::Param => 0x04 << 56,
        Space::Const => 0x20 << 56,
        Space::Global | Space::Generic => 0,
    }
}

/// The space a generic address lies in, and the address within it.
#[inline]
pub fn resolve(address: u64) -> (Space, u64) {
    match address >> 56 {
        0x01 => (Space::Shared, address & ((1 << 56) - 1)),
        0x02 => (Space::Local, address & ((1 << 56) - 1)),
        0x04 => (Space::Param, address & ((1 << 56) - 1)),
        0x20 => (Space::Const, address & ((1 << 56) - 1)),
        _ => (Space::Global, address),
    }
}

/// `number` as an index. One that this machine has no address for, which may have 32 bits, is beyond the end
/// of everything.
#[inline(always)]
pub fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The bytes from `address` on, as a range that cannot overflow.
#[inline]
pub fn span(address: u64, bytes: usize) -> std::ops::Range<usize> {
    let start = index(address).min(usize::MAX / 2);
    start..start + bytes
}

/// Little-endian value of up to 8 bytes.
#[inline(always)]
pub fn read(bytes: &[u8]) -> u64 {
    match bytes.len() {
        4 => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as u64,
        8 => u64::from_le_bytes([
            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        ]),
        _ => bytes.iter().rev().fold(0, |value, byte| value << 8 | *byte as u64),
    }
}

#[inline(always)]
pub fn write(bytes: &mut [u8], value: u64) {
    let width = bytes.len();
    bytes.copy_from_slice(&value.to_le_bytes()[..width]);
}

#[inline(always)]
pub fn extend(value: u64, bytes: u32, signed: bool) -> u64 {
    if !signed {
        return value;
    }
    match bytes {
        1 => value as u8 as i8 as i64 as u64,
        2 => value as u16 as i16 as i64 as u64,
        4 => value as u32 as i32 as i64 as u64,
        _ => value,
    }
}
