//! What a beginner gets wrong, and what the page says of it: in a chapter's cell and in the notebook the
//! same.

use serde_json::{Value, json};
use workbook::kernels;

use super::compiler::ask;
use super::page::{Page, Ran};
use super::text;

const CHAPTER: &str = "kernels/ch2_parallel.cu";
const NOTEBOOK: &str = "notebook.cu";

/// Chapter 2's source with the second of its kernels edited: the `from` behind its name becomes `to`.
fn edited(from: &str, to: &str) -> String {
    let source = text(CHAPTER);
    let (before, kernel) = source.split_once("// ANCHOR: reduceNeighbored\n").unwrap();
    assert!(kernel.contains(from), "{from}");
    format!("{before}// ANCHOR: reduceNeighbored\n{}", kernel.replacen(from, to, 1))
}

/// The line of `source` that ends with `end`, the last of them.
fn line(source: &str, end: &str) -> usize {
    1 + source.lines().collect::<Vec<_>>().iter().rposition(|line| line.ends_with(end)).unwrap()
}

/// Runs the chapter with an edited source and what the compiler has made of that.
fn run(source: &str, made: &Value) -> Ran {
    let build = serde_json::to_string(&kernels::get("ch2_parallel").unwrap()).unwrap();
    let edited = json!({"source": source, "ptx": made["ptx"], "newer": made["newer"], "compiler": "clang"});
    let words = "ch2_parallel --device sim --no-sweep --n 100 --kernel reduceNeighbored";
    let words: Vec<&str> = words.split(' ').collect();
    let files = [("build.json", &*build), ("edited.json", &edited.to_string()), ("show.json", "{}")];
    Page::committed().run_with(&words, &files).unwrap()
}

/// Everything that is said of a run.
fn said(ran: &Ran) -> String {
    let found = ran.shown.as_ref().map_or(String::new(), |shown| {
        let runs = shown["record"]["runs"].as_array().unwrap().iter();
        runs.filter_map(|run| run["message"].as_str()).collect()
    });
    format!("{}{found}", ran.stderr)
}

#[test]
#[ignore = "needs node"]
fn an_edited_kernel_hears_what_is_wrong_at_its_line() {
    let add = "g_data[tid] += g_data[tid + stride];";
    let head = "extern \"C\" __global__ void reduceNeighbored(unsigned int *g_data, unsigned int *g_odata,\n";
    let size = "                                            unsigned int size)";
    let cases = [
        // The edit, the end of the line that is named, and what is said of it.
        (format!("{add}\n        }}\n"), format!("{add}\n"), "tid + stride < size) {", "a } is missing"),
        ("tid = threadIdx.x;".into(), "tid = threadIdx.x".into(), "tid = threadIdx.x", "expected ';'"),
        (
            add.into(),
            "g_data[tid] = std::min(g_data[tid], 3u);".into(),
            "std::min(g_data[tid], 3u);",
            "use min()",
        ),
        (
            head.into(),
            head.replace("Neighbored", "Neighboured"),
            "Neighboured(unsigned int *g_data, unsigned int *g_odata,",
            "Give the kernel its name back",
        ),
        (
            head.into(),
            head.replace("extern \"C\" ", ""),
            "reduceNeighbored(unsigned int *g_data, unsigned int *g_odata,",
            "Put extern \"C\" before",
        ),
        (
            format!("*g_odata,\n{size}"),
            format!("size,\n{}", size.replace("size", "*g_odata")),
            "reduceNeighbored(unsigned int *g_data, unsigned int size,",
            "the parameters that it had: (unsigned int *g_data, unsigned int *g_odata, unsigned int size)",
        ),
        (
            head.into(),
            head.replace("g_data", "g_").replace("g_odata", "g_data").replace("g_,", "g_odata,"),
            "reduceNeighbored(unsigned int *g_odata, unsigned int *g_data,",
            "g_odata and g_data have changed places",
        ),
        (
            "        __syncthreads();\n".into(),
            String::new(),
            add,
            "reads `g_data[2]`, which thread 2 of its block writes",
        ),
        (
            "tid + stride < size".into(),
            "tid + stride <= size".into(),
            add,
            "a load of 4 bytes at `g_data[100]`, and `g_data` has 100 elements",
        ),
        (
            add.into(),
            "unsigned *p = 0; *p = 1;".into(),
            "*p = 1;",
            "a store of 4 bytes at address 0x0, through a null pointer",
        ),
        (
            "stride *= 2".into(),
            "stride *= 1".into(),
            add,
            "a loop does not end: `stride < size` always holds",
        ),
        (
            add.into(),
            "__shared__ unsigned s[4]; s[tid] = tid; g_data[tid] += s[tid ^ 1];".into(),
            "g_data[tid] += s[tid ^ 1];",
            "`s[4]`, and `s` has 4 elements",
        ),
        ("// Outside".into(), "printf(\"%u\\n\", tid); // Outside".into(), "", "0\n1\n2\n"),
    ];
    let sources: Vec<String> = cases.iter().map(|(from, to, ..)| edited(from, to)).collect();
    let requests: Vec<Value> =
        sources.iter().map(|source| json!({"path": CHAPTER, "source": source})).collect();
    let answers = ask("beginners-chapter", &requests);
    for ((source, made), (_, to, end, says)) in sources.iter().zip(&answers).zip(&cases) {
        let is_refused = made["status"] != 0;
        let said =
            if is_refused { made["said"].as_str().unwrap().to_string() } else { said(&run(source, made)) };
        assert!(said.contains(says), "{to}: {said}");
        if !end.is_empty() {
            let number = line(source, end);
            let places = [format!("{CHAPTER}({number}): error"), format!("{CHAPTER}:{number}:")];
            assert!(places.iter().any(|place| said.contains(place)), "{to}: line {number}: {said}");
        }
        let last = source.lines().count();
        assert!(!said.contains(&format!("({last})")) && !said.contains("_Z"), "{to}: {said}");
    }
    // 100 threads print in each of 7 steps; the rest of the block has nothing to do.
    let ran = run(&sources[12], &answers[12]);
    let printed = &ran.shown.unwrap()["printed"];
    assert_eq!(printed[0]["kernel"], "reduceNeighbored");
    let lines = printed[0]["lines"].as_str().unwrap();
    assert!(lines.ends_with("\n… these are the first 100 of 700 lines\n"), "{lines}");
    assert!(ran.stderr.contains(lines.trim_end()), "{}", ran.stderr);
}

