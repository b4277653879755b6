//! clang in a page: its front end and its back end, without the driver, which translates a command line's
//! options into those of the front end. That is done here, by what the driver gives for each kind of build
//! (`cc1.json`). What becomes of the answers is as for any clang: [`next`] is asked with those that there
//! are, until there is nothing more to call.
//!
//! In a page the repository lies in `/`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::compiler::{Maker, nested};
use super::program::{self, Pass, Program, Sources, is_program};
use super::{call, capability, clang, prebuilt};
use cuda_source::explain::explained;
use cuda_source::lex::{Token, joined, tokens};

/// The front end's arguments by kind of build; `{path}`, `{name}` and `{capability}` stand for a call's own.
const ARGUMENTS: &str = include_str!("cc1.json");

/// A source that a page wants compiled.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// From the repository root: `kernels/ch3_blocks.cu`.
    pub path: String,
    /// Its text.
    pub source: String,
    /// None: that of [`capability::of`], and 9.0 too where the source has kernels for it alone.
    #[serde(default)]
    pub capability: Option<String>,
    /// Whether a source with a `main` is a whole program. Else there is no place for one.
    #[serde(default)]
    pub programs: bool,
}

/// What clang answers to one call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// 0: it compiled.
    pub status: i32,
    /// What it wrote to stdout.
    pub ptx: String,
    /// What it wrote to stderr.
    pub said: String,
}

/// What is to be done next.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Next {
    /// Clang is to be called; its answers are to follow those that there are.
    Calls(Calls),
    /// Nothing.
    Compiled(Compiled),
}

/// Calls of clang's front end.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Calls {
    /// The files of headers that it is to see.
    pub headers: Vec<&'static str>,
    /// They may be made in any order, and at the same time. Their answers are to stand in this order.
    pub calls: Vec<Call>,
}

/// A call of clang's front end.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Its arguments.
    pub args: Vec<String>,
    /// The texts that it is to see besides the headers, by their paths.
    pub files: BTreeMap<String, String>,
}

/// The headers of kernels, those of whole programs, and libc++'s.
const HEADERS: [&str; 3] = ["headers.json", "host_headers.json", "cpp_headers.json.zst"];

/// What came of a request.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Compiled {
    /// 0: it compiled.
    pub status: i32,
    /// PTX; empty if it did not compile.
    pub ptx: String,
    /// The same for newer GPUs, where the source has kernels for them alone; else empty.
    pub newer: String,
    /// clang's messages, as a terminal shows them; empty if there are none.
    pub said: String,
    /// What running it takes, if it is a whole program.
    pub program: Option<Variables>,
}

/// The variables of a whole program: see [`Program`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variables {
    /// `__device__` and `__constant__`.
    pub device: Vec<String>,
    /// `__managed__`.
    pub managed: Vec<String>,
}

impl From<Program> for Compiled {
    fn from(program: Program) -> Compiled {
        let Program { ptx, device_variables, managed_variables, said } = program;
        let variables = Variables { device: device_variables, managed: managed_variables };
        Compiled { ptx, said, program: Some(variables), ..Compiled::default() }
    }
}

impl From<Compiled> for Program {
    fn from(Compiled { ptx, said, program, .. }: Compiled) -> Program {
        let Variables { device, managed } = program.unwrap_or_default();
        Program { ptx, device_variables: device, managed_variables: managed, said }
    }
}

/// What is to be done for `request` when its calls so far have these `answers`.
///
/// # Errors
/// A path or a capability that is none.
pub fn next(request: &Request, answers: Vec<Answer>) -> Result<Next> {
    if request.programs && is_program(&request.source) {
        return of_program(request, answers);
    }
    if answers.is_empty() {
        let files = || BTreeMap::from([(request.path.clone(), request.source.clone())]);
        let call = |args| Call { args, files: files() };
        let calls = arguments(request)?.into_iter().map(call).collect();
        return Ok(Next::Calls(Calls { headers: HEADERS[..1].to_vec(), calls }));
    }
    Ok(Next::Compiled(compiled(&request.path, &request.source, answers)))
}

