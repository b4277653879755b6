//! The sum of a file, piece by piece: exact, resumed after an interruption, and refused where the file has
//! changed.

use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use workbook::reduction::data;

use crate::example;

/// A directory of that name with nothing in it.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sum_file").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// A file with the first numbers of the generator, and their sum.
fn numbers(directory: &Path, count: usize) -> (PathBuf, i64) {
    let (path, numbers) = (directory.join("numbers"), data::numbers(count, 1));
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    std::fs::write(&path, bytes).unwrap();
    (path, numbers.iter().map(|number| i64::from(*number)).sum())
}

fn start(directory: &Path, line: &str) -> Child {
    let mut command = example("sum_file");
    command.args(line.split_whitespace()).args(["--device", "sim"]).current_dir(directory);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(directory: &Path, line: &str) -> Output {
    start(directory, line).wait_with_output().unwrap()
}

fn gives(output: Output, sum: i64) {
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(&format!("\nsum: {sum}\n")), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}

fn refused(output: Output, status: i32, sentence: &str) {
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(sentence), "wanted {sentence:?}: {said}");
    assert_eq!(
        (output.status.code(), output.stdout.ends_with(b"on\n") || output.stdout.is_empty()),
        (Some(status), true)
    );
}

/// A run in the middle of its work, since it has left a checkpoint.
fn in_the_middle(directory: &Path, line: &str, checkpoint: &str) -> Child {
    let child = start(directory, &format!("{line} --piece 2^14 --checkpoint-every 0"));
    while !directory.join(checkpoint).exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn the_sum_of_a_file_is_exact_for_any_pieces() {
    let directory = directory("exact");
    let (_, sum) = numbers(&directory, 70_001);
    for line in ["", "--gpus 1 --streams 1", "--gpus 3 --piece 1000", "--piece 7_001 --streams 3"] {
        gives(run(&directory, &format!("numbers {line}")), sum);
        gives(run(&directory, &format!("--generate 70001 {line}")), sum);
    }
    std::fs::write(directory.join("numbers"), "").unwrap();
    gives(run(&directory, "numbers"), 0);
    std::fs::write(directory.join("numbers"), "abcde").unwrap();
    refused(run(&directory, "numbers"), 2, "numbers has 5 bytes, and a number has 4");
    refused(run(&directory, "nothing"), 2, "cannot read nothing");
    let left: Vec<_> = std::fs::read_dir(&directory).unwrap().collect();
    assert_eq!(left.len(), 1, "no checkpoint is left: {left:?}");
}

#[test]
fn a_run_that_was_killed_goes_on_from_its_checkpoint() {
    let (directory, n) = (directory("resumed"), 1 << 22);
    let checkpoint = format!("generated-{n}-1.checkpoint.json");
    let mut child = in_the_middle(&directory, &format!("--generate {n}"), &checkpoint);
    child.kill().unwrap();
    child.wait().unwrap();
    let text = std::fs::read_to_string(directory.join(&checkpoint)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let done = json["done"].as_u64().unwrap() as usize;
    assert!(done > 0 && done < n, "{json}");
    let all = data::numbers(n, 1);
    let sum = |numbers: &[i32]| numbers.iter().map(|number| i64::from(*number)).sum::<i64>();
    assert_eq!(json["sum"], sum(&all[..done]).to_string(), "exact up to the offset");

    refused(
        run(&directory, &format!("--generate {n} --seed 2 --resume --checkpoint {checkpoint}")),
        2,
        "has changed",
    );
    let output = run(&directory, &format!("--generate {n} --resume --gpus 3"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("from number "), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("from number 0 "), "{output:?}");
    gives(output, sum(&all));
    assert!(!directory.join(&checkpoint).exists());
    refused(run(&directory, &format!("--generate {n} --resume")), 2, "there is no checkpoint to go on from");
}

#[test]
fn a_file_that_has_changed_is_refused() {
    let directory = directory("changed");
    let (path, _) = numbers(&directory, 1 << 21);
    let mut child = in_the_middle(&directory, "numbers", "numbers.checkpoint.json");
    child.kill().unwrap();
    child.wait().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes).unwrap(); // the same, but who knows?
    refused(run(&directory, "numbers --resume"), 2, "numbers has changed since the checkpoint at");

    std::fs::remove_file(directory.join("numbers.checkpoint.json")).unwrap();
    let child = in_the_middle(&directory, "numbers", "numbers.checkpoint.json");
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::now() + Duration::from_secs(5)).unwrap();
    refused(child.wait_with_output().unwrap(), 1, "numbers has changed while it was read");
}
