//! Every chapter with the code of clang, beside that of nvcc: the same sums and verdicts.

use rayon::prelude::*;
use serde_json::Value;

use super::{run, stems};

/// Chapters without a kernel that clang could compile: on the CPU, of 2020, with CUB.
const WITHOUT: [&str; 3] = ["ch1_serial", "ch4_legacy", "ch7_libraries"];

/// Whose story alone is run: clang 22 knows no clusters, in which its other kernels run.
const CLUSTERS: &str = "ch4_when_it_pays";

/// What must not depend on the compiler, of each run.
fn verdicts(json: &Value) -> Vec<String> {
    let fields = ["kernel", "n", "block", "grid", "sum", "expected", "ok", "found"];
    let runs = json["runs"].as_array().unwrap().iter();
    runs.map(|run| fields.map(|field| format!("{field} {}", run[field])).join(", ")).collect()
}

#[test]
#[ignore = "needs clang"]
fn clangs_code_gives_every_chapters_sums_and_verdicts() {
    let stems = stems().into_iter().filter(|stem| !WITHOUT.contains(&stem.as_str()));
    let sizes = [5003, 1000, 31];
    let cases: Vec<(String, u32)> = stems.flat_map(|stem| sizes.map(|size| (stem.clone(), size))).collect();
    // One at a time, since some take much longer than others.
    cases.par_iter().with_max_len(1).for_each(|(stem, size)| gives_the_same(stem, *size));
}

fn gives_the_same(stem: &str, size: u32) {
    let all = if stem == CLUSTERS { "" } else { "--kernel all" };
    let line = format!("--device sim {all} --json --n {size}");
    let name = format!("compilers-{stem}-{size}");
    let runs = ["", "--compiler clang"].map(|option| run(&name, stem, &format!("{line} {option}")));
    assert_eq!(runs[0].status(), runs[1].status(), "{stem} {line}: {}", runs[1].stderr());
    if runs[0].status() == Some(2) {
        return; // more than one block holds
    }
    let [committed, clang] = runs.map(|run| run.json());
    assert!(committed["compiler"].as_str().unwrap().starts_with("nvcc "), "{stem}");
    assert!(clang["compiler"].as_str().unwrap().starts_with("clang "), "{stem}");
    assert_ne!(committed["source_hash"], clang["source_hash"], "{stem}");
    assert_eq!(verdicts(&committed), verdicts(&clang), "{stem} {line}");
}

#[test]
fn a_chapter_without_a_kernel_has_none_to_compile() {
    let run = run("compilers-none", "ch1_serial", "--compiler clang");
    assert_eq!(run.status(), Some(2));
    assert!(run.stderr().contains("ch1_serial has no kernel to compile"), "{}", run.stderr());
}
