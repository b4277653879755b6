//! Sums of NVIDIA's libraries, to measure ours against: a source of `kernels/libraries/`, built by nvcc when
//! there is one, and loaded into this process. It works in the same context, stream and buffers.
//!
//! The functions in it are called by the chapters that measure them.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use device::Device;
use device::libloading::Library;
use kernel_compiler::compiler::{Compiler, Maker};
use kernel_compiler::{hash, nvcc};
use text::say;

/// A source of `kernels/libraries/`.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// From the repository root.
    pub path: &'static str,
    /// The variable of the environment that names a library which is built from it already.
    pub variable: &'static str,
}

/// The sums of CUB and Thrust that chapters 6 and 7 measure.
pub const CUB: Source = Source { path: "kernels/libraries/cub.cu", variable: "WORKBOOK_LIBRARIES" };

/// A loaded library.
pub struct Loaded {
    /// The functions.
    pub library: Library,
    /// The device's stream, a `cudaStream_t`.
    pub stream: *mut c_void,
    /// Of CUB: `2.8.0`.
    pub version: String,
}

/// The library of `source`, in the repository at `root`, for `device`, a GPU: the one that is named, or else
/// one that is built if need be.
///
/// # Errors
/// There is no GPU, no nvcc, or no CUB; the library cannot be loaded.
pub fn open(device: &Device, root: &Path, Source { path: source, variable }: Source) -> Result<Loaded> {
    let (stream, gpu) = device.raw_stream().zip(device.info().gpu).context("they run on a GPU")?;
    let path = match std::env::var_os(variable).filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => build(root, source, &gpu.compute_capability.replace('.', ""))?,
    };
    // SAFETY: the library is the one of `source`, or one that the user names to be loaded; its initialisers
    // are those of the CUDA runtime, which have no preconditions.
    let library = unsafe { Library::new(&path) };
    let library = library.with_context(|| format!("cannot load {}", path.display()))?;
    // SAFETY: every source has this function with this signature.
    let version = unsafe { library.get::<unsafe extern "C" fn() -> c_int>("cub_version").map(|f| f()) };
    let version = version.with_context(|| format!("{} is not built from {source}", path.display()))?;
    let version = format!("{}.{}.{}", version / 100_000, version / 100 % 1000, version % 100);
    Ok(Loaded { library, stream, version })
}

/// A `cudaError_t` as an error.
///
/// # Errors
/// If it is one.
pub fn checked(what: &str, error: c_int) -> Result<()> {
    ensure!(error == 0, "{what} failed: cudaError_t {error}");
    Ok(())
}

/// Builds the library into `target/libraries`, unless it is there from the same source.
fn build(root: &Path, source: &str, capability: &str) -> Result<PathBuf> {
    let nvcc = Compiler::of(Maker::Nvcc, root)?;
    let nvcc = nvcc.with_context(|| format!("building {source} needs an nvcc, and there is none"))?;
    let file = root.join(source);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let directory = root.join("target").join("libraries");
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let identity = hash::text_hash(&format!("{text}{} {capability}", nvcc.version));
    let library = directory.join(format!("libcub-{identity}.so"));
    if library.exists() {
        return Ok(library);
    }
    say::err(&format!("building {source} with {}, once; a minute or so\n", nvcc.path.display()));
    let unfinished = library.with_extension(format!("{}.unfinished", std::process::id()));
    let mut flags = ["-shared", "-Xcompiler", "-fPIC", "-O3", "-std=c++17"].map(str::to_owned).to_vec();
    flags.push(format!("-arch=sm_{capability}"));
    if let Some(place) = nvcc::libraries(&nvcc.path) {
        flags.extend(["-L".to_owned(), place.display().to_string()]);
    }
    let made = nvcc.made(&file, &flags, "so");
    let made = made.context("if it has no CUB, bring its headers: pip install nvidia-cuda-cccl")?;
    std::fs::write(&unfinished, made).with_context(|| format!("cannot write {}", unfinished.display()))?;
    std::fs::rename(&unfinished, &library).with_context(|| format!("cannot write {}", library.display()))?;
    Ok(library)
}
