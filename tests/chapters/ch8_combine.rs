//! Chapter 8.1 on simulated GPUs: n numbers of each become their sums, in every way.

use workbook::device::DeviceKind;
use workbook::record::Record;

use crate::run;

#[test]
fn chapter_8_1_is_right_on_any_number_of_gpus() {
    for (gpus, sizes) in [(1, [0, 3, 70_001]), (2, [1, 4, 1000]), (3, [0, 4, 70_001])] {
        for n in sizes {
            let line = format!("--device sim --gpus {gpus} --n {n} --no-sweep --json");
            let run = run(&format!("ch8_combine_{gpus}_{n}"), "ch8_combine", &line);
            let json = run.json();
            assert_eq!(json["runs"].as_array().unwrap().len(), 3, "{line}");
            assert_eq!((run.status(), &json["ok"]), (Some(0), &true.into()), "{line}: {}", run.stdout());
        }
    }
}

/// The page says so, of the committed record: it is made with NCCL's log, as contributing/records.md says.
#[test]
fn the_record_says_how_nccl_added() {
    let records = workbook::root().unwrap().join("book/records");
    let record = Record::read(&records.join(Record::file_name("ch8_combine", DeviceKind::Gpu))).unwrap();
    let mut runs = record.runs.iter().chain(&record.sweep).filter(|run| run.kernel == "combineAllReduce");
    assert!(runs.clone().count() > 10);
    assert!(runs.all(|run| run.library.as_deref().is_some_and(|library| {
        library.starts_with("NCCL 2.") && library.contains(", algorithm ") && library.contains(", protocol ")
    })));
}
