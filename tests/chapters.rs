//! The chapters as a reader runs them: the examples' programs, their output, their records, their exit status.
//! Kernels run on the simulator, whatever the machine has.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rayon::prelude::*;
use serde_json::Value;
use workbook::backend::{Device, DeviceChoice, LaunchConfig};
use workbook::record::{DeviceKind, Dropped, Record};
use workbook::sim::{Diagnostic, Kind};
use workbook::{data, kernels, report};

/// One run of an example, with a records directory of its own.
struct Run {
    output: Output,
    records: PathBuf,
}

/// Runs `stem` with the arguments of `line`; `name` tells this run's records from those of other tests.
fn run(name: &str, stem: &str, line: &str) -> Run {
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records").join(name);
    let _ = std::fs::remove_dir_all(&records);
    run_in(records, stem, line)
}

fn run_in(records: PathBuf, stem: &str, line: &str) -> Run {
    // target/<profile>/deps/chapters-… -> target/<profile>/examples/<stem>
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(format!("{stem}{}", std::env::consts::EXE_SUFFIX));
    assert!(example.exists(), "{} is not built; run `cargo test`, which builds it", example.display());
    let output = Command::new(example)
        .args(line.split_whitespace())
        .env("WORKBOOK_RECORDS_DIR", &records)
        .env("CUDA_VISIBLE_DEVICES", "") // a machine with a GPU passes these tests too
        .output()
        .unwrap();
    Run { output, records }
}

impl Run {
    fn status(&self) -> Option<i32> {
        self.output.status.code()
    }
    fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }
    fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout()).unwrap_or_else(|error| panic!("{error}\n{}", self.stdout()))
    }
    /// The files that it left, from its records directory on.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        for directory in [self.records.clone(), self.records.join("local")] {
            for entry in std::fs::read_dir(&directory).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    files.push(path.strip_prefix(&self.records).unwrap().display().to_string());
                }
            }
        }
        files.sort();
        files
    }
}

fn names(runs: &Value) -> Vec<&str> {
    runs.as_array().unwrap().iter().map(|run| run["kernel"].as_str().unwrap()).collect()
}

#[test]
fn json_is_one_object_of_the_agreed_shape() {
    let run = run("json", "ch3_blocks", "--device sim --n 1_000 --block 96 --seed 7 --json");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let json = run.json();
    assert_eq!(json["stem"], "ch3_blocks");
    assert_eq!(json["device"]["kind"], "sim");
    assert_eq!((&json["n"], &json["block"], &json["grid"]), (&1000.into(), &96.into(), &11.into()));
    assert_eq!(
        json["command"],
        "cargo run --example ch3_blocks -- --device sim --n 1_000 --block 96 --seed 7"
    );
    assert_eq!(json["diagnostics"], Value::Array(vec![]));
    assert_eq!(json["ok"], true);
    assert_eq!(names(&json["runs"]), ["reduceNeighbored", "reduceNeighboredLess", "reduceInterleaved"]);
    let sum = data::numbers(1000, 7).into_iter().fold(0, i32::wrapping_add);
    for run in json["runs"].as_array().unwrap() {
        assert_eq!(run["sum"], sum);
        assert_eq!(run["expected"], sum);
        assert_eq!(run["ok"], true);
        assert!(run["teaches"].is_null() && run["time_us"].is_null());
        assert!(run["counters"]["global_load_sectors"].as_u64().unwrap() > 0);
    }
    // The file is the same record.
    let file = Record::read(&run.records.join("local/ch3_blocks.sim.json")).unwrap();
    assert_eq!(serde_json::from_value::<Record>(json).unwrap(), file);
}

const SIZES: [u64; 9] = [0, 1, 2, 3, 31, 33, 1000, 1025, 65_553];

