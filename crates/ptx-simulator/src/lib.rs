#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

// Of which clone this is built: .cargo/config.toml.
const _: Option<&str> = option_env!("WORKBOOK_CLONE");

mod arith;
mod check;
mod counters;
mod decode;
mod device;
mod diagnostic;
mod exec;
mod explore;
mod grid;
pub mod host;
mod memory;
pub mod observe;
mod orders;
mod ptx;
mod simulator;
pub mod trace;
mod values;
mod what;
mod words;

pub use arith::{Format, LaneOrder};
pub use check::{BARRIER_OF_BLOCK, BARRIER_OF_WARP};
pub use counters::Counters;
pub use decode::Param;
pub use device::{
    DEFAULT_MEMORY, DEFAULT_PENDING_LAUNCHES, DEFAULT_STEP_LIMIT, DEFAULT_SYNC_DEPTH, DeviceProperties,
    LaunchConfig, Residency, Scarce, check_config, count_in,
};
pub use diagnostic::{Diagnostic, Kind, Severity, Shape};
pub use exec::MAX_PRINTED;
pub use explore::Interleaving;
pub use grid::Together;
pub use memory::{Owner, Written, Wrong, address_of, number_and_offset};
pub use orders::{Budget, Cut, Failing, Orders, failing};
pub use ptx::{Order, Scope, Space};
pub use simulator::{Launch, Launched, Module, Simulator};
pub use what::{
    Access, Apart, Disorder, Endless, Limit, Loophole, Matters, Number, Region, ShortWait, Side, Site, Spot,
    Unordered, Values, What, Words,
};
