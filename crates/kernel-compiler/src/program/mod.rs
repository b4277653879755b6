//! A whole program, one that has a `main`, to PTX: the host's functions are the device's there, and the
//! simulator calls `main` (see `kernels/clang/host/program.h`).
//!
//! clang reads the program twice. First as CUDA has it, which finds what crosses the border between host and
//! device, and which variables are the device's. Then with all functions for both sides.
//!
//! | file | job |
//! | --- | --- |
//! | `sources.rs` | the files of a program |
//! | `edits.rs` | edits of a text that keep its lines |
//! | `rewrite.rs` | what clang does not take in device mode, said otherwise |
//! | `later.rs` | arrays and initializers that are computed when the program runs |
//! | `library.rs` | the C++ headers, changed as they are read |
//! | `border.rs` | clang's messages, for a reader who knows nothing of the two passes |

mod border;
mod edits;
mod later;
mod library;
mod rewrite;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use text::path;

use super::call;
use super::compiler::{Compiler, Maker};
use super::lex::{Token, joined, tokens};
use super::refusal::{Refused, failed_itself};
use super::staging::{Given, shown};
use super::within;
use edits::{Edit, edited};
pub use library::HOST;
use library::Library;
use sources::Source;

/// The names of all functions that a program's PTX may call and does not define, one a line.
pub const NATIVES: &str = include_str!("../../../../kernels/clang/host/natives.txt");

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

/// Compiles the program whose `files` these are, one of which has `main`. The files are compiled as one. What
/// has to be kept for a while is in `scratch`.
///
/// # Errors
/// As [`Compiler::ptx`].
pub fn compile(clang: &Compiler, files: &[PathBuf], given: &Given, scratch: &Path) -> Result<Program> {
    ensure!(
        clang.maker == Maker::Clang,
        "a program is compiled by clang, and {} is not: install the wheel ziglang that \
         kernels/requirements.txt names, and set CLANG to its program zig",
        clang.name()
    );
    let scratch = std::path::absolute(scratch)?;
    let folders: Vec<PathBuf> = given.include.iter().map(|folder| clang.root.join(folder)).collect();
    let mut sources = sources::gathered(files, &folders)?;
    let compilation = Compilation {
        clang,
        given,
        library: Library::of(&clang.path, &scratch)?,
        scratch: scratch.join(format!("program-{}", std::process::id())),
    };
    fs::create_dir_all(&compilation.scratch)?;
    // The file with main comes last, behind all that it calls.
    let main = sources[..files.len()].iter().position(|source| is_program(&source.original));
    let main = main.context("none of the files has a main()")?;
    sources[..files.len()].rotate_left(main + 1);
    let program = compilation.program(&mut sources, files.len());
    fs::remove_dir_all(&compilation.scratch)?;
    program
}

/// How a program is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Host and device apart, for messages and for the names of the device's variables.
    Border,
    /// All for the device, to PTX.
    Device,
}

/// A call of clang for a whole program.
struct Compilation<'a> {
    clang: &'a Compiler,
    given: &'a Given<'a>,
    library: Library,
    scratch: PathBuf,
}

/// What clang has made of a program: its output if it succeeded, and what it said.
struct Made {
    output: Option<String>,
    said: String,
}

/// How often a program is read again after clang has named what it cannot do.
const MAX_ROUNDS: usize = 8;

