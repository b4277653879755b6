//! Chapter 8.1 on simulated GPUs: n numbers of each become their sums, in every way.

use crate::run;

#[test]
fn chapter_8_1_is_right_on_any_number_of_gpus() {
    for gpus in [1, 2, 3] {
        for n in [0, 1, 3, 4, 1000, 70_001] {
            let line = format!("--device sim --gpus {gpus} --n {n} --no-sweep --json");
            let run = run(&format!("ch8_combine_{gpus}_{n}"), "ch8_combine", &line);
            let json = run.json();
            assert_eq!(json["runs"].as_array().unwrap().len(), 3, "{line}");
            assert_eq!((run.status(), &json["ok"]), (Some(0), &true.into()), "{line}: {}", run.stdout());
        }
    }
}
