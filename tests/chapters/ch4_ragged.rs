//! Chapter 4.3 on the simulator: the sums of ragged rows.

use rayon::prelude::*;

use super::{names, run, shapes};

const KINDS: [&str; 4] = ["equal", "power", "giant", "empty"];

#[test]
fn every_way_adds_up_every_kind_of_rows_at_any_size_and_block() {
    let sizes = [0, 1, 2, 31, 33, 1000, 1025, 10_007];
    shapes(&sizes, &[96, 32, 256, 1000]).into_par_iter().with_max_len(1).for_each(|(n, block)| {
        let line = format!("--device sim --kernel all --n {n} --block {block} --json");
        let run = run(&format!("ch4_ragged-{n}-{block}"), "ch4_ragged", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        assert_eq!(json["runs"].as_array().unwrap().len(), 13 * KINDS.len());
        for run in json["runs"].as_array().unwrap() {
            assert_eq!((&run["ok"], &run["sum"]), (&true.into(), &run["expected"]), "{line} {run}");
        }
    });
}

#[test]
fn no_order_of_turns_loses_a_part_of_a_row() {
    let of_giant = [
        "childPerGrid_giant",
        "mergePath_giant",
        "flattened_giant",
        "rowSums_giant",
        "flattenedF32_giant",
        "rowSumsF32_giant",
    ];
    let kernels: String = of_giant.iter().map(|kernel| format!("--kernel {kernel} ")).collect();
    (0..6).into_par_iter().for_each(|schedule| {
        let line = format!("--device sim {kernels} --n 50_021 --schedule {schedule} --json");
        let run = run(&format!("ch4_ragged-order-{schedule}"), "ch4_ragged", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        assert_eq!(names(&json["runs"]), of_giant);
        assert!(json["runs"].as_array().unwrap().iter().all(|run| run["ok"] == true), "{line}");
    });
}

#[test]
fn too_little_room_for_children_is_noticed() {
    let line = "--device sim --kernel childPerRow_giant --n 2^14 --pending-launches 64 --json";
    let run = run("ch4_ragged-room", "ch4_ragged", line);
    assert_eq!(run.status(), Some(1));
    let run = &run.json()["runs"][0];
    assert_eq!((&run["ok"], &run["dropped"]["error"]), (&false.into(), &69.into()), "{run}");
}

#[test]
fn children_are_launched_for_rows_with_elements_for_long_rows_and_for_blocks_with_long_rows() {
    let launches = |way: &str, n: u64| {
        let line = format!("--device sim --kernel {way}_giant --n {n} --block 256 --json");
        let run = run(&format!("ch4_ragged-launches-{way}-{n}"), "ch4_ragged", &line);
        let run = &run.json()["runs"][0];
        let counted = run["counters"]["device_launches"].as_u64().unwrap();
        assert_eq!(run["device_launches"].as_u64().unwrap_or(0), counted, "{run}");
        counted
    };
    assert_eq!(launches("childPerRow", 1 << 14), 513);
    for way in ["childPerLongRow", "childPerBlock", "childPerBlockCoarse", "childPerGrid"] {
        assert_eq!((launches(way, 1 << 14), launches(way, 512)), (1, 0), "{way}");
    }
}
