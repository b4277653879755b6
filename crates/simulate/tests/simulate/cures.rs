//! What is advised was tried: with a stand-in for nvcc, and with clang.

use kernel_compiler::compiler::{Compiler, Maker};
use testing::renew::{HOW, committed, renewing};

use super::*;

/// What the stand-in for nvcc makes of a source that holds a text: the PTX of a kernel of the corpus.
#[cfg(unix)]
mod with_a_fake_nvcc {

    use super::*;

    const CORPUS: &str = "crates/launch/tests/corpus/data-race";
    /// A race of lines 6 and 7; what is read there may be uninitialized because of it.
    const RACY: &str = "shared_missing_barrier";
    const RIGHT: &str = "shared_with_barrier";
    /// The same kernel by name, with findings in other lines.
    const OTHERWISE_WRONG: &str = "mbarrier_no_wait";
    const ZEROS: &str = "s[i] = 0;";
    const BARRIER: &str = "s[t] = in[t]; __syncthreads();";

    /// Runs it on `mine.cu`, the racy kernel, with an nvcc that makes the PTX of the first text that it has,
    /// and says how often that was called.
    fn with_nvcc(name: &str, made: &[(&str, &str)], options: &str) -> (Run, usize) {
        with_nvcc_for(RACY, name, made, options)
    }

    /// The same of a kernel of the corpus.
    fn with_nvcc_for(wrong: &str, name: &str, made: &[(&str, &str)], options: &str) -> (Run, usize) {
        let folder = scratch(name);
        let ptx = |stem: &str| root().join(CORPUS).join(stem).with_extension("ptx").display().to_string();
        let otherwise = [("", wrong)];
        let choices = made.iter().chain(&otherwise).map(|(text, stem)| {
            let (ptx, file) = (ptx(stem), format!("{CORPUS}/{stem}.cu"));
            format!(
                "if grep -qF '{text}' \"$source\"; then \
                 sed \"s|{file}|$PWD/mine.cu|; s|include/|/cuda/include/|\" '{ptx}' > \"$out\"; exit; fi\n"
            )
        });
        let choices: String = choices.collect();
        let calls = folder.join("calls");
        let script = format!(
            "#!/bin/sh\ncase $* in *--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88'; \
             exit;; \
             -E*) exit;; esac\nwhile [ $# -gt 0 ]; do case $1 in -o) out=$2;; *.cu) source=$1;; esac; shift; \
             done\necho call >> '{}'\n{choices}",
            calls.display()
        );
        let nvcc = folder.join("nvcc");
        testing::example::script(&nvcc, &script);
        std::fs::copy(root().join(CORPUS).join(wrong).with_extension("cu"), folder.join("mine.cu")).unwrap();
        let line = format!("mine.cu --arch 90 {options}");
        let mut command = simulate();
        command.current_dir(&folder).env("NVCC", &nvcc).env("CLANG", "/nowhere/clang");
        let run = Run { output: command.args(line.split_whitespace()).output().unwrap(), line };
        let calls = std::fs::read_to_string(calls).unwrap().lines().count();
        (run, calls)
    }

    fn helps(json: &Value) -> Vec<&str> {
        let found = json["diagnostics"].as_array().unwrap().iter();
        found.map(|found| found["help"].as_str().unwrap()).collect()
    }

    #[test]
    fn what_cures_is_advised_with_its_edit() {
        let (run, calls) = with_nvcc("cured", &[(ZEROS, RACY), (BARRIER, RIGHT)], "--json");
        let json = run.exits(1).json();
        let says = &*format!("put `__syncthreads();` before line 7 {NOTHING}");
        assert_eq!(
            (helps(&json), calls),
            (vec![says], 2),
            "what is uninitialized follows from the race, and is not told beside it"
        );
        let cure = serde_json::json!({
            "says": says,
            "cures_all": true,
            "edits": [{"line": 7, "removed": 0, "text": "    __syncthreads();"}],
        });
        let cures: Vec<&Value> =
            json["diagnostics"].as_array().unwrap().iter().map(|found| &found["cure"]).collect();
        assert_eq!(cures, [&cure]);
    }

    #[test]
    fn a_copy_is_waited_for() {
        let made = [("__pipeline_commit(); __pipeline_wait_prior(0);", "copy_waited_for")];
        let (run, _) = with_nvcc_for("copy_barrier_without_wait", "copied", &made, "--json");
        let says = format!("put `__pipeline_wait_prior(0);` before line 10 {NOTHING}");
        assert_eq!(helps(&run.exits(1).json()), [&says]);
    }

