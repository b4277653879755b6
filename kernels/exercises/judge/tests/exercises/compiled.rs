//! What learners write themselves, compiled by nvcc and by clang: verdicts, and what is said of what
//! does not compile.

use cuda_source::edit::Edit;
use kernel_compiler::compiler::Maker;

use super::learner::{Learner, exercise, mutant};

/// Exercise, name and text of what learners may write.
pub fn own_answers() -> Vec<(&'static str, String, String)> {
    let edited = edits().into_iter().map(|(name, text, ..)| ("2.1", name.to_string(), text));
    let numbers = ["99999999999999999999999", "0", "-1"]
        .map(|number| ("3.6", format!("number {number}"), exercise("3.6").stub().replace('?', number)));
    let lines = ["12", "9999", "x"].map(|line| {
        ("2.4", format!("line {line}"), exercise("2.4").stub().replace("line ?", &format!("line {line}")))
    });
    let more = [("3.1", "tree".to_string(), tree()), ("5.2", "by-hand".to_string(), by_hand())];
    edited.chain(numbers).chain(lines).chain(more).collect()
}

fn by_hand() -> String {
    mutant("5.2", "by-thread-0") + "// by hand\n"
}

/// Chapter 3's own tree in exercise 3.1.
fn tree() -> String {
    let solution = exercise("3.1").solution();
    let start = solution.find("    for (unsigned int stride").unwrap();
    let end = solution.find("    if (tid == 0)").unwrap();
    let tree = "    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {\n        \
                unsigned int half = (length + 1) / 2;\n        if (tid + half < length) {\n            \
                idata[tid] = max(idata[tid], idata[tid + half]);\n        }\n        \
                __syncthreads();\n    }\n";
    solution[..start].to_string() + tree + &solution[end..]
}

/// It costs twice the solution's instructions in clang's code, and is as right.
#[test]
#[ignore = "needs nvcc and clang"]
fn the_tree_of_chapter_3_passes_with_both_compilers() {
    for (maker, name) in [(Maker::Nvcc, "idiom"), (Maker::Clang, "idiom-by-clang")] {
        let learner = Learner::with(maker, name);
        learner.write(&exercise("3.1"), &tree());
        learner.says("3.1").exits(0, &["passed"]);
    }
}

/// Also a text that is built already.
#[test]
#[ignore = "needs nvcc and clang"]
fn the_compiler_is_the_one_that_is_asked_for() {
    for (maker, word, name) in [(Maker::Nvcc, "nvcc", "asked"), (Maker::Clang, "clang", "asked-for-clang")] {
        let learner = Learner::with(maker, name);
        learner.write(&exercise("2.1"), &exercise("2.1").solution());
        let by = format!("Compiled by {word} ");
        learner.says(&format!("2.1 --compiler {word}")).exits(0, &["passed", &by]);
    }
}

/// Takes 20 seconds for each.
#[test]
#[ignore = "needs nvcc and clang, and a minute"]
fn a_compiler_that_does_not_come_to_an_end_is_stopped_nightly() {
    let endless = "template <int A, unsigned B> struct Two {\n    \
                   static constexpr unsigned value = Two<A - 1, 2 * B>::value + \
                   Two<A - 1, 2 * B + 1>::value;\n};\n\
                   template <unsigned B> struct Two<0, B> {\n    static constexpr unsigned value = B;\n};\n\
                   static __device__ unsigned two = Two<22, 1>::value;\n";
    for (maker, word, name) in [(Maker::Nvcc, "nvcc", "endless"), (Maker::Clang, "clang", "endless-clang")] {
        let learner = Learner::with(maker, name);
        learner.write(&exercise("2.1"), &format!("{endless}{}", exercise("2.1").solution()));
        learner.says("2.1").exits(1, &[word, "had not finished kernels/exercises/2_1_barrier.cu"]);
    }
}

#[test]
#[ignore = "needs nvcc"]
fn what_the_learner_writes_is_compiled_by_nvcc() {
    what_the_learner_writes_is_compiled(Maker::Nvcc, "compiled", "expected a \";\"");
}

#[test]
#[ignore = "needs clang"]
fn what_the_learner_writes_is_compiled_by_clang() {
    what_the_learner_writes_is_compiled(Maker::Clang, "compiled-by-clang", "expected ';'");
}

/// Edits of the solution of 2.1: name, text, status, and parts of what is said of it; `SYNTAX` is what the
/// compiler says of a missing semicolon.
fn edits() -> Vec<(&'static str, String, i32, &'static [&'static str])> {
    let edits: [(_, _, _, &[&str]); 7] = [
        (
            "no-semicolon",
            "- __syncthreads();\n+ __syncthreads()",
            1,
            &["kernels/exercises/2_1_barrier.cu(", "): error: ", "SYNTAX"],
        ),
        ("mangled", "- extern \"C\" ", 1, &["named sumOfSquares"]),
        ("endless", "- stride *= 2\n+ stride *= 1", 1, &["error[step-limit]"]),
        (
            "prints-endlessly",
            "- stride *= 2\n+ printf(\"again and again\\n\")",
            1,
            &["error[step-limit]", "… these are the first 100 of "],
        ),
        (
            "prints",
            "- if (tid == 0) {\n+ if (tid == 0) { printf(\"%d numbers\\n\", size);",
            0,
            &["passed", "It printed, for n = 2, 32 threads per block:\n  2 numbers\n"],
        ),
        (
            "prints-beyond-the-goal",
            "- __syncthreads();\n+ __syncthreads(); __syncthreads();\n- if (tid == 0) {\n+ if (tid == 0) { \
             printf(\"%d numbers\\n\", size);",
            1,
            &["barrier arrivals are too many", "It printed, for n = 2, 32 threads per block:\n  2 numbers\n"],
        ),
        (
            "warned",
            "- __syncthreads();\n+ int never = 1;\n- if (tid == 0) {\n+ printf(\"here\\n\"); if (tid == 0) {",
            1,
            &["The compiler warns:", "never", "It printed, for n = 2", ":\n  here\n", "error[data-race]"],
        ),
    ];
    let solution = exercise("2.1").solution();
    let text = |edit| format!("#include <stdio.h>\n{}", Edit::parse(edit).unwrap().apply(&solution).unwrap());
    edits.map(|(name, edit, status, parts)| (name, text(edit), status, parts)).into()
}

/// `expected` is what the compiler says of a missing semicolon.
fn what_the_learner_writes_is_compiled(maker: Maker, name: &str, expected: &str) {
    let learner = Learner::with(maker, name);
    let exercise = exercise("2.1");
    for (_, text, status, parts) in edits() {
        let parts: Vec<&str> =
            parts.iter().map(|part| if *part == "SYNTAX" { expected } else { part }).collect();
        learner.write(&exercise, &text);
        let said = learner.says("2.1").exits(status, &parts);
        assert!(!said.text.contains("no compiler"), "{}", said.text);
        assert_eq!(learner.read(&exercise.path), text);
        learner.says("2.2").exits(1, &["2.2 Any length: not yet"]);
    }
}
