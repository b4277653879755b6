//! A `.cu` goes through nvcc, real or not.

use super::*;

/// A stand-in for nvcc, so that no test needs the real one.
#[cfg(unix)]
mod with_a_fake_nvcc {
    use super::*;

    /// Runs it on `mine.cu` with an nvcc that does as `body` says.
    fn with_nvcc(name: &str, body: &str) -> Run {
        with_options(name, "--arch 90 -Ihere -DN=4", body)
    }

    /// The same with these options.
    fn with_options(name: &str, options: &str, body: &str) -> Run {
        let directory = scratch(name);
        let nvcc = directory.join("nvcc");
        let version = "Cuda compilation tools, release 13.0, V13.0.88";
        let script =
            format!("#!/bin/sh\ncase $* in *--version*) echo '{version}'; exit;; -E*) exit;; esac\n{body}\n");
        testing::example::script(&nvcc, &script);
        std::fs::copy(root().join("crates/simulate/tests/simulate/kernels.cu"), directory.join("mine.cu"))
            .unwrap();
        let line = format!("mine.cu --kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4 {options}");
        let mut command = simulate();
        command.current_dir(&directory).env("NVCC", &nvcc).args(line.split_whitespace());
        Run { line, output: command.output().unwrap() }
    }

    /// nvcc repeats its options as an error.
    const REPEATS: &str = "echo \"mine.cu(1): error: $*\" >&2; exit 1";

    #[test]
    fn it_compiles_for_the_gpu_that_is_simulated() {
        for (options, capability) in [
            ("", "90"),
            ("--gpu T4", "75"),
            ("--gpu RTX3090", "86"),
            ("--gpu B200", "100"),
            ("--gpu T4 --arch sm_80", "80"),
        ] {
            let expected = format!(" -arch=compute_{capability} ");
            with_options("capability", options, REPEATS).refuses(&[&expected]);
        }
    }

    #[test]
    fn it_optimises_unless_told_otherwise() {
        with_options("optimised", "", REPEATS).refuses(&[" -O3 -lineinfo "]);
        with_options("plain", "--optimise off", REPEATS).refuses(&[" -Xcicc -O0 -lineinfo "]);
    }

    #[test]
    fn what_is_compiled_for_another_gpu_is_said() {
        let body =
            format!("while [ \"$1\" != -o ]; do shift; done\ncp {} \"$2\"", root().join(KERNELS).display());
        let note = "note: mine.cu is compiled for compute capability 8.0, and the simulated GPU, T4, has 7.5";
        let said = with_options("other_gpu", "--gpu T4 --arch 80", &body).exits(1).stderr();
        assert!(said.contains(note), "{said}");
        let said = with_options("own_gpu", "--gpu T4 --arch 75", &body).exits(1).stderr();
        assert!(!said.contains("note"), "{said}");
    }

    #[test]
    fn cuda_is_compiled_and_its_lines_are_shown() {
        let ptx = root().join(KERNELS);
        let body = format!(
            "for option in -arch=compute_90 -I../links/1 -DN=4; do\n\
             case \" $* \" in *\" $option \"*) ;; *) exit 7;; esac\ndone\n\
             while [ \"$1\" != -o ]; do shift; done\n\
             sed \"s|crates/simulate/tests/simulate/kernels.cu|$PWD/mine.cu|\" {} > \"$2\"\n\
             echo 'mine.cu: warning: unused'",
            ptx.display()
        );
        let run = with_nvcc("compiled", &body).exits(1);
        let text = run.stdout();
        assert!(text.contains("--> mine.cu:") && text.contains("data[threadIdx.x + 1] = 7;"), "{text}");
        assert!(run.stderr().contains("mine.cu: warning: unused"), "{}", run.stderr());
    }

    #[test]
    fn errors_of_nvcc_are_shown_whole() {
        let said = "mine.cu(3): error: expected a \";\"\n    x\n    ^";
        with_nvcc("error", &format!("printf '%s\\n' '{said}' >&2\nexit 1"))
            .refuses(&[said, "could not compile mine.cu"]);
        let absent = format!("{SUM} --grid 1 --block 1").replace(".ptx", ".cu");
        let mut command = simulate();
        command.env("NVCC", "/nowhere/nvcc").args(absent.split_whitespace());
        let run = Run { line: absent, output: command.output().unwrap() };
        run.refuses(&["NVCC is set to /nowhere/nvcc, which does not run as nvcc"]);
    }
}

/// Names that a shell would make a call of, which makes the file that `$HIT` names.
#[cfg(unix)]
mod with_odd_names {
    use super::*;
    use kernel_compiler::compiler::{Compiler, Maker};

