//! Chapter 5: the dot product, and the barriers that are wrong.

use rayon::prelude::*;
use serde_json::Value;
use workbook::kernels;

use super::run;

/// The sizes that chapters 5 and 6 are asked for, in several shapes; every result within its bound.
#[test]
fn chapter_5_is_right_in_every_shape_and_says_what_is_wrong() {
    let shapes = ["", "--block 96 --grid 7", "--block 1000", "--block 32 --grid 100"];
    let sizes = [262_145u64, 0, 1, 2, 31, 33, 1025];
    let each = sizes.iter().zip(shapes.iter().cycle());
    let cases: Vec<_> = each.chain(shapes.iter().map(|shape| (&1000, shape))).collect();
    cases.par_iter().for_each(|(n, shape)| {
        let line = format!("--device sim --kernel all --n {n} {shape} --json");
        let run = run(&format!("ch5-{n}-{}", shape.replace(' ', "_")), "ch5_shared", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        for run in json["runs"].as_array().unwrap() {
            let of = |field: &str| run[field].as_f64().unwrap();
            let error = (of("sum") - of("expected")).abs();
            assert_eq!(run["ok"] == true, error <= of("bound") && run["found"].is_null(), "{line} {run}");
            assert!(run["ok"] == true || run["teaches"] == "barrier-divergence", "{line} {run}");
        }
        if shape.contains("--grid") {
            let grid = json["grid"].as_u64();
            let grids = json["runs"].as_array().unwrap().iter().map(|run| run["grid"].as_u64());
            assert!(grids.into_iter().all(|of_run| of_run == grid || of_run == Some(0)), "{line}");
        }
    });
}

#[test]
fn chapter_5_without_options_is_the_posts_program() {
    let run = run("ch5", "ch5_shared", "--device sim --kernel all --json");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let json = run.json();
    assert_eq!((&json["n"], &json["block"], &json["grid"]), (&(33 * 1024).into(), &256.into(), &32.into()));
    let runs = json["runs"].as_array().unwrap();
    let of = |kernel: &str| runs.iter().find(|run| run["kernel"] == kernel).unwrap();
    // 2 * sum_square(N-1), as the post has it, in f64: exact.
    let x = 33.0 * 1024.0 - 1.0;
    assert_eq!(of("dot(i,2i)")["expected"], 2.0 * (x * (x + 1.0) * (2.0 * x + 1.0) / 6.0));
    assert_eq!(of("dot(i,2i)")["ok"], true);
    assert_eq!(of("dotBarrierInBranch")["found"], serde_json::json!(["barrier-divergence"]));
    assert_eq!(of("dotBarriersMispaired")["found"], serde_json::json!(["barrier-divergence", "data-race"]));
    assert!(of("dotLoop")["time_us"].is_null() && of("dotLoop")["block"] == 0, "{}", of("dotLoop"));
    let lines: Vec<_> = json["diagnostics"].as_array().unwrap().iter().map(|found| &found["line"]).collect();
    let source = &kernels::get("ch5_shared").unwrap().source;
    let is_wrong = |line: &str| line.contains("__syncthreads(); //") && line.contains("wrong:");
    for (line, number) in source.lines().zip(1..).filter(|(line, _)| is_wrong(line)) {
        assert!(lines.contains(&&Value::from(number)), "{line}: {lines:?}");
    }
}