#[test]
fn every_size_is_right_at_every_block_size() {
    let nested = [4097, 100_003].map(|n| ("ch4_nested", n));
    let cases: Vec<(&str, u64, u32)> = ["ch3_blocks", "ch4_nested"]
        .into_iter()
        .flat_map(|stem| SIZES.map(|n| (stem, n)))
        .chain(nested)
        .flat_map(|(stem, n)| [32, 96, 256, 1000].map(|block| (stem, n, block)))
        .collect();
    cases.par_iter().for_each(|(stem, n, block)| {
        let line = format!("--device sim --n {n} --block {block} --json");
        let run = run(&format!("sizes-{stem}-{n}-{block}"), stem, &line);
        assert_eq!(run.status(), Some(0), "{stem} {line}\n{}", run.stderr());
        let sum = data::numbers(*n as usize, 1).into_iter().fold(0, i32::wrapping_add);
        let json = run.json();
        // A run that is kept to show what goes wrong has a test of its own.
        for run in json["runs"].as_array().unwrap().iter().filter(|run| run["teaches"].is_null()) {
            assert_eq!(
                (&run["ok"], &run["sum"]),
                (&true.into(), &sum.into()),
                "{stem} {line} {}",
                run["kernel"]
            );
        }
    });
}

#[test]
fn chapter_2_is_right_with_the_barrier_in_one_block() {
    for n in SIZES.into_iter().filter(|&n| n <= 1024) {
        let run = run(&format!("ch2-{n}"), "ch2_parallel", &format!("--device sim --n {n} --json"));
        assert_eq!(run.status(), Some(0), "{}", run.stderr());
        let json = run.json();
        assert_eq!(names(&json["runs"]), ["reduceNeighboredNoBarrier", "reduceNeighbored"]);
        assert_eq!(json["runs"][0]["teaches"], "data-race");
        assert_eq!(json["runs"][1]["ok"], true, "n = {n}");
    }
}

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

