//! Chapter 6.2 on the simulator: sums of rows, of floats of 16 bits, and launches that overlap.

use rayon::prelude::*;
use workbook::device::{Device, DeviceChoice, LaunchConfig};
use workbook::kernels;

use super::{SIZES, run, shapes};

#[test]
fn every_way_of_chapter_6_2_is_right_for_any_size_and_block() {
    shapes(&SIZES, &[96, 1, 1024]).into_par_iter().with_max_len(1).for_each(|(n, block)| {
        let line = format!("--device sim --kernel all --n {n} --block {block} --json");
        let run = run(&format!("ch6_in_use-{n}-{block}"), "ch6_in_use", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let runs = json["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 25);
        for run in runs {
            let kernel = run["kernel"].as_str().unwrap();
            let is_kept_to_fail = kernel == "twoPassesNoWait_f32" || (kernel == "runningSum_f16" && n > 64);
            assert!(run["ok"] == true || is_kept_to_fail, "{line} {run}");
            assert_eq!(run["found"].is_array(), kernel == "twoPassesNoWait_f32", "{line} {run}");
            // These sums have at most 24 bits, so in f32 nothing rounds, whatever the elements are.
            let rounds =
                kernel.contains("F16") || kernel == "runningSum_f16" || kernel.starts_with("softmax");
            assert!(run["sum"] == run["expected"] || rounds, "{line} {run}");
        }
    });
}

#[test]
fn f16_sums_of_f16_round_and_then_overflow() {
    let of = |n: &str| {
        let line = format!("--device sim --kernel twoPasses_f16 --kernel twoPasses_f16InF16 --n {n} --json");
        let run = run(&format!("ch6_in_use-half-{n}"), "ch6_in_use", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        run.json()["runs"].clone()
    };
    let runs = of("50_001");
    let [in_f32, in_f16] = [0, 1].map(|run| runs[run]["sum"].as_f64().unwrap());
    assert_eq!(in_f32, runs[0]["expected"].as_f64().unwrap());
    assert!(in_f16 != in_f32 && in_f16 % 16.0 == 0.0, "f16 has eleven bits: {in_f16} for {in_f32}");
    let runs = of("2^18");
    assert_eq!((&runs[1]["sum"], &runs[1]["ok"]), (&"inf".into(), &false.into()));
    assert_eq!((&runs[1]["teaches"], &runs[0]["ok"]), (&"overflow".into(), &true.into()));
}

/// At 2,048 the numbers of eleven bits are two apart, and every element is less than one.
#[test]
fn a_running_sum_of_f16_stands_still_where_one_rounding_is_right() {
    let line = "--device sim --kernel runningSum_f16 --kernel twoPasses_f16ToF16 --n 50_001 --json";
    let run = run("ch6_in_use-running", "ch6_in_use", line);
    assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
    let runs = run.json()["runs"].clone();
    let [rounded, running] = [0, 1].map(|run| &runs[run]);
    assert_eq!((&rounded["kernel"], &rounded["ok"]), (&"twoPasses_f16ToF16".into(), &true.into()));
    assert_eq!((&running["sum"], &running["ok"]), (&2048.0.into(), &false.into()), "{running}");
    assert_eq!(running["teaches"], "accumulated-rounding");
}

/// Row r of a causal mask sees its first r elements, so most of it is -infinity; row 0 is nothing else.
#[test]
fn a_softmax_takes_rows_and_packs_of_minus_infinity() {
    const COLUMNS: usize = 1024;
    let visible = [0, 1, 3, 4, 5, 500, COLUMNS];
    let whole = |i: usize| (i % 8) as f32;
    let masked = |seen: usize| move |i: usize| if i < seen { (i % 8) as f32 } else { f32::NEG_INFINITY };
    let matrix: Vec<f32> = visible.iter().flat_map(|seen| (0..COLUMNS).map(masked(*seen))).collect();
    let halves: Vec<u16> = matrix.iter().map(|x| half_bits(*x)).collect();
    let pairs = [softmax("softmaxPerRow_f32", &matrix), softmax("softmaxPerRow_f16", &halves)];
    for pairs in pairs {
        assert_eq!(
            pairs[0],
            [f32::MIN, 0.0],
            "a softmax of this row is 0 / 0, not a number, as PyTorch has it"
        );
        for (pair, seen) in pairs.iter().zip(visible).skip(1) {
            let max = (0..seen).map(whole).fold(0.0, f32::max);
            let sum: f32 = (0..seen).map(|i| (whole(i) - max).exp()).sum();
            assert!(
                pair[0] == max && (pair[1] - sum).abs() <= 1e-5 * sum,
                "{seen}: {pair:?} for {max}, {sum}"
            );
        }
    }
}

/// The pairs of the rows, by a kernel of chapter 6.2.
fn softmax<T: bytemuck::Pod>(kernel: &str, matrix: &[T]) -> Vec<[f32; 2]> {
    const COLUMNS: usize = 1024;
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let module = kernels::load(&device, "ch6_in_use").unwrap();
    let kernel = module.load_function(kernel).unwrap();
    let rows = matrix.len() / COLUMNS;
    let matrix_there = device.clone_htod(matrix).unwrap();
    let pairs = device.alloc_zeros::<[f32; 2]>(rows).unwrap();
    let mut launch = device.launch_builder(&kernel);
    launch.arg(&matrix_there).arg(&pairs).arg(&(matrix.len() as u64)).arg(&(COLUMNS as u32));
    launch.launch(LaunchConfig::new(rows.div_ceil(8) as u32, 256)).unwrap();
    device.clone_dtoh(&pairs).unwrap()
}

/// The `f16` of a whole number below 8, or of -infinity.
fn half_bits(x: f32) -> u16 {
    match x {
        0.0 => 0,
        f32::NEG_INFINITY => 0xfc00,
        _ => ((x.to_bits() >> 13) - (112 << 10)) as u16, // the exponent's offset is 15 in place of 127
    }
}

/// The rows' sums: their number, and where they begin and end, whatever shares a row.
#[test]
fn rows_are_shared_by_lanes_by_a_warp_by_a_block_and_by_blocks() {
    let n = 2 * 65_536 + 1024 + 64 + 3;
    let numbers = workbook::reduction::data::numbers(n, 1);
    let line = format!("--device sim --kernel all --n {n} --json");
    let run = run("ch6_in_use-rows", "ch6_in_use", &line);
    let json = run.json();
    let mut rows = 0;
    for run in json["runs"].as_array().unwrap() {
        let kernel = run["kernel"].as_str().unwrap();
        let Some((_, rest)) = kernel.split_once("PerRow_") else { continue };
        let Ok(columns) = rest.trim_end_matches("_f16").parse::<usize>() else { continue };
        let last: i32 =
            numbers.chunks(columns).last().unwrap().iter().map(|x| (*x as u32 >> 25) as i32).sum();
        let text = run["sum"].as_str().unwrap();
        let (length, sum) = text.split_once(" elements … ").unwrap();
        assert_eq!(length.replace(',', ""), n.div_ceil(columns).to_string(), "{run}");
        assert_eq!(sum.parse::<f64>().unwrap(), f64::from(last) / 128.0, "{run}");
        rows += 1;
    }
    assert_eq!(rows, 13);
}

/// The bound is far below the term of an element at the maximum, which is 1.
#[test]
fn a_softmax_of_rows_is_within_a_bound_that_tells_a_forgotten_term() {
    let line = "--device sim --kernel softmaxPerRow_f32 --kernel softmaxPerRow_f16 --n 4099 --json";
    let run = run("ch6_in_use-softmax", "ch6_in_use", line);
    for run in run.json()["runs"].as_array().unwrap() {
        let bound = run["bound"].as_f64().unwrap();
        assert!(run["ok"] == true && bound < 1e-3, "{run}");
        assert!(run["sum"].as_str().unwrap().starts_with("10 elements … "), "{run}"); // pairs of five rows
    }
}

#[test]
fn a_second_pass_that_does_not_wait_is_a_race_in_its_read() {
    let line = "--device sim --kernel twoPassesOverlapping_f32 --kernel twoPassesNoWait_f32 --n 3001 --json";
    let run = run("ch6_in_use-wait", "ch6_in_use", line);
    let json = run.json();
    let found = json["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "none with the wait: {found:?}");
    assert_eq!((&found[0]["kind"], &found[0]["kernel"]), (&"data-race".into(), &"lastPassNoWait".into()));
    let source = &kernels::get("ch6_in_use").unwrap().source;
    let line = |entry: &serde_json::Value| source.lines().nth(entry["line"].as_u64().unwrap() as usize - 1);
    assert!(line(&found[0]).unwrap().contains("add(sum, partials[i])"), "{}", found[0]);
    assert!(line(&found[0]["related"][0]).unwrap().contains("partials[blockIdx.x] = sum"), "{}", found[0]);
}
