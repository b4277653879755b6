//! Chapter 1: the recursion that loses elements, and what it is compared with.

use serde_json::Value;

use super::{names, run};

#[test]
fn chapter_1_shows_the_dropped_element_and_times_the_rest() {
    let run = run("ch1", "ch1_serial", "--n 1000 --json");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let json = run.json();
    assert_eq!(json["device"]["kind"], "cpu");
    let all = ["loop", "recursiveReduce", "recursiveReduceAnyLength", "iterator", "rayon"];
    assert_eq!(names(&json["runs"]), all);
    for run in json["runs"].as_array().unwrap() {
        let drops = run["kernel"] == "recursiveReduce";
        assert_eq!(run["ok"], !drops, "{run}");
        assert_eq!(run["teaches"], if drops { "drops-odd-element".into() } else { Value::Null });
        let time = &run["time_us"];
        let [min, median, max] = ["min", "median", "max"].map(|word| time[word].as_f64().unwrap());
        assert!(0.0 <= min && min <= median && median <= max, "{time}");
    }
    let power = self::run("ch1-power", "ch1_serial", "--n 2^12 --json").json();
    let runs = power["runs"].as_array().unwrap();
    assert!(runs.iter().all(|run| run["ok"] == true && run["teaches"].is_null()));
}

/// The chapter's own size is no power of two, so its first cell shows the lost elements.
#[test]
fn chapter_1_loses_elements_at_its_own_size() {
    let json = run("ch1-story", "ch1_serial", "--kernel recursiveReduce --json").json();
    assert_eq!(json["runs"][0]["teaches"], "drops-odd-element");
    assert_eq!(json["runs"][0]["ok"], false);
}
