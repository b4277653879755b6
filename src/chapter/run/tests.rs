//! What a chapter says, records and returns.

use device::measure::Measurement;
use reduction::operation::Operation;
use reduction::value::Array;

use super::*;
use crate::chapter::{Place, Variant};
use crate::record::{Dropped, Failure};

fn right(case: &Case) -> Result<Outcome> {
    let sum = case.data.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x));
    Ok(Outcome::new(sum, Measurement::default()))
}

fn wrong(case: &Case) -> Result<Outcome> {
    Ok(Outcome::new(!case.data.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x)), Measurement::default()))
}

fn drops(case: &Case) -> Result<Outcome> {
    let dropped = Some(Dropped { launches: 1, error: 69, name: "".into() });
    Ok(Outcome { dropped, ..right(case)? })
}

fn goes_on_for_ever(_: &Case) -> Result<Outcome> {
    let help = "end the loop";
    Err(Diagnostic::of_host(Kind::StepLimit, Some("reduce"), "it goes on for ever", help).into())
}

fn is_too_large(_: &Case) -> Result<Outcome> {
    Err(Diagnostic::of_host(Kind::MemoryLimit, None, "no room", "use --memory").into())
}

/// Hears what a chapter says and which runs begin.
#[derive(Default)]
struct Listener {
    heard: Vec<String>,
}

impl Output for Listener {
    fn print(&mut self, line: &str) {
        self.heard.push(line.to_string());
    }
    fn complain(&mut self, line: &str) {
        self.heard.push(line.to_string());
    }
    fn complain_in_colour(&mut self, text: &str) {
        self.complain(text);
    }
    fn begin(&mut self, run: &str, _: u64, _: u64) {
        self.heard.push(format!("begins: {run}"));
    }
    fn date(&self) -> String {
        String::new()
    }
    fn command(&self, _: &Chapter) -> String {
        String::new()
    }
    fn keep(&mut self, _: &Chapter, _: &Options, _: &Record) -> Result<Option<String>> {
        Ok(Some("the record is kept".into()))
    }
}

const RIGHT: Variant = Variant::new("right", right);
const WRONG: Variant = Variant::new("wrong", wrong);
const DROPS: Variant = Variant::new("drops", drops);
const ENDLESS: Variant = Variant::new("endless", goes_on_for_ever);
const TOO_LARGE: Variant = Variant::new("tooLarge", is_too_large);
const SWEPT_WRONG: Variant =
    Variant::new("sweptWrong", |case| if case.data.len() < 5000 { wrong(case) } else { right(case) });
const SWEPT_ENDLESS: Variant =
    Variant::new(
        "sweptEndless",
        |case| {
            if case.data.len() < 5000 { goes_on_for_ever(case) } else { right(case) }
        },
    );
const KEPT: Variant =
    Variant { expected_failure: |_, _| Some(Failure::Found(Kind::DataRace)), ..Variant::new("kept", wrong) };

/// Runs a chapter of the CPU with these variants at 5,000 elements, and fewer in its sweep.
fn ran(variants: &'static [Variant]) -> (Ran, Vec<String>) {
    let chapter =
        Chapter { place: Place::Cpu, default_n: |_| 5000, ..Chapter::new("ch0_test", "", variants) };
    let options = Options::try_parse_for(&chapter, ["ch0_test", "--n", "5000"]).unwrap();
    let mut listener = Listener::default();
    (run_with(&chapter, None, &options, &mut listener), listener.heard)
}

#[test]
fn ok_is_the_sum_with_nothing_dropped_except_where_a_mistake_is_kept() {
    let cases: [(&'static [Variant], [bool; 2], u8); 4] = [
        (&[RIGHT, RIGHT], [true, true], 0),
        (&[RIGHT, KEPT], [true, false], 0),
        (&[WRONG, RIGHT], [false, true], 1),
        (&[DROPS, KEPT], [false, false], 1),
    ];
    for (variants, ok, status) in cases {
        let (ran, _) = ran(variants);
        let runs = ran.report.unwrap().record.runs;
        assert_eq!(runs.iter().map(|run| run.ok).collect::<Vec<_>>(), ok);
        assert_eq!(ran.status, status);
    }
}

/// Running sums, as a chapter about scans has them.
const SCAN: Operation = Operation {
    name: "running sums of i32",
    expected: |data| Expected::exactly(scan(data, 0)),
    ..Operation::SUM
};

/// The sums of the numbers up to each; those from the element `wrong` on, if it is not 0, are 7.
fn scan(data: &[i32], wrong: usize) -> Array {
    let mut sum = 0i32;
    let mut sums = Vec::new();
    for number in data {
        sum = sum.wrapping_add(*number);
        sums.push(if wrong > 0 && sums.len() >= wrong { 7 } else { sum });
    }
    Array::I32(sums)
}

#[test]
fn an_array_with_one_wrong_element_is_wrong_and_that_element_is_named() {
    const RIGHT_SCAN: Variant =
        Variant { operation: SCAN, ..Variant::new("scan", |case| case.on_cpu(|data| scan(data, 0))) };
    const LAST_WRONG: Variant = Variant {
        operation: SCAN,
        ..Variant::new("lastIsWrong", |case| case.on_cpu(|data| scan(data, data.len() - 1)))
    };
    assert_eq!(ran(&[RIGHT_SCAN]).0.status, 0);
    let (ran, heard) = ran(&[RIGHT_SCAN, LAST_WRONG]);
    let record = ran.report.unwrap().record;
    assert_eq!((ran.status, record.runs[0].ok, record.runs[1].ok), (1, true, false));
    let heard = heard.join("\n");
    assert!(heard.contains("lastIsWrong: element 4,999 is 7, and should be "), "{heard}");
    assert!(heard.contains("; 1 of 5,000 elements are wrong"), "{heard}");
}

#[test]
fn a_diagnostic_that_stops_a_run_ends_the_chapter_with_status_1_and_no_record() {
    let (ran, heard) = ran(&[ENDLESS]);
    assert_eq!(ran.status, 1);
    let heard = heard.join("\n");
    assert!(heard.contains("it goes on for ever") && !heard.contains("is kept"), "{heard}");
}

#[test]
fn memory_that_runs_out_is_no_mistake_of_the_kernel() {
    let (ran, heard) = ran(&[TOO_LARGE]);
    assert_eq!(ran.status, 2);
    let heard = heard.join("\n");
    assert!(heard.contains("no room; give a smaller --n or --grid"), "{heard}");
    assert!(!heard.contains("--memory"), "a chapter has no such option: {heard}");
}

#[test]
fn what_the_requested_size_gave_is_printed_before_the_sweep() {
    let (ran, heard) = ran(&[SWEPT_WRONG]);
    let place = |words: &str| heard.iter().position(|line| line.contains(words)).unwrap();
    let sweep = heard.iter().rposition(|line| line.starts_with("begins:")).unwrap();
    assert!(sweep > place("begins:"), "there is a sweep: {heard:?}");
    assert!(place("kernel") < sweep, "{heard:?}");
    assert!(place("WRONG in the sweep: sweptWrong, n = 1,024,") > sweep, "{heard:?}");
    assert_eq!(ran.status, 1, "and counts");
}

#[test]
fn a_diagnostic_that_stops_the_sweep_leaves_the_table_and_no_record() {
    let (ran, heard) = ran(&[SWEPT_ENDLESS]);
    assert_eq!(ran.status, 1);
    let heard = heard.join("\n");
    assert!(heard.contains("check") && heard.contains("it goes on for ever"), "{heard}");
    assert!(!heard.contains("is kept"), "{heard}");
}
