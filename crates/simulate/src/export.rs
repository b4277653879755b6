//! What a command line asks for, as a CUDA program with a `main`.

use anyhow::{Context, Result, ensure};
use cuda_source::lex::{Token, joined, tokens};
use kernel_compiler::program::is_program;
use launch::{Export, Script, Step};
use text::files::read_text;

use super::input::MAX_SOURCE;
use super::launch::script;
use super::names::readable;
use super::options::Options;

/// The program for the launches of the file, of one of its cells, of a script or of the command line.
///
/// # Errors
/// What the command line asks for is not right, or cannot be written as a program.
pub fn program(options: &Options) -> Result<String> {
    let path = &options.file;
    let file = path.display().to_string();
    let is_source = path.extension().is_some_and(|extension| extension == "cu");
    ensure!(is_source, "{file}: --export needs the source of the kernels, a .cu");
    let text = read_text(path, MAX_SOURCE).with_context(|| format!("cannot read {file}"))?;
    let source = down_to(&text, options.cell);
    ensure!(
        !is_program(&source),
        "{file} already has a main: it is a whole program, which nvcc builds as it is"
    );
    let (script, shown) = wanted(options, &source)?;
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let stem: String = path.file_stem().unwrap_or_default().to_string_lossy().chars().map(plain).collect();
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    let (name, origin) = match options.cell {
        Some(cell) => (format!("{stem}_cell{cell}"), format!("Cell {cell} of {own}")),
        None => (format!("{stem}_program"), own.to_string()),
    };
    let lines = match &options.script {
        Some(script) => read_text(script, MAX_SOURCE)?,
        None => launch::in_comments(&source),
    };
    launch::program(&Export {
        name: &name,
        origin: &origin,
        options: &for_compiler(options),
        source: &source,
        script: &script,
        lines: &lines,
        file: &options.script.as_ref().unwrap_or(path).display().to_string(),
        shown: shown.as_deref(),
    })
}

/// The lines of a source down to the end of a cell; all of them without one.
fn down_to(source: &str, cell: Option<u32>) -> String {
    let Some(cell) = cell else { return source.to_owned() };
    let lines = launch::down_to_cell(&launch::in_comments(source), cell as usize).lines().count();
    source.lines().take(lines).map(|line| format!("{line}\n")).collect()
}

/// The script, with kernels as the source names them, and the names of what is shown.
fn wanted(options: &Options, source: &str) -> Result<(Script, Option<Vec<String>>)> {
    let script = script(options, source)?;
    let (mut script, shown) = match options.cell {
        None => (script, None),
        Some(cell) => {
            let of_cell = script.of_cell(cell as usize, has_variables(source));
            let (script, shown) = of_cell.with_context(|| options.file.display().to_string())?;
            (script, Some(shown))
        }
    };
    for step in &mut script.steps {
        if let Step::Launch(launch) = step {
            launch.kernel = launch.kernel.as_deref().map(readable);
        }
    }
    Ok((script, shown))
}

/// Whether a source has variables of the device, which earlier cells may have changed.
fn has_variables(source: &str) -> bool {
    let text = joined(source);
    let tokens = tokens(&text);
    let is_space = |token: &Token| ["__device__", "__constant__"].iter().any(|word| token.is_word(word));
    let ends = |token: &&Token| ["(", ";", "=", "[", "{"].iter().any(|mark| token.is_mark(mark));
    let is_variable = |place: usize| tokens[place..].iter().find(ends).is_some_and(|end| !end.is_mark("("));
    (0..tokens.len()).any(|place| is_space(&tokens[place]) && is_variable(place))
}

/// The options of the command line that the program's compiler needs too.
fn for_compiler(options: &Options) -> String {
    let include = options.include.iter().map(|folder| format!(" -I {}", folder.display()));
    let define = options.define.iter().map(|name| format!(" -D{name}"));
    include.chain(define).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_device_are_told_from_functions() {
        for text in ["__constant__ float scale;", "__device__ int a[4];", "__device__ __managed__ int x = 1;"]
        {
            assert!(has_variables(text), "{text}");
        }
        for text in
            ["__device__ int f(int x) { return x; }", "__global__ void k() {}", "// __constant__ int x;"]
        {
            assert!(!has_variables(text), "{text}");
        }
    }

    #[test]
    fn a_source_ends_with_its_cell() {
        let source = "// %% one\nint a;\n// %% two\nint b;\n";
        assert_eq!(down_to(source, Some(1)), "// %% one\nint a;\n");
        assert_eq!([down_to(source, Some(2)), down_to(source, None)], [source, source]);
    }
}
