//! What a compiler says of a source, in the words of the reader's own text: a brace that is missing stands at
//! the line that opens it, and what a device does not have is named with what it has.

use std::fmt::Write;

use text::say::visible;

use super::braces::{Unbalanced, unbalanced};
use super::functions::functions;
use super::libraries::library;
use super::mistakes::{meant, unmarked, with_cudas_names};
use super::overlaid::overlaid;
use super::unnamed::{constant_writes, whole_quotients, whole_reciprocals};

/// A message with the lines that belong to it.
struct Message<'a> {
    /// The line of the reader's file that it is about; none of another file, or of none.
    line: Option<u32>,
    /// `error`, `fatal error`, `warning`
    kind: &'a str,
    what: String,
    /// The first line as the compiler has it, if `what` is still the compiler's.
    head: &'a str,
    /// The line, the marks below it, and notes.
    rest: Vec<&'a str>,
}

/// What a compiler `said` of `source`, the file `path`, in the form of
/// `kernel_compiler::call::messages`, in better words where there are some.
pub fn explained(said: &str, path: &str, source: &str) -> String {
    let (before, mut messages) = read(said, path);
    let is_refused = messages.iter().any(Message::is_error);
    let lines: Vec<&str> = source.lines().collect();
    for message in &mut messages {
        let quoted = message.line.and_then(|line| lines.get(line as usize - 1));
        message.better(source, quoted.unwrap_or(&""));
    }
    let mut own = Vec::new();
    // The chapters and the exercises have a host of their own.
    let has_own = path.starts_with("kernels/");
    let host = functions(source);
    if let Some(main) = host.iter().find(|one| one.name == "main" && (is_refused || has_own)) {
        let (first, last) = main.lines;
        messages.retain(|message| !message.line.is_some_and(|line| (first..=last).contains(&line)));
        let kind = if is_refused { "error" } else { "warning" };
        let why = if has_own {
            "here: a program of the workbook launches the kernels"
        } else {
            "where --grid or --script says what is launched: without these the whole program runs"
        };
        let what = format!("main does not run {why}; leave lines {first} to {last} out");
        own.push(placed(path, source, first, kind, &what));
    }
    for unmarked in unmarked(source) {
        let explains = |one: &Message| {
            one.is_error() && one.line.is_some_and(|line| unmarked.explains(line, one.words()))
        };
        if unmarked.is_launched() || messages.iter().any(explains) {
            messages.retain(|message| !explains(message));
            // A compiler may take it; what launches it does not.
            own.push(placed(path, source, unmarked.line(), "error", &unmarked.what()));
        }
    }
    for (line, name) in constant_writes(source) {
        let what = format!("{name} is __constant__: a kernel can read it and not write to it");
        own.push(placed(path, source, line, "warning", &what));
    }
    for (line, name) in whole_reciprocals(source) {
        let what = format!("1 / {name} of whole numbers is 0 for every {name} above 1: write 1.0f / {name}");
        own.push(placed(path, source, line, "warning", &what));
    }
    for (line, [a, b]) in whole_quotients(source) {
        let what = format!(
            "{a} / {b} divides whole numbers: the fraction is lost before the result becomes a float; write \
             (float){a} / {b}"
        );
        own.push(placed(path, source, line, "warning", &what));
    }
    for (line, [first, second]) in overlaid(source) {
        let what = format!(
            "{first} and {second} start at the same byte: all extern __shared__ arrays of a kernel do; \
             declare one, launch with the bytes of both, and let {second} point behind the elements of \
             {first}"
        );
        own.push(placed(path, source, line, "warning", &what));
    }
    // The brace that is missing then stands in the comment.
    let is_unterminated =
        messages.iter().any(|one| one.is_error() && one.words().starts_with("unterminated"));
    if is_unterminated {
        messages.retain(|message| !message.is_of_braces());
    } else if is_refused && let Some(unbalanced) = unbalanced(source) {
        let (line, end, what) = match unbalanced {
            Unbalanced::Open { line, until } => {
                (line, until, "a } is missing: nothing closes the { of this line")
            }
            Unbalanced::Extra { line } => (line, line, "a } is too many: nothing opens what it closes"),
        };
        messages.retain(|message| message.line.is_some_and(|line| line < end) && !message.is_of_braces());
        own.push(placed(path, source, line, "error", what));
    }
    once_for_each_line(&mut messages);
    let mut text = own.concat() + &before;
    for Message { line, kind, what, head, rest } in &messages {
        let _ = match line {
            Some(line) if !what.is_empty() => writeln!(text, "{path}({line}): {kind}: {what}"),
            _ => writeln!(text, "{head}"),
        };
        rest.iter().for_each(|line| text += &format!("{}\n", with_cudas_names(line)));
    }
    text
}

