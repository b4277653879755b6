//! Chapter 4, work whose depth nobody knows: the area under a zigzag of n teeth, by dividing intervals.
//!
//!     cargo run --example ch4_quadrature
//!     cargo run --example ch4_quadrature -- --n 20_001

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch4_quadrature::CHAPTER)
}
