//! A whole program, one that has a `main`, to PTX: the host's functions are the device's there, and the
//! simulator calls `main` (see `kernels/clang/host/program.h`).
//!
//! clang reads the program twice. First as CUDA has it, which finds what crosses the border between host and
//! device, and which variables are the device's. Then with all functions for both sides.
//!
//! | file | job |
//! | --- | --- |
//! | `mod.rs` | [`next`]: which calls of clang it takes, and what becomes of the answers |
//! | `driver.rs` | [`compile`]: the calls in a terminal; those in a page are [`in_page`](super::in_page)'s |
//! | `sources.rs` | the files of a program |
//! | `edits.rs` | edits of a text that keep its lines |
//! | `rewrite.rs` | what clang does not take in device mode, said otherwise |
//! | `relocated.rs` | objects that are passed by value |
//! | `later.rs` | arrays and initializers that are computed when the program runs |
//! | `library.rs` | the C++ headers, changed as they are read |
//! | `lines.rs` | lines of the reader's own, for what is inlined from headers |
//! | `border.rs` | clang's messages, for a reader who knows nothing of the two passes |
//! | `variables.rs` | the names of variables |

mod border;
mod driver;
mod edits;
mod later;
mod library;
mod lines;
mod relocated;
mod rewrite;
mod sources;
mod variables;

use text::path;

use super::call;
use cuda_source::lex::{Token, joined, tokens};
#[cfg(test)]
pub use driver::page_flags;
pub use driver::{compile, compile_text};
use edits::{Edit, edited};
pub use library::{HOST, in_page as headers_in_page};
use lines::with_own_lines;
pub use sources::{Source, Sources};
use variables::{variables, with_own_names};

/// The names of all functions that a program's PTX may call and does not define, one a line.
pub const NATIVES: &str = include_str!("../../../../kernels/clang/host/natives.txt");

/// The compute capability that a page compiles programs for.
pub const PAGE_CAPABILITY: &str = "80";

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Kernels and host functions. Before `main`, the host calls the functions `__wb_init_…`, which
    /// initialise global variables, in the order of their names.
    pub ptx: String,
    /// The names in the PTX of the variables that are `__device__` or `__constant__`; all others, but those
    /// that are `.const` or `.shared`, are the host's.
    pub device_variables: Vec<String>,
    /// The names of those that are `__managed__`.
    pub managed_variables: Vec<String>,
    /// The compiler's warnings; empty if there are none.
    pub said: String,
}

/// Whether a source has a `main`: a function, or where braces do not match what looks like its head.
pub fn is_program(source: &str) -> bool {
    let text = joined(source);
    let tokens = tokens(&text);
    let is_head = |three: &[Token]| {
        let is_type = ["int", "void", "auto"].iter().any(|word| three[0].is_word(word));
        is_type && three[1].is_word("main") && three[2].is_mark("(")
    };
    tokens.windows(3).any(is_head)
}

/// How a program is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Host and device apart, for messages and for the names of the device's variables.
    Border,
    /// All for the device, to PTX.
    Device,
}

/// A call of clang.
#[derive(Clone, Debug)]
pub struct Call {
    /// What it makes: [`Pass::Border`] LLVM's text, [`Pass::Device`] PTX.
    pub pass: Pass,
    /// The program as clang is to read it.
    pub sources: Sources,
}

/// What came of a call: its output if it succeeded, and what clang said.
#[derive(Clone, Debug)]
pub struct Answer {
    /// None: it does not compile.
    pub output: Option<String>,
    /// The messages, with columns.
    pub said: String,
}

/// What is to be done next.
#[derive(Debug)]
pub enum Next {
    /// These calls, in any order.
    Calls(Vec<Call>),
    /// Nothing: it is compiled.
    Done(Program),
    /// Nothing: it does not compile, and this is why.
    Refused(String),
}

/// How often a program is read again after clang has named what it cannot do.
const MAX_ROUNDS: usize = 8;

