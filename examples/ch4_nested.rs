//! Chapter 4: the recursion runs on the device. Kernels halve their data and launch kernels for what is left.
//!
//!     cargo run --example ch4_nested
//!     cargo run --example ch4_nested -- --n 2^16 --grid 128           # by blocks, as in the posts
//!     cargo run --example ch4_nested -- --pending-launches 64         # too little room: some are dropped
//!     cargo run --example ch4_nested -- --kernel gpuRecursiveReduce   # one kernel, level by level

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch4_nested::CHAPTER)
}
