//! nvcc or clang on this machine, for answers.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use tempfile::TempDir;
use workbook::build::call::Ptx;
use workbook::build::compiler::{Compiler, Maker};

use crate::source::Exercise;

/// How long a compiler may take for an answer; a right one takes a second or two.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A compiler.
#[derive(Clone)]
pub struct Installed(pub Compiler);

impl Installed {
    /// The one that is found here, if there is one.
    ///
    /// # Errors
    /// `NVCC` or `CLANG` names one that does not run.
    pub fn find(root: &Path) -> Result<Option<Installed>> {
        Ok(Compiler::find(root)?.map(Installed))
    }

    /// The one of `maker`.
    ///
    /// # Errors
    /// What to do if there is none.
    pub fn wanted(maker: Maker, root: &Path) -> Result<Installed> {
        Compiler::wanted(maker, root).map(Installed)
    }

    /// `nvcc 13.0.88`
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Whether it is a clang.
    pub fn is_clang(&self) -> bool {
        self.0.maker == Maker::Clang
    }

    /// [`crate::compiler::Compiler::ptx`]
    pub fn ptx(&self, exercise: &Exercise, text: &str, is_optimised: bool) -> Result<Ptx> {
        let alone = alone(exercise, text)?;
        let source = alone.path().join(&exercise.path);
        let compiler = self.0.clone().within(PATIENCE).run_in(alone.path());
        match is_optimised {
            true => compiler.ptx(&source, alone.path()),
            false => compiler.unoptimised_ptx(&source, alone.path()),
        }
    }
}

/// A directory with `text`, a version of the file of `exercise`, where no other file lies.
pub fn alone(exercise: &Exercise, text: &str) -> Result<TempDir> {
    let directory = tempfile::tempdir()?;
    let source = directory.path().join(&exercise.path);
    std::fs::create_dir_all(source.parent().unwrap_or(directory.path()))?;
    std::fs::write(source, text)?;
    Ok(directory)
}
