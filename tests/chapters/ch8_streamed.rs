//! Chapter 8.3 on simulated GPUs: the sum of an array that comes in pieces.

use workbook::device::DeviceKind;
use workbook::record::Record;

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

/// The page says so, of the committed record.
#[test]
fn streaming_costs_at_most_a_twentieth_of_the_copy() {
    let records = workbook::root().unwrap().join("book/records");
    let record = Record::read(&records.join(Record::file_name("ch8_streamed", DeviceKind::Gpu))).unwrap();
    for (copy, streamed) in [("plainCopy", "twoStreams"), ("plainCopyOneGpu", "twoStreamsOneGpu")] {
        let time = |kernel: &str| {
            let mut runs = record.runs.iter().chain(&record.sweep);
            let run = runs.find(|run| run.kernel == kernel && run.n == 1 << 30).unwrap();
            run.time_us.unwrap().median
        };
        let share = time(copy) / time(streamed);
        assert!(share >= 0.95, "{streamed}: {share} of the rate of {copy}");
    }
}
