//! Why a compiler failed: the source is wrong, or the compiler could not do its work. A full disk is not a
//! wrong answer.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicUsize, Ordering};

use text::path;

/// A compiler refuses a source, and this is what it says.
#[derive(Debug)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Room that a compiler needs for its temporary files, in bytes.
const NEEDED: usize = 4 << 20;

/// What kept a compiler that ended with `status` and `said` this from doing its work, and what to do; `None`
/// if the source is to blame. Its temporary files are in the system's folder for them, its output in
/// `scratch`.
pub fn failed_itself(status: ExitStatus, said: &str, scratch: &Path) -> Option<String> {
    if was_ended(status.code()) {
        return Some(format!("it was ended ({status}): is there enough memory?"));
    }
    if let Some(lack) = lacks_room(&[&std::env::temp_dir(), scratch]) {
        return Some(lack);
    }
    if let Some(missing) = not_installed(said) {
        return Some(missing.into());
    }
    let is_about_source = said.lines().any(|line| is_at_a_place(line) || is_of_a_later_pass(line));
    (!is_about_source).then(|| "it names no line of the source: is it installed completely?".into())
}

/// Whether a program with this exit code did not end by itself: on Unix there is none then, on Windows it is
/// an error number of the system's, `0xC0000005`.
fn was_ended(code: Option<i32>) -> bool {
    code.is_none_or(|code| code as u32 >> 28 == 0xC)
}

/// The first of the folders that cannot be written to, and what to do; `None` if all can.
pub fn lacks_room(folders: &[&Path]) -> Option<String> {
    for folder in folders {
        if let Err(error) = has_room(folder) {
            let folder = path::shown(folder);
            return Some(format!("it cannot write to {folder} ({error}): make room there. {SET_TEMPORARY}"));
        }
    }
    None
}

/// What to do about the folder for temporary files.
pub const SET_TEMPORARY: &str =
    if cfg!(windows) { "Set TMP to another folder." } else { "Set TMPDIR to another folder." };

/// What else must be installed for nvcc to run, if that is what it `said`.
pub fn not_installed(said: &str) -> Option<&'static str> {
    if said.contains("cl.exe") {
        return Some(
            "nvcc needs cl.exe of Visual Studio's Build Tools: install them and start from their developer \
             prompt; or set CLANG, which needs nothing else",
        );
    }
    if said.contains("gcc: No such file") || said.contains("gcc: not found") {
        return Some("nvcc needs gcc: install it; or set CLANG, which needs nothing else");
    }
    let is_unsupported = said.contains("unsupported GNU version")
        || said.contains("unsupported clang version")
        || said.contains("unsupported Microsoft Visual Studio version");
    is_unsupported.then_some(
        "this nvcc does not support the installed host compiler: install the nvcc that \
         kernels/requirements.txt names, or a compiler that it supports",
    )
}

/// Whether a file of the size of a compiler's temporary ones can be written to `folder`.
fn has_room(folder: &Path) -> std::io::Result<()> {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".workbook-room-{}-{turn}", std::process::id()));
    let mut file = std::fs::File::create(&path)?;
    let written = file.write_all(&vec![0; NEEDED]);
    let removed = std::fs::remove_file(path);
    written.and(removed)
}

/// Whether a line of a compiler's words is an error at a line of a file: `x.cu(5): error: …`,
/// `x.h:5:2: fatal error: …`, nvcc's `At end of source: error: …`, or rustc's ` --> x.rs:5:2`.
fn is_at_a_place(line: &str) -> bool {
    if line.trim_start().starts_with("--> ") || line.starts_with("At end of source: ") {
        return true;
    }
    // The file's name may have any of these words in it.
    line.match_indices(": ").any(|(at, _)| {
        let kind = line[at + 2..].trim_start_matches("fatal ").trim_start_matches("catastrophic ");
        let place = line[..at].strip_suffix(')').unwrap_or(&line[..at]);
        kind.starts_with("error") && place.ends_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether a line is an error of a pass that no longer knows the source's lines: too much shared memory, or
/// what the machine does not have.
fn is_of_a_later_pass(line: &str) -> bool {
    ["ptxas ", "nvlink error", "error in backend", "in function "].iter().any(|words| line.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_at_a_line_is_the_sources() {
        for line in [
            "kernels/x.cu(5): error: expected a \";\"",
            "kernels/x.cu(1): fatal error: cuda/foo: No such file or directory",
            "kernels/x.cu(1): catastrophic error: cannot open source file",
            "/w/kernels/clang/cuda.h:127:4: error: static assertion failed",
            "  --> kernels/exercises/1_1.rs:12:5",
            "At end of source: error: expected a \"}\"",
            "error/my errors.cu(3): error: identifier \"x\" is undefined",
        ] {
            assert!(is_at_a_place(line), "{line}");
        }
        for line in [
            "<built-in>: fatal error: when writing output to /tmp/x.ii: No space left on device",
            "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH",
            "error: could not write output to /tmp/x.o: No space left on device",
            "error: linking with `cc` failed: exit status: 1",
            "1 error detected in the compilation of \"x.cu\".",
        ] {
            assert!(!is_at_a_place(line) && !is_of_a_later_pass(line), "{line}");
        }
        assert!(is_of_a_later_pass("ptxas error   : Entry function 'k' uses too much shared data"));
    }

    #[test]
    fn a_folder_without_room_is_named() {
        assert!(has_room(&std::env::temp_dir()).is_ok());
        assert!(has_room(Path::new("/nonexistent")).is_err());
    }
}
