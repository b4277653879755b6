//! The simulator: one file per subject, with its kernels and results beside it.
#![allow(clippy::print_stdout, reason = "what a run by hand says")]

mod conformance;
mod cooperative;
mod cuda;
mod dependent;
mod errors;
mod kernels;
mod memory;
mod mutations;
mod ncu;
mod nested;
mod random;
mod random_programs;
mod warps;
