//! From an answer to PTX: the committed build if the text is a known one, else the reader's compiler.
//!
//! `kernels/exercises/prebuilt/<stem>.ptx` holds all of an exercise's known texts, one after another: the
//! stub, the solution, the mutants. nvcc makes them, and clang those of whole programs. A line `//@ solution
//! 0123abcd` with the hash of the text begins each. After an edit of a solution, `cargo xtask renew` makes
//! stubs and builds anew.

use std::path::Path;

use anyhow::{Context, Result};
use kernel_compiler::call::Ptx;
use kernel_compiler::hash::source_hash;
use kernel_compiler::refusal::Refused;
use text::files::read_lines;
use text::path::shown;

use super::answer::Answer;
use super::compiler::Compiler;
use super::header::variables;
use super::source::{Exercise, Kind};
use super::wrapping::wrapped;

/// Where the committed builds are, from the repository root.
pub const PREBUILT: &str = "kernels/exercises/prebuilt";

/// A known text of an exercise: `stub`, `solution`, `mended` or the name of a mutant; with `-wrapping` where
/// its differences wrap.
#[derive(Clone, Debug)]
pub struct Variant {
    /// `stub`, or the name of a mutant.
    pub name: String,
    /// The whole file.
    pub text: String,
}

impl Variant {
    fn new(name: &str, text: String) -> Variant {
        Variant { name: name.into(), text }
    }

    /// What its committed build is found by.
    pub fn hash(&self) -> String {
        source_hash(&self.text)
    }
}

/// All known texts of `exercise` that are compiled: stub, solution, then mutants. Answers that are numbers
/// are not compiled: there it is the stub if it is run, and mended where a line is missing. None of a Rust
/// function.
pub fn variants(exercise: &Exercise) -> Result<Vec<Variant>> {
    let is_run = match &exercise.kind {
        Kind::Kernel(_) | Kind::Program(_) => true,
        Kind::Function(_) => false,
        Kind::Numbers { answers, .. } => {
            exercise.lacks_a_line() || answers.iter().any(|answer| answer.case().is_some())
        }
    };
    if !is_run {
        return Ok(Vec::new());
    }
    let mut variants = vec![Variant::new("stub", exercise.stub())];
    if exercise.lacks_a_line() {
        variants.push(Variant::new("mended", exercise.mended()));
    }
    if let Kind::Numbers { .. } = exercise.kind {
        return Ok(variants);
    }
    variants.push(Variant::new("solution", exercise.solution()));
    let wrapped = |name: &str, text: &str| {
        let Kind::Kernel(plan) = &exercise.kind else { return None };
        let wrapping = wrapped(plan, text)?;
        Some(Variant::new(&format!("{name}-wrapping"), wrapping.text))
    };
    variants.extend(wrapped("solution", &exercise.solution()));
    for mutant in &exercise.mutants {
        variants.extend(wrapped(&mutant.name, &exercise.mutated(mutant)?));
        variants.push(Variant::new(&mutant.name, exercise.mutated(mutant)?));
    }
    Ok(variants)
}

/// What a check by a compiler reads beside the answer and the solution, from the repository root: what
/// numbers that are asked for are taken from.
pub fn files(exercise: &Exercise) -> Vec<String> {
    let counts = |answers: &[Answer]| answers.iter().any(|answer| answer.case().is_some());
    let is_counted = matches!(&exercise.kind, Kind::Numbers { answers, .. } if counts(answers));
    let pack = is_counted.then(|| format!("{PREBUILT}/{}.ptx", exercise.stem));
    [pack, exercise.evidence_file()].into_iter().flatten().collect()
}

/// The committed builds of an exercise, behind the name of their compiler; `None` if there are none.
fn builds(root: &Path, exercise: &Exercise) -> Result<Option<String>> {
    let path = root.join(PREBUILT).join(&exercise.stem).with_extension("ptx");
    let read = || read_lines(&path).with_context(|| format!("cannot read {}", shown(&path)));
    path.exists().then(read).transpose()
}

/// The committed PTX of the text whose hash is `hash`; `None` if there is none.
pub fn committed(root: &Path, exercise: &Exercise, hash: &str) -> Result<Option<String>> {
    let Some(pack) = builds(root, exercise)? else { return Ok(None) };
    let mut builds = pack.split("//@ ").filter_map(|build| build.split_once('\n'));
    let found = builds.find(|(mark, _)| mark.split(' ').next_back() == Some(hash));
    Ok(found.map(|(_, ptx)| ptx.to_string()))
}

/// The compiler of the committed builds: `nvcc 13.0.88`.
fn compiler_of_committed(root: &Path, exercise: &Exercise) -> Option<String> {
    Some(builds(root, exercise).ok()??.lines().next()?.strip_prefix("// ")?.to_string())
}

/// A compiled answer.
pub struct Build {
    /// PTX.
    pub ptx: String,
    /// What the compiler warned of.
    pub warnings: String,
    /// `nvcc 13.0.88`
    pub compiler: String,
    /// What compiled it just now; `None` if it is a committed build.
    pub by: Option<Compiler>,
}

