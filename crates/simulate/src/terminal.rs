//! A whole program in a terminal: what it prints comes as it is printed.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

use ::program::{Outside, Standard};
use anyhow::{Context, Result};
use kernel_compiler::compiler::{Compiler, HOW_TO_GET_CLANG, Maker};
use kernel_compiler::program::{compile, compile_text};
use text::say;

use super::cures::of_program;
use super::options::Options;
use super::program::{Report, run};
use super::stop;

/// Bytes of a program's output that are kept for JSON, at most.
const MAX_PRINTED: usize = 64 << 20;
/// Bytes of the standard input that are read at once, at most.
const MAX_LINE: u64 = 1 << 20;
/// Bytes of a file that a program reads, at most.
const MAX_FILE: u64 = 1 << 30;

/// The terminal, and the files that the options let a program reach.
struct Terminal {
    reads: PathBuf,
    writes: Option<PathBuf>,
    /// What is printed is kept for JSON.
    keeps: bool,
    printed: [Vec<u8>; 2],
    texts: BTreeMap<String, Vec<String>>,
    refused: Vec<String>,
}

impl Terminal {
    fn new(options: &Options) -> Terminal {
        let own = options.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let reads = options.data.as_deref().or(own).unwrap_or(Path::new(".")).to_owned();
        let writes = options.out.clone();
        let files = [&options.file].into_iter().chain(&options.more);
        let text = |file: &PathBuf| {
            let text = std::fs::read_to_string(file).ok()?;
            Some((file.display().to_string(), text.lines().map(str::to_string).collect()))
        };
        let texts = files.filter_map(text).collect();
        Terminal {
            reads,
            writes,
            keeps: options.json,
            printed: Default::default(),
            texts,
            refused: Vec::new(),
        }
    }

    /// Where a file lies below a folder, if it does.
    fn below(folder: &Path, path: &str) -> Option<PathBuf> {
        let folder = folder.canonicalize().ok()?;
        let whole = folder.join(path);
        let place = match whole.symlink_metadata() {
            Ok(_) => whole.canonicalize().ok()?,
            Err(_) => whole.parent()?.canonicalize().ok()?.join(whole.file_name()?),
        };
        place.starts_with(&folder).then_some(place)
    }

    /// Where a file lies that the program may read.
    fn file_to_read(&mut self, path: &str) -> Option<PathBuf> {
        let Some(place) = Terminal::below(&self.reads, path) else {
            let folder = self.reads.display();
            self.refuse(format!(
                "the program may not read {path}: it lies outside of {folder} (--data FOLDER)"
            ));
            return None;
        };
        let size = std::fs::metadata(&place).ok().filter(|found| found.is_file())?.len();
        (size <= MAX_FILE).then_some(place)
    }

    fn refuse(&mut self, what: String) {
        if !self.refused.contains(&what) {
            self.refused.push(what);
        }
    }
}

impl Outside for Terminal {
    fn write(&mut self, to: Standard, bytes: &[u8]) {
        if self.keeps {
            let kept = &mut self.printed[usize::from(to == Standard::Error)];
            if kept.len() + bytes.len() <= MAX_PRINTED {
                return kept.extend(bytes);
            }
            return self
                .refuse(format!("the program printed more than the {MAX_PRINTED} bytes that --json keeps"));
        }
        // A closed pipe ends what is printed, not the program.
        _ = match to {
            Standard::Out => stdout().write_all(bytes).and_then(|()| stdout().flush()),
            Standard::Error => stderr().write_all(bytes),
        };
    }

    fn read(&mut self, into: &mut Vec<u8>) {
        _ = stdin().lock().take(MAX_LINE).read_until(b'\n', into);
    }

    fn read_file(&mut self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.file_to_read(path)?).ok()
    }

    fn has_file(&mut self, path: &str) -> bool {
        self.file_to_read(path).is_some()
    }

    fn write_file(&mut self, path: &str, bytes: &[u8]) -> bool {
        let place = self.writes.as_deref().and_then(|folder| Terminal::below(folder, path));
        let Some(place) = place else {
            self.refuse(format!(
                "the program may not write {path}: --out FOLDER lets it write below a folder"
            ));
            return false;
        };
        // A pipe may never have a reader.
        let is_pipe = std::fs::metadata(&place).is_ok_and(|found| !found.is_file());
        !is_pipe && std::fs::write(place, bytes).is_ok()
    }

    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        // The compiler names a file from the working directory, whatever the reader does.
        let whole = |name: &str| std::path::absolute(name).unwrap_or_else(|_| name.into());
        let is_it = |known: &&String| whole(known) == whole(file);
        let text = self.texts.get(file).or_else(|| self.texts.get(self.texts.keys().find(is_it)?));
        text?.get(line.checked_sub(1)? as usize).cloned()
    }
}

/// Compiles the program of the command line, and runs it; the compiler's warnings go to stderr.
///
/// # Errors
/// There is no clang, it does not compile, or it cannot be run.
pub fn compiled_and_run(options: &Options) -> Result<Report> {
    let root = kernel_compiler::root()?;
    let here = std::env::current_dir().context("the working directory is gone")?;
    let clang = Compiler::of(Maker::Clang, root)?.with_context(|| {
        format!(
            "{} is a whole program, which clang compiles, and there is no clang.\n{HOW_TO_GET_CLANG}",
            options.file.display()
        )
    })?;
    let files: Vec<PathBuf> = [&options.file].into_iter().chain(&options.more).cloned().collect();
    // The changed C++ headers are kept for the next time, if there is a place for them.
    let kept = root.join("target");
    let folder = if std::fs::create_dir_all(&kept).is_ok() { kept } else { std::env::temp_dir() };
    let clang = clang.run_in(&here);
    let capability = options.capability();
    let given = options.for_compiler();
    let started = Instant::now();
    let program = compile(&clang, &files, &capability, &given, &folder)?;
    let options = &Options { cure_limits: options.cure_limits.after(started.elapsed()), ..options.clone() };
    say::err(&program.said);
    let mut terminal = Terminal::new(options);
    stop::listen();
    let mut report = run(options, &program, &mut terminal)?;
    let again = |text: &str, limit| {
        let clang = clang.clone().within(limit);
        Ok(compile_text(&clang, &files, (&options.file, text), &capability, &given, &folder)?.into())
    };
    report.cures = of_program(options, program.into(), Box::new(again), &mut terminal, &mut report);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Report { printed: terminal.printed.map(text), refused: terminal.refused, ..report })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_leads_out_of_no_folder() {
        let all = std::env::temp_dir().join(format!("workbook-below-{}", std::process::id()));
        let folder = all.join("data");
        fs::create_dir_all(folder.join("inner")).unwrap();
        fs::write(all.join("secret"), "").unwrap();
        fs::write(folder.join("own"), "").unwrap();
        symlink(all.join("secret"), folder.join("link")).unwrap();
        symlink(all.join("new"), folder.join("dangling")).unwrap();
        symlink(folder.join("own"), folder.join("within")).unwrap();
        let real = folder.canonicalize().unwrap();
        let below = |path: &str| Terminal::below(&folder, path);
        let refused = ["link", "dangling", "../secret", "..", "inner/../../secret"].map(below);
        let given = ["own", "new", "inner/new", "within"].map(below);
        fs::remove_dir_all(&all).unwrap();
        assert_eq!(refused, [const { None }; 5]);
        assert_eq!(given, ["own", "new", "inner/new", "own"].map(|name| Some(real.join(name))));
    }
}
