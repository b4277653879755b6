//! Figures from records of this repository: each of their numbers, counted again from the record's file.

use serde_json::Value;

use super::*;

fn root() -> PathBuf {
    workbook::root().unwrap().to_path_buf()
}

fn figure(name: &str) -> String {
    let (status, page, errors) = preprocess(&root(), &format!("{{{{#figure {name}}}}}"));
    assert_eq!(status, 0, "{errors}");
    page
}

fn record(name: &str) -> Value {
    let text = fs::read_to_string(root().join(format!("book/records/{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The runs of a record's section of one kernel at a size.
fn run<'a>(record: &'a Value, sections: &[&str], kernel: &str, n: u64, block: u64) -> &'a Value {
    let mut runs = sections.iter().flat_map(|section| record[*section].as_array().unwrap());
    runs.find(|run| run["kernel"] == kernel && run["n"] == n && run["block"] == block).unwrap()
}

/// The JSON between two marks of a page.
fn json(page: &str, before: &str, after: &str) -> Value {
    let text = page.split_once(before).unwrap().1.split_once(after).unwrap().0;
    let marks = [("&quot;", "\""), ("&#91;", "["), ("&#93;", "]"), ("&#123;", "{"), ("&#125;", "}")];
    let text = marks.iter().fold(text.to_string(), |text, (entity, mark)| text.replace(entity, mark));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_ladder_s_rates_are_bytes_over_the_recorded_times() {
    let page = figure("ladder");
    let record = record("ch7_limit.gpu");
    let film = json(&page, "<script type=\"application/json\">", "</script>");
    let gpu = &record["device"]["gpu"];
    let number = |name: &str| gpu[name].as_f64().unwrap();
    let datasheet = number("memory_clock_mhz") * number("memory_bus_bits") / 8.0 * 2.0 / 1e3;
    let mut before = None;
    let frames = film["tracks"][0]["frames"].as_array().unwrap();
    let (whole, steps) = frames.split_first().unwrap();
    assert_eq!(steps.len(), 10);
    let mut shares = Vec::new();
    for frame in steps {
        let say = frame["say"].as_str().unwrap();
        let kernel = say.split_once(':').unwrap().0;
        let mut runs = record["comparison"].as_array().unwrap().iter();
        let run = runs.rfind(|run| run["kernel"] == kernel && run["n"] == 1 << 30).unwrap();
        let microseconds = run["timings"]["work_alone"]["median"].as_f64().unwrap();
        let rate = 4.0 * f64::from(1 << 30) / microseconds / 1e3;
        let words = match format!("{rate:.0}") {
            words if rate < 1e3 => words,
            words => format!("{},{}", &words[..1], &words[1..]),
        };
        let expected = format!("{kernel}: {words} GB/s, {:.0}% of", 100.0 * rate / datasheet);
        assert!(say.starts_with(&expected), "{say}: {expected}");
        if let Some(before) = before {
            assert!(say.contains(&format!(", {:.2} times the rung before", rate / before)), "{say}");
        }
        before = Some(rate);
        shares.push(format!("{:.0}%", 100.0 * rate / datasheet));
        assert!(page.contains(&format!("{words} GB/s</text>")), "{words} stands in the drawing");
    }
    assert_eq!(whole["say"], format!("All 10 rungs: from {} to {} of the peak rate.", shares[0], shares[9]));
}

#[test]
fn the_latencies_are_drawn_to_scale() {
    let page = figure("latency");
    let record = record("ch5_shared.gpu");
    let spaces = record["memory_spaces"].as_array().unwrap();
    let clocks = |space: &serde_json::Value| space["clocks"].as_f64().unwrap();
    let longest = spaces.iter().map(clocks).fold(0.0, f64::max);
    let widths: Vec<f64> = page
        .split("<rect data-k ")
        .skip(1)
        .map(|rect| rect.split(" width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(widths.len(), spaces.len());
    let widest = widths.iter().copied().fold(0.0, f64::max);
    for (space, width) in spaces.iter().zip(&widths) {
        assert!((width / widest - clocks(space) / longest).abs() < 0.002, "{space}: {width}");
    }
}

/// The introduction's first picture: 2^20 elements, each time from its chapter's record.
#[test]
fn the_first_sums_have_the_times_of_their_records() {
    let bars = json(&figure("sums"), "data-of=\"", "\">");
    for (bar, name, kernel) in [
        (0, "ch4_nested.gpu", "gpuRecursiveReduce"),
        (1, "ch1_serial.cpu", "loop"),
        (2, "ch3_blocks.gpu", "reduceInterleaved"),
        (3, "ch7_limit.gpu", "reduceLimit"),
    ] {
        let record = record(name);
        let parts = ["runs", "sweep"].map(|part| record[part].as_array().unwrap().clone());
        let mut runs = parts.iter().flatten();
        let is_it = |run: &&serde_json::Value| {
            run["kernel"] == kernel && run["n"] == 1 << 20 && (run["block"] == 0 || run["block"] == 512)
        };
        let run = runs.find(is_it).unwrap();
        assert_eq!(bars[bar][1], run["time_us"]["median"], "{kernel}");
    }
    assert_eq!(bars[0][2], 2048 * 9 + 1);
}

/// 2^20 elements in blocks of 512: 2,048 blocks, each of which halves its chunk nine times.
#[test]
fn the_time_axis_has_the_recorded_times_and_as_many_launches_as_the_tree() {
    let nested = record("ch4_nested.gpu");
    let pays = record("ch4_when_it_pays.gpu");
    let page = figure("time");
    let bars = json(&page, "data-of=\"", "\">");
    let expected = [
        (&nested, "gpuRecursiveReduce", 2048 * 9 + 1),
        (&nested, "gpuRecursiveReduceFireAndForget", 0), // they overlap
        (&nested, "gpuRecursiveReduceGridWide", 21),     // the last grid stores the sum
        (&pays, "reduceLevel", 20),
        (&pays, "reduceLevelGraph", 20),
    ];
    assert_eq!(bars.as_array().unwrap().len(), expected.len());
    for (bar, (record, kernel, launches)) in bars.as_array().unwrap().iter().zip(expected) {
        let run = run(record, &["runs", "sweep"], kernel, 1 << 20, 512);
        assert_eq!(bar[1], run["time_us"]["median"], "{kernel}");
        assert_eq!(bar[2], launches, "{kernel}");
    }
}
