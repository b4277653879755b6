//! Charts: which there are, what they show, and that they can be read by eye, by ear and on a dark page.

use workbook::device::{DeviceKind, Timing};
use workbook::record::chart::{Chart, SERIES, Vertical, on_demand};
use workbook::record::{Record, Run};
use workbook::text::columns::escape;

use crate::fixtures;

fn charts(record: &Record) -> Vec<Chart> {
    chapters::charts(record, Vertical::Logarithmic).unwrap()
}

fn chart(record: &Record, name: &str) -> Chart {
    charts(record).into_iter().find(|chart| chart.name == name).unwrap_or_else(|| panic!("no chart {name}"))
}

fn names(record: &Record) -> Vec<&'static str> {
    charts(record).iter().map(|chart| chart.name).collect()
}

fn all() -> Vec<Chart> {
    let records = [
        fixtures::serial_on_cpu(),
        fixtures::one_block_on_gpu(),
        fixtures::blocks_on_gpu(),
        fixtures::blocks_on_simulator(),
        fixtures::nested_on_gpu(),
        fixtures::shared_on_gpu(),
        fixtures::contest_on_gpu(),
        fixtures::single(&fixtures::nested_on_gpu()),
    ];
    records.iter().flat_map(charts).collect()
}

/// A text of the drawing: where it begins or ends, its row and its words.
struct Text<'a> {
    x: f64,
    y: f64,
    anchor: &'a str,
    size: f64,
    words: String,
    /// Without what is raised.
    plain: String,
}

fn texts(svg: &str) -> Vec<Text<'_>> {
    let attribute = |line: &'_ str, name: &str| -> String {
        line.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_string()
    };
    let lines = svg.lines().filter(|line| line.starts_with("<text "));
    lines
        .map(|line| {
            let mut words = String::new();
            let mut plain = String::new();
            for piece in line.split('<') {
                let text = piece.split_once('>').map_or("", |(_, text)| text);
                words += text;
                plain += if piece.contains("font-size=\"90%\"") { "" } else { text };
            }
            let anchor = ["start", "middle", "end"].into_iter().find(|anchor| line.contains(anchor)).unwrap();
            let number = |name: &str| attribute(line, name).parse().unwrap();
            Text { x: number("x"), y: number("y"), anchor, size: number("font-size"), words, plain }
        })
        .collect()
}

#[test]
fn a_record_has_the_charts_that_it_has_data_for() {
    assert_eq!(names(&fixtures::serial_on_cpu()), ["time", "bandwidth"]);
    assert_eq!(names(&fixtures::blocks_on_gpu()), ["time", "bandwidth", "block"]);
    assert_eq!(names(&fixtures::blocks_on_simulator()), ["divergence", "sectors", "block"]);
    assert_eq!(names(&fixtures::shared_on_gpu()), ["time", "bandwidth", "error"]);
    assert_eq!(names(&fixtures::single(&fixtures::nested_on_gpu())), ["time", "bandwidth"]);
    assert_eq!(names(&fixtures::record("ch9_new", DeviceKind::Gpu)), [""; 0]);
}

#[test]
fn what_a_device_launch_costs_is_fitted_and_drawn() {
    let mut record = fixtures::nested_on_gpu();
    for run in record.runs.iter_mut().chain(&mut record.sweep).filter(|run| run.block > 0) {
        // As if each launch took 10 µs, and all the rest 5.
        let launches = run.n / u64::from(run.block) * 9;
        let time = 5.0 + 10.0 * launches as f64;
        if run.kernel == "gpuRecursiveReduce" {
            run.device_launches = Some(launches);
            run.time_us = run.time_us.map(|timing| Timing { median: time, min: time, max: time, ..timing });
        }
    }
    assert!(names(&record).contains(&"launches"));
    let launches = chart(&record, "launches");
    assert_eq!(launches.title, "Time against device launches");
    assert!(launches.description.contains("5.00 µs + 10.0 µs per launch: "), "{}", launches.description);
    assert!(!launches.description.contains("CPU"), "{}", launches.description);
}