/// A message of ours in the form of a compiler's: of a line of `source`, the file `path`, which is quoted.
fn placed(path: &str, source: &str, line: u32, kind: &str, what: &str) -> String {
    let quoted = visible(source.lines().nth(line as usize - 1).unwrap_or_default());
    format!("{path}({line}): {kind}: {what}\n{quoted}\n")
}

/// The lines before the first message, and the messages.
fn read<'a>(said: &'a str, path: &str) -> (String, Vec<Message<'a>>) {
    let mut before = String::new();
    let mut messages: Vec<Message> = Vec::new();
    for text in said.lines() {
        let head = head(text);
        let is_note = head.is_some_and(|(.., kind, _)| kind.starts_with("note"));
        match (head, messages.last_mut()) {
            (Some((file, line, kind, _)), _) if !is_note => {
                let line = line.filter(|_| file == path);
                messages.push(Message { line, kind, what: String::new(), head: text, rest: Vec::new() });
            }
            (_, Some(last)) => last.rest.push(text),
            (_, None) => before += &format!("{text}\n"),
        }
    }
    (before, messages)
}

/// File, line, kind and words of the first line of a message: `x.cu(3): error: …`, or at the end of a source
/// `At end of source: error: …`.
fn head(text: &str) -> Option<(&str, Option<u32>, &str, &str)> {
    let (place, rest) = text.split_once(": ")?;
    let (kind, what) = rest.split_once(": ")?;
    let kinds = ["error", "fatal error", "catastrophic error", "warning", "note"];
    // nvcc writes `warning #177-D`.
    kinds.contains(&kind.split(" #").next()?).then_some(())?;
    match place.strip_suffix(')').and_then(|place| place.rsplit_once('(')) {
        Some((file, number)) => number.parse().ok().map(|number| (file, Some(number), kind, what)),
        None => Some(("", None, kind, what)),
    }
}

impl Message<'_> {
    fn is_error(&self) -> bool {
        self.kind.contains("error")
    }

    fn words(&self) -> &str {
        head(self.head).map_or("", |(.., what)| what)
    }

    /// Whether it says no more than that a brace is missing, or too many.
    fn is_of_braces(&self) -> bool {
        let of = [
            "expected '}'",
            "expected a \"}\"",
            "extraneous closing brace",
            "function definition is not allowed",
        ];
        self.is_error() && of.iter().any(|words| self.words().starts_with(words))
    }

    /// Finds better words, if there are some; `quoted` is its line.
    fn better(&mut self, source: &str, quoted: &str) {
        let words = self.words();
        let better = if self.is_error() {
            std_name(words, quoted)
                .map(|name| NO_LIBRARY.to_string() + &in_place_of(name))
                .or_else(|| missing_header(words).and_then(header))
                .or_else(|| newer(words))
                .or_else(|| meant(words, quoted, &self.rest, source))
        } else {
            // Nothing is deleted: clang is told to keep it, and the simulator finds it.
            words.starts_with("indirection of non-volatile null pointer").then(|| NULL.to_string())
        };
        if let Some(better) = better {
            self.what = better;
            let is_note = |line: &&str| {
                line.contains("): note: ") || line.contains("): note #") || line.starts_with("note: ")
            };
            let end = self.rest.iter().position(is_note).unwrap_or(self.rest.len());
            self.rest.truncate(end);
        } else if with_cudas_names(words) != words {
            self.what = with_cudas_names(words);
        }
    }
}

/// Of several errors in a line that has one of ours, the others are its consequences; and so is clang's
/// warning of an array's length.
fn once_for_each_line(messages: &mut Vec<Message>) {
    let ours: Vec<u32> = messages
        .iter()
        .filter(|one| one.is_error() && !one.what.is_empty())
        .filter_map(|one| one.line)
        .collect();
    let mut said: Vec<String> = Vec::new();
    messages.retain(|one| {
        let Some(line) = one.line.filter(|line| ours.contains(line)) else { return true };
        if !one.is_error() {
            return !one.words().starts_with("variable length arrays");
        }
        let place = format!("{line} {}", one.what);
        let is_new = !one.what.is_empty() && !said.contains(&place);
        said.push(place);
        is_new
    });
}

