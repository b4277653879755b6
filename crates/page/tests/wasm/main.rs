//! The page's WebAssembly says what the terminal says.
//!
//! `book/src/live/workbook.wasm` is committed. After an edit of what it does:
//!
//! ```text
//! rustup target add wasm32-wasip1
//! WORKBOOK_BLESS=1 cargo test -p page -- --ignored
//! ```

mod built;
mod page;
mod terminal;

use std::path::{Path, PathBuf};

/// The commands above.
const BLESS: &str = "rustup target add wasm32-wasip1\n\
                     WORKBOOK_BLESS=1 cargo test -p page -- --ignored";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn text(path: &str) -> String {
    String::from_utf8(read(path)).unwrap()
}
