//! Chapter 8: one array, several GPUs. Each adds up its share; the variants differ in who adds the shares.
//!
//!     cargo run --example ch8_many_gpus                             # all GPUs, or two simulated ones
//!     cargo run --example ch8_many_gpus -- --gpus 4 --device sim

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch8_many_gpus::CHAPTER)
}