/// The arguments of each call that kernels take.
fn arguments(request: &Request) -> Result<Vec<Vec<String>>> {
    let Request { path, source, capability, .. } = request;
    let capabilities = match capability {
        Some(one) => vec![one.as_str()],
        None => {
            [capability::of(source)].into_iter().chain(prebuilt::newer_arch(source, Maker::Clang)).collect()
        }
    };
    let call = |capability: &str| {
        anyhow::ensure!(
            !capability.is_empty() && capability.bytes().all(|byte| byte.is_ascii_digit()),
            "{capability} is not a compute capability: 75 is one"
        );
        front_end(kind(nested(source)), path, capability)
    };
    capabilities.into_iter().map(call).collect()
}

/// The arguments of the front end for a `kind` of build.
fn front_end(kind: &str, path: &str, capability: &str) -> Result<Vec<String>> {
    let name = path.rsplit('/').next().unwrap_or_default();
    anyhow::ensure!(name.ends_with(".cu"), "{path} is not the path of a kernel file");
    let kinds: BTreeMap<String, String> =
        serde_json::from_str(ARGUMENTS).context("cc1.json is not a list of arguments")?;
    let arguments = kinds.get(kind).with_context(|| format!("cc1.json has no {kind}"))?;
    let of = |argument: &str| {
        argument.replace("{path}", path).replace("{name}", name).replace("{capability}", capability)
    };
    Ok(arguments.split(' ').map(of).collect())
}

/// What came of the request for `path`, whose text is `source`, by the answers to its calls.
fn compiled(path: &str, source: &str, answers: Vec<Answer>) -> Compiled {
    let mut ptx = Vec::new();
    let mut first_said = None;
    for Answer { status, ptx: text, said } in answers {
        let mut said = explained(&call::messages(&said, path), path, source);
        if status != 0 {
            said.extend(clang::what_is_lacking(&said).map(|lacking| format!("\n{lacking}\n")));
            return Compiled { status, said, ..Compiled::default() };
        }
        ptx.push(call::with_files(&text, |entry| call::file_entry(Path::new("/"), entry, path)));
        first_said.get_or_insert(said);
    }
    let mut ptx = ptx.into_iter();
    let mut next = || ptx.next().unwrap_or_default();
    let said = first_said.unwrap_or_default();
    Compiled { status: 0, ptx: next(), newer: next(), said, program: None }
}

/// What is to be done next for a whole program: both passes, and later those for the device that
/// [`program::next`] wants. It sees libc++'s headers, which are fetched for that, only if it includes one.
/// Where its own text does not show that it does, clang's answers say so: then they count for nothing.
fn of_program(request: &Request, answers: Vec<Answer>) -> Result<Next> {
    let sources = Sources::of_text(Path::new("/"), &request.path, &request.source);
    let includes = includes_library(&request.source);
    let lacked = !includes && answers.first().is_some_and(|border| lacks_library(&border.said));
    let answers = answers.into_iter().skip(if lacked { PASSES } else { 0 });
    let answers: Vec<_> = answers.enumerate().map(|(place, one)| given(place, one)).collect();
    Ok(match program::next(&sources, &answers) {
        program::Next::Calls(calls) => {
            let calls = calls.into_iter().map(|call| in_memory(&request.path, call));
            let headers = HEADERS[..if includes || lacked { 3 } else { 2 }].to_vec();
            Next::Calls(Calls { headers, calls: calls.collect::<Result<_>>()? })
        }
        program::Next::Refused(said) => Next::Compiled(Compiled { status: 1, said, ..Compiled::default() }),
        program::Next::Done(program) => Next::Compiled(program.into()),
    })
}

/// The calls of a program's first round.
const PASSES: usize = 2;

/// Whether a source includes a header of C++, whose names are one word: `#include <vector>`.
fn includes_library(source: &str) -> bool {
    let text = joined(source);
    tokens(&text).windows(5).any(|five| match five {
        [hash, word, open, Token::Word(_), close] => {
            hash.is_mark("#") && word.is_word("include") && open.is_mark("<") && close.is_mark(">")
        }
        _ => false,
    })
}

