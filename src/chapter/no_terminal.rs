//! In place of `terminal.rs` where no program is started: in a browser, whose page calls
//! [`run_with`](super::run_with).

use std::process::ExitCode;

use super::variant::Chapter;

/// What an example's `main` calls, which nobody calls here.
pub fn run(_: &Chapter) -> ExitCode {
    ExitCode::FAILURE
}
