//! Builds `kernels/ch*.cu` into `OUT_DIR`: `<stem>.cu`, `<stem>.ptx`, `<stem>.fatbin` for each, and
//! `kernels.rs`, which `src/build/kernels.rs` includes. Which build that is: `src/build/prebuilt.rs`. The museum's kernel comes as
//! it is committed.

#[allow(dead_code)] // the tests use more of it
#[path = "src/build/nvcc.rs"]
mod nvcc;
#[path = "src/build/prebuilt.rs"]
mod prebuilt;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use prebuilt::{Kernel, State};

/// Kernels compiled at a time.
const THREADS: usize = 2;

fn main() {
    if let Err(error) = build() {
        // One `cargo::error` a line; cargo prints them in order, and no backtrace.
        for line in format!("{error:#}").lines() {
            println!("cargo::error={line}");
        }
    }
}

fn build() -> Result<()> {
    let root = directory("CARGO_MANIFEST_DIR")?;
    let out = directory("OUT_DIR")?;
    for name in ["NVCC", "CUDA_HOME", "CUDA_PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed={}", prebuilt::DIRECTORY);
    println!("cargo::rerun-if-changed={}", prebuilt::MUSEUM);

    let stems = prebuilt::stems(&root)?;
    for stem in &stems {
        println!("cargo::rerun-if-changed={}", prebuilt::source_path(stem));
    }
    let nvcc = nvcc::Nvcc::find(&root)?;
    if let Some(nvcc) = &nvcc {
        println!("cargo::rerun-if-changed={}", nvcc.path.display());
    }

    let (root, out, stems, nvcc) = (&root, &out, &stems, nvcc.as_ref());
    let kernels = std::thread::scope(|scope| {
        let worker = |first| {
            let mine = stems.iter().skip(first).step_by(THREADS);
            mine.map(|stem| prebuilt::kernel(root, stem, nvcc, out)).collect::<Vec<_>>()
        };
        let workers: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || worker(first))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker panicked")).collect::<Vec<_>>()
    });
    let mut kernels = kernels.into_iter().collect::<Result<Vec<Kernel>>>()?;
    kernels.sort_by(|a, b| a.stem.cmp(&b.stem));

    watch_for_another_nvcc(&kernels);
    kernels.extend(prebuilt::museum(root)?);
    for line in kernels.iter().flat_map(|kernel| kernel.warnings.lines()) {
        println!("cargo::warning={line}");
    }
    let mut table = String::from("pub static BUILDS: &[Build] = &[\n");
    for kernel in &kernels {
        table.push_str(&entry(kernel, out)?);
    }
    table.push_str("];\n");
    write(&out.join("kernels.rs"), table.as_bytes())
}

/// While every committed build serves, another nvcc would change little, and two shells with different paths
/// would rebuild the crate in turns. So these are watched only when they matter. cargo takes a path that does
/// not exist for changed, so `.venv` is watched only while a kernel waits for it.
fn watch_for_another_nvcc(kernels: &[Kernel]) {
    if kernels.iter().any(|kernel| kernel.state != State::Prebuilt) {
        println!("cargo::rerun-if-env-changed=PATH");
        println!("cargo::rerun-if-env-changed=VIRTUAL_ENV");
    }
    if kernels.iter().any(|kernel| kernel.state == State::Stale) {
        println!("cargo::rerun-if-changed=.venv");
    }
}

/// Writes the kernel's files into `out`; returns its `Build { … }`.
fn entry(kernel: &Kernel, out: &Path) -> Result<String> {
    let file = |extension| out.join(&kernel.stem).with_extension(extension);
    write(&file("cu"), kernel.source.as_bytes())?;
    write(&file("ptx"), kernel.ptx.as_bytes())?;
    write(&file("fatbin"), &kernel.fatbin)?;
    Ok(format!(
        "    Build {{ stem: {:?}, source_path: {:?}, source: include_str!({:?}), ptx: include_str!({:?}), \
         fatbin: include_bytes!({:?}), code_hash: {:?}, compiler: {:?}, state: State::{:?} }},\n",
        kernel.stem,
        kernel.source_path,
        file("cu"),
        file("ptx"),
        file("fatbin"),
        kernel.code_hash,
        kernel.compiler,
        kernel.state
    ))
}

fn directory(variable: &str) -> Result<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).with_context(|| format!("cargo did not set {variable}"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
