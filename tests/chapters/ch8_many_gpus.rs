//! Chapter 8 on simulated GPUs: every way of adding the shares, on any number of GPUs.

use workbook::device::DeviceKind;
use workbook::record::Record;

use crate::run;

#[test]
fn chapter_8_is_right_on_any_number_of_gpus() {
    for (gpus, sizes) in [(1, &[0, 70_001][..]), (2, &[1, 1000]), (3, &[4, 70_001]), (5, &[0, 7])] {
        for n in sizes {
            let line = format!("--device sim --gpus {gpus} --n {n} --kernel all --json");
            let name = format!("ch8_many_gpus_{gpus}_{n}");
            let run = run(&name, "ch8_many_gpus", &line);
            let json = run.json();
            let runs = json["runs"].as_array().unwrap();
            assert_eq!(runs.len(), 18, "{line}");
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

#[test]
fn gpus_that_are_no_peers_give_the_sum_with_a_word() {
    for n in [0, 1, 70_001] {
        let line = format!("--device sim --gpus 3 --n {n} --no-peers --kernel all --no-sweep --json");
        let run = run(&format!("ch8_no_peers_{n}"), "ch8_many_gpus", &line);
        assert_eq!(run.status(), Some(0), "{}", run.stdout());
        assert!(run.stderr().starts_with("note: --no-peers: as if no GPU could reach"), "{}", run.stderr());
        let json = run.json();
        // The atomics of one GPU alone are enough there.
        assert_eq!(json["diagnostics"].as_array().unwrap().len(), 0, "{}", json["diagnostics"]);
    }
    let combined = run("ch8_no_peers", "ch8_combine", "--device sim --no-peers --n 1000 --no-sweep");
    assert_eq!(combined.status(), Some(0), "{}", combined.stderr());
    let one = run("ch8_no_peers_1", "ch8_many_gpus", "--device sim --gpus 1 --no-peers --n 1000 --no-sweep");
    assert!(!one.stderr().contains("note"), "one GPU needs none: {}", one.stderr());
}

/// The page says so, of the committed record.
#[test]
fn a_second_gpu_doubles_the_rate() {
    let records = workbook::root().unwrap().join("book/records");
    let record = Record::read(&records.join(Record::file_name("ch8_many_gpus", DeviceKind::Gpu))).unwrap();
    let time = |kernel: &str, n| {
        let mut runs = record.runs.iter().chain(&record.sweep);
        runs.find(|run| run.kernel == kernel && run.n == n).unwrap().time_us.unwrap().median
    };
    let times = |kernel| 2.0 * time("oneGpu", 1 << 30) / time(kernel, 1 << 31);
    // One thread launches on both GPUs, or one on each: which is ahead at this size changes from run to run.
    let [one_thread, by_threads] = ["intoPeer", "intoPeerByThreads"].map(times);
    assert!(one_thread.max(by_threads) >= 1.99, "{one_thread} and {by_threads}");
    assert!(one_thread.min(by_threads) >= 1.965, "{one_thread} and {by_threads}");
    assert!(times("allReduce") >= 1.965, "{}", times("allReduce"));
    let time_of_one = time("oneGpu", 1 << 20);
    let [more, by_threads] =
        ["intoPeer", "intoPeerByThreads"].map(|kernel| time(kernel, 1 << 21)).map(|time| time - time_of_one);
    assert!(by_threads <= 0.8 * more, "a launching thread leaves {by_threads} µs of {more}");
}
