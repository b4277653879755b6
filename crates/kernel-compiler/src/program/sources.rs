//! The files of a program: those that are named, and what they include from beside them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use text::path;

use crate::staging::shown;
use cuda_source::lex::{Token, placed};

/// The files of a program.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Those that are named, the one with `main` last, behind all that it calls; then what they include.
    /// clang reads the others before the last, by `-include`.
    pub files: Vec<Source>,
    /// How many are named.
    pub named: usize,
    /// The folder that clang runs in.
    pub root: PathBuf,
}

/// A file of a program.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its text, rewritten by and by. All versions have the same lines.
    pub text: String,
    /// The text that the reader has.
    pub original: String,
}

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

impl Sources {
    /// The named `files`, then what they include with quotes from beside them or from `folders`. clang runs
    /// in `root`. Which of the files has `main`, `is_main` knows.
    ///
    /// # Errors
    /// One of `files` cannot be read, or none has `main`.
    pub fn gathered(
        files: &[PathBuf],
        folders: &[PathBuf],
        root: &Path,
        is_main: impl Fn(&str) -> bool,
    ) -> Result<Sources> {
        let mut found: Vec<Source> = Vec::new();
        let mut wanted: Vec<PathBuf> = Vec::new();
        for file in files {
            let source = read(file)?;
            wanted.extend(included(&source, folders));
            found.push(source);
        }
        // The file with main comes last, behind all that it calls.
        let main = found.iter().position(|source| is_main(&source.original));
        found.rotate_left(main.context("none of the files has a main()")? + 1);
        while let Some(file) = wanted.pop() {
            if found.iter().any(|known| known.path == file) {
                continue;
            }
            if let Ok(source) = read(&file) {
                wanted.extend(included(&source, folders));
                found.push(source);
            }
        }
        let root = dunce::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        Ok(Sources { files: found, named: files.len(), root })
    }

    /// Lets a file hold another text.
    ///
    /// # Errors
    /// It cannot be read, or is none of these.
    pub fn replace(&mut self, file: &Path, text: &str) -> Result<()> {
        let path = read(file)?.path;
        let source = self.files.iter_mut().find(|source| source.path == path);
        let source = source.with_context(|| format!("{} is none of the files", shown(&self.root, &path)))?;
        source.text = text.to_owned();
        source.original = text.to_owned();
        Ok(())
    }

    /// One file, at `path` from the `root`.
    pub fn of_text(root: &Path, path: &str, text: &str) -> Sources {
        let source = Source { path: root.join(path), text: text.to_owned(), original: text.to_owned() };
        Sources { files: vec![source], named: 1, root: root.to_owned() }
    }

    /// The file with `main`.
    pub fn main(&self) -> &Source {
        &self.files[self.named - 1]
    }

    /// The path by which clang is given a file, and by which it names it.
    pub fn name(&self, source: &Source) -> String {
        shown(&self.root, &source.path)
    }

    /// The place of the file that clang calls `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        let is_it = |source: &Source| self.name(source) == name || source.path == Path::new(name);
        self.files.iter().position(is_it)
    }
}

fn read(file: &Path) -> Result<Source> {
    let shown = path::shown(file);
    let about = fs::metadata(file).with_context(|| format!("cannot read {shown}"))?;
    ensure!(about.is_file(), "cannot read {shown}: it is not a file");
    let size = about.len();
    ensure!(size <= MAX_BYTES, "{shown} has {size} bytes, and a source may have {MAX_BYTES}");
    let bytes = fs::read(file).with_context(|| format!("cannot read {shown}"))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let unquotable = shown.chars().find(|c| c.is_control() || matches!(c, '"' | '\\'));
    if let Some(wrong) = unquotable.filter(|_| cfg!(unix)) {
        bail!("{shown:?} has {wrong:?} in its name, which no line table can hold; rename it");
    }
    let path = dunce::canonicalize(file).with_context(|| format!("cannot read {shown}"))?;
    Ok(Source { path, original: text.clone(), text })
}

/// The files that a source includes with quotes, as far as they are there.
fn included(source: &Source, folders: &[PathBuf]) -> Vec<PathBuf> {
    let tokens = placed(&source.original);
    let names = tokens.windows(3).filter_map(|three| match three {
        [(_, hash), (_, word), (_, Token::Quoted(name))] if hash.is_mark("#") && word.is_word("include") => {
            Some(name.trim_matches('"'))
        }
        _ => None,
    });
    let beside = source.path.parent().unwrap_or(Path::new("/"));
    let places = || std::iter::once(beside).chain(folders.iter().map(PathBuf::as_path));
    names
        .filter_map(|name| places().map(|place| place.join(name)).find(|file| file.is_file()))
        .filter_map(|file| dunce::canonicalize(file).ok())
        .collect()
}
