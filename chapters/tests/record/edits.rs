//! A record that somebody has edited is shown or refused by name: no number in it makes the table or the
//! charts panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chapters::{charts, tables};
use rayon::prelude::*;
use serde_json::{Value, json};
use workbook::record::chart::Vertical;
use workbook::record::{self, Record};

/// The JSON pointers of `value` and of all that is in it.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_string());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, &format!("{path}/{at}"), found);
            }
        }
        _ => {}
    }
}

/// What became of edits of a record.
#[derive(Default)]
struct Tried {
    shown: usize,
    refused: usize,
    panicked: Vec<String>,
}

impl Tried {
    fn and(mut self, other: Tried) -> Tried {
        self.shown += other.shown;
        self.refused += other.refused;
        self.panicked.extend(other.panicked);
        self
    }
}

/// Puts wild values in the place that `edit` points to, and shows what can be read.
fn tried(name: &str, record: &Value, edit: &str) -> Tried {
    let mut tried = Tried::default();
    let wild = [
        json!(0),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(u32::MAX),
        json!(1e308),
        json!(-1e-308),
        json!("∑\u{0}\n"),
        json!([]),
        Value::Null,
    ];
    for wild in wild {
        let mut edited = record.clone();
        let Some(place) = edited.pointer_mut(edit) else { continue };
        *place = wild.clone();
        let Ok(edited) = serde_json::from_value::<Record>(edited) else {
            tried.refused += 1;
            continue;
        };
        let charts = |vertical| charts(&edited, vertical).map(|charts| charts.len());
        let show = || {
            (
                record::table::table(&edited),
                tables(&edited).map(|tables| tables.len()),
                charts(Vertical::Logarithmic),
                charts(Vertical::Linear),
            )
        };
        if catch_unwind(AssertUnwindSafe(show)).is_err() {
            tried.panicked.push(format!("{name}: {edit} as {wild}"));
        }
        tried.shown += 1;
    }
    tried
}

#[test]
fn no_edit_of_a_record_makes_it_panic() {
    let records = workbook::root().unwrap().join("book/records");
    let names = ["ch1_serial.cpu", "ch3_blocks.sim", "ch4_nested.gpu", "ch5_shared.gpu", "ch6_operators.sim"];
    let all = names.map(|name| {
        let text = std::fs::read_to_string(records.join(format!("{name}.json"))).unwrap();
        let mut record: Value = serde_json::from_str(&text).unwrap();
        // A record of a few runs has every field, and is drawn quickly.
        for runs in ["runs", "sweep"] {
            record[runs].as_array_mut().unwrap().truncate(3);
        }
        let mut edits = Vec::new();
        places(&record, "", &mut edits);
        edits.par_iter().map(|edit| tried(name, &record, edit)).reduce(Tried::default, Tried::and)
    });
    let Tried { shown, refused, panicked } = all.into_iter().fold(Tried::default(), Tried::and);
    assert!(panicked.is_empty(), "{}", panicked.join("\n"));
    assert!(shown > 1000 && refused > 1000, "{shown} shown, {refused} refused");
}
