//! The page's compiler gives what a terminal's clang of the same version gives, and comes to an end whatever
//! it is given. It runs in Node, as the worker that the page has (`compiler.mjs`).

use std::path::{Path, PathBuf};
use std::process::Command;

use exercise::source::Exercise;
use exercise::{catalogue, code};
use serde_json::{Value, json};
use workbook::kernel_compiler::clang::HEADERS;
use workbook::kernel_compiler::compiler::{Compiler, Maker};
use workbook::kernel_compiler::program::HOST;
use workbook::kernel_compiler::staging::Given;
use workbook::kernel_compiler::{hash, prebuilt};
use workbook::what_if;

use super::{read, root, text};

const PACKED: &str = "book/src/live/clang/clang.wasm.zst";
const MANIFEST: &str = "book/src/live/clang/clang.json";

fn manifest() -> Value {
    serde_json::from_str(&text(MANIFEST)).unwrap()
}

#[test]
fn the_compiler_belongs_to_its_manifest() {
    let packed = read(PACKED);
    let manifest = manifest();
    assert_eq!(manifest["hash"], hash::hash(&packed), "{PACKED} is not that of {MANIFEST}");
    assert_eq!(manifest["bytes"], packed.len());
    assert!(packed.len() <= 10_000_000, "{} bytes are to be fetched", packed.len());
}

/// Files from the repository root in `directory` that end with `.cu`.
fn sources(directory: &str) -> Vec<String> {
    let files = std::fs::read_dir(root().join(directory)).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut paths: Vec<String> =
        names.filter(|name| name.ends_with(".cu")).map(|name| format!("{directory}/{name}")).collect();
    paths.sort();
    paths
}

/// A folder for a test.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(file.file_name());
        if file.path().is_dir() {
            copy(&file.path(), &to);
        } else {
            std::fs::copy(file.path(), to).unwrap();
        }
    }
}

/// The files in `folder` and its folders, from the repository root.
fn files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap);
    let below = |entry: std::fs::DirEntry| {
        let path = format!("{folder}/{}", entry.file_name().display());
        if entry.path().is_dir() { files(&path) } else { vec![path] }
    };
    entries.flat_map(below).collect()
}

/// The answer to each of `requests`.
pub fn ask(name: &str, requests: &[Value]) -> Vec<Value> {
    let scratch = scratch(name);
    let live = scratch.join("live");
    copy(&root().join("book/src/live"), &live);
    let headers = |folder: &str| {
        let headers = files(folder).into_iter().map(|path| (format!("/{path}"), json!(text(&path))));
        Value::Object(headers.collect())
    };
    let write = |name: &str, value: Value| std::fs::write(scratch.join(name), value.to_string()).unwrap();
    write("live/headers.json", headers(HEADERS));
    write("live/host_headers.json", headers(HOST));
    write("requests.json", json!(requests));
    let node = Command::new("node")
        .arg(root().join("book/page/tests/wasm/compiler.mjs"))
        .arg(&live)
        .args(["requests.json", "answers.json"].map(|name| scratch.join(name)))
        .status();
    assert!(node.expect("node starts").success(), "{}", scratch.display());
    let answers = std::fs::read(scratch.join("answers.json")).unwrap();
    serde_json::from_slice(&answers).unwrap()
}

/// The clang that `kernels/requirements.txt` pins.
fn native() -> Compiler {
    let clang = Compiler::require(Maker::Clang, &root().canonicalize().unwrap()).unwrap();
    assert_eq!(clang.name(), format!("clang {}", manifest()["version"].as_str().unwrap()));
    clang
}

/// A file's path and text.
type Case = (String, String);

/// What a terminal's clang makes of it, in the page's form.
fn expected(clang: &Compiler, scratch: &Path, (path, source): &Case) -> Value {
    let file = scratch.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, source).unwrap();
    let clang = clang.clone().run_in(scratch);
    let newer = prebuilt::newer_arch(source, Maker::Clang);
    let newer = newer.map(|capability| clang.ptx_with(&file, Some(capability), Given::default()));
    match clang.ptx(&file) {
        Ok(ptx) => json!({
            "status": 0,
            "ptx": ptx.text,
            "newer": newer.map_or(String::new(), |newer| newer.unwrap().text),
            "said": ptx.warnings,
            "compiler": clang.name(),
        }),
        Err(error) => {
            let said = without_frame(&format!("{error}"));
            json!({"status": 1, "ptx": "", "newer": "", "said": said, "compiler": clang.name()})
        }
    }
}

/// A refusal without its first line, which names the program, and without the last advice.
fn without_frame(said: &str) -> String {
    let (_, said) = said.split_once('\n').unwrap();
    said.split("\n\nIf ").next().unwrap().to_owned() + "\n"
}

