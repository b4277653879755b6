//! The simulator: executes the very PTX that `nvcc` wrote, counts, and says what is wrong, with the line.
//!
//! | file | job |
//! | --- | --- |
//! | `lexer.rs`, `parser.rs`, `ptx.rs` | text -> tokens -> statements; what statements are |
//! | `decode.rs`, `layout.rs` | statements -> typed program, decoded once; places of variables, lines |
//! | `names.rs`, `opcode.rs`, `opcode_memory.rs`, `opcode_async.rs` | what names, operands and opcodes stand for |
//! | `program.rs`, `flow.rs` | the typed program; where diverged lanes meet again |
//! | `alu.rs`, `bits.rs`, `float.rs`, `convert.rs` | what arithmetic and conversions do |
//! | `rounding.rs` | floating-point arithmetic that rounds once, in every mode and format |
//! | `exec.rs` | runs a warp: what each instruction does, with the seven files below |
//! | `registers.rs`, `access.rs` | moves between registers; loads, stores and atomics |
//! | `block.rs`, `collective.rs`, `call.rs` | block barriers; shuffles, votes and warp barriers; calls |
//! | `copies.rs`, `mbarrier.rs` | asynchronous copies into shared memory, and the barriers that stand there |
//! | `fault.rs` | what is said where an instruction goes wrong |
//! | `warp.rs` | 32 lanes in lockstep: divergence, reconvergence, calls |
//! | `memory.rs`, `shared.rs` | state spaces, allocations, bounds; the variables of shared memory |
//! | `arguments.rs` | a launch's limits and arguments |
//! | `launch.rs`, `resident.rs` | grids in turn, child grids in their order; blocks, and the turns of their warps |
//! | `device.rs`, `runtime.rs` | what device code asks of the runtime: launches, `printf` |
//! | `progress.rs` | whether a launch gets on, or runs without end |
//! | `schedule.rs` | in which order blocks, warps and diverged lanes have their turns |
//! | `undefined.rs` | values that nobody has written, followed through registers and memory |
//! | `check/` | the observers that judge: races, barriers, child grids |
//! | `observe.rs` | the events of an execution; `counters.rs` listens and counts |
//! | `diagnostic.rs` | what is said when something is wrong |
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

pub use counters::Counters;
pub use decode::Param;
pub use device::{
    DEFAULT_PENDING_LAUNCHES, DEFAULT_SYNC_DEPTH, DeviceProperties, LaunchConfig, check_config,
};
pub use diagnostic::{Diagnostic, Kind, Severity, Site};
pub use ptx::{Order, Scope, Space};
pub use simulator::{Launched, Module, Simulator};
