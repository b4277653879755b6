//! A source as a compiler gets it: a plainly named copy in a folder of its own, where the compiler runs.
//!
//! nvcc hands names to a shell. So no name of the reader's reaches a compiler: a copy whose name is not plain
//! says its own in a `#line`, which messages and line tables repeat, and a folder of headers is a link.

use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use text::files::read_text;
use text::path;
use text::say::visible;

use super::includes::MAX_SOURCE;
use super::maker::Maker;
use super::within::{self, Ran};
use super::{includes, names};

/// What a reader gives the compiler besides the source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// Folders of headers (`-I`), from the folder that the compiler is told to run in.
    pub include: &'a [PathBuf],
    /// Macros (`-D`): `NAME` or `NAME=VALUE`.
    pub define: &'a [String],
    /// Whether it optimises.
    pub optimise: Optimise,
}

/// Whether a compiler optimises. What nothing reads it may remove then, and with it a race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimise {
    /// For fast code.
    #[default]
    On,
    /// Not at all: each line does what it says.
    Off,
}

/// A source, ready to be compiled.
pub struct Staged {
    folder: Folder,
    /// The folder that the reader's names start from.
    root: PathBuf,
    /// The source's name for the reader: its path from `root`, with `/`; as it was given if it lies outside.
    pub shown: String,
    /// The source.
    pub text: String,
    /// The copy's path from [`Staged::here`].
    pub copy: String,
    /// The folders of headers; first the source's own, which serves `#include "…"` alone.
    folders: Vec<Headers>,
}

/// A folder of headers.
struct Headers {
    /// Its name for the compiler, from [`Staged::here`].
    name: String,
    folder: PathBuf,
}

impl Staged {
    /// `source` and the folders of headers, whose names start from `root`.
    ///
    /// # Errors
    /// Of the file system; the source's name cannot stand in a line table; [`includes::check`].
    pub fn new(root: &Path, source: &Path, include: &[PathBuf]) -> Result<Staged> {
        let shown = shown(&std::path::absolute(root)?, source);
        let text =
            read_text(&root.join(source), MAX_SOURCE).with_context(|| format!("cannot read {shown}"))?;
        Staged::with(root, source, text, include)
    }

    /// [`Staged::new`] where the source holds `text`, whatever its file does.
    ///
    /// # Errors
    /// As [`Staged::new`].
    pub fn with(root: &Path, source: &Path, text: String, include: &[PathBuf]) -> Result<Staged> {
        let root = std::path::absolute(root)?;
        let shown = shown(&root, source);
        let source = root.join(source);
        let beside = source.parent().unwrap_or(&root);
        let folders: Vec<PathBuf> = std::iter::once(beside.to_owned())
            .chain(include.iter().map(|folder| root.join(folder)))
            .collect();
        includes::check(&shown, &text, &folders)?;
        let mut staged = Staged::of_text(&root, &shown, text)?;
        for folder in folders {
            staged.give(folder)?;
        }
        Ok(staged)
    }

    /// `text`, which is called `shown` and includes nothing that lies beside it.
    ///
    /// # Errors
    /// Of the file system; the name cannot stand in a line table.
    pub fn of_text(root: &Path, shown: &str, text: String) -> Result<Staged> {
        let is_quotable = |c: char| !c.is_control() && !matches!(c, '"' | '\\');
        if let Some(wrong) = shown.chars().find(|c| !is_quotable(*c)) {
            bail!("{shown:?} has {wrong:?} in its name, which no line table can hold; rename it");
        }
        let folder = Folder::new()
            .with_context(|| format!("cannot make a folder in {}", path::shown(&std::env::temp_dir())))?;
        let (copy, contents) = if keeps_its_name(shown) {
            (shown.to_owned(), text.clone())
        } else {
            ("source.cu".to_owned(), format!("#line 1 \"{shown}\"\n{text}"))
        };
        let root = root.to_owned();
        let shown = shown.to_owned();
        let staged = Staged { folder, root, shown, text, copy, folders: Vec::new() };
        let file = staged.here().join(&staged.copy);
        std::fs::create_dir_all(file.parent().unwrap_or(&staged.here()))?;
        for folder in [staged.temporary(), staged.path().join("links")] {
            std::fs::create_dir(folder)?;
        }
        std::fs::write(&file, contents).with_context(|| format!("cannot write {}", path::shown(&file)))?;
        Ok(staged)
    }

