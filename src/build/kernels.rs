//! Every chapter's kernel as `build.rs` left it, and the museum's: PTX for the simulator, fatbin for a GPU, and what
//! they were built from.

use anyhow::{Result, bail};

pub use crate::build::prebuilt::State;

/// One `kernels/<stem>.cu`, or `kernels/museum/<stem>.cu`, and its build.
#[derive(Debug)]
pub struct Build {
    /// `ch4_nested`
    pub stem: &'static str,
    /// Path of the source from the repository root: `kernels/ch4_nested.cu`.
    pub source_path: &'static str,
    /// The source text, as it was when the crate was built.
    pub source: &'static str,
    /// What the simulator executes.
    pub ptx: &'static str,
    /// What a GPU gets: machine code for the major architectures, device-linked where needed. Empty for the museum's
    /// kernel, which no GPU gets.
    pub fatbin: &'static [u8],
    /// Identity of the compiled code: hash of the PTX without comments, line numbers and debug sections. A
    /// record carries it, so a page can tell that the kernel has changed since.
    pub code_hash: &'static str,
    /// The compiler: `nvcc 13.0.88`; the museum's is NVRTC.
    pub compiler: &'static str,
    pub state: State,
}

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// All kernels, by stem.
pub fn all() -> &'static [Build] {
    BUILDS
}

/// The build of `stem`; an error if there is none, or if it cannot run ([`Build::check`]).
pub fn get(stem: &str) -> Result<&'static Build> {
    let Some(build) = BUILDS.iter().find(|build| build.stem == stem) else {
        let known: Vec<_> = BUILDS.iter().map(|build| build.stem).collect();
        bail!(
            "no kernel named {stem}; there are: {}.\nA kernel file that was added just now is found after \
             `cargo clean -p reduction-workbook`.",
            known.join(", ")
        );
    };
    build.check()?;
    Ok(build)
}

impl Build {
    /// An error if the source was edited and not built since: it says which file, and the two commands that
    /// bring nvcc.
    pub fn check(&self) -> Result<()> {
        if self.state == State::Stale {
            bail!("{}", crate::build::prebuilt::stale(self.source_path, self.ptx.is_empty()));
        }
        Ok(())
    }
}
