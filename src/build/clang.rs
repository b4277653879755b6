//! Finds clang and calls it: CUDA C++ in, PTX out, for the simulator. `build.rs` includes this file too.
//!
//! clang brings no CUDA: what the kernels use is declared in `kernels/clang`. It writes the same PTX on every
//! system, wherever the repository lies. Machine code for a GPU is left to nvcc.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::call::{self, PATIENCE, Places, Ptx, QUESTION, Refused};
use super::nvcc::nested;

/// The oldest clang that compiles a launch in a kernel.
const OLDEST: u32 = 22;

/// What clang knows of CUDA, from the repository root.
pub const HEADERS: &str = "kernels/clang";

/// What to do where there is no clang.
pub const HOW_TO_GET_CLANG: &str = "Set CLANG to a clang (22 or newer), or bring one into .venv, in the \
                                    wheel ziglang that kernels/requirements.txt names.";

/// The wheel `ziglang` is a clang: `zig clang`.
const PLACES: Places =
    Places { name: "clang", asked: "CLANG", toolkits: &[], program: "clang", package: ("ziglang", "zig") };

/// A clang that runs and knows PTX.
#[derive(Clone, Debug)]
pub struct Clang {
    /// Absolute path of the program.
    pub path: PathBuf,
    /// What comes first on its command line: of zig, `clang`.
    first: &'static [&'static str],
    /// `22.1.8`
    pub version: String,
    /// The repository root, where it runs.
    root: PathBuf,
    /// How long a call may take.
    limit: Duration,
}

