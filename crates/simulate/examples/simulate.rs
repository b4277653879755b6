//! Your own kernel on the simulator: what every buffer holds afterwards, what is wrong with it, what it cost.
//! Nothing of a GPU is needed; a `.cu` needs a compiler, nvcc or clang, and `.ptx` needs nothing.
//!
//!     cargo run --example simulate -- mine.cu       launches what its lines `//@ launch …` say
//!     cargo run --example simulate -- mine.cu --grid 1 --block 64 --arg buf:i32:iota*64 --arg buf:i32:0
//!     cargo run --example simulate -- --help        a kernel to try, every option, every form of an argument

use std::process::ExitCode;

fn main() -> ExitCode {
    simulate::run()
}
