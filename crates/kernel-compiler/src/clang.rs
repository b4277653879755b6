//! What is clang's own: its options, and what to do about its messages.
//!
//! clang brings no CUDA: what the kernels use is declared in `kernels/clang`. It writes the same PTX on every
//! system, wherever the repository lies. Machine code for a GPU is left to nvcc.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use text::{near, path};

use super::call;
use super::staging::Optimise;

/// The oldest clang that compiles a launch in a kernel.
const OLDEST: u32 = 22;

/// What clang knows of CUDA, from the repository root.
pub const HEADERS: &str = "kernels/clang";

/// What comes first on the command line of the program at `path`, or of its part `clang`, and its version, if
/// it is new enough and knows PTX. The wheel `ziglang` is a clang: `zig clang`.
pub fn ask(path: &Path) -> Result<(&'static [&'static str], String)> {
    let forms: [&'static [&'static str]; 2] = [&[], &["clang"]];
    let mut wrong = None;
    for first in forms {
        let answer = |question| call::answer(Command::new(path).args(first).arg(question), call::PATIENCE);
        match answer("--version").and_then(|answer| version(&answer)) {
            Ok(version) => {
                let knows_ptx = answer("--print-targets")?.contains("nvptx64");
                ensure!(knows_ptx, "clang {version} at {} does not know PTX", path::shown(path));
                return Ok((first, version));
            }
            Err(error) => wrong = wrong.or(Some(error)),
        }
    }
    let wrong = wrong.context("there are two forms")?;
    Err(wrong.context(format!("{} --version does not answer as clang does", path::shown(path))))
}

/// The options for code that is optimised or not.
pub fn options(optimise: Optimise) -> &'static [&'static str] {
    match optimise {
        Optimise::On => &["-O2"],
        Optimise::Off => &["-O0"],
    }
}

/// The options for the GPU, and for a version of PTX that knows it.
pub fn target(capability: &str) -> String {
    let is_newer = capability.len() > 2;
    let version = if is_newer { "86" } else { "80" };
    format!("--cuda-feature=+ptx{version} --cuda-gpu-arch=sm_{capability}")
}

/// All options of a call for PTX.
pub fn flags(options: &[&str], capability: &str, nested: bool) -> Vec<String> {
    // Who calls a compiler has found the repository.
    let headers = crate::root().unwrap_or(Path::new("")).join(HEADERS);
    let mut flags: Vec<String> = FLAGS.split(' ').map(str::to_owned).collect();
    flags.extend(target(capability).split(' ').map(str::to_owned));
    flags.extend(nested.then(|| "-fgpu-rdc".to_owned()));
    flags.extend(options.iter().map(|option| option.to_string()));
    flags.push("-isystem".to_owned());
    flags.push(headers.display().to_string());
    flags.push("-include".to_owned());
    flags.push(headers.join("cuda.h").display().to_string());
    flags
}

/// As nvcc compiles where the two differ: products and sums become one operation. The target is the same on
/// every system, and so are the sizes of types; of static variables the names are those of the source.
/// An access through a null pointer stays one, and a loop without an end stays one: the simulator finds both,
/// and else they would be gone in silence, together with all that follows. Messages are in nvcc's form,
/// `x.cu(3): error: …`, then the line; and warnings are of what nvcc warns by itself, but not of constants,
/// which a line `//@` may use.
const FLAGS: &str = "\
    -x cuda --cuda-device-only -S --target=x86_64-unknown-linux-gnu \
    -nocudainc -nocudalib -nostdinc -std=c++17 -ffp-contract=fast -fms-extensions -gline-tables-only -cuid=0 \
    -fno-delete-null-pointer-checks -fno-finite-loops \
    -fdiagnostics-format=msvc -fno-show-column -fno-diagnostics-show-line-numbers \
    -fno-diagnostics-fixit-info -Wno-pass-failed -Wunused-variable -Wno-unused-const-variable \
    -Wuninitialized";

/// The version in an answer to `--version`, if it is new enough. Apple counts its own clang otherwise.
fn version(answer: &str) -> Result<String> {
    let line = answer.lines().find(|line| line.contains("clang version "));
    let (vendor, rest) =
        line.and_then(|line| line.split_once("clang version ")).context("it is not clang")?;
    let version = rest.split_whitespace().next().unwrap_or_default();
    ensure!(vendor.trim() != "Apple", "Apple's clang does not know PTX");
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok()).unwrap_or(0);
    ensure!(major >= OLDEST, "it is clang {version}; kernels that launch kernels need {OLDEST} or newer");
    Ok(version.to_owned())
}

/// A sentence on the names in clang's messages that it does not know and that may be CUDA's, if there are
/// such.
pub fn what_is_lacking(said: &str) -> Option<String> {
    let names = match &unknown(said)[..] {
        [] => return None,
        [one] => format!("{one} is"),
        [rest @ .., last] => format!("{} and {last} are", rest.join(", ")),
    };
    Some(format!(
        "If {names} CUDA's: clang knows of CUDA what {HEADERS} declares, which is what the workbook's \
         kernels use."
    ))
}

/// The names in clang's messages that nothing declares and that may be CUDA's; not those that are one letter
/// off what clang proposes. What is further off may be another of CUDA's: for `__vadd4` clang proposes
/// `__hadd`.
fn unknown(said: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let may_be_cudas = |line: &str, name: &str| {
        line.ends_with("file not found")
            || line.contains("cooperative_groups")
            || ["cuda", "cub", "__", "atomic", "nv", "half"].iter().any(|start| name.starts_with(start))
            || ["Idx", "Dim"].iter().any(|end| name.ends_with(end))
    };
    let is_slip = |line: &str, name: &str| {
        let proposed = line.split_once("did you mean '").and_then(|(_, rest)| rest.split_once('\''));
        proposed.is_some_and(|(proposed, _)| near::distance(name, proposed) < 2)
    };
    for line in said.lines().filter(|line| line.contains("error: ")) {
        let of = |before: &str| line.split_once(before)?.1.split_once('\'').map(|(name, _)| name);
        let words = ["undeclared identifier", "unknown type name", "no member named", "no template named"];
        let name = words.iter().find_map(|words| of(&format!("{words} '")));
        let name = name.or_else(|| of("error: '").filter(|_| line.ends_with("file not found")));
        let Some(name) = name else { continue };
        if may_be_cudas(line, name) && !is_slip(line, name) && !names.iter().any(|known| known == name) {
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
            ("zig 0.17.1\n", Err("it is not clang")),
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
                    x.cu(2): error: use of undeclared identifier '__vadd4'; did you mean '__hadd'?\n\
                    x.cu(3): error: use of undeclared identifier '__vadd4'\n\
                    x.cu(4): error: use of undeclared identifier 'treadIdx'; did you mean 'threadIdx'?\n\
                    x.cu(5): error: unknown type name 'half'\n\
                    x.cu(6): error: no member named 'reduce' in namespace 'cooperative_groups'\n\
                    x.cu(7): error: expected ';'\n\
                    x.cu(8): error: use of undeclared identifier 'sum'\n";
        assert_eq!(unknown(said), ["cub/cub.cuh", "__vadd4", "half", "reduce"]);
    }
}
