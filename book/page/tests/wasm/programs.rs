//! Whole programs: the page's compiler makes of one what the terminal's makes, and the page runs it.

use serde_json::{Value, json};

use super::compiler::ask;
use super::page::{Page, Ran};

const PATH: &str = "notebook.cu";

/// Compiles programs in the page and runs them there.
fn ran(name: &str, sources: &[&str]) -> Vec<Ran> {
    let request = |source: &&str| json!({"path": PATH, "source": source, "programs": true});
    let made = ask(name, &sources.iter().map(request).collect::<Vec<Value>>());
    let page = Page::committed();
    let run = |(source, made): (&&str, Value)| {
        assert_eq!(made["status"], 0, "{made}");
        let variables = made["program"].to_string();
        let ptx = made["ptx"].as_str().unwrap();
        let files = [(PATH, *source), ("notebook.ptx", ptx), ("program.json", &variables)];
        page.run_with(&["simulate", PATH, "--memory", "2^30"], &files).unwrap()
    };
    sources.iter().zip(made).map(run).collect()
}

const PLAIN: &str = r#"
#include <stdio.h>
__device__ int offset = 2;
__managed__ int total;
__global__ void add(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) p[i] += offset;
    if (i == 0) total = n;
}
int main(int argc, char **argv)
{
    int host[100] = {0};
    int *p;
    cudaMalloc(&p, sizeof host);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    add<<<1, 128>>>(p, 99);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", argc, host[99], total);
    fprintf(stderr, "to stderr\n");
    cudaFree(p);
    return 0;
}
"#;

const OF_CPP: &str = r#"
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>
std::vector<int> numbers = {3, 1, 2};
__global__ void twice(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2; }
int main()
{
    std::sort(numbers.begin(), numbers.end());
    int *p;
    cudaMalloc(&p, numbers.size() * sizeof(int));
    cudaMemcpy(p, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(p, (int)numbers.size());
    cudaMemcpy(numbers.data(), p, numbers.size() * sizeof(int), cudaMemcpyDeviceToHost);
    std::map<std::string, int> by_name{{"last", numbers.back()}};
    for (int number : numbers) std::cout << number << ' ';
    std::cout << by_name["last"] << std::endl;
    std::cerr << "done" << std::endl;
    cudaFree(p);
}
"#;

#[test]
#[ignore = "needs node"]
fn a_program_runs_in_the_page() {
    let off_by_one = PLAIN.replace("i <= n", "i <= n + 1");
    let ran = ran("programs", &[PLAIN, OF_CPP, &off_by_one]);
    let shown = |place: usize| ran[place].shown.as_ref().unwrap_or_else(|| panic!("{:?}", ran[place]));
    assert_eq!(shown(0)["printed"], json!(["1 2 99\n", "to stderr\n"]), "{}", shown(0));
    assert_eq!(shown(0)["verdict"], "ok: nothing is wrong", "{}", shown(0));
    assert!(shown(0)["kernels"].as_str().unwrap().contains("add"), "{}", shown(0)["kernels"]);
    assert_eq!(ran[0].status, 0);
    assert_eq!(shown(1)["printed"], json!(["2 4 6 6\n", "done\n"]), "{}", shown(1));
    assert_eq!((ran[1].status, &shown(1)["verdict"]), (0, &json!("ok: nothing is wrong")));
    assert_eq!(ran[2].status, 1);
    let found = &shown(2)["diagnostics"][0];
    assert_eq!(
        (&found["kind"], &found["line"], &found["file"]),
        (&json!("out-of-bounds"), &json!(8), &json!(PATH))
    );
}

#[test]
#[ignore = "needs node"]
fn what_does_not_compile_in_the_page_is_said_at_the_readers_line() {
    let cases = [
        (
            PLAIN.replace("add<<<1, 128>>>(p, 99)", "add(p, 99)"),
            "notebook.cu(17): error: add is a kernel: launch it",
        ),
        (
            PLAIN.replace("<stdio.h>", "\"my_helpers.h\""),
            "notebook.cu(2): fatal error: this file is missing: my_helpers.h",
        ),
        (OF_CPP.replace("<map>", "<mapp>"), "notebook.cu(5): fatal error: this file is missing: mapp"),
    ];
    let request = |(source, _): &(String, &str)| json!({"path": PATH, "source": source, "programs": true});
    let answers = ask("programs-wrong", &cases.iter().map(request).collect::<Vec<Value>>());
    for ((_, says), answer) in cases.iter().zip(answers) {
        assert!(answer["status"] == 1 && answer["said"].as_str().unwrap().contains(says), "{says}: {answer}");
    }
}
