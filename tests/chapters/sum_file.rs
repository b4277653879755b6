//! The sum of a file, piece by piece: exact, resumed after an interruption, and refused where the file has
//! changed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
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
    let path = directory.join("numbers");
    let numbers = data::numbers(count, 1);
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

/// Stops a run in the middle of its work.
fn killed(directory: &Path, line: &str, checkpoint: &str) {
    let mut child = in_the_middle(directory, line, checkpoint);
    child.kill().unwrap();
    child.wait().unwrap();
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
    let mut child = start(directory, &format!("{line} --piece 2^14 --checkpoint-every 0"));
    while !std::fs::metadata(directory.join(checkpoint)).is_ok_and(|about| about.len() > 0) {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended");
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
    refused(run(&directory, "no\u{1b}[2Jthing"), 2, "cannot read no\\u{1b}[2Jthing");
    let left: Vec<_> = std::fs::read_dir(&directory).unwrap().collect();
    assert_eq!(left.len(), 1, "no checkpoint is left: {left:?}");
}

#[test]
fn a_run_that_was_killed_goes_on_from_its_checkpoint() {
    let directory = directory("resumed");
    let n = 1 << 22;
    let checkpoint = format!("generated-{n}-1.checkpoint.json");
    killed(&directory, &format!("--generate {n}"), &checkpoint);
    let text = std::fs::read_to_string(directory.join(&checkpoint)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let json = &json["checkpoint"];
    let done = json["done"].as_u64().unwrap() as usize;
    assert!(done > 0 && done < n, "{json}");
    let all = data::numbers(n, 1);
    let sum = |numbers: &[i32]| numbers.iter().map(|number| i64::from(*number)).sum::<i64>();
    assert_eq!(json["sum"], sum(&all[..done]), "exact up to the offset");

    refused(
        run(&directory, &format!("--generate {n}")),
        2,
        "from a run that was interrupted; go on from there with --resume, or remove it to begin again",
    );
    assert_eq!(std::fs::read_to_string(directory.join(&checkpoint)).unwrap(), text, "no work is lost");
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
    killed(&directory, "numbers", "numbers.checkpoint.json");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes).unwrap(); // the same, but who knows?
    refused(
        run(&directory, "numbers --resume"),
        2,
        "the input has changed since the checkpoint at numbers.checkpoint.json",
    );

    std::fs::remove_file(directory.join("numbers.checkpoint.json")).unwrap();
    let child = in_the_middle(&directory, "numbers", "numbers.checkpoint.json");
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::now() + Duration::from_secs(5)).unwrap();
    refused(child.wait_with_output().unwrap(), 1, "the input has changed while it was read");
}

/// Both would replace one checkpoint in turns.
#[test]
fn a_run_waits_for_another_of_the_same_source() {
    let directory = directory("locked");
    let n = 1 << 28; // far from its end when the second begins, however busy the machine
    let line = format!("--generate {n}");
    let checkpoint = format!("generated-{n}-1.checkpoint.json");
    let mut first = in_the_middle(&directory, &line, &checkpoint);
    let mut second = start(&directory, &line);
    let mut said = BufReader::new(second.stderr.take().unwrap()).lines();
    let waits = said.next().unwrap().unwrap();
    assert!(waits.starts_with("waiting for another program, which holds the lock of generated-"), "{waits}");
    first.kill().unwrap();
    first.wait().unwrap();
    let said: String = said.map(Result::unwrap).collect();
    assert!(said.contains("from a run that was interrupted; go on from there with --resume"), "{said}");
    assert_eq!(second.wait().unwrap().code(), Some(2));
    // Beside the checkpoint there may be one that the first run was writing when it was killed.
    let is_lock = |name: &OsString| name.to_string_lossy().ends_with(".lock");
    let left = contents(&directory);
    assert!(!left.iter().any(|(name, _)| is_lock(name)), "the lock goes with the run");
}