/// Runs a cell of the notebook.
fn cell(source: &str, made: &Value, number: usize) -> Ran {
    let number = number.to_string();
    let words = ["simulate", NOTEBOOK, "--steps-limit", "2^20", "--cell", &number];
    let ptx = made["ptx"].as_str().unwrap();
    Page::committed().run_with(&words, &[(NOTEBOOK, source), ("notebook.ptx", ptx)]).unwrap()
}

#[test]
#[ignore = "needs node"]
fn a_cell_of_the_notebook_hears_the_same() {
    let kernel =
        |body: &str, launch: &str| format!("__global__ void k(int *p)\n{{\n{body}\n}}\n//@ {launch}\n");
    let one = "launch k<<<1, 32>>> @data";
    let with = |body: &str| format!("{}//@ buffer data = i32:iota*16\n//@ {one}\n", kernel(body, ""));
    let cases = [
        (with("    if (p) {"), 3, "a } is missing"),
        (with("    p[0] = std::max(1, 2);"), 3, "use max()"),
        (with("    p[threadIdx.x] = 1;"), 3, "`data[16]`, and `data` has 16 elements"),
        (with("    p[0] = threadIdx.x;"), 3, "writes `data[0]`"),
        (with("    int *q = 0; *q = p[0];"), 3, "through a null pointer"),
        (with("    for (unsigned i = 0; i >= 0; i++) p[threadIdx.x % 16] = i;"), 3, ""),
        (with("    while (p[0] == 0) {}"), 3, ""),
        (with("    atomicAdd(p[0], 1);"), 3, "takes an address and a value: atomicAdd(&p[0], 1)"),
        (
            with("    __shared__ int s[16] = {0}; p[0] = s[0];"),
            3,
            "if (threadIdx.x < 16) s[threadIdx.x] = 0;",
        ),
        (with("    int n = p[0]; __shared__ int s[n]; p[0] = s[0];"), 3, "the size of a __shared__ array"),
        (with("    p[0] = blockIdx * blockDim;"), 3, "write blockIdx.x and blockDim.x"),
        (
            with("").replace("//@ launch", "launch").replace("launch k", "k"),
            7,
            "a launch is written as a comment",
        ),
        (with("    __syncthreads();").replace("__global__ ", ""), 1, "k has no __global__ before it"),
        (kernel("", "launch k<<<1, 32>>>(data, 3)"), 5, "write k<<<1, 32>>> @data i32:3"),
        (kernel("", "lanch k<<<1, 32>>> buf:i32:1"), 5, "`lanch` is not a step; write launch"),
        (kernel("", "launch kk<<<1, 32>>> buf:i32:1"), 5, "no kernel is named kk"),
        (kernel("", "launch k<<<1, 32>>> i32:1"), 5, "the parameter has 8 bytes, it has 4"),
        (
            format!("{}int main() {{ int *d; cudaMalloc(&d, 64); k<<<1, 16>>>(d); }}\n", kernel("", "")),
            6,
            "main does not run where",
        ),
    ];
    let requests: Vec<Value> =
        cases.iter().map(|(source, ..)| json!({"path": NOTEBOOK, "source": source})).collect();
    for ((source, number, says), made) in cases.iter().zip(ask("beginners-notebook", &requests)) {
        let said = match made["status"].as_i64() {
            Some(0) => {
                let ran = cell(source, &made, 1);
                format!("{}{}{}", made["said"].as_str().unwrap(), ran.stderr, ran.stdout)
            }
            _ => made["said"].as_str().unwrap().to_string(),
        };
        let places = [format!("{NOTEBOOK}({number}): error"), format!("{NOTEBOOK}:{number}:")];
        assert!(places.iter().any(|place| said.contains(place)), "{source}: line {number}: {said}");
        assert!(said.contains(says), "{source}: {said}");
    }
}

