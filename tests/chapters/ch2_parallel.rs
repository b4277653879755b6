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

/// The page says so: warp 0 ran to its end before warp 1 added anything, so the sum is that of the first 33
/// numbers.
#[test]
fn chapter_2_shows_the_missing_barrier_in_the_sum() {
    let json = run("ch2-story", "ch2_parallel", "--device sim --json").json();
    let [race, barrier] = [&json["runs"][0], &json["runs"][1]];
    assert_eq!((&race["n"], &race["found"][0]), (&64.into(), &"data-race".into()));
    assert_eq!((&race["ok"], &barrier["ok"]), (&false.into(), &true.into()));
    let first = run("ch2-first", "ch2_parallel", "--device sim --n 33 --json").json();
    assert_eq!(race["sum"], first["runs"][1]["expected"]);
    assert_ne!(race["sum"], race["expected"]);
}

/// One warp: its sum is right and its race is found all the same.
#[test]
fn chapter_2_finds_a_race_in_a_right_sum() {
    let json = run("ch2-one-warp", "ch2_parallel", "--device sim --n 8 --json").json();
    let race = &json["runs"][0];
    assert_eq!((&race["sum"], &race["found"][0]), (&race["expected"], &"data-race".into()));
}
