//! The compilers, one as good as the other for the simulator: nvcc first, then clang. `build.rs` includes
//! this file too.
//!
//! A compiler runs in the repository root with the source's path from there, so its messages say
//! `kernels/ch4_nested.cu`. The same source gives the same PTX, byte for byte, wherever the repository lies.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::call::{self, MORE_PATIENCE, PATIENCE, Ptx};
use super::{clang, nvcc};

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

/// What to do where there is no clang.
const HOW_TO_GET_CLANG: &str = "Set CLANG to a clang (22 or newer), or bring one into .venv, in the wheel \
                                ziglang that kernels/requirements.txt names.";

/// What to do where there is no compiler.
pub const HOW_TO_GET_A_COMPILER: &str = if cfg!(windows) {
    "Set NVCC or CUDA_PATH to an installed CUDA toolkit (12.0 or newer), or CLANG to a clang (22 or newer), \
     or bring nvcc into .venv (no GPU needed):\n    \
     py -m venv .venv\n    .venv\\Scripts\\pip install -r kernels\\requirements.txt"
} else if cfg!(target_os = "macos") {
    "Set CLANG to a clang (22 or newer; not Apple's), or bring one into .venv (no GPU needed):\n    \
     python3 -m venv .venv\n    .venv/bin/pip install -r kernels/requirements.txt"
} else {
    "Set NVCC or CUDA_HOME to an installed CUDA toolkit (12.0 or newer), or CLANG to a clang (22 or newer), \
     or bring nvcc into .venv (no GPU needed):\n    \
     python3 -m venv .venv\n    .venv/bin/pip install -r kernels/requirements.txt"
};

/// The compute capability that kernels are compiled for, 7.5: the oldest that the workbook's need.
pub const CAPABILITY: &str = "75";

/// Whose compiler is wanted, where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// NVIDIA's nvcc.
    Nvcc,
    /// LLVM's clang.
    Clang,
}

impl std::str::FromStr for Maker {
    type Err = String;

    fn from_str(text: &str) -> Result<Maker, String> {
        match text {
            "nvcc" => Ok(Maker::Nvcc),
            "clang" => Ok(Maker::Clang),
            _ => Err("it is nvcc or clang".into()),
        }
    }
}

/// A compiler that runs: nvcc, which makes PTX and machine code for a GPU, or clang, which makes PTX for the
/// simulator.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Whose it is.
    pub maker: Maker,
    /// Absolute path of the program.
    pub path: PathBuf,
    /// What comes first on its command line: of zig, `clang`.
    first: &'static [&'static str],
    /// `13.0.88`
    pub version: String,
    /// The repository root, where it runs.
    root: PathBuf,
    /// How long a call for PTX may take.
    limit: Duration,
}

impl Compiler {
    /// The one that `NVCC` or else `CLANG` names; where neither is set nvcc if there is one, else clang.
    ///
    /// # Errors
    /// As [`Compiler::of`].
    pub fn find(root: &Path) -> Result<Option<Compiler>> {
        Compiler::find_with(root, |name| std::env::var_os(name))
    }

