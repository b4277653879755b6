//! Whole CUDA programs on the simulator. A program is compiled for the device as a whole; its `main` runs in
//! the simulator's host thread ([`ptx_simulator::host`]), its kernels as any kernel does. Here is what the
//! program calls and does not define: the C library and the CUDA runtime.
//!
//! | file | job |
//! | --- | --- |
//! | `run.rs` | runs a program to its end: what it printed, launched and left behind |
//! | `runtime.rs` | what natives share: the world outside, findings, access to the program's memory |
//! | `natives.rs` | every function that a program can call without defining it |
//! | `kept.rs` | what the libraries keep while a program runs |
//! | `constants.rs` | the constants of the source that decide how much a program does |
//! | `outside.rs` | the world outside: streams, files |
//! | `libc/` | the C library, by the headers of C |
//! | `cuda/` | the CUDA runtime: allocations, copies, launches, streams, events, the GPU's properties |
#![warn(missing_docs)]

mod constants;
mod cuda;
mod kept;
mod libc;
mod natives;
mod outside;
mod run;
mod runtime;

pub use cuda::{KernelRun, Uncovered, uncovered};
pub use natives::native_names;
pub use outside::{Outside, Standard};
pub use run::{Ended, Options, Ran, run};
