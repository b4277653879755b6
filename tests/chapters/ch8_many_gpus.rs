//! Chapter 8 on simulated GPUs: every way of adding the shares, on any number of GPUs.

use crate::run;

#[test]
fn chapter_8_is_right_on_any_number_of_gpus() {
    for gpus in [1, 2, 3, 5] {
        for n in [0, 1, 4, 7, 1000, 70_001] {
            let line = format!("--device sim --gpus {gpus} --n {n} --kernel all --json");
            let name = format!("ch8_many_gpus_{gpus}_{n}");
            let run = run(&name, "ch8_many_gpus", &line);
            let json = run.json();
            let runs = json["runs"].as_array().unwrap();
            assert_eq!(runs.len(), 15, "{line}");
            for one in runs {
                assert_eq!(one["sum"], one["expected"], "{line}: {}", one["kernel"]);
                if one["teaches"].is_null() {
                    assert_eq!(one["ok"], true, "{line}: {}", one["kernel"]);
                }
            }
            assert_eq!(run.status(), Some(0), "{line}: {}", run.stderr());
        }
    }
}

#[test]
fn an_atomic_of_one_gpu_alone_is_a_race_where_another_takes_part() {
    let two = run("ch8_narrow_2", "ch8_many_gpus", "--device sim --gpus 2 --kernel intoPeerNarrow --json");
    let found = &two.json()["diagnostics"][0];
    assert_eq!(found["kind"], "data-race", "{}", two.stdout());
    assert!(found["help"].as_str().unwrap().contains("_system"), "{found}");
    let one = run("ch8_narrow_1", "ch8_many_gpus", "--device sim --gpus 1 --kernel intoPeerNarrow --json");
    assert_eq!(one.json()["diagnostics"].as_array().unwrap().len(), 0, "{}", one.stdout());
}

#[test]
fn gpus_are_counted_and_a_wrong_number_is_refused() {
    let run_on = |line: &str| run("ch8_gpus", "ch8_many_gpus", line);
    let three = run_on("--device sim --gpus 3 --n 100 --json").json();
    assert_eq!(three["device"]["gpus"], 3);
    assert!(run_on("--device sim --gpus 1 --n 100 --json").json()["device"]["gpus"].is_null());
    for line in ["--gpus 0", "--gpus 65", "--gpus x"] {
        let refused = run_on(line);
        assert_eq!(refused.status(), Some(2), "{line}");
        assert!(refused.stderr().contains("1 to 64 GPUs can work together"), "{}", refused.stderr());
    }
    let none = run_on("--device gpu --gpus 2");
    assert_eq!(none.status(), Some(2), "no GPU here");
}
