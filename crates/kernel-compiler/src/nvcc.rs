//! What is nvcc's own: its options, and what of this machine its PTX holds.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use text::path;
use text::say::visible;

use super::build::{Registers, Text};
use super::capability::CAPABILITY;
use super::maker::Maker;
use super::names::check_names;
use super::staging::{Optimise, Staged};
use super::{call, refusal};

/// The version of the program, `13.0.88`.
pub fn ask(path: &Path) -> Result<String> {
    let mut command = Command::new(path);
    command.arg("--version");
    check_names(&command)?;
    let wrong = || format!("{} --version does not answer as nvcc does", path::shown(path));
    let answer = call::answer(&command, call::PATIENCE).with_context(wrong)?;
    // "Cuda compilation tools, release 13.0, V13.0.88"
    let mut tools = answer.lines().filter(|line| line.starts_with("Cuda compilation tools"));
    let version = tools.find_map(|line| line.rsplit_once(", V")).with_context(wrong)?.1;
    Ok(version.trim().to_owned())
}

/// The options for the folder of the source, where `#include "…"` looks. Visual Studio's compiler has no such
/// option for one kind of include alone.
pub fn beside(folder: &str) -> Vec<String> {
    if cfg!(windows) {
        return vec![format!("-I{folder}")];
    }
    ["-Xcompiler", "-iquote", "-Xcompiler", folder].map(str::to_owned).to_vec()
}

/// Has the nvcc at `path` preprocess an empty source: that takes a tenth of a second, and the host's
/// compiler, the toolkit's headers, and that these two fit together. A full disk is left to the compilation,
/// which says so.
///
/// # Errors
/// What is missing, and what to do.
pub fn try_out(path: &Path) -> Result<()> {
    let Ok(staged) = Staged::of_text(Path::new("/"), "nothing.cu", String::new()) else { return Ok(()) };
    let mut command = Command::new(path);
    command.arg("-E").arg(&staged.copy);
    let ran = staged.run(Maker::Nvcc, &mut command, call::PATIENCE)?;
    let Some(status) = ran.status else {
        bail!("it did not preprocess an empty source in {} s", call::PATIENCE.as_secs());
    };
    if status.success() || refusal::lacks_room(&[&std::env::temp_dir()]).is_some() {
        return Ok(());
    }
    // On Windows it says so on stdout, where the preprocessed text would be.
    let said = visible(&(ran.stdout + &ran.stderr));
    let is_error =
        |line: &&str| ["error", "fatal", "not found", "No such"].iter().any(|word| line.contains(word));
    let errors: Vec<&str> = said.lines().filter(is_error).take(MAX_ERRORS).collect();
    let why = refusal::not_installed(&said).unwrap_or("it cannot preprocess an empty source");
    bail!("{why}\n{}", errors.join("\n"));
}

/// Lines that are shown of what nvcc says of an empty source.
const MAX_ERRORS: usize = 4;

/// The options of each call of nvcc `version` for a kernel's PTX and fatbin.
#[allow(dead_code)] // build.rs writes no manifest
pub fn flags(version: &str, nested: bool) -> Vec<String> {
    let ptx = ptx_flags(options(Optimise::On), CAPABILITY, nested).join(" ");
    let fatbin = fatbin_flags(version, CAPABILITY).join(" ");
    if !nested {
        return vec![ptx, format!("{fatbin} {SAY_REGISTERS}")];
    }
    let object = object_flags(CAPABILITY).join(" ");
    vec![ptx, format!("{object} {SAY_REGISTERS}"), format!("{fatbin} -dlink")]
}

/// The options for PTX that is optimised or not. `-G` would do the latter too, with tables for a debugger
/// that are much longer than the code.
pub fn options(optimise: Optimise) -> &'static [&'static str] {
    match optimise {
        Optimise::On => &["-O3", "-lineinfo"],
        Optimise::Off => &["-Xcicc", "-O0", "-lineinfo"],
    }
}

/// All options for PTX.
pub fn ptx_flags(options: &[&str], capability: &str, nested: bool) -> Vec<String> {
    let mut flags = vec!["-ptx".to_owned()];
    flags.extend(options.iter().map(|option| option.to_string()));
    flags.push(format!("-arch=compute_{capability}"));
    flags.extend(nested.then(|| "-rdc=true".to_owned()));
    flags
}

/// For which GPUs machine code is made: every major architecture, or 8.0 and 9.0, with PTX that newer ones
/// compile when it is loaded. (Without a comma, which a name for nvcc may not have.)
fn architectures(capability: &str) -> &'static [&'static str] {
    if capability == CAPABILITY {
        &["-arch=all-major"]
    } else {
        &["-arch=compute_80", "-code=sm_80", "-code=sm_90", "-code=compute_80"]
    }
}

/// Older GPUs are named without a warning.
const OLD_ONES_TOO: &str = "-Wno-deprecated-gpu-targets";

