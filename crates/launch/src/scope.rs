//! What a text of the launch language may name: numbers, and files.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

pub use text::expression::Names;

/// What a text may name. The default is that of a user's own words: no names, any file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// What names stand for in an expression.
    pub names: Names<'a>,
    /// Which files it may read and write.
    pub files: Files<'a>,
}

/// Which files a text may read and write.
#[derive(Clone, Copy, Debug, Default)]
pub enum Files<'a> {
    /// Any: the words are those of the user at the command line.
    #[default]
    Any,
    /// The text came inside a file, which somebody else may have written: it travels by mail and by links.
    Inside {
        /// It may read what lies below this folder.
        reads: &'a Path,
        /// It may write new files in this folder; none unless the user has named one.
        writes: Option<&'a Path>,
    },
}

/// Where a buffer is saved.
#[derive(Clone, Debug)]
pub enum Output {
    /// In a file that the user has named, which is replaced.
    Replaced(PathBuf),
    /// In a new file, which takes no other's place.
    New(PathBuf),
    /// Nowhere: a text inside a file asks for it, under this name, and the user has named no folder.
    Withheld(String),
}

impl<'a> Scope<'a> {
    /// A scope with these names.
    pub fn of(names: Names<'a>) -> Scope<'a> {
        Scope { names, ..Scope::default() }
    }
}

impl Files<'_> {
    /// The file that a text calls `name`, to be read.
    ///
    /// The path is looked up here and opened later. Whoever can exchange folders in between has the rights
    /// to read the file anyway.
    ///
    /// # Errors
    /// There is no such file, or it lies outside the folder that the text may read.
    pub fn to_read(self, name: &str) -> Result<PathBuf> {
        let cannot = || format!("cannot read {name}");
        let path = Path::new(name);
        check_bare(path)?;
        let Files::Inside { reads, .. } = self else { return Ok(path.into()) };
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
        ensure!(
            is_below,
            "{}: a script inside a file reads only files below that file's folder; --data names another",
            cannot()
        );
        let place = reads.join(path);
        std::fs::metadata(&place).with_context(cannot)?;
        let real = place.canonicalize().with_context(cannot)?;
        let folder = reads.canonicalize().with_context(cannot)?;
        ensure!(real.starts_with(folder), "{}: it is a link that leads out of the folder", cannot());
        Ok(real)
    }

    /// The file that a text calls `name`, to be written.
    ///
    /// # Errors
    /// The name leads out of the folder that the text may write to.
    pub fn to_write(self, name: &str) -> Result<Output> {
        check_bare(Path::new(name))?;
        let Files::Inside { writes, .. } = self else { return Ok(Output::Replaced(name.into())) };
        if !is_plain(name) {
            bail!(
                "cannot write `{name}`: a script inside a file saves under a plain name, like sums.bin, \
                 in the folder that --out names"
            );
        }
        Ok(match writes {
            Some(folder) => Output::New(folder.join(name)),
            None => Output::Withheld(name.into()),
        })
    }
}

/// Whether `name` is a file's name on every system: no folder, no drive, nothing hidden.
fn is_plain(name: &str) -> bool {
    let is_allowed = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_allowed)
}

/// Whether a file may hold raw bytes by its name: NumPy's `.npy` begins with a header.
fn check_bare(path: &Path) -> Result<()> {
    let is_npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    let name = path.display();
    ensure!(!is_npy, "{name}: files hold raw bytes; use another name, and NumPy's tofile and fromfile");
    Ok(())
}
