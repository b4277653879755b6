//! Addresses as buffers and elements.

use super::form::{Buffer, Touch};
use crate::arith::lanes;
use crate::memory::number_and_offset;
use crate::observe::Request;
use crate::ptx::Space;

/// The buffers that have been accessed, and the names of all.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    named: Vec<(u64, Buffer)>,
    /// Space and allocation of each of `used`.
    keys: Vec<(Space, u64)>,
    pub used: Vec<Buffer>,
}

impl Buffers {
    /// What the allocation of `address` is called, with the type of its elements; the first name stays.
    pub fn name(&mut self, address: u64, name: &str, kind: Option<&str>) {
        let (allocation, _) = number_and_offset(address);
        if self.named.iter().all(|(named, _)| *named != allocation) {
            let buffer = Buffer { kind: kind.map(str::to_string), ..buffer(name, "global", 0) };
            self.named.push((allocation, buffer));
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
            let known = touches.iter().position(|(_, touch)| touch.buffer == buffer).unwrap_or_else(|| {
                touches.push((0, Touch { buffer, at: Vec::new(), parts, values: Vec::new() }));
                touches.len() - 1
            });
            let (lanes, touch) = &mut touches[known];
            *lanes |= 1 << lane;
            touch.at.push(element);
            let bits = u64::MAX >> (64 - 8 * width.min(8));
            touch.values.extend(request.values.iter().map(|part| part[lane] & bits));
        }
        touches
    }

    fn find(&mut self, key: (Space, u64), width: u32) -> usize {
        if let Some(known) = self.keys.iter().position(|known| *known == key) {
            return known;
        }
        let named = self.named.iter().find(|(named, _)| *named == key.1);
        self.used.push(match (key, named) {
            ((Space::Shared, 0), _) => buffer("shared memory", "shared", width),
            ((Space::Shared, block), _) => {
                buffer(&format!("shared memory of block {}", block - 1), "shared", width)
            }
            (_, Some((_, named))) => Buffer { element: width, ..named.clone() },
            ((_, number), None) => buffer(&format!("allocation {number}"), "global", width),
        });
        self.keys.push(key);
        self.used.len() - 1
    }
}

fn buffer(name: &str, space: &str, element: u32) -> Buffer {
    Buffer { name: name.to_string(), space: space.to_string(), element, kind: None }
}
