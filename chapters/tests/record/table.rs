//! The tables of a record.

use workbook::record::Record;
use workbook::text::columns::text_table;

use crate::fixtures;

fn table(record: &Record) -> String {
    let tables = chapters::tables(record).unwrap();
    tables.iter().map(|columns| text_table(columns)).collect()
}

fn has_row(text: &str, cells: &[&str]) -> bool {
    text.lines().any(|line| cells.iter().all(|cell| line.contains(cell)))
}

#[test]
fn memory_spaces_and_limits_follow_where_they_were_measured() {
    let text = table(&fixtures::shared_on_gpu());
    for row in [
        ["memory space", "clocks per load", "GB/s, whole GPU"],
        ["shared", "23.0", "30,123"],
        ["max_threads_per_block", "1,024", ""],
    ] {
        assert!(has_row(&text, &row), "no {row:?} in\n{text}");
    }
    assert!(!table(&fixtures::nested_on_gpu()).contains("memory space"));
}

#[test]
fn a_comparison_follows_with_the_ratios_and_their_mean() {
    let text = table(&fixtures::contest_on_gpu());
    let heading = ["CUB's time over ours", "i32 alone", "cold", "warm"];
    for row in [&heading[..], &["1,048,576", "1.50", "1.17", "1.20"], &["geometric mean", "1.24"]] {
        assert!(has_row(&text, row), "no {row:?} in\n{text}");
    }
}
