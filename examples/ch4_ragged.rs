//! Chapter 4.3: the sums of ragged rows, from a thread per row over nested kernels to flattened ones.
//!
//!     cargo run --example ch4_ragged
//!     cargo run --example ch4_ragged -- --kernel warpPerRow_giant --kernel flattened_giant

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch4_ragged::CHAPTER)
}
