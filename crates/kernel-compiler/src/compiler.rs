//! The compilers, one as good as the other for the simulator: nvcc first, then clang.
//!
//! A compiler gets a copy of the source ([`staging`](super::staging)) by its path from the repository root,
//! so its messages say `kernels/ch4_nested.cu`. The same source gives the same PTX, byte for byte, wherever
//! the repository lies.

use std::env::consts::EXE_EXTENSION;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use text::path;

use super::build::Registers;
use super::call::{self, Ptx};
pub use super::maker::Maker;
use super::refusal::{Refused, failed_itself};
use super::staging::{Given, Staged};
use super::{capability, clang, nvcc, within};
use cuda_source::explain::explained;

/// What to do where there is no nvcc.
pub const HOW_TO_GET_NVCC: &str = if cfg!(windows) {
    "nvcc needs cl.exe: install Visual Studio's Build Tools and start from their developer prompt. \
     Set NVCC or CUDA_PATH to an installed CUDA toolkit (12.0 or newer), or bring nvcc into .venv \
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
pub const HOW_TO_GET_CLANG: &str = "Set CLANG to a clang (22 or newer), or bring one into .venv, in the \
                                wheel ziglang that kernels/requirements.txt names.";

/// What to do where there is no compiler.
pub const HOW_TO_GET_A_COMPILER: &str = if cfg!(windows) {
    "Set CLANG to a clang (22 or newer), or bring one into .venv (no GPU and no Visual Studio needed):\n    \
     py -m venv .venv\n    .venv\\Scripts\\pip install -r kernels\\requirements.txt\n\
     nvcc serves too, where cl.exe of Visual Studio's Build Tools is on PATH, as in their developer prompt."
} else if cfg!(target_os = "macos") {
    "Set CLANG to a clang (22 or newer; not Apple's), or bring one into .venv (no GPU needed):\n    \
     python3 -m venv .venv\n    .venv/bin/pip install -r kernels/requirements.txt"
} else {
    "Set NVCC or CUDA_HOME to an installed CUDA toolkit (12.0 or newer), or CLANG to a clang (22 or newer), \
     or bring nvcc into .venv (no GPU needed):\n    \
     python3 -m venv .venv\n    .venv/bin/pip install -r kernels/requirements.txt"
};

/// What to do where no compiler runs: what keeps those that are there from running, and how to get one.
pub fn how_to_get_a_compiler(root: &Path) -> String {
    how_to_get_a_compiler_with(root, |name| std::env::var_os(name))
}

/// [`how_to_get_a_compiler`] with the environment's variables from `variable`.
pub fn how_to_get_a_compiler_with(root: &Path, variable: impl Fn(&str) -> Option<OsString>) -> String {
    let mut unfit = String::new();
    for maker in [Maker::Nvcc, Maker::Clang] {
        for program in installed(maker, root, &variable) {
            if let Err(error) = Compiler::open(maker, &program, root) {
                unfit += &format!("{} cannot be used: {error:#}\n", path::shown(&program));
            }
        }
    }
    unfit + HOW_TO_GET_A_COMPILER
}

/// Time limit of a call for PTX in `simulate`, for `--compiler` and for committed builds. Their sources may
/// include CUB: to compile all of CUB takes 5 s on an idle machine, and many times that on a busy one.
/// Exercises include no library, and have a limit of their own ([`Compiler::within`]).
const PTX_LIMIT: Duration = Duration::from_secs(60);
/// Time limit of a call for machine code for many architectures.
const FATBIN_LIMIT: Duration = Duration::from_secs(3600);

/// A compiler that runs: nvcc, which makes PTX and machine code for a GPU, or clang, which makes PTX for the
/// simulator.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Whose it is.
    pub maker: Maker,
    /// Absolute path of the program.
    pub path: PathBuf,
    /// Arguments before all others: `clang`, if the program is zig.
    leading_args: &'static [&'static str],
    /// `13.0.88`
    pub version: String,
    /// The repository root, where it runs.
    pub(crate) root: PathBuf,
    /// How long a call for PTX may take.
    pub(crate) limit: Duration,
}

