//! The calls of clang in a terminal. It reads texts in place of the program's and of libc++'s files by an
//! overlay.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use text::path;

#[cfg(test)]
use super::library;
use super::library::Library;
use super::sources::Sources;
use super::{Answer, Call, HOST, Next, Pass, Program, border, is_program, next};
use crate::clang;
use crate::compiler::{Compiler, Maker};
use crate::includes;
use crate::refusal::{Refused, failed_itself};
use crate::staging::{Given, Optimise};
use crate::within;

/// Compiles the program whose `files` these are, one of which has `main`, for this compute capability: `90`.
/// The files are compiled as one. What has to be kept for a while is in `scratch`.
///
/// # Errors
/// As [`Compiler::ptx`].
pub fn compile(
    clang: &Compiler,
    files: &[PathBuf],
    capability: &str,
    given: &Given,
    scratch: &Path,
) -> Result<Program> {
    compile_sources(clang, files, None, capability, given, scratch)
}

/// [`compile`], where one of the files holds a `text`, whatever is in it.
///
/// # Errors
/// As [`compile`].
pub fn compile_text(
    clang: &Compiler,
    files: &[PathBuf],
    text: (&Path, &str),
    capability: &str,
    given: &Given,
    scratch: &Path,
) -> Result<Program> {
    compile_sources(clang, files, Some(text), capability, given, scratch)
}

fn compile_sources(
    clang: &Compiler,
    files: &[PathBuf],
    text: Option<(&Path, &str)>,
    capability: &str,
    given: &Given,
    scratch: &Path,
) -> Result<Program> {
    ensure!(
        clang.maker == Maker::Clang,
        "a program is compiled by clang, and {} is not: install the wheel ziglang that \
         kernels/requirements.txt names, and set CLANG to its program zig",
        clang.name()
    );
    let scratch = std::path::absolute(scratch)?;
    let folders: Vec<PathBuf> = given.include.iter().map(|folder| clang.root.join(folder)).collect();
    let mut sources = Sources::gathered(files, &folders, &clang.root, is_program)?;
    if let Some((file, text)) = text {
        sources.replace(file, text)?;
    }
    check_includes(&sources, &folders)?;
    let compilation = Compilation {
        clang,
        capability,
        given,
        library: Library::of(&clang.path, &scratch)?,
        scratch: scratch.join(format!("program-{}", std::process::id())),
    };
    fs::create_dir_all(&compilation.scratch)?;
    let program = compilation.program(&sources);
    fs::remove_dir_all(&compilation.scratch)?;
    program
}

/// [`includes::check`] of each file that is named, with the `folders` of `-I`.
fn check_includes(sources: &Sources, folders: &[PathBuf]) -> Result<()> {
    for source in &sources.files[..sources.named] {
        let beside = source.path.parent().map(Path::to_owned);
        let folders: Vec<PathBuf> = beside.into_iter().chain(folders.iter().cloned()).collect();
        includes::check(&sources.name(source), &source.original, &folders)?;
    }
    Ok(())
}

/// How a program is compiled.
struct Compilation<'a> {
    clang: &'a Compiler,
    capability: &'a str,
    given: &'a Given<'a>,
    library: Library,
    scratch: PathBuf,
}

