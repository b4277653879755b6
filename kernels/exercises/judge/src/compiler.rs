//! Who compiles answers: nvcc or clang on this machine, or the clang of the page that this program runs in.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use kernel_compiler::call::Ptx;
use kernel_compiler::compiler::{self, Maker};

use super::page::Page;
use super::source::{Exercise, Kind};

/// Who compiles answers.
#[derive(Clone)]
pub enum Compiler {
    /// nvcc or clang on this machine.
    Installed(compiler::Compiler),
    /// The clang of the page that this program runs in.
    Page(Arc<Page>),
}

impl Compiler {
    /// The one on this machine that compiles `exercise`, if there is one: whole programs only clang does.
    ///
    /// # Errors
    /// `NVCC` or `CLANG` names one that does not run.
    pub fn find(root: &Path, exercise: &Exercise) -> Result<Option<Compiler>> {
        if cfg!(target_family = "wasm") {
            return Ok(None);
        }
        let found = match exercise.kind {
            Kind::Program(_) => compiler::Compiler::of(Maker::Clang, root)?,
            _ => compiler::Compiler::find(root)?,
        };
        Ok(found.map(Compiler::Installed))
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

    /// PTX of `text`, a version of the file of `exercise`.
    ///
    /// # Errors
    /// What the compiler says of the text that it refuses.
    pub fn ptx(&self, exercise: &Exercise, text: &str) -> Result<Ptx> {
        match self {
            #[cfg(not(target_family = "wasm"))]
            Compiler::Installed(compiler) => {
                let alone = super::machine::alone(exercise, text)?;
                let source = alone.path().join(&exercise.path);
                let compiler = compiler.clone().within(super::machine::PATIENCE).run_in(alone.path());
                match exercise.kind {
                    Kind::Program(_) => super::machine::program(&compiler, alone.path(), &source),
                    _ => compiler.ptx(&source),
                }
            }
            #[cfg(target_family = "wasm")]
            Compiler::Installed(_) => anyhow::bail!("a page starts no compiler"),
            Compiler::Page(page) => page.ptx(exercise, text),
        }
    }
}
