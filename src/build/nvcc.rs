//! Finds nvcc and calls it: CUDA C++ in, PTX and fatbin out. `build.rs` includes this file too.
//!
//! nvcc runs in the repository root with the source's path from there, so its diagnostics say
//! `kernels/ch4_nested.cu`. The same source gives the same PTX, byte for byte, wherever the repository lies.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::call::{self, MORE_PATIENCE, PATIENCE, Places, Ptx, QUESTION};

/// What to do where there is no nvcc.
pub const HOW_TO_GET_NVCC: &str = if cfg!(windows) {
    "Set NVCC or CUDA_PATH to an installed CUDA toolkit (12.0 or newer), or bring nvcc into .venv \
     (no GPU needed):\n    \
     py -m venv .venv\n    .venv\\Scripts\\pip install -r kernels\\requirements.txt"
} else if cfg!(target_os = "macos") {
    "There is no nvcc for macOS: compile on Linux or Windows."
} else {
    "Set NVCC or CUDA_HOME to an installed CUDA toolkit (12.0 or newer), or bring nvcc into .venv \
     (no GPU needed):\n    \
     python3 -m venv .venv\n    .venv/bin/pip install -r kernels/requirements.txt"
};

/// An nvcc that runs.
#[derive(Clone, Debug)]
pub struct Nvcc {
    /// Absolute path of the program.
    pub path: PathBuf,
    /// `13.0.88`
    pub version: String,
    /// The repository root, where it runs.
    root: PathBuf,
    /// How long a call for PTX may take.
    limit: Duration,
}

/// With CUDA 13's wheels of `kernels/requirements.txt`.
const PLACES: Places = Places {
    name: "nvcc",
    asked: "NVCC",
    toolkits: &["CUDA_HOME", "CUDA_PATH"],
    program: "nvcc",
    package: ("nvidia/cu13/bin", "nvcc"),
};

impl Nvcc {
    /// The first nvcc that runs, of: `NVCC`, `CUDA_HOME` and `CUDA_PATH` (in `bin/`), `PATH`, `.venv` in the
    /// repository, the active virtual environment (`VIRTUAL_ENV`); the last two with the wheels of
    /// `kernels/requirements.txt`. Relative paths are taken from `root`, the repository.
    ///
    /// # Errors
    /// If `NVCC` is set and does not run; the other places are only looked at.
    pub fn find(root: &Path) -> Result<Option<Nvcc>> {
        Nvcc::find_with(root, |name| std::env::var_os(name))
    }

