//! The committed builds, and the choice between them and the reader's compiler.
//!
//! After an edit of a kernel, `cargo xtask renew` rebuilds them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use text::path;

use super::build::{Build, Registers, State};
use super::call::Ptx;
use super::compiler::{Compiler, Maker, how_to_get_a_compiler};
use super::hash::{code_hash, hash, source_hash};
use super::refusal::Refused;
use super::staging::Given;

/// Where the chapters' committed builds are, from the repository root.
pub const DIRECTORY: &str = "kernels/prebuilt";

/// Where the kernel of 2020 is, with its committed build: PTX alone, and no nvcc makes it. From the
/// repository root.
pub const LEGACY: &str = "kernels/legacy";

/// CUDA's major version of the nvcc that made them, which `kernels/requirements.txt` names.
pub const CUDA_MAJOR: i32 = 13;

/// What a `manifest.json` says of one committed build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// [`source_hash`] of the kernel's source.
    pub source_hash: String,
    /// [`code_hash`] of the PTX.
    pub code_hash: String,
    /// `nvcc 13.0.88`
    pub compiler: String,
    /// The compiler's options, call by call: PTX, then fatbin.
    pub flags: Vec<String>,
    /// Length of the fatbin; 0 if there is none.
    pub fatbin_bytes: usize,
    /// [`hash`] of the fatbin.
    pub fatbin_hash: String,
    /// The registers of the fatbin's kernels ([`Build::registers`]).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub registers: BTreeMap<String, u32>,
    /// [`code_hash`] of the PTX for newer GPUs ([`newer_arch`]); empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub newer_hash: String,
}

/// `manifest.json`, by stem.
pub type Manifest = BTreeMap<String, Entry>;

/// The kernels' sources, from the repository root, by stem: `kernels/ch*.cu` and `kernels/legacy/ch*.cu`.
///
/// # Errors
/// If a directory cannot be read.
pub fn sources(root: &Path) -> Result<Vec<String>> {
    let mut sources = BTreeMap::new();
    for directory in ["kernels", LEGACY] {
        let files =
            std::fs::read_dir(root.join(directory)).with_context(|| format!("cannot read {directory}"))?;
        for file in files {
            let name = file?.file_name().to_string_lossy().into_owned();
            if name.starts_with("ch") && name.ends_with(".cu") {
                sources.insert(name.clone(), format!("{directory}/{name}"));
            }
        }
    }
    Ok(sources.into_values().collect())
}

/// The compute capability of a second PTX of a source in which some kernels are for compute capability 9.0
/// and newer alone. A GPU gets them in the fatbin; the simulator takes them from there.
pub fn newer_arch(source: &str, maker: Maker) -> Option<&'static str> {
    // clang 22 knows no clusters.
    let compiles = maker == Maker::Nvcc || !source.contains("__cluster_dims__");
    (compiles && source.contains("__CUDA_ARCH__ >= 900")).then_some("90")
}

/// What the files of the second PTX end with.
pub const NEWER: &str = "sm_90.ptx";

/// Directory of the committed build of a source, from the repository root, and its stem.
fn place(source_path: &str) -> (&'static str, &str) {
    let stem = Path::new(source_path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    (if source_path.starts_with(LEGACY) { LEGACY } else { DIRECTORY }, stem)
}

/// Reads the `manifest.json` in `directory`; empty if there is none.
///
/// # Errors
/// If it cannot be read, or is no manifest.
pub fn manifest(root: &Path, directory: &str) -> Result<Manifest> {
    let path = root.join(directory).join("manifest.json");
    if !path.exists() {
        return Ok(Manifest::new());
    }
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path::shown(&path)))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a manifest of builds", path::shown(&path)))
}

/// The build of `source_path` to use: the committed one if it was made from this very source and there is no
/// nvcc of another version; else what the `compiler` gives; else, or if the compiler cannot do its work,
/// [`State::Stale`], with the reason among the warnings. An unedited source that
/// another nvcc cannot compile is used as committed, with the reason there too. What clang gives has no
/// machine code, so it is only asked for what has been edited.
///
/// # Errors
/// If the source cannot be read, or was edited and the compiler refuses it, or if the committed build is
/// damaged and there is no compiler.
pub fn kernel(root: &Path, source_path: &str, compiler: Option<&Compiler>) -> Result<Build> {
    let file = root.join(source_path);
    let source = std::fs::read_to_string(&file).with_context(|| format!("cannot read {source_path}"))?;
    let (directory, stem) = place(source_path);
    let compiler = if directory == LEGACY { None } else { compiler };
    let (committed, warnings) = match committed(root, directory, stem) {
        Ok(committed) => (committed, String::new()),
        // With a compiler the committed build is not needed: a damaged one is built again.
        Err(damage) if compiler.is_some() => (None, format!("{damage:#}\n")),
        Err(damage) => return Err(damage),
    };
    let Committed { entry, ptx, newer, fatbin } = committed.unwrap_or_default();
    let unedited = entry.source_hash == source_hash(&source);
    let mut kernel = Build {
        stem: stem.to_owned().into(),
        source_path: source_path.to_owned().into(),
        source: source.into(),
        printed: Default::default(),
        ptx: ptx.into(),
        newer: newer.into(),
        fatbin: fatbin.into(),
        registers: of_manifest(entry.registers),
        code_hash: entry.code_hash.into(),
        compiler: entry.compiler.into(),
        what_if: None,
        state: if unedited { State::Prebuilt } else { State::Stale },
        warnings,
    };
    let is_other_nvcc =
        |compiler: &Compiler| compiler.maker == Maker::Nvcc && compiler.name() != kernel.compiler;
    let compiler = match compiler {
        Some(compiler) if !unedited || is_other_nvcc(compiler) => compiler,
        _ => {
            if !unedited {
                kernel.warnings = stale(root, source_path, kernel.ptx.is_empty());
            }
            return Ok(kernel);
        }
    };
    let built = both_ptx(compiler, &file, &kernel.source);
    match built.and_then(|built| Ok((built, compiler.fatbin(&file)?))) {
        Ok(((ptx, newer), fatbin)) => {
            if !unedited {
                kernel.warnings += &ptx.warnings;
            }
            kernel = Build {
                code_hash: code_hash(&ptx.text).into(),
                ptx: ptx.text.into(),
                newer: newer.into(),
                fatbin: fatbin.code.into(),
                registers: fatbin.registers,
                compiler: compiler.name().into(),
                state: State::Built,
                ..kernel
            };
        }
        // The committed build serves, or the compiler could not do its work: a later run asks it again.
        Err(error) if unedited || !error.is::<Refused>() => kernel.warnings = format!("{error:#}"),
        Err(error) => return Err(error),
    }
    Ok(kernel)
}

