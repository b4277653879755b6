//! The sum of a block by hand, by cub::BlockReduce and by cooperative groups.
//!
//!     cargo run --example ch7_libraries

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch7_libraries::CHAPTER)
}
