//! Chapters 3 and 4: any size in any block, and the launches that device code makes.

use rayon::prelude::*;
use serde_json::Value;
use workbook::device::{Device, DeviceChoice, LaunchConfig};
use workbook::kernels;
use workbook::record::Dropped;
use workbook::reduction::data;

use super::{SIZES, run, shapes};

#[test]
fn every_size_and_every_block_is_right() {
    let shapes = shapes(&SIZES, &[32, 96, 256, 1000]);
    let of = |stem| shapes.iter().map(move |(n, block)| (stem, *n, *block));
    let cases: Vec<_> = ["ch3_blocks", "ch4_nested", "ch4_when_it_pays"].into_iter().flat_map(of).collect();
    cases.par_iter().for_each(|(stem, n, block)| {
        let line = format!("--device sim --kernel all --n {n} --block {block} --json");
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
fn a_grid_divides_the_elements_among_its_blocks() {
    let grids = |stem| -> Vec<u64> {
        let json = run(&format!("grid-{stem}"), stem, "--device sim --n 2^12 --grid 8 --json").json();
        assert_eq!((&json["block"], &json["grid"]), (&512.into(), &8.into()));
        json["runs"].as_array().unwrap().iter().map(|run| run["grid"].as_u64().unwrap()).collect()
    };
    assert_eq!(
        grids("ch4_nested"),
        [8, 8, 4, 128],
        "one child per block twice; half a thread per element; blocks of 32"
    );
    assert_eq!(
        grids("ch4_when_it_pays"),
        [1, 1, 1, 1, 1],
        "one block for up to 512 elements per thread; one for up to 16"
    );
}

#[test]
fn the_plan_knows_how_many_kernels_device_code_launches() {
    for line in ["", "--n 2^14 --block 32", "--n 100_003 --block 96", "--n 2^12 --grid 20", "--n 1", "--n 0"]
    {
        let json = |stem| {
            let name = format!("launches-{stem}-{}", line.replace(' ', "_"));
            run(&name, stem, &format!("--device sim --kernel all --json {line}")).json()
        };
        let all: Vec<Value> = ["ch4_nested", "ch4_when_it_pays"]
            .map(json)
            .iter()
            .flat_map(|json| {
                [&json["runs"], &json["sweep"]].map(|runs| runs.as_array().unwrap().clone()).concat()
            })
            .collect();
        // What drops launches on purpose makes fewer.
        for run in all.iter().filter(|run| run["teaches"].is_null()) {
            let planned = run["device_launches"].as_u64().unwrap_or(0);
            let lost = &run["dropped"]["launches"];
            let made = &run["counters"]["device_launches"];
            assert_eq!((lost.as_u64(), made.as_u64()), (None, Some(planned)), "{line} {run}");
        }
        // Blocks of one thread are so many that the recursion with a cutoff launches a child.
        let of_one = all.iter().find(|run| run["block"] == 1);
        let launches =
            of_one.map(|run| (run["kernel"].as_str(), run["device_launches"].as_u64(), &run["ok"]));
        let child = (Some("gpuRecursiveReduceCutoff"), Some(1), &Value::Bool(true));
        assert_eq!(launches, line.is_empty().then_some(child), "{line}");
    }
}

#[test]
fn what_only_newer_gpus_can_run_is_left_out_by_name() {
    let run = run("needs-a-gpu", "ch4_when_it_pays", "--device sim --n 33 --kernel all");
    let line = "left out: reducePassThenGraph, which needs a GPU of compute capability 9.0 or higher";
    assert!(run.stdout().contains(line), "no {line:?} in\n{}", run.stdout());
    assert!(!run.stdout().contains("\nreducePassThenGraph "), "{}", run.stdout());
    // The simulator has clusters.
    assert!(run.stdout().contains("\ngpuRecursiveReduceCluster "), "{}", run.stdout());
}

/// All blocks in one launch: with the room that a device has by default, launches are dropped where there are
/// too many.
#[test]
fn the_post_s_one_launch_drops_children_and_that_is_what_it_is_kept_to_show() {
    for (line, drops) in
        [("--n 8188 --block 4", false), ("--n 8192 --block 4", true), ("--n 2^16 --block 32", true)]
    {
        let name = format!("at-once-{}", line.replace(' ', "_"));
        let run = run(&name, "ch4_nested", &format!("--device sim --kernel all --json {line}"));
        assert_eq!(run.status(), Some(0), "{line}: {}", run.stderr());
        let json = run.json();
        let of = |kernel: &str| {
            let runs = json["runs"].as_array().unwrap();
            runs.iter().find(|run| run["kernel"] == kernel).unwrap().clone()
        };
        let at_once = of("gpuRecursiveReduceAtOnce");
        assert_eq!(at_once["ok"], !drops, "{at_once}");
        assert_eq!(at_once["dropped"]["error"].as_u64(), drops.then_some(69), "{at_once}");
        assert_eq!(at_once["teaches"].as_str(), drops.then_some("pending-launch-overflow"), "{at_once}");
        assert_eq!(of("gpuRecursiveReduceAtOnceWithRoom")["ok"], true);
    }
}

#[test]
fn a_launch_that_the_device_drops_is_never_silent() {
    let device = Device::open(DeviceChoice::Sim).unwrap();
    device.set_pending_launch_limit(16).unwrap();
    let module = kernels::load(&device, "ch4_nested").unwrap();
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

/// What the appendix on nesting says of `--pending-launches`: where launches begin to be dropped.
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
            .take(3)
            .map(|run| {
                let lost = run["dropped"]["launches"].as_u64().unwrap_or(0);
                assert_eq!(run["ok"], lost == 0, "{line} {run}");
                assert_eq!(run["sum"] == run["expected"], lost == 0, "{line} {run}");
                lost
            })
            .collect();
        let loses = lost.iter().any(|&lost| lost > 0);
        assert_eq!(run.status(), Some(i32::from(loses)), "{line}");
        assert!(json["sweep"].as_array().unwrap().is_empty());
        lost
    };
    assert_eq!(dropped("--block 2 --n 4096 --pending-launches 2048"), [0, 0, 0]);
    assert_eq!(dropped("--block 2 --n 4096 --pending-launches 2047"), [1, 1, 0]);
    assert_eq!(dropped("--block 4 --n 8188 --pending-launches 2048")[0], 0);
    assert_eq!(dropped("--block 4 --n 8192 --pending-launches 2048")[0], 2);
    assert_eq!(dropped("--block 4 --n 4096 --pending-launches 2048")[1], 0);
    assert_eq!(dropped("--block 4 --n 4100 --pending-launches 2048")[1], 1);

    let run = run("pending", "ch4_nested", "--device sim --pending-launches 64 --record");
    assert_eq!(run.status(), Some(1));
    let message = "error[pending-launch-overflow]: 66 device launches were dropped, since 64 were pending";
    assert!(run.stderr().contains(message), "{}", run.stderr());
    for part in ["WRONG", "66 launches dropped, cudaErrorLaunchPendingCountExceeded (69)"] {
        assert!(run.stdout().contains(part), "no {part:?} in\n{}", run.stdout());
    }
    assert!(run.stderr().contains("not recorded"), "{}", run.stderr());
    assert!(!run.records.exists(), "a wrong run is not recorded");
}
