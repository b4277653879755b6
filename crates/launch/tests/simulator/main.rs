//! The simulator on single instructions and on programs made at random, beside what a GPU gives.
#![allow(clippy::print_stdout, reason = "what a run by hand says")]

mod conformance;
mod random;
mod random_programs;
