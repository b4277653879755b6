//! Chapter 6: every operator, the fence, the order of the operands, the bounds.

use rayon::prelude::*;
use serde_json::Value;
use workbook::kernels;
use workbook::reduction::data;

use super::{run, shapes};

/// Every operator and type of chapter 6: the record says that its result is the recursion's, or as near as it
/// may be.
#[test]
fn chapter_6_is_right_for_every_operator() {
    // The long one first.
    let cases = shapes(&[65_553, 0, 1, 2, 31, 33, 1025], &[256, 1, 2, 32, 96, 1000, 1024]);
    cases.par_iter().with_max_len(1).for_each(|&(n, block)| {
        let line = format!("--device sim --kernel all --n {n} --block {block} --json");
        let run = run(&format!("ch6-{n}-{block}"), "ch6_operators", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let grid = n.div_ceil(block.into()).max(1);
        let numbers = data::numbers(n as usize, 1);
        let wrapping = numbers.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x));
        let wide: i64 = numbers.iter().map(|&x| i64::from(x)).sum();
        let [least, most] = [numbers.iter().min(), numbers.iter().max()];
        for run in json["runs"].as_array().unwrap() {
            let kernel = run["kernel"].as_str().unwrap();
            let refused = kernel == "reduceKernel" && grid.next_power_of_two() > 1024;
            let races = kernel == "reduceNoFence_sum_i32" && grid > 1;
            let disordered = kernel == "reduceInterleaved_hash_u32" && n > 2 && block > 2;
            assert_eq!(run["ok"], !(refused || races || disordered), "{line} {run}");
            let exact = match kernel {
                "reduceKernel" if refused => continue,
                "reduceKernel" => Some((n * n.saturating_sub(1) / 2) as i64),
                "reducePasses_sum_i64" => Some(wide),
                "reducePasses_min_i32" | "reducePasses_min_i64" => least.map(|&x| x.into()),
                "reducePasses_max_i32" | "reducePasses_max_i64" => most.map(|&x| x.into()),
                _ if kernel.ends_with("_sum_i32") => Some(wrapping.into()),
                _ => None,
            };
            assert!(exact.is_none_or(|exact| run["sum"] == exact), "{line} {run}");
            assert_eq!(kernel.contains("_sum_f"), !run["bound"].is_null(), "floats have a bound: {run}");
        }
        assert_eq!(json["runs"].as_array().unwrap().len(), 30);
    });
}

/// The post's own numbers are right. Its second launch has one block, with a thread for every partial sum.
#[test]
fn the_posts_second_launch_is_refused_above_1024_partial_sums() {
    let post = |n: &str| {
        let line = format!("--device sim --kernel reduceKernel --n {n} --block 256 --json");
        let run = run(&format!("ch6-post-{n}"), "ch6_operators", &line);
        assert_eq!(run.status(), Some(0), "{}", run.stderr());
        (run.json()["runs"][0].clone(), run.stderr())
    };
    for (n, sum) in [("100_000", 4_999_950_000u64), ("262_144", 34_359_607_296)] {
        let (run, _) = post(n);
        assert_eq!((&run["kernel"], &run["sum"]), (&"reduceKernel".into(), &sum.into()));
        assert!(run["ok"] == true && run["teaches"].is_null(), "{run}");
    }
    let (run, stderr) = post("262_145");
    assert_eq!((&run["ok"], &run["sum"]), (&false.into(), &"none".into()));
    assert_eq!((&run["found"][0], &run["teaches"]), (&"launch-limit".into(), &"launch-limit".into()));
    assert!(
        stderr.contains("error[launch-limit]: a block of 2048 x 1 x 1 = 2,048 threads; at most 1,024"),
        "{stderr}"
    );
}

#[test]
fn the_missing_fence_of_chapter_6_is_named_with_its_line() {
    let run = run("ch6-fence", "ch6_operators", "--device sim --kernel all --n 3001 --block 96 --json");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let json = run.json();
    let found: Vec<&Value> = json["diagnostics"].as_array().unwrap().iter().collect();
    assert!(!found.is_empty());
    let source = &kernels::get("ch6_operators").unwrap().source;
    let line = |entry: &Value| source.lines().nth(entry["line"].as_u64().unwrap() as usize - 1).unwrap();
    for found in found {
        assert_eq!(
            (&found["kind"], &found["kernel"]),
            (&"data-race".into(), &"reduceNoFence_sum_i32".into())
        );
        assert!(line(found).contains("in[tile + threadIdx.x]"), "{found}");
        assert!(line(&found["related"][0]).contains("partials[blockIdx.x] = result;"), "{found}");
    }
    let raced: Vec<&str> = json["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["found"][0] == "data-race")
        .map(|run| run["kernel"].as_str().unwrap())
        .collect();
    assert_eq!(raced, ["reduceNoFence_sum_i32"], "with the fence, and in all other forms, there is none");
}

#[test]
fn a_tree_that_changes_the_order_of_the_operands_is_wrong_where_that_matters() {
    let run = run("ch6-order", "ch6_operators", "--device sim --n 1000 --block 96");
    let text = run.stdout();
    let row = |kernel: &str| -> Vec<String> {
        let row = text.lines().find(|line| line.starts_with(kernel)).unwrap();
        row.split_whitespace().map(str::to_string).collect()
    };
    let right = row("reducePasses_hash_u32");
    let wrong = row("reduceInterleaved_hash_u32");
    assert_eq!((right.last().unwrap(), wrong.last().unwrap()), (&"ok".into(), &"WRONG".into()));
    assert_eq!(wrong[3], right[2], "what the serial recursion says");
    assert_ne!(wrong[2], right[2]);
    assert!(text.contains("reduceInterleaved_hash_u32 is kept to show: operands-out-of-order"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

/// A sum of floats has the bound of the tree by which it was made; one without an order that of the tallest.
#[test]
fn the_bounds_of_chapter_6_are_those_of_its_trees() {
    let json =
        run("ch6-bounds", "ch6_operators", "--device sim --kernel all --n 2^16 --block 512 --json").json();
    let bound = |kernel: &str| {
        let runs = json["runs"].as_array().unwrap();
        runs.iter().find(|run| run["kernel"] == kernel).unwrap()["bound"].as_f64().unwrap()
    };
    let per_addition = bound("reducePasses_sum_f32") / 16.0; // 9 in a block of 512, 7 over 128 partial sums
    for (kernel, additions) in [
        ("reduceSingleLaunch_sum_f32", 16.0),
        ("reduceGridSync_sum_f32", 16.0),
        ("reduceAtomicBlocks_sum_f32", 9.0 + 127.0),
        ("reduceAtomicThreads_sum_f32", 65_535.0),
    ] {
        let ratio = bound(kernel) / per_addition / additions;
        assert!((1.0..1.01).contains(&ratio), "{kernel}: {ratio}");
    }
}
