//! One process per GPU, on simulated ones: the ranks find each other, whoever else connects to rank 0, and
//! none waits for one that is gone.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::example;

/// Rounds that no test waits for.
const FOR_EVER: &str = "--repeats 1000000000";

/// A port that nobody has, and that no other test has been given.
fn port() -> u16 {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut given = GIVEN.lock().unwrap();
    std::iter::repeat_with(free).find(|port| given.insert(*port)).unwrap()
}

fn command(options: &str) -> Command {
    let mut command = example("ranks");
    command.args(options.split_whitespace());
    if !options.contains("--device") {
        command.args(["--device", "sim"]);
    }
    for name in ["RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"] {
        command.env_remove(name);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn rank(number: usize, ranks: usize, port: u16, options: &str) -> Child {
    as_rank(command(options), number, ranks, port)
}

fn as_rank(mut command: Command, rank: usize, ranks: usize, port: u16) -> Child {
    command.env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string());
    command.env("WORLD_SIZE", ranks.to_string()).env("MASTER_PORT", port.to_string());
    command.spawn().unwrap()
}

/// Its end, which has to come by itself.
fn end(mut child: Child) -> Output {
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
fn ends(child: Child, status: i32, sentence: &str) -> String {
    let output = end(child);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(sentence) && said.lines().count() == 1, "wanted {sentence:?}: {said}");
    assert_eq!(output.status.code(), Some(status), "{said}");
    said
}

/// So it ends, and chapter 8's table of faults says so, with numbers of its own and without who says it.
fn ends_as_the_page_says(child: Child, status: i32, sentence: &str) {
    let without_numbers = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let said = without_numbers(&ends(child, status, sentence));
    let page = std::fs::read_to_string(workbook::root().unwrap().join("book/src/ch8_ranks.md")).unwrap();
    let told = page.lines().filter(|line| line.ends_with(&format!("` | {status} |"))).any(|row| {
        let row = row.split('`').nth(1).unwrap();
        said.contains(&format!(": {}", without_numbers(row.trim_end_matches(" …").trim_end_matches(')'))))
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
fn when_a_rank_is_killed_all_others_end() {
    for killed in [0, 1] {
        let mut children = at_work(3, FOR_EVER);
        let mut child = children.remove(killed);
        child.kill().unwrap();
        child.wait().unwrap();
        // Rank 0 hears of all ranks, and the others hear of rank 0.
        let [first, second] = children.try_into().unwrap();
        let heard = format!(": rank {killed} has ended before the sum was there");
        ends_as_the_page_says(first, 1, &heard);
        ends_as_the_page_says(second, 1, ": rank 0 has ended before the sum was there");
    }
}

#[cfg(unix)]
#[test]
fn when_a_rank_hangs_all_others_end() {
    let mut children = at_work(3, &format!("{FOR_EVER} --timeout 3"));
    let mut child = children.remove(1);
    let stopped = Command::new("kill").args(["-STOP", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let [first, last] = children.try_into().unwrap();
    ends_as_the_page_says(first, 1, "error: rank 0 of 3: waited 2.4s for a number of rank 1");
    ends(last, 1, "error: rank 2 of 3: rank 0 has ended before the sum was there");
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
    ends(nobody_came, 1, "error: rank 0 of 4096: ranks 1, 2, 3 and 4092 more never arrived at 127.0.0.1:");
    ends_as_the_page_says(found_nobody, 1, ": rank 0 never arrived: nobody listens at 127.0.0.1:");
    let [first, second] = two;
    ends(first, 1, ": ranks 1, 3 never arrived at ");
    ends(second, 1, ": rank 0 at 127.0.0.1:");
    let [first, second] = one;
    ends_as_the_page_says(first, 1, ": rank 1 never arrived at ");
    ends(second, 1, "does not say that all ranks are there: it has ended, one is missing, or");
}

/// Those of another job, too: rank 0 goes on waiting for its own.
#[test]
fn ranks_that_do_not_fit_are_refused_with_what_differs() {
    let port = port();
    let first = rank(0, 2, port, "");
    for [ranks, options] in [["2", "--n 7"], ["2", "--seed 7"], ["2", "--repeats 7"], ["3", ""]] {
        let other = rank(1, ranks.parse().unwrap(), port, options);
        let said =
            ends(other, 1, " greets as 'workbook ranks, 2 in all, --n 1048576, --seed 1, --repeats 20, ");
        assert!(said.contains(&format!("this rank as 'workbook ranks, {ranks} in all, ")), "{said}");
        assert!(said.contains(options), "{said}");
    }
    ends_as_the_page_says(rank(1, 2, port, "--n 7"), 1, " greets as 'workbook ranks, 2 in all, --n 1048576");
    succeeds(rank(1, 2, port, ""));
    succeeds(first);
}

#[test]
fn two_processes_are_not_one_rank() {
    let port = port();
    let first = rank(0, 3, port, "--timeout 3");
    let twins = [rank(1, 3, port, "--timeout 60"), rank(1, 3, port, "--timeout 60")];
    ends(first, 1, ": rank 2 never arrived at ");
    for twin in twins {
        ends(twin, 1, "it has ended, one is missing, or another process is rank 1 too; see what it says");
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
    let nobody = "nobody listens at 127.0.0.1:";
    ends(of(pmi2, ["1", "2", "1"], &[("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")]), 1, nobody);
    // An incomplete set is named, and not filled from another launcher's.
    let torch = ["RANK", "WORLD_SIZE", "SLURM_LOCALID"];
    let of_job = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1")];
    ends(of(torch, ["1", "2", "0"], &of_job), 2, "LOCAL_RANK is not set");
    ends(of(slurm, ["2", "2", "0"], &[]), 2, "SLURM_PROCID=2 and SLURM_NTASKS=2: ranks are counted from 0");
    ends(
        of(["RANK", "WORLD_SIZE", "LOCAL_RANK"], ["0", "x", "0"], &[]),
        2,
        "WORLD_SIZE=x is not a number from 0 to",
    );
    let torch = ["RANK", "WORLD_SIZE", "LOCAL_RANK"];
    ends(of(torch, ["0", "65536", "0"], &[]), 2, "WORLD_SIZE=65536 is not a number from 0 to 65535");
    let escape = ["\u{1b}[2J", "1", "0"];
    ends(of(torch, escape, &[]), 2, "RANK=\\u{1b}[2J is not a number");
    ends(of(torch, ["1", "2", "1"], &[("MASTER_ADDR", "[::1]")]), 1, "nobody listens at ::1:");
    ends(command("").spawn().unwrap(), 2, "no launcher has said which rank this is");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = example("ranks").arg("--help").stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    ends(child, 2, "error: cannot write to stdout: ");
}

/// A file that is no library, and libraries that say that they are NCCL, in place of what a machine has.
#[cfg(target_os = "linux")]
#[test]
fn an_nccl_that_is_missing_or_too_old_is_named_and_so_is_a_missing_gpu() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("libnccl-so-2");
    std::fs::create_dir_all(&directory).unwrap();
    let on_a_gpu = || {
        let mut rank = command("--device gpu");
        rank.env("LD_LIBRARY_PATH", &directory).env("CUDA_VISIBLE_DEVICES", "");
        as_rank(rank, 1, 3, port())
    };
    std::fs::write(directory.join("libnccl.so.2"), "no library").unwrap();
    ends_as_the_page_says(on_a_gpu(), 2, "error: rank 1 of 3: NCCL was not found (libnccl.so.2); install it");
    let library_of = |version: u32| {
        let source = directory.join("library.rs");
        let code = format!(
            "#[unsafe(no_mangle)]
            pub extern \"C\" fn ncclGetVersion(to: &mut i32) -> i32 {{ *to = {version}; 0 }}"
        );
        std::fs::write(&source, code).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "library", "-o"]);
        assert!(rustc.arg(directory.join("libnccl.so.2")).arg(source).status().unwrap().success());
    };
    library_of(21003);
    ends(on_a_gpu(), 2, "error: rank 1 of 3: NCCL 2.10.3 is too old; 2.15.0 or newer is needed");
    library_of(22803);
    ends(on_a_gpu(), 2, "error: rank 1 of 3: GPU 1 was asked for: ");
}

/// What listens at rank 0's port without being rank 0 ends a rank, and not well.
#[test]
fn a_rank_0_that_is_none_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().port();
    ends(rank(0, 2, taken, ""), 1, "error: rank 0 of 2: cannot listen at 127.0.0.1:");
    let second = rank(1, 2, taken, "");
    let mut stranger = listener.accept().unwrap().0;
    stranger.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    ends(
        second,
        1,
        " greets as 'HTTP/1.1 400 Bad Request\\u{d}', and this rank as 'workbook ranks, 2 in all, ",
    );
    let second = rank(1, 2, taken, "");
    drop(listener.accept().unwrap());
    ends(second, 1, " does not greet as rank 0 does: set another MASTER_PORT");
    ends(rank(1, 2, taken, "--timeout 1"), 1, " does not greet as rank 0 does: set another MASTER_PORT");
}

/// A connection to rank 0, as soon as it listens.
fn knock(port: u16) -> TcpStream {
    let begin = Instant::now();
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(begin.elapsed() < Duration::from_secs(30), "rank 0 is gone: {error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// So few numbers that the meeting is most of what a rank does.
const FEW: &str = "--n 4096";

/// What a rank says that has few numbers.
fn greeting(rank: &str) -> String {
    format!("workbook ranks, 2 in all, {FEW}, --seed 1, --repeats 20, simulated GPUs; rank {rank}\n")
}

fn succeeds(child: Child) {
    let output = end(child);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What connects to rank 0 without being a rank of its job neither ends the job nor makes it wait.
#[test]
fn strangers_are_dropped_and_the_job_goes_on() {
    let port = port();
    let first = rank(0, 2, port, &format!("{FEW} --timeout 60"));
    for said in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![0; 4096],
        vec![0xff; 1 << 20], // without an end
        greeting("0").into_bytes(),
        greeting("2").into_bytes(),
        greeting("65537").into_bytes(),
        greeting("1 ").into_bytes(),
        greeting("1").replace("seed 1", "seed 2").into_bytes(),
    ] {
        let mut stranger = knock(port);
        let _ = stranger.write_all(&said); // rank 0 may close before it has all
        let mut heard = Vec::new();
        let _ = stranger.read_to_end(&mut heard); // it has been dropped when this returns
        assert!(heard.len() < greeting("1").len(), "it is sent more than a line: {}", heard.len());
    }
    // A port scan; more of those that say nothing than there are ranks, and one that drips.
    for _ in 0..20 {
        drop(knock(port));
        knock(port).shutdown(Shutdown::Write).unwrap();
    }
    let silent: Vec<TcpStream> = (0..80).map(|_| knock(port)).collect();
    let mut slow = knock(port);
    let dripper = std::thread::spawn(move || {
        while slow.write_all(b"w").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let begin = Instant::now();
    succeeds(rank(1, 2, port, &format!("{FEW} --timeout 60")));
    succeeds(first);
    assert!(begin.elapsed() < Duration::from_secs(30), "they were waited for: {:?}", begin.elapsed());
    drop(silent);
    dripper.join().unwrap();
}

/// A rank of the job is believed, but cannot pass a wrong sum of one round, or of none.
#[test]
fn a_rank_that_lies_does_not_make_rank_0_end_well() {
    // The number of a round; the first is what the sums are compared with, the last a farewell.
    let lies = |wrong: i32| {
        let port = port();
        let first = rank(0, 2, port, FEW);
        let mut liar = knock(port);
        liar.write_all(greeting("1").as_bytes()).unwrap();
        let mut hello = vec![0; greeting("1").replace("; rank 1", "").len() + 128];
        liar.read_exact(&mut hello).unwrap(); // rank 0's greeting and the id
        let mut number = 0;
        loop {
            let sent = liar.write_all(&i32::from(number == wrong).to_le_bytes());
            if sent.is_err() || liar.read_exact(&mut [0; 4]).is_err() {
                break;
            }
            number += 1;
        }
        let output = end(first);
        let said = String::from_utf8(output.stderr).unwrap();
        let farewell = 22;
        let sentence = if wrong == farewell { "the ranks do not end together" } else { "the sum is " };
        assert!(said.contains(&format!("error: rank 0 of 2: {sentence}")), "{wrong}: {said}");
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(!String::from_utf8(output.stdout).unwrap().contains("sum of"), "{wrong}");
        number
    };
    // Side by side, since each waits most of its time.
    let numbers = std::thread::scope(|scope| {
        let all = [0, 1, 2, 12, 21, 22].map(|wrong| scope.spawn(move || lies(wrong)));
        all.map(|one| one.join().unwrap())
    });
    assert_eq!(numbers, [2, 2, 3, 13, 22, 23]);
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
    assert!(said.contains("error: rank 0 of 3: waited 1.6s for a number of rank 1"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!std::path::Path::new("/proc").join(hung).exists(), "it still hangs");
}

/// More elements than 32 bits count are ranks' business; more than a kernel counts are refused.
#[test]
fn the_number_of_elements_has_64_bits() {
    let refused = rank(0, 1, port(), "--n 2^63");
    ends(refused, 2, "its share has 9223372036854775808 elements, and a kernel counts 4261412864: give a");
    ends(rank(0, 1, port(), "--n 2^32"), 2, "or start more ranks");
    ends(rank(1, 3, port(), "--n 2^32 --timeout 1"), 1, "rank 0 never arrived: nobody listens at ");
}

/// Whether this process, and so what it starts, ignores Ctrl-C: a shell without job control has its
/// background jobs do so.
#[cfg(unix)]
fn ctrl_c_is_ignored() -> bool {
    const SIGINT: u32 = 2;
    let about = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = about.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored >> (SIGINT - 1) & 1 == 1
}

/// However what has started them ends, the ranks end.
#[cfg(unix)]
#[test]
fn ranks_end_with_what_has_started_them() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        if signal == "-INT" && ctrl_c_is_ignored() {
            eprintln!("{signal} is left out: it is ignored here");
            continue;
        }
        let mut launcher = command(&format!("--start 2 {FOR_EVER}")).spawn().unwrap();
        let mut output = BufReader::new(launcher.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.contains("2 ranks"), "{line}");
        assert!(Command::new("kill").args([signal, &launcher.id().to_string()]).status().unwrap().success());
        // The launcher and both ranks have this pipe: it ends when they do.
        let (put, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || put.send(output.read_to_end(&mut Vec::new()).unwrap()));
        let ended = ended.recv_timeout(Duration::from_secs(60));
        launcher.kill().unwrap();
        launcher.wait().unwrap();
        assert_eq!(ended, Ok(0), "{signal}: the ranks go on");
    }
}
