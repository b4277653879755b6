//! A script and the source of its kernels as a CUDA program with a `main`, which `nvcc` builds: as a reader
//! would write it by hand.
//!
//! | file | job |
//! | --- | --- |
//! | `mod.rs` | the whole of it |
//! | `buffers.rs` | the buffers, until they are on the device |
//! | `steps.rs` | what is done with them, compared and shown |
//! | `elements.rs` | arrays of the host, and how they are filled |
//! | `call.rs` | a launch |
//! | `types.rs` | types, numbers and parameters of C++ |
//! | `helpers.rs` | the functions that it brings |
//! | `names.rs` | names that nothing else in it has |

mod buffers;
mod call;
mod elements;
mod helpers;
mod names;
mod steps;
mod types;

use std::collections::{BTreeSet, HashSet};

use anyhow::{Result, anyhow};
use cuda_source::lex::{Token, joined, tokens};
use cuda_source::parameters::{Kernel, kernels};

use elements::Array;
use helpers::Helper;
use names::Names;

use crate::number::Type;
use crate::script::{CELL, Script, in_comments};

/// What becomes a program.
pub struct Export<'a> {
    /// What the program is called, `mine_program`.
    pub name: &'a str,
    /// What it is made of: `Cell 2 of mine.cu`.
    pub origin: &'a str,
    /// Further options that its compiler needs, each with a blank before it.
    pub options: &'a str,
    /// The kernels.
    pub source: &'a str,
    /// What is done with them.
    pub script: &'a Script,
    /// The text that the script was read from.
    pub lines: &'a str,
    /// What the file of these lines is called.
    pub file: &'a str,
    /// The buffers that are shown, if not all are.
    pub shown: Option<&'a [String]>,
}

/// A buffer's variables.
struct Variables {
    kind: Type,
    host: Array,
    device: String,
}

/// A program as it grows.
struct Program<'a> {
    export: &'a Export<'a>,
    /// Those of the source.
    kernels: Vec<Kernel<'a>>,
    names: Names,
    /// In the script's order.
    buffers: Vec<Variables>,
    /// Buffers whose arrays hold what they hold on the device.
    fetched: HashSet<usize>,
    /// The variable that counts what is not as expected, if something is expected.
    wrong: Option<String>,
    body: String,
}

/// The program that does with `nvcc` and a GPU what the script does here.
///
/// # Errors
/// What cannot be written as a program, with the line that asks for it.
pub fn program(export: &Export) -> Result<String> {
    let mut program = Program {
        export,
        kernels: kernels(export.source),
        names: Names::new(export.source),
        buffers: Vec::new(),
        fetched: HashSet::new(),
        wrong: None,
        body: String::new(),
    };
    program.buffers()?;
    program.steps()?;
    program.show()?;
    program.end();
    Ok(program.text())
}

impl Program<'_> {
    /// All of it.
    fn text(&self) -> String {
        let Export { name, origin, options, source, .. } = self.export;
        let launches = if launches_itself(source) { " -rdc=true" } else { "" };
        let kernels = without_script(source);
        let helpers = self.names.definitions();
        let wrong = self.wrong.as_ref().map_or(String::new(), |wrong| format!("    size_t {wrong} = 0;\n"));
        let body: String = self.body.lines().map(indented).collect();
        [
            format!("// {origin} as a program. Build and run it:\n"),
            format!("//     nvcc -arch=native{launches}{options} -o {name} {name}.cu && ./{name}\n"),
            format!("{}\n{}\n{helpers}\n", self.includes(), kernels.trim()),
            "int main()\n{\n    std::cout.precision(9); // a float has no more digits\n".to_owned(),
            format!("{wrong}{body}}}\n"),
        ]
        .concat()
    }

    /// The headers of the helpers, and of the names of numbers.
    fn includes(&self) -> String {
        let numbers = [("INT64_MIN", "cstdint"), ("INFINITY", "cmath"), ("NAN", "cmath")];
        let numbers = numbers.into_iter().filter(|(number, _)| self.body.contains(number));
        let headers = self.names.headers().chain(numbers.map(|(_, header)| header)).chain(["vector"]);
        let headers: BTreeSet<&str> = headers.collect();
        headers.into_iter().map(|header| format!("#include <{header}>\n")).collect()
    }

    fn add(&mut self, text: &str) {
        self.body += text;
    }

    fn check(&mut self) -> String {
        self.names.helper(Helper::Check)
    }

    /// The variable that counts what is not as expected.
    fn wrong(&mut self) -> String {
        self.wrong.get_or_insert_with(|| self.names.free("wrong")).clone()
    }

    /// A line of the script, cut off where it is long; none of what stands in no line.
    fn line(&self, line: usize) -> Option<String> {
        const MAX_CHARACTERS: usize = 90;
        let text = self.export.lines.lines().nth(line.checked_sub(1)?)?.trim().trim_end_matches('\\');
        let start: String = text.chars().take(MAX_CHARACTERS).collect();
        let more = if start.len() < text.len() { " ..." } else { "" };
        Some(format!("{start}{more}"))
    }

    /// An error of a line of the script.
    fn at(&self, line: usize, why: anyhow::Error) -> anyhow::Error {
        let file = self.export.file;
        if line == 0 { anyhow!("{file}: {why:#}") } else { anyhow!("{file}:{line}: {why:#}") }
    }
}

/// What an element of the script is called: `in`, or `argument 0`.
fn called(name: &str) -> String {
    name.parse::<usize>().map_or(name.to_owned(), |arg| format!("argument {arg}"))
}

/// The same as part of a variable's name.
fn variable(name: &str) -> String {
    name.parse::<usize>().map_or(name.to_owned(), |arg| format!("arg{arg}"))
}

/// A source without the lines that are the script's, and with empty ones where cells begin.
fn without_script(source: &str) -> String {
    let script = in_comments(source);
    let lines = source.lines().zip(script.lines()).filter(|(_, script)| script.is_empty() || *script == CELL);
    lines
        .map(|(line, script)| if script.is_empty() { format!("{line}\n") } else { "\n".to_owned() })
        .collect()
}

/// Whether kernels launch kernels: a source without a `main` hardly launches them from anywhere else.
fn launches_itself(source: &str) -> bool {
    let text = joined(source);
    let is_mark = |three: &[Token]| three.iter().all(|token| token.is_mark("<"));
    tokens(&text).windows(3).any(is_mark)
}

fn indented(line: &str) -> String {
    if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }
}
