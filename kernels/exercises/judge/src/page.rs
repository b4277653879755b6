//! The compiler of the page that this program runs in: a clang that compiles before this program marks.

use anyhow::{Context, Result};
use kernel_compiler::call::Ptx;
use kernel_compiler::capability;
use kernel_compiler::hash::text_hash;
use kernel_compiler::in_page::{Compiled as InPage, Variables};
use kernel_compiler::refusal::Refused;
use serde::{Deserialize, Serialize};

use super::header::as_ptx;
use super::source::{Exercise, Kind};

/// What a page's clang has compiled.
pub struct Page {
    /// `clang 22.1.8`
    pub name: String,
    builds: Vec<Compiled>,
}

/// What a page's clang has made of a text.
#[derive(Deserialize)]
pub struct Compiled {
    /// That of [`Wanted`].
    hash: String,
    /// PTX; empty if it does not compile.
    ptx: String,
    /// clang's messages.
    said: String,
    /// The variables of a whole program.
    #[serde(default)]
    program: Option<Variables>,
}

/// A text that a page is to compile: [`kernel_compiler::in_page::Request`], and a name for it.
#[derive(Clone, Debug, Serialize)]
pub struct Wanted {
    hash: String,
    path: String,
    /// The text.
    pub source: String,
    capability: &'static str,
    programs: bool,
}

impl Wanted {
    /// `text`, a version of the file of `exercise`.
    pub fn new(exercise: &Exercise, text: String) -> Wanted {
        let capability = capability::of(&text);
        let programs = matches!(exercise.kind, Kind::Program(_));
        Wanted { hash: text_hash(&text), path: exercise.path.clone(), source: text, capability, programs }
    }
}

impl Page {
    /// A page whose compiler is called `name`, with what it has compiled: all that was [`Wanted`], or the
    /// first of it alone if that does not compile.
    pub fn new(name: String, builds: Vec<Compiled>) -> Page {
        Page { name, builds }
    }

    /// [`super::compiler::Compiler::ptx`]
    pub fn ptx(&self, exercise: &Exercise, text: &str) -> Result<Ptx> {
        let hash = text_hash(text);
        let build = self.builds.iter().find(|build| build.hash == hash);
        let Compiled { ptx, said, program, .. } = build.context(
            "the page has not compiled all that the check needs: an internal error; please report it",
        )?;
        if ptx.is_empty() {
            let name = &self.name;
            let path = &exercise.path;
            let said = said.trim_end();
            return Err(Refused(format!("{name} could not compile {path} (in the page):\n{said}")).into());
        }
        let compiled =
            InPage { ptx: ptx.clone(), said: said.clone(), program: program.clone(), ..InPage::default() };
        Ok(match program {
            Some(_) => as_ptx(compiled.into()),
            None => Ptx { text: compiled.ptx, warnings: compiled.said },
        })
    }
}