/// Proves that the page has what the terminal has, of each source.
fn compare(name: &str, cases: &[Case]) {
    let requests: Vec<Value> =
        cases.iter().map(|(path, source)| json!({"path": path, "source": source})).collect();
    let clang = native();
    let scratch = scratch(&format!("{name}-native"));
    let (answers, expected): (_, Vec<Value>) = std::thread::scope(|scope| {
        let answers = scope.spawn(|| ask(name, &requests));
        let expected = cases.iter().map(|case| expected(&clang, &scratch, case)).collect();
        (answers.join().unwrap(), expected)
    });
    let mut wrong = Vec::new();
    for (((path, _), mut answer), expected) in cases.iter().zip(answers).zip(expected) {
        if let Some(said) = answer["said"].as_str() {
            answer["said"] = json!(said.split("\nIf ").next());
        }
        for (field, expected) in expected.as_object().unwrap() {
            if answer[field] != *expected {
                let line = |value: &Value| value.to_string().chars().take(1000).collect::<String>();
                let sentence = &answer["sentence"];
                wrong.push(format!(
                    "{path} {field} {sentence}: {} not {}",
                    line(&answer[field]),
                    line(expected)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "needs node and the clang of kernels/requirements.txt, and a minute"]
fn every_answer_to_an_exercise_compiles_as_in_a_terminal_nightly() {
    let cases = |exercise: &Exercise| {
        let known = code::variants(exercise).unwrap().into_iter();
        known.map(|known| (exercise.path.clone(), known.text)).collect::<Vec<Case>>()
    };
    let cases: Vec<Case> = catalogue::read(&root()).unwrap().iter().flat_map(cases).collect();
    assert!(cases.len() > 300, "{}", cases.len());
    compare("compiler-answers", &cases);
}

#[test]
#[ignore = "needs node and the clang of kernels/requirements.txt"]
fn every_kernel_exercise_and_what_if_compiles_as_in_a_terminal() {
    let mut cases = Vec::new();
    for directory in ["kernels", "kernels/exercises", "kernels/exercises/solutions"] {
        let paths = sources(directory);
        assert!(!paths.is_empty(), "{directory} holds no kernel");
        for path in paths {
            let source = text(&path);
            cases.push((path, source));
        }
    }
    let edits = what_if::all(&root()).unwrap();
    assert!(!edits.is_empty());
    for edit in edits {
        let path = format!("kernels/{}.cu", edit.stem);
        let source = edit.apply(&text(&path)).unwrap().0;
        cases.push((path, source));
    }
    compare("compiler-sources", &cases);
}

#[test]
#[ignore = "needs node and the clang of kernels/requirements.txt"]
fn cudas_headers_bring_what_they_do_in_a_terminal() {
    let corpus =
        ["data-race/mbarrier_of_cpp", "data-race/copy_in_two_stages", "warp-collective/coalesced_group"];
    let mut cases: Vec<Case> = corpus
        .iter()
        .map(|name| ("kernels/mine.cu".into(), text(&format!("crates/launch/tests/corpus/{name}.cu"))))
        .collect();
    let groups = "#include <cooperative_groups/memcpy_async.h>\n#include <cooperative_groups/reduce.h>\n\
                  #include <cooperative_groups/scan.h>\n#include <cuda/pipeline>\n\
                  namespace cg = cooperative_groups;\n__global__ void k(int *p)\n{\n    \
                  auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n    \
                  p[0] = cg::reduce(warp, p[0], cg::plus<int>()) + cg::exclusive_scan(warp, p[1]);\n}\n";
    cases.push(("kernels/mine.cu".into(), groups.into()));
    compare("compiler-headers", &cases);
}

const HEAD: &str = "extern \"C\" __global__ void k(int *p) {\n";

#[test]
#[ignore = "needs node and the clang of kernels/requirements.txt"]
fn whatever_is_wrong_is_said_as_in_a_terminal() {
    let bodies = [
        "p[0] = treadIdx.x;",
        "p[0] = __vadd4(p[1], p[2]);",
        "atomicAdd(p);",
        "p[0] = 1",
        "int x = \"text\"; p[0] = y; }}}",
        "p[0] = undeclared<int>(3); goto nowhere;",
        "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(p[0])); asm volatile(\"nonsense %0;\" : : \"x\"(p[0]));",
        "@autoreleasepool { p[0] = 1; } auto s = @\"text\"; @class Foo; @42;",
        "#pragma omp parallel for\n for (int i = 0; i < 3; i++) p[i] = i;",
        "#pragma acc parallel\n p[0] = 1;",
        "__asm { mov eax, 1 }",
        "co_await p; throw 1; try { p[0] = 1; } catch (...) {}",
        "int unused; int v; p[0] = v;",
        "printf(\"%s %d %n\", 1, 2.0);",
        "__builtin_ia32_pause(); __builtin_neon_vaddq(1); __builtin_os_log_format(p, \"%d\", 1);",
        "int a[1 << 30]; double d = 0x1p99999; p[99999999999999999999] = 08;",
        "struct A { virtual void f(); }; struct B : virtual A { void f() {} }; B b; A *a = &b; a->f();",
        "auto f = [=] { return p[0]; }; static_assert(sizeof(f) == 3, \"no\"); p[0] = f();",
        "__shared__ int s[1 << 20]; p[0] = s[p[1]];",
        "int n = p[0]; int a[n]; p[1] = a[0]; alloca(n); long double l = n; __int128 i = l;",
        "return p; delete p; new (p) int; typeid(*p); dynamic_cast<int *>(p);",
        "p[0] = __FILE__; __builtin_trap(); __builtin_cpu_supports(\"avx\"); __builtin_va_list l;",
        "\u{feff}\u{202e} \u{1f600} \\u0041 'ab' ??= \u{1b}[2J",
        "/* never closed",
        "R\"(never closed",
        "#include \"kernels/ch3_blocks.cu\"",
        "#include <vector>\n#include </etc/passwd>\n#include_next <cuda.h>",
        "#if 1",
        "#error stop\n#line 7 \"other\"\n#warning w\n#embed \"/x\"",
        "#pragma message \"m\"\n#pragma clang module",
        "#pragma clang diagnostic warning \"-Wsign-conversion\"\n int x = p[0] + 1ull; p[1] = x;",
    ];
    let mut cases: Vec<Case> =
        bodies.iter().map(|body| ("kernels/mine.cu".into(), format!("{HEAD}{body}\n}}\n"))).collect();
    let whole = text("kernels/ch3_blocks.cu");
    for part in 1..12 {
        let cut = (0..).map(|i| whole.len() * part / 12 + i).find(|at| whole.is_char_boundary(*at)).unwrap();
        cases.push(("kernels/ch3_blocks.cu".into(), whole[..cut].to_owned()));
        cases.push(("kernels/ch3_blocks.cu".into(), whole[cut..].to_owned()));
    }
    cases.push(("kernels/mine.cu".into(), String::new()));
    cases.push(("kernels/mine.cu".into(), "\0\x01\u{ffff}".repeat(99)));
    compare("compiler-wrong", &cases);
}

#[test]
#[ignore = "needs node"]
fn what_never_ends_is_stopped_and_the_next_compile_is_well() {
    let kernel = |body: &str| format!("{HEAD}{body}\n}}\n");
    let good = kernel("p[0] = 1;");
    let template = "template <int N> struct T { int x[T<N + 1>::y]; static const int y = 1; };\n";
    let endless = "constexpr int f() { for (;;) {} return 1; }\n";
    // Each macro stands for ten of the next.
    let doubling: String = ["AB", "BC", "CD", "DE", "EF", "FG", "GH"]
        .map(|pair| format!("#define {}{}\n", &pair[..1], format!(" {}", &pair[1..]).repeat(10)))
        .concat();
    let unrolled = |i: &str| format!("\n#pragma unroll 1000000\nfor (int {i} = 0; {i} < 3000; {i}++)\n");
    let cases = [
        (good.clone(), ""),
        // clang has limits of its own for these.
        (format!("{template}{}", kernel("p[0] = sizeof(T<0>);")), "error"),
        (format!("{endless}{}", kernel("static_assert(f(), \"\");")), "error"),
        (format!("#include \"mine.cu\"\n{good}"), "error"),
        (kernel(&("(".repeat(100_000) + &")".repeat(100_000) + ";")), "error"),
        (kernel(&"{".repeat(100_000)), "error"),
        (format!("{doubling}#define H p[0]++;\n{}", kernel("A")), "20 seconds"),
        (good.clone(), ""),
        (kernel(&format!("{}p[i * j] += p[i] * j;", unrolled("i") + &unrolled("j"))), "20 seconds"),
        (good.clone(), ""),
    ];
    let request = |(source, says): &(String, &str)| {
        let endless = says.contains("seconds");
        json!({"path": "kernels/mine.cu", "source": source, "endless": endless})
    };
    let requests: Vec<Value> = cases.iter().map(request).collect();
    let stopped = json!({"path": "kernels/mine.cu", "source": cases[6].0, "stop_after": 2});
    let requests = [requests, vec![stopped, json!({"path": "kernels/mine.cu", "source": good})]].concat();
    let answers = ask("compiler-bombs", &requests);
    let first = answers[0]["told"][0].as_str().unwrap();
    assert!(first.starts_with("Fetching the compiler, ") && first.ends_with(" MB, once"), "{first}");
    // Nor is it fetched again after it was stopped.
    assert!(answers[1..].iter().all(|answer| answer["told"] == json!(["Compiling"])), "{answers:?}");
    for ((source, says), answer) in cases.iter().zip(&answers) {
        let said =
            [&answer["sentence"], &answer["said"]].map(|text| text.as_str().unwrap_or_default()).concat();
        let part = |text: &str| text.chars().take(300).collect::<String>();
        match *says {
            "" => assert_eq!(answer["status"], 0, "{answer}"),
            "error" => assert!(
                said.contains("error: ") && answer["status"] == 1 || said.contains("nests too deeply"),
                "{}: {}",
                part(source),
                part(&said)
            ),
            says => assert!(said.contains(says), "{}: {}", part(source), part(&said)),
        }
        assert!(answer["wall"].as_f64().unwrap() < 30.0, "{}: {answer}", part(source));
    }
    let [stopped, after] = &answers[cases.len()..] else { panic!("{}", answers.len()) };
    assert_eq!(stopped["sentence"], "Stopped.");
    assert_eq!((&after["status"], &after["said"]), (&json!(0), &json!("")));
}