/// The chapter's record of one size, with `count` kernels.
fn of_kernels(count: usize) -> Record {
    let mut record = fixtures::blocks_on_gpu();
    let first = record.runs[0].kernel.clone();
    let runs: Vec<Run> =
        record.runs.iter().chain(&record.sweep).filter(|run| run.kernel == first).cloned().collect();
    record.runs.clear();
    record.sweep = (0..count)
        .flat_map(|i| runs.iter().map(move |run| Run { kernel: format!("k{i}"), ..run.clone() }))
        .collect();
    record
}

#[test]
fn a_chart_has_five_lines_at_most_each_with_a_colour_and_a_marker_of_its_own() {
    // The corners of the markers of one colour, each number once.
    let corners = |svg: &str, series: usize| -> Vec<usize> {
        let class = format!("<polygon class=\"series-{series}\"");
        let markers = svg.lines().filter(|line| line.starts_with(&class));
        let mut counts: Vec<usize> =
            markers.filter_map(|line| Some(line.split("points=\"").nth(1)?.split(' ').count())).collect();
        counts.dedup();
        counts
    };
    let time = chart(&of_kernels(SERIES + 3), "time");
    assert_eq!(time.left_out, 3);
    assert!(time.description.contains("the first 5 of 8"), "{}", time.description);
    assert!(time.description.contains("k4:") && !time.description.contains("k5:"), "{}", time.description);
    for svg in [&time.svg, &time.narrow] {
        let shapes: Vec<_> = (1..=SERIES).map(|series| corners(svg, series)).collect();
        assert!(shapes.iter().all(|shape| shape.len() == 1), "one marker for each colour: {shapes:?}");
        assert!(!svg.contains("series-6"));
    }
    assert_eq!(chart(&of_kernels(SERIES), "time").left_out, 0);
}

#[test]
fn the_narrow_drawing_has_the_names_below_and_nothing_smaller_than_eleven_pixels() {
    for chart in all() {
        let width: f64 =
            chart.narrow.split(" width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(chart.narrow.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart narrow\""));
        let on_a_phone = 330.0 / (10.0 * width);
        for text in texts(&chart.narrow) {
            let exponent = if text.words != text.plain { 0.9 } else { 1.0 };
            assert!(text.size * exponent * on_a_phone >= 11.0, "{}: {}", chart.title, text.words);
        }
    }
}

#[test]
fn a_linear_axis_begins_at_zero() {
    let record = fixtures::nested_on_gpu();
    let linear = chapters::charts(&record, Vertical::Linear).unwrap().swap_remove(0);
    assert_eq!(linear.title, "Time against n");
    assert!(
        linear.description.contains("from zero on, against a logarithmic scale"),
        "{}",
        linear.description
    );
    let ticks: Vec<String> =
        texts(&linear.svg).into_iter().filter(|text| text.anchor == "end").map(|text| text.words).collect();
    assert_eq!(ticks, ["0", "100 ms", "200 ms", "300 ms", "400 ms", "500 ms"]);
}

#[test]
fn the_description_tells_the_ends_of_every_line() {
    let time = chart(&fixtures::nested_on_gpu(), "time");
    assert_eq!(time.title, "Time against n");
    for piece in [
        "Fixture GPU · 2026-02-03 · 512 threads per block",
        "gpuRecursiveReduce: 877 µs at n = 1,024, 449 ms at n = 1,048,576.",
        "gpuRecursiveReducePasses: 10.1 µs at n = 1,024, 38.0 µs at n = 67,108,864.",
        "recursiveReduceAnyLength (CPU): 614 ns at n = 1,024, 40.3 ms at n = 67,108,864.",
    ] {
        assert!(time.description.contains(piece), "{piece} is not in: {}", time.description);
    }
    let block = chart(&fixtures::nested_on_gpu(), "block");
    assert!(
        block
            .description
            .contains("175 ms at block size = 32, 225 ms at block size = 1,024; 1 of 6 went wrong")
    );
    let sectors = chart(&fixtures::blocks_on_simulator(), "sectors");
    assert!(sectors.description.contains("every element once: 128 at n = 1,024, 32,768 at n = 262,144."));
}