const NULL: &str = "this goes through a null pointer: there is no memory at address 0";
const NO_LIBRARY: &str = "there is no standard library on the device here; ";

/// The name behind `std::` that a message of a compiler is about.
fn std_name<'a>(words: &str, quoted: &'a str) -> Option<&'a str> {
    let is_it = words.contains("identifier 'std'")
        || words.contains("namespace 'std'")
        || words.contains("namespace \"std\"")
        || words.contains("name followed by \"::\"")
        || words.contains("__host__ function");
    let (_, behind) = quoted.split_once("std::").filter(|_| is_it)?;
    Some(&behind[..behind.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(behind.len())])
}

/// What a kernel has in place of `std::name`.
fn in_place_of(name: &str) -> String {
    match name {
        "cout" | "cerr" | "endl" | "print" | "println" => "use printf()".to_string(),
        "vector" | "array" | "string" | "span" | "map" | "list" | "begin" | "end" => ARRAYS.to_string(),
        "swap" => "swap the two with a third variable".to_string(),
        "numeric_limits" => "use INT_MAX and others of <climits>, or INFINITY".to_string(),
        "accumulate" | "reduce" | "sort" | "fill" | "copy" | "transform" => "write the loop".to_string(),
        "atomic" => "use atomicAdd() and others".to_string(),
        "size_t" | "int32_t" | "uint32_t" | "int64_t" | "uint64_t" => format!("write {name}, without std::"),
        _ => format!("use {name}()"),
    }
}

const ARRAYS: &str = "a kernel works on arrays and pointers";

/// The header that a message says is not there.
fn missing_header(words: &str) -> Option<&str> {
    words.strip_prefix('\'').and_then(|rest| rest.strip_suffix("' file not found"))
}

/// What is wrong with a header of the standard library or of one of NVIDIA's: a sentence without its end;
/// nothing of other headers.
fn header(name: &str) -> Option<String> {
    let of_nvidia = |library| {
        format!(
            "<{name}> belongs to NVIDIA's {library}, which is not among clang's headers here: compile this \
             file with nvcc, or do without it"
        )
    };
    let of_cpp = || HEADERS.contains(&name).then(|| NO_LIBRARY.to_string() + &in_place_of_header(name));
    library(name).map(of_nvidia).or_else(of_cpp)
}

/// Headers of C and C++ that a kernel has no use for.
const HEADERS: [&str; 25] = [
    "algorithm",
    "array",
    "atomic",
    "chrono",
    "cstdlib",
    "cstring",
    "fstream",
    "functional",
    "iomanip",
    "iostream",
    "iterator",
    "limits",
    "list",
    "map",
    "memory",
    "numeric",
    "random",
    "set",
    "sstream",
    "stdlib.h",
    "string",
    "string.h",
    "thread",
    "utility",
    "vector",
];

/// What a kernel has in place of a header.
fn in_place_of_header(name: &str) -> String {
    match name {
        "algorithm" => "leave <algorithm> out; min() and max() need no header".to_string(),
        "iostream" | "fstream" | "sstream" | "iomanip" => format!("leave <{name}> out, and use printf()"),
        "atomic" => "leave <atomic> out, and use atomicAdd() and others".to_string(),
        "cstdlib" | "cstring" | "memory" | "stdlib.h" | "string.h" => {
            format!("leave <{name}> out")
        }
        _ => format!("leave <{name}> out: {ARRAYS}"),
    }
}

/// What needs a newer GPU, if that is what a message says or means.
fn newer(words: &str) -> Option<String> {
    let name = words.split(['\'', '"']).nth(1)?;
    let wants = if let Some((_, features)) = words.split_once("needs target feature") {
        let (_, number) = features.split_once("sm_")?;
        let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
        let (major, minor) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
        format!("{major}.{minor}")
    } else if words.contains("undeclared identifier")
        || words.contains("is undefined")
        || words.contains("has no member")
    {
        let (_, capability) = NEWER.iter().find(|(known, _)| name.starts_with(known))?;
        capability.to_string()
    } else {
        return None;
    };
    Some(format!("`{name}` needs compute capability {wants} or newer, and this is compiled for an older one"))
}

