//! What compiles the source of a script's launches when it is edited.

use std::time::Duration;

use anyhow::Result;
use kernel_compiler::in_page::Compiled;

use crate::cure::Limits;
use crate::input::Sources;
use crate::options::Options;

/// A way to compile the source.
pub struct Way<'a> {
    pub compile: Compile<'a>,
    /// What it has made of the source, if that is known.
    pub built: Option<Compiled>,
    pub limits: Limits,
}

/// What compiles a text, within a limit.
pub type Compile<'a> = Box<dyn Fn(&str, Duration) -> Result<Compiled> + 'a>;

/// With the page's compiler, or with those of a terminal.
pub fn ways<'a>(options: &'a Options, sources: &Sources, ptx: &str) -> Vec<Way<'a>> {
    let limits = options.cure_limits.after(sources.compiling);
    let built = Compiled { ptx: ptx.to_string(), ..Compiled::default() };
    match options.compile {
        Some(compile) => {
            let compile: Compile = Box::new(move |text, _| compile(&options.file, text));
            vec![Way { compile, built: Some(built), limits }]
        }
        #[cfg(not(target_family = "wasm"))]
        None => installed::ways(options, sources, &built, limits),
        // A page has none.
        #[cfg(target_family = "wasm")]
        None => Vec::new(),
    }
}

/// The compilers of a terminal.
#[cfg(not(target_family = "wasm"))]
mod installed {
    use kernel_compiler::compiler::{Compiler, Maker};

    use super::*;

    /// Edits that are tried with nvcc, which takes a second for each, at most.
    const MAX_TRIES_OF_NVCC: usize = 3;

    /// First with clang, which is the faster one; then with what has compiled the source, and made `built`
    /// of it.
    pub fn ways<'a>(
        options: &'a Options,
        sources: &Sources,
        built: &Compiled,
        limits: Limits,
    ) -> Vec<Way<'a>> {
        let mut ways = Vec::new();
        let Some(own) = &sources.compiler else { return ways };
        let is_slow = own.maker == Maker::Nvcc;
        if let Some(clang) = Some(()).filter(|()| is_slow).and_then(|()| clang()) {
            ways.push(Way { compile: by(options, clang), built: None, limits });
        }
        let edits = if is_slow { MAX_TRIES_OF_NVCC } else { limits.edits };
        let limits = Limits { edits, ..limits };
        ways.push(Way { compile: by(options, own.clone()), built: Some(built.clone()), limits });
        ways
    }

    fn clang() -> Option<Compiler> {
        let clang = Compiler::of(Maker::Clang, kernel_compiler::root().ok()?).ok()??;
        Some(clang.run_in(&std::env::current_dir().ok()?))
    }

    fn by(options: &Options, compiler: Compiler) -> Compile<'_> {
        Box::new(move |text, limit| {
            let compiler = compiler.clone().within(limit);
            let given = options.for_compiler();
            let made =
                compiler.ptx_of_text(&options.file, text.to_string(), Some(&options.capability()), given)?;
            Ok(Compiled { ptx: made.text, ..Compiled::default() })
        })
    }
}