/// What is to be done for a program when its calls so far, in their order, have these `answers`. Whoever asks
/// keeps the answers; nothing else is kept.
pub fn next(sources: &Sources, answers: &[Answer]) -> Next {
    let mut sources = sources.clone();
    for source in &mut sources.files {
        source.text = edited(&source.text, rewrite::spaced_launches(&source.text));
    }
    let mut device = sources.clone();
    for source in &mut device.files {
        source.text = edited(&source.text, rewrite::for_device(&source.text));
        source.text = edited(&source.text, relocated::moved_as_bytes(&source.text));
    }
    device.files[device.named - 1].text += "\n#pragma clang attribute pop\n";
    let refused = |said: &str| Next::Refused(border::explained(said, &sources));
    let [border, made @ ..] = answers else {
        let both = [(Pass::Border, sources), (Pass::Device, device)];
        return Next::Calls(both.into_iter().map(|(pass, sources)| Call { pass, sources }).collect());
    };
    let Some(ir) = &border.output else { return refused(&border.said) };
    let mut number = 0;
    for answer in made {
        if let Some(ptx) = &answer.output {
            return Next::Done(program(ir, ptx, &border.said, &sources));
        }
        let before = number;
        if let Err(said) = rewrite_later(&answer.said, &mut device, &mut number) {
            return refused(&said);
        }
        if number == before {
            return refused(&answer.said);
        }
    }
    if made.len() > MAX_ROUNDS {
        return Next::Refused("this program initialises more at run time than can be rewritten".to_owned());
    }
    Next::Calls(vec![Call { pass: Pass::Device, sources: device }])
}

/// The program that clang has made `ptx` of, and `ir` in the first pass, where it `said` something.
fn program(ir: &str, ptx: &str, said: &str, sources: &Sources) -> Program {
    let (managed_variables, device_variables) = variables(ir);
    let name = sources.name(sources.main());
    let entry = |path: &str| match path::below(library::CPP, path) {
        Some(header) => format!("include/{header}"),
        None => call::file_entry(&sources.root, path, &name),
    };
    let is_own = |path: &str| {
        let shown = entry(path);
        !shown.starts_with("include/") && !shown.starts_with(HOST)
    };
    let ptx = with_own_lines(&with_own_names(ptx), is_own);
    Program {
        ptx: call::with_files(&ptx, entry),
        device_variables,
        managed_variables,
        said: border::explained(said, sources),
    }
}

/// Rewrites what clang `said` that it cannot do, of which there have been `number` so far.
///
/// # Errors
/// Messages in clang's form, if something else has to be said.
fn rewrite_later(said: &str, sources: &mut Sources, number: &mut usize) -> Result<(), String> {
    let errors: Vec<_> = border::errors(said).collect();
    if let Some(other) = errors.iter().find(|error| !later::is_known(error.words)) {
        let is_a_consequence = other.words.contains("unterminated '#pragma clang attribute push'");
        if !is_a_consequence {
            return Err(said.to_owned());
        }
    }
    let mut edits: Vec<Vec<Edit>> = vec![Vec::new(); sources.files.len()];
    for error in errors.iter().filter(|error| later::is_known(error.words)) {
        let Some(index) = sources.position(error.file) else { continue };
        let text = &sources.files[index].text;
        let Some(place) = place(text, error.line, error.column) else { continue };
        *number += 1;
        let found = later::rewritten(text, place, error.words, *number);
        edits[index].extend(
            found.map_err(|what| {
                format!("{}({},{}): error: {what}\n", error.file, error.line, error.column)
            })?,
        );
    }
    for (source, edits) in sources.files.iter_mut().zip(edits) {
        source.text = edited(&source.text, edits);
    }
    Ok(())
}

