//! The build of each kernel, by stem: PTX for the simulator, a fatbin for a GPU, and what they were built
//! from.
//!
//! `build.rs` builds the kernels that are there when the library is compiled; in a browser, none. One that is
//! added later is built when it is asked for, so nothing needs to be compiled again for it.

use anyhow::{Context, Result, bail};
use device::{Device, Module};
use kernel_compiler::build::{Build, State};
use kernel_compiler::call::Ptx;
use kernel_compiler::compiler::{Compiler, Maker};
use kernel_compiler::{hash, prebuilt};
use serde::Deserialize;

use crate::root;

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The kernels that were there when the library was compiled, by stem.
pub fn all() -> &'static [Build] {
    BUILDS
}

/// The build of `stem`.
///
/// # Errors
/// If there is no such kernel, if it does not compile, or if it cannot run ([`Build::check`]).
pub fn get(stem: &str) -> Result<Build> {
    let Some(build) = find(stem)? else {
        let known: Vec<_> = all().iter().map(|build| &*build.stem).collect();
        bail!("no kernel named {stem}; there are: {}", known.join(", "));
    };
    // A compiler may have come since the library was built, or may run again.
    let build = if build.state == State::Stale { build_now(&build.source_path)? } else { build };
    build.check()?;
    Ok(build)
}

/// Makes the kernels of `stem` ready to launch on `device`.
///
/// # Errors
/// Of [`get`]; a GPU for which there is no machine code.
pub fn load(device: &Device, stem: &str) -> Result<Module> {
    load_own(device, &get(stem)?)
}

/// [`load`] of a build that [`get`] has returned.
pub(crate) fn load_own(device: &Device, build: &Build) -> Result<Module> {
    // SAFETY: a compiler has made it of a source in `kernels/`. Its launches are those of the chapters, which
    // give each kernel buffers of the lengths that they tell it; the tests make every one of them on the
    // simulator, which checks that.
    unsafe { device.load_module(build) }
}

/// The build of `stem`, fresh or not; `None` if there is no such kernel.
///
/// # Errors
/// If `kernels/<stem>.cu` was added since the library was built, and does not compile.
pub fn find(stem: &str) -> Result<Option<Build>> {
    if let Some(build) = all().iter().find(|build| build.stem == stem) {
        return Ok(Some(build.clone()));
    }
    if cfg!(target_family = "wasm") {
        return Ok(None); // nothing compiles there
    }
    let path = format!("kernels/{stem}.cu");
    if !root()?.join(&path).is_file() {
        return Ok(None);
    }
    build_now(&path).map(Some)
}

/// Builds the source with the reader's compiler.
fn build_now(source_path: &str) -> Result<Build> {
    let root = root()?;
    let compiler = Compiler::find(root)?;
    prebuilt::kernel(root, source_path, compiler.as_ref())
}

/// The kernels of `stem` as a compiler of `maker` builds them, for the simulator.
///
/// # Errors
/// If there is no such compiler, or it cannot compile them.
pub fn build_with(maker: Maker, stem: &str) -> Result<Build> {
    let root = root()?;
    let compiler = Compiler::require(maker, root)?;
    let committed = find(stem)?.with_context(|| format!("no kernel named {stem}"))?;
    let file = root.join(&*committed.source_path);
    let source = std::fs::read_to_string(&file)?;
    let (ptx, newer) = prebuilt::both_ptx(&compiler, &file, &source)?;
    Ok(rebuilt(committed, source, ptx, newer, compiler.name()))
}

/// An edited source of a chapter's kernels, and what [`kernel_compiler::in_page::Compiled`] has of it.
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

/// What a page has made of an edited source of `printed`; `json` is that source and its PTX.
///
/// # Errors
/// If `json` is something else.
pub fn edited(printed: Build, json: &str) -> Result<Build> {
    let edited: Edited = serde_json::from_str(json).context("this is not an edited source with its PTX")?;
    let ptx = Ptx { text: edited.ptx, warnings: String::new() };
    Ok(rebuilt(printed, edited.source, ptx, edited.newer, edited.compiler))
}

/// `build` with what `compiler` has made of `source`, for the simulator.
fn rebuilt(build: Build, source: String, ptx: Ptx, newer: String, compiler: String) -> Build {
    Build {
        printed: build.source.clone(),
        source: source.into(),
        code_hash: hash::code_hash(&ptx.text).into(),
        ptx: ptx.text.into(),
        newer: newer.into(),
        fatbin: Default::default(),
        compiler: compiler.into(),
        state: State::Built,
        what_if: None,
        warnings: ptx.warnings,
        ..build
    }
}