/// Whether clang says that it lacks a header of C++, whose names have no extension.
fn lacks_library(said: &str) -> bool {
    let missing = said.lines().filter_map(|line| line.strip_suffix("' file not found")?.rsplit('\'').next());
    missing.into_iter().any(|name| !name.contains('.'))
}

/// A call for a whole program, with the texts of its files.
fn in_memory(path: &str, program::Call { pass, sources }: program::Call) -> Result<Call> {
    let mut args = front_end(kind_of(pass), path, program::PAGE_CAPABILITY)?;
    if pass == Pass::Border {
        args.splice(0..0, PRINTING.split(' ').map(str::to_owned));
    }
    let files = sources.files.iter().map(|source| (sources.name(source), source.text.clone()));
    Ok(Call { args, files: files.collect() })
}

/// The front end of the page gives PTX alone. It prints LLVM's text before its back end begins.
const PRINTING: &str = "-mllvm -print-before=pre-isel-intrinsic-lowering -mllvm -print-module-scope";

/// How what is printed by [`PRINTING`] begins.
const PRINTED: &str = "*** IR Dump Before ";

/// The answer to the call at this place of those for a program. The first one's output is LLVM's text, which
/// stands before the messages and ends with its metadata, lines with `!`.
fn given(place: usize, Answer { status, ptx, said }: Answer) -> program::Answer {
    if place > 0 || !said.starts_with(PRINTED) {
        let output = Some(ptx).filter(|_| status == 0);
        return program::Answer { output, said };
    }
    let metadata = said.find("\n!").unwrap_or(said.len());
    let is_of_it = |line: &&str| line.starts_with('!') || line.trim().is_empty();
    let behind: usize = said[metadata..].split_inclusive('\n').take_while(is_of_it).map(str::len).sum();
    let (ir, said) = said.split_at(metadata + behind);
    program::Answer { output: Some(ir.to_owned()), said: said.to_owned() }
}

fn kind_of(pass: Pass) -> &'static str {
    match pass {
        Pass::Border => "border",
        Pass::Device => "device",
    }
}

fn kind(nested: bool) -> &'static str {
    if nested { "nested" } else { "plain" }
}

#[cfg(test)]
mod tests {

    use super::super::compiler::{Compiler, Maker};
    use super::super::staging::Optimise;
    use super::*;
    use testing::renew::committed;

    fn request(source: &str, capability: Option<&str>) -> Request {
        let capability = capability.map(str::to_owned);
        Request { path: "kernels/x.cu".into(), source: source.into(), capability, programs: true }
    }

    fn answer(status: i32, ptx: &str, said: &str) -> Answer {
        Answer { status, ptx: ptx.into(), said: said.into() }
    }

    fn calls(request: &Request, answers: &[Answer]) -> Calls {
        match next(request, answers.to_vec()).unwrap() {
            Next::Calls(calls) => calls,
            Next::Compiled(compiled) => panic!("{compiled:?}"),
        }
    }

    fn result(request: &Request, answers: &[Answer]) -> Compiled {
        match next(request, answers.to_vec()).unwrap() {
            Next::Compiled(compiled) => compiled,
            Next::Calls(calls) => panic!("{calls:?}"),
        }
    }

