//! `--export`: the program that is printed, and that it gives what the launch gives.

use serde_json::json;

use super::*;

const FOLDER: &str = "crates/simulate/tests/simulate/export";

/// A command line for a file of [`FOLDER`], the program that it exports, and what that returns.
const EXPORTS: [(&str, &str, i32); 8] = [
    ("two_launches.cu --cell 2", "two_launches_cell2", 0),
    (
        "two_launches.cu --kernel blockSums --grid 2 --block 64 --arg buf:f32:0.5*100 --arg buf:f32:uninit*2 \
         --arg u32:100 --expect 1=f32:32,18 -DUNUSED=1",
        "two_launches_program",
        0,
    ),
    ("parts.cu", "parts_program", 0),
    ("pointers.cu", "pointers_program", 0),
    ("shared.cu", "shared_program", 0),
    ("files.cu", "files_program", 0),
    ("wrong.cu", "wrong_program", 1),
    ("same.cu", "same_program", 1),
];

#[test]
fn the_exported_programs_are_renewed_by_a_run() {
    for (line, name, _) in EXPORTS {
        let program = run(&format!("{FOLDER}/{line} --export")).exits(0).stdout();
        testing::renew::committed(format!("{FOLDER}/{name}.cu"), program);
    }
}

/// Each is run twice: by its script, and as the program that its export is.
#[test]
#[ignore = "needs clang"]
fn exported_programs_print_what_the_launches_leave() {
    let folder = scratch("exported");
    for (line, name, status) in EXPORTS {
        let held = run(&format!("{FOLDER}/{line} --json")).exits(status).json();
        let place = folder.display();
        let ran =
            run(&format!("{FOLDER}/{name}.cu --json --data {FOLDER} --out {place}")).exits(status).json();
        assert_eq!((&ran["status"], &ran["diagnostics"]), (&json!(status), &json!([])), "{name}: {ran}");
        let printed = ran["printed"].as_str().unwrap();
        let end = if status == 0 { "\nok\n" } else { "\nwrong\n" };
        assert!(printed.ends_with(end), "{name}: {printed}");
        let shown = held["buffers"].as_array().unwrap().iter().filter(|buffer| buffer["type"] != "ptr");
        let shown: Vec<&Value> = shown.collect();
        assert!(!shown.is_empty(), "{name}");
        shown.into_iter().for_each(|buffer| assert_shown(printed, buffer));
    }
    let doubled = std::fs::read(folder.join("doubled.bin")).unwrap();
    assert_eq!(doubled, [2, 4, 6, -8].map(i32::to_le_bytes).concat());
    let wrong = run(&format!("{FOLDER}/wrong_program.cu")).exits(1).stdout();
    assert!(wrong.contains("out.1[2] is 4, expected 5\n"), "{wrong}");
}

/// Asserts that a program has printed the first elements of a buffer, floats to the digits of an `f32`.
#[track_caller]
fn assert_shown(printed: &str, buffer: &Value) {
    let name = match buffer["arg"].as_u64() {
        Some(arg) => format!("argument {arg}:"),
        None => format!("{}:", buffer["name"].as_str().unwrap()),
    };
    let line = printed.lines().find_map(|line| line.strip_prefix(&name));
    let words: Vec<&str> =
        line.unwrap_or_else(|| panic!("no {name} in {printed}")).split_whitespace().collect();
    let values = buffer["values"].as_array().unwrap();
    let (words, rest) = words.split_at(values.len().min(8));
    assert_eq!(rest, if values.len() > 8 { &["..."][..] } else { &[] }, "{name} {printed}");
    for (word, value) in words.iter().zip(values) {
        let value = value.to_string().replace('"', "");
        let floats = [*word, &value].map(|text| text.parse::<f32>().unwrap().to_bits());
        let is_whole = buffer["type"].as_str().unwrap().starts_with(['i', 'u']);
        assert!(if is_whole { *word == value } else { floats[0] == floats[1] }, "{name} {word}, not {value}");
    }
}

#[test]
fn what_cannot_be_a_program_is_refused_with_its_line() {
    let folder = scratch("not-exported");
    let kernel = "__global__ void k(float *x, int n) {}\n";
    let template = "template <typename T> __global__ void k(T *x) {}\n";
    let refused = [
        (kernel, "buffer x = f16:1", "mine.cu:2: f16: 16-bit floats cannot be exported; use f32"),
        (kernel, "launch k<<<1, 1>>> buf:f32:1 bf16:1", "the parameter is `int n`, and bf16:1 is given"),
        (
            kernel,
            "launch k<<<1, 1>>> buf:f32:1 f32:1",
            "mine.cu:2: argument 1 of k: the parameter is `int n`",
        ),
        (kernel, "launch k<<<1, 1>>> buf:f32:1", "mine.cu:2: k has 2 parameters, and is given 1"),
        (kernel, "launch k<<<1, 1>>> @y i32:1", "mine.cu:2: argument 0 of k: no buffer is called @y"),
        (
            template,
            "launch k<<<1, 1>>> buf:f32:1",
            "mine.cu:2: k is a template: the launch has to say for what",
        ),
        (
            template,
            "launch k<float><<<1, 1>>> struct:f32:1",
            "argument 0 of k<float>: the source does not name",
        ),
        (
            kernel,
            "buffer x = f32:1\n//@ expect x = f32:1,2",
            "mine.cu:3: @x has 1 of f32 elements, and 2 of f32",
        ),
        (kernel, "buffer x = ptr:@x\n//@ expect x = ptr:@x", "mine.cu:3: @x holds addresses, which differ"),
        (
            "int main() {}\n",
            "launch k<<<1, 1>>>",
            "mine.cu already has a main: it is a whole program, which nvcc",
        ),
        ("", "", "mine.cu has no line `//@ launch …`"),
    ];
    for (source, line, part) in refused {
        let launch = if line.contains("launch") { "" } else { "//@ launch k<<<1, 1>>> buf:f32:1 i32:1\n" };
        let launch = if source.is_empty() { "" } else { launch };
        std::fs::write(folder.join("mine.cu"), format!("{source}//@ {line}\n{launch}")).unwrap();
        let mut command = simulate();
        let output = command.current_dir(&folder).args(["mine.cu", "--export"]).output().unwrap();
        Run { line: line.into(), output }.refuses(&[part]);
    }
    run(&format!("{KERNELS} --kernel k --grid 1 --block 1 --export")).refuses(&["--export needs the source"]);
    run(&format!("{FOLDER}/parts.cu --export --json")).refuses(&["cannot be used with"]);
}
