//! Chapter 3: many blocks, each of which leaves one partial sum; the host adds those up.
//!
//!     cargo run --example ch3_blocks
//!     cargo run --example ch3_blocks -- --n 1_000_000 --block 96

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch3_blocks::CHAPTER)
}