    #[test]
    fn a_request_takes_a_call_for_each_capability() {
        let of = |source: &str, capability| {
            let calls = calls(&request(source, capability), &[]);
            calls.calls.into_iter().map(|call| call.args.join(" ")).collect::<Vec<_>>()
        };
        let plain = &of("int i;", None)[..];
        assert!(
            matches!(plain, [one] if one.contains("-target-cpu sm_75") && one.contains(" -O2 ")),
            "{plain:?}"
        );
        assert!(plain[0].ends_with(" -x cuda kernels/x.cu") && plain[0].contains("-main-file-name x.cu"));
        assert!(plain[0].contains(" -include /kernels/clang/cuda.h ") && !plain[0].contains("-fgpu-rdc"));
        assert!(of("k<<<1, 1>>>();", None)[0].contains(" -fgpu-rdc "));
        let newer = of("#if __CUDA_ARCH__ >= 900", None);
        assert!(matches!(&newer[..], [_, newer] if newer.contains("sm_90") && newer.contains("LIST__=900")));
        assert_eq!(of("#if __CUDA_ARCH__ >= 900", Some("90")), newer[1..]);
        for (path, capability) in [("kernels/x", None), ("x.cu", Some("7.5")), ("x.cu", Some("{path}"))] {
            let request = Request { path: path.into(), ..request("", capability) };
            assert!(next(&request, Vec::new()).is_err(), "{request:?}");
        }
    }

    #[test]
    fn an_answer_becomes_what_a_terminal_has() {
        let ptx = ".file 1 \"/kernels/x.cu\"\n.file 2 \"/kernels/clang/cuda.h\"\n";
        let warned = "kernels/x.cu(1): warning: unused\n1 warning generated when compiling for sm_75.\n";
        let held =
            compiled("kernels/x.cu", "", vec![answer(0, ptx, warned), answer(0, "// newer\n", warned)]);
        assert_eq!(held.ptx, ".file 1 \"kernels/x.cu\"\n.file 2 \"kernels/clang/cuda.h\"\n");
        assert_eq!((held.status, &*held.newer), (0, "// newer\n"));
        assert_eq!(held.said, "kernels/x.cu(1): warning: unused\n");
        let said = "kernels/x.cu(1): error: use of undeclared identifier '__vadd4'\n";
        let held = compiled("kernels/x.cu", "", vec![answer(1, "", said)]);
        assert_eq!((held.status, &*held.ptx), (1, ""));
        assert!(held.said.starts_with(said) && held.said.contains("If __vadd4 is CUDA's"), "{}", held.said);
    }

    const PROGRAM: &str = "int main() { return 0; }\n";
    const IR: &str =
        "*** IR Dump Before x ***\n@d = addrspace(1) externally_initialized global i32 0\n\n!0 = !{}\n\n";

    #[test]
    fn a_program_is_one_only_where_it_has_a_place() {
        let program = request(PROGRAM, None);
        let first = calls(&program, &[]);
        assert_eq!(first.headers, ["headers.json", "host_headers.json"]);
        let [border, device] = &first.calls[..] else { panic!("{first:?}") };
        assert_eq!(border.files["kernels/x.cu"], PROGRAM);
        assert!(border.args.join(" ").starts_with(PRINTING), "{border:?}");
        assert_ne!(device.files, border.files);
        let warned = format!("{IR}kernels/x.cu(1,1): warning: unused\n");
        let done = result(&program, &[answer(0, "", &warned), answer(0, "// PTX\n", "")]);
        assert_eq!(
            (&*done.ptx, &done.said[..]),
            ("// PTX\n", &*format!("kernels/x.cu(1): warning: unused\n{PROGRAM}"))
        );
        assert_eq!(done.program, Some(Variables { device: vec!["d".into()], managed: Vec::new() }));
        let kernels = Request { programs: false, ..program };
        assert_eq!(calls(&kernels, &[]).headers, ["headers.json"]);
        let done = result(&kernels, &[answer(0, "// PTX\n", "")]);
        assert_eq!(done.program, None);
    }

    #[test]
    fn libcs_headers_are_there_for_a_program_that_includes_one() {
        let program = request(PROGRAM, None);
        let lacks = |name: &str| {
            let said = format!("kernels/x.cu(1,10): fatal error: '{name}' file not found\n");
            answer(1, "", &said)
        };
        let both = [lacks("vector"), lacks("vector")];
        let again = calls(&program, &both);
        assert_eq!(again.headers, HEADERS);
        assert_eq!(again.calls, calls(&program, &[]).calls);
        let answers = [&both[..], &[answer(0, "", IR), answer(0, "// PTX\n", "")]].concat();
        assert_eq!(result(&program, &answers).ptx, "// PTX\n");
        let said = result(&program, &[lacks("helper_cuda.h"), lacks("helper_cuda.h")]).said;
        assert!(said.contains("this file is missing: helper_cuda.h"), "{said}");
        let answers = [&both[..], &[lacks("vektor"), lacks("vektor")]].concat();
        let said = result(&program, &answers).said;
        assert!(said.contains("this file is missing: vektor"), "{said}");
    }

