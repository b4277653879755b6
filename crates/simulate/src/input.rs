//! The file with the reader's kernel: PTX as it is, CUDA C++ through a compiler; and the source lines that
//! diagnostics quote.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::options::Options;
use cuda_source::parameters::{Kernel, kernels};
use kernel_compiler::compiler::Compiler;
#[cfg(not(target_family = "wasm"))]
use kernel_compiler::compiler::how_to_get_a_compiler;
#[cfg(not(target_family = "wasm"))]
use kernel_compiler::program::is_program;
use ptx_simulator::Diagnostic;
use text::files::read_text;
#[cfg(not(target_family = "wasm"))]
use text::say;

/// Bytes that a source or a script has at most. No program that is simulated is near that.
pub const MAX_SOURCE: u64 = 64 << 20;

/// The PTX of `file`, and the sources it was made from.
pub fn read(options: &Options) -> Result<(String, Sources)> {
    let file = &options.file;
    let is_ptx = match file.extension().and_then(|extension| extension.to_str()) {
        Some("ptx") => true,
        Some("cu") => false,
        _ => bail!("{} is neither PTX (.ptx) nor CUDA C++ (.cu)", file.display()),
    };
    let cannot = || format!("cannot read {}", file.display());
    let text = read_text(file, MAX_SOURCE).with_context(cannot)?;
    let sources = Sources::of(file, text.clone(), &options.include);
    if is_ptx {
        return Ok((text, sources));
    }
    let Compiled { ptx, warned, compiler, took } = compile(options)?;
    Ok((ptx, Sources { warned, compiler, compiling: took, ..sources }))
}

/// What a `.cu` became.
struct Compiled {
    ptx: String,
    /// Whether the compiler has warned.
    warned: bool,
    compiler: Option<Compiler>,
    took: Duration,
}

/// Whether the file is a whole program, and is to be run as one.
#[cfg(not(target_family = "wasm"))]
pub fn asks_for_a_program(options: &Options) -> bool {
    let file = &options.file;
    let asks_for_a_kernel = options.grid.is_some() || options.script.is_some() || options.cell.is_some();
    let is_source = file.extension().is_some_and(|extension| extension == "cu" || extension == "cpp");
    let has_main = |file: &PathBuf| read_text(file, MAX_SOURCE).is_ok_and(|text| is_program(&text));
    let can_be_read = || read_text(file, MAX_SOURCE).is_ok();
    is_source && !asks_for_a_kernel && can_be_read() && [file].into_iter().chain(&options.more).any(has_main)
}

/// The sources of a whole program.
///
/// # Errors
/// Its file cannot be read.
pub fn sources(options: &Options) -> Result<Sources> {
    let file = &options.file;
    let text = read_text(file, MAX_SOURCE).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Sources::of(file, text, &options.include))
}

/// In a page its compiler has been at work, has left the PTX beside the file, and has given its warnings to
/// the page.
#[cfg(target_family = "wasm")]
fn compile(options: &Options) -> Result<Compiled> {
    let file = options.file.with_extension("ptx");
    let ptx = read_text(&file, MAX_SOURCE).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Compiled { ptx, warned: false, compiler: None, took: Duration::ZERO })
}

#[cfg(not(target_family = "wasm"))]
fn compile(options: &Options) -> Result<Compiled> {
    compile_with(options, Compiler::find(kernel_compiler::root()?)?)
}

/// Compiles `file`; the compiler's warnings go to stderr, its errors are the error.
#[cfg(not(target_family = "wasm"))]
fn compile_with(options: &Options, compiler: Option<Compiler>) -> Result<Compiled> {
    let file = &options.file;
    let Some(compiler) = compiler else {
        bail!(
            "{} must be compiled, and there is no compiler for CUDA C++.\n{}",
            file.display(),
            how_to_get_a_compiler(kernel_compiler::root()?)
        );
    };
    // From the working directory, so that the compiler names the file as the reader does.
    let here = std::env::current_dir().context("the working directory is gone")?;
    let compiler = compiler.run_in(&here);
    let started = Instant::now();
    let ptx = compiler.ptx_with(file, Some(&options.capability()), options.for_compiler())?;
    let took = started.elapsed();
    say::err(&(ptx.warnings.clone() + &for_another_gpu(options)));
    let warned = !ptx.warnings.trim().is_empty();
    Ok(Compiled { ptx: ptx.text, warned, compiler: Some(compiler), took })
}

