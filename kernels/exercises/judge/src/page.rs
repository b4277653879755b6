//! The compiler of the page that this program runs in: a clang that compiles between two runs of it.

use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use kernel_compiler::call::Ptx;
use kernel_compiler::hash::text_hash;
use kernel_compiler::refusal::Refused;
use serde::{Deserialize, Serialize};

use super::compiler::capability;
use super::source::Exercise;

/// What a page has compiled, and what it is to compile before this program runs once more.
pub struct Page {
    /// `clang 22.1.8`
    pub name: String,
    builds: Vec<Compiled>,
    wanted: Mutex<Vec<Wanted>>,
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
}

/// A text that a page is to compile: [`kernel_compiler::in_page::Request`], and a name for it.
#[derive(Clone, Debug, Serialize)]
pub struct Wanted {
    hash: String,
    path: String,
    source: String,
    capability: &'static str,
}

impl Page {
    /// A page whose compiler is called `name`, with what it has compiled so far.
    pub fn new(name: String, builds: Vec<Compiled>) -> Page {
        Page { name, builds, wanted: Mutex::default() }
    }

    /// What a verdict lacks; if it lacks something, it is none.
    pub fn wanted(&self) -> Vec<Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// [`super::compiler::Compiler::ptx`]
    pub fn ptx(&self, exercise: &Exercise, text: &str) -> Result<Ptx> {
        let hash = text_hash(text);
        let Some(Compiled { ptx, said, .. }) = self.builds.iter().find(|build| build.hash == hash) else {
            let path = exercise.path.clone();
            let source = text.to_string();
            let wanted = Wanted { hash, path, source, capability: capability(text) };
            let mut all = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            if all.iter().all(|other| other.hash != wanted.hash) {
                all.push(wanted);
            }
            return Err(Refused("the page has not compiled this yet".into()).into());
        };
        if ptx.is_empty() {
            let name = &self.name;
            let path = &exercise.path;
            let said = said.trim_end();
            return Err(Refused(format!("{name} could not compile {path} (in the page):\n{said}")).into());
        }
        Ok(Ptx { text: ptx.clone(), warnings: said.clone() })
    }
}