impl Compilation<'_> {
    /// Both passes. The first `named` of `sources` are the files on the command line.
    fn program(&self, sources: &mut [Source], named: usize) -> Result<Program> {
        for source in &mut *sources {
            source.text = edited(&source.text, rewrite::spaced_launches(&source.text));
        }
        let mut device = sources.to_vec();
        for source in &mut device {
            source.text = edited(&source.text, rewrite::for_device(&source.text));
        }
        device[named - 1].text += "\n#pragma clang attribute pop\n";
        let (border, first) = std::thread::scope(|scope| {
            let first = scope.spawn(|| self.made(&device, named, Pass::Device));
            let border = self.made(sources, named, Pass::Border);
            (border, first.join())
        });
        let border = border?;
        let Some(ir) = border.output else { return Err(self.refused(&border.said, sources, named)) };
        let (managed_variables, device_variables) = variables(&ir);
        let mut made =
            first.map_err(|_| anyhow::anyhow!("the thread that compiles {HOST} ended early"))??;
        let mut number = 0;
        for _ in 0..MAX_ROUNDS {
            if let Some(ptx) = made.output {
                let name = self.name(&sources[named - 1]);
                let said = border::explained(&border.said, sources, &self.clang.root);
                let entry = |path: &str| call::file_entry(&self.clang.root, path, &name);
                let ptx = call::with_files(&with_own_names(&ptx), entry);
                return Ok(Program { ptx, device_variables, managed_variables, said });
            }
            let before = number;
            if let Err(said) = self.rewrite_later(&made.said, &mut device, &mut number) {
                return Err(self.refused(&said, sources, named));
            }
            if number == before {
                return Err(self.refused(&made.said, sources, named));
            }
            made = self.made(&device, named, Pass::Device)?;
        }
        bail!("this program initialises more at run time than can be rewritten")
    }

    /// Rewrites what clang `said` that it cannot do, of which there have been `number` so far.
    ///
    /// # Errors
    /// Messages in clang's form, if something else has to be said.
    fn rewrite_later(&self, said: &str, sources: &mut [Source], number: &mut usize) -> Result<(), String> {
        let errors: Vec<_> = border::errors(said).collect();
        if let Some(other) = errors.iter().find(|error| !later::is_known(error.words)) {
            let is_a_consequence = other.words.contains("unterminated '#pragma clang attribute push'");
            if !is_a_consequence {
                return Err(said.to_owned());
            }
        }
        let mut edits: Vec<Vec<Edit>> = vec![Vec::new(); sources.len()];
        for error in errors.iter().filter(|error| later::is_known(error.words)) {
            let is_it =
                |source: &Source| self.name(source) == error.file || source.path == Path::new(error.file);
            let Some(index) = sources.iter().position(is_it) else { continue };
            let text = &sources[index].text;
            let Some(place) = place(text, error.line, error.column) else { continue };
            *number += 1;
            let found = later::rewritten(text, place, error.words, *number);
            edits[index].extend(found.map_err(|what| {
                format!("{}({},{}): error: {what}\n", error.file, error.line, error.column)
            })?);
        }
        for (source, edits) in sources.iter_mut().zip(edits) {
            source.text = edited(&source.text, edits);
        }
        Ok(())
    }

    /// The path by which clang is given a source, and by which it names it.
    fn name(&self, source: &Source) -> String {
        let root = dunce::canonicalize(&self.clang.root).unwrap_or_else(|_| self.clang.root.clone());
        shown(&root, &source.path)
    }

    /// One call of clang.
    fn made(&self, sources: &[Source], named: usize, pass: Pass) -> Result<Made> {
        let overlay = self.overlay(sources, pass)?;
        let output = self.scratch.join(format!("{pass:?}.out"));
        let mut command = self.clang.command(self.flags(pass, &overlay)?, "-o");
        command.arg(&output);
        let (main, others) = sources[..named].split_last().context("there is a file")?;
        for other in others {
            command.arg("-include").arg(&other.path);
        }
        // After `--`, a name that begins with a dash is no option.
        command.arg("--").arg(self.name(main)).current_dir(&self.clang.root);
        let name = self.clang.name();
        let program = path::shown(&self.clang.path);
        let limit = self.clang.limit;
        let ran = within::run(&command, "", limit, Some(&self.scratch))
            .with_context(|| format!("cannot start {program}"))?;
        let shown = self.name(main);
        let Some(status) = ran.status else {
            let seconds = limit.as_secs();
            bail!(Refused(format!(
                "{name} had not finished {shown} after {seconds} seconds and was stopped"
            )));
        };
        let said = ran.stdout + &ran.stderr;
        if !status.success() {
            if let Some(why) = failed_itself(status, &border::without_columns(&said), &self.scratch) {
                bail!("{name} failed ({program}): {why}\n{}", said.trim_end());
            }
            return Ok(Made { output: None, said });
        }
        let output = fs::read_to_string(&output).with_context(|| format!("{program} left no output"))?;
        Ok(Made { output: Some(output), said })
    }

    /// The file that tells clang to read other texts in place of the program's and of libc++'s.
    fn overlay(&self, sources: &[Source], pass: Pass) -> Result<PathBuf> {
        let mut roots = Vec::new();
        let mut add = |name: &Path, contents: &Path| {
            roots.push(serde_json::json!({
                "type": "file",
                "name": name.to_string_lossy(),
                "external-contents": contents.to_string_lossy(),
            }));
        };
        for (name, contents) in &self.library.changed {
            add(name, contents);
        }
        for (index, source) in sources.iter().enumerate() {
            let file = self.scratch.join(format!("{pass:?}-{index}.text"));
            fs::write(&file, &source.text)?;
            add(&source.path, &file);
        }
        let overlay = self.scratch.join(format!("{pass:?}.json"));
        let all = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots });
        fs::write(&overlay, all.to_string())?;
        Ok(overlay)
    }

    fn flags(&self, pass: Pass, overlay: &Path) -> Result<Vec<String>> {
        let host = crate::root()?.join(HOST);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        let mut flags = words(FLAGS);
        flags.extend(words(LIBRARY));
        flags.extend(words(match pass {
            Pass::Border => BORDER,
            Pass::Device => DEVICE,
        }));
        flags.extend(
            self.given.include.iter().map(|folder| format!("-I{}", self.clang.root.join(folder).display())),
        );
        flags.extend(self.given.define.iter().map(|name| format!("-D{name}")));
        let folders = [
            host.join("std"),
            self.library.cpp.clone(),
            host.join("cuda"),
            host.join("c"),
            self.library.builtin.clone(),
        ];
        for folder in folders {
            flags.push("-isystem".to_owned());
            flags.push(folder.display().to_string());
        }
        flags.push("-ivfsoverlay".to_owned());
        flags.push(overlay.display().to_string());
        flags.push("-include".to_owned());
        flags.push(host.join("program.h").display().to_string());
        Ok(flags)
    }

    /// The error of a program that clang does not compile.
    fn refused(&self, said: &str, sources: &[Source], named: usize) -> anyhow::Error {
        let said = border::explained(said, sources, &self.clang.root);
        let name = self.clang.name();
        let shown = self.name(&sources[named - 1]);
        let program = path::shown(&self.clang.path);
        anyhow::Error::new(Refused(format!(
            "{name} could not compile {shown} ({program}):\n{}",
            said.trim_end()
        )))
    }
}