    #[test]
    fn what_brings_another_finding_is_not_advised() {
        let made = [(ZEROS, OTHERWISE_WRONG), (BARRIER, OTHERWISE_WRONG)];
        let (run, calls) = with_nvcc("not_cured", &made, "--json");
        let json = run.exits(1).json();
        let helps = helps(&json);
        assert!(helps.iter().all(|help| !help.contains("tried: then")), "{helps:?}");
        let in_vain = "a barrier that every thread of the block reaches has to come between the two";
        assert_eq!((helps.len(), helps[0], calls), (1, in_vain, 2));
        assert!(json["diagnostics"][0].get("cure").is_none(), "{json}");
    }

    #[test]
    fn what_leaves_other_than_expected_is_not_advised() {
        let expect =
            |value: &str| format!("--grid 1 --block 64 --arg buf:i32:iota*64 --arg buf:i32:zeros*64 {value}");
        let made = [(ZEROS, RACY), (BARRIER, RIGHT)];
        let right = expect("--expect 1=i32:1,2,3,4,60,61,62,63,zeros*56");
        let (run, _) = with_nvcc("as_expected", &made, &right);
        assert!(run.stdout().contains("(tried: then nothing is wrong)"), "{}", run.stdout());
        let (run, _) = with_nvcc("not_as_expected", &made, &expect("--expect 1=i32:1,2,3,4,5,zeros*59"));
        assert!(!run.stdout().contains("tried: then"), "{}", run.stdout());
    }

    #[test]
    fn nothing_is_tried_where_that_is_off() {
        for options in ["--cures off", "--checks off"] {
            let (run, calls) = with_nvcc("off", &[(BARRIER, RIGHT)], options);
            assert!(!run.stdout().contains("tried"), "{}", run.stdout());
            assert_eq!(calls, 1, "{options}");
        }
    }
}

const COMPARED: &str = "(tried: then nothing is wrong)";
const NOTHING: &str = "(tried: then nothing is wrong; nothing says whether the result is right)";

