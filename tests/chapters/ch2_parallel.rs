//! Chapter 2: one block, with its barrier and without.

use super::{SIZES, names, run};

#[test]
fn chapter_2_is_right_with_the_barrier_in_one_block() {
    for n in SIZES.into_iter().filter(|&n| n <= 1024) {
        let run = run(&format!("ch2-{n}"), "ch2_parallel", &format!("--device sim --n {n} --json"));
        assert_eq!(run.status(), Some(0), "{}", run.stderr());
        let json = run.json();
        assert_eq!(names(&json["runs"]), ["reduceNeighboredNoBarrier", "reduceNeighbored"]);
        assert_eq!(json["runs"][0]["teaches"], "data-race");
        assert_eq!(json["runs"][1]["ok"], true, "n = {n}");
    }
}
