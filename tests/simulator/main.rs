//! The simulator: one file per subject, with its kernels and results beside it.

mod conformance;
mod cooperative;
mod cuda;
mod errors;
mod kernels;
mod memory;
mod mutations;
mod ncu;
mod nested;
mod random;
mod random_programs;
mod warps;
