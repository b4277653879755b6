//! Chapter 4, when it pays: larger steps, an end that needs no launch, and graphs.
//!
//!     cargo run --example ch4_when_it_pays
//!     cargo run --example ch4_when_it_pays -- --kernel reducePass --kernel reducePassGraph

use std::process::ExitCode;

fn main() -> ExitCode {
    workbook::chapter::run(&chapters::ch4_when_it_pays::CHAPTER)
}