/// A note, if the file is compiled for another GPU than the one that is simulated.
#[cfg(not(target_family = "wasm"))]
fn for_another_gpu(options: &Options) -> String {
    let Options { file, gpu, .. } = options;
    let asked = options.capability();
    let has = gpu.capability();
    if asked == has {
        return String::new();
    }
    let shown = |number: &str| match number.split_at_checked(number.len().saturating_sub(1)) {
        Some((major, minor)) => format!("{major}.{minor}"),
        None => number.to_owned(),
    };
    format!(
        "note: {} is compiled for compute capability {}, and the simulated GPU, {}, has {}: __CUDA_ARCH__ is \
         {asked}0\n",
        file.display(),
        shown(&asked),
        gpu.name,
        shown(&has)
    )
}

/// The text of source files, by the names that diagnostics have for them.
pub struct Sources {
    /// The directory of the reader's file, the working directory, and those of included files.
    directories: Vec<PathBuf>,
    texts: BTreeMap<String, String>,
    /// Whether the compiler has warned of something, on stderr.
    pub warned: bool,
    /// What has compiled the reader's file, if anything has.
    pub compiler: Option<Compiler>,
    /// How long that took.
    pub compiling: Duration,
}

impl Sources {
    fn of(file: &Path, text: String, included: &[PathBuf]) -> Sources {
        // The parent of `mine.cu` is an empty path.
        let directories = [Path::new(".").join(file.parent().unwrap_or(Path::new(""))), ".".into()];
        Sources {
            directories: directories.into_iter().chain(included.to_vec()).collect(),
            texts: BTreeMap::from([(file.display().to_string(), text)]),
            warned: false,
            compiler: None,
            compiling: Duration::ZERO,
        }
    }

    /// Reads the files that `diagnostics` name. What is not there is quoted by name and line alone.
    pub fn read_for(&mut self, diagnostics: &[Diagnostic]) {
        let related = diagnostics.iter().flat_map(|found| found.related()).map(|site| site.file);
        for name in diagnostics.iter().filter_map(|found| found.file.clone()).chain(related) {
            if self.texts.contains_key(&name) {
                continue;
            }
            if let Some(text) = self.find(&name) {
                self.texts.insert(name, text);
            }
        }
    }

    /// The text of the file called `name`, if it lies below one of the directories: PTX may name any other.
    pub fn find(&self, name: &str) -> Option<String> {
        let inside = |directory: &PathBuf| {
            let directory = directory.canonicalize().ok()?;
            let path = directory.join(name).canonicalize().ok()?;
            (path.starts_with(directory) && path.is_file()).then_some(path)
        };
        read_text(&self.directories.iter().find_map(inside)?, MAX_SOURCE).ok()
    }

    /// The source of the kernels: `file`, or what its PTX was made from, if that is here; else empty.
    pub fn code(&self, file: &Path, ptx: &str) -> String {
        if file.extension().is_none_or(|extension| extension != "ptx") {
            return self.text(&file.display().to_string()).unwrap_or_default().to_string();
        }
        let made_from =
            ptx.lines().find_map(|line| line.trim_start().strip_prefix(".file")?.split('"').nth(1));
        made_from.and_then(|name| self.find(name)).unwrap_or_default()
    }

    /// The kernel templates of the reader's file, which become kernels only where they are instantiated.
    pub fn templates(&self, file: &Path) -> Vec<Kernel<'_>> {
        let text = self.text(&file.display().to_string()).unwrap_or_default();
        kernels(text).into_iter().filter(|kernel| kernel.is_template).collect()
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn without_a_compiler_the_commands_that_bring_one_are_said() {
        let options = Options::try_parse_from(["simulate", "mine.cu"]).unwrap();
        let said = compile_with(&options, None).err().unwrap().to_string();
        assert!(said.contains("mine.cu must be compiled, and there is no compiler"), "{said}");
        assert!(said.ends_with(kernel_compiler::compiler::HOW_TO_GET_A_COMPILER), "{said}");
    }
}