/// Machine code, and how many registers its kernels take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fatbin {
    /// The file's contents.
    pub code: Vec<u8>,
    /// [`Build::registers`](super::build::Build::registers)
    pub registers: Registers,
}

/// What a call has made.
struct Made {
    /// The contents of its output file.
    bytes: Vec<u8>,
    /// Its messages.
    said: String,
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
        if let Some(nvcc) = Compiler::of_with(Maker::Nvcc, root, &variable)? {
            return Ok(Some(nvcc));
        }
        Compiler::of_with(Maker::Clang, root, variable)
    }

    /// The first compiler of `maker` that runs, of: `NVCC` or `CLANG`, `CUDA_HOME` and `CUDA_PATH` (in
    /// `bin/`, nvcc alone), `PATH`, `.venv` in the repository, the active virtual environment
    /// (`VIRTUAL_ENV`); the last two with the wheels of `kernels/requirements.txt`. Relative paths are taken
    /// from `root`, the repository.
    ///
    /// # Errors
    /// `NVCC` or `CLANG` is set, and no such compiler runs there. In the other places, what does not run is
    /// skipped.
    pub fn of(maker: Maker, root: &Path) -> Result<Option<Compiler>> {
        Compiler::of_with(maker, root, |name| std::env::var_os(name))
    }

    fn of_with(
        maker: Maker,
        root: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Option<Compiler>> {
        let root = &std::path::absolute(root)?;
        let name = match maker {
            Maker::Nvcc => "NVCC",
            Maker::Clang => "CLANG",
        };
        if let Some(asked) = variable(name).filter(|value| !value.is_empty()).map(PathBuf::from) {
            // A bare name is looked for on PATH, as a shell does.
            let is_bare_name = asked.components().count() == 1;
            let mut on_path = search(&variable).into_iter().map(|place| place.join(&asked));
            let found = if is_bare_name { on_path.find(|path| path.is_file()) } else { None };
            let path = found.unwrap_or_else(|| asked.clone());
            let asked_name = path::shown(&asked);
            let program = maker.name();
            let wrong = format!(
                "{name} is set to {asked_name}, which does not run as {program}; correct it or unset it"
            );
            return Compiler::open(maker, &root.join(path), root).map(Some).context(wrong);
        }
        let programs = installed(maker, root, variable);
        Ok(programs.iter().find_map(|path| Compiler::open(maker, path, root).ok()))
    }

    /// The compiler at `path`, if it runs.
    fn open(maker: Maker, path: &Path, root: &Path) -> Result<Compiler> {
        let (leading_args, version) = match maker {
            Maker::Nvcc => {
                let version = nvcc::ask(path)?;
                nvcc::try_out(path).with_context(|| format!("nvcc {version} cannot run"))?;
                (&[] as &[&str], version)
            }
            Maker::Clang => clang::ask(path)?,
        };
        let root = root.to_owned();
        Ok(Compiler { maker, path: path.into(), leading_args, version, root, limit: PTX_LIMIT })
    }

    /// [`Compiler::of`], where there must be one.
    ///
    /// # Errors
    /// As [`Compiler::of`], or what to do if there is none.
    pub fn require(maker: Maker, root: &Path) -> Result<Compiler> {
        let how = match maker {
            Maker::Nvcc => HOW_TO_GET_NVCC,
            Maker::Clang => HOW_TO_GET_CLANG,
        };
        Compiler::of(maker, root)?.with_context(|| format!("no {} that runs was found.\n{how}", maker.name()))
    }

    /// `nvcc 13.0.88`, as builds, counts and records name it.
    pub fn name(&self) -> String {
        format!("{} {}", self.maker.name(), self.version)
    }

    /// The same compiler for sources outside the repository: it runs in `directory`, and the PTX names the
    /// sources from there.
    pub fn run_in(self, directory: &Path) -> Compiler {
        Compiler { root: directory.to_owned(), ..self }
    }

    /// The same compiler with a limit for each call for PTX other than a minute.
    pub fn within(self, limit: Duration) -> Compiler {
        Compiler { limit, ..self }
    }

    /// Compiles `source` to PTX, which holds no path of this machine.
    ///
    /// # Errors
    /// What the compiler said of the source, if it cannot compile it; the source, or what it includes, is not
    /// a regular file.
    pub fn ptx(&self, source: &Path) -> Result<Ptx> {
        self.ptx_with(source, None, Given::default())
    }

    /// [`Compiler::ptx`] for a given compute capability (`80`) instead of the one that the source needs, and
    /// with the reader's folders of headers and macros, optimised or not.
    ///
    /// # Errors
    /// As [`Compiler::ptx`]; nvcc cannot be given such a macro.
    pub fn ptx_with(&self, source: &Path, capability: Option<&str>, given: Given) -> Result<Ptx> {
        self.ptx_of(&Staged::new(&self.root, source, given.include)?, capability, given)
    }

    /// [`Compiler::ptx_with`] for a `source` that holds `text`, whatever its file does.
    ///
    /// # Errors
    /// As [`Compiler::ptx_with`].
    pub fn ptx_of_text(
        &self,
        source: &Path,
        text: String,
        capability: Option<&str>,
        given: Given,
    ) -> Result<Ptx> {
        self.ptx_of(&Staged::with(&self.root, source, text, given.include)?, capability, given)
    }

    fn ptx_of(&self, staged: &Staged, capability: Option<&str>, given: Given) -> Result<Ptx> {
        let capability = capability.unwrap_or(capability::of(&staged.text));
        let is_nested = nested(&staged.text);
        let mut flags = match self.maker {
            Maker::Nvcc => nvcc::ptx_flags(nvcc::options(given.optimise), capability, is_nested),
            Maker::Clang => clang::flags(clang::options(given.optimise), capability, is_nested),
        };
        flags.extend(self.folders(staged));
        flags.extend(given.define.iter().map(|macro_| format!("-D{macro_}")));
        let made = self.run(staged, &mut self.command(flags, &staged.copy), "ptx", self.limit)?;
        // Some host compilers print the file's name and nothing else.
        let has_message = ["warning", "error"].iter().any(|kind| made.said.contains(kind));
        let warnings = if has_message { made.said } else { String::new() };
        let shown = &staged.shown;
        let ptx = String::from_utf8(made.bytes).with_context(|| format!("the PTX of {shown} is not text"))?;
        let ptx = if self.maker == Maker::Nvcc { nvcc::without_hashes(&ptx, &staged.copy) } else { ptx };
        let entry = |path: &str| call::file_entry(&self.root, &staged.followed(path), shown);
        Ok(Ptx { text: call::with_files(&ptx, entry), warnings })
    }

    /// The options that name the folders of headers.
    fn folders(&self, staged: &Staged) -> Vec<String> {
        let beside = staged.beside().into_iter().flat_map(|folder| match self.maker {
            Maker::Nvcc => nvcc::beside(folder),
            Maker::Clang => vec!["-iquote".to_owned(), folder.to_owned()],
        });
        beside.chain(staged.include().map(|folder| format!("-I{folder}"))).collect()
    }

    /// Machine code of `source` for every major architecture that has what it uses, linked with the device
    /// runtime where [`nested`], and the registers that it takes; nothing, if the compiler makes none.
    ///
    /// # Errors
    /// As [`Compiler::ptx`].
    pub fn fatbin(&self, source: &Path) -> Result<Fatbin> {
        if self.maker == Maker::Clang {
            return Ok(Fatbin::default());
        }
        let staged = Staged::new(&self.root, source, &[])?;
        if nested(&staged.text) { self.linked_fatbin(&staged) } else { self.plain_fatbin(&staged) }
    }

    fn plain_fatbin(&self, staged: &Staged) -> Result<Fatbin> {
        let mut command =
            self.command(nvcc::fatbin_flags(&self.version, capability::of(&staged.text)), &staged.copy);
        // Names local to the file, which CUB's headers have, are told apart by a hash of its path, and so
        // would its folder be part of the machine code.
        command.args(["-Xcicc", "--orig_src_path_name", "-Xcicc", &staged.copy]);
        command.args(self.folders(staged)).arg(nvcc::SAY_REGISTERS);
        let made = self.run(staged, &mut command, "fatbin", FATBIN_LIMIT)?;
        Ok(Fatbin { code: made.bytes, registers: nvcc::registers(&made.said) })
    }

    /// Compiles to an object, and links that with the device runtime.
    fn linked_fatbin(&self, staged: &Staged) -> Result<Fatbin> {
        let capability = capability::of(&staged.text);
        let mut compile = self.command(nvcc::object_flags(capability), &staged.copy);
        compile.args(self.folders(staged)).arg(nvcc::SAY_REGISTERS);
        let object = self.run(staged, &mut compile, "o", FATBIN_LIMIT)?;
        let mut link = self.command(nvcc::fatbin_flags(&self.version, capability), staged.output("o"));
        link.arg("-dlink");
        match nvcc::device_runtime(&self.path) {
            // A toolkit's linker finds the library.
            None => {
                link.arg("-lcudadevrt");
            }
            // The linker writes the directories it searches into the machine code. Given the library as a
            // file, and without the profile that names the toolkit's own directories, it has none to write.
            Some((programs, library)) => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                let places = std::iter::once(programs).chain(std::env::split_paths(&path));
                let path = std::env::join_paths(places)?;
                link.args(["-noprof", "-cudadevrt=none"]).arg(library).env("PATH", path);
            }
        }
        let linked = self.run(staged, &mut link, "fatbin", FATBIN_LIMIT)?;
        Ok(Fatbin { code: linked.bytes, registers: nvcc::registers(&object.said) })
    }

    /// What `source` becomes with these options: a file that ends with `extension`.
    ///
    /// # Errors
    /// As [`Compiler::ptx`].
    pub fn made(&self, source: &Path, flags: &[String], extension: &str) -> Result<Vec<u8>> {
        let staged = Staged::new(&self.root, source, &[])?;
        let mut command = self.command(flags, &staged.copy);
        command.args(self.folders(&staged));
        Ok(self.run(&staged, &mut command, extension, FATBIN_LIMIT)?.bytes)
    }

    /// A call with these options.
    pub(super) fn command(
        &self,
        flags: impl IntoIterator<Item = impl AsRef<OsStr>>,
        input: impl AsRef<OsStr>,
    ) -> Command {
        let mut command = Command::new(&self.path);
        command.args(self.leading_args).args(flags).arg(input);
        command
    }

    /// Runs `command` on `staged`, for at most `limit`.
    fn run(&self, staged: &Staged, command: &mut Command, extension: &str, limit: Duration) -> Result<Made> {
        let name = self.name();
        let program = path::shown(&self.path);
        let shown = &staged.shown;
        let file = staged.output(extension);
        let ran = staged.run(self.maker, command.arg("-o").arg(&file), limit)?;
        let Some(status) = ran.status else {
            let why = "What can take so long is a loop that it unrolls or evaluates, or a template that \
                       instantiates itself.";
            let end = format!("had not finished {shown} after {} seconds", limit.as_secs());
            bail!(Refused(format!("{name} {end} and was stopped ({program}).\n{why}")));
        };
        let said = staged.with_readers_names(&(ran.stdout + &ran.stderr));
        let said = call::messages(&said, shown);
        let is_success = status.success();
        if !is_success && lacks_memory(&said) {
            let most = within::MAX_MEMORY >> 30;
            bail!(Refused(format!(
                "{name} needed more than the {most} GiB of memory that it may use for {shown}, and was \
                 stopped ({program}).\nWhat can take so much is an #include of something without an end, or \
                 a template that instantiates itself.\n{}",
                said.trim_end()
            )));
        }
        if !is_success && let Some(why) = failed_itself(status, &said, staged.path()) {
            bail!("{name} failed ({program}): {why}\n{}", said.trim_end());
        }
        let said = explained(&said, shown, &staged.text);
        if !is_success {
            let mut advice = String::new();
            if self.maker == Maker::Clang
                && let Some(lacking) = clang::what_is_lacking(&said)
            {
                let todo = "Declare it there too, or compile with nvcc, which knows all of CUDA.";
                advice = format!("\n\n{lacking} {todo}");
            }
            bail!(Refused(format!(
                "{name} could not compile {shown} ({program}):\n{}{advice}",
                said.trim_end()
            )));
        }
        let bytes =
            std::fs::read(&file).with_context(|| format!("{program} left no {}", path::shown(&file)))?;
        Ok(Made { bytes, said })
    }
}

