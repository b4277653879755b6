//! Chapter 2: one block of threads adds up one array, one thread per element.
//!
//!     cargo run --example ch2_parallel
//!     cargo run --example ch2_parallel -- --n 8    # the post's array: the race is there, the sum is right

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch2_parallel::CHAPTER)
}
