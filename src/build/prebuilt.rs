//! The committed builds, and the choice between them and the reader's compiler. `build.rs` includes this file
//! too.
//!
//! After an edit of a kernel, `cargo xtask renew` makes them anew.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::call::Ptx;
use super::compiler::{Compiler, Maker, how_to_get_a_compiler};
use super::path;
use super::refusal::Refused;

/// Where the chapters' committed builds are, from the repository root.
pub const DIRECTORY: &str = "kernels/prebuilt";

/// Where the kernel of 2020 is, with its committed build: PTX alone, and no nvcc makes it. From the
/// repository root.
pub const LEGACY: &str = "kernels/legacy";

/// How a build came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The committed build, made from this very source.
    #[default]
    Prebuilt,
    /// Built by the reader's compiler.
    Built,
    /// The source has been edited and there is no compiler that can build it: PTX and fatbin are those of the
    /// older source, or empty if it was never built.
    Stale,
}

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
    /// [`code_hash`] of the PTX for newer GPUs ([`newer_arch`]); empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub newer_hash: String,
}

/// `manifest.json`, by stem.
pub type Manifest = BTreeMap<String, Entry>;

/// A text that the library holds, or that was made since.
pub type Text = std::borrow::Cow<'static, str>;

/// One kernel file and its build. As JSON, for the simulator, it is without the fatbin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// `ch4_nested`
    pub stem: Text,
    /// Path of the source from the repository root: `kernels/ch4_nested.cu`.
    pub source_path: Text,
    /// The source text, as it was built.
    pub source: Text,
    /// What the simulator executes.
    pub ptx: Text,
    /// The same for newer GPUs, where the source has kernels for them alone; else empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub newer: Text,
    /// What a GPU gets: machine code for the major architectures, device-linked where needed. Empty for the
    /// kernel of 2020, which no GPU gets, and for what clang has built.
    #[serde(skip)]
    pub fatbin: std::borrow::Cow<'static, [u8]>,
    /// Identity of the compiled code: [`code_hash`]. A record carries it, so a page can tell that the kernel
    /// has changed since.
    pub code_hash: Text,
    /// The compiler: `nvcc 13.0.88`; that of the kernel of 2020 is NVRTC.
    pub compiler: Text,
    /// How the build came to be.
    #[serde(skip)]
    pub state: State,
    /// The edit of the chapter's source that was built, if it was edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIf>,
    /// What the reader should know of, in whole lines; empty if nothing.
    #[serde(skip)]
    pub warnings: String,
}