/// The options for the object file that a nested kernel's fatbin is linked from.
pub fn object_flags(capability: &str) -> Vec<&'static str> {
    [&["-dc"], architectures(capability), &[OLD_ONES_TOO]].concat()
}

/// The options for a fatbin. `--compress-mode` came with CUDA 12.8; before it, `fatbinary` compresses by
/// an option of its own.
pub fn fatbin_flags(version: &str, capability: &str) -> Vec<&'static str> {
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let compress = if version >= (12, 8) { "--compress-mode=size" } else { "-Xfatbin=-compress-all" };
    [&["-fatbin"], architectures(capability), &[OLD_ONES_TOO, compress]].concat()
}

/// With this option ptxas says how many registers each kernel takes.
pub const SAY_REGISTERS: &str = "-Xptxas=-v";

/// The registers of a thread, by kernel, for compute capability 9.0, from what ptxas `said`:
///
/// ```text
/// ptxas info    : Compiling entry function 'reduceInterleaved' for 'sm_90'
/// ptxas info    : Used 16 registers, used 1 barriers
/// ```
pub fn registers(said: &str) -> Registers {
    let mut found: Vec<(Text, u32)> = Vec::new();
    let mut kernel = None;
    for line in said.lines() {
        if let Some((_, compiled)) = line.split_once("Compiling entry function '") {
            kernel = compiled.strip_suffix("' for 'sm_90'");
        }
        let used = line.split_once(": Used ").and_then(|(_, used)| used.split_once(" registers"));
        let count = used.and_then(|(count, _)| count.parse().ok());
        if let (Some(kernel), Some(count)) = (kernel, count) {
            found.push((kernel.to_owned().into(), count));
        }
    }
    found.sort();
    found.into()
}

/// The directory of the CUDA runtime as the wheels keep it, in a place that the nvcc at `path` itself does
/// not search; `None` in a toolkit, where it does.
#[allow(dead_code)] // build.rs links no program
pub fn libraries(path: &Path) -> Option<PathBuf> {
    let (programs, _) = device_runtime(path)?;
    Some(programs.parent()?.join("lib"))
}

/// The directory of the linker, and the device runtime as the wheels keep it: in a place that the nvcc at
/// `path` itself does not search. `None` in a toolkit, where it does.
pub fn device_runtime(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let program = dunce::canonicalize(path).ok()?; // nvcc and its linker do not know `\\\\?\\C:`
    let programs = program.parent()?;
    ["lib/libcudadevrt.a", "lib/x64/cudadevrt.lib"]
        .into_iter()
        .filter_map(|library| Some(programs.parent()?.join(library)))
        .find(|library| library.is_file())
        .map(|library| (programs.to_owned(), library))
}

/// `ptx` of the source `shown` without the hash of the source's path in the names of static functions, which
/// becomes eight zeros.
pub fn without_hashes(ptx: &str, shown: &str) -> String {
    let name = Path::new(shown).file_name().unwrap_or_default().to_string_lossy();
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    // `_ZN44_INTERNAL_80f8d166_13_ch4_nested_cu_…`: the hash, then the file's name with its length.
    let after_hash = format!("_{}_{name}_", name.len());
    let mut text = ptx.as_bytes().to_vec();
    blank_hash(&mut text, after_hash.as_bytes());
    let text = String::from_utf8_lossy(&text);

    let mut lines = text.lines().peekable();
    let mut normal = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        // The debug section holds the names once more, as numbers, in rows of 40.
        if let Some(row) = row_of_bytes(line) {
            let mut rows = vec![row];
            let more = || lines.next_if(|next| row_of_bytes(next).is_some()).and_then(row_of_bytes);
            rows.extend(std::iter::from_fn(more));
            let mut bytes = rows.concat();
            blank_hash(&mut bytes, after_hash.as_bytes());
            let mut bytes = bytes.iter().map(u8::to_string);
            for row in rows {
                let row: Vec<String> = bytes.by_ref().take(row.len()).collect();
                normal += &format!(".b8 {}\n", row.join(","));
            }
            continue;
        }
        normal.extend([line, "\n"]);
    }
    normal
}

/// Writes zeros over each eight hexadecimal digits that stand before `after_hash`.
fn blank_hash(bytes: &mut [u8], after_hash: &[u8]) {
    for at in 8..bytes.len() {
        if bytes[at..].starts_with(after_hash) && bytes[at - 8..at].iter().all(u8::is_ascii_hexdigit) {
            bytes[at - 8..at].fill(b'0');
        }
    }
}

/// The numbers of `.b8 95,90,78`, if this is such a line.
fn row_of_bytes(line: &str) -> Option<Vec<u8>> {
    line.strip_prefix(".b8 ")?.split(',').map(|number| number.trim().parse().ok()).collect()
}
