//! The library's build script: builds every kernel into `OUT_DIR` as `<stem>.cu`, `<stem>.ptx`
//! and `<stem>.fatbin`, and lists them in `kernels.rs`, which `src/kernels.rs` includes.
//! `kernel_compiler::prebuilt` says which build that is.
// Cargo reads what a build script prints.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kernel_compiler::build::{Build, State};
use kernel_compiler::compiler::{Compiler, Maker};
use kernel_compiler::{clang, prebuilt};
use text::say::visible;

fn main() {
    if let Err(error) = build() {
        // One `cargo::error` per line; cargo prints them in order, and no backtrace.
        for line in format!("{error:#}").lines() {
            println!("cargo::error={}", visible(line));
        }
    }
}

fn build() -> Result<()> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).context("cargo did not set OUT_DIR")?;
    // Asked for now: the clone may have been moved since this script was compiled.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = root.context("cargo did not set CARGO_MANIFEST_DIR")?;
    let root = root.as_path();
    let out = out.as_path();
    // That `NVCC` or `CLANG` names none is an error of what needs it, and not of every build.
    let compiler = &Compiler::find(root).unwrap_or_default();
    let sources = prebuilt::sources(root)?;
    for name in ["NVCC", "CUDA_HOME", "CUDA_PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    // Not the whole of `kernels/`: an edit of an exercise would compile the library again.
    for path in sources.iter().map(String::as_str).chain([prebuilt::DIRECTORY, prebuilt::LEGACY]) {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    if let Some(compiler) = compiler {
        println!("cargo::rerun-if-changed={}", &compiler.path.display());
        if compiler.maker == Maker::Clang {
            println!("cargo::rerun-if-changed={}", root.join(clang::HEADERS).display());
        }
    }

    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() == Ok("wasm") {
        return write(&out.join("kernels.rs"), b"static BUILDS: &[Build] = &[];\n"); // the page brings them
    }
    let mut kernels = Vec::new();
    for two in sources.chunks(2) {
        kernels.extend(std::thread::scope(|scope| {
            let build = |path| prebuilt::kernel(root, path, compiler.as_ref());
            let workers: Vec<_> = two.iter().map(|path| scope.spawn(move || build(path))).collect();
            workers.into_iter().map(|worker| worker.join().expect("a panic")).collect::<Result<Vec<_>>>()
        })?);
    }
    watch_for_another_compiler(root, &kernels);
    let nvcc_is_asked_for = std::env::var_os("NVCC").is_some_and(|value| !value.is_empty());
    for line in prebuilt::said(&kernels, nvcc_is_asked_for) {
        println!("cargo::warning={}", visible(&line));
    }
    let entries = kernels.iter().map(|kernel| entry(kernel, out)).collect::<Result<String>>()?;
    write(
        &out.join("kernels.rs"),
        format!("use std::borrow::Cow::Borrowed;\nstatic BUILDS: &[Build] = &[\n{entries}];\n").as_bytes(),
    )
}

/// While every committed build serves, another compiler would change little, and two shells with different
/// paths would rebuild the crate in turns. So these are watched only when they matter. cargo takes a path
/// that does not exist for changed, so `.venv` is watched only while a kernel waits for it.
fn watch_for_another_compiler(root: &Path, kernels: &[Build]) {
    if kernels.iter().any(|kernel| kernel.state != State::Prebuilt) {
        println!("cargo::rerun-if-env-changed=CLANG");
        println!("cargo::rerun-if-env-changed=PATH");
        println!("cargo::rerun-if-env-changed=VIRTUAL_ENV");
    }
    if kernels.iter().any(|kernel| kernel.state == State::Stale) {
        println!("cargo::rerun-if-changed={}", root.join(".venv").display());
    }
}

/// Writes the kernel's files into `out`; returns its `Build { … }`.
fn entry(kernel: &Build, out: &Path) -> Result<String> {
    let Build { stem, source_path, source, ptx, newer, fatbin, code_hash, compiler, state, .. } = kernel;
    let registers = kernel.registers.iter().map(|(kernel, count)| format!("(Borrowed({kernel:?}), {count})"));
    let registers = registers.collect::<Vec<_>>().join(", ");
    let file = |extension| out.join(&**stem).with_extension(extension);
    write(&file("cu"), source.as_bytes())?;
    write(&file("ptx"), ptx.as_bytes())?;
    write(&file("fatbin"), fatbin)?;
    write(&file(prebuilt::NEWER), newer.as_bytes())?;
    Ok(format!(
        "    Build {{ stem: Borrowed({stem:?}), source_path: Borrowed({source_path:?}), \
         source: Borrowed(include_str!({:?})), printed: Borrowed(\"\"), ptx: Borrowed(include_str!({:?})), \
         newer: Borrowed(include_str!({:?})), fatbin: Borrowed(include_bytes!({:?})), \
         registers: Borrowed(&[{registers}]), \
         code_hash: Borrowed({code_hash:?}), compiler: Borrowed({compiler:?}), state: State::{state:?}, \
         what_if: None, warnings: String::new() }},\n",
        file("cu"),
        file("ptx"),
        file(prebuilt::NEWER),
        file("fatbin"),
    ))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
