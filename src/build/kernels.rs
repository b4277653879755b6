//! The build of each kernel, by stem: PTX for the simulator, a fatbin for a GPU, and what they were built
//! from.
//!
//! `build.rs` builds the kernels that are there when the library is compiled; in a browser, none. One that is
//! added later is built when it is asked for, so nothing needs to be compiled again for it; and [`load`]
//! takes one as JSON, in place of that of the same stem.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::compiler::{Compiler, Maker};
use super::prebuilt;
pub use super::prebuilt::{Build, State, Text, WhatIf};

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
        let known: Vec<_> = all().into_iter().map(|build| &*build.stem).collect();
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
    Ok(Some(add(kernel)))
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
    let file = root.join(&*build.source_path);
    let newer = prebuilt::newer_arch(&build.source, maker);
    let newer = newer.map(|capability| compiler.ptx_with(&file, &scratch, Some(capability), &[])).transpose();
    let built = compiler.ptx(&file, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    let (ptx, newer) = (built?, newer?);
    Ok(add(Build {
        source: std::fs::read_to_string(file)?.into(),
        code_hash: prebuilt::code_hash(&ptx.text).into(),
        ptx: ptx.text.into(),
        newer: newer.map_or(String::new(), |ptx| ptx.text).into(),
        fatbin: Default::default(),
        compiler: compiler.name().into(),
        state: State::Built,
        warnings: ptx.warnings,
        ..build.clone()
    }))
}

/// Takes the [`Build`] that is written as `json` in place of that of the same stem.
///
/// # Errors
/// If it is none.
pub fn load(json: &str) -> Result<&'static Build> {
    Ok(add(serde_json::from_str(json).context("this is no build of a kernel")?))
}

/// An edited source of a chapter's kernels, and what [`super::in_page::compiled`] has of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edited {
    source: String,
    ptx: String,
    /// [`Build::newer`]
    newer: String,
    /// `clang 22.1.8`
    compiler: String,
}

/// From now on the build of `stem` is what was made of the edited source that is written as `json`.
///
/// # Errors
/// If it is none, or there is no such kernel.
pub fn load_edited(stem: &str, json: &str) -> Result<&'static Build> {
    let edited: Edited = serde_json::from_str(json).context("this is no edited source with its PTX")?;
    let build = find(stem)?.with_context(|| format!("no kernel named {stem}"))?;
    Ok(add(Build {
        source: edited.source.into(),
        code_hash: prebuilt::code_hash(&edited.ptx).into(),
        ptx: edited.ptx.into(),
        newer: edited.newer.into(),
        fatbin: Default::default(),
        compiler: edited.compiler.into(),
        state: State::Built,
        what_if: None,
        warnings: String::new(),
        ..build.clone()
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
            bail!("{}", prebuilt::stale(&self.source_path, self.ptx.is_empty()));
        }
        Ok(())
    }
}
