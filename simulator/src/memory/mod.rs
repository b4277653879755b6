//! Memory: state spaces, allocations, bounds, and which bytes have been written.

mod global;
pub mod shared;
mod spaces;

pub use global::*;
pub use spaces::*;