fn of_manifest(registers: BTreeMap<String, u32>) -> Registers {
    registers.into_iter().map(|(kernel, count)| (kernel.into(), count)).collect()
}

/// What `cargo build` says of `kernels`, line by line: nothing while the committed builds serve; one line on
/// those that were edited and cannot be built, whose runs say what to do; and the compiler's warnings of
/// those that it has built. That the nvcc which `NVCC` asks for cannot compile unedited ones takes one line
/// too.
#[allow(dead_code)] // build.rs alone says it
pub fn said(kernels: &[Build], nvcc_is_asked_for: bool) -> Vec<String> {
    let of =
        |state| kernels.iter().filter(move |kernel| kernel.state == state && !kernel.warnings.is_empty());
    let first_line = |kernel: &Build| kernel.warnings.lines().next().unwrap_or_default().to_owned();
    let mut lines: Vec<String> =
        of(State::Built).flat_map(|kernel| kernel.warnings.lines().map(str::to_owned)).collect();
    let mut stale = of(State::Stale);
    if let Some(first) = stale.next() {
        let more: Vec<&str> = stale.map(|kernel| &*kernel.source_path).collect();
        let more = if more.is_empty() { String::new() } else { format!(" (So too {}.)", more.join(", ")) };
        lines.push(format!("{}{more} A run of the chapter says what to do.", first_line(first)));
    }
    if let Some(first) = of(State::Prebuilt).next().filter(|_| nvcc_is_asked_for) {
        lines.push(format!("{} The committed build by {} is used.", first_line(first), first.compiler));
    }
    lines
}

/// The PTX of `file`, whose text is `source`, and that for newer GPUs, if it has kernels for them alone
/// ([`newer_arch`]).
///
/// # Errors
/// If it does not compile.
pub fn both_ptx(compiler: &Compiler, file: &Path, source: &str) -> Result<(Ptx, String)> {
    let newer = match newer_arch(source, compiler.maker) {
        Some(capability) => compiler.ptx_with(file, Some(capability), Given::default())?.text,
        None => String::new(),
    };
    Ok((compiler.ptx(file)?, newer))
}

/// What a reader is told of a kernel that is [`State::Stale`].
pub fn stale(root: &Path, source_path: &str, never_built: bool) -> String {
    let why = if never_built { "has never been built" } else { "has been edited since it was last built" };
    if source_path.starts_with(LEGACY) {
        return format!(
            "{source_path} {why}, and no nvcc can do that. With NVRTC:\n    \
             python3 -m pip install --target target/nvrtc -r {LEGACY}/requirements.txt\n    \
             cargo xtask renew nvrtc"
        );
    }
    format!("{source_path} {why}, and no compiler that runs was found.\n{}", how_to_get_a_compiler(root))
}

/// A committed build: its line in the manifest, both PTX and the machine code.
#[derive(Default)]
struct Committed {
    entry: Entry,
    ptx: String,
    newer: String,
    fatbin: Vec<u8>,
}

/// The committed build of `stem`; `None` if it has no line in the manifest.
fn committed(root: &Path, directory: &str, stem: &str) -> Result<Option<Committed>> {
    let Some(entry) = manifest(root, directory)?.remove(stem) else {
        return Ok(None);
    };
    let path = |extension| root.join(directory).join(stem).with_extension(extension);
    let missing =
        || format!("{directory}/manifest.json lists {stem}, but {directory}/{stem}.* cannot be read");
    let text = |extension| -> Result<String> {
        Ok(std::fs::read_to_string(path(extension)).with_context(missing)?.replace("\r\n", "\n"))
    };
    let ptx = text("ptx")?;
    let newer = if entry.newer_hash.is_empty() { String::new() } else { text(NEWER)? };
    let newer_matches = newer.is_empty() || code_hash(&newer) == entry.newer_hash;
    let fatbin = if entry.fatbin_bytes == 0 {
        Vec::new()
    } else {
        std::fs::read(path("fatbin")).with_context(missing)?
    };
    if code_hash(&ptx) != entry.code_hash || !newer_matches || hash(&fatbin) != entry.fatbin_hash {
        bail!("{directory}/{stem}.* is not what its manifest says; restore it: git checkout {directory}");
    }
    Ok(Some(Committed { entry, ptx, newer, fatbin }))
}

impl Build {
    /// # Errors
    /// If the source was edited and not built since: which file, and what to do.
    pub fn check(&self) -> Result<()> {
        if self.state != State::Stale {
            return Ok(());
        }
        if self.warnings.is_empty() {
            bail!("{}", stale(crate::root()?, &self.source_path, self.ptx.is_empty()));
        }
        bail!("{}", self.warnings.trim_end())
    }
}