    /// Adds a folder of headers: by a link whose name is plain, as no option for the host's compiler may even
    /// have a space in it. On Windows a link takes an administrator, and the folder has its own name.
    fn give(&mut self, folder: PathBuf) -> Result<()> {
        let name = if cfg!(unix) {
            format!("../links/{}", self.folders.len())
        } else {
            folder.to_string_lossy().into_owned()
        };
        #[cfg(unix)]
        std::os::unix::fs::symlink(&folder, self.here().join(&name))?;
        self.folders.push(Headers { name, folder });
        Ok(())
    }

    /// The whole folder, with all that a call leaves.
    pub fn path(&self) -> &Path {
        &self.folder.0
    }

    /// Where the compiler runs; the copy is all that lies there.
    pub fn here(&self) -> PathBuf {
        self.path().join("here")
    }

    /// For the compiler's own files.
    pub fn temporary(&self) -> PathBuf {
        self.path().join("temporary")
    }

    /// For what the compiler makes.
    pub fn output(&self, extension: &str) -> PathBuf {
        let stem = Path::new(&self.copy).file_stem().unwrap_or_default();
        self.path().join(stem).with_extension(extension)
    }

    /// The name of the source's own folder, which serves `#include "…"` alone; none, if it is a text.
    pub fn beside(&self) -> Option<&str> {
        self.folders.first().map(|folder| &*folder.name)
    }

    /// The names of the other folders of headers.
    pub fn include(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().skip(1).map(|folder| &*folder.name)
    }

    /// Runs `command`, which compiles the copy, for at most `limit`; its own files come into the folder.
    ///
    /// # Errors
    /// It does not start; a shell might take what nvcc is given for more than a name.
    pub fn run(&self, maker: Maker, command: &mut Command, limit: Duration) -> Result<Ran> {
        let temporary = self.temporary();
        command.current_dir(self.here()).env("PWD", self.here());
        command.envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &temporary)));
        if maker == Maker::Nvcc {
            names::check_names(command)?;
        }
        let program = path::shown(Path::new(command.get_program()));
        within::run(command, "", limit, Some(self.path())).with_context(|| format!("cannot start {program}"))
    }

    /// What the compiler `said`, with the reader's names of headers.
    pub fn with_readers_names(&self, said: &str) -> String {
        let mut said = said.to_owned();
        for Headers { name, folder } in &self.folders {
            let readers = match shown(&self.root, folder) {
                here if here.is_empty() => here,
                there => visible(&there).replace(['\n', '\t'], " ") + "/",
            };
            said = said.replace(&format!("{name}{}", std::path::MAIN_SEPARATOR), &readers);
        }
        said
    }

    /// The path of an entry in a line table, by the folder of the header in place of a link to it.
    pub fn followed(&self, entry: &str) -> String {
        let here = self.here();
        let found = self.folders.iter().find_map(|Headers { name, folder }| {
            let below = here.join(entry);
            let path = folder.join(below.strip_prefix(here.join(name)).ok()?);
            // A line table has no such characters.
            Some(path.to_string_lossy().replace(|c: char| c.is_control() || c == '"', "_"))
        });
        found.unwrap_or_else(|| entry.to_owned())
    }
}

/// The source's path from the directory where the compiler is told to run, with `/`; as it was given if it
/// lies outside.
pub(crate) fn shown(root: &Path, source: &Path) -> String {
    let from_here = source.strip_prefix(root).unwrap_or(source);
    let from_here = from_here.strip_prefix(".").unwrap_or(from_here).to_string_lossy();
    if cfg!(windows) { path::committed(&from_here) } else { from_here.into_owned() }
}

/// Whether a copy can have this path below another folder.
fn keeps_its_name(shown: &str) -> bool {
    let is_below = Path::new(shown).components().all(|part| matches!(part, Component::Normal(_)));
    let is_short = shown.split('/').all(|part| part.len() <= MAX_NAME);
    is_below
        && is_short
        && names::not_plain(shown).is_none()
        && shown.is_ascii()
        && shown.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Bytes of a name that leave room for what nvcc puts around it in those of its temporary files.
const MAX_NAME: usize = 100;

/// The folders that there are.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the folders of all sources, for a program that a signal ends: no value goes then, and what watches
/// a compiler is there only while that runs.
pub fn remove_folders() {
    for folder in folders().iter() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// A temporary folder that only this user can read, which goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        let all = dunce::canonicalize(std::env::temp_dir())?;
        let builder = &mut DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
        loop {
            let own = all.join(format!("workbook-{:016x}", RandomState::new().hash_one(())));
            let mut folders = folders();
            match builder.create(&own) {
                Ok(()) => {
                    folders.push(own.clone());
                    return Ok(Folder(own));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
        folders().retain(|folder| *folder != self.0);
    }
}
