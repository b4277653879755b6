//! The build of each kernel, by stem: PTX for the simulator, a fatbin for a GPU, and what they were built
//! from.
//!
//! `build.rs` builds the kernels that are there when the library is compiled; in a browser, none. One that is
//! added later is built when it is asked for, so nothing needs to be compiled again for it; and [`load`]
//! takes one as JSON, in place of that of the same stem.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::compiler::{Compiler, Maker};
pub use super::prebuilt::State;
use super::prebuilt::{self, Kernel};

/// One kernel file and its build.
#[derive(Debug, PartialEq)]
pub struct Build {
    /// `ch4_nested`
    pub stem: &'static str,
    /// Path of the source from the repository root: `kernels/ch4_nested.cu`.
    pub source_path: &'static str,
    /// The source text, as it was built.
    pub source: &'static str,
    /// What the simulator executes.
    pub ptx: &'static str,
    /// The same for newer GPUs, where the source has kernels for them alone; else empty.
    pub newer: &'static str,
    /// What a GPU gets: machine code for the major architectures, device-linked where needed. Empty for the
    /// kernel of 2020, which no GPU gets, and for what clang has built.
    pub fatbin: &'static [u8],
    /// Identity of the compiled code: [`prebuilt::code_hash`]. A record carries it, so a page can tell that
    /// the kernel has changed since.
    pub code_hash: &'static str,
    /// The compiler: `nvcc 13.0.88`; that of the kernel of 2020 is NVRTC.
    pub compiler: &'static str,
    /// How the build came to be.
    pub state: State,
    /// The edit of the chapter's source that was built, if it was edited.
    pub what_if: Option<WhatIf<&'static str>>,
}

/// A small edit of a chapter's kernels, made to see what happens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhatIf<Text> {
    /// `no-barrier`: what an option and a file name call it.
    pub name: Text,
    /// `no barrier`
    pub label: Text,
}

/// A [`Build`] as JSON, for the simulator: without the fatbin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct BuildFile {
    pub stem: String,
    pub source_path: String,
    pub source: String,
    pub ptx: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub newer: String,
    pub code_hash: String,
    pub compiler: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIf<String>>,
}

impl From<&Build> for BuildFile {
    fn from(build: &Build) -> BuildFile {
        let Build { stem, source_path, source, ptx, newer, code_hash, compiler, .. } = build;
        let [stem, source_path, source, ptx, newer, code_hash, compiler] =
            [stem, source_path, source, ptx, newer, code_hash, compiler].map(|text| text.to_string());
        let what_if =
            build.what_if.map(|WhatIf { name, label }| WhatIf { name: name.into(), label: label.into() });
        BuildFile { stem, source_path, source, ptx, newer, code_hash, compiler, what_if }
    }
}

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The kernels that were built since the library was; the last is the first to be found.
static ADDED: Mutex<Vec<&'static Build>> = Mutex::new(Vec::new());

/// All kernels, by stem.
pub fn all() -> Vec<&'static Build> {
    let added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
    added.iter().rev().copied().chain(BUILDS).collect()
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
    if cfg!(target_family = "wasm") {
        return Ok(None); // nothing compiles there
    }
    let root = Path::new(crate::ROOT);
    let path = format!("kernels/{stem}.cu");
    if !root.join(&path).is_file() {
        return Ok(None);
    }
    let compiler = Compiler::find(root)?;
    let kernel = prebuilt::kernel(root, &path, compiler.as_ref(), Path::new(env!("OUT_DIR")))?;
    Ok(Some(keep(kernel)))
}

/// Builds the kernels of `stem` with a compiler of `maker`, for the simulator, and takes that build from now
/// on.
///
/// # Errors
/// If there is no such compiler, or it cannot compile them.
pub fn build_with(maker: Maker, stem: &str) -> Result<&'static Build> {
    let root = Path::new(crate::ROOT);
    let compiler = Compiler::wanted(maker, root)?;
    let build = find(stem)?.with_context(|| format!("no kernel named {stem}"))?;
    let scratch = Path::new(env!("OUT_DIR")).join(format!("scratch-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let (file, source) = (root.join(build.source_path), build.source);
    let newer = prebuilt::newer_arch(source, maker);
    let newer = newer.map(|capability| compiler.ptx_with(&file, &scratch, Some(capability), &[])).transpose();
    let built = compiler.ptx(&file, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    let (ptx, newer) = (built?, newer?);
    Ok(keep(Kernel {
        stem: build.stem.into(),
        source_path: build.source_path.into(),
        source: std::fs::read_to_string(root.join(build.source_path))?,
        code_hash: prebuilt::code_hash(&ptx.text),
        ptx: ptx.text,
        newer: newer.map_or(String::new(), |ptx| ptx.text),
        fatbin: Vec::new(),
        compiler: compiler.name(),
        state: State::Built,
        warnings: ptx.warnings,
    }))
}

/// [`add`], for as long as the program runs.
fn keep(kernel: Kernel) -> &'static Build {
    add(Build {
        stem: kernel.stem.leak(),
        source_path: kernel.source_path.leak(),
        source: kernel.source.leak(),
        ptx: kernel.ptx.leak(),
        newer: kernel.newer.leak(),
        fatbin: kernel.fatbin.leak(),
        code_hash: kernel.code_hash.leak(),
        compiler: kernel.compiler.leak(),
        state: kernel.state,
        what_if: None,
    })
}

/// Takes the [`BuildFile`] `json` in place of the build of the same stem.
///
/// # Errors
/// If it is none.
pub fn load(json: &str) -> Result<&'static Build> {
    let file: BuildFile = serde_json::from_str(json).context("this is no build of a kernel")?;
    let what_if =
        |what_if: WhatIf<String>| WhatIf { name: &*what_if.name.leak(), label: &*what_if.label.leak() };
    Ok(add(Build {
        stem: file.stem.leak(),
        source_path: file.source_path.leak(),
        source: file.source.leak(),
        ptx: file.ptx.leak(),
        newer: file.newer.leak(),
        fatbin: &[],
        code_hash: file.code_hash.leak(),
        compiler: file.compiler.leak(),
        state: State::Prebuilt,
        what_if: file.what_if.map(what_if),
    }))
}

/// From now on `build` is that of its stem.
fn add(build: Build) -> &'static Build {
    let build: &Build = Box::leak(Box::new(build));
    ADDED.lock().unwrap_or_else(PoisonError::into_inner).push(build);
    build
}

impl Build {
    /// Why no GPU can run it, if so.
    pub fn simulator_only(&self) -> Option<&'static str> {
        let is_clangs = self.fatbin.is_empty() && self.what_if.is_none() && self.state == State::Built;
        is_clangs.then_some("clang has built this kernel, for the simulator; a GPU needs a build by nvcc")
    }

    /// # Errors
    /// If the source was edited and not built since: which file, and what to do.
    pub fn check(&self) -> Result<()> {
        if self.state == State::Stale {
            bail!("{}", prebuilt::stale(self.source_path, self.ptx.is_empty()));
        }
        Ok(())
    }
}
