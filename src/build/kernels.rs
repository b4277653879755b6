//! The build of each kernel, by stem: PTX for the simulator, a fatbin for a GPU, and what they were built
//! from.
//!
//! `build.rs` builds the kernels that are there when the library is compiled. One that is added later is
//! built when it is asked for, so nothing needs to be compiled again for it.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};

use super::nvcc::Nvcc;
use super::prebuilt;
pub use super::prebuilt::State;

/// One kernel file and its build.
#[derive(Debug)]
pub struct Build {
    /// `ch4_nested`
    pub stem: &'static str,
    /// Path of the source from the repository root: `kernels/ch4_nested.cu`.
    pub source_path: &'static str,
    /// The source text, as it was built.
    pub source: &'static str,
    /// What the simulator executes.
    pub ptx: &'static str,
    /// What a GPU gets: machine code for the major architectures, device-linked where needed. Empty for the
    /// kernel of 2020, which no GPU gets.
    pub fatbin: &'static [u8],
    /// Identity of the compiled code: [`prebuilt::code_hash`]. A record carries it, so a page can tell that
    /// the kernel has changed since.
    pub code_hash: &'static str,
    /// The compiler: `nvcc 13.0.88`; that of the kernel of 2020 is NVRTC.
    pub compiler: &'static str,
    /// How the build came to be.
    pub state: State,
}

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The kernels that were built since the library was.
static ADDED: Mutex<Vec<&'static Build>> = Mutex::new(Vec::new());

/// All kernels, by stem.
pub fn all() -> Vec<&'static Build> {
    let added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
    BUILDS.iter().chain(added.iter().copied()).collect()
}

/// The build of `stem`.
///
/// # Errors
/// If there is no such kernel, if it does not compile, or if it cannot run ([`Build::check`]).
pub fn get(stem: &str) -> Result<&'static Build> {
    let Some(build) = find(stem)? else {
        let known: Vec<_> = all().into_iter().map(|build| build.stem).collect();
        bail!("no kernel named {stem}; there are: {}", known.join(", "));
    };
    build.check()?;
    Ok(build)
}

/// The build of `stem`, fresh or not; `None` if there is no such kernel.
///
/// # Errors
/// If `kernels/<stem>.cu` was added since the library was built, and does not compile.
pub fn find(stem: &str) -> Result<Option<&'static Build>> {
    if let Some(build) = all().into_iter().find(|build| build.stem == stem) {
        return Ok(Some(build));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = format!("kernels/{stem}.cu");
    if !root.join(&path).is_file() {
        return Ok(None);
    }
    let nvcc = Nvcc::find(root)?;
    let kernel = prebuilt::kernel(root, &path, nvcc.as_ref(), Path::new(env!("OUT_DIR")))?;
    let build: &Build = Box::leak(Box::new(Build {
        stem: kernel.stem.leak(),
        source_path: kernel.source_path.leak(),
        source: kernel.source.leak(),
        ptx: kernel.ptx.leak(),
        fatbin: kernel.fatbin.leak(),
        code_hash: kernel.code_hash.leak(),
        compiler: kernel.compiler.leak(),
        state: kernel.state,
    }));
    ADDED.lock().unwrap_or_else(PoisonError::into_inner).push(build);
    Ok(Some(build))
}

impl Build {
    /// # Errors
    /// If the source was edited and not built since: which file, and what to do.
    pub fn check(&self) -> Result<()> {
        if self.state == State::Stale {
            bail!("{}", prebuilt::stale(self.source_path, self.ptx.is_empty()));
        }
        Ok(())
    }
}
