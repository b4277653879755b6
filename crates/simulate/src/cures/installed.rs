//! The compilers of a terminal, which compile what is edited. A page has its own.

use kernel_compiler::compiler::{Compiler, Maker};
use kernel_compiler::in_page::Compiled;

use super::launches::{Compile, Way};
use crate::cure::Limits;
use crate::input::Sources;
use crate::options::Options;

/// Edits that are tried with nvcc, which takes a second for each, at most.
const MAX_TRIES_OF_NVCC: usize = 3;

/// First with clang, which is the faster one; then with what has compiled the source, and made `built` of it.
pub fn ways<'a>(options: &'a Options, sources: &Sources, built: &Compiled, limits: Limits) -> Vec<Way<'a>> {
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