/// A kernel and its launch, the edit that cures it, and what the result was compared with; nothing, where
/// none is to be advised.
const PROGRAMS: [(&str, &str, &str, &str); 16] = [
    (
        "a tile of a later pass",
        "extern \"C\" __global__ void k(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int t = threadIdx.x, s = 0;
    for (int base = 0; base < n; base += 64) {
        tile[t] = in[base + t];
        __syncthreads();
        for (int i = 0; i < 64; i++) s += tile[i];
    }
    out[t] = s;
}
//@ launch k<<<1, 64>>> buf:i32:iota*256 buf:i32:uninit*64 i32:256",
        "put `__syncthreads();` at the end of the loop's body, after line 7",
        NOTHING,
    ),
    (
        "a helper that is called twice",
        "__device__ int first(int *s, int x) {
    if (threadIdx.x == 0) *s = x;
    __syncthreads();
    return *s;
}
extern \"C\" __global__ void k(int *out) {
    __shared__ int s;
    int a = first(&s, 3);
    int b = first(&s, 4);
    out[threadIdx.x] = a + b;
}
//@ launch k<<<1, 64>>> buf:i32:uninit*64
//@ expect 0 = i32:7*64",
        "put `__syncthreads();` before line 9, which calls `first`",
        COMPARED,
    ),
    (
        "a total that some have not read yet",
        "extern \"C\" __global__ void k(int *out) {
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    out[threadIdx.x] = carry;
    if (threadIdx.x == 63) carry += 64;
    __syncthreads();
    out[threadIdx.x] += carry;
}
//@ launch k<<<1, 64>>> buf:i32:uninit*64
//@ expect 0 = i32:64*64",
        "put `__syncthreads();` before line 6",
        COMPARED,
    ),
    (
        "a histogram",
        "extern \"C\" __global__ void k(const int *in, int *bins) { bins[in[threadIdx.x] % 8]++; }
//@ launch k<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*8
//@ expect 1 = i32:8*8",
        "put `atomicAdd(&bins[in[threadIdx.x] % 8], 1);` in line 1",
        COMPARED,
    ),
    (
        "the last warp's steps",
        "extern \"C\" __global__ void k(int *s) {
    unsigned t = threadIdx.x;
    if (t < 16) s[t] += s[t + 16];
    if (t < 8) s[t] += s[t + 8];
    if (t < 4) s[t] += s[t + 4];
    if (t < 2) s[t] += s[t + 2];
    if (t < 1) s[t] += s[t + 1];
}
//@ launch k<<<1, 32>>> buf:i32:iota*32",
        "put `__syncwarp();` after each of lines 3 to 7",
        COMPARED,
    ),
    (
        "a barrier in a branch",
        "extern \"C\" __global__ void k(int *out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        out[t] = 1;
        __syncthreads();
    }
    out[t] += 2;
}
//@ launch k<<<1, 64>>> buf:i32:zeros*64",
        "move `__syncthreads();` from line 5 to after the branch of line 3",
        COMPARED,
    ),
    (
        "a message without fences",
        "extern \"C\" __global__ void k(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        *out = *data;
    }
}
//@ launch k<<<2, 1>>> buf:i32:0 buf:i32:0 buf:i32:0
//@ expect 2 = i32:42",
        "put `__threadfence();` after line 3 and after line 6",
        COMPARED,
    ),
    (
        "one element too many",
        "extern \"C\" __global__ void k(const int *in, int n, int *out) {
    int total = 0;
    for (int i = 0; i <= n; i++) total += in[i];
    *out = total;
}
//@ launch k<<<1, 1>>> buf:i32:iota*100 i32:100 buf:i32:zeros*1
//@ expect 2 = i32:4950",
        "put `<` in place of `<=` in line 3",
        COMPARED,
    ),
    (
        "a block that is not full, and a number that only keeps the threads out",
        "extern \"C\" __global__ void k(const int *in, int *out, int times, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = times * in[i];
}
//@ launch k<<<2, 64>>> buf:i32:iota*100 buf:i32:uninit*100 i32:7 i32:100",
        "put `if (i < n)` before line 3",
        NOTHING,
    ),
    (
        "a block that is not full, of a size that is a constant",
        "#define SIZE 100
extern \"C\" __global__ void k(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
//@ launch k<<<2, 64>>> buf:i32:iota*SIZE buf:i32:uninit*SIZE i32:7",
        "put `if (i < SIZE)` before line 4",
        NOTHING,
    ),
    (
        "a block that is not full, and a number that would keep too many threads out",
        "extern \"C\" __global__ void k(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
//@ launch k<<<2, 64>>> buf:i32:iota*100 buf:i32:uninit*100 i32:7",
        "",
        "",
    ),
    (
        "the rest of a tile",
        "extern \"C\" __global__ void k(const int *in, int n, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    for (int half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) *out = s[0];
}
//@ launch k<<<1, 32>>> buf:i32:iota*20 i32:20 buf:i32:zeros*1
//@ expect 2 = i32:190",
        "let every thread write: `s[t] = t < n ? in[t] : 0;` in line 4",
        COMPARED,
    ),
    (
        "the same value by all, which one thread would write, if it had it",
        "extern \"C\" __global__ void k(const int *in, int *found) {
    if (in[threadIdx.x] > 40) *found = 1;
}
//@ launch k<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*1",
        "put `atomicExch(found, 1);` in line 2",
        COMPARED,
    ),
    (
        "neighbours beyond both ends",
        "extern \"C\" __global__ void k(const int *in, int *out, int n) {
    int i = threadIdx.x;
    out[i] = in[i - 1] + in[i] + in[i + 1];
}
//@ launch k<<<1, 4>>> buf:i32:iota*4 buf:i32:zeros*4 i32:4
//@ expect 1 = i32:1,3,6,5",
        "read 0 where there is no element: put `(i >= 1 ? in[i - 1] : 0)` in line 3, `(i + 1 < n ? ",
        COMPARED,
    ),
    (
        "an element that two threads find free",
        "extern \"C\" __global__ void k(int *taken, int *count) {
    int v = threadIdx.x / 2;
    if (taken[v] == 0) {
        taken[v] = 1;
        atomicAdd(count, 1);
    }
}
//@ launch k<<<1, 32>>> buf:i32:zeros*16 buf:i32:zeros*1
//@ expect 1 = i32:16",
        "look and write in one step: put `if (atomicCAS(&taken[v], 0, 1) == 0)` in line 3",
        "",
    ),
    (
        "different values, of which nobody knows which is meant",
        "extern \"C\" __global__ void k(int *out) { *out = threadIdx.x; }
//@ launch k<<<1, 32>>> buf:i32:zeros*1",
        "",
        "",
    ),
];

