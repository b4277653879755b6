//! Chapter 4's kernel of 2020: right where it is right, and named where it is wrong.

use serde_json::Value;
use workbook::reduction::data;
use workbook::reduction::serial;

use super::run;

const SOURCE: &str = "kernels/legacy/ch4_legacy.cu";

/// What `--json` says of a run that ends with status 0.
fn json(line: &str) -> Value {
    let run = run(&format!("legacy-{}", line.replace(' ', "_")), "ch4_legacy", &format!("{line} --json"));
    assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
    run.json()
}

/// The line of the kernel that holds `text`; from 1.
fn line_of(text: &str) -> u64 {
    let source = std::fs::read_to_string(workbook::root().unwrap().join(SOURCE)).unwrap();
    source.lines().position(|line| line.contains(text)).unwrap() as u64 + 1
}

#[test]
fn full_blocks_of_a_power_of_two_are_right_and_launch_one_level_less_than_they_halve() {
    for (n, block) in [(2, 2), (4, 4), (32, 32), (96, 32), (2048, 512), (4096, 1024)] {
        let json = json(&format!("--n {n} --block {block} --grid {}", n / block));
        let expected = serial::recursive_reduce(&mut data::numbers(n, 1));
        let run = &json["runs"][0];
        assert_eq!((&run["ok"], &run["sum"]), (&true.into(), &expected.into()), "{n}, {block}: {run}");
        assert!(run["teaches"].is_null(), "{run}");
        let launches = u64::from(block.ilog2() - 1) * (n / block) as u64;
        assert_eq!(run["counters"]["device_launches"], launches);
        assert_eq!(run["counters"]["dropped_launches"], 0);
    }
}

/// The post's recursion on the host: the sum, or why the device does not come to it.
fn post(data: &[i32], block: usize) -> Result<i32, &'static str> {
    let grid = data.len().div_ceil(block).max(1);
    let sums: Vec<_> = (0..grid).map(|b| post_block(data.get(b * block..).unwrap_or(&[]), block)).collect();
    // What stops the kernel comes before what is only refused.
    match sums.iter().find(|sum| **sum == Err("out-of-bounds")) {
        Some(out_of_bounds) => *out_of_bounds,
        None => sums.into_iter().try_fold(0, |sum: i32, block| Ok(sum.wrapping_add(block?))),
    }
}

fn post_block(data: &[i32], size: usize) -> Result<i32, &'static str> {
    let element = |i: usize| data.get(i).copied().ok_or("out-of-bounds");
    match size {
        0 | 1 => Err("launch-limit"), // a child of no threads
        2 => Ok(element(0)?.wrapping_add(element(1)?)),
        3 => post_block(data, 1),
        _ => {
            let half = size / 2;
            let added: Result<Vec<_>, _> =
                (0..half).map(|i| Ok(element(i)?.wrapping_add(element(i + half)?))).collect();
            post_block(&added?, half)
        }
    }
}

#[test]
fn where_the_kernel_is_wrong_it_says_how() {
    let shapes = (1..=13).flat_map(|block| [1, 2 * block - 1, 2 * block].map(|n| (n, block)));
    for (n, block) in shapes.chain([(0, 8), (0, 1), (4, 5), (1000, 512), (960, 96), (33, 33)]) {
        let json = json(&format!("--n {n} --block {block}"));
        let run = &json["runs"][0];
        let numbers = data::numbers(n, 1);
        let right = serial::recursive_reduce(&mut numbers.clone());
        let found = run["found"].as_array().cloned().unwrap_or_default();
        match post(&numbers, block) {
            Ok(sum) => {
                assert_eq!((&run["sum"], found), (&sum.into(), vec![]), "{n}, {block}: {run}");
                assert_eq!(run["ok"], sum == right, "{n}, {block}: {run}");
                let lost = if block.is_power_of_two() { Value::Null } else { "drops-odd-element".into() };
                assert_eq!(run["teaches"], lost, "{n}, {block}");
            }
            Err(why) => {
                let said = (&run["ok"], &run["teaches"]);
                assert_eq!(said, (&false.into(), &why.into()), "{n}, {block}: {run}");
                assert_eq!(found, [why], "{n}, {block}");
            }
        }
    }
}

#[test]
fn what_the_checks_find_stands_at_its_line() {
    let found = |line: &str| -> Vec<(String, String, u64)> {
        let json = json(line);
        let found = json["diagnostics"].as_array().unwrap().iter().map(|found| {
            assert_eq!(found["file"], SOURCE);
            let word = |name: &str| found[name].as_str().unwrap().to_string();
            (word("kind"), word("severity"), found["line"].as_u64().unwrap())
        });
        found.collect()
    };
    let at = |kind: &str, severity: &str, text| (kind.to_string(), severity.to_string(), line_of(text));
    let too_deep = at("launch-limit", "warning", "cudaDeviceSynchronize();");
    // At two elements thread 0 returns before both barriers, the posts' way to end the recursion. It is said
    // once.
    let left = at("barrier-divergence", "note", "__syncthreads();");
    let all = |line: &str| -> (Vec<_>, Vec<_>) {
        found(line).into_iter().partition(|(_, severity, _)| severity == "note")
    };
    assert_eq!(all("--n 8 --block 8").0, [left]);
    let found = |line: &str| all(line).1;
    // Two levels of grids may wait: the third would be the first to be refused, and launches none at 8
    // threads.
    assert_eq!(found("--n 8 --block 8"), []);
    assert_eq!(found("--n 16 --block 16"), std::slice::from_ref(&too_deep));
    assert_eq!(found("--n 10 --block 10"), [], "the lost element breaks no rule of CUDA");
    assert_eq!(found("--n 3 --block 3"), [at("launch-limit", "error", "<<<1, iStride>>>")]);
    assert_eq!(found("--n 1000"), [at("out-of-bounds", "error", "idata[tid] += idata[tid + iStride];")]);
}

#[test]
fn it_runs_on_the_simulator_and_says_why() {
    let text = run("legacy-why", "ch4_legacy", "--n 64 --block 32").stdout();
    assert!(text.starts_with("On the simulator: no GPU of compute capability 9.0 or newer"), "{text}");
    let refused = run("legacy-gpu", "ch4_legacy", "--device gpu");
    assert_eq!((refused.status(), refused.stdout().is_empty()), (Some(2), true));
    let text = refused.stderr();
    assert!(text.contains("cudaDeviceSynchronize") && text.contains("omit --device gpu"), "{text}");
}
