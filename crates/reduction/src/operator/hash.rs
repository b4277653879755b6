//! The hash of a string, from the hashes of its parts: the order of the parts matters.

use bytemuck::{Pod, Zeroable};

use super::{ElementType, Operator};
use crate::value::Value;

/// The base in which a string is a number. It is odd, so that no power of it vanishes modulo 2^32.
const BASE: u32 = 0x0100_0193;

/// The polynomial hash of a string: its characters are the digits of a number in base `BASE`, modulo 2^32
/// (the hash of R. M. Karp and M. O. Rabin, "Efficient randomized pattern-matching algorithms", IBM J. Res.
/// Dev. 31(2), 1987). A character is any 32-bit number. Associative, as concatenation is;
/// not commutative.
#[derive(Clone, Copy, Debug)]
pub struct Hash;

/// A string's hash, and the base to the power of its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Hashed {
    /// Modulo 2^32; 0 for the empty string.
    pub hash: u32,
    /// The base to the power of the length, modulo 2^32; 1 for the empty string.
    pub power: u32,
}

impl Operator for Hash {
    type Element = Hashed;
    const TYPE: ElementType = ElementType::Pair;
    const IDENTITY: Hashed = Hashed { hash: 0, power: 1 }; // the empty string

    fn combine(first: Hashed, second: Hashed) -> Hashed {
        Hashed {
            hash: first.hash.wrapping_mul(second.power).wrapping_add(second.hash),
            power: first.power.wrapping_mul(second.power),
        }
    }

    fn element(number: i32, _: usize) -> Hashed {
        Hashed { hash: number as u32, power: BASE }
    }
    fn value(element: Hashed) -> Value {
        Value::Text(format!("{:#010x}", element.hash))
    }
}
