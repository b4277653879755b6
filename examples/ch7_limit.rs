//! Chapter 7: how fast can a sum be? A ladder of kernels up to the speed of the memory.
//!
//!     cargo run --example ch7_limit
//!     cargo run --example ch7_limit -- --n 2^30      # on a GPU: beside CUB, where there is an nvcc

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch7_limit::CHAPTER)
}