/// The sizes that chapters 5 and 6 are asked for, in several shapes; every result within its bound.
#[test]
fn chapter_5_is_right_in_every_shape_and_says_what_is_wrong() {
    let shapes = ["", "--block 96 --grid 7", "--block 1000", "--block 32 --grid 100"];
    let sizes = [0u64, 1, 2, 31, 33, 1000, 1025, 262_145, 1_000_003];
    let cases: Vec<(u64, &str)> = sizes.into_iter().flat_map(|n| shapes.map(|shape| (n, shape))).collect();
    cases.par_iter().filter(|(n, shape)| *n < 2000 || shape.is_empty()).for_each(|(n, shape)| {
        let line = format!("--device sim --n {n} {shape} --json");
        let run = run(&format!("ch5-{n}-{}", shape.replace(' ', "_")), "ch5_shared", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        for run in json["runs"].as_array().unwrap() {
            let of = |field: &str| run[field].as_f64().unwrap();
            let error = (of("sum") - of("expected")).abs();
            assert_eq!(run["ok"] == true, error <= of("bound") && run["found"].is_null(), "{line} {run}");
            assert!(run["ok"] == true || run["teaches"] == "barrier-divergence", "{line} {run}");
        }
        if shape.contains("--grid") {
            let grid = json["grid"].as_u64();
            let grids = json["runs"].as_array().unwrap().iter().map(|run| run["grid"].as_u64());
            assert!(grids.into_iter().all(|of_run| of_run == grid || of_run == Some(0)), "{line}");
        }
    });
}

#[test]
fn chapter_5_without_options_is_the_posts_program() {
    let run = run("ch5", "ch5_shared", "--device sim --json");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let json = run.json();
    assert_eq!((&json["n"], &json["block"], &json["grid"]), (&(33 * 1024).into(), &256.into(), &32.into()));
    let runs = json["runs"].as_array().unwrap();
    let of = |kernel: &str| runs.iter().find(|run| run["kernel"] == kernel).unwrap();
    // 2 * sum_square(N-1), as the post has it, in f64: exact.
    let x = 33.0 * 1024.0 - 1.0;
    assert_eq!(of("dot(i,2i)")["expected"], 2.0 * (x * (x + 1.0) * (2.0 * x + 1.0) / 6.0));
    assert_eq!(of("dot(i,2i)")["ok"], true);
    assert_eq!(of("dotBarrierInBranch")["found"], serde_json::json!(["barrier-divergence"]));
    assert_eq!(of("dotBarriersMispaired")["found"], serde_json::json!(["barrier-divergence", "data-race"]));
    assert!(of("dotLoop")["time_us"].is_null() && of("dotLoop")["block"] == 0, "{}", of("dotLoop"));
    let lines: Vec<_> = json["diagnostics"].as_array().unwrap().iter().map(|found| &found["line"]).collect();
    let source = kernels::get("ch5_shared").unwrap().source;
    let is_wrong = |line: &str| line.contains("__syncthreads(); //") && line.contains("wrong:");
    for (line, number) in source.lines().zip(1..).filter(|(line, _)| is_wrong(line)) {
        assert!(lines.contains(&&Value::from(number)), "{line}: {lines:?}");
    }
}

#[test]
fn a_grid_divides_the_elements_among_its_blocks() {
    let json = run("grid", "ch4_nested", "--device sim --n 2^12 --grid 8 --json").json();
    assert_eq!((&json["block"], &json["grid"]), (&512.into(), &8.into()));
    let grids: Vec<_> =
        json["runs"].as_array().unwrap().iter().map(|run| run["grid"].as_u64().unwrap()).collect();
    assert_eq!(
        grids[..7],
        [8, 8, 4, 1, 1, 4, 1],
        "a child a block twice; half a thread an element; one block for up to 512 elements a thread; one for up to 16; \
         from the host"
    );
}

#[test]
fn the_plan_knows_how_many_kernels_device_code_launches() {
    for line in ["", "--n 2^14 --block 32", "--n 100_003 --block 96", "--n 2^12 --grid 20", "--n 1", "--n 0"]
    {
        let name = format!("launches-{}", line.replace(' ', "_"));
        let json = run(&name, "ch4_nested", &format!("--device sim --json {line}")).json();
        let runs = json["runs"].as_array().unwrap().iter().chain(json["sweep"].as_array().unwrap());
        // What drops launches on purpose makes fewer.
        for run in runs.filter(|run| run["teaches"].is_null()) {
            let planned = run["device_launches"].as_u64().unwrap_or(0);
            let (lost, made) = (&run["dropped"]["launches"], &run["counters"]["device_launches"]);
            assert_eq!((lost.as_u64(), made.as_u64()), (None, Some(planned)), "{line} {run}");
        }
        // Blocks of one thread are so many that the recursion with a cutoff launches a child.
        let of_one = json["sweep"].as_array().unwrap().iter().find(|run| run["block"] == 1);
        let launches =
            of_one.map(|run| (run["kernel"].as_str(), run["device_launches"].as_u64(), &run["ok"]));
        let child = (Some("gpuRecursiveReduceCutoff"), Some(1), &Value::Bool(true));
        assert_eq!(launches, line.is_empty().then_some(child), "{line}");
    }
}

#[test]
fn what_only_newer_gpus_can_run_is_left_out_by_name() {
    let run = run("needs-a-gpu", "ch4_nested", "--device sim --n 33");
    for kernel in ["gpuRecursiveReduceCluster", "graph/reducePassThenGraph"] {
        let line = format!("left out: {kernel}, which needs a GPU of compute capability 9.0 or higher");
        assert!(run.stdout().contains(&line), "no {line:?} in\n{}", run.stdout());
        assert!(!run.stdout().contains(&format!("\n{kernel} ")), "{}", run.stdout());
    }
}

/// All blocks in one launch: with the room that a device has by default, launches are dropped where there are too many.
#[test]
fn the_post_s_one_launch_drops_children_and_that_is_what_it_is_kept_to_show() {
    for (line, drops) in
        [("--n 8188 --block 4", false), ("--n 8192 --block 4", true), ("--n 2^16 --block 32", true)]
    {
        let name = format!("at-once-{}", line.replace(' ', "_"));
        let run = run(&name, "ch4_nested", &format!("--device sim --json {line}"));
        assert_eq!(run.status(), Some(0), "{line}: {}", run.stderr());
        let json = run.json();
        let of = |kernel: &str| {
            let runs = json["runs"].as_array().unwrap();
            runs.iter().find(|run| run["kernel"] == kernel).unwrap().clone()
        };
        let at_once = of("at-once/gpuRecursiveReduce");
        assert_eq!(at_once["ok"], !drops, "{at_once}");
        assert_eq!(at_once["dropped"]["error"].as_u64(), drops.then_some(69), "{at_once}");
        assert_eq!(at_once["teaches"].as_str(), drops.then_some("pending-launch-overflow"), "{at_once}");
        assert_eq!(of("with-room/gpuRecursiveReduce")["ok"], true);
    }
}

#[test]
fn every_way_of_dividing_intervals_finds_the_area_of_the_serial_recursion() {
    let cases: Vec<(u64, u32)> = [0, 1, 2, 31, 33, 1000, 1025, 4097, 20_001]
        .into_iter()
        .flat_map(|n| [32, 96, 256, 1000].map(|block| (n, block)))
        .collect();
    cases.par_iter().for_each(|(n, block)| {
        let line = format!("--device sim --n {n} --block {block} --json");
        let run = run(&format!("area-{n}-{block}"), "ch4_quadrature", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let all = ["depthFirst", "divideLevel", "graph/divideLevel", "gpuRecursiveDivide"];
        assert_eq!(names(&json["runs"]), all);
        for run in json["runs"].as_array().unwrap() {
            assert_eq!((&run["ok"], &run["sum"]), (&true.into(), &run["expected"]), "{line} {run}");
            assert_eq!(run["expected"].as_i64().unwrap() > 0, *n > 1, "{line}");
        }
    });
    let many = run("area-many", "ch4_quadrature", "--device sim --n 32_769");
    assert_eq!(many.status(), Some(2));
    assert!(many.stderr().contains("--n 32768 or less"), "{}", many.stderr());
}

#[test]
fn the_terminal_shows_device_sums_counts_and_levels() {
    let run = run("terminal", "ch4_nested", "--n 2^12");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let text = run.stdout();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("On the simulator, since there is no usable GPU: "), "{first}");
    let sum = data::numbers(1 << 12, 1).into_iter().fold(0, i32::wrapping_add);
    let sum = workbook::table::thousands(sum.into());
    assert!(text.contains(&format!(
        "ch4_nested: 4,096 elements, 512 threads a block; the serial recursion gives {sum}"
    )));
    // 8 blocks of 512 halve their elements 9 times; every level has a child for each block.
    let levels = text.split("gpuRecursiveReduce, level by level:").nth(1).unwrap().replace(',', "");
    let levels: Vec<Vec<u64>> = levels
        .lines()
        .filter_map(|line| line.split_whitespace().map(|word| word.parse().ok()).collect())
        .filter(|row: &Vec<u64>| !row.is_empty())
        .collect();
    let expected: Vec<Vec<u64>> =
        (0..10).map(|level| vec![level, if level == 0 { 1 } else { 8 }, 8, 4096 >> level]).collect();
    assert_eq!(levels, expected, "level, grids, blocks, threads");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(run.stderr().is_empty(), "{}", run.stderr());
}

#[test]
fn the_readme_shows_what_the_first_run_prints() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let run = run("readme", "ch4_nested", "--device sim");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let printed = run.stdout();
    for part in shown.split("...\n") {
        assert!(printed.contains(part), "README.md shows\n{part}\nand the run prints\n{printed}");
    }
}