#[test]
#[ignore = "needs clang"]
fn programs_get_the_cure_that_was_tried() {
    let folder = scratch("cures");
    for (name, source, expected, end) in PROGRAMS {
        let file = folder.join("mine.cu");
        std::fs::write(&file, source).unwrap();
        let json = run(&format!("{} --json", file.display())).json();
        let found = json["diagnostics"].as_array().unwrap();
        assert!(!found.is_empty(), "{name}: {json}");
        for found in found {
            let says = found["cure"]["says"].as_str().unwrap_or_default();
            let is_it = says.starts_with(expected) && says.ends_with(end);
            assert!(is_it || expected.is_empty() && says.is_empty(), "{name}: {found:#}");
        }
    }
}

/// Blocks add to what nobody has set to 0.
const UNSET: &str = "#include <cstdio>
__global__ void count(int *total) {
    __shared__ int tile[64];
    tile[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, tile[0] + tile[63]);
}
int main() {
    int *total, result = 0;
    cudaMalloc(&total, sizeof(int));
    count<<<4, 64>>>(total);
    cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(total);
    return result == 8 ? 0 : 1;
}
";

#[test]
#[ignore = "needs clang"]
fn a_program_is_told_to_set_a_sum_to_zero_and_how_many_threads_fit_an_array() {
    let file = scratch("cures_of_sums").join("mine.cu");
    let help = |source: &str| {
        std::fs::write(&file, source).unwrap();
        let json = run(&format!("{} --json", file.display())).json();
        json["diagnostics"][0]["help"].as_str().unwrap().to_string()
    };
    let set = "put `cudaMemset(total, 0, sizeof(int));` after line 10 (tried: then nothing is wrong)";
    assert_eq!(help(UNSET), set);
    let more = "the block has more threads than `tile` has elements: launch at most 64 threads per block, or \
                give it an element for each thread";
    assert_eq!(help(&UNSET.replace("<<<4, 64>>>", "<<<4, 128>>>")), more);
}

