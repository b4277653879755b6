//! What a run leaves behind, and the committed records.

use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;
use std::process::Stdio;

use rayon::prelude::*;
use testing::renew::{HOW, is_wanted, renewing};
use workbook::device::DeviceKind;
use workbook::record::{Record, Run};
use workbook::text::files::write_whole;

use super::{example, run, run_in, stems};

/// The stems of which the simulator's records are asked for.
fn recorded_stems() -> Vec<String> {
    stems().into_iter().filter(|stem| stem != "ch1_serial" && is_wanted(stem)).collect()
}

/// What a run with all of a chapter's kernels and these options gives now.
fn now(stem: &str, options: &str) -> Record {
    let directory = format!("committed-{stem}{}", options.replace(' ', ""));
    let run = run(&directory, stem, &format!("--device sim --kernel all --json {options}"));
    let record: Record = serde_json::from_value(run.json()).unwrap();
    let wrong: Vec<_> = record.runs.iter().chain(&record.sweep).filter(|run| !run.as_expected()).collect();
    assert!(wrong.is_empty(), "{stem}: not a matter of its record, these are wrong now: {wrong:#?}");
    record
}

fn committed_record(stem: &str) -> Option<Record> {
    let file = committed_records().join(Record::file_name(stem, DeviceKind::Sim));
    // A new chapter has none yet.
    file.exists().then(|| Record::read(&file).unwrap())
}

fn committed_records() -> PathBuf {
    workbook::root().unwrap().join("book/records")
}

/// These are the runs of the committed record, which pages name the counts of.
fn are_committed(stem: &str, now: &[Run], committed: &[Run]) {
    for (now, committed) in now.iter().zip(committed) {
        assert_eq!(now, committed, "{stem}: now, and as committed; run `{HOW} {stem}`");
    }
    assert_eq!(now.len(), committed.len(), "runs in the record of {stem}: run `{HOW} {stem}`");
}

#[test]
fn the_simulators_records_say_what_a_run_without_a_sweep_gives() {
    recorded_stems().into_par_iter().with_max_len(1).for_each(|stem| {
        let committed = committed_record(&stem).map(|record| record.runs).unwrap_or_default();
        are_committed(&stem, &now(&stem, "--no-sweep").runs, &committed);
    });
}

#[test]
#[ignore = "takes half a minute: every sweep of every chapter"]
fn the_simulators_records_are_renewed_by_a_run_nightly() {
    recorded_stems().into_par_iter().with_max_len(1).for_each(|stem| {
        let runs = |record: Record| [record.runs, record.sweep].concat();
        let now = runs(now(&stem, ""));
        let committed = committed_record(&stem).map(runs).unwrap_or_default();
        if !renewing() || now == committed {
            are_committed(&stem, &now, &committed);
            return;
        }
        let run = run_in(committed_records(), &stem, "--device sim --record");
        assert_eq!(run.status(), Some(0), "{stem}: {}", run.stderr());
    });
}

#[test]
fn a_run_leaves_a_record_and_charts_and_a_recorded_run_the_committed_record_only() {
    let local = run("local", "ch3_blocks", "--device sim --n 2^12");
    let files = local.files();
    assert!(files.contains(&"local/ch3_blocks.sim.json".to_string()), "{files:?}");
    let charts =
        files.iter().filter(|file| file.starts_with("local/ch3_blocks.sim.") && file.ends_with(".svg"));
    assert!(charts.count() > 0, "{files:?}");
    let written = Path::new("local").join("ch3_blocks.sim.json");
    assert!(local.stdout().contains(&*written.to_string_lossy()), "{}", local.stdout());

    let recorded = run("recorded", "ch3_blocks", "--device sim --n 2^12 --record");
    assert_eq!(recorded.files(), ["ch3_blocks.sim.json"]);
    let record = Record::read(&recorded.records.join("ch3_blocks.sim.json")).unwrap();
    assert_eq!(record.command, "cargo run --example ch3_blocks -- --device sim --n 2^12");
    assert!(record.ok);
}

#[test]
fn runs_that_end_at_the_same_time_all_stand_in_the_record() {
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records/together");
    let _ = std::fs::remove_dir_all(&records);
    let kernels = ["reduceNeighbored", "reduceNeighboredLess", "reduceInterleaved"];
    let start = |kernel: &&str| {
        let mut command = example("ch3_blocks");
        command.args(["--device", "sim", "--n", "2000", "--no-sweep", "--kernel", kernel]);
        command.env("WORKBOOK_RECORDS_DIR", &records).stdout(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = kernels.iter().map(start).collect();
    for mut child in children.into_iter() {
        assert!(child.wait().unwrap().success());
    }
    let record = Record::read(&records.join("local/ch3_blocks.sim.json")).unwrap();
    let recorded: Vec<_> = record.runs.iter().map(|run| run.kernel.as_str()).collect();
    assert_eq!(recorded, kernels);
}

#[test]
fn a_file_that_is_taken_as_a_lock_keeps_what_it_holds() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("locked");
    let name = path.with_extension("lock");
    std::fs::write(&name, "mine").unwrap();
    drop(workbook::text::files::lock(&path).unwrap());
    assert_eq!(std::fs::read(&name).unwrap(), b"mine");
}

/// `WORKBOOK_RECORDS_DIR` is a file here: the runs are on stdout all the same.
#[test]
fn json_has_the_runs_even_if_no_record_can_be_written() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("also-a-file");
    std::fs::write(&file, "not a directory").unwrap();
    let run = run_in(file, "ch3_blocks", "--device sim --n 33 --json");
    assert_eq!(run.status(), Some(2), "{}", run.stderr());
    assert_eq!(run.json()["runs"][0]["n"], 33);
    assert!(run.stderr().contains("cannot create"), "{}", run.stderr());
}

