//! Chapter 7: every rung for every type.

use rayon::prelude::*;
use workbook::reduction::data;

use super::run;

/// Every rung of chapter 7, from the array to one sum; ch7_kernels.rs has more sizes and places.
#[test]
fn chapter_7_is_right_at_every_size_for_every_type() {
    let sizes: [u64; 5] = [0, 1, 33, 1025, 70_001];
    sizes.par_iter().with_max_len(1).for_each(|n| {
        let line = format!("--device sim --kernel all --n {n} --block 96 --json");
        let run = run(&format!("ch7-{n}"), "ch7_limit", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let numbers = data::numbers(*n as usize, 1);
        let wrapping = numbers.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x));
        let runs = json["runs"].as_array().unwrap();
        for run in runs {
            assert_eq!(run["ok"], true, "{line} {run}");
            if run["operation"].is_null() {
                assert_eq!(run["sum"], wrapping, "{line} {run}");
            }
        }
        assert_eq!(runs.len(), 12, "10 rungs, and the last for two other types");
        assert!(json["comparison"].is_null(), "a comparison needs a GPU");
    });
}

/// One thread per block: passes that take one element per thread would never end, and are refused (options.rs
/// has how); the others end.
#[test]
fn blocks_of_one_thread_end() {
    for line in [
        "--n 1 --block 1 --kernel all",
        "--n 0 --block 1 --kernel all",
        "--n 33 --block 1 --kernel reduceFirstAdd",
        "--n 100 --grid 100 --kernel reduceFirstAdd",
        "--n 100 --grid 100 --block 2 --kernel all",
    ] {
        let run = run("ch7-one-thread", "ch7_limit", &format!("--device sim --json {line}"));
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        assert_eq!(run.json()["ok"], true, "{line}");
    }
}
