//! The simulator: executes the very PTX that `nvcc` wrote, counts, and says what is wrong, with the line.
//!
//! | folder or file | job |
//! | --- | --- |
//! | `ptx/` | text → statements |
//! | `arith/` | what arithmetic and conversions do to 32 lanes |
//! | `memory/` | state spaces, allocations, bounds, which bytes have been written |
//! | `decode/` | statements → typed program: names, operations, places, where diverged lanes meet again |
//! | `exec/` | a warp's step: registers, accesses, barriers, collectives, calls, copies, device launches |
//! | `grid/` | a launch: blocks and child grids in turns |
//! | `check/` | observers that judge: races, barriers, child grids |
//! | `observe.rs`, `counters.rs` | the events of an execution; what listens and counts |
//! | `trace/` | an observer that remembers: who touched what, in which order, with which values |
//! | `diagnostic.rs`, `words.rs` | what is found wrong, and what is said of it |
//! | `device.rs` | what the simulated device has, and what a launch may ask of it |
//! | `simulator.rs` | modules, the device's memory, launches on it |
//!
//! Each imports only from those above it in this order: `diagnostic`, `ptx`, `arith`, `device`, `observe`,
//! `counters`, `memory`, `decode`, then `exec` and `check`, `grid`, `simulator`, `trace`.
//!
//! It has no clock, no thread and no file of its own: the same launch gives the same result every time.
//!
//! ```
//! use ptx_simulator::{Kind, LaunchConfig, Module, Simulator};
//!
//! // Every thread adds 1 to the same word, and not by an atomic addition.
//! let ptx = "
//!     .version 7.0
//!     .target sm_75
//!     .address_size 64
//!     .visible .entry count(.param .u64 total)
//!     {
//!         .reg .b32 %r<3>;
//!         .reg .b64 %rd<2>;
//!         ld.param.u64 %rd1, [total];
//!         ld.global.u32 %r1, [%rd1];
//!         add.s32 %r2, %r1, 1;
//!         st.global.u32 [%rd1], %r2;
//!         ret;
//!     }";
//! let module = Module::parse(ptx, "count.ptx")?;
//! let mut simulator = Simulator::new();
//! let total = simulator.alloc(4)?;
//! simulator.write(total, &[0; 4])?;
//!
//! let launched = simulator.launch_checked(&module, "count", LaunchConfig::new(1, 64), &[total]);
//! assert!(launched.completed);
//! assert_eq!(launched.counters.warp_instructions, 2 * 5);
//! assert!(launched.diagnostics.iter().any(|found| found.kind == Kind::DataRace));
//! # Ok::<(), Box<ptx_simulator::Diagnostic>>(())
//! ```

#![warn(missing_docs)]

mod arith;
mod check;
mod counters;
mod decode;
mod device;
mod diagnostic;
mod exec;
mod grid;
mod memory;
pub mod observe;
mod ptx;
mod simulator;
pub mod trace;
mod words;

pub use counters::Counters;
pub use decode::Param;
pub use device::{
    DEFAULT_MEMORY, DEFAULT_PENDING_LAUNCHES, DEFAULT_SYNC_DEPTH, DeviceProperties, LaunchConfig,
    check_config,
};
pub use diagnostic::{
    Diagnostic, Disorder, Does, Kind, Limit, Region, Severity, Shape, Side, Site, Spot, What, Words,
};
pub use grid::Together;
pub use memory::Written;
pub use ptx::{Order, Scope, Space};
pub use simulator::{Launch, Launched, Module, Simulator};
