//! Chapter 8.1: each GPU has n numbers, and they are added, number by number. What does that cost alone?
//!
//!     cargo run --example ch8_combine
//!     cargo run --example ch8_combine -- --gpus 3 --device sim

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch8_combine::CHAPTER)
}
