//! Chapter 4: the area under a curve.

use rayon::prelude::*;

use super::{names, run};

#[test]
fn every_way_of_dividing_intervals_finds_the_area_of_the_serial_recursion() {
    let cases: Vec<(u64, u32)> = [0, 1, 2, 31, 33, 1000, 1025, 4097, 20_001]
        .into_iter()
        .flat_map(|n| [32, 96, 256, 1000].map(|block| (n, block)))
        .collect();
    cases.par_iter().for_each(|(n, block)| {
        let line = format!("--device sim --n {n} --block {block} --json");
        let run = run(&format!("area-{n}-{block}"), "ch4_quadrature", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let all = ["depthFirst", "divideLevel", "divideLevelGraph", "gpuRecursiveDivide"];
        assert_eq!(names(&json["runs"]), all);
        for run in json["runs"].as_array().unwrap() {
            assert_eq!((&run["ok"], &run["sum"]), (&true.into(), &run["expected"]), "{line} {run}");
            assert_eq!(run["expected"].as_i64().unwrap() > 0, *n > 1, "{line}");
        }
    });
    let many = run("area-many", "ch4_quadrature", "--device sim --n 32_769");
    assert_eq!(many.status(), Some(2));
    assert!(many.stderr().contains("--n 32768 or less"), "{}", many.stderr());
}