/// PTX of an answer.
pub enum Built {
    /// It is compiled.
    Ptx(Build),
    /// It does not compile: what the compiler said.
    Refused(String),
    /// It has to be compiled, and there is no compiler.
    NoCompiler,
}

/// The PTX of the learner's file, whose contents are `text`: by `compiler` if there is one, else the
/// committed build, else by what compiler is found.
pub fn build(root: &Path, exercise: &Exercise, text: &str, compiler: Option<&Compiler>) -> Result<Built> {
    if compiler.is_none()
        && let Some(ptx) = committed(root, exercise, &source_hash(text))?
    {
        let compiler = compiler_of_committed(root, exercise).unwrap_or_default();
        return Ok(Built::Ptx(Build { ptx, warnings: String::new(), compiler, by: None }));
    }
    let found = || Compiler::find(root, exercise);
    let Some(compiler) = compiler.cloned().map_or_else(found, |given| Ok(Some(given)))? else {
        return Ok(Built::NoCompiler);
    };
    Ok(match compiler.ptx(exercise, text) {
        Ok(Ptx { text: ptx, warnings }) => {
            Built::Ptx(Build { ptx, warnings, compiler: compiler.name(), by: Some(compiler) })
        }
        Err(error) => match error.downcast::<Refused>() {
            Ok(refused) => Built::Refused(refused.0),
            // The compiler could not do its work: that says nothing of the answer.
            Err(error) => return Err(error),
        },
    })
}

/// The PTX of `text`, which was derived from the learner's file: by the compiler of `build`, if that is no
/// committed one. `None` if it does not compile.
///
/// # Errors
/// The compiler cannot do its work.
pub fn again(root: &Path, exercise: &Exercise, text: &str, build: &Build) -> Result<Option<String>> {
    match &build.by {
        Some(compiler) => accepted(compiler, exercise, text),
        None => committed(root, exercise, &source_hash(text)),
    }
}

/// The PTX of another text than the learner's, `text`: of the same compiler as `build`, so that the two can
/// be compared; of nvcc that is the committed one.
///
/// # Errors
/// The compiler cannot do its work.
pub fn beside(root: &Path, exercise: &Exercise, text: &str, build: &Build) -> Result<Option<String>> {
    match build.by.as_ref().filter(|compiler| compiler.is_clang()) {
        Some(clang) => accepted(clang, exercise, text),
        None => committed(root, exercise, &source_hash(text)),
    }
}

/// PTX of `text`, if it compiles.
fn accepted(compiler: &Compiler, exercise: &Exercise, text: &str) -> Result<Option<String>> {
    match compiler.ptx(exercise, text) {
        Ok(ptx) => Ok(Some(ptx.text)),
        Err(error) if error.is::<Refused>() => Ok(None),
        Err(error) => Err(error),
    }
}

/// All that a check of `text`, the learner's file, by clang compiles: first the text, then what is derived
/// from it, and what it is compared with.
///
/// # Errors
/// Another right answer is none of the solution.
pub fn compared(exercise: &Exercise, text: &str) -> Result<Vec<String>> {
    let plan = match &exercise.kind {
        Kind::Kernel(plan) => plan,
        Kind::Program(_) => return Ok(vec![text.to_string()]),
        Kind::Function(_) | Kind::Numbers { .. } => return Ok(Vec::new()),
    };
    let mut texts = vec![text.to_string()];
    texts.extend(wrapped(plan, text).map(|wrapping| wrapping.text));
    texts.extend([exercise.stub(), exercise.solution()]);
    for other in exercise.mutants.iter().filter(|other| other.is_right()) {
        texts.push(exercise.mutated(other)?);
    }
    let mut once = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    Ok(once)
}

/// Compiles every known text of `exercise`, as the contents of its committed file.
pub fn pack(compiler: &Compiler, exercise: &Exercise) -> Result<String> {
    let mut pack = format!("// {}\n", compiler.name());
    for variant in variants(exercise)? {
        let ptx = compiler
            .ptx(exercise, &variant.text)
            .with_context(|| format!("{} {}", exercise.id, variant.name))?;
        pack += &format!("//@ {} {}\n", variant.name, variant.hash());
        pack.extend(variables(&ptx.text).map(|line| format!("{}\n", line.trim_end())));
        pack += &stripped(&ptx.text);
    }
    Ok(pack)
}

/// PTX without comments, blank lines and debug sections, which say nothing that a launch or a diagnostic
/// needs.
fn stripped(ptx: &str) -> String {
    let mut text = String::new();
    let mut in_section = false;
    for line in ptx.lines() {
        let code = line.split("//").next().unwrap_or_default().trim_end();
        let is_file = line.trim_start().starts_with(".file");
        let code = if is_file { line } else { code };
        in_section |= code.trim_start().starts_with(".section");
        if !in_section && !code.trim().is_empty() {
            text.push_str(code);
            text.push('\n');
        }
        in_section &= !code.trim_end().ends_with('}');
    }
    text
}
