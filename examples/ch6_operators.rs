//! Chapter 6: a reduction for any associative operator, in passes; and other ways to add partial sums.
//!
//!     cargo run --example ch6_operators
//!     cargo run --example ch6_operators -- --n 100_000 --block 256   # the post's numbers, in reduceKernel
//!     cargo run --example ch6_operators -- --n 262_145 --block 256   # one element more than it can take
//!     cargo run --example ch6_operators -- --kernel all              # every operator on every type

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch6_operators::CHAPTER)
}