impl Compilation<'_> {
    /// Calls clang until there is nothing more to do.
    fn program(&self, sources: &Sources) -> Result<Program> {
        let mut answers = Vec::new();
        loop {
            match next(sources, &answers) {
                Next::Calls(calls) => answers.extend(self.answers(&calls)?),
                Next::Done(program) => return Ok(program),
                Next::Refused(said) => {
                    let name = self.clang.name();
                    let shown = sources.name(sources.main());
                    let program = path::shown(&self.clang.path);
                    bail!(Refused(format!(
                        "{name} could not compile {shown} ({program}):\n{}",
                        said.trim_end()
                    )));
                }
            }
        }
    }

    /// What clang makes of `calls`, all at once.
    fn answers(&self, calls: &[Call]) -> Result<Vec<Answer>> {
        std::thread::scope(|scope| {
            let started: Vec<_> = calls.iter().map(|call| scope.spawn(|| self.answer(call))).collect();
            let ended = started.into_iter().map(|thread| {
                thread.join().map_err(|_| anyhow::anyhow!("the thread that compiles ended early"))?
            });
            ended.collect()
        })
    }

    /// One call of clang.
    fn answer(&self, Call { pass, sources }: &Call) -> Result<Answer> {
        let overlay = self.overlay(sources, *pass)?;
        let output = self.scratch.join(format!("{pass:?}.out"));
        let mut command = self.clang.command(self.flags(*pass, &overlay)?, "-o");
        command.arg(&output);
        for other in &sources.files[..sources.named - 1] {
            command.arg("-include").arg(&other.path);
        }
        let shown = sources.name(sources.main());
        // A name that begins with a dash would be an option; a whole path never is.
        let whole = sources.main().path.display().to_string();
        command.arg(if shown.starts_with('-') { &whole } else { &shown }).current_dir(&self.clang.root);
        let name = self.clang.name();
        let program = path::shown(&self.clang.path);
        let limit = self.clang.limit;
        let ran = within::run(&command, "", limit, Some(&self.scratch))
            .with_context(|| format!("cannot start {program}"))?;
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
            return Ok(Answer { output: None, said });
        }
        let output = fs::read_to_string(&output).with_context(|| format!("{program} left no output"))?;
        Ok(Answer { output: Some(output), said })
    }

    /// The file that tells clang to read other texts in place of the program's and of libc++'s.
    fn overlay(&self, sources: &Sources, pass: Pass) -> Result<PathBuf> {
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
        for (index, source) in sources.files.iter().enumerate() {
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
        let Library { cpp, builtin, .. } = &self.library;
        let how = How { pass, capability: self.capability, optimise: self.given.optimise };
        let mut flags = flags(how, &crate::root()?.join(HOST), cpp, builtin);
        let folder = |folder: &PathBuf| format!("-I{}", self.clang.root.join(folder).display());
        flags.extend(self.given.include.iter().map(folder));
        flags.extend(self.given.define.iter().map(|name| format!("-D{name}")));
        flags.push("-ivfsoverlay".to_owned());
        flags.push(overlay.display().to_string());
        Ok(flags)
    }
}

/// How a pass is made.
struct How<'a> {
    pass: Pass,
    capability: &'a str,
    optimise: Optimise,
}

/// The options of a pass, where headers lie in `host`, `cpp` and `builtin`.
fn flags(how: How, host: &Path, cpp: &Path, builtin: &Path) -> Vec<String> {
    let optimised = clang::options(how.optimise).join(" ");
    let of_pass = match how.pass {
        Pass::Border => BORDER.to_owned(),
        Pass::Device => format!("{DEVICE} {optimised}"),
    };
    let target = clang::target(how.capability);
    let words = [FLAGS, &target, LIBRARY, &of_pass].into_iter().flat_map(str::split_whitespace);
    let mut flags: Vec<String> = words.map(str::to_owned).collect();
    let folders = [&host.join("std"), cpp, &host.join("cuda"), &host.join("c"), builtin];
    for folder in folders {
        flags.push("-isystem".to_owned());
        flags.push(folder.display().to_string());
    }
    flags.push("-include".to_owned());
    flags.push(host.join("program.h").display().to_string());
    flags
}

/// The options of a pass in a page.
#[cfg(test)]
pub fn page_flags(pass: Pass) -> Result<Vec<String>> {
    let how = How { pass, capability: super::PAGE_CAPABILITY, optimise: Optimise::On };
    Ok(flags(how, &crate::root()?.join(HOST), Path::new(library::CPP), Path::new(library::BUILTIN)))
}

