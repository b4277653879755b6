//! What all chapters share: options, exit status, output and `--json`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use workbook::record::Record;
use workbook::reduction::data;
use workbook::text::say;

use super::{example, names, run, run_in, stems};

#[test]
fn json_is_one_object_of_the_agreed_shape() {
    let asked =
        "--device sim --kernel reduceNeighbored --kernel reduceInterleaved --n 1_000 --block 96 --seed 7";
    let run = run("json", "ch3_blocks", &format!("{asked} --json"));
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let mut json = run.json();
    assert_eq!(json["stem"], "ch3_blocks");
    assert_eq!(json["device"]["kind"], "sim");
    assert_eq!((&json["n"], &json["block"], &json["grid"]), (&1000.into(), &96.into(), &11.into()));
    assert_eq!(json["command"], format!("cargo run --example ch3_blocks -- {asked}"));
    assert_eq!(json["diagnostics"], Value::Array(vec![]));
    assert_eq!(json["ok"], true);
    assert_eq!(names(&json["runs"]), ["reduceNeighbored", "reduceInterleaved"]);
    let sum = data::numbers(1000, 7).into_iter().fold(0, i32::wrapping_add);
    for run in json["runs"].as_array().unwrap() {
        assert_eq!(run["sum"], sum);
        assert_eq!(run["expected"], sum);
        assert_eq!(run["ok"], true);
        assert!(run["teaches"].is_null() && run["time_us"].is_null());
        assert!(run["counters"]["global_load_sectors"].as_u64().unwrap() > 0);
    }
    // The file is the same record; only the diagnostics are beside it.
    json.as_object_mut().unwrap().remove("diagnostics");
    let file = Record::read(&run.records.join("local/ch3_blocks.sim.json")).unwrap();
    assert_eq!(serde_json::from_value::<Record>(json).unwrap(), file);
}

#[test]
fn steps_are_a_table_for_each_kernel() {
    let run = run("steps", "ch2_parallel", "--device sim --n 8 --steps");
    let text = run.stdout();
    for kernel in ["reduceNeighboredNoBarrier", "reduceNeighbored"] {
        assert!(text.contains(&format!("\n{kernel}, step by step\nstep block warp")), "{text}");
    }
    assert!(text.contains("0 2 4 6              read  g_data[0 2 4 6]: "), "{text}");
    assert!(text.contains("write g_odata[0]: ") && !text.contains("argument"), "{text}");
    assert!(text.contains("0-7                  arrive at the barrier"), "{text}");
}

#[test]
fn the_terminal_shows_device_sums_counts_and_levels() {
    let run = run("terminal", "ch4_nested", "--n 2^12 --kernel gpuRecursiveReduce");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let text = run.stdout();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("On the simulator, since there is no usable GPU: "), "{first}");
    let sum = data::numbers(1 << 12, 1).into_iter().fold(0, i32::wrapping_add);
    let sum = workbook::text::number::thousands(sum.into());
    assert!(
        text.contains(&format!(
            "ch4_nested: 4,096 elements, 512 threads per block; the right result is {sum}"
        ))
    );
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
    let readme = std::fs::read_to_string(workbook::root().unwrap().join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let run = run("readme", "ch4_nested", "--device sim");
    assert_eq!(run.status(), Some(0), "{}", run.stderr());
    let printed = run.stdout();
    for part in shown.split("...\n") {
        assert!(printed.contains(part), "README.md shows\n{part}\nand the run prints\n{printed}");
    }
}

/// Rows that `text` takes on a screen of 100 columns.
fn rows(text: &str) -> usize {
    text.lines().map(|line| line.chars().count().div_ceil(100).max(1)).sum()
}