    const FOLDER: &str = "in $(touch $HIT)`touch $HIT`;'";
    const FILE: &str = "x$(touch $HIT)`touch $HIT`&|*' #ü.cu";
    const HEADERS: &str = "headers $(touch $HIT)`touch $HIT`;'|";

    /// A folder of such a name, with a file of such a name, which includes what lies beside it, above it and
    /// in a folder of headers.
    fn place(name: &str) -> PathBuf {
        let folder = scratch(name).join(FOLDER);
        std::fs::create_dir_all(folder.join(HEADERS)).unwrap();
        let write = |path: PathBuf, text: &str| std::fs::write(path, text).unwrap();
        write(folder.join("beside.h"), "#define BESIDE 1\n#include \"../above.h\"\n");
        write(folder.join("../above.h"), "#define ABOVE 1\n");
        write(
            folder.join(HEADERS).join("mine.h"),
            "__device__ inline void store(int *p, int at) {\n    p[at] = BESIDE + ABOVE + N;\n}\n",
        );
        let source = "#include \"beside.h\"\n#include <mine.h>\n\
                      extern \"C\" __global__ void k(int *p) {\n    store(p, threadIdx.x + 1);\n}\n";
        write(folder.join(FILE), source);
        folder
    }

    /// Runs `simulate` in `folder` with these words; whether a shell made a call of a name is asserted.
    #[track_caller]
    fn run_in(folder: &Path, words: &[&str], variables: &[(&str, &Path)]) -> Run {
        let hit = folder.parent().unwrap().join("HIT");
        let _ = std::fs::remove_file(&hit);
        let mut command = simulate();
        command.current_dir(folder).env("PWD", folder).env("HIT", &hit).args(words);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let run = Run { line: words.join(" "), output };
        assert!(!hit.exists(), "{}{}", run.stdout(), run.stderr());
        run
    }

    const LAUNCH: [&str; 7] = ["--kernel", "k", "--grid", "1", "--block", "4", "--arg"];

    fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
        let launch = LAUNCH.into_iter().chain(["buf:i32:zeros*4"]);
        [FILE].into_iter().chain(launch).chain(more.iter().copied()).collect()
    }

    /// An nvcc that has a shell read all that it is told, and answers with a fixed PTX.
    fn nvcc(folder: &Path) -> PathBuf {
        let nvcc = folder.parent().unwrap().join("nvcc");
        let script = r#"#!/bin/sh
case $* in *--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; esac
sh -c "cd \"$PWD\"; : \"$0\" \"$TMPDIR\" $*" || exit 9
while [ $# -gt 1 ]; do
    case $1 in
        -o) out=$2; shift ;;
        -Xcompiler) shift; [ "$1" = -iquote ] || beside=$1 ;;
        *.cu) source=$1 ;;
    esac
    shift
