//! What calling a compiler takes, whichever it is: where it may lie, how it runs, what of its words is about
//! the reader's file, and what in its output names this machine. `build.rs` includes this file too.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::within;

/// What a compiler makes of a kernel file.
#[derive(Clone, Debug)]
pub struct Ptx {
    /// PTX for compute capability 7.5 and newer, with line information.
    pub text: String,
    /// The compiler's warnings; empty if there are none.
    pub warnings: String,
}

/// Where a compiler may lie.
pub struct Places {
    /// What it is called in a message.
    pub name: &'static str,
    /// The variable that names the program itself.
    pub asked: &'static str,
    /// Variables that name a directory with the program in `bin`.
    pub toolkits: &'static [&'static str],
    /// The program on `PATH` and in a toolkit, without `.exe`.
    pub program: &'static str,
    /// The program in the packages of a virtual environment: directory and name.
    pub package: (&'static str, &'static str),
}

impl Places {
    /// The first program for which `ask` is answered, of: the variable's, the toolkits', that on `PATH`, that
    /// in `.venv` in the repository and in the active virtual environment (`VIRTUAL_ENV`). Relative paths are
    /// taken from `root`, the repository.
    ///
    /// # Errors
    /// If the program is named by its variable and does not answer; the other places are only looked at.
    pub fn first<T>(
        &self,
        root: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
        ask: impl Fn(&Path) -> Result<T>,
    ) -> Result<Option<T>> {
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let search: Vec<PathBuf> =
            variable("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();

        if let Some(asked) = variable(self.asked).map(PathBuf::from) {
            let named_only = asked.components().count() == 1;
            let on_path = search.iter().map(|directory| directory.join(&asked)).find(|path| path.is_file());
            let path = on_path.filter(|_| named_only).unwrap_or_else(|| asked.clone());
            let wrong = || {
                let Places { name, asked: variable, .. } = self;
                let asked = asked.display();
                format!("{variable} is set to {asked}, which does not run as {name}; correct it or unset it")
            };
            return ask(&root.join(path)).map(Some).with_context(wrong);
        }

        let toolkits = self.toolkits.iter().filter_map(|name| variable(name));
        let environments =
            [Some(PathBuf::from(".venv")), variable("VIRTUAL_ENV").map(PathBuf::from)].into_iter().flatten();
        let mut places: Vec<(PathBuf, &str)> =
            toolkits.map(|toolkit| (PathBuf::from(toolkit).join("bin"), self.program)).collect();
        places.extend(search.into_iter().map(|directory| (directory, self.program)));
        let packages = environments.flat_map(|environment| site_packages(&root.join(environment)));
        places.extend(packages.map(|packages| (packages.join(self.package.0), self.package.1)));
        Ok(places
            .into_iter()
            .map(|(place, program)| root.join(place).join(format!("{program}{EXE_SUFFIX}")))
            .filter(|path| path.is_file())
            .find_map(|path| ask(&path).ok()))
    }
}

/// Where a virtual environment has its packages.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let mut found = vec![environment.join("Lib").join("site-packages")]; // Windows
    let versions = std::fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    found.extend(versions.map(|python| python.path().join("site-packages")));
    found
}

/// The source's path from the directory where the compiler runs, with `/`; as it was given if it lies
/// outside.
pub fn shown(root: &Path, source: &Path) -> String {
    source.strip_prefix(root).unwrap_or(source).display().to_string().replace('\\', "/")
}

/// `<stem>.<extension>` in `scratch`.
pub fn output(shown: &str, scratch: &Path, extension: &str) -> Result<PathBuf> {
    let stem = Path::new(shown).file_stem().unwrap_or_default();
    Ok(std::path::absolute(scratch)?.join(stem).with_extension(extension))
}

/// A failed compilation: what the compiler said of the reader's file.
#[derive(Debug)]
pub struct Refused {
    /// `nvcc 13.0.88 could not compile kernels/ch4_nested.cu (/usr/bin/nvcc):`
    head: String,
    /// The messages, in the form that both compilers have here.
    pub said: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.head, self.said.trim_end())
    }
}

impl std::error::Error for Refused {}

/// How long PTX may take, for `simulate`, `--compiler` and committed builds, whose sources may include CUB:
/// all of its algorithms take 5 s on an idle machine, and many times that on a busy one. Exercises include
/// nothing of others, and have a limit of their own ([`super::compiler::Compiler::within`]).
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long machine code for many architectures may take.
pub const MORE_PATIENCE: Duration = Duration::from_secs(3600);

/// How long a program may take to say what it is: some seconds, where it comes from a busy disk.
pub const SHORT_PATIENCE: Duration = Duration::from_secs(20);