/// Whether a compiler, or a program that it calls, `said` that it got no more memory.
fn lacks_memory(said: &str) -> bool {
    let words = ["out of memory", "memory exhausted", "Cannot allocate memory", "bad_alloc", "OutOfMemory"];
    words.iter().any(|words| said.contains(words))
}

/// The programs of `maker` that are there, in the order of [`Compiler::of`], whether they run or not.
fn installed(maker: Maker, root: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let (toolkits, wheel): (&[&str], _) = match maker {
        Maker::Nvcc => (&["CUDA_HOME", "CUDA_PATH"], "nvidia/cu13/bin/nvcc"),
        Maker::Clang => (&[], "ziglang/zig"),
    };
    let is_given = |value: &OsString| !value.is_empty();
    let toolkits = toolkits.iter().filter_map(|name| variable(name).filter(is_given));
    let programs = toolkits.map(|toolkit| Path::new(&toolkit).join("bin")).chain(search(&variable));
    let active = variable("VIRTUAL_ENV").filter(is_given);
    let environments = [Some(".venv".into()), active].into_iter().flatten();
    let packages = environments.flat_map(|environment| site_packages(&root.join(environment)));
    programs
        .map(|place| place.join(maker.name()))
        .chain(packages.map(|packages| packages.join(wheel)))
        .map(|program| root.join(program).with_extension(EXE_EXTENSION))
        .filter(|path| path.is_file())
        .collect()
}

