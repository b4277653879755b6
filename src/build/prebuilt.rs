//! The committed builds in `kernels/prebuilt/`, and the choice between them and the reader's nvcc.
//! `build.rs` includes this file too.
//!
//! After an edit of a kernel, `WORKBOOK_BLESS=1 cargo test --test prebuilt -- --ignored` makes them anew.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::nvcc::{HOW_TO_GET_NVCC, Nvcc};

/// Where the committed builds are, from the repository root.
pub const DIRECTORY: &str = "kernels/prebuilt";

/// How a build came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The committed build in `kernels/prebuilt/`, made from this very source.
    Prebuilt,
    /// Built by the reader's nvcc.
    Built,
    /// The source has been edited and there is no nvcc: PTX and fatbin are those of the older source, or empty
    /// if it was never built.
    Stale,
}

/// What `manifest.json` says of one committed build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub fatbin_bytes: usize,
    /// [`hash`] of the fatbin.
    pub fatbin_hash: String,
}

/// `manifest.json`, by stem.
pub type Manifest = BTreeMap<String, Entry>;

/// Where the kernel of before CUDA 12 is, with its committed PTX; from the repository root. `build.py` there makes it.
pub const MUSEUM: &str = "kernels/museum";

/// What `kernels/museum/manifest.json` says of one kernel's PTX. Both hashes are [`source_hash`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exhibit {
    pub source_hash: String,
    pub ptx_hash: String,
    /// `NVRTC 12.9.86`
    pub compiler: String,
    pub flags: Vec<String>,
}

/// One kernel as `build.rs` hands it on; the fields are those of [`crate::build::kernels::Build`].
#[derive(Clone, Debug)]
pub struct Kernel {
    pub stem: String,
    pub source_path: String,
    pub source: String,
    pub ptx: String,
    pub fatbin: Vec<u8>,
    pub code_hash: String,
    pub compiler: String,
    pub state: State,
    /// What the reader should know of, in whole lines; empty if nothing.
    pub warnings: String,
}

/// The stems of `kernels/ch*.cu`, sorted.
pub fn stems(root: &Path) -> Result<Vec<String>> {
    let directory = root.join("kernels");
    let files =
        std::fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut stems = Vec::new();
    for file in files {
        let name = file?.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(".cu"));
        stems.extend(stem.filter(|stem| stem.starts_with("ch")).map(str::to_owned));
    }
    stems.sort();
    Ok(stems)
}

/// `kernels/ch4_nested.cu`, from the repository root.
pub fn source_path(stem: &str) -> String {
    format!("kernels/{stem}.cu")
}

