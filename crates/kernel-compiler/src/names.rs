//! Names that nvcc may be given: it hands them to a shell.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::refusal;

/// Refuses a call of nvcc that names what a shell might take for more than a name: nvcc puts the program's
/// own path, the working directory, the folder for temporary files and the options into the lines of a shell.
///
/// # Errors
/// Which name it is, and what to do.
pub fn check_names(command: &Command) -> Result<()> {
    let program = Path::new(command.get_program());
    let canonical = program.canonicalize().unwrap_or_default();
    for path in [program, &canonical] {
        check_name(
            "The path of nvcc",
            &path.to_string_lossy(),
            "Install it elsewhere, or set CLANG to a clang.",
        )?;
    }
    let temporary = std::env::temp_dir();
    check_name("The folder for temporary files", &temporary.to_string_lossy(), refusal::SET_TEMPORARY)?;
    if let Some(folder) = command.get_current_dir() {
        check_name("The working directory", &folder.to_string_lossy(), "Rename it.")?;
    }
    for argument in command.get_args() {
        let todo = "Write a macro as a #define in the source, or compile with clang (set CLANG).";
        check_name("The option", &argument.to_string_lossy(), todo)?;
    }
    Ok(())
}

/// Refuses `name` unless it is plain ([`not_plain`]); `what` says whose name that is, `todo` what to do.
///
/// # Errors
/// It is not plain.
pub fn check_name(what: &str, name: &str, todo: &str) -> Result<()> {
    let Some(wrong) = not_plain(name) else { return Ok(()) };
    bail!(
        "{what}, {name:?}, has {wrong:?} in it. nvcc passes names to a shell, so they may only have letters, \
         digits, spaces and . _ - + ~ : = /. {todo}"
    );
}

/// The first character of `name` that a shell, or nvcc itself, might take for more than a part of a name.
pub fn not_plain(name: &str) -> Option<char> {
    let is_plain = |c: char| c.is_alphanumeric() || PLAIN.contains(c) || cfg!(windows) && c == '\\';
    name.chars().find(|c| !is_plain(*c))
}

/// What may stand in a name besides letters and digits. nvcc puts names with spaces in quotes.
const PLAIN: &str = " ._-+~:=/";