    #[test]
    fn libcs_headers_are_there_at_once_for_a_program_whose_text_includes_one() {
        let of = |line: &str| request(&format!("{line}\n{PROGRAM}"), None);
        for line in
            ["#include <vector>", "  # include\t<cstdio> // for printf", "#include \\\n<unordered_map>"]
        {
            assert_eq!(calls(&of(line), &[]).headers, HEADERS, "{line}");
        }
        for line in ["#include <stdio.h>", "// #include <vector>", "#include <cuda/atomic>", "f<vector>();"] {
            assert_eq!(calls(&of(line), &[]).headers, HEADERS[..2], "{line}");
        }
        let vektor = of("#include <vektor>");
        let said = "kernels/x.cu(1,10): fatal error: 'vektor' file not found\n";
        let said = result(&vektor, &[answer(1, "", said), answer(1, "", said)]).said;
        assert!(said.contains("this file is missing: vektor"), "{said}");
        let kernels = Request { programs: false, ..of("#include <vector>") };
        assert_eq!(calls(&kernels, &[]).headers, HEADERS[..1]);
    }

    const PATH: &str = "kernels/ch3_blocks.cu";

    /// What the driver of `clang` calls its front end with, as `cc1.json` has it: without the output, and
    /// without where clang itself lies.
    fn driven(clang: &Compiler, flags: Vec<String>) -> String {
        let path = PATH;
        let mut command = clang.command(flags, path);
        let command = command.current_dir(crate::root().unwrap()).args(["-###", "-o", "out.ptx"]);
        let said = command.output().expect("clang starts").stderr;
        let said = String::from_utf8(said).unwrap();
        let line = said.lines().find(|line| line.contains("\"-cc1\"")).unwrap_or_else(|| panic!("{said}"));
        let mut words =
            line.trim().trim_matches('"').split("\" \"").skip_while(|word| *word != "-cc1").skip(1);
        let root = crate::root().unwrap().display().to_string();
        let mut kept = Vec::new();
        while let Some(word) = words.next() {
            if ["-o", "-resource-dir", "-internal-isystem", "-ivfsoverlay"].contains(&word) {
                words.next();
                continue;
            }
            assert!(!word.contains([' ', '{']), "{word:?} cannot stand in cc1.json");
            let word = match word {
                "sm_75" => "sm_{capability}",
                "-D__CUDA_ARCH_LIST__=750" => "-D__CUDA_ARCH_LIST__={capability}0",
                word if word == path => "{path}",
                word if path.ends_with(&format!("/{word}")) => "{name}",
                word => word,
            };
            kept.push(match word.strip_suffix(&root[..]) {
                Some(before) => format!("{before}/"),
                None => word.replace(&format!("{root}/"), "/"),
            });
        }
        kept.join(" ")
    }

    #[test]
    #[ignore = "needs clang"]
    fn the_arguments_of_the_front_end_are_renewed_by_clang() {
        let clang = Compiler::require(Maker::Clang, crate::root().unwrap()).unwrap();
        let mut kinds = BTreeMap::new();
        for nested in [false, true] {
            kinds.insert(
                kind(nested),
                driven(&clang, clang::flags(clang::options(Optimise::On), "75", nested)),
            );
        }
        for pass in [Pass::Border, Pass::Device] {
            kinds.insert(kind_of(pass), driven(&clang, program::page_flags(pass).unwrap()));
        }
        committed(
            "crates/kernel-compiler/src/cc1.json",
            serde_json::to_string_pretty(&kinds).unwrap() + "\n",
        );
    }
}
