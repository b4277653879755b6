//! Who compiles answers.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::machine::installed::Installed;
use super::page::Page;
use super::source::Exercise;
use workbook::build::call::Ptx;
use workbook::build::compiler::Maker;

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

    /// [`Compiler::find`] of this maker, where there must be one.
    ///
    /// # Errors
    /// What to do if there is none.
    pub fn wanted(maker: Maker, root: &Path) -> Result<Compiler> {
        Installed::wanted(maker, root).map(Compiler::Installed)
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
            Compiler::Installed(compiler) => compiler.is_clang(),
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
            Compiler::Installed(compiler) => compiler.ptx(exercise, text, is_optimised),
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
