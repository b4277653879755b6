//! NVIDIA's libraries in this process: `kernels/libraries/cub.cu`, built by nvcc when there is one, and
//! loaded. It works in the same context, stream and buffers.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use workbook::device::Device;
use workbook::device::libloading::Library;
use workbook::kernel_compiler::compiler::{Compiler, Maker};
use workbook::kernel_compiler::{hash, nvcc};
use workbook::text::say;

/// The source, from the repository root.
pub const SOURCE: &str = "kernels/libraries/cub.cu";
/// Names a library that is built already.
const VARIABLE: &str = "WORKBOOK_LIBRARIES";

/// The loaded library.
pub struct Built {
    pub library: Library,
    /// The device's, in which the library works.
    pub stream: *mut c_void,
    /// Of CUB: `2.8.0`.
    pub version: String,
}

/// The library for `device`, a GPU, built if need be.
pub fn open(device: &Device, root: &Path) -> Result<Built> {
    let (stream, gpu) = device.raw_stream().zip(device.info().gpu).context("they run on a GPU")?;
    let path = match std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => build(root, &gpu.compute_capability.replace('.', ""))?,
    };
    // SAFETY: the library is the one of `SOURCE`, or one that the user names to be loaded; its
    // initialisers are those of the CUDA runtime, which have no preconditions.
    let library = unsafe { Library::new(&path) };
    let library = library.with_context(|| format!("cannot load {}", path.display()))?;
    // SAFETY: a function of `SOURCE` with this signature.
    let version = unsafe { library.get::<unsafe extern "C" fn() -> c_int>("cub_version").map(|f| f()) };
    let version = version.with_context(|| format!("{} is not built from {SOURCE}", path.display()))?;
    let version = format!("{}.{}.{}", version / 100_000, version / 100 % 1000, version % 100);
    Ok(Built { library, stream, version })
}

/// A `cudaError_t` as an error.
pub fn checked(what: &str, error: c_int) -> Result<()> {
    ensure!(error == 0, "{what} failed: cudaError_t {error}");
    Ok(())
}

/// Builds the library into `target/libraries`, unless it is there from the same source.
fn build(root: &Path, capability: &str) -> Result<PathBuf> {
    let nvcc = Compiler::of(Maker::Nvcc, root)?;
    let nvcc = nvcc.with_context(|| format!("building {SOURCE} needs an nvcc, and there is none"))?;
    let source = root.join(SOURCE);
    let text =
        std::fs::read_to_string(&source).with_context(|| format!("cannot read {}", source.display()))?;
    let directory = root.join("target").join("libraries");
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let identity = hash::text_hash(&format!("{text}{} {capability}", nvcc.version));
    let library = directory.join(format!("libcub-{identity}.so"));
    if library.exists() {
        return Ok(library);
    }
    say::err(&format!("building {SOURCE} with {}, once; a minute or so\n", nvcc.path.display()));
    let unfinished = library.with_extension(format!("{}.unfinished", std::process::id()));
    let mut command = Command::new(&nvcc.path);
    command.current_dir(root).args(["-shared", "-Xcompiler", "-fPIC", "-O3", "-std=c++17"]);
    command.arg(format!("-arch=sm_{capability}"));
    command.args(
        nvcc::libraries(&nvcc.path).into_iter().flat_map(|place| ["-L".into(), place.into_os_string()]),
    );
    let output = command.arg("-o").arg(&unfinished).arg(SOURCE).output();
    let output = output.with_context(|| format!("cannot start {}", nvcc.path.display()))?;
    if !output.status.success() {
        bail!(
            "{} cannot build {SOURCE}. If it has no CUB, bring its headers: pip install nvidia-cuda-cccl. It \
             says:\n{}",
            nvcc.name(),
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    std::fs::rename(&unfinished, &library).with_context(|| format!("cannot write {}", library.display()))?;
    Ok(library)
}
