//! Chapter 5: the dot product. The threads of a block share a cache and wait for each other at a barrier.
//!
//!     cargo run --example ch5_shared                                # the post's constants: 33 * 1024 pairs
//!     cargo run --example ch5_shared -- --n 1_000_003 --block 96 --grid 7

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch5_shared::CHAPTER)
}