#[test]
fn every_element_once_is_the_least_where_elements_differ_in_size() {
    let mut record = fixtures::blocks_on_simulator();
    let wide = record.runs[0].kernel.clone();
    for run in record.runs.iter_mut().chain(&mut record.sweep).filter(|run| run.kernel == wide) {
        run.element_bytes = Some(8);
    }
    let fewest = |record: &Record| {
        chart(record, "sectors").description.split("every element once").nth(1).map(str::to_string)
    };
    assert_eq!(fewest(&record), fewest(&fixtures::blocks_on_simulator()));
}

#[test]
fn an_error_is_a_share_of_the_reference_and_only_of_right_results() {
    let error = chart(&fixtures::shared_on_gpu(), "error");
    assert!(error.description.contains("dot: 0 at n = 1,024, 0 at n = 1,048,576."), "{}", error.description);
    let host = "dotLoop (CPU): 1.0e-7 at n = 1,024, 1.0e-4 at n = 1,048,576.";
    assert!(error.description.contains(host), "{}", error.description);
    assert!(!error.description.contains("dotBarriersMispaired"), "{}", error.description);
    assert!(error.svg.contains(">10<tspan dy=\"-0.45em\" font-size=\"90%\">-6</tspan></text>"));
    let time = chart(&fixtures::shared_on_gpu(), "time");
    assert!(!time.description.contains("dotBarriersMispaired"), "one run is no line: {}", time.description);
}

#[test]
fn a_drawing_is_an_image_with_a_text_alternative() {
    for chart in all() {
        let begin =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart wide\" role=\"img\" aria-label=\"";
        assert!(chart.svg.starts_with(&format!("{begin}{}\" ", escape(&chart.description))));
        assert!(chart.description.starts_with(&chart.title));
        assert!(chart.svg.ends_with("</svg>\n"));
        assert!(!chart.svg.contains("<polygon class=\"grid\""), "a line made of dots or areas");
    }
}

#[test]
fn every_colour_follows_the_page() {
    for chart in all() {
        for line in chart.svg.lines().filter(|line| line.contains("=\"#")) {
            assert!(line.contains(" class=\""), "a colour without a class: {line}");
        }
    }
}

#[test]
fn no_text_is_cut_off() {
    for (chart, svg, end) in
        all().iter().flat_map(|chart| [(chart, &chart.svg, 7600.0), (chart, &chart.narrow, 3300.0)])
    {
        for text in texts(svg) {
            let width = text.words.chars().count() as f64 * text.size * 0.56;
            let (left, right) = match text.anchor {
                "start" => (text.x, text.x + width),
                "middle" => (text.x - width / 2.0, text.x + width / 2.0),
                _ => (text.x - width, text.x),
            };
            assert!(left >= 0.0 && right <= end, "{}: {} from {left} to {right}", chart.title, text.words);
        }
    }
}

#[test]
fn the_names_of_the_lines_do_not_touch() {
    for chart in all() {
        let texts = texts(&chart.svg);
        let plot_end =
            texts.iter().filter(|text| text.anchor == "middle").map(|text| text.x).fold(0.0, f64::max);
        let mut rows: Vec<_> =
            texts.iter().filter(|t| t.anchor == "start" && t.x > plot_end).map(|t| t.y).collect();
        assert!(!rows.is_empty());
        rows.sort_by(f64::total_cmp);
        assert!(rows.is_sorted_by(|a, b| b - a >= 190.0), "{}: {rows:?}", chart.description);
    }
}