/// What a program answers on stdout within `limit`.
///
/// # Errors
/// It does not start, ends with another status than 0, or does not end.
pub fn answer(command: &Command, limit: Duration) -> Result<String> {
    let program = Path::new(command.get_program()).display();
    let ran = within::run(command, "", limit).with_context(|| format!("cannot start {program}"))?;
    match ran.status {
        None => bail!("{program} has not answered in {} seconds, and was stopped", limit.as_secs()),
        Some(status) if !status.success() => bail!("{program} ends with {status}"),
        Some(_) => Ok(ran.stdout),
    }
}

/// Runs `command`, a call of `compiler` for the source `shown` with the output `file`, for `limit` at most;
/// returns the file's contents, and the warnings.
///
/// # Errors
/// [`Refused`], if it does not compile, or not in time.
pub fn run(
    compiler: &str,
    shown: &str,
    command: &mut Command,
    file: &Path,
    limit: Duration,
) -> Result<(Vec<u8>, String)> {
    let program = Path::new(command.get_program()).display().to_string();
    let run = within::run(command.arg("-o").arg(file), "", limit);
    let run = run.with_context(|| format!("cannot start {program}"))?;
    let Some(status) = run.status else {
        let head = format!(
            "{compiler} did not come to an end with {shown} in {} seconds, and was stopped ({program}).",
            limit.as_secs()
        );
        let said = "What can take so long is a loop that it unrolls or evaluates, or a template that \
                    instantiates itself.";
        bail!(Refused { head, said: said.into() });
    };
    let said = messages(&(run.stdout + &run.stderr), shown);
    if !status.success() {
        let head = format!("{compiler} could not compile {shown} ({program}):");
        bail!(Refused { head, said });
    }
    let bytes = std::fs::read(file).with_context(|| format!("{program} left no {}", file.display()))?;
    // Some host compilers print the file's name and nothing else.
    Ok((bytes, if said.contains("warning") { said } else { String::new() }))
}

/// `text` with its control characters written out, `\u{1b}`: a program's words, which a terminal must not
/// obey. Line ends and tabs stay.
pub fn visible(text: &str) -> String {
    let show = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        _ if c.is_control() || turns(c) => c.escape_unicode().to_string(),
        _ => c.to_string(),
    };
    text.replace("\r\n", "\n").chars().map(show).collect()
}

/// Whether `c` turns the direction of writing (Unicode 16, section 23.2): the text around it may be shown in
/// another order than it has.
pub fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What a compiler `said` of the source `shown`: `FILE(LINE): error: …` with the line below, control
/// characters written out. Left out are notes on other files, such as every `atomicAdd` of a header that does
/// not fit, and the final count.
pub fn messages(said: &str, shown: &str) -> String {
    let mut kept = String::new();
    let mut is_elsewhere = false;
    for line in visible(said).lines() {
        // The host's preprocessor, which nvcc calls, has a form of its own.
        let line = match line.strip_prefix(shown).and_then(|rest| rest.strip_prefix(':')?.split_once(':')) {
            Some((number, rest)) if number.parse::<u32>().is_ok() => {
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(':');
                format!("{shown}({number}):{rest}")
            }
            _ => line.to_owned(),
        };
        match head(&line) {
            Some((file, what)) => is_elsewhere = what.starts_with("note") && file != shown,
            None if line.is_empty() => is_elsewhere = false,
            None => {}
        }
        let mut words = line.split(' ');
        let is_count = words.next().is_some_and(|word| word.parse::<u32>().is_ok())
            && words.next().is_some_and(|word| word.starts_with("error") || word.starts_with("warning"))
            && words.any(|word| word == "generated" || word == "detected");
        if !is_elsewhere && !is_count && line != "compilation terminated." {
            kept += &line;
            kept.push('\n');
        }
    }
    kept.trim_end().to_owned() + if kept.trim().is_empty() { "" } else { "\n" }
}

/// `x.cu` and `error: …`, of the first line of a message.
fn head(line: &str) -> Option<(&str, &str)> {
    let (place, what) = line.split_once("): ")?;
    let (file, number) = place.rsplit_once('(')?;
    number.parse::<u32>().ok().map(|_| (file, what))
}