/// Its grid is rounded down, so that nobody reads the last elements.
const SHORT: &str = "#include <cstdio>
__global__ void twice(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
int main() {
    const int n = 100;
    int host[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    twice<<<n / 32, 32>>>(in, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return host[n - 1] == 2 * (n - 1) ? 0 : 1;
}
";

#[test]
#[ignore = "needs clang"]
fn a_slip_stands_at_the_note_that_it_explains() {
    let file = scratch("cures_of_slips").join("mine.cu");
    std::fs::write(&file, SHORT).unwrap();
    let json = run(&format!("{} --json", file.display())).json();
    let found = &json["diagnostics"][0];
    assert_eq!(found["kind"], "never-read", "{json}");
    let says = "put `(n + 32 - 1) / 32` in line 14, in place of `n / 32` (tried: then the program returns 0)";
    assert_eq!((&found["help"], &found["cure"]["says"]), (&says.into(), &says.into()), "{json}");
}

#[test]
#[ignore = "needs clang"]
fn a_number_that_is_larger_than_its_array_is_asked_about() {
    let file = scratch("cures_of_numbers").join("mine.cu");
    let larger = SHORT.replace("n / 32, 32>>>(in, out, n)", "5, 32>>>(in, out, 2 * n)");
    std::fs::write(&file, larger).unwrap();
    let json = run(&format!("{} --json", file.display())).json();
    let help = json["diagnostics"][0]["help"].as_str().unwrap();
    let asks = "`n` is 200 here, and the array has 100 elements: is it the right number for it? Else ";
    assert!(help.starts_with(asks), "{json}");
}

/// A program whose kernel lacks a barrier, with what its `main` does at the end.
fn program(end: &str) -> String {
    "#include <cstdio>
__global__ void next(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[(t + 32) % 64];
}
int main() {
    int *in, *out;
    cudaMallocManaged(&in, 64 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 64; i++) in[i] = i;
    next<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    "
    .to_string()
        + end
        + "\n}\n"
}

#[test]
#[ignore = "needs clang"]
fn a_whole_program_gets_the_cure_that_was_tried() {
    let folder = scratch("cures_of_programs");
    let file = folder.join("mine.cu");
    let says = |end: &str| {
        std::fs::write(&file, program(end)).unwrap();
        let json = run(&format!("{} --json", file.display())).json();
        let found = json["diagnostics"].as_array().unwrap().iter();
        let races: Vec<&Value> = found.filter(|found| found["kind"] == "data-race").collect();
        let [race] = races[..] else { panic!("{json}") };
        (race["cure"]["says"].as_str().unwrap_or_default().to_string(), json["printed"].clone())
    };
    let barrier = "put `__syncthreads();` before line 6";
    // What the program returns says whether the result is right.
    let checked = says("printf(\"%d\\n\", out[0]); return out[0] != 32;");
    assert_eq!(checked.0, format!("{barrier} {COMPARED}"));
    // What the tries print is not printed.
    assert_eq!(checked.1.as_str().unwrap().lines().count(), 1, "{}", checked.1);
    let unchecked = says("printf(\"%d\\n\", out[0]); return 0;");
    assert_eq!(unchecked.0, format!("{barrier} {NOTHING}"));
}

/// A line for each kernel of the corpus in which something is wrong: its name, and whether a cure is found.
const RECORD: &str = "crates/launch/tests/corpus/cures.csv";
const HEAD: &str = "kernel,cure\n";
/// The kinds that there are edits for.
const KINDS: [&str; 5] =
    ["barrier-divergence", "child-visibility", "data-race", "out-of-bounds", "uninitialized-read"];

/// The kernels of the corpus in which something is wrong that there may be an edit for, by name.
fn wrong_kernels() -> Vec<(String, PathBuf)> {
    let mut all = Vec::new();
    for kind in KINDS {
        for file in std::fs::read_dir(root().join("crates/launch/tests/corpus").join(kind)).unwrap() {
            let file = file.unwrap().path();
            let source = std::fs::read_to_string(&file).unwrap();
            let is_wrong = source.contains("//@ launch") && !source.contains("// expect: clean");
            let is_cuda = file.extension().is_some_and(|extension| extension == "cu");
            if is_cuda && is_wrong {
                all.push((format!("{kind}/{}", file.file_stem().unwrap().display()), file));
            }
        }
    }
    all.sort();
    all
}

/// `all` that is wrong has a cure; `some`, or `none`; `-` where nothing is found in this order of turns.
fn cure(clang: &Path, file: &Path) -> &'static str {
    let source = std::fs::read_to_string(file).unwrap();
    let arch = source.lines().find_map(|line| line.strip_prefix("// arch: ")).unwrap_or("75");
    let mut command = simulate();
    command.env_remove("NVCC").env("CLANG", clang).arg(file).args(["--json", "--arch", arch]);
    let json: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap_or_default();
    let all = json["diagnostics"].as_array().into_iter().flatten();
    let cured: Vec<bool> =
        all.filter(|found| found["severity"] != "note").map(|found| found.get("cure").is_some()).collect();
    match (cured.contains(&true), cured.contains(&false)) {
        (true, false) => "all",
        (true, true) => "some",
        (false, true) => "none",
        (false, false) => "-",
    }
}

/// What is tried depends on how fast a machine is: so this is not compared with another one's.
#[test]
#[ignore = "needs clang, and minutes; writes only where files are renewed"]
fn the_cures_of_the_corpus_are_renewed_by_clang() {
    if !renewing() {
        return;
    }
    let clang = Compiler::require(Maker::Clang, root()).unwrap_or_else(|error| panic!("{error:#}")).path;
    let lines = wrong_kernels().into_iter().map(|(name, file)| format!("{name},{}\n", cure(&clang, &file)));
    committed(RECORD, HEAD.to_string() + &lines.collect::<String>());
}

#[test]
fn the_record_of_cures_has_every_kernel() {
    let record = std::fs::read_to_string(root().join(RECORD)).unwrap_or_default();
    let held: Vec<&str> = record.lines().skip(1).filter_map(|line| Some(line.rsplit_once(',')?.0)).collect();
    let known: Vec<String> = wrong_kernels().into_iter().map(|(name, _)| name).collect();
    assert!(known.len() > 100, "{}", known.len());
    assert_eq!(held, known, "{RECORD} is not of these kernels: run `{HOW}`");
}
