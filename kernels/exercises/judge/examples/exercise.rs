//! The exercises of the workbook, marked: with or without a GPU.
//!
//!     cargo run --example exercise               lists them, and says what to do next
//!     cargo run --example exercise -- 2.1        checks your answer
//!     cargo run --example exercise -- hint 2.1
//!     cargo run --example exercise -- watch      checks whenever you save
//!
//! Your answers are the files in kernels/exercises/.

use std::process::ExitCode;

fn main() -> ExitCode {
    exercise::run()
}