/// Reads `kernels/prebuilt/manifest.json`; empty if there is none.
pub fn manifest(root: &Path) -> Result<Manifest> {
    let path = root.join(DIRECTORY).join("manifest.json");
    if !path.exists() {
        return Ok(Manifest::new());
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a manifest of builds", path.display()))
}

/// The build of `stem` to use: the committed one if it was made from this very source and there is no nvcc of
/// another version; else what `nvcc` gives, with its files in `scratch`; else, [`State::Stale`].
///
/// An error if the source cannot be read, or was edited and does not compile, or if the committed build is
/// damaged and there is no nvcc. An unedited source that another nvcc cannot compile is used as committed, with
/// a warning.
pub fn kernel(root: &Path, stem: &str, nvcc: Option<&Nvcc>, scratch: &Path) -> Result<Kernel> {
    let source_path = source_path(stem);
    let source = std::fs::read_to_string(root.join(&source_path))
        .with_context(|| format!("cannot read {source_path}"))?;
    let (committed, mut warnings) = match committed(root, stem) {
        Ok(committed) => (committed, String::new()),
        // nvcc can do without, and is how a damaged one is mended.
        Err(damage) if nvcc.is_some() => (None, format!("{damage:#}\n")),
        Err(damage) => return Err(damage),
    };
    let unedited = committed.as_ref().is_some_and(|(entry, ..)| entry.source_hash == source_hash(&source));

    let mut kernel = Kernel {
        stem: stem.to_owned(),
        source_path: source_path.clone(),
        source,
        ptx: String::new(),
        fatbin: Vec::new(),
        code_hash: String::new(),
        compiler: String::new(),
        state: if unedited { State::Prebuilt } else { State::Stale },
        warnings: String::new(),
    };
    if let Some((entry, ptx, fatbin)) = committed {
        kernel = Kernel { ptx, fatbin, code_hash: entry.code_hash, compiler: entry.compiler, ..kernel };
    }
    let Some(nvcc) = nvcc.filter(|nvcc| !unedited || nvcc.compiler() != kernel.compiler) else {
        if !unedited {
            kernel.warnings = stale(&kernel.source_path, kernel.ptx.is_empty());
        }
        return Ok(kernel);
    };

    let source = root.join(source_path);
    let built = nvcc.ptx(&source, scratch).and_then(|ptx| Ok((ptx, nvcc.fatbin(&source, scratch)?)));
    match built {
        Ok((ptx, fatbin)) => {
            warnings.push_str(&ptx.warnings);
            Ok(Kernel {
                code_hash: code_hash(&ptx.text),
                ptx: ptx.text,
                fatbin,
                compiler: nvcc.compiler(),
                state: State::Built,
                warnings,
                ..kernel
            })
        }
        Err(error) if unedited => {
            kernel.warnings = format!("{error:#}\nUsing the committed build by {}.", kernel.compiler);
            Ok(kernel)
        }
        Err(error) => Err(error),
    }
}

/// The kernels of the museum, with their committed PTX and no fatbin. An error if a file is missing or damaged.
pub fn museum(root: &Path) -> Result<Vec<Kernel>> {
    let read = |file: &str| {
        let text = std::fs::read_to_string(root.join(MUSEUM).join(file));
        text.with_context(|| format!("cannot read {MUSEUM}/{file}"))
    };
    let manifest: BTreeMap<String, Exhibit> = serde_json::from_str(&read("manifest.json")?)
        .with_context(|| format!("{MUSEUM}/manifest.json is not a manifest of the museum"))?;
    let kernel = |(stem, exhibit): (String, Exhibit)| {
        let source_path = format!("{MUSEUM}/{stem}.cu");
        let source = read(&format!("{stem}.cu"))?;
        let ptx = read(&format!("{stem}.ptx"))?.replace("\r\n", "\n");
        if source_hash(&ptx) != exhibit.ptx_hash {
            bail!("{MUSEUM}/{stem}.ptx is not what its manifest says; restore it: git checkout {MUSEUM}");
        }
        let state = if source_hash(&source) == exhibit.source_hash { State::Prebuilt } else { State::Stale };
        let warnings = if state == State::Stale { stale(&source_path, false) } else { String::new() };
        let code_hash = code_hash(&ptx);
        let (compiler, fatbin) = (exhibit.compiler, Vec::new());
        Ok(Kernel { stem, source_path, source, ptx, fatbin, code_hash, compiler, state, warnings })
    };
    manifest.into_iter().map(kernel).collect()
}

/// What a reader is told of a kernel that is [`State::Stale`].
pub fn stale(source_path: &str, never_built: bool) -> String {
    if source_path.starts_with(MUSEUM) {
        return format!(
            "{source_path} has been edited since its PTX was made. Make it again:\n    \
             python3 -m venv target/museum && target/museum/bin/pip install -r {MUSEUM}/requirements.txt\n    \
             target/museum/bin/python {MUSEUM}/build.py"
        );
    }
    let why = if never_built { "has never been built" } else { "has been edited since it was last built" };
    format!("{source_path} {why}, and no nvcc that runs was found.\n{HOW_TO_GET_NVCC}")
}

/// The committed build of `stem`: its line in the manifest, PTX and fatbin. `None` if it has no line.
fn committed(root: &Path, stem: &str) -> Result<Option<(Entry, String, Vec<u8>)>> {
    let Some(entry) = manifest(root)?.remove(stem) else {
        return Ok(None);
    };
    let path = |extension| root.join(DIRECTORY).join(stem).with_extension(extension);
    let missing =
        || format!("{DIRECTORY}/manifest.json lists {stem}, but {DIRECTORY}/{stem}.* cannot be read");
    let ptx = std::fs::read_to_string(path("ptx")).with_context(missing)?.replace("\r\n", "\n");
    let fatbin = std::fs::read(path("fatbin")).with_context(missing)?;
    if code_hash(&ptx) != entry.code_hash || hash(&fatbin) != entry.fatbin_hash {
        bail!(
            "{DIRECTORY}/{stem}.ptx or .fatbin is not what its manifest says; restore it: git checkout {DIRECTORY}"
        );
    }
    Ok(Some((entry, ptx, fatbin)))
}

/// Identity of a source text: the same with either line ending.
pub fn source_hash(source: &str) -> String {
    hash(source.replace("\r\n", "\n").as_bytes())
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
