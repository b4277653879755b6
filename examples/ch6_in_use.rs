//! Chapter 6.2: one sum per row, sums of 16-bit floats, and launches that overlap.
//!
//!     cargo run --example ch6_in_use
//!     cargo run --example ch6_in_use -- --kernel all --n 100_003

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch6_in_use::CHAPTER)
}
