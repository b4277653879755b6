//! The page's compiler, asked within a run: the program writes `request.json` and says so on stderr; the
//! worker compiles it, which the program waits for, and leaves `compiled.json`.

use std::io::{Write, stderr};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use workbook::kernel_compiler::in_page::{Compiled, Request};

/// What the worker waits for.
const ASKED: &[u8] = b"\x1b]9;compile\x07";

/// Compiles `source` as the file `path`; as a whole program, where it has a `main` and `programs` are wanted.
///
/// # Errors
/// It does not compile.
pub fn compiled(path: &Path, source: &str, programs: bool) -> Result<Compiled> {
    let path = path.display().to_string();
    let request = Request { path, source: source.to_owned(), capability: None, programs };
    std::fs::write("/request.json", serde_json::to_vec(&request)?).context("cannot write request.json")?;
    stderr().write_all(ASKED)?;
    let made: Compiled = serde_json::from_str(&crate::read("compiled.json")?)
        .context("compiled.json holds no answer of the compiler")?;
    ensure!(made.status == 0, "{}", made.said);
    Ok(made)
}

/// [`compiled`] for the reader's own kernels.
///
/// # Errors
/// It does not compile.
pub fn own(path: &Path, source: &str) -> Result<Compiled> {
    compiled(path, source, true)
}