    /// [`Nvcc::find`] with the environment's variables from `variable`.
    ///
    /// # Errors
    /// As [`Nvcc::find`].
    pub fn find_with(root: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Nvcc>> {
        let root = std::path::absolute(root)?;
        PLACES.first(&root, variable, |path| Nvcc::ask(&root, path.to_owned()))
    }

    /// Asks the program for its version.
    fn ask(root: &Path, path: PathBuf) -> Result<Nvcc> {
        let unlike = || format!("{} --version does not answer as nvcc does", path.display());
        let answer = call::answer(&path, &["--version"], QUESTION).with_context(unlike)?;
        // "Cuda compilation tools, release 13.0, V13.0.88"
        let version = answer
            .lines()
            .filter(|line| line.starts_with("Cuda compilation tools"))
            .find_map(|line| line.rsplit_once(", V"))
            .map(|(_, version)| version.trim().to_owned());
        let version = version.with_context(unlike)?;
        Ok(Nvcc { path, version, root: root.to_owned(), limit: PATIENCE })
    }

    /// The same nvcc for sources outside the repository: it runs in `directory`, and the PTX names the
    /// sources from there.
    pub fn run_in(self, directory: &Path) -> Nvcc {
        Nvcc { root: directory.to_owned(), ..self }
    }

    /// The same nvcc with another limit for each call for PTX.
    pub fn within(self, limit: Duration) -> Nvcc {
        Nvcc { limit, ..self }
    }

    /// `nvcc 13.0.88`, as a build names its compiler.
    pub fn compiler(&self) -> String {
        format!("nvcc {}", self.version)
    }

    /// Compiles `source` to PTX, which holds no path of this machine. The file `<stem>.ptx` in `scratch` is
    /// overwritten.
    ///
    /// # Errors
    /// All that nvcc said, if it cannot compile the source.
    pub fn ptx(&self, source: &Path, scratch: &Path) -> Result<Ptx> {
        self.ptx_with(source, scratch, None, &[])
    }

    /// [`Nvcc::ptx`] for another compute capability than 7.5 (`80`), if there is one, with more options.
    ///
    /// # Errors
    /// As [`Nvcc::ptx`].
    pub fn ptx_with(
        &self,
        source: &Path,
        scratch: &Path,
        capability: Option<&str>,
        more: &[String],
    ) -> Result<Ptx> {
        let arch = capability.map_or(PTX_ARCH.to_owned(), |capability| format!("-arch=compute_{capability}"));
        let mut options = vec!["-O3", "-lineinfo", &arch];
        options.extend(more.iter().map(String::as_str));
        self.ptx_as(source, scratch, &options)
    }

    /// [`Nvcc::ptx`] line by line, every access where the source has it: as `-G` does it for a debugger, but
    /// of the same preprocessed program, without its `__CUDACC_DEBUG__` and with the `__OPTIMIZE__` of `-O3`.
    ///
    /// # Errors
    /// As [`Nvcc::ptx`].
    pub fn unoptimised_ptx(&self, source: &Path, scratch: &Path) -> Result<Ptx> {
        let debug = ["--debug_mode", "-g", "-O0"].map(|option| ["-Xcicc", option]).concat();
        self.ptx_as(source, scratch, &[&debug[..], &["-O3", PTX_ARCH]].concat())
    }

    fn ptx_as(&self, source: &Path, scratch: &Path, options: &[&str]) -> Result<Ptx> {
        let shown = call::shown(&self.root, source);
        let flags = ptx_flags(options, self.is_nested(&shown)?);
        let (ptx, warnings) = self.run(&shown, &mut self.command(&flags, &shown), scratch, "ptx")?;
        let text = String::from_utf8(ptx).with_context(|| format!("the PTX of {shown} is not text"))?;
        Ok(Ptx { text: self.normalise(&text, &shown), warnings })
    }

    /// Compiles `source` to machine code for every major architecture, linked with the device runtime where
    /// [`nested`]. The files `<stem>.fatbin` and `<stem>.o` in `scratch` are overwritten.
    ///
    /// # Errors
    /// As [`Nvcc::ptx`].
    pub fn fatbin(&self, source: &Path, scratch: &Path) -> Result<Vec<u8>> {
        let shown = call::shown(&self.root, source);
        let flags = self.fatbin_flags();
        if !self.is_nested(&shown)? {
            let mut command = self.command(&flags, &shown);
            // Names local to the file, which CUB's headers have, are told apart by a hash of its path, and so
            // would the checkout's directory be part of the machine code.
            command.args(["-Xcicc", "--orig_src_path_name", "-Xcicc", &shown]);
            return Ok(self.run(&shown, &mut command, scratch, "fatbin")?.0);
        }
        self.run(&shown, &mut self.command(OBJECT_FLAGS, &shown), scratch, "o")?;
        let mut link = self.command(&flags, call::output(&shown, scratch, "o")?);
        link.arg("-dlink");
        let Some((programs, library)) = self.device_runtime() else {
            link.arg("-lcudadevrt");
            return Ok(self.run(&shown, &mut link, scratch, "fatbin")?.0);
        };
        // The linker writes the directories it searches into the machine code. Given the library as a file,
        // and without the profile that names the toolkit's own directories, it has none to write.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path)))?;
        link.args(["-noprof", "-cudadevrt=none"]).arg(library).env("PATH", path);
        Ok(self.run(&shown, &mut link, scratch, "fatbin")?.0)
    }

    /// The options of each call for a kernel's PTX and fatbin.
    pub fn flags(&self, nested: bool) -> Vec<String> {
        let (ptx, fatbin) =
            (ptx_flags(&["-O3", "-lineinfo", PTX_ARCH], nested).join(" "), self.fatbin_flags().join(" "));
        if nested { vec![ptx, OBJECT_FLAGS.join(" "), format!("{fatbin} -dlink")] } else { vec![ptx, fatbin] }
    }

    /// The options for a fatbin. `--compress-mode` came with CUDA 12.8; before it, `fatbinary` compresses by
    /// an option of its own.
    fn fatbin_flags(&self) -> [&'static str; 4] {
        let mut numbers = self.version.split('.').map(|number| number.parse().unwrap_or(0));
        let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let compress = if version >= (12, 8) { "--compress-mode=size" } else { "-Xfatbin=-compress-all" };
        ["-fatbin", "-arch=all-major", "-Wno-deprecated-gpu-targets", compress]
    }

    /// The directory of the CUDA runtime as the wheels keep it, in a place that nvcc itself does not search;
    /// `None` in a toolkit, where it does.
    #[allow(dead_code)] // build.rs links no program
    pub fn libraries(&self) -> Option<PathBuf> {
        let (programs, _) = self.device_runtime()?;
        Some(programs.parent()?.join("lib"))
    }

    /// The directory of the linker, and the device runtime as the wheels keep it: in a place that nvcc itself
    /// does not search. `None` in a toolkit, where it does.
    fn device_runtime(&self) -> Option<(PathBuf, PathBuf)> {
        let program = self.path.canonicalize().ok()?;
        let programs = program.parent()?;
        ["lib/libcudadevrt.a", "lib/x64/cudadevrt.lib"]
            .into_iter()
            .filter_map(|library| Some(programs.parent()?.join(library)))
            .find(|library| library.is_file())
            .map(|library| (programs.to_owned(), library))
    }

    fn is_nested(&self, shown: &str) -> Result<bool> {
        let source = std::fs::read_to_string(self.root.join(shown));
        Ok(nested(&source.with_context(|| format!("cannot read {shown}"))?))
    }

    /// `nvcc FLAGS INPUT`, in the repository root.
    fn command(&self, flags: &[&str], input: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.root).args(flags).arg(input);
        command
    }

