//! Memory: state spaces, allocations, bounds, and which bytes have been written.

mod global;
pub mod shared;
mod spaces;
mod written;

pub use global::*;
pub use spaces::*;
pub use written::Written;

/// What bytes hold that nobody has written: easy to recognise, and no plausible value.
pub const UNWRITTEN: u8 = 0xcd;