/// What newer GPUs alone have, by the beginning of its name (CUDA C++ Programming Guide, "C++ Language
/// Extensions" and "Cooperative Groups").
const NEWER: [(&str, &str); 4] =
    [("__reduce_", "8.0"), ("__cluster_dims__", "9.0"), ("this_cluster", "9.0"), ("cluster_group", "9.0")];

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "kernels/x.cu";

    fn heads(said: &str) -> Vec<&str> {
        said.lines().filter(|line| line.starts_with(PATH)).collect()
    }

    /// Chapter 2's kernel without a brace: clang speaks of the kernel behind it.
    #[test]
    fn a_missing_brace_stands_where_it_is_opened() {
        let source = "__global__ void a(int *p)\n{\n    if (p) {\n        p[0] = 1;\n}\n// \
            END\n__global__ void b() {}\n";
        let clang = "kernels/x.cu(4): warning: unused\n  p\nkernels/x.cu(7): error: expected unqualified-id\n\
            __global__ void b() {}\n^\nkernels/x.cu(7): error: expected '}'\n__global__ void b() \
            {}\n          ^\n\
            kernels/x.cu(2): note: to match this '{'\n{\n^\n";
        let nvcc = "kernels/x.cu(7): error: expected a \";\"\n  b\n\nAt end of source: error: expected a \
            \"}\"\n\
            kernels/x.cu(2): note #3196-D: to match this \"{\"\n  {\n";
        for said in [clang, nvcc] {
            let said = explained(said, PATH, source);
            assert!(
                said.starts_with(
                    "kernels/x.cu(3): error: a } is missing: nothing closes the { of \
                this line\n    if (p) {\n"
                ),
                "{said}"
            );
            assert!(!said.contains("(7)") && !said.contains("expected"), "{said}");
        }
        assert_eq!(heads(&explained(clang, PATH, source)).len(), 2, "a warning stays");
        let extra = explained(
            "kernels/x.cu(3): error: extraneous closing brace ('}')\n}\n^\n",
            PATH,
            "void f()\n{}\n}\n",
        );
        assert_eq!(extra, "kernels/x.cu(3): error: a } is too many: nothing opens what it closes\n}\n");
    }

    #[test]
    fn a_comment_without_an_end_is_not_a_missing_brace() {
        let source = "__global__ void a(int *p)\n{\n    p[0] = 1; /* what\n}\n";
        let clang = "kernels/x.cu(3): error: unterminated /* comment\n    p[0] = 1; /* what\n              \
            ^\nkernels/x.cu(4): error: expected '}'\n}\n ^\nkernels/x.cu(2): note: to match this '{'\n{\n^\n";
        let nvcc = "kernels/x.cu(3): error: unterminated comment\n    3 |     p[0] = 1; /* what\n";
        for said in [clang, nvcc] {
            let said = explained(said, PATH, source);
            let heads = heads(&said).concat();
            assert!(heads.starts_with("kernels/x.cu(3): error: unterminated "), "{heads}");
            assert!(!heads.contains('}'), "{heads}");
        }
    }

    #[test]
    fn what_the_device_has_not_is_named_with_what_it_has() {
        for (source, said, better) in [
            ("p[0] = std::min(1, 2);", "error: use of undeclared identifier 'std'", "use min()"),
            (
                "p[0] = std::min(1, 2);",
                "error: calling a constexpr __host__ function(\"min\") from a",
                "use min()",
            ),
            ("std::vector<int> v;", "error: namespace \"std\" has no member \"vector\"", ARRAYS),
            (
                "#include <vector>",
                "fatal error: 'vector' file not found",
                "leave <vector> out: a kernel works on",
            ),
            (
                "#include <iostream>",
                "fatal error: 'iostream' file not found",
                "leave <iostream> out, and use printf()",
            ),
        ] {
            let said = explained(&format!("kernels/x.cu(1): {said}\n{source}\n"), PATH, source);
            let head = heads(&said)[0];
            let (_, what) = head.split_once("error: ").unwrap();
            assert!(what.starts_with(NO_LIBRARY) && what[NO_LIBRARY.len()..].starts_with(better), "{head}");
        }
        let twice = "kernels/x.cu(1): error: use of undeclared identifier 'std'\n  x\n\
            kernels/x.cu(1): error: use of undeclared identifier 'v'\n  x\n";
        assert_eq!(heads(&explained(twice, PATH, "std::vector<int> v;")).len(), 1);
        let other = "kernels/x.cu(1): fatal error: 'mine.cuh' file not found\n#include <mine.cuh>\n";
        assert_eq!(explained(other, PATH, "#include <mine.cuh>"), other);
    }

    #[test]
    fn a_library_of_nvidias_is_called_by_its_name() {
        for (header, library) in [("mma.h", "WMMA (nvcuda::wmma"), ("cub/cub.cuh", "CUB,")] {
            let source = format!("#include <{header}>");
            let said = format!("kernels/x.cu(1): fatal error: '{header}' file not found\n{source}\n");
            let said = explained(&said, PATH, &source);
            let expected = format!("kernels/x.cu(1): fatal error: <{header}> belongs to NVIDIA's {library}");
            assert!(said.starts_with(&expected), "{said}");
            assert!(said.contains("compile this file with nvcc"), "{said}");
        }
    }

    #[test]
    fn what_a_newer_gpu_has_is_named_with_that() {
        for said in [
            "error: use of undeclared identifier '__reduce_add_sync'",
            "error: identifier \"__reduce_add_sync\" is undefined",
            "error: '__reduce_add_sync' needs target feature (sm_80|sm_86),ptx70",
        ] {
            let said = explained(&format!("kernels/x.cu(1): {said}\n"), PATH, "x");
            let what = "`__reduce_add_sync` needs compute capability 8.0 or newer, and this is compiled \
                for an older one";
            assert_eq!(said, format!("kernels/x.cu(1): error: {what}\n"));
        }
    }

    #[test]
    fn a_main_is_told_that_something_else_launches() {
        let source = "__global__ void k(int *p) {}\nint main()\n{\n    int *d;\n    cudaMalloc(&d, 64);\n    \
            k<<<1, 16>>>(d);\n}\n";
        let said = |path: &str, what: &str| explained(&format!("{path}(5): {what}\n  x\n"), path, source);
        let error = "error: use of undeclared identifier 'cudaMalloc'";
        let what = "main does not run where --grid or --script says what is launched: without these the \
            whole program runs; leave lines 2 to 7 out";
        assert_eq!(said("own.cu", error), format!("own.cu(2): error: {what}\nint main()\n"));
        let warning = "own.cu(5): warning: unused\n  x\n";
        assert_eq!(said("own.cu", "warning: unused"), warning, "a kernel beside a main can be launched");
        let what = "main does not run here: a program of the workbook launches the kernels; leave lines 2 to \
            7 out";
        assert_eq!(said(PATH, error), format!("{PATH}(2): error: {what}\nint main()\n"));
        assert!(said(PATH, "warning: unused").starts_with(&format!("{PATH}(2): warning: {what}")));
    }

    #[test]
    fn two_arrays_of_dynamic_shared_memory_are_told_to_be_one() {
        let source = "__global__ void k(int *p)\n{\n    extern __shared__ int a[];\n    \
            extern __shared__ int b[];\n    a[0] = b[0] = p[0];\n}\n";
        let said = explained("", PATH, source);
        assert!(said.starts_with("kernels/x.cu(4): warning: a and b start at the same byte"), "{said}");
    }

    #[test]
    fn a_null_pointer_is_called_so() {
        let said = "kernels/x.cu(1): warning: indirection of non-volatile null pointer will be deleted, \
            not trap \
            [-Wnull-dereference]\n*(int *)0 = 1;\n^\nkernels/x.cu(1): note: consider using \
            __builtin_trap()\n";
        let said = explained(said, PATH, "*(int *)0 = 1;");
        assert_eq!(said, format!("kernels/x.cu(1): warning: {NULL}\n*(int *)0 = 1;\n^\n"));
    }

    #[test]
    fn what_is_well_said_stays_as_it_is() {
        let said =
            "kernels/x.cu(5): error: expected ';'\n  x\n   ^\nkernels/clang/cuda.h(3): error: x\n  y\n";
        assert_eq!(explained(said, PATH, "a\nb\n"), said);
        assert_eq!(explained("", PATH, ""), "");
        assert_eq!(explained("ch9.cu\n", PATH, ""), "ch9.cu\n");
    }
}