/// A `.file` entry without this machine: the source as shown, `include/…` for a header of the toolkit or
/// the system, a path from `root` or the workbook's own root for what else is there, or the bare name.
pub fn file_entry(root: &Path, path: &str, shown: &str) -> String {
    let path = path.replace('\\', "/").replace("//", "/");
    if path == shown || path.ends_with(&format!("/{shown}")) {
        return shown.to_owned();
    }
    if let Some((_, header)) = path.rsplit_once("/include/") {
        return format!("include/{header}");
    }
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let name = path.rsplit('/').next().unwrap_or_default();
    let inside = [root.as_path(), Path::new(crate::ROOT)]
        .iter()
        .find_map(|root| Path::new(&path).strip_prefix(root).ok());
    inside.map_or(name.to_owned(), |inside| inside.display().to_string().replace('\\', "/"))
}

/// `ptx` with each `.file` entry by [`file_entry`].
pub fn with_files(root: &Path, ptx: &str, shown: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        match line.split('"').collect::<Vec<_>>()[..] {
            [before, path, after] if before.trim_start().starts_with(".file") => {
                text += &format!("{before}\"{}\"{after}\n", file_entry(root, path, shown));
            }
            _ => text.extend([line, "\n"]),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Refused, answer, messages, run, visible};
    use std::path::Path;
    use std::process::Command;
    use std::time::Duration;

    const SHOWN: &str = "kernels/x.cu";

    #[test]
    fn messages_of_both_compilers_have_one_form() {
        let nvcc = "kernels/x.cu(5): error: no instance of overloaded function \"atomicAdd\"\n    \
                    atomicAdd(p);\n    ^\n\
                    /opt/include/atomics.hpp(292): note #3322-D: number of parameters\n  \
                    static double atomicAdd(double *, double)\n  ^\n\n\
                    kernels/x.cu(7): error: expected a \";\"\n    x\n    ^\n\n\
                    2 errors detected in the compilation of \"kernels/x.cu\".\n";
        let clang = "kernels/x.cu(5): error: no matching function for call to 'atomicAdd'\n  \
                     atomicAdd(p);\n  ^\n\
                     /w/kernels/clang/cuda.h(127): note: candidate function not viable\nWB_ATOMIC\n^\n\
                     kernels/x.cu(7): error: expected ';'\n  x\n   ^\n\
                     2 errors generated when compiling for sm_75.\n";
        for (said, text) in [(nvcc, "x\n    ^"), (clang, "x\n   ^")] {
            let said = messages(said, SHOWN);
            let heads: Vec<_> = said.lines().filter(|line| line.contains("): ")).collect();
            assert_eq!(heads.len(), 2, "{said}");
            assert!(heads[0].starts_with("kernels/x.cu(5): error: no "), "{said}");
            assert!(heads[1].starts_with("kernels/x.cu(7): error: expected"), "{said}");
            assert!(said.trim_end().ends_with(text) && !said.contains("cuda.h"), "{said}");
        }
        let host = "kernels/x.cu:1:10: fatal error: cuda/foo: No such file or directory\n    \
                    1 | #include <cuda/foo>\n\
                    compilation terminated.\n";
        let expected = "kernels/x.cu(1): fatal error: cuda/foo: No such file or directory\n    \
                        1 | #include <cuda/foo>\n";
        assert_eq!(messages(host, SHOWN), expected);
        assert_eq!(messages("ch9.cu\n", SHOWN), "ch9.cu\n");
        assert_eq!(messages("", SHOWN), "");
    }

    #[cfg(unix)]
    #[test]
    fn a_compiler_that_does_not_come_to_an_end_is_stopped_and_named() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 3604.25; true"]);
        let limit = Duration::from_millis(50);
        let error = run("nvcc 1.2.3", SHOWN, &mut command, Path::new("x.ptx"), limit).unwrap_err();
        let said = error.downcast::<Refused>().unwrap().to_string();
        assert!(
            said.starts_with("nvcc 1.2.3 did not come to an end with kernels/x.cu in 0 seconds"),
            "{said}"
        );
        assert!(said.contains("a template that instantiates itself"), "{said}");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_answer_is_stopped() {
        let of = |script| answer(Command::new("sh").args(["-c", script]), Duration::from_millis(500));
        assert_eq!(of("echo 13.0").unwrap(), "13.0\n");
        for (script, part) in [
            ("sleep 3605.25; true", "sh has not answered in 0 seconds, and was stopped"),
            ("echo 13.0; exit 3", "sh ends with exit status: 3"),
        ] {
            let said = of(script).unwrap_err().to_string();
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn control_characters_are_written_out() {
        let text = "\u{1b}[2Jgone\r\n\tback\u{8}\u{9b}1m \u{202e}abc \u{e9}\u{4e16}\r";
        let shown = "\\u{1b}[2Jgone\n\tback\\u{8}\\u{9b}1m \\u{202e}abc \u{e9}\u{4e16}\\u{d}";
        assert_eq!(visible(text), shown);
    }
}