/// As for kernels alone (`clang.rs`), but for the headers; columns are for `later.rs`.
const FLAGS: &str = "\
    -x cuda --cuda-device-only --target=x86_64-unknown-linux-gnu --cuda-feature=+ptx80 --cuda-gpu-arch=sm_80 \
    -nocudainc -nocudalib -nostdinc -nostdinc++ -std=c++17 -ffp-contract=fast -fms-extensions \
    -gline-tables-only -cuid=0 -fgpu-rdc -fcomplex-arithmetic=basic -fno-delete-null-pointer-checks \
    -fno-finite-loops -fno-builtin \
    -fno-threadsafe-statics -fdiagnostics-format=msvc -fshow-column -fno-diagnostics-show-line-numbers \
    -fno-diagnostics-fixit-info -ferror-limit=0 -Wno-everything -Wunused-variable -Wuninitialized \
    -Wformat -Wdeprecated-declarations";

/// What libc++ asks about its surroundings.
const LIBRARY: &str = "\
    -D_LIBCPP_ABI_VERSION=1 -D_LIBCPP_ABI_NAMESPACE=__1 -D_LIBCPP_HAS_THREADS=0 \
    -D_LIBCPP_HAS_MONOTONIC_CLOCK=1 -D_LIBCPP_HAS_TERMINAL=0 -D_LIBCPP_HAS_MUSL_LIBC=1 \
    -D_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS -D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 \
    -D_LIBCPP_HAS_FILESYSTEM=0 -D_LIBCPP_HAS_RANDOM_DEVICE=1 -D_LIBCPP_HAS_LOCALIZATION=0 \
    -D_LIBCPP_HAS_UNICODE=0 -D_LIBCPP_HAS_WIDE_CHARACTERS=0 -D_LIBCPP_HAS_NO_STD_MODULES \
    -D_LIBCPP_HAS_TIME_ZONE_DATABASE=0 -D_LIBCPP_PSTL_BACKEND_SERIAL \
    -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE \
    -D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE \
    -D_LIBCPP_VERBOSE_ABORT(...)=__wb_abort(__VA_ARGS__)";

/// Of the first pass.
const BORDER: &str = "-DWB_BORDER -S -emit-llvm -O0 -Xclang -disable-llvm-passes";

/// Of the second. A function that lacks its `return` does not fall through into the next.
const DEVICE: &str = "-S -O2 -fno-exceptions -fno-rtti -Xclang -fno-strict-return -w";

