//! Arithmetic: what each instruction computes, for 32 lanes at once.

#[macro_use]
mod value;
mod alu;
mod atomics;
mod bits;
mod carry;
mod compare;
mod conversions;
mod exact;
mod float;
mod integers;
mod lanes;
pub mod math;
mod matrix;
mod rounding;
mod spread;

pub use alu::{Alu, odd_word, select};
pub use atomics::{AtomOp, combine};
pub use bits::low;
pub use carry::Extended;
pub use compare::{Plain, SetHalves, Test, test};
pub use exact::Exact;
pub use float::{class, format, select as select_float};
pub use lanes::*;
pub use matrix::{Mma, Role, Tile};
pub use rounding::Format;
pub use spread::Spread;
