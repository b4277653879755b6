//! Chapter 6.1 on the simulator: sums of rows, of floats of 16 bits, and launches that overlap.

use rayon::prelude::*;
use workbook::kernels;

use super::{SIZES, run, shapes};

#[test]
fn every_way_of_chapter_6_1_is_right_for_any_size_and_block() {
    shapes(&SIZES, &[96, 1, 1024]).into_par_iter().with_max_len(1).for_each(|(n, block)| {
        let line = format!("--device sim --kernel all --n {n} --block {block} --json");
        let run = run(&format!("ch6_in_use-{n}-{block}"), "ch6_in_use", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let runs = json["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 13);
        for run in runs {
            let kernel = run["kernel"].as_str().unwrap();
            assert_eq!(run["ok"], kernel != "twoPassesNoWait_f32", "{line} {run}");
            // These sums have at most 24 bits, so in f32 nothing rounds, whatever the elements are.
            assert!(run["sum"] == run["expected"] || kernel == "twoPasses_f16InF16", "{line} {run}");
        }
    });
}

#[test]
fn f16_sums_of_f16_round_and_then_overflow() {
    let of = |n: &str| {
        let line = format!("--device sim --kernel twoPasses_f16 --kernel twoPasses_f16InF16 --n {n} --json");
        let run = run(&format!("ch6_in_use-half-{n}"), "ch6_in_use", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        run.json()["runs"].clone()
    };
    let runs = of("50_001");
    let [in_f32, in_f16] = [0, 1].map(|run| runs[run]["sum"].as_f64().unwrap());
    assert_eq!(in_f32, runs[0]["expected"].as_f64().unwrap());
    assert!(in_f16 != in_f32 && in_f16 % 16.0 == 0.0, "f16 has eleven bits: {in_f16} for {in_f32}");
    let runs = of("2^18");
    assert_eq!((&runs[1]["sum"], &runs[1]["ok"]), (&"inf".into(), &false.into()));
    assert_eq!((&runs[1]["teaches"], &runs[0]["ok"]), (&"overflow".into(), &true.into()));
}

#[test]
fn a_second_pass_that_does_not_wait_is_a_race_in_its_read() {
    let line = "--device sim --kernel twoPassesOverlapping_f32 --kernel twoPassesNoWait_f32 --n 3001 --json";
    let run = run("ch6_in_use-wait", "ch6_in_use", line);
    let json = run.json();
    let found = json["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "none with the wait: {found:?}");
    assert_eq!((&found[0]["kind"], &found[0]["kernel"]), (&"data-race".into(), &"lastPassNoWait".into()));
    let source = &kernels::get("ch6_in_use").unwrap().source;
    let line = |entry: &serde_json::Value| source.lines().nth(entry["line"].as_u64().unwrap() as usize - 1);
    assert!(line(&found[0]).unwrap().contains("add(sum, partials[i])"), "{}", found[0]);
    assert!(line(&found[0]["related"][0]).unwrap().contains("partials[blockIdx.x] = sum"), "{}", found[0]);
}
