//! Chapter 4, the nested kernel as it was printed for the CUDA of 2020: its blocks wait for their children.
//! It runs on the simulator.
//!
//!     cargo run --example ch4_legacy
//!     cargo run --example ch4_legacy -- --n 1000      # the last block reads past the end

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch4_legacy::CHAPTER)
}