/// The pages name these counts. After a change of the simulator or of a kernel: the command in the message.
#[test]
fn the_committed_counts_are_what_the_simulator_gives() {
    for stem in [
        "ch2_parallel",
        "ch3_blocks",
        "ch4_nested",
        "ch4_quadrature",
        "ch5_shared",
        "ch6_two_pass",
        "ch7_limit",
    ] {
        let run = run(&format!("committed-{stem}"), stem, "--device sim --json");
        let now: Record = serde_json::from_value(run.json()).unwrap();
        let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/records");
        let committed = Record::read(&records.join(Record::file_name(stem, DeviceKind::Sim))).unwrap();
        let runs = |record: Record| [record.runs, record.sweep].concat();
        let (now, committed) = (runs(now), runs(committed));
        for (now, committed) in now.iter().zip(&committed) {
            assert_eq!(now, committed, "make it anew: cargo run --example {stem} -- --device sim --record");
        }
        assert_eq!(now.len(), committed.len());
    }
}

#[test]
fn a_run_leaves_a_record_and_charts_and_a_recorded_run_the_committed_record_only() {
    let local = run("local", "ch3_blocks", "--device sim --n 2^12");
    let files = local.files();
    assert!(files.contains(&"local/ch3_blocks.sim.json".to_string()), "{files:?}");
    let charts =
        files.iter().filter(|file| file.starts_with("local/ch3_blocks.sim.") && file.ends_with(".svg"));
    assert!(charts.count() > 0, "{files:?}");
    assert!(local.stdout().contains("local/ch3_blocks.sim.json"), "{}", local.stdout());

    let recorded = run("recorded", "ch3_blocks", "--device sim --n 2^12 --record");
    assert_eq!(recorded.files(), ["ch3_blocks.sim.json"]);
    let record = Record::read(&recorded.records.join("ch3_blocks.sim.json")).unwrap();
    assert_eq!(record.command, "cargo run --example ch3_blocks -- --device sim --n 2^12");
    assert!(record.ok);
}