/// `COLUMNS` says how wide the terminal is.
#[test]
fn a_narrow_terminal_gets_lists_in_place_of_tables() {
    let mut chapter = example("ch3_blocks");
    chapter.args(["--device", "sim", "--n", "2^12", "--no-sweep"]).env("COLUMNS", "40");
    chapter.env("WORKBOOK_RECORDS_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("records/narrow"));
    let text = String::from_utf8(chapter.output().unwrap().stdout).unwrap();
    assert!(text.contains("\nreduceNeighboredLess\n  grid   8\n  sum  "), "{text}");
    assert!(text.contains("\nreduceNeighboredLess\n  warp inst.  "), "{text}");
    assert!(text.lines().filter(|line| line.starts_with("  ")).all(|line| line.len() <= 40), "{text}");
}

/// What a reader sees of a chapter's first run: stdout and stderr together.
#[test]
fn a_chapters_story_fits_one_screen() {
    for stem in stems() {
        // The screen names the record, in this folder: one with a longer name could alone fill a line.
        let run = run(&stem, &stem, "--n 1024");
        let text = run.stdout() + &run.stderr();
        assert_eq!(run.status(), Some(0), "{text}");
        assert!(rows(&text) <= 30, "{stem}: {} rows\n{text}", rows(&text));
        assert!(run.stdout().lines().all(|line| line.chars().count() <= 100), "{stem}\n{text}");
    }
    let run = run("screen", "ch4_nested", "--device sim");
    let text = run.stdout() + &run.stderr();
    assert!(rows(&text) <= 30, "{} rows\n{text}", rows(&text));
    for part in ["error[pending-launch-overflow]", "launches dropped", "WRONG", "kept to show"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_kernel_by_name_runs_alone_and_is_merged_into_the_local_record() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records").join("merged");
    let _ = std::fs::remove_dir_all(&directory);
    let kernels = |line: &str| -> (Vec<String>, Vec<String>) {
        let run = run_in(directory.clone(), "ch3_blocks", line);
        assert_eq!(run.status(), Some(0), "{}", run.stderr());
        let names = |record: &Record| record.runs.iter().map(|run| run.kernel.clone()).collect();
        let file = Record::read(&directory.join("local/ch3_blocks.sim.json")).unwrap();
        assert!(file.sweep.iter().all(|swept| file.runs.iter().any(|run| run.kernel == swept.kernel)));
        (names(&serde_json::from_value(run.json()).unwrap()), names(&file))
    };
    let of = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let last = of(&["reduceInterleaved"]);
    let first = of(&["reduceNeighbored"]);
    let line = "--device sim --json --n 2^12";
    assert_eq!(kernels(&format!("{line} --kernel reduceInterleaved")), (last.clone(), last.clone()));
    let both = [first.clone(), last.clone()].concat();
    assert_eq!(kernels(&format!("{line} --kernel reduceNeighbored")), (first.clone(), both.clone()));
    assert_eq!(kernels(&format!("{line} --kernel reduceNeighbored")), (first.clone(), both), "replaced");
    // Runs on other data do not stand beside these.
    let other = format!("{line} --kernel reduceNeighbored --seed 2");
    assert_eq!(kernels(&other), (first.clone(), first));
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
        ("ch3_blocks", "--device sim --pending-launches 64", "unexpected argument '--pending-launches'"),
        ("ch3_blocks", "--device sim --kernel reduceNeighbord", "a similar value exists: 'reduceNeighbored'"),
        ("ch3_blocks", "--kernel reduceNeighbored --record", "cannot be used with"),
        ("ch4_when_it_pays", "--device sim --kernel reducePassThenGraph", "compute capability 9.0"),
        ("ch7_limit", "--device sim --n 2 --block 1", "give --block 2 or more"),
        ("ch7_limit", "--device sim --n 100 --grid 100", "give --block 2 or more"),
        ("ch7_limit", "--device sim --n 1 --grid 7 --kernel reduceSequential", "give --block 2 or more"),
        ("ch4_legacy", "--device gpu", "omit --device gpu"),
    ] {
        let run = run(&format!("wrong-{stem}-{}", line.replace(' ', "_")), stem, line);
        assert_eq!(run.status(), Some(2), "{stem} {line}\n{}", run.stderr());
        assert!(run.stderr().contains(says), "{stem} {line}: no {says:?} in\n{}", run.stderr());
        assert_eq!(run.stdout(), "", "{stem} {line}");
        assert!(!run.records.exists(), "{stem} {line} wrote something");
    }
}

/// Numbers that no memory holds.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_a_sentence() {
    let chapter = super::example("ch1_serial").get_program().to_os_string();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -v 8000000; exec \"$0\" --n 2147483647"]).arg(chapter);
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let sentence = "2,147,483,647 numbers and a copy of them take 17,179,869,176 bytes";
    assert!(said.contains(sentence) && said.contains("smaller --n"), "{said}");

    let refused = run("steps-on-cpu", "ch1_serial", "--device sim --steps");
    assert_eq!(refused.status(), Some(2));
    assert!(!refused.stderr().contains("add --device sim"), "{}", refused.stderr());
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

/// What a command line or the environment names is quoted, and no terminal obeys it.
#[test]
fn no_control_character_of_the_reader_reaches_a_terminal() {
    let hostile = "\u{1b}[2J\u{1b}[1m\u{9b}31m\u{7}\u{202e}evil";
    for arguments in [
        ["ch3_blocks", "--what-if", hostile],
        ["ch3_blocks", "--kernel", hostile],
        ["ch3_blocks", "--n", hostile],
        ["ch3_blocks", hostile, hostile],
        ["ranks", "--device", hostile],
        ["sum_file", "--generate", hostile],
        ["sum_file", "--device", hostile],
        ["exercise", "reset", hostile],
        ["exercise", "hint", hostile],
        ["simulate", "--grid", hostile],
    ] {
        assert_is_quoted(example(arguments[0]).args(&arguments[1..]));
    }
    assert_is_quoted(example("sum_file").arg(hostile));
    assert_is_quoted(example("simulate").args([hostile, "--grid", "1", "--block", "1"]));
    let quick = ["--device", "sim", "--n", "64", "--kernel", "reduceNeighbored"];
    assert_is_quoted(
        example("ch3_blocks").args(quick).env("WORKBOOK_RECORDS_DIR", format!("Cargo.toml/{hostile}")),
    );
    assert_is_quoted(example("ranks").env("RANK", hostile).env("WORLD_SIZE", "2"));
}

fn assert_is_quoted(command: &mut Command) {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let obeyed = |c: char| c != '\n' && c != '\t' && (c.is_control() || say::turns(c));
    assert!(!text.contains(obeyed), "{command:?}: {text:?}");
    assert!(text.contains("\\u{1b}[2J") && text.contains("\\u{202e}evil"), "{command:?}: {text:?}");
}