#[test]
#[ignore = "needs node"]
fn a_cell_shows_its_own_buffers_findings_and_output() {
    let source = "#include <cstdio>\n__global__ void a(int *p) { p[0] = threadIdx.x; printf(\"a\\n\"); }\n\
        //@ buffer data = i32:0\n//@ launch a<<<1, 64>>> @data\n// %%\n\
        __global__ void b(int *p) { p[threadIdx.x] *= 2; printf(\"b\\n\"); }\n\
        //@ buffer data = i32:iota*2\n//@ launch b<<<1, 2>>> @data\n// %%\n//@ launch b<<<1, 1>>> @data\n";
    let made = &ask("beginners-cells", &[json!({"path": NOTEBOOK, "source": source})])[0];
    let shown = |number| cell(source, made, number).shown.unwrap();
    let titles = |shown: &Value| {
        let buffers = shown["buffers"].as_array().unwrap().iter();
        buffers.map(|buffer| buffer["title"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let first = shown(1);
    assert_eq!(
        (first["verdict"].as_str(), titles(&first)),
        (Some("1 error"), vec!["data: 1 element of i32".into()])
    );
    let second = shown(2);
    assert_eq!(second["printed"], "b\nb\n");
    assert_eq!(titles(&second), ["data: 2 elements of i32"]);
    assert_eq!((&second["verdict"], &second["diagnostics"]), (&json!("ok: nothing is wrong"), &json!([])));
    // The third works on the second one's buffer, so that runs first, unseen.
    let third = shown(3);
    assert_eq!(
        (third["printed"].as_str(), titles(&third)),
        (Some("b\n"), vec!["data: 2 elements of i32".into()])
    );
    let table = third["buffers"][0]["table"].as_str().unwrap();
    assert!(
        table.contains("<td class=\"number\">0</td>") && table.contains("<td class=\"number\">2</td>"),
        "{table}"
    );
}

/// The page of the notebook shows how a grid of two dimensions is launched.
#[test]
#[ignore = "needs node"]
fn the_example_in_two_dimensions_transposes() {
    let source = text("crates/simulate/tests/simulate/transpose.cu");
    let made = &ask("beginners-transpose", &[json!({"path": NOTEBOOK, "source": source})])[0];
    let shown = cell(&source, made, 1).shown.unwrap();
    assert_eq!(shown["verdict"], "ok: nothing is wrong");
    let table = shown["buffers"][1]["table"].as_str().unwrap();
    let first: Vec<&str> = table.split("<td class=\"number\">").skip(1).take(3).collect();
    let starts = ["0.0<", "96.0<", "192.0<"];
    assert!(first.iter().zip(starts).all(|(cell, start)| cell.starts_with(start)), "{table}");
    let picture = &shown["buffers"][1]["picture"];
    assert_eq!((&picture["rows"], &picture["columns"]), (&json!(96), &json!(64)), "{picture}");
    assert!(picture["numbers"].as_str().unwrap().starts_with("0.0 96.0 192.0 "), "{picture}");
}