    /// Runs `command` with an output file in `scratch`; returns the file's contents, and the warnings.
    fn run(
        &self,
        shown: &str,
        command: &mut Command,
        scratch: &Path,
        extension: &str,
    ) -> Result<(Vec<u8>, String)> {
        let limit = if extension == "ptx" { self.limit } else { MORE_PATIENCE };
        call::run(&self.compiler(), shown, command, &call::output(shown, scratch, extension)?, limit)
    }

    /// Takes out of PTX what depends on where the repository and nvcc lie: the paths in `.file`, and the hash
    /// of the source's path in the names of static functions, which become eight zeros.
    fn normalise(&self, ptx: &str, shown: &str) -> String {
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
        call::with_files(&self.root, &normal, shown)
    }
}

/// The architecture that a kernel's PTX is for.
const PTX_ARCH: &str = "-arch=compute_75";

/// The options for PTX.
fn ptx_flags<'a>(options: &[&'a str], nested: bool) -> Vec<&'a str> {
    let mut flags = [&["-ptx"], options].concat();
    if nested {
        flags.push("-rdc=true");
    }
    flags
}

/// The options for the object file that a nested kernel's fatbin is linked from.
const OBJECT_FLAGS: &[&str] = &["-dc", "-arch=all-major", "-Wno-deprecated-gpu-targets"];

/// Whether the kernel launches kernels: `<<<` stands in the source, `//` comments apart. Such a source is
/// compiled with `-rdc=true` and linked with the device runtime.
pub fn nested(source: &str) -> bool {
    source.lines().any(|line| line.split("//").next().unwrap_or_default().contains("<<<"))
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
