//! Ranks among strangers: what connects to rank 0 without being a rank of its job neither ends the job nor
//! makes it wait, and no rank can make another end well without the sum.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Child;
#[cfg(unix)]
use std::process::Command;
use std::time::Duration;

#[cfg(unix)]
use crate::ranks::FOR_EVER;
use crate::ranks::{as_rank, command, end, ends, ends_as_the_page_says, port, rank};

/// A connection to rank 0, as soon as it listens.
fn knock(port: u16) -> TcpStream {
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// A message as ranks send it.
fn frame(json: &str) -> Vec<u8> {
    [b"RNK2", &(json.len() as u32).to_be_bytes()[..], json.as_bytes()].concat()
}

/// So few numbers that the meeting is most of what a rank does.
const FEW: &str = "--n 4096";

/// The hello of a rank of 2 with few numbers and `--repeats 20`, without a job.
fn hello(rank: usize, fault: &str) -> String {
    format!(
        "{{\"Hello\":{{\"job\":{{\"name\":\"\",\"token\":null}},\"rank\":{rank},\"alike\":[\"2 ranks\",\
         \"{FEW}\",\"--seed 1\",\"--repeats 20\",\"simulated GPUs\"],\"gpu\":null,\"fault\":{fault}}}}}"
    )
}

fn read_frame(stream: &mut TcpStream) -> String {
    let mut header = [0; 8];
    stream.read_exact(&mut header).unwrap();
    let mut json = vec![0; u32::from_be_bytes(header[4..].try_into().unwrap()) as usize];
    stream.read_exact(&mut json).unwrap();
    String::from_utf8(json).unwrap()
}

/// A rank of 2 with few numbers.
fn one_of_two(number: usize, port: u16, options: &str) -> Child {
    rank(number, 2, port, &format!("{FEW} {options}"))
}

fn of_job(number: usize, port: u16, variables: &[(&str, &str)]) -> Child {
    let mut command = command(FEW);
    command.envs(variables.iter().copied());
    as_rank(command, number, 2, port)
}

fn succeeds(child: Child) {
    let output = end(child);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Rank 0 drops a stranger that says this, and makes the sum with its own rank 1.
fn drops(said: &[u8]) {
    let port = port();
    let first = one_of_two(0, port, "");
    let mut stranger = knock(port);
    let _ = stranger.write_all(said); // rank 0 may close before it has all
    let mut closed = Vec::new();
    let _ = stranger.read_to_end(&mut closed); // it has been dropped when this returns
    assert_eq!(closed, b"", "rank 0 answered");
    succeeds(one_of_two(1, port, ""));
    succeeds(first);
}

#[test]
fn what_is_not_a_hello_is_dropped_and_the_job_goes_on() {
    drops(b"GET / HTTP/1.1\r\n\r\n");
    drops(&[0xff; 4096]);
    drops(&frame("{\"Number\":7}"));
    drops(&frame("{\"Hello\":"));
    // The old form, and a fault with a status of success: there is no such fault.
    drops(hello(1, "{\"status\":0,\"sentence\":\"all is well\"}").as_bytes());
    drops(&frame(&hello(1, "{\"status\":0,\"sentence\":\"all is well\"}")));
    drops(&frame(&hello(1, "{\"cause\":\"Success\",\"sentence\":\"all is well\"}")));
    drops(&[b"RNK2", &u32::MAX.to_be_bytes()[..], &[b'a'; 64]].concat());
}

#[test]
fn a_port_scan_does_not_end_the_meeting() {
    let port = port();
    let first = one_of_two(0, port, "");
    for _ in 0..20 {
        drop(knock(port));
        let half_open = knock(port);
        half_open.shutdown(Shutdown::Write).unwrap();
    }
    succeeds(one_of_two(1, port, ""));
    succeeds(first);
}

/// One string without an end: rank 0 closes long before it has 32 MiB.
#[test]
fn a_message_without_end_is_not_swallowed() {
    let port = port();
    let first = one_of_two(0, port, "");
    let mut stranger = knock(port);
    stranger.write_all(b"{\"Hello\":{\"job\":\"").unwrap();
    let chunk = vec![b'a'; 1 << 20];
    let all_taken = (0..32).all(|_| stranger.write_all(&chunk).is_ok());
    assert!(!all_taken, "rank 0 has read 32 MiB");
    succeeds(one_of_two(1, port, ""));
    succeeds(first);
}

/// More of them than rank 0 keeps at a time say nothing or send a byte now and then.
#[test]
fn silent_and_slow_strangers_do_not_hold_up_the_meeting() {
    let port = port();
    let first = one_of_two(0, port, "--timeout 60");
    let silent: Vec<TcpStream> = (0..80).map(|_| knock(port)).collect();
    let mut slow = knock(port);
    let dripper = std::thread::spawn(move || {
        let message = frame(&hello(1, "null"));
        let mut bytes = message.iter().cycle();
        while slow.write_all(&[*bytes.next().unwrap()]).is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    succeeds(one_of_two(1, port, "--timeout 60"));
    succeeds(first);
    drop(silent);
    dripper.join().unwrap();
}

/// Drips a byte now and then for ever: the meeting has one deadline all the same.
#[test]
fn a_slow_stranger_does_not_defeat_the_timeout() {
    let port = port();
    let first = one_of_two(0, port, "--timeout 2");
    let mut slow = knock(port);
    let dripper = std::thread::spawn(move || {
        while slow.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let said = ends(first, 1, "error: rank 1 never arrived at ");
    assert!(said.contains("; 1 connection was not from a rank of this job"), "{said}");
    dripper.join().unwrap();
}

#[test]
fn a_connection_during_the_work_does_not_matter() {
    const LONG: &str = "--n 2^18 --repeats 100";
    let port = port();
    let mut first = rank(0, 2, port, LONG);
    let second = rank(1, 2, port, LONG);
    let mut line = String::new();
    BufReader::new(first.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("2 ranks"), "{line}");
    if let Ok(mut late) = TcpStream::connect(("127.0.0.1", port)) {
        let _ = late.write_all(&frame(&hello(1, "null")));
    }
    succeeds(second);
    succeeds(first);
}

/// Two jobs at one port, and a rank that an old job has left behind: it is told so, and the job goes on.
#[test]
fn a_rank_of_another_job_is_refused_with_a_sentence() {
    let refused = |ours: &[(&str, &str)], theirs: &[(&str, &str)], sentence: &str| {
        let port = port();
        let first = of_job(0, port, ours);
        drop(knock(port));
        ends_as_the_page_says(of_job(1, port, theirs), 2, "error: rank 0 at 127.0.0.1:");
        ends(of_job(1, port, theirs), 2, sentence);
        succeeds(of_job(1, port, ours));
        succeeds(first);
    };
    let slurm = [("SLURM_JOB_ID", "18")];
    refused(
        &[("TORCHELASTIC_RUN_ID", "new")],
        &[("TORCHELASTIC_RUN_ID", "old")],
        "belongs to another job (TORCHELASTIC_RUN_ID=new; this rank has TORCHELASTIC_RUN_ID=old): set",
    );
    // torchrun's default is no id; SLURM's may still be there.
    refused(
        &[("TORCHELASTIC_RUN_ID", "none"), ("SLURM_JOB_ID", "17")],
        &[("TORCHELASTIC_RUN_ID", "none"), slurm[0]],
        "(SLURM_JOB_ID=17; this rank has SLURM_JOB_ID=18)",
    );
    refused(&slurm, &[], "(SLURM_JOB_ID=18; this rank has none)");
    let token = [("WORKBOOK_RANKS_TOKEN", "our-secret")];
    refused(&token, &[("WORKBOOK_RANKS_TOKEN", "theirs")], "has another WORKBOOK_RANKS_TOKEN: set the same");
    refused(&token, &[], "has another WORKBOOK_RANKS_TOKEN: set the same");
}

/// A rank of the job is believed, but can neither make rank 0 end well nor pass a wrong sum of one round.
#[test]
fn a_rank_that_lies_does_not_make_rank_0_end_well() {
    let right = "{\"Number\":0}";
    let stop =
        |cause: &str| format!("{{\"Stop\":{{\"cause\":\"{cause}\",\"sentence\":\"\\u001b[2J\\nok\"}}}}");
    let joins = |(number, said, status, sentence): &(usize, Vec<String>, i32, &str)| {
        let port = port();
        let first = one_of_two(0, port, "");
        let mut liar = knock(port);
        liar.write_all(&frame(&hello(*number, "null"))).unwrap();
        for message in said {
            // Rank 0 sends Go, then a sum for each number, and signs of life.
            let mut sent = read_frame(&mut liar);
            while sent == "\"Here\"" {
                sent = read_frame(&mut liar);
            }
            liar.write_all(&frame(message)).unwrap();
        }
        let output = end(first);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(sentence) && text.lines().count() == 1, "wanted {sentence:?}: {text}");
        assert_eq!(output.status.code(), Some(*status), "{text}");
        assert!(!String::from_utf8(output.stdout).unwrap().contains("sum of"), "{said:?}");
    };
    let mut cases = vec![
        (1, vec![stop("Work")], 1, "error: \\u{1b}[2J ok\n"),
        (1, vec![stop("Setup")], 2, "error: \\u{1b}[2J ok\n"),
        (1, vec![stop("Success")], 1, "error: rank 1 sent what is not a rank's message: "),
        (1, vec![hello(1, "null")], 1, "error: rank 1 sent a message out of turn\n"),
        (7, vec![], 2, "error: a process says that it is rank 7 of 2: ranks count from 0\n"),
        (0, vec![], 2, "error: two processes are rank 0\n"),
    ];
    // The number of one round; the first is what the sums are compared with, the last a farewell.
    for wrong in [1, 2, 12, 21, 22] {
        let mut numbers = vec![right.to_string(); wrong];
        numbers.push("{\"Number\":1}".into());
        let sentence =
            if wrong == 22 { "rank 0: the ranks do not end together" } else { "rank 0: the sum is " };
        cases.push((1, numbers, 1, sentence));
    }
    // Side by side, since each waits most of its time.
    std::thread::scope(|scope| {
        for case in &cases {
            scope.spawn(|| joins(case));
        }
    });
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