done
[ -n "$out" ] || exit 0
[ -f "$beside/beside.h" ] && [ -f "$beside/../above.h" ] || exit 8
name=$(sed -n '1s/#line 1 "\(.*\)"/\1/p' "$source")
printf '.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n' > "$out"
printf '.loc 1 4 5\ntrap;\n}\n.file 1 "%s/%s"\n' "$PWD" "$name" >> "$out"
"#;
        testing::example::script(&nvcc, script);
        nvcc
    }

    #[test]
    fn no_name_reaches_a_shell_and_findings_have_the_readers_names() {
        let folder = place("names");
        let nvcc = nvcc(&folder);
        let headers = format!("-I{HEADERS}");
        let run = run_in(&folder, &words(&[&headers, "-DN=4"]), &[("NVCC", &nvcc)]);
        let text = run.exits(1).stdout();
        assert!(
            text.contains(&format!("--> {FILE}:4")) && text.contains("store(p, threadIdx.x + 1);"),
            "{text}"
        );
    }

    #[test]
    fn what_nvcc_would_hand_to_a_shell_is_refused() {
        let folder = place("refused-names");
        let nvcc = nvcc(&folder);
        let only = "so they may only have letters, digits, spaces and";
        let run = run_in(&folder, &words(&["-DN=$(touch $HIT)"]), &[("NVCC", &nvcc)]);
        run.refuses(&[
            "The option, \"-DN=$(touch $HIT)\", has '$' in it",
            only,
            "Write a macro as a #define",
        ]);
        let run = run_in(&folder, &words(&["--arch", "90$(touch $HIT)"]), &[("NVCC", &nvcc)]);
        run.refuses(&["has '$' in it", only]);
        let run = run_in(&folder, &words(&[]), &[("NVCC", &nvcc), ("TMPDIR", &folder)]);
        run.refuses(&[
            "The folder for temporary files",
            "has '$' in it",
            only,
            "Set TMPDIR to another folder",
        ]);
        let elsewhere = folder.join("nvcc");
        std::fs::copy(&nvcc, &elsewhere).unwrap();
        let run = run_in(&folder, &words(&[]), &[("NVCC", &elsewhere)]);
        run.refuses(&["The path of nvcc", "has '$' in it", only, "Install it elsewhere"]);
        let quoted = folder.join("\".cu");
        std::fs::copy(folder.join(FILE), &quoted).unwrap();
        let run = run_in(&folder, &["\".cu", "--grid", "1", "--block", "1"], &[("NVCC", &nvcc)]);
        run.refuses(&["has '\"' in its name, which no line table can hold; rename it"]);
    }

    /// Compiles with each real compiler; what is wrong is said by the readers' names too.
    #[test]
    #[ignore = "needs nvcc and clang"]
    fn real_compilers_find_headers_in_folders_of_any_name() {
        for maker in [Maker::Nvcc, Maker::Clang] {
            let folder = place("real-names");
            let compiler = Compiler::require(maker, root()).unwrap();
            let variable = match maker {
                Maker::Nvcc => "NVCC",
                Maker::Clang => "CLANG",
            };
            let given = [(variable, compiler.path.as_path())];
            let headers = format!("-I{HEADERS}");
            let run = run_in(&folder, &words(&[&headers, "-DN=4"]), &given).exits(1);
            let text = run.stdout();
            assert!(text.contains(&format!("--> {HEADERS}/mine.h:2")), "{text}");
            assert!(text.contains("p[at] = BESIDE + ABOVE + N;"), "{text}");
            let run = run_in(&folder, &words(&[&headers]), &given).exits(2);
            let said = run.stderr();
            assert!(said.contains(&format!("could not compile {FILE}")), "{said}");
            assert!(said.contains(&format!("{HEADERS}/mine.h(2): error: ")), "{said}");
            std::fs::write(folder.join(FILE), "int a = b;\n").unwrap();
            let said = run_in(&folder, &words(&[]), &given).exits(2).stderr();
            assert!(said.contains(&format!("{FILE}(1): error: ")), "{said}");
        }
    }
}

/// The compiler ends with the program, and what it has made so far goes too.
#[cfg(target_os = "linux")]
mod that_is_ended {
    use super::*;
    use std::time::{Duration, Instant};

    /// An nvcc that has begun to write a file, and takes an hour for the rest.
    const SLOW: &str = r#"#!/bin/sh
case $* in *--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; esac
case $1 in -E) exit; esac
echo > "$TMPDIR/tmpxft_1"
sh -c 'echo "$PPID $$ $PWD" > "$0"; exec sleep 3600.75' "$BEGUN" &
wait
"#;

    #[test]
    fn the_compiler_ends_with_the_program_and_leaves_nothing() {
        for signal in ["KILL", "TERM", "INT", "HUP"] {
            let folder = scratch(&format!("ended-{signal}"));
            let nvcc = folder.join("nvcc");
            let begun = folder.join("begun");
            testing::example::script(&nvcc, SLOW);
            std::fs::write(folder.join("mine.cu"), "").unwrap();
            let mut command = simulate();
            command.current_dir(&folder).env("NVCC", &nvcc).env("BEGUN", &begun).env("TMPDIR", &folder);
            let mut child = command.args(["mine.cu", "--grid", "1", "--block", "1"]).spawn().unwrap();
            let started = Instant::now();
            let wait_for = |is_so: &dyn Fn() -> bool, what: &str| {
                while !is_so() {
                    assert!(started.elapsed() < Duration::from_secs(60), "SIG{signal}: {what}");
                    std::thread::sleep(Duration::from_millis(5));
                }
            };
            let text = || std::fs::read_to_string(&begun).unwrap_or_default();
            wait_for(&|| text().ends_with('\n'), "the compiler has not begun");
            let said = text();
            let [parent, own, place] = said.trim().splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!("{said}")
            };
            assert!(Path::new(place).join("../temporary/tmpxft_1").exists(), "{said}");
            let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
            assert!(kill.unwrap().success());
            child.wait().unwrap();
            let is_gone = |process: &str| {
                let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
                stat.is_empty() || stat.contains(") Z ")
            };
            wait_for(&|| is_gone(parent) && is_gone(own), "the compiler runs on");
            let left = || {
                let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
                entries.filter(|name| name.to_string_lossy().starts_with("workbook-")).count()
            };
            wait_for(&|| left() == 0, "a temporary folder is left");
        }
    }

    #[test]
    fn memory_without_an_end_is_refused() {
        let folder = scratch("memory");
        let nvcc = folder.join("nvcc");
        // As gcc ends, which nvcc calls.
        let runs_out = "ulimit -v > limit-is\n[ \"$(cat limit-is)\" = 4194304 ] || exit 7\n\
                        echo 'cc1plus: out of memory allocating 4294967312 bytes' >&2; exit 1";
        let script = SLOW.split_once("echo >").unwrap().0.to_owned() + runs_out;
        testing::example::script(&nvcc, &script);
        std::fs::write(folder.join("mine.cu"), "#include ENDLESS\n").unwrap();
        std::fs::write(folder.join("zero.cu"), "\n#include \"/dev/zero\"\n").unwrap();
        for (file, part) in [
            ("mine.cu", "needed more than the 4 GiB of memory that it may use for mine.cu"),
            ("zero.cu", "zero.cu(2): error: /dev/zero is a device; only regular files can be included"),
        ] {
            let mut command = simulate();
            command.current_dir(&folder).env("NVCC", &nvcc).args([file, "--grid", "1", "--block", "1"]);
            Run { line: file.into(), output: command.output().unwrap() }.refuses(&[part]);
        }
    }
}