impl Clang {
    /// The first clang that runs, is new enough and knows PTX, of: `CLANG`, `PATH`, and the wheel `ziglang`
    /// in `.venv` in the repository and in the active virtual environment (`VIRTUAL_ENV`).
    ///
    /// # Errors
    /// If `CLANG` is set and is none such; the other places are only looked at.
    pub fn find_with(root: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Clang>> {
        let root = std::path::absolute(root)?;
        PLACES.first(&root, variable, |path| Clang::ask(&root, path))
    }

    /// Asks the program, or its part `clang`, for version and targets.
    fn ask(root: &Path, path: &Path) -> Result<Clang> {
        let forms: [&'static [&'static str]; 2] = [&[], &["clang"]];
        let mut wrong = None;
        for first in forms {
            match answer(path, first, "--version").and_then(|answer| version(&answer)) {
                Ok(version) => {
                    let targets = answer(path, first, "--print-targets")?;
                    ensure!(
                        targets.contains("nvptx64"),
                        "clang {version} at {} does not know PTX",
                        path.display()
                    );
                    return Ok(Clang {
                        path: path.to_owned(),
                        first,
                        version,
                        root: root.to_owned(),
                        limit: PATIENCE,
                    });
                }
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        let wrong = wrong.context("there are two forms")?;
        Err(wrong.context(format!("{} --version does not answer as clang does", path.display())))
    }

    /// The same clang for sources outside the repository.
    pub fn run_in(self, directory: &Path) -> Clang {
        Clang { root: directory.to_owned(), ..self }
    }

    /// The same clang with another limit for each call.
    pub fn within(self, limit: Duration) -> Clang {
        Clang { limit, ..self }
    }

    /// `clang 22.1.8`
    pub fn compiler(&self) -> String {
        format!("clang {}", self.version)
    }

    /// Compiles `source` to PTX with some of the `options` that say how; the file `<stem>.ptx` in `scratch`
    /// is overwritten.
    ///
    /// # Errors
    /// What clang said, if it cannot compile the source, and what to do if a name is missing.
    pub fn ptx_as(&self, source: &Path, scratch: &Path, capability: &str, options: &[&str]) -> Result<Ptx> {
        let shown = call::shown(&self.root, source);
        let text = std::fs::read_to_string(self.root.join(&shown));
        let is_nested = nested(&text.with_context(|| format!("cannot read {shown}"))?);
        let headers = Path::new(crate::ROOT).join(HEADERS);
        let mut command = Command::new(&self.path);
        command.current_dir(&self.root).args(self.first).args(FLAGS);
        command.arg(format!("--cuda-gpu-arch=sm_{capability}"));
        command.args(is_nested.then_some("-fgpu-rdc")).args(options);
        command.arg("-isystem").arg(&headers).arg("-include").arg(headers.join("cuda.h")).arg(&shown);
        let file = call::output(&shown, scratch, "ptx")?;
        let (ptx, warnings) =
            call::run(&self.compiler(), &shown, &mut command, &file, self.limit).map_err(with_what_to_do)?;
        let text = String::from_utf8(ptx).with_context(|| format!("the PTX of {shown} is not text"))?;
        Ok(Ptx { text: call::with_files(&self.root, &text, &shown), warnings })
    }
}

/// As nvcc compiles where the two differ: products and sums become one operation. The target is the same on
/// every system, and so are the sizes of types.
const FLAGS: &[&str] = &[
    "-x",
    "cuda",
    "--cuda-device-only",
    "-S",
    "--target=x86_64-unknown-linux-gnu",
    "--cuda-feature=+ptx80",
    "-nocudainc",
    "-nocudalib",
    "-nostdinc",
    "-std=c++17",
    "-ffp-contract=fast",
    "-fms-extensions",
    "-gline-tables-only",
    // Of static variables the names are those of the source.
    "-cuid=0",
    // Messages in nvcc's form: `x.cu(3): error: …`, then the line.
    "-fdiagnostics-format=msvc",
    "-fno-show-column",
    "-fno-diagnostics-show-line-numbers",
    "-fno-diagnostics-fixit-info",
    "-Wno-pass-failed",
    // What nvcc warns of by itself.
    "-Wunused-variable",
    "-Wuninitialized",
];

/// What the program answers to `question`.
fn answer(path: &Path, first: &[&str], question: &str) -> Result<String> {
    call::answer(path, &[first, &[question]].concat(), QUESTION)
}

/// The version in an answer to `--version`, if it is new enough. Apple counts its own clang otherwise.
fn version(answer: &str) -> Result<String> {
    let line = answer.lines().find(|line| line.contains("clang version "));
    let (vendor, rest) = line.and_then(|line| line.split_once("clang version ")).context("it is no clang")?;
    let version = rest.split_whitespace().next().unwrap_or_default();
    ensure!(vendor.trim() != "Apple", "Apple's clang does not know PTX");
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok()).unwrap_or(0);
    ensure!(major >= OLDEST, "it is clang {version}; kernels that launch kernels need {OLDEST} or newer");
    Ok(version.to_owned())
}

/// A refusal because of names that clang does not know, with what to do.
fn with_what_to_do(error: anyhow::Error) -> anyhow::Error {
    let unknown = error.downcast_ref::<Refused>().map(|refused| unknown(&refused.said)).unwrap_or_default();
    if unknown.is_empty() {
        return error;
    }
    anyhow::anyhow!(
        "{error}\n\nIf {} CUDA's: clang knows of CUDA what {HEADERS} declares, which is what the workbook's \
         kernels use. Declare it there too, or compile with nvcc, which knows all of CUDA.",
        match &unknown[..] {
            [one] => format!("{one} is"),
            [rest @ .., last] => format!("{} and {last} are", rest.join(", ")),
            [] => String::new(),
        }
    )
}

/// The names in clang's messages that nothing declares; not those that it takes for misspelt.
fn unknown(said: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in said.lines().filter(|line| line.contains("error: ") && !line.contains("did you mean")) {
        let of = |before: &str| line.split_once(before)?.1.split_once('\'').map(|(name, _)| name);
        let name = of("undeclared identifier '")
            .or_else(|| of("unknown type name '"))
            .or_else(|| of("no member named '"))
            .or_else(|| of("no template named '"))
            .or_else(|| of("error: '").filter(|_| line.ends_with("file not found")));
        if let Some(name) = name.filter(|name| !names.iter().any(|known| known == name)) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_clangs_and_apples_are_none() {
        for (answer, expected) in [
            ("clang version 22.1.8\nTarget: x86_64\n", Ok("22.1.8")),
            ("Homebrew clang version 23.0.1\n", Ok("23.0.1")),
            ("Ubuntu clang version 19.1.1 (1ubuntu1)\n", Err("it is clang 19.1.1; kernels")),
            ("Apple clang version 99.0.0\n", Err("Apple's clang")),
            ("zig 0.17.1\n", Err("it is no clang")),
        ] {
            let said = version(answer).map_err(|error| error.to_string());
            match expected {
                Ok(version) => assert_eq!(said, Ok(version.to_owned())),
                Err(why) => assert!(said.clone().unwrap_err().starts_with(why), "{said:?}"),
            }
        }
    }

    #[test]
    fn unknown_names_are_named_once() {
        let said = "x.cu(1): fatal error: 'cub/cub.cuh' file not found\n\
                    x.cu(2): error: use of undeclared identifier '__vadd4'\n\
                    x.cu(3): error: use of undeclared identifier '__vadd4'\n\
                    x.cu(4): error: use of undeclared identifier 'treadIdx'; did you mean 'threadIdx'?\n\
                    x.cu(5): error: unknown type name 'half'\n\
                    x.cu(6): error: no member named 'reduce' in namespace 'cooperative_groups'\n\
                    x.cu(7): error: expected ';'\n";
        assert_eq!(unknown(said), ["cub/cub.cuh", "__vadd4", "half", "reduce"]);
    }
}
