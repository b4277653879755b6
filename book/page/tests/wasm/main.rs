//! The page's WebAssembly says what the terminal says.

mod beginners;
mod built;
mod compiler;
mod exercises;
mod notebook;
mod page;
mod programs;
mod terminal;

use std::path::PathBuf;

fn root() -> PathBuf {
    workbook::root().unwrap().to_path_buf()
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn text(path: &str) -> String {
    String::from_utf8(read(path)).unwrap()
}