#[test]
#[cfg(unix)]
fn a_checkpoint_behind_a_link_is_neither_read_nor_written() {
    let directory = directory("linked");
    let (_, sum) = numbers(&directory, 1 << 21);
    killed(&directory, "numbers", "numbers.checkpoint.json");
    let path = directory.join("numbers.checkpoint.json");
    let elsewhere = directory.join("elsewhere");
    std::fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    refused(run(&directory, "numbers --resume"), 2, "numbers.checkpoint.json is a link");

    std::fs::remove_file(&path).unwrap();
    let before = std::fs::read(&elsewhere).unwrap();
    let child = in_the_middle(&directory, "numbers", "numbers.checkpoint.json");
    let planted = directory.join("planted");
    std::os::unix::fs::symlink(&elsewhere, &planted).unwrap();
    std::fs::rename(&planted, &path).unwrap();
    gives(child.wait_with_output().unwrap(), sum);
    assert_eq!(std::fs::read(&elsewhere).unwrap(), before, "what a link leads to is somebody else's");

    std::os::unix::fs::symlink(&elsewhere, directory.join("numbers.checkpoint.json.lock")).unwrap();
    let _ = std::fs::remove_file(&path);
    refused(run(&directory, "numbers"), 2, "numbers.checkpoint.json.lock is a link");
}

/// The names in a directory, each with what it holds, if that is a file.
fn contents(directory: &Path) -> Vec<(OsString, Option<Vec<u8>>)> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let read = |path: PathBuf| path.is_file().then(|| std::fs::read(path).unwrap());
    let mut found: Vec<_> = entries.map(|entry| (entry.file_name(), read(entry.path()))).collect();
    found.sort();
    found
}

#[test]
fn a_file_that_is_no_checkpoint_keeps_its_place() {
    let directory = directory("place");
    numbers(&directory, 1 << 16);
    let path = directory.join("numbers.checkpoint.json");
    for theirs in ["Chapter 1\n", "", "{\"source\": {}}"] {
        std::fs::write(&path, theirs).unwrap();
        let before = contents(&directory);
        for resume in ["", "--resume"] {
            let sentence = "numbers.checkpoint.json is not a checkpoint, and is left as it is";
            refused(run(&directory, &format!("numbers --checkpoint-every 0 {resume}")), 2, sentence);
        }
        assert_eq!(contents(&directory), before);
    }
    std::fs::create_dir(directory.join("folder")).unwrap();
    refused(run(&directory, "folder"), 2, "folder is a directory");
    if cfg!(unix) {
        assert!(Command::new("mkfifo").arg(directory.join("pipe")).status().unwrap().success());
        refused(run(&directory, "pipe"), 2, "is a pipe");
        refused(run(&directory, "/dev/zero"), 2, "a device");
    }
}

#[test]
fn a_file_that_is_cut_short_meanwhile_is_an_error() {
    let directory = directory("cut");
    let (path, _) = numbers(&directory, 1 << 21);
    let child = in_the_middle(&directory, "numbers", "numbers.checkpoint.json");
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(4096).unwrap();
    refused(child.wait_with_output().unwrap(), 1, "the input has changed while it was read");
}

#[test]
fn a_checkpoint_that_cannot_be_written_costs_no_sum() {
    let directory = directory("unwritable");
    let (_, sum) = numbers(&directory, 1 << 17);
    let long = "n".repeat(245);
    std::fs::copy(directory.join("numbers"), directory.join(&long)).unwrap();
    let output = run(&directory, &format!("{long} --checkpoint-every 0"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.matches("; this run cannot be resumed").count(), 1, "{said}");
    gives(output, sum);
    assert_eq!(contents(&directory).len(), 2);
}

#[test]
fn where_memory_runs_out_sum_file_names_its_own_options() {
    let directory = directory("memory");
    let output = run(&directory, "--generate 2^30 --piece 2^30 --gpus 1 --streams 1");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("--memory"), "{output:?}");
    refused(output, 2, "try a smaller --piece or fewer --streams");
}

