//! What the tests let the observers hear.

use ptx_simulator::observe::{Access, Request};
use ptx_simulator::{Order, Scope, Space};

/// What lane 0 of a warp does with four bytes of global memory.
pub fn request<'a>(access: Access, addresses: &'a [u64; 32], values: &'a [&'a [u64; 32]]) -> Request<'a> {
    Request {
        access,
        space: Space::Global,
        owner: None,
        mask: 1,
        addresses,
        bytes: 4,
        order: Order::Relaxed,
        scope: Scope::Gpu,
        turns: Default::default(),
        used: Default::default(),
        looks: false,
        changed: 0,
        unchanged: 0,
        follows: false,
        updates: false,
        read: 0,
        values,
    }
}