/// As for kernels alone (`clang.rs`), but for the headers; columns are for `later.rs`.
const FLAGS: &str = "\
    -x cuda --cuda-device-only --target=x86_64-unknown-linux-gnu \
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
    -D_LIBCPP_ABI_OPTIMIZED_FUNCTION -D_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS \
    -D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 -D_LIBCPP_HAS_FILESYSTEM=0 -D_LIBCPP_HAS_RANDOM_DEVICE=1 \
    -D_LIBCPP_HAS_LOCALIZATION=0 -D_LIBCPP_HAS_UNICODE=0 -D_LIBCPP_HAS_WIDE_CHARACTERS=0 \
    -D_LIBCPP_HAS_NO_STD_MODULES -D_LIBCPP_HAS_TIME_ZONE_DATABASE=0 -D_LIBCPP_PSTL_BACKEND_SERIAL \
    -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE \
    -D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE \
    -D_LIBCPP_VERBOSE_ABORT(...)=__wb_abort(__VA_ARGS__)";

/// Of the first pass.
const BORDER: &str = "-DWB_BORDER -S -emit-llvm -O0 -Xclang -disable-llvm-passes";

/// Of the second. A function that lacks its `return` does not fall through into the next.
const DEVICE: &str = "-S -fno-exceptions -fno-rtti -Xclang -fno-strict-return -w";

#[cfg(test)]
mod tests {
    use super::super::NATIVES;
    use super::*;

    /// Compiles a program, in a folder of its own, with a header beside it.
    fn compiled(name: &str, source: &str) -> Result<Program> {
        let clang = Compiler::require(Maker::Clang, crate::root()?)?;
        let folder = std::env::temp_dir().join(format!("workbook-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("program.cu"), source)?;
        fs::write(folder.join("beside.h"), "#pragma once\n__global__ void beside(int *p);\n")?;
        fs::write(folder.join("book.h"), "#define OWN 1\n")?;
        let clang = clang.run_in(&folder);
        let result =
            compile(&clang, &[folder.join("program.cu")], "90", &Given::default(), &folder.join("scratch"));
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
            (
                "#include <vector>\n__global__ void k(std::vector<int> a) { a[0] = 1; }\nint main() {}\n"
                    .into(),
                2,
                "vector is a class of the host, and a kernel has one as a parameter",
            ),
            (main("__device__ int f() { return 1; }", "", "return f();"), 3, "f is __device__, and the host"),
            (main("", "", "k(nullptr);"), 3, "k is a kernel: launch it, k<<<blocks, threads>>>"),
            (main("#include <omp.h>", "", ""), 1, "<omp.h> is missing: the simulator runs the host as"),
            (main("#include \"helper_image.h\"", "", ""), 1, "this file is missing: helper_image.h: it is"),
            (
                main("", "", "__syncthreads();"),
                3,
                "__syncthreads() is for the threads of a block, and the host",
            ),
            (main("", "", "int i = threadIdx.x;"), 3, "threadIdx, blockIdx, blockDim and gridDim say which"),
            (main("", "", "int i; atomicAdd(&i, 1);"), 3, "atomicAdd is for kernels, and the host calls it"),
            (
                main("#include <cuda/latch>", "", ""),
                1,
                "this file is missing: cuda/latch: it belongs to NVIDIA's libcu++",
            ),
            (main("", "cuda::barrier<cuda::thread_scope_block> b;", ""), 2, "add #include <cuda/barrier>"),
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
    fn a_header_of_the_samples_is_ours_only_where_the_program_has_none() {
        let source = "#include <helper_cuda.h>\n#include \"book.h\"\n\
                      int main(int n, const char **words) { return findCudaDevice(n, words) + OWN; }\n";
        assert_eq!(compiled("headers", source).unwrap().said, "");
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

    /// A device has no end.
    #[cfg(unix)]
    #[test]
    #[ignore = "needs clang"]
    fn only_regular_files_are_included() {
        let error = compiled("device", "#include \"/dev/zero\"\nint main() {}\n").unwrap_err();
        let said = format!("{error:#}");
        assert!(said.contains("program.cu(1): error: /dev/zero is "), "{said}");
    }
}
