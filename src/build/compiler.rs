//! The compilers, one as good as the other for the simulator: nvcc first, then clang. `build.rs` includes
//! this file too.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::call::Ptx;
use super::clang::{Clang, HOW_TO_GET_CLANG};
use super::nvcc::{HOW_TO_GET_NVCC, Nvcc};

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

/// A compiler that runs.
#[derive(Clone, Debug)]
pub enum Compiler {
    /// Makes PTX, and machine code for a GPU.
    Nvcc(Nvcc),
    /// Makes PTX, for the simulator.
    Clang(Clang),
}

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

impl Compiler {
    /// The one that `NVCC` or else `CLANG` names; where neither is set nvcc if there is one, else clang. See
    /// [`Nvcc::find`] and [`Clang::find_with`].
    ///
    /// # Errors
    /// If `NVCC` or `CLANG` is set to something else; the other places are only looked at.
    pub fn find(root: &Path) -> Result<Option<Compiler>> {
        Compiler::find_with(root, |name| std::env::var_os(name))
    }

    /// [`Compiler::find`] with the environment's variables from `variable`.
    ///
    /// # Errors
    /// As [`Compiler::find`].
    pub fn find_with(root: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Compiler>> {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        if is_set("CLANG") && !is_set("NVCC") {
            return Ok(Clang::find_with(root, variable)?.map(Compiler::Clang));
        }
        if let Some(nvcc) = Nvcc::find_with(root, &variable)? {
            return Ok(Some(Compiler::Nvcc(nvcc)));
        }
        Ok(Clang::find_with(root, variable)?.map(Compiler::Clang))
    }

    /// The compiler of `maker`, if it is here.
    ///
    /// # Errors
    /// As [`Compiler::find`].
    pub fn of(maker: Maker, root: &Path) -> Result<Option<Compiler>> {
        Ok(match maker {
            Maker::Nvcc => Nvcc::find(root)?.map(Compiler::Nvcc),
            Maker::Clang => Clang::find_with(root, |name| std::env::var_os(name))?.map(Compiler::Clang),
        })
    }

    /// [`Compiler::of`], where there must be one.
    ///
    /// # Errors
    /// As [`Compiler::find`], or what to do if there is none.
    pub fn wanted(maker: Maker, root: &Path) -> Result<Compiler> {
        let (name, how) = match maker {
            Maker::Nvcc => ("nvcc", HOW_TO_GET_NVCC),
            Maker::Clang => ("clang", HOW_TO_GET_CLANG),
        };
        Compiler::of(maker, root)?.with_context(|| format!("no {name} that runs was found.\n{how}"))
    }

    /// Whose it is.
    pub fn maker(&self) -> Maker {
        match self {
            Compiler::Nvcc(_) => Maker::Nvcc,
            Compiler::Clang(_) => Maker::Clang,
        }
    }

    /// `nvcc 13.0.88`, as builds, counts and records name it.
    pub fn name(&self) -> String {
        match self {
            Compiler::Nvcc(nvcc) => nvcc.compiler(),
            Compiler::Clang(clang) => clang.compiler(),
        }
    }

    /// Absolute path of the program.
    pub fn path(&self) -> &Path {
        match self {
            Compiler::Nvcc(nvcc) => &nvcc.path,
            Compiler::Clang(clang) => &clang.path,
        }
    }

    /// The same compiler for sources outside the repository: it runs in `directory`, and the PTX names the
    /// sources from there.
    pub fn run_in(self, directory: &Path) -> Compiler {
        match self {
            Compiler::Nvcc(nvcc) => Compiler::Nvcc(nvcc.run_in(directory)),
            Compiler::Clang(clang) => Compiler::Clang(clang.run_in(directory)),
        }
    }

    /// The same compiler with another limit for each call for PTX than [`super::call::PATIENCE`].
    pub fn within(self, limit: Duration) -> Compiler {
        match self {
            Compiler::Nvcc(nvcc) => Compiler::Nvcc(nvcc.within(limit)),
            Compiler::Clang(clang) => Compiler::Clang(clang.within(limit)),
        }
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
        match self {
            Compiler::Nvcc(nvcc) => nvcc.ptx_with(source, scratch, capability, more),
            Compiler::Clang(clang) => {
                let options: Vec<&str> =
                    std::iter::once("-O2").chain(more.iter().map(String::as_str)).collect();
                clang.ptx_as(source, scratch, capability.unwrap_or("75"), &options)
            }
        }
    }

    /// [`Compiler::ptx`] line by line, every access where the source has it, of the same preprocessed
    /// program: no macro says which of the two it is.
    ///
    /// # Errors
    /// As [`Compiler::ptx`].
    pub fn unoptimised_ptx(&self, source: &Path, scratch: &Path) -> Result<Ptx> {
        match self {
            Compiler::Nvcc(nvcc) => nvcc.unoptimised_ptx(source, scratch),
            Compiler::Clang(clang) => {
                clang.ptx_as(source, scratch, "75", &["-O0", "-D__OPTIMIZE__=1", "-U__NO_INLINE__"])
            }
        }
    }

    /// Machine code of `source` for every major architecture; nothing, if the compiler makes none.
    ///
    /// # Errors
    /// As [`Compiler::ptx`].
    pub fn fatbin(&self, source: &Path, scratch: &Path) -> Result<Vec<u8>> {
        match self {
            Compiler::Nvcc(nvcc) => nvcc.fatbin(source, scratch),
            Compiler::Clang(_) => Ok(Vec::new()),
        }
    }
}