/// The managed variables that LLVM's `ir` defines, and the device's others. Constants without a name of
/// their own are read by both sides.
fn variables(ir: &str) -> (Vec<String>, Vec<String>) {
    let definitions = ir.lines().filter_map(|line| line.strip_prefix('@')?.split_once(" = "));
    let device = definitions.filter(|(name, what)| {
        let is_here = !what.contains("external ") && !what.contains("extern_weak ");
        let is_changed = what.contains(" global ") || what.contains("externally_initialized");
        let is_there_all_the_time = what.contains("addrspace(1)") || what.contains("addrspace(4)");
        is_here && is_changed && is_there_all_the_time && !name.starts_with("llvm.")
    });
    let (managed, others): (Vec<_>, Vec<_>) =
        device.partition(|(_, what)| what.contains("section \"managed\""));
    let names = |all: Vec<(&str, &str)>| {
        all.iter().map(|(name, _)| own_name(name.trim_matches('"')).replace('.', "_$_")).collect()
    };
    (names(managed), names(others))
}

/// What clang appends to the name of a static variable that the host uses too, before a number.
const OF_THE_FILE: &str = "__static__";

/// The name of a variable without what clang appends.
fn own_name(name: &str) -> &str {
    name.split_once(OF_THE_FILE).map_or(name, |(own, _)| own)
}