/// What real compilers do with the options.
mod with_real_compilers {
    use super::*;
    use kernel_compiler::compiler::{Compiler, Maker};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Each compiler, and the variable that asks for it.
    const ALL: [(Maker, &str); 2] = [(Maker::Nvcc, "NVCC"), (Maker::Clang, "CLANG")];

    /// Runs a source, compiled by this compiler, with these options.
    fn run_by((maker, variable): (Maker, &str), source: &str, options: &str) -> Run {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let folder = scratch(&format!("real_compilers_{}", RUNS.fetch_add(1, Ordering::Relaxed)));
        std::fs::write(folder.join("mine.cu"), source).unwrap();
        let compiler = Compiler::require(maker, root()).unwrap();
        let mut command = simulate();
        command.current_dir(&folder).env(variable, &compiler.path).arg("mine.cu").args(["--cures", "off"]);
        let output = command.args(options.split_whitespace()).output().unwrap();
        Run { line: format!("{} {options}", maker.name()), output }
    }

    /// Neighbours write one element that is never read.
    const NEVER_READ: &str = "__global__ void k(const int *in, int *out)\n{\n\
        __shared__ int s[64];\nint t = threadIdx.x;\ns[t / 2] = in[t];\nout[t] = in[t];\n}\n\
        //@ launch k<<<1, 64>>> buf:i32:iota*64 buf:i32:uninit*64\n";

    #[test]
    #[ignore = "needs nvcc and clang"]
    fn what_is_never_read_races_only_without_optimisation() {
        for compiler in ALL {
            run_by(compiler, NEVER_READ, "").exits(0);
            let text = run_by(compiler, NEVER_READ, "--optimise off").exits(1).stdout();
            assert!(text.contains("error[data-race]") && text.contains("--> mine.cu:5"), "{text}");
        }
    }

    /// An asynchronous copy, which older GPUs do at once.
    const COPY: &str = "#include <cuda_pipeline.h>\n__global__ void k(const float *in, float *out)\n{\n\
        __shared__ float s[64];\nint t = threadIdx.x;\n\
        __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));\n__pipeline_commit();\n__syncthreads();\n\
        out[t] = s[63 - t];\n}\n//@ launch k<<<1, 64>>> buf:f32:iota*64 buf:f32:uninit*64\n";

    #[test]
    #[ignore = "needs nvcc"]
    fn a_copy_that_is_not_waited_for_is_found_where_the_gpu_has_such_copies() {
        for (options, status) in [("", 1), ("--gpu A100", 1), ("--gpu T4", 0)] {
            let text = run_by(ALL[0], COPY, options).exits(status).stdout();
            assert_eq!(text.contains("the copy has not been waited for"), status == 1, "{options}: {text}");
        }
    }

    const PROGRAM: &str = "#include <cstdio>\n__global__ void k(int *p) { *p = __CUDA_ARCH__; }\n\
        int main()\n{\nint *p, number;\ncudaMalloc(&p, 4);\nk<<<1, 1>>>(p);\n\
        cudaMemcpy(&number, p, 4, cudaMemcpyDeviceToHost);\nprintf(\"for %d\\n\", number);\n\
        cudaFree(p);\n}\n";

