//! Compiles every program in a folder, and prints what fails, then the count:
//! `cargo run -p kernel-compiler --example programs FOLDER [INCLUDED FOLDER]...`.
//! With `PTX` set, the folder that it names gets the PTX of each.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use kernel_compiler::compiler::{Compiler, Maker};
use kernel_compiler::program::{self, is_program};
use kernel_compiler::staging::Given;
use text::path;
use text::say::out;

fn main() -> Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().context("usage: programs FOLDER [INCLUDED FOLDER]...")?;
    let include: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let given = Given { include: &include, ..Given::default() };
    let clang = Compiler::require(Maker::Clang, kernel_compiler::root()?)?;
    let scratch = kernel_compiler::root()?.join("target").join("programs");
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files)?;
    files.sort();
    let mut compiled = 0;
    for file in &files {
        let started = Instant::now();
        match program::compile(&clang, std::slice::from_ref(file), "90", &given, &scratch) {
            Ok(made) => {
                compiled += 1;
                let seconds = started.elapsed().as_secs_f32();
                out(&format!("{}: {seconds:.2} s\n{}", path::shown(file), made.said));
                if let Some(folder) = std::env::var_os("PTX") {
                    let name = file.display().to_string().replace('/', "_");
                    std::fs::write(Path::new(&folder).join(name).with_extension("ptx"), made.ptx)?;
                }
            }
            Err(error) => {
                out(&format!("{}: FAILED\n{error:#}\n\n", path::shown(file)));
            }
        }
    }
    out(&format!("{compiled} of {} programs compile\n", files.len()));
    Ok(if compiled == files.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The programs below `path`.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "cu") {
        let text = std::fs::read(path).with_context(|| path.display().to_string())?;
        if is_program(&String::from_utf8_lossy(&text)) {
            files.push(path.to_owned());
        }
    }
    Ok(())
}
