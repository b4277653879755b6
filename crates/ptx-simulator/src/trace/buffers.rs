//! Addresses as buffers and elements.

use super::form::{Buffer, Touch};
use crate::arith::lanes;
use crate::memory::number_and_offset;
use crate::observe::Request;
use crate::ptx::Space;

/// A buffer that the launch has named.
#[derive(Clone, Debug)]
struct Named {
    allocation: u64,
    name: String,
    kind: Option<String>,
}

/// The buffers that have been accessed, and the names of all.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    named: Vec<Named>,
    /// Space and allocation of each of `used`.
    keys: Vec<(Space, u64)>,
    pub used: Vec<Buffer>,
}

impl Buffers {
    /// What the allocation of `address` is called, with the type of its elements; the first name stays.
    pub fn name(&mut self, address: u64, name: &str, kind: Option<&str>) {
        let (allocation, _) = number_and_offset(address);
        if self.named.iter().all(|named| named.allocation != allocation) {
            let kind = kind.map(str::to_string);
            self.named.push(Named { allocation, name: name.to_string(), kind });
        }
    }

    /// The elements that a request touches, by buffer: lanes may be in several. Parameters, constants and
    /// local memory are nobody else's business, and left out.
    pub fn touches(&mut self, request: &Request) -> Vec<(u32, Touch)> {
        if !matches!(request.space, Space::Global | Space::Shared) {
            return Vec::new();
        }
        // The values of an atomic are of one element, before and operand.
        let is_atomic = request.access.is_atomic();
        let parts = if is_atomic { 1 } else { request.values.len().max(1) as u32 };
        let width = (request.bytes / parts).max(1);
        let mut touches: Vec<(u32, Touch)> = Vec::new();
        for lane in lanes(request.mask) {
            let address = request.addresses[lane];
            let (allocation, offset) = match request.space {
                // That of another block of the cluster by the block's number.
                Space::Shared => (request.owner.map_or(0, |peer| 1 + peer.block), address),
                _ => number_and_offset(address),
            };
            let buffer = self.find((request.space, allocation), width);
            let element = offset / u64::from(self.used[buffer].element);
            let touch = match touches.iter_mut().find(|(_, touch)| touch.buffer == buffer) {
                Some(known) => known,
                None => {
                    touches.push((0, Touch { buffer, at: Vec::new(), parts, values: Vec::new() }));
                    let last = touches.len() - 1;
                    &mut touches[last]
                }
            };
            touch.0 |= 1 << lane;
            touch.1.at.push(element);
            let bits = u64::MAX >> (64 - 8 * width.min(8));
            touch.1.values.extend(request.values.iter().map(|part| part[lane] & bits));
        }
        touches
    }

    fn find(&mut self, key: (Space, u64), width: u32) -> usize {
        if let Some(known) = self.keys.iter().position(|known| *known == key) {
            return known;
        }
        let named = self.named.iter().find(|named| key.0 == Space::Global && named.allocation == key.1);
        let (name, kind) = match (key.0, named) {
            (Space::Shared, _) if key.1 > 0 => (format!("shared memory of block {}", key.1 - 1), None),
            (Space::Shared, _) => ("shared memory".to_string(), None),
            (_, Some(named)) => (named.name.clone(), named.kind.clone()),
            _ => (format!("allocation {}", key.1), None),
        };
        let space = if key.0 == Space::Shared { "shared" } else { "global" };
        self.keys.push(key);
        let buffer = Buffer { name, space: space.to_string(), element: width, kind };
        self.used.push(buffer);
        self.used.len() - 1
    }
}