/// The byte of `text` at a line and a column, both from 1.
fn place(text: &str, line: u32, column: u32) -> Option<usize> {
    let start = match line.checked_sub(1)? {
        0 => 0,
        before => text.match_indices('\n').nth(before as usize - 1)?.0 + 1,
    };
    let place = start + column.checked_sub(1)? as usize;
    text.is_char_boundary(place).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_main_that_is_a_function() {
        assert!(is_program("int main(int argc, char **argv) { return 0; }"));
        assert!(is_program("__global__ void k() {}\nint main()\n{\n}\n"));
        assert!(!is_program("// int main() {}\n__global__ void k() { int main = 0; }"));
    }

    #[test]
    fn a_place_is_a_byte() {
        assert_eq!(place("ab\ncd", 2, 2), Some(4));
        assert_eq!(place("ab", 3, 1), None);
    }

    /// What is next for a program of one file, `x.cu`, after these answers.
    fn after(text: &str, answers: &[Answer]) -> Next {
        next(&Sources::of_text(std::path::Path::new("/"), "x.cu", text), answers)
    }

    fn made(output: &str, said: &str) -> Answer {
        Answer { output: Some(output.to_owned()), said: said.to_owned() }
    }

    fn failed(said: &str) -> Answer {
        Answer { output: None, said: said.to_owned() }
    }

    const TEXT: &str = "__global__ void k();\nint n = f();\nint main() { k<< <1, 1>> >(); }\n";
    const DYNAMIC: &str = "x.cu(2,5): error: dynamic initialization is not supported for x\n";

    #[test]
    fn a_program_takes_two_calls_and_one_for_what_clang_names() {
        let Next::Calls(calls) = after(TEXT, &[]) else { panic!() };
        let texts: Vec<&str> = calls.iter().map(|call| &*call.sources.main().text).collect();
        assert_eq!(calls.iter().map(|call| call.pass).collect::<Vec<_>>(), [Pass::Border, Pass::Device]);
        assert_eq!(texts[0], TEXT.replace("<< <", "<<<").replace(">> >", ">>>"));
        assert!(texts[1].contains("begin\")\nint n = f();"), "{}", texts[1]);
        let ir = "@d = addrspace(1) externally_initialized global i32 0\n";
        let border = || made(ir, "x.cu(1,1): warning: unused\n");
        let Next::Calls(calls) = after(TEXT, &[border(), failed(DYNAMIC)]) else { panic!() };
        let [Call { pass: Pass::Device, sources }] = &calls[..] else { panic!("{calls:?}") };
        assert!(sources.main().text.contains("extern \"C\" void __wb_init_000001() {"), "{sources:?}");
        let ptx = ".file 1 \"/x.cu\"\n.file 2 \"/cpp/vector\"\n";
        let Next::Done(program) = after(TEXT, &[border(), failed(DYNAMIC), made(ptx, "")]) else { panic!() };
        assert_eq!(
            (&*program.ptx, &program.device_variables[..]),
            (".file 1 \"x.cu\"\n.file 2 \"include/vector\"\n", &["d".to_owned()][..])
        );
        assert_eq!(program.said, "x.cu(1): warning: unused\n__global__ void k();\n");
    }

    #[test]
    fn what_does_not_compile_is_said_and_what_does_not_end_too() {
        let refused = |answers: &[Answer]| match after(TEXT, answers) {
            Next::Refused(said) => said,
            next => panic!("{next:?}"),
        };
        let border = || made("", "");
        let wrong = || failed("x.cu(3,2): error: no\n");
        let expected = "x.cu(3): error: no\nint main() { k<< <1, 1>> >(); }\n";
        assert_eq!(refused(&[wrong(), made("ptx", "")]), expected);
        assert_eq!(refused(&[border(), wrong()]), expected);
        assert_eq!(refused(&[border(), failed("")]), "");
        let endless = [vec![border()], vec![failed(DYNAMIC); MAX_ROUNDS + 1]].concat();
        assert!(!refused(&endless).is_empty());
    }
}