#[test]
fn wrong_options_exit_2_with_what_to_do_and_write_nothing() {
    for (stem, line, says) in [
        ("ch3_blocks", "--n -1", "0 to 2147483647"),
        ("ch3_blocks", "--n 2^31", "0 to 2147483647"),
        ("ch3_blocks", "--device sim --n 2^27", "--n 2^26 or less"),
        ("ch3_blocks", "--block 0", "1 to 1024 threads"),
        ("ch4_nested", "--block 2000", "1 to 1024 threads"),
        ("ch4_nested", "--grid 0", "1 to 2147483647 blocks"),
        ("ch3_blocks", "--device sim --n 2^16 --grid 4", "--grid 64 or more"),
        ("ch3_blocks", "--device sim --n 1000 --grid 2 --block 32", "--grid 32 or more"),
        ("ch3_blocks", "--blocks 2", "--help"),
        ("ch3_blocks", "--device tpu", "auto, gpu, sim"),
        ("ch2_parallel", "--device sim --n 1025", "cargo run --example ch3_blocks -- --n 1025"),
        ("ch2_parallel", "--device sim --n 100 --block 64", "fewer threads"),
        ("ch1_serial", "--device gpu", "runs on the CPU"),
        ("ch4_nested", "--pending-launches 0", "1 to 1048576 launches"),
        ("ch3_blocks", "--device sim --pending-launches 64", "cargo run --example ch4_nested"),
        ("ch1_serial", "--museum", "cargo run --example ch4_nested -- --museum"),
        ("ch3_blocks", "--device sim --museum", "cargo run --example ch4_nested -- --museum"),
    ] {
        let run = run(&format!("wrong-{stem}-{}", line.replace(' ', "_")), stem, line);
        assert_eq!(run.status(), Some(2), "{stem} {line}\n{}", run.stderr());
        assert!(run.stderr().contains(says), "{stem} {line}: no {says:?} in\n{}", run.stderr());
        assert_eq!(run.stdout(), "", "{stem} {line}");
        assert!(!run.records.exists(), "{stem} {line} wrote something");
    }
}

#[test]
fn a_gpu_that_is_not_there_is_named_with_what_was_looked_for() {
    let run = run("no-gpu", "ch3_blocks", "--device gpu");
    assert_eq!(run.status(), Some(2));
    for part in ["no usable GPU", "driver library:", "driver:", "--device sim"] {
        assert!(run.stderr().contains(part), "no {part:?} in\n{}", run.stderr());
    }
    assert!(!run.records.exists());
}

#[test]
fn a_records_directory_that_cannot_be_written_exits_2() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a-file");
    std::fs::write(&file, "not a directory").unwrap();
    let run = run_in(file, "ch3_blocks", "--device sim --n 33");
    assert_eq!(run.status(), Some(2), "{}", run.stderr());
    for part in ["cannot create", "WORKBOOK_RECORDS_DIR may name another directory"] {
        assert!(run.stderr().contains(part), "no {part:?} in\n{}", run.stderr());
    }
}

#[test]
fn a_launch_is_checked_against_the_kernels_signature() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    assert_eq!(device.info().kind, DeviceKind::Sim);
    let module = device.load_module(kernels::get("ch3_blocks").unwrap()).unwrap();
    let unknown = module.load_function("reduceNeighbord").err().unwrap().to_string();
    assert!(unknown.contains("reduceNeighbored, reduceNeighboredLess, reduceInterleaved"), "{unknown}");

    let kernel = module.load_function("reduceNeighbored").unwrap();
    let numbers = device.clone_htod(&[1, 2, 3]).unwrap();
    let few = device.launch_builder(&kernel).arg(&numbers).launch(LaunchConfig::new(1, 32)).unwrap_err();
    assert!(format!("{few:#}").contains("reduceNeighbored: it takes 3 arguments, 1 were given"), "{few:#}");
    let mut launch = device.launch_builder(&kernel);
    let wide = launch.arg(&numbers).arg(&numbers).arg(&3u64).launch(LaunchConfig::new(1, 32)).unwrap_err();
    assert!(format!("{wide:#}").contains("has 4 bytes, 8 were given"), "{wide:#}");
}

