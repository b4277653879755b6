//! Chapter 4: the area under a curve.

use rayon::prelude::*;

use super::{names, run, shapes};

#[test]
fn every_way_of_dividing_intervals_finds_the_area_of_the_serial_recursion() {
    let cases = shapes(&[10_001, 0, 1, 2, 4097, 31, 1025, 33], &[96, 32, 256, 1000]);
    cases.par_iter().for_each(|(n, block)| {
        let line = format!("--device sim --n {n} --block {block} --json");
        let run = run(&format!("area-{n}-{block}"), "ch4_quadrature", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let all = ["depthFirst", "divideLevel", "divideLevelGraph", "gpuRecursiveDivide", "divideQueue"];
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

/// Threads that wait for each other's intervals: no order of turns may leave one waiting, end before all is
/// done, or let two accesses race. With blocks of 32 there are far more of them than the simulator has under
/// way.
#[test]
fn the_queue_ends_with_the_whole_area_in_every_order_of_turns() {
    let cases: Vec<(u64, u32, u64)> = [33, 1025]
        .into_iter()
        .flat_map(|n| [32, 48, 256].map(|block| (n, block)))
        .flat_map(|(n, block)| (0..5).map(move |schedule| (n, block, schedule)))
        .collect();
    cases.par_iter().for_each(|(n, block, schedule)| {
        let at = format!("--n {n} --block {block} --schedule {schedule}");
        let line = format!("--device sim {at} --kernel divideQueue --no-sweep --json");
        let run = run(&format!("queue-{n}-{block}-{schedule}"), "ch4_quadrature", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let run = &run.json()["runs"][0];
        assert_eq!((&run["ok"], &run["sum"]), (&true.into(), &run["expected"]), "{line} {run}");
    });
}

#[test]
fn a_graph_with_a_loop_needs_a_gpu() {
    let run = run("loop", "ch4_quadrature", "--device sim --kernel divideLevelWhile");
    assert_eq!(run.status(), Some(2));
    assert!(run.stderr().contains("divideLevelWhile, which needs a GPU"), "{}", run.stderr());
}
