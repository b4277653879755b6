//! Chapter 8.3 on simulated GPUs: the sum of an array that comes in pieces.

use crate::run;

#[test]
fn chapter_8_3_is_right_for_any_number_of_gpus_and_pieces() {
    for (gpus, sizes) in [(1, &[0, 262_145][..]), (2, &[1, 1000]), (3, &[5, 800_003])] {
        for n in sizes {
            let line = format!("--device sim --gpus {gpus} --n {n} --kernel all --no-sweep --json");
            let run = run(&format!("ch8_streamed_{gpus}_{n}"), "ch8_streamed", &line);
            let json = run.json();
            assert_eq!(json["runs"].as_array().unwrap().len(), 7, "{line}");
            assert_eq!((run.status(), &json["ok"]), (Some(0), &true.into()), "{line}: {}", run.stdout());
        }
    }
}
