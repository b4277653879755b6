//! What a program says: on stdout and stderr, in colour or not, and with which exit status it then ends.
//!
//! A reader that is gone (`| head`) is no mistake, and the program goes on in silence. Anything else that
//! keeps words from being written (a full disk) makes its exit status 2.

use std::io::{ErrorKind, IsTerminal, Result, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

pub use crate::build::call::{turns, visible};

/// Whether words are lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes `text` on stdout. Whether it has been written: the reader may be gone, or the disk full.
pub fn out(text: &str) -> bool {
    let mut stdout = stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    let is_there = written.is_ok();
    note(written);
    is_there
}

/// Writes `text` on stderr.
pub fn err(text: &str) {
    let mut stderr = stderr().lock();
    let written = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    if is_loss(&written) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Takes note of how writing to stdout has ended; the first loss is said on stderr.
pub fn note(written: Result<()>) {
    if is_loss(&written) && !LOST.swap(true, Ordering::Relaxed) {
        err(&format!(
            "error: cannot write to stdout: {}\n",
            written.err().map(|error| error.to_string()).unwrap_or_default()
        ));
    }
}

fn is_loss(written: &Result<()>) -> bool {
    written.as_ref().is_err_and(|error| error.kind() != ErrorKind::BrokenPipe)
}

/// The exit status of a program that would end with `status`: 2 if it could not say all it had to say.
pub fn status(status: u8) -> ExitCode {
    ExitCode::from(if LOST.load(Ordering::Relaxed) { 2 } else { status })
}

/// Ends the program with what clap says of its command line: help with status 0, a mistake with 2.
pub fn usage(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    if error.use_stderr() {
        err(&visible(&text))
    } else {
        out(&text);
    }
    std::process::exit(if LOST.load(Ordering::Relaxed) { 2 } else { error.exit_code() })
}

/// Whether `stream` shows a line that changes: it is a terminal, not a dumb one, and obeys escape codes. A page
/// says that its streams are such, and shows text.
pub fn is_lively(stream: &impl IsTerminal) -> bool {
    !cfg!(target_family = "wasm")
        && stream.is_terminal()
        && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
        && obeys_escape_codes()
}

/// Consoles before Windows 10 don't, and later ones have to be asked to.
#[cfg(windows)]
fn obeys_escape_codes() -> bool {
    use anstyle_query::windows::enable_ansi_colors;
    static OBEYS: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        // If stdout leads into a file, this asks nothing of stderr; then TERM, which a Unix-like shell sets,
        // says whether that obeys.
        enable_ansi_colors() == Some(true) || anstyle_query::term_supports_ansi_color()
    });
    *OBEYS
}

#[cfg(not(windows))]
fn obeys_escape_codes() -> bool {
    true
}

/// Whether `stream` shows colours: a lively terminal without `NO_COLOR` (<https://no-color.org>).
pub fn has_colour(stream: &impl IsTerminal) -> bool {
    is_lively(stream) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_no_loss() {
        assert!(!is_loss(&Ok(())) && !is_loss(&Err(ErrorKind::BrokenPipe.into())));
        assert!(is_loss(&Err(ErrorKind::StorageFull.into())));
    }
}