    /// [`Compiler::find`] with the environment's variables from `variable`.
    ///
    /// # Errors
    /// As [`Compiler::of`].
    pub fn find_with(root: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Compiler>> {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        if is_set("CLANG") && !is_set("NVCC") {
            return Compiler::of_with(Maker::Clang, root, variable);
        }
        match Compiler::of_with(Maker::Nvcc, root, &variable)? {
            None => Compiler::of_with(Maker::Clang, root, variable),
            nvcc => Ok(nvcc),
        }
    }

    /// The first compiler of `maker` that runs, of: `NVCC` or `CLANG`, `CUDA_HOME` and `CUDA_PATH` (in
    /// `bin/`, nvcc alone), `PATH`, `.venv` in the repository, the active virtual environment
    /// (`VIRTUAL_ENV`); the last two with the wheels of `kernels/requirements.txt`. Relative paths are taken
    /// from `root`, the repository.
    ///
    /// # Errors
    /// If `NVCC` or `CLANG` is set and is none such; the other places are only looked at.
    pub fn of(maker: Maker, root: &Path) -> Result<Option<Compiler>> {
        Compiler::of_with(maker, root, |name| std::env::var_os(name))
    }

    /// [`Compiler::of`] with the environment's variables from `variable`.
    ///
    /// # Errors
    /// As [`Compiler::of`].
    pub fn of_with(
        maker: Maker,
        root: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Option<Compiler>> {
        let root = std::path::absolute(root)?;
        let places = match maker {
            Maker::Nvcc => nvcc::PLACES,
            Maker::Clang => clang::PLACES,
        };
        places.first(&root, variable, |path| {
            let (first, version): (&[&str], String) = match maker {
                Maker::Nvcc => (&[], nvcc::ask(path)?),
                Maker::Clang => clang::ask(path)?,
            };
            Ok(Compiler { maker, path: path.into(), first, version, root: root.clone(), limit: PATIENCE })
        })
    }

    /// [`Compiler::of`], where there must be one.
    ///
    /// # Errors
    /// As [`Compiler::of`], or what to do if there is none.
    pub fn wanted(maker: Maker, root: &Path) -> Result<Compiler> {
        let (name, how) = match maker {
            Maker::Nvcc => ("nvcc", HOW_TO_GET_NVCC),
            Maker::Clang => ("clang", HOW_TO_GET_CLANG),
        };
        Compiler::of(maker, root)?.with_context(|| format!("no {name} that runs was found.\n{how}"))
    }

    /// `nvcc 13.0.88`, as builds, counts and records name it.
    pub fn name(&self) -> String {
        let maker = match self.maker {
            Maker::Nvcc => "nvcc",
            Maker::Clang => "clang",
        };
        format!("{maker} {}", self.version)
    }

    /// The same compiler for sources outside the repository: it runs in `directory`, and the PTX names the
    /// sources from there.
    pub fn run_in(self, directory: &Path) -> Compiler {
        Compiler { root: directory.to_owned(), ..self }
    }

    /// The same compiler with another limit for each call for PTX than [`super::call::PATIENCE`].
    pub fn within(self, limit: Duration) -> Compiler {
        Compiler { limit, ..self }
    }

    /// Compiles `source` to PTX, which holds no path of this machine. The file `<stem>.ptx` in `scratch` is
    /// overwritten.
    ///
    /// # Errors
    /// What the compiler said of the source, if it cannot compile it.
    pub fn ptx(&self, source: &Path, scratch: &Path) -> Result<Ptx> {
        self.ptx_with(source, scratch, None, &[])
    }

    /// [`Compiler::ptx`] for another compute capability than 7.5 (`80`), if there is one, and with more
    /// options: those that both compilers have, `-I` and `-D`.
    ///
    /// # Errors
    /// As [`Compiler::ptx`].
    pub fn ptx_with(
        &self,
        source: &Path,
        scratch: &Path,
        capability: Option<&str>,
        more: &[String],
    ) -> Result<Ptx> {
        let options = match self.maker {
            Maker::Nvcc => &["-O3", "-lineinfo"],
            Maker::Clang => clang::OPTIMISED,
        };
        let options: Vec<&str> = options.iter().copied().chain(more.iter().map(String::as_str)).collect();
        self.ptx_as(source, scratch, capability.unwrap_or(CAPABILITY), &options)
    }

    /// [`Compiler::ptx`] line by line, every access where the source has it, of the same preprocessed
    /// program: no macro says which of the two it is.
    ///
    /// # Errors
    /// As [`Compiler::ptx`].
    pub fn unoptimised_ptx(&self, source: &Path, scratch: &Path) -> Result<Ptx> {
        let options: &[&str] = match self.maker {
            // As `-G` does it for a debugger, but without its `__CUDACC_DEBUG__`.
            Maker::Nvcc => &["-Xcicc", "--debug_mode", "-Xcicc", "-g", "-Xcicc", "-O0", "-O3"],
            Maker::Clang => clang::LINE_BY_LINE,
        };
        self.ptx_as(source, scratch, CAPABILITY, options)
    }

    fn ptx_as(&self, source: &Path, scratch: &Path, capability: &str, options: &[&str]) -> Result<Ptx> {
        let shown = call::shown(&self.root, source);
        let nested = self.is_nested(&shown)?;
        let flags = match self.maker {
            Maker::Nvcc => nvcc::ptx_flags(options, capability, nested),
            Maker::Clang => clang::flags(options, capability, nested),
        };
        let (ptx, warnings) = self.run(&shown, &mut self.command(flags, &shown), scratch, "ptx")?;
        let text = String::from_utf8(ptx).with_context(|| format!("the PTX of {shown} is not text"))?;
        let text = if self.maker == Maker::Nvcc { nvcc::without_hashes(&text, &shown) } else { text };
        Ok(Ptx { text: call::with_files(&self.root, &text, &shown), warnings })
    }

    /// Machine code of `source` for every major architecture, linked with the device runtime where
    /// [`nested`]; nothing, if the compiler makes none. The files `<stem>.fatbin` and `<stem>.o` in `scratch`
    /// are overwritten.
    ///
    /// # Errors
    /// As [`Compiler::ptx`].
    pub fn fatbin(&self, source: &Path, scratch: &Path) -> Result<Vec<u8>> {
        if self.maker == Maker::Clang {
            return Ok(Vec::new());
        }
        let shown = call::shown(&self.root, source);
        let flags = nvcc::fatbin_flags(&self.version);
        if !self.is_nested(&shown)? {
            let mut command = self.command(flags, &shown);
            // Names local to the file, which CUB's headers have, are told apart by a hash of its path, and so
            // would the checkout's directory be part of the machine code.
            command.args(["-Xcicc", "--orig_src_path_name", "-Xcicc", &shown]);
            return Ok(self.run(&shown, &mut command, scratch, "fatbin")?.0);
        }
        self.run(&shown, &mut self.command(nvcc::OBJECT_FLAGS, &shown), scratch, "o")?;
        let mut link = self.command(flags, call::output(&shown, scratch, "o")?);
        link.arg("-dlink");
        let Some((programs, library)) = nvcc::device_runtime(&self.path) else {
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

    fn is_nested(&self, shown: &str) -> Result<bool> {
        let source = std::fs::read_to_string(self.root.join(shown));
        Ok(nested(&source.with_context(|| format!("cannot read {shown}"))?))
    }

    /// A call with these options, in the repository root.
    pub(super) fn command(
        &self,
        flags: impl IntoIterator<Item = impl AsRef<OsStr>>,
        input: impl AsRef<OsStr>,
    ) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.root).args(self.first).args(flags).arg(input);
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
        let ran = call::run(&self.name(), shown, command, &call::output(shown, scratch, extension)?, limit);
        if self.maker == Maker::Clang { ran.map_err(clang::with_what_to_do) } else { ran }
    }
}

/// Whether the kernel launches kernels: `<<<` stands in the source, `//` comments apart. Such a source is
/// compiled with `-rdc=true` and linked with the device runtime.
pub fn nested(source: &str) -> bool {
    source.lines().any(|line| line.split("//").next().unwrap_or_default().contains("<<<"))
}
