//! One process per GPU, on simulated ones: the ranks find each other, and none waits for one that is gone.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::example;

/// Rounds that no test waits for.
pub const FOR_EVER: &str = "--repeats 1000000000";

/// A port that nobody has, and that no other test has been given.
pub fn port() -> u16 {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut given = GIVEN.lock().unwrap();
    std::iter::repeat_with(free).find(|port| given.insert(*port)).unwrap()
}

pub fn command(options: &str) -> Command {
    let mut command = example("ranks");
    command.args(options.split_whitespace());
    if !options.contains("--device") {
        command.args(["--device", "sim"]);
    }
    let of_rank = ["RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"];
    let of_job = ["TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "SLURM_STEP_ID", "WORKBOOK_RANKS_TOKEN"];
    for name in of_rank.into_iter().chain(of_job) {
        command.env_remove(name);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn rank(number: usize, ranks: usize, port: u16, options: &str) -> Child {
    as_rank(command(options), number, ranks, port)
}

pub fn as_rank(mut command: Command, rank: usize, ranks: usize, port: u16) -> Child {
    command.env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string());
    command.env("WORLD_SIZE", ranks.to_string()).env("MASTER_PORT", port.to_string());
    command.spawn().unwrap()
}

/// Its end, which has to come by itself.
pub fn end(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("a rank has not ended");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// It ends with that status and that sentence, alone.
pub fn ends(child: Child, status: i32, sentence: &str) -> String {
    let output = end(child);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(sentence) && said.lines().count() == 1, "wanted {sentence:?}: {said}");
    assert_eq!(output.status.code(), Some(status), "{said}");
    said
}

/// So it ends, and chapter 8's table of faults says so, with numbers of its own.
pub fn ends_as_the_page_says(child: Child, status: i32, sentence: &str) {
    let without_numbers = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let said = without_numbers(ends(child, status, sentence).trim_start_matches("error: "));
    let page = std::fs::read_to_string(workbook::root().unwrap().join("book/src/ch8_ranks.md")).unwrap();
    let told = page.lines().filter(|line| line.ends_with(&format!("` | {status} |"))).any(|row| {
        let row = row.split('`').nth(1).unwrap();
        said.starts_with(&without_numbers(row.trim_end_matches(" …").trim_end_matches(')')))
    });
    assert!(told, "ch8_ranks.md does not tell of status {status} with: {said}");
}

/// Ranks that are adding up, since rank 0 has said so.
fn at_work(ranks: usize, options: &str) -> Vec<Child> {
    let port = port();
    let mut children: Vec<Child> = (0..ranks).map(|number| rank(number, ranks, port, options)).collect();
    let mut line = String::new();
    BufReader::new(children[0].stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains(&format!("{ranks} ranks, rank 0 on workbook simulator")), "{line}");
    children
}

#[test]
fn ranks_give_the_sum_however_many() {
    for ranks in [1, 2, 3] {
        for n in [0, 1, 2, 70_001] {
            let options = format!("--start {ranks} --n {n} --repeats 2");
            let output = end(command(&options).spawn().unwrap());
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success() && said.contains("as expected"), "{options}: {said}");
        }
    }
}

#[test]
fn when_a_rank_is_killed_all_others_end_and_say_which() {
    for killed in [0, 1] {
        let mut children = at_work(3, FOR_EVER);
        let mut child = children.remove(killed);
        child.kill().unwrap();
        child.wait().unwrap();
        for other in children {
            ends_as_the_page_says(
                other,
                1,
                &format!("error: rank {killed} has ended before the sum was there"),
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn when_a_rank_hangs_all_others_end_and_say_which() {
    let mut children = at_work(3, &format!("{FOR_EVER} --timeout 3"));
    let mut child = children.remove(1);
    let stopped = Command::new("kill").args(["-STOP", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    for other in children {
        ends_as_the_page_says(other, 1, "error: rank 1 has not been heard from for ");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn when_a_rank_never_arrives_all_others_end_and_say_which() {
    // All of them first: they do nothing but wait.
    let ports = [port(), port()];
    let nobody_came = rank(0, 4096, port(), "--timeout 1");
    let found_nobody = rank(1, 2, port(), "--timeout 1");
    let two = [rank(0, 4, ports[0], "--timeout 3"), rank(2, 4, ports[0], "--timeout 3")];
    let one = [rank(0, 3, ports[1], "--timeout 3"), rank(2, 3, ports[1], "--timeout 3")];
    ends(nobody_came, 1, "error: ranks 1, 2, 3 and 4092 more never arrived at ");
    let nobody = "error: rank 0 never arrived: rank 1 found nobody at 127.0.0.1:";
    ends_as_the_page_says(found_nobody, 1, nobody);
    for child in two {
        ends(child, 1, "error: ranks 1 and 3 never arrived");
    }
    for child in one {
        ends_as_the_page_says(child, 1, "error: rank 1 never arrived");
    }
}

#[test]
fn ranks_that_do_not_fit_are_refused_with_what_differs() {
    let refused = |others: [(usize, &str); 2], sentence: &str| {
        let port = port();
        let children = [
            rank(0, 3, port, ""),
            rank(others[0].0, 3, port, others[0].1),
            rank(others[1].0, 3, port, others[1].1),
        ];
        for child in children {
            ends_as_the_page_says(child, 2, sentence);
        }
    };
    refused(
        [(1, ""), (2, "--n 7")],
        "error: rank 2 has --n 7, and rank 0 has --n 1048576: all need the same",
    );
    let port = port();
    let mut twins = [rank(0, 3, port, ""), rank(1, 3, port, ""), rank(1, 3, port, "")].into_iter();
    ends(twins.next().unwrap(), 2, "error: two processes are rank 1");
    for twin in twins {
        end(twin);
    }
}

#[test]
fn every_launcher_says_which_rank_it_is() {
    let of = |names: [&str; 3], values: [&str; 3], further: &[(&str, &str)]| {
        let mut command = command("--n 100 --repeats 1 --timeout 1");
        command.envs(names.into_iter().zip(values)).env("MASTER_PORT", port().to_string());
        command.envs(further.iter().copied());
        command.spawn().unwrap()
    };
    let slurm = ["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"];
    for names in [
        ["RANK", "WORLD_SIZE", "LOCAL_RANK"],
        ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
        ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"],
        slurm,
    ] {
        // The job has as many tasks as it likes where another launcher starts the ranks.
        let further: &[_] =
            if names == slurm { &[] } else { &[("SLURM_PROCID", "7"), ("SLURM_NTASKS", "8")] };
        let output = end(of(names, ["0", "1", "0"], further));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.starts_with("1 rank, ") && output.status.success(), "{names:?}: {said}");
    }
    let pmi2 = ["PMI_RANK", "PMI_SIZE", "SLURM_LOCALID"];
    let nobody = "rank 1 found nobody at 127.0.0.1:";
    ends(of(pmi2, ["1", "2", "1"], &[("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")]), 1, nobody);
    // An incomplete set is named, and not filled from another launcher's.
    let torch = ["RANK", "WORLD_SIZE", "SLURM_LOCALID"];
    let of_job = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1")];
    ends(of(torch, ["1", "2", "0"], &of_job), 2, "LOCAL_RANK is not set");
    ends(of(slurm, ["2", "2", "0"], &[]), 2, "SLURM_PROCID=2 and SLURM_NTASKS=2: ranks are counted from 0");
    ends(of(["RANK", "WORLD_SIZE", "LOCAL_RANK"], ["0", "x", "0"], &[]), 2, "WORLD_SIZE=x is not a number");
    for [rank, ranks] in [["0", "4097"], ["8589934590", "8589934591"], ["0", "18446744073709551615"]] {
        let too_many = format!("WORLD_SIZE={ranks}: there are at most 4096 ranks");
        ends(of(["RANK", "WORLD_SIZE", "LOCAL_RANK"], [rank, ranks, "0"], &[]), 2, &too_many);
    }
    let escape = ["\u{1b}[2J", "1", "0"];
    ends(of(["RANK", "WORLD_SIZE", "LOCAL_RANK"], escape, &[]), 2, "RANK=\\u{1b}[2J is not a number");
    let torch = ["RANK", "WORLD_SIZE", "LOCAL_RANK"];
    ends(of(torch, ["1", "2", "1"], &[("MASTER_ADDR", "[::1]")]), 1, "rank 1 found nobody at ::1:");
    ends(command("").spawn().unwrap(), 2, "no launcher has said which rank this is");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = example("ranks").arg("--help").stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    ends(child, 2, "error: cannot write to stdout: ");
}

/// A file that is no library, and a library that says it is NCCL 2.10.3, in place of what a machine has.
#[cfg(target_os = "linux")]
#[test]
fn an_nccl_that_is_missing_or_too_old_is_named() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("libnccl-so-2");
    std::fs::create_dir_all(&directory).unwrap();
    let refused = |sentence: &str| {
        let port = port();
        let mut second = command("--device gpu");
        second.env("LD_LIBRARY_PATH", &directory);
        for child in [rank(0, 3, port, ""), as_rank(second, 1, 3, port), rank(2, 3, port, "")] {
            ends_as_the_page_says(child, 2, sentence);
        }
    };
    std::fs::write(directory.join("libnccl.so.2"), "no library").unwrap();
    refused("error: rank 1: NCCL was not found (libnccl.so.2); install it");
    let source = directory.join("library.rs");
    let code =
        "#[unsafe(no_mangle)] pub extern \"C\" fn ncclGetVersion(to: &mut i32) -> i32 { *to = 21003; 0 }";
    std::fs::write(&source, code).unwrap();
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "library", "-o"]);
    assert!(rustc.arg(directory.join("libnccl.so.2")).arg(source).status().unwrap().success());
    refused("error: rank 1: NCCL 2.10.3 is too old; 2.15.0 or newer is needed");
}

/// What listens at rank 0's port without being rank 0 ends a rank, and not well.
#[test]
fn a_rank_0_that_is_none_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().port();
    ends(rank(0, 2, taken, ""), 2, "rank 0: cannot listen at 127.0.0.1:");
    let second = rank(1, 2, taken, "");
    listener.accept().unwrap().0.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    ends(second, 1, "error: rank 0 sent what is not a rank's message: ");
    let silent = rank(1, 2, taken, "--timeout 1");
    ends(silent, 1, "error: rank 0 has not been heard from for 1s");
}

/// A rank that hangs does not keep its launcher.
#[cfg(target_os = "linux")]
#[test]
fn a_launcher_ends_though_a_rank_hangs() {
    let mut launcher = command(&format!("--start 3 {FOR_EVER} --timeout 2")).spawn().unwrap();
    let mut output = BufReader::new(launcher.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let children = format!("/proc/{0}/task/{0}/children", launcher.id());
    let children = std::fs::read_to_string(children).unwrap();
    let hung = children.split_whitespace().nth(1).unwrap();
    assert!(Command::new("kill").args(["-STOP", hung]).status().unwrap().success());
    let output = end(launcher);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("error: rank 1 has not been heard from for "), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!std::path::Path::new("/proc").join(hung).exists(), "it still hangs");
}

/// More elements than 32 bits count are ranks' business; more than a kernel counts are refused.
#[test]
fn the_number_of_elements_has_64_bits() {
    let refused = rank(0, 1, port(), "--n 2^63");
    ends(refused, 2, "its share has 9223372036854775808 elements, and a kernel counts 4261412864: give a");
    ends(rank(0, 1, port(), "--n 2^32"), 2, "or start more ranks");
    ends(rank(1, 3, port(), "--n 2^32 --timeout 1"), 1, "rank 0 never arrived");
}