/// A disk without room loses words, and the exit status says so; a pipe that is closed is no mistake.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_on_stdout_or_stderr_exits_2() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let chapter = "--device sim --no-sweep";
    let sum = "crates/simulate/tests/simulate/missing_barrier.ptx --grid 1 --block 64 \
               --arg buf:i32:iota*64 --arg buf:i32:0";
    for (name, line) in [
        ("ch2_parallel", chapter),
        ("ch2_parallel", "--help"),
        ("ch1_serial", "--n 9 --json"),
        ("exercise", "list"),
        ("exercise", "--help"),
        ("simulate", sum),
        ("simulate", "--help"),
        ("sum_file", "--help"),
        ("sum_file", "--generate 9 --device sim"),
    ] {
        let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records/full");
        let start = || {
            let mut command = example(name);
            command.current_dir(workbook::root().unwrap()).args(line.split_whitespace());
            if name == "sum_file" {
                // A sum that nobody heard stays there, as a checkpoint.
                let _ = std::fs::remove_dir_all(&records);
                std::fs::create_dir_all(&records).unwrap();
                command.current_dir(&records);
            }
            command.env("WORKBOOK_RECORDS_DIR", &records).env("CUDA_VISIBLE_DEVICES", "");
            command
        };
        let output = start().stdout(full()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name} {line}: {said}");
        assert!(said.contains("error: cannot write to stdout: No space left"), "{name} {line}: {said}");
        let usual = start().output().unwrap();
        let expected = if usual.stderr.is_empty() { usual.status.code() } else { Some(2) };
        assert_eq!(start().stderr(full()).output().unwrap().status.code(), expected, "{name} {line}");
        let mut child = start().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), usual.status.code(), "{name} {line}");
    }
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
fn a_file_is_written_whole_or_not_at_all() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("shared");
    write_whole(&path, [b'a'; 100_000]).unwrap();
    let path = &path;
    std::thread::scope(|scope| {
        for letter in *b"abcd" {
            scope.spawn(move || (0..100).for_each(|_| write_whole(path, [letter; 100_000]).unwrap()));
        }
        for _ in 0..400 {
            let seen = std::fs::read(path).unwrap();
            assert_eq!(seen.len(), 100_000);
            assert!(seen.iter().all(|letter| *letter == seen[0]), "of one writer");
        }
    });
    let link = directory.join("link");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("shared", &link).unwrap();
        write_whole(&link, "through the link").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(path).unwrap(), b"through the link");
        use std::os::unix::fs::PermissionsExt;
        let mode = || std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let set = |mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        set(0o600);
        write_whole(path, "private").unwrap();
        assert_eq!(mode(), 0o600);
        set(0o444);
        assert!(write_whole(path, "").unwrap_err().to_string().contains("read-only"));
        assert_eq!(std::fs::read(path).unwrap(), b"private");
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("nothing", &link).unwrap();
        assert!(write_whole(&link, "").unwrap_err().to_string().contains("a link to nothing"));
        assert!(link.is_symlink());
        write_whole(Path::new("/dev/null"), "nowhere").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }
    assert!(write_whole(&directory, "").is_err(), "a folder");
    let left = std::fs::read_dir(&directory).unwrap().count();
    assert_eq!(left, 1 + usize::from(link.is_symlink()), "nothing unfinished is left");
}

#[cfg(unix)]
#[test]
fn a_record_that_would_lie_in_a_pipe_is_refused_before_the_runs() {
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records/pipe");
    for (name, runs) in [("ch3_blocks.sim.json", 0), ("ch3_blocks.sim.json.lock", 1)] {
        let _ = std::fs::remove_dir_all(&records);
        std::fs::create_dir_all(records.join("local")).unwrap();
        let made = Command::new("mkfifo").arg(records.join("local").join(name)).status().unwrap();
        assert!(made.success());
        let run = run_in(records.clone(), "ch3_blocks", "--device sim --n 33");
        assert_eq!(run.status(), Some(2), "{}", run.stderr());
        assert!(run.stderr().contains(" is a pipe"), "{}", run.stderr());
        assert_eq!(run.stdout().matches("ch3_blocks:").count(), runs, "{}", run.stdout());
    }
}