/// The directories of `PATH`.
fn search(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    variable("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Where a virtual environment has its packages.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let mut found = vec![environment.join("Lib").join("site-packages")]; // Windows
    let versions = std::fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    found.extend(versions.map(|python| python.path().join("site-packages")));
    found
}

/// Whether the kernel launches kernels: `<<<` stands in the source, `//` comments apart. Such a source is
/// compiled with `-rdc=true` and linked with the device runtime.
pub fn nested(source: &str) -> bool {
    source.lines().any(|line| line.split("//").next().unwrap_or_default().contains("<<<"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_does_not_come_to_an_end_is_stopped_and_named() {
        let maker = Maker::Nvcc;
        let leading_args = &["-c", "sleep 3604.25"];
        let here = Path::new(".");
        let version = "1.2.3".to_owned();
        let limit = Duration::from_millis(50);
        let compiler =
            Compiler { maker, path: "/bin/sh".into(), leading_args, version, root: here.into(), limit };
        let mut command = compiler.command([""; 0], "kernels/x.cu");
        let staged = Staged::of_text(here, "kernels/x.cu", String::new()).unwrap();
        let result = compiler.run(&staged, &mut command, "ptx", limit);
        let said = result.err().unwrap().to_string();
        assert!(said.starts_with("nvcc 1.2.3 had not finished kernels/x.cu after 0 seconds"), "{said}");
        assert!(said.contains("a template that instantiates itself"), "{said}");
    }
}
