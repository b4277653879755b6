//! Chapter 8.3: the array lies in the host's memory, and comes to the GPUs piece by piece.
//!
//!     cargo run --example ch8_streamed
//!     cargo run --example ch8_streamed -- --gpus 1 --n 2^30

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch8_streamed::CHAPTER)
}