#[test]
fn what_the_simulator_finds_is_shown_with_its_source_line() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let module = device.load_module(kernels::get("ch3_blocks").unwrap()).unwrap();
    let kernel = module.load_function("reduceInterleaved").unwrap();
    let short = device.clone_htod(&[1; 32]).unwrap();
    let mut launch = device.launch_builder(&kernel);
    let error = launch.arg(&short).arg(&short).arg(&64u32).launch(LaunchConfig::new(1, 64)).unwrap_err();
    let found = error.downcast::<Diagnostic>().unwrap();
    assert_eq!(found.kind, Kind::OutOfBounds);
    let report = report::render(&found, false);
    for part in
        ["error[out-of-bounds]", "kernels/ch3_blocks.cu:", "idata[tid] += idata[tid + half];", "help: "]
    {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
}

#[test]
fn a_launch_that_the_device_drops_is_never_silent() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    device.set_pending_launch_limit(16).unwrap();
    let module = device.load_module(kernels::get("ch4_nested").unwrap()).unwrap();
    let kernel = module.load_function("gpuRecursiveReduce").unwrap();
    let data = data::numbers(64 * 32, 1);
    let g_idata = device.clone_htod(&data).unwrap();
    let g_odata = device.alloc_zeros::<i32>(64).unwrap();
    let failure = device.alloc_zeros::<u32>(2).unwrap();
    let mut launch = device.launch_builder(&kernel);
    launch.arg(&g_idata).arg(&g_odata).arg(&(data.len() as u32)).arg(&failure);
    launch.launch(LaunchConfig::new(64, 32)).unwrap();
    let dropped = Dropped::from_words(&device.clone_dtoh(&failure).unwrap()).unwrap();
    assert_eq!((dropped.error, &*dropped.name), (69, "cudaErrorLaunchPendingCountExceeded"));
    assert!(dropped.launches >= 48, "64 blocks launch a child each, room is for 16: {}", dropped.launches);
}

/// What the page of chapter 4 says of `--pending-launches`: where launches begin to be dropped, and what one sees.
#[test]
fn too_little_room_for_pending_launches_is_shown() {
    let dropped = |line: &str| {
        let name = format!("pending-{}", line.replace(' ', "_"));
        let run = run(&name, "ch4_nested", &format!("--device sim --json {line}"));
        let json = run.json();
        let lost: Vec<u64> = json["runs"]
            .as_array()
            .unwrap()
            .iter()
            .take(4)
            .map(|run| {
                let lost = run["dropped"]["launches"].as_u64().unwrap_or(0);
                assert_eq!(run["ok"], lost == 0, "{line} {run}");
                assert_eq!(run["sum"] == run["expected"], lost == 0, "{line} {run}");
                lost
            })
            .collect();
        assert_eq!(run.status(), Some(i32::from(lost.iter().any(|&lost| lost > 0))), "{line}");
        assert!(json["sweep"].as_array().unwrap().is_empty());
        lost
    };
    assert_eq!(dropped("--block 2 --n 4096 --pending-launches 2048"), [0, 0, 0, 0]);
    assert_eq!(dropped("--block 2 --n 4096 --pending-launches 2047"), [1, 1, 0, 0]);
    assert_eq!(dropped("--block 4 --n 8188 --pending-launches 2048")[0], 0);
    assert_eq!(dropped("--block 4 --n 8192 --pending-launches 2048")[0], 2);
    assert_eq!(dropped("--block 4 --n 4096 --pending-launches 2048")[1], 0);
    assert_eq!(dropped("--block 4 --n 4100 --pending-launches 2048")[1], 1);

    let run = run("pending", "ch4_nested", "--device sim --pending-launches 64 --record");
    assert_eq!(run.status(), Some(1));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/ch4_nested.md");
    let page = std::fs::read_to_string(page).unwrap();
    let shown = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(run.stderr().contains(shown), "the page shows\n{shown}\nand the run says\n{}", run.stderr());
    for part in ["WRONG", "66 launches dropped, cudaErrorLaunchPendingCountExceeded (69)"] {
        assert!(run.stdout().contains(part), "no {part:?} in\n{}", run.stdout());
    }
    assert!(run.stderr().contains("not recorded"), "{}", run.stderr());
    assert!(!run.records.exists(), "a wrong run is not recorded");
}