#[test]
fn a_zero_has_a_row_of_its_own() {
    let labels = |name: &str| -> Vec<String> {
        let svg = chart(&fixtures::blocks_on_simulator(), name).svg;
        texts(&svg).into_iter().filter(|text| text.anchor == "end").map(|text| text.words).collect()
    };
    assert!(labels("divergence").contains(&"0".to_string()));
    assert!(!labels("sectors").contains(&"0".to_string()), "nothing is zero there");
    // The third kernel has zeros only: its markers, and no line between them but the sample beside its name.
    let svg = chart(&fixtures::blocks_on_simulator(), "divergence").svg;
    let lines = |series: &str| {
        let class = format!("class=\"{series}\"");
        svg.lines()
            .filter(|line| {
                line.contains(&class) && line.starts_with("<polyline") && !line.contains("opacity")
            })
            .count()
    };
    assert_eq!((lines("series-1"), lines("series-3")), (2, 1));
}

#[test]
fn a_run_that_went_wrong_is_hollow_and_said() {
    let hollow = |svg: &str| svg.matches("<polygon class=\"paper\"").count();
    let time = chart(&fixtures::one_block_on_gpu(), "time").svg;
    assert_eq!(hollow(&time), 6);
    assert!(time.contains("hollow marker: a run that went wrong"));
    let time = chart(&fixtures::blocks_on_gpu(), "time").svg;
    assert_eq!(hollow(&time), 0);
    assert!(!time.contains("hollow"));
}

#[test]
fn sizes_are_labelled_as_powers_of_two() {
    let svg = chart(&fixtures::nested_on_gpu(), "time").svg;
    assert!(svg.contains(">2<tspan dy=\"-0.45em\" font-size=\"90%\">20</tspan></text>"));
    let svg = chart(&fixtures::one_block_on_gpu(), "time").svg;
    assert!(svg.contains(">1,024</text>"));
    assert!(!svg.contains("threads per block"), "the block grows with n there");
}

#[test]
fn the_same_record_gives_the_same_drawing() {
    assert_eq!(charts(&fixtures::nested_on_gpu()), charts(&fixtures::nested_on_gpu()));
}

#[test]
fn a_comparison_shows_the_rates_of_one_call_beside_what_the_memory_could_do_and_the_ratio() {
    let record = fixtures::contest_on_gpu();
    assert_eq!(names(&record)[2..], ["one-call", "ratio"]);
    let call = chart(&record, "one-call").description;
    assert!(
        call.contains("reduceLimit: 699 GB/s at n = 1,048,576, 4,278 GB/s at n = 1,073,741,824."),
        "{call}"
    );
    assert!(call.contains("CUB: 599 GB/s at"), "{call}");
    assert!(call.contains("memory at its peak: "), "{call}");
    let ratio = chart(&record, "ratio").description;
    assert!(ratio.contains("i32, work alone: 1.50 at n = 1,048,576, 1.02 at n = 1,073,741,824."), "{ratio}");
    assert!(ratio.contains("CUB: 1.00 at"), "{ratio}");
    // The chapter's own runs are single calls with a warm cache.
    let own = chart(&record, "bandwidth").description;
    assert!(own.contains("CUB, i32: 699 GB/s at n = 1,048,576."), "{own}");
    assert!(own.contains("memory at its peak: "), "{own}");
}

#[test]
fn times_over_the_shortest_name_a_block_size_only_if_all_have_it() {
    let mut record = fixtures::blocks_on_gpu();
    let head = |record: &Record| {
        on_demand(record, "over-best", Vertical::Linear).unwrap().expect("there are times").description
    };
    assert!(head(&record).contains(" threads per block"), "{}", head(&record));
    let kernel = record.sweep[0].kernel.clone();
    for run in record.runs.iter_mut().chain(&mut record.sweep).filter(|run| run.kernel == kernel) {
        run.block += 1;
    }
    assert!(!head(&record).contains(" threads per block"), "{}", head(&record));
}