#[test]
fn a_sum_that_nobody_heard_is_kept() {
    let directory = directory("unheard");
    let (_, sum) = numbers(&directory, 1 << 20);
    let mut child = in_the_middle(&directory, "numbers", "numbers.checkpoint.json");
    drop(child.stdout.take()); // as by `| head -1`
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let kept = "note: stdout goes nowhere; the sum is kept in numbers.checkpoint.json: --resume prints it\n";
    assert_eq!((output.status.code(), said.as_ref()), (Some(0), kept));
    let output = run(&directory, "numbers --resume");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("from number 0 "), "{output:?}");
    gives(output, sum);
    assert_eq!(contents(&directory).len(), 1);
}

/// A short run has written no checkpoint before.
#[test]
#[cfg(unix)]
fn a_sum_that_goes_nowhere_is_kept() {
    let directory = directory("nowhere");
    let (_, sum) = numbers(&directory, 1 << 12);
    for stdout in [">&-", "> /dev/null"] {
        let mut command = Command::new("sh");
        let line = format!("exec \"$0\" numbers --device sim --checkpoint-every 100000 {stdout}");
        command.args(["-c", &line]).arg(example("sum_file").get_program()).current_dir(&directory);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("the sum is kept"), "{stdout}: {said}");
        gives(run(&directory, "numbers --resume"), sum);
        assert_eq!(contents(&directory).len(), 1);
    }
}

/// It has the same length and the same time, as copies made by archives and by `cp -p` have.
#[test]
#[cfg(unix)]
fn another_file_in_its_place_is_refused() {
    let directory = directory("moved");
    let (path, _) = numbers(&directory, 1 << 21);
    let other = directory.join("other");
    let twin = || {
        std::fs::write(&other, vec![1; 4 << 21]).unwrap();
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    };
    twin();
    killed(&directory, "numbers", "numbers.checkpoint.json");
    std::fs::rename(&other, &path).unwrap();
    refused(run(&directory, "numbers --resume"), 2, "the input has changed since the checkpoint");

    std::fs::remove_file(directory.join("numbers.checkpoint.json")).unwrap();
    twin();
    let child = in_the_middle(&directory, "numbers", "numbers.checkpoint.json");
    std::fs::rename(&other, &path).unwrap();
    refused(child.wait_with_output().unwrap(), 1, "the input has changed while it was read");
}

#[test]
fn a_checkpoint_that_was_edited_gives_no_sum() {
    let directory = directory("edited");
    numbers(&directory, 1 << 21);
    killed(&directory, "numbers", "numbers.checkpoint.json");
    let path = directory.join("numbers.checkpoint.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = text.replace("\"sum\": ", "\"sum\": 1");
    assert_ne!(edited, text);
    std::fs::write(&path, &edited).unwrap();
    refused(run(&directory, "numbers --resume"), 2, "has been edited or damaged, and is left as it is");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_not_of_this_run_stays_and_a_length_that_is_wrong_is_refused() {
    let directory = directory("foreign");
    let (_, sum) = numbers(&directory, 1 << 12);
    let link = directory.join("numbers.checkpoint.json");
    std::os::unix::fs::symlink("nothing", &link).unwrap();
    gives(run(&directory, "numbers"), sum);
    assert!(link.is_symlink(), "a link of somebody else's is gone");
    refused(run(&directory, "/proc/self/status"), 2, "says that it has 0 bytes, which is wrong: copy it");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_a_name_need_not_be_unicode() {
    use std::os::unix::ffi::OsStringExt;
    let directory = directory("odd");
    let (path, sum) = numbers(&directory, 1 << 20);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = example("sum_file");
    command.arg(&path).args(["--device", "sim"]).stdout(full);
    refused(command.output().unwrap(), 2, "cannot write to stdout: No space left");

    let name = OsString::from_vec(b"n\xffmbers".to_vec());
    std::fs::rename(&path, directory.join(&name)).unwrap();
    let kept = directory.join(OsString::from_vec(b"n\xffmbers.checkpoint.json".to_vec()));
    let command = |line: &str| {
        let mut command = example("sum_file");
        command.arg(&name).args(line.split_whitespace()).args(["--device", "sim"]).current_dir(&directory);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut child = command("--piece 2^14 --checkpoint-every 0");
    while !std::fs::metadata(&kept).is_ok_and(|about| about.len() > 0) {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    gives(command("--resume").wait_with_output().unwrap(), sum);
}