/// `ptx` with static variables under their own names. clang uses both names for one that it reads before it
/// knows that the host uses it too, and declares the one as `.extern`.
fn with_own_names(ptx: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut text = String::with_capacity(ptx.len());
    let mut renamed = Vec::new();
    let mut rest = ptx;
    while let Some((before, behind)) = rest.split_once(OF_THE_FILE) {
        text += before;
        renamed.push(text[text.rfind(|c| !is_of_name(c)).map_or(0, |at| at + 1)..].to_owned());
        rest = behind.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    text += rest;
    if renamed.is_empty() {
        return text;
    }
    let is_declaration = |line: &&str| {
        let declared = line.strip_prefix(".extern ").and_then(|line| line.rsplit(' ').next());
        let name = declared.map(|name| &name[..name.find(|c| !is_of_name(c)).unwrap_or(name.len())]);
        name.is_some_and(|name| renamed.iter().any(|known| known == name))
    };
    text.split_inclusive('\n').filter(|line| !is_declaration(line)).collect()
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
    fn the_devices_variables_are_told_from_llvms_text() {
        let ir = "@d = dso_local addrspace(1) externally_initialized global i32 0, align 4\n\
                  @c = dso_local addrspace(4) externally_initialized constant float 0.0, align 4\n\
                  @m = addrspace(1) externally_initialized global i32 0, section \"managed\", align 4\n\
                  @s.x = internal addrspace(1) global i32 0, align 4\n\
                  @shared = internal addrspace(3) global i32 undef, align 4\n\
                  @threadIdx = extern_weak dso_local addrspace(1) global %struct.WB_threadIdx, align 1\n\
                  @table = private unnamed_addr constant [3 x float] zeroinitializer, align 4\n\
                  @llvm.used = appending global [1 x ptr] [ptr @d], section \"llvm.metadata\"\n";
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(variables(ir), (names(&["m"]), names(&["d", "c", "s_$_x"])));
    }

    #[test]
    fn a_static_variable_has_one_name() {
        let ptx = ".extern .global .align 4 .u32 x;\n.extern .shared .align 4 .b8 y[];\n\
                   .visible .global .align 4 .u32 x__static__ef65d5958420cdcf;\n\
                   ld.global.u32 %r1, [x__static__ef65d5958420cdcf];\nld.global.u32 %r2, [x];\n";
        let expected = ".extern .shared .align 4 .b8 y[];\n.visible .global .align 4 .u32 x;\n\
                        ld.global.u32 %r1, [x];\nld.global.u32 %r2, [x];\n";
        assert_eq!(with_own_names(ptx), expected);
    }

    #[test]
    fn a_place_is_a_byte() {
        assert_eq!(place("ab\ncd", 2, 2), Some(4));
        assert_eq!(place("ab", 3, 1), None);
    }

    /// Compiles a program, in a folder of its own, with a header beside it.
    fn compiled(name: &str, source: &str) -> Result<Program> {
        let clang = Compiler::require(Maker::Clang, crate::root()?)?;
        let folder = std::env::temp_dir().join(format!("workbook-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("program.cu"), source)?;
        fs::write(folder.join("beside.h"), "#pragma once\n__global__ void beside(int *p);\n")?;
        let clang = clang.run_in(&folder);
        let result =
            compile(&clang, &[folder.join("program.cu")], &Given::default(), &folder.join("scratch"));
        fs::remove_dir_all(&folder)?;
        result
    }

    /// Kernels, templates, streams, containers, and what is initialised before `main`.
    const PROGRAM: &str = r#"
#include "beside.h"
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>
__device__ int on_device;
__managed__ int managed;
int on_host = 3;
std::vector<int> numbers = {3, 1, 2};
__global__ void beside(int *p) { p[threadIdx.x] += on_device + managed; }
template <typename T> __global__ void scale(T *p, T by) { p[threadIdx.x] = expf(p[threadIdx.x]) * by; }
struct Shape { virtual ~Shape() {} virtual double area() { return 0; } };
struct Square : Shape { double area() override { return 4; } };
int main(int argc, char **argv)
{
    static std::string first = argv[0];
    int room[argc + 1];
    room[0] = sizeof(room);
    try {
        if (argc > 9) throw std::runtime_error("too many");
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
    }
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
    std::map<std::string, std::unique_ptr<Shape>> shapes;
    shapes["square"] = std::make_unique<Square>();
    std::mt19937 generator(std::random_device{}());
    std::uniform_real_distribution<float> uniform(0, 1);
    std::stringstream text;
    text << std::setw(4) << std::fixed << uniform(generator) << shapes["square"]->area();
    std::ofstream("out.txt") << text.str();
    int *p;
    float *q;
    cudaMalloc(&p, 4);
    cudaMallocManaged(&q, 4);
    beside<< <1, 1>> >(p);
    scale<<<1, 1>>>(q, 2.0f);
    cudaMemcpyToSymbol(on_device, &on_host, sizeof on_host);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    std::cout << properties.name << cudaGetErrorString(cudaDeviceSynchronize()) << first << room[0];
    return cudaFree(p);
}
"#;

    #[test]
    #[ignore = "needs clang"]
    fn a_program_calls_only_what_is_declared_for_it() {
        let program = compiled("whole", PROGRAM).unwrap();
        let natives: Vec<&str> = NATIVES.lines().collect();
        let calls = program.ptx.lines().filter_map(|line| line.strip_prefix(".extern .func"));
        for call in calls {
            let name = call.rsplit(')').next().unwrap_or(call).trim();
            assert!(natives.contains(&name), "{name}");
        }
        assert!(program.ptx.contains(".func  (.param .b32 func_retval0) main("), "{}", program.ptx);
        assert!(program.ptx.contains(".visible .func __wb_init_"), "{}", program.ptx);
        assert_eq!(program.device_variables, ["on_device"]);
        assert_eq!(program.managed_variables, ["managed"]);
        assert_eq!(program.said, "");
    }

    #[test]
    #[ignore = "needs clang"]
    fn what_crosses_the_border_is_named_at_its_line() {
        let main = |before: &str, kernel: &str, host: &str| {
            format!("{before}\n__global__ void k(int *p) {{ {kernel} }}\nint main() {{ {host} }}\n")
        };
        for (source, line, words) in [
            (main("int f() { return 1; }", "*p = f();", ""), 2, "f is a function of the host"),
            (main("int n = 1;", "*p = n;", ""), 2, "n is a variable of the host"),
            (main("__device__ int f() { return 1; }", "", "return f();"), 3, "f is __device__, and the host"),
            (main("", "", "k(nullptr);"), 3, "k is a kernel: launch it, k<<<blocks, threads>>>"),
            (main("#include <omp.h>", "", ""), 1, "<omp.h> is missing: the simulator runs the host as"),
            (main("#include \"helper_cuda.h\"", "", ""), 1, "this file is missing: helper_cuda.h: it is"),
            (main("", "if (p) {", ""), 2, "a } is missing: nothing closes the { of this line"),
        ] {
            let error = compiled("border", &source).unwrap_err();
            let said = format!("{error:#}");
            let expected = format!("program.cu({line}): ");
            assert!(said.contains(&expected) && said.contains(words), "{said}");
            assert!(!said.contains("kernels/clang"), "{said}");
        }
    }

    #[test]
    #[ignore = "needs clang"]
    fn what_an_older_cuda_had_is_a_warning() {
        let source =
            "__global__ void k(int *p) { *p = __shfl(*p, 0); }\nint main() { cudaThreadSynchronize(); }\n";
        let said = compiled("old", source).unwrap().said;
        assert!(said.contains("program.cu(1): warning: __shfl: nvcc refuses it: since CUDA 9"), "{said}");
        assert!(said.contains("program.cu(2): warning: cudaThreadSynchronize: nvcc refuses it"), "{said}");
    }
}
