//! The build of each kernel, by stem: PTX for the simulator, a fatbin for a GPU, and what they were built
//! from.
//!
//! `build.rs` builds the kernels that are there when the library is compiled; in a browser, none. One that is
//! added later is built when it is asked for, so nothing needs to be compiled again for it; and [`load`]
//! takes one as JSON, in place of that of the same stem.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::call::Ptx;
use super::compiler::{Compiler, Maker};
pub use super::prebuilt::{Build, State, Text, WhatIf};
use super::{path, prebuilt};

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
    // A compiler may have come since the library was built, or may run again.
    let build = if build.state == State::Stale { build_now(&build.source_path)? } else { build };
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
    build_now(&path).map(Some)
}

/// Builds the source with the reader's compiler, and takes that build from now on.
fn build_now(source_path: &str) -> Result<&'static Build> {
    let root = Path::new(crate::ROOT);
    let compiler = Compiler::find(root)?;
    let kernel = in_scratch(|scratch| prebuilt::kernel(root, source_path, compiler.as_ref(), scratch))?;
    Ok(add(kernel))
}

/// `work` with a folder of its own.
fn in_scratch<T>(work: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let name = format!("scratch-{}-{}", std::process::id(), TURN.fetch_add(1, Ordering::Relaxed));
    let scratch = Path::new(env!("OUT_DIR")).join(name);
    std::fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", path::shown(&scratch)))?;
    let done = work(&scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    done
}

/// Builds the kernels of `stem` with a compiler of `maker`, for the simulator, and takes that build from now
/// on.
///
/// # Errors
/// If there is no such compiler, or it cannot compile them.
pub fn build_with(maker: Maker, stem: &str) -> Result<&'static Build> {
    let root = Path::new(crate::ROOT);
    let compiler = Compiler::wanted(maker, root)?;
    let file = root.join(&*known(stem)?.source_path);
    let source = std::fs::read_to_string(&file)?;
    let built = in_scratch(|scratch| prebuilt::both_ptx(&compiler, &file, &source, scratch))?;
    take(stem, source, built, compiler.name())
}

/// Takes the [`Build`] that is written as `json` in place of that of the same stem.
///
/// # Errors
/// If it is none.
pub fn load(json: &str) -> Result<&'static Build> {
    Ok(add(serde_json::from_str(json).context("this is not a build of a kernel")?))
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
    let edited: Edited = serde_json::from_str(json).context("this is not an edited source with its PTX")?;
    let ptx = Ptx { text: edited.ptx, warnings: String::new() };
    take(stem, edited.source, (ptx, edited.newer), edited.compiler)
}

/// From now on the build of `stem` is what `compiler` has made of `source`, for the simulator.
fn take(stem: &str, source: String, (ptx, newer): (Ptx, String), compiler: String) -> Result<&'static Build> {
    Ok(add(Build {
        source: source.into(),
        code_hash: prebuilt::code_hash(&ptx.text).into(),
        ptx: ptx.text.into(),
        newer: newer.into(),
        fatbin: Default::default(),
        compiler: compiler.into(),
        state: State::Built,
        what_if: None,
        warnings: ptx.warnings,
        ..known(stem)?.clone()
    }))
}

fn known(stem: &str) -> Result<&'static Build> {
    find(stem)?.with_context(|| format!("no kernel named {stem}"))
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
        if self.state != State::Stale {
            return Ok(());
        }
        if self.warnings.is_empty() {
            bail!("{}", prebuilt::stale(Path::new(crate::ROOT), &self.source_path, self.ptx.is_empty()));
        }
        bail!("{}", self.warnings.trim_end())
    }
}
