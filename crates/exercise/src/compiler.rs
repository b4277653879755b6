//! Who compiles answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::page::Page;
use super::source::Exercise;
use workbook::build::call::Ptx;
use workbook::build::compiler::{Compiler as Installed, Maker};

/// How long a compiler may take for an answer; a right one takes a second or two.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Who compiles answers.
#[derive(Clone)]
pub enum Compiler {
    /// nvcc or clang on this machine.
    Installed(Installed),
    /// The clang of the page that this program runs in.
    Page(Arc<Page>),
}

impl Compiler {
    /// The one on this machine, if there is one.
    ///
    /// # Errors
    /// `NVCC` or `CLANG` names one that does not run.
    pub fn find(root: &Path) -> Result<Option<Compiler>> {
        Ok(Installed::find(root)?.map(Compiler::Installed))
    }

    /// `nvcc 13.0.88`
    pub fn name(&self) -> String {
        match self {
            Compiler::Installed(compiler) => compiler.name(),
            Compiler::Page(page) => page.name.clone(),
        }
    }

    /// Whether its code is compared with code of its own; that of nvcc is compared with the committed builds.
    pub fn is_clang(&self) -> bool {
        match self {
            Compiler::Installed(compiler) => compiler.maker == Maker::Clang,
            Compiler::Page(_) => true,
        }
    }

    /// PTX of `text`, a version of the file of `exercise`; if it is not optimised, line by line, every access
    /// where the source has it.
    ///
    /// # Errors
    /// What the compiler says of the text that it refuses.
    pub fn ptx(&self, exercise: &Exercise, text: &str, is_optimised: bool) -> Result<Ptx> {
        match self {
            Compiler::Installed(compiler) => installed(compiler, exercise, text, is_optimised),
            Compiler::Page(page) => page.ptx(exercise, text, is_optimised),
        }
    }

    /// Has a page compile these texts at once, of which each will be asked for.
    pub fn foresee(&self, exercise: &Exercise, texts: &[String]) {
        if let Compiler::Page(page) = self {
            texts.iter().for_each(|text| drop(page.ptx(exercise, text, true)));
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn installed(compiler: &Installed, exercise: &Exercise, text: &str, is_optimised: bool) -> Result<Ptx> {
    let alone = alone(exercise, text)?;
    let source = alone.path().join(&exercise.path);
    let compiler = compiler.clone().within(PATIENCE).run_in(alone.path());
    match is_optimised {
        true => compiler.ptx(&source, alone.path()),
        false => compiler.unoptimised_ptx(&source, alone.path()),
    }
}

/// In a page no other program can be started.
#[cfg(target_family = "wasm")]
fn installed(compiler: &Installed, _: &Exercise, _: &str, _: bool) -> Result<Ptx> {
    anyhow::bail!("{} cannot be started here", compiler.name())
}

/// A directory with `text`, a version of the file of `exercise`, where no other file lies.
#[cfg(not(target_family = "wasm"))]
pub fn alone(exercise: &Exercise, text: &str) -> Result<tempfile::TempDir> {
    let directory = tempfile::tempdir()?;
    let source = directory.path().join(&exercise.path);
    std::fs::create_dir_all(source.parent().unwrap_or(directory.path()))?;
    std::fs::write(source, text)?;
    Ok(directory)
}