#[test]
fn buffers_of_no_elements_are_legal() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    let empty = device.clone_htod::<i32>(&[]).unwrap();
    let other = device.alloc_zeros::<i32>(0).unwrap();
    device.memcpy_dtod(&empty, &other).unwrap();
    assert!(device.clone_dtoh(&other).unwrap().is_empty());
    let lengths = device.memcpy_htod(&[1], &empty).unwrap_err().to_string();
    assert!(lengths.contains("1 elements into a buffer of 0"), "{lengths}");
}

/// Every rung of chapter 7, from the array to one sum; tests/limit.rs has more of its sizes and places.
#[test]
fn chapter_7_is_right_at_every_size_for_every_type() {
    let sizes: [u64; 7] = [0, 1, 33, 1000, 1025, 5003, 70_001];
    sizes.par_iter().with_max_len(1).for_each(|n| {
        let line = format!("--device sim --n {n} --block 96 --json");
        let run = run(&format!("ch7-{n}"), "ch7_limit", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let numbers = data::numbers(*n as usize, 1);
        let wrapping = numbers.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x));
        let runs = json["runs"].as_array().unwrap();
        for run in runs {
            assert_eq!(run["ok"], true, "{line} {run}");
            if run["operation"].is_null() {
                assert_eq!(run["sum"], wrapping, "{line} {run}");
            }
        }
        assert_eq!(runs.len(), 24, "8 rungs for 3 types");
        assert!(json["contest"].is_null(), "a contest needs a GPU");
    });
}

/// Every operator and type of chapter 6: the record says that its result is the recursion's, or as near as it may be.
#[test]
fn chapter_6_is_right_at_every_size_for_every_operator() {
    let mut cases: Vec<(u64, u32)> = vec![(1_000_003, 256), (262_145, 1000)]; // the long ones first
    cases.extend(
        [0, 1, 2, 31, 33, 1000, 1025].iter().flat_map(|&n| [1, 2, 32, 96, 256, 1000, 1024].map(|b| (n, b))),
    );
    cases.par_iter().with_max_len(1).for_each(|&(n, block)| {
        let line = format!("--device sim --n {n} --block {block} --json");
        let run = run(&format!("ch6-{n}-{block}"), "ch6_two_pass", &line);
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
        assert_eq!(json["runs"].as_array().unwrap().len(), 29);
    });
}

/// The post's own numbers are right. Its second launch has one block, with a thread for every partial sum.
#[test]
fn the_posts_second_launch_is_refused_above_1024_partial_sums() {
    let post = |n: &str| {
        let line = format!("--device sim --n {n} --block 256 --json");
        let run = run(&format!("ch6-post-{n}"), "ch6_two_pass", &line);
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
        stderr.contains("error[launch-limit]: a block of 2048 x 1 x 1 threads; at most 1024"),
        "{stderr}"
    );
}

#[test]
fn the_missing_fence_of_chapter_6_is_named_with_its_line() {
    let run = run("ch6-fence", "ch6_two_pass", "--device sim --n 3001 --block 96 --json");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let json = run.json();
    let found: Vec<&Value> = json["diagnostics"].as_array().unwrap().iter().collect();
    assert!(!found.is_empty());
    let source = kernels::get("ch6_two_pass").unwrap().source;
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
    let run = run("ch6-order", "ch6_two_pass", "--device sim --n 1000 --block 96");
    let text = run.stdout();
    let row = |kernel: &str| -> Vec<String> {
        let row = text.lines().find(|line| line.starts_with(kernel)).unwrap();
        row.split_whitespace().map(str::to_string).collect()
    };
    let (right, wrong) = (row("reducePasses_hash_u32"), row("reduceInterleaved_hash_u32"));
    assert_eq!((right.last().unwrap(), wrong.last().unwrap()), (&"ok".into(), &"WRONG".into()));
    assert_eq!(wrong[3], right[2], "what the serial recursion says");
    assert_ne!(wrong[2], right[2]);
    assert!(text.contains("reduceInterleaved_hash_u32 is kept to show: operands-out-of-order"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

/// A sum of floats has the bound of the tree by which it was made; one without an order that of the tallest.
#[test]
fn the_bounds_of_chapter_6_are_those_of_its_trees() {
    let json = run("ch6-bounds", "ch6_two_pass", "--device sim --n 2^16 --block 512 --json").json();
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