    #[test]
    #[ignore = "needs clang"]
    fn a_whole_program_is_compiled_for_the_gpu_that_is_simulated() {
        for (options, number) in [("", 900), ("--gpu T4", 750), ("--gpu B200", 1000), ("--optimise off", 900)]
        {
            let text = run_by(ALL[1], PROGRAM, options).exits(0).stdout();
            assert!(text.starts_with(&format!("for {number}\n")), "{options}: {text}");
        }
    }

    /// A result is printed while the copy that brings it is under way.
    const TOO_EARLY: &str = "#include <cstdio>\n__global__ void k(int *p) { *p = 1; }\nint main()\n{\n\
        int *p, *h;\ncudaMalloc(&p, 4);\ncudaMallocHost(&h, 4);\nk<<<1, 1>>>(p);\n\
        cudaMemcpyAsync(h, p, 4, cudaMemcpyDeviceToHost);\nprintf(\"%d\\n\", *h);\n\
        cudaDeviceSynchronize();\ncudaFree(p);\ncudaFreeHost(h);\n}\n";

    #[test]
    #[ignore = "needs clang"]
    fn why_a_program_prints_what_was_never_written_is_said_first() {
        let fails = PROGRAM.replace("k<<<1, 1>>>", "k<<<1, 2048>>>");
        for (program, cause) in [(TOO_EARLY, "host-access"), (&*fails, "launch-limit")] {
            let text = run_by(ALL[1], program, "").exits(1).stdout();
            let first = text.lines().find(|line| line.starts_with("error") || line.starts_with("warning"));
            assert!(first.unwrap_or_default().starts_with(&format!("error[{cause}]")), "{text}");
            assert!(text.contains("error[uninitialized-read]"), "{text}");
        }
    }

    #[test]
    #[ignore = "needs clang"]
    fn a_shuffle_from_before_cuda_9_is_warned_of_once() {
        for (sum, warnings) in [("__shfl_xor(1, 1)", 0), ("__shfl_xor_sync(__activemask(), 1, 1)", 1)] {
            let program = PROGRAM.replace("__CUDA_ARCH__", sum).replace("k<<<1, 1>>>", "k<<<1, 32>>>");
            let program = program
                .replace("{ *p =", "{ int sum = ")
                .replace("; }", "; if (threadIdx.x == 0) *p = sum; }");
            let ran = run_by(ALL[1], &program, "").exits(0);
            let is_told = ran.stdout().contains("__activemask() tells");
            assert_eq!(is_told, warnings == 1, "{}", ran.stdout());
            assert_eq!(ran.stderr().contains("nvcc refuses it"), warnings == 0, "{}", ran.stderr());
        }
    }

    #[test]
    #[ignore = "needs clang"]
    fn memory_that_is_never_freed_comes_last() {
        let program = PROGRAM.replace("cudaFree(p);\n", "").replace("k<<<1, 1>>>(p);\n", "");
        let text = run_by(ALL[1], &program, "").exits(1).stdout();
        let [error, note] = ["error[uninitialized-read]", "note[host-access]"].map(|kind| text.find(kind));
        assert!(error.is_some() && error < note, "{text}");
    }

    #[test]
    #[ignore = "needs clang"]
    fn a_launch_per_thread_is_said_of_a_result_that_is_not_as_expected() {
        let source = "__global__ void child(int *p) { atomicAdd(p, 1); }\n\
            __global__ void parent(int *p) { child<<<1, 1>>>(p); }\n\
            //@ buffer p = i32:0\n//@ launch parent<<<1, 64>>> @p\n//@ expect p = i32:1\n";
        let text = run_by(ALL[1], source, "").exits(1).stdout();
        let note = "note[repeated-launch]: each of the 32 threads of this warp launches `child`";
        let end = "the results are not as expected; 1 note\n";
        assert!(text.contains(note) && text.ends_with(end), "{text}");
    }

    #[test]
    #[ignore = "needs clang"]
    fn a_constant_of_a_launch_is_not_called_unused() {
        let source = "const int N = 64;\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n\
            //@ buffer p = i32:uninit*N\n//@ launch k<<<1, N>>> @p\n";
        let run = run_by(ALL[1], source, "").exits(0);
        assert!(!run.stderr().contains("unused") && !run.stdout().contains("warning"), "{}", run.stdout());
    }
}

#[test]
#[ignore = "needs nvcc 13.0.88"]
fn a_source_runs_as_its_ptx_does() {
    let rest = "--grid 1 --block 64 --checks off --json --arg buf:i32:iota*64 --arg buf:i32:0";
    let compiled = run(&format!("{} {rest} --arch 75", SUM.replace(".ptx", ".cu"))).exits(0);
    assert_eq!(compiled.json(), run(&format!("{SUM} {rest}")).json());
}
