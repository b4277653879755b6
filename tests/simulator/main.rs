//! The simulator on the workbook's kernels, on single instructions and on programs made at random, beside
//! what a GPU gives. What needs nothing of the workbook lies in `crates/ptx-simulator/tests`.
#![allow(clippy::print_stdout, reason = "what a run by hand says")]

mod conformance;
mod cooperative;
mod kernels;
mod ncu;
mod random;
mod random_programs;