/// A small edit of a chapter's kernels, made to see what happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIf {
    /// `no-barrier`: what an option and a file name call it.
    pub name: Text,
    /// `no barrier`
    pub label: Text,
}

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
/// nvcc of another version; else what the `compiler` gives, with its files in `scratch`; else, or if the
/// compiler cannot do its work, [`State::Stale`], with the reason among the warnings. An unedited source that
/// another nvcc cannot compile is used as committed, with the reason there too. What clang gives has no
/// machine code, so it is only asked for what has been edited.
///
/// # Errors
/// If the source cannot be read, or was edited and the compiler refuses it, or if the committed build is
/// damaged and there is no compiler.
pub fn kernel(root: &Path, source_path: &str, compiler: Option<&Compiler>, scratch: &Path) -> Result<Build> {
    let file = root.join(source_path);
    let source = std::fs::read_to_string(&file).with_context(|| format!("cannot read {source_path}"))?;
    let (directory, stem) = place(source_path);
    let compiler = compiler.filter(|_| directory != LEGACY);
    let (committed, warnings) = match committed(root, directory, stem) {
        Ok(committed) => (committed, String::new()),
        // A compiler can do without, and is how a damaged one is mended.
        Err(damage) if compiler.is_some() => (None, format!("{damage:#}\n")),
        Err(damage) => return Err(damage),
    };
    let Committed { entry, ptx, newer, fatbin } = committed.unwrap_or_default();
    let unedited = entry.source_hash == source_hash(&source);
    let mut kernel = Build {
        stem: stem.to_owned().into(),
        source_path: source_path.to_owned().into(),
        source: source.into(),
        ptx: ptx.into(),
        newer: newer.into(),
        fatbin: fatbin.into(),
        code_hash: entry.code_hash.into(),
        compiler: entry.compiler.into(),
        what_if: None,
        state: if unedited { State::Prebuilt } else { State::Stale },
        warnings,
    };
    let is_other = |compiler: &Compiler| compiler.maker == Maker::Nvcc && compiler.name() != kernel.compiler;
    let Some(compiler) = compiler.filter(|compiler| !unedited || is_other(compiler)) else {
        if !unedited {
            kernel.warnings = stale(root, source_path, kernel.ptx.is_empty());
        }
        return Ok(kernel);
    };
    let built = both_ptx(compiler, &file, &kernel.source, scratch);
    match built.and_then(|built| Ok((built, compiler.fatbin(&file, scratch)?))) {
        Ok(((ptx, newer), fatbin)) => {
            if !unedited {
                kernel.warnings += &ptx.warnings;
            }
            kernel = Build {
                code_hash: code_hash(&ptx.text).into(),
                ptx: ptx.text.into(),
                newer: newer.into(),
                fatbin: fatbin.into(),
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
pub fn both_ptx(compiler: &Compiler, file: &Path, source: &str, scratch: &Path) -> Result<(Ptx, String)> {
    let newer = match newer_arch(source, compiler.maker) {
        Some(capability) => compiler.ptx_with(file, scratch, Some(capability), &[])?.text,
        None => String::new(),
    };
    Ok((compiler.ptx(file, scratch)?, newer))
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
    let is_newer = newer.is_empty() || code_hash(&newer) == entry.newer_hash;
    let fatbin = if entry.fatbin_bytes == 0 {
        Vec::new()
    } else {
        std::fs::read(path("fatbin")).with_context(missing)?
    };
    if code_hash(&ptx) != entry.code_hash || !is_newer || hash(&fatbin) != entry.fatbin_hash {
        bail!("{directory}/{stem}.* is not what its manifest says; restore it: git checkout {directory}");
    }
    Ok(Some(Committed { entry, ptx, newer, fatbin }))
}

/// Identity of a text: the same with either line ending.
pub fn text_hash(text: &str) -> String {
    hash(text.replace("\r\n", "\n").as_bytes())
}

/// Identity of a kernel's source: its code, each piece in its line, since diagnostics name the lines. What a
/// comment says doesn't count, nor do spaces at the ends of lines.
pub fn source_hash(source: &str) -> String {
    let code = without_comments(source);
    text_hash(&code.lines().map(|line| line.trim_end().to_string() + "\n").collect::<String>())
}

/// CUDA C++ without what its comments say; every line is still there.
fn without_comments(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let comment = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            _ => 0,
        };
        // `'` in a number, as in 1'000, opens nothing.
        let opens = first == '"' || first == '\'' && !code.ends_with(|c: char| c.is_ascii_alphanumeric());
        let literal = if opens { 1 + end_of_literal(&rest[1..], first) } else { first.len_utf8() };
        match comment {
            0 => code.push_str(&rest[..literal]),
            _ => code.extend(std::iter::once(' ').chain(rest[..comment].chars().filter(|&c| c == '\n'))),
        }
        rest = &rest[if comment > 0 { comment } else { literal }..];
    }
    code
}

/// How far a literal reaches whose opening `quote` stands before `text`: behind the closing one, or to the
/// end of the line.
fn end_of_literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Identity of compiled code: the PTX without comments, `.version`, line numbers, file names and debug
/// sections. An edit of a comment in the source leaves it as it is.
pub fn code_hash(ptx: &str) -> String {
    let mut code = String::new();
    let mut in_section = false;
    for line in ptx.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let about = |directive: &str| line.split_whitespace().next() == Some(directive);
        in_section = in_section || about(".section");
        if !in_section && !line.is_empty() && !about(".version") && !about(".loc") && !about(".file") {
            code.push_str(line);
            code.push('\n');
        }
        in_section = in_section && line != "}";
    }
    hash(code.as_bytes())
}

/// FNV-1a, 64 bits, as 16 hexadecimal digits; definition and constants:
/// <http://www.isthe.com/chongo/tech/comp/fnv/>. It tells edits apart, it does not guard against forgery.
pub fn hash(bytes: &[u8]) -> String {
    let mixed = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{mixed:016x}")
}
