//! Chapter 1: the serial sum, five ways, timed on the CPU.
//!
//!     cargo run --example ch1_serial
//!     cargo run --example ch1_serial -- --n 1000      # no power of two: the post's recursion goes wrong

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch1_serial::CHAPTER)
}
