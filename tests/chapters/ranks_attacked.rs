//! Ranks among strangers: what others say on rank 0's port, or in its place, neither keeps the ranks from
//! their sum nor passes for one.

#[allow(dead_code)] // the tests need just what ranks prove
#[path = "../../examples/ranks/meeting/hello.rs"]
mod hello;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use hello::{PROTOCOL, Prover, proof};

use super::ranks::{FOR_EVER, command, end, ends, ends_as_the_page_says, library, port, rank, side_by_side};

/// A connection to rank 0, as soon as that listens.
pub fn knock(port: u16) -> TcpStream {
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// What a rank says first.
const GREETING: &str = "{\"Greeting\":{\"protocol\":3,\"random\":7}}\n";

/// The next line.
fn line(stream: &TcpStream) -> String {
    let (mut line, mut byte, mut stream) = (Vec::new(), [0], stream);
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    while line.last() != Some(&b'\n') {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "closed after {}", String::from_utf8_lossy(&line));
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}

/// A connection to rank 0 by one who has the token "ours", and has shown it.
fn join(port: u16) -> TcpStream {
    let mut stream = knock(port);
    stream.write_all(GREETING.as_bytes()).unwrap();
    let challenge: serde_json::Value = serde_json::from_str(&line(&stream)).unwrap();
    let random = challenge["Challenge"]["random"].as_u64().unwrap();
    assert_eq!(challenge["Challenge"]["proof"], proof("ours", Prover::First, 7, random), "it is rank 0");
    let proof = proof("ours", Prover::Other, 7, random);
    stream.write_all(format!("{{\"Proof\":{proof}}}\n").as_bytes()).unwrap();
    assert_eq!(line(&stream), "\"Welcome\"\n");
    stream
}

/// What rank 0 answers, until it closes the connection.
fn answer(mut stream: TcpStream) -> String {
    let mut said = Vec::new();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    if let Err(error) = stream.read_to_end(&mut said) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "rank 0 keeps it: {error}");
    }
    String::from_utf8(said).unwrap()
}

fn hello(rank: usize) -> String {
    let alike = "[\"2 ranks\",\"--n 1048576\",\"--seed 1\",\"--repeats 20\",\"rank 0 for the shares\"]";
    format!("{{\"Hello\":{{\"rank\":{rank},\"alike\":{alike},\"gpu\":null,\"fault\":null}}}}\n")
}

#[test]
fn who_is_no_rank_does_not_disturb_them() {
    let port = port();
    let first = rank(0, 2, port, "--repeats 1 --token ours");
    let mut strangers = Vec::new();
    let line = "x".repeat(1 << 20);
    for said in [
        "",
        "GET / HTTP/1.1\r\n\r\n",
        "\"Here\"\n{\"Number\":7}\n",
        "\u{1b}[2J\n",
        "{\"Stop\":{\"status\":0,\"sentence\":\"all is well\"}}\n",
        &hello(1),
        &(GREETING.to_string() + "{\"Stop\":{\"status\":0,\"sentence\":\"\"}}\n"),
        &(GREETING.to_string() + &hello(1)),
        &(GREETING.to_string() + "{\"Proof\":7}\n" + &hello(1)),
        &GREETING.repeat(2),
        &line,
    ] {
        let mut stranger = knock(port);
        let _ = stranger.write_all(said.as_bytes()); // it may be let go before it has said all
        strangers.push(stranger);
    }
    let second = rank(1, 2, port, "--repeats 1 --token ours");
    for child in [first, second] {
        let output = end(child);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Connections without end, each with a little or a lot to say: rank 0 takes in a rank among them, and gives
/// up in time where that rank is missing.
#[cfg(target_os = "linux")]
#[test]
fn a_flood_of_strangers_neither_delays_rank_0_nor_fills_its_memory() {
    for second_comes in [true, false] {
        let port = port();
        let begin = Instant::now();
        let first = rank(0, 2, port, "--repeats 1 --token ours --timeout 5");
        let id = first.id();
        let go_on = Arc::new(AtomicBool::new(true));
        let flood = |said: Vec<u8>| {
            let go_on = go_on.clone();
            std::thread::spawn(move || {
                let mut kept = VecDeque::new();
                while go_on.load(Ordering::Relaxed) {
                    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                    let _ = stream.set_nonblocking(true).and_then(|()| stream.write_all(&said));
                    kept.push_back(stream);
                    if kept.len() > 200 {
                        kept.pop_front();
                    }
                }
            })
        };
        let floods = [flood(b"{".to_vec()), flood(vec![b'x'; 1 << 20]), flood(b"\"Here\"\n".repeat(1 << 12))];
        std::thread::sleep(Duration::from_millis(500));
        let second = second_comes.then(|| rank(1, 2, port, "--repeats 1 --token ours --timeout 20"));
        if let Some(second) = second {
            for child in [first, second] {
                let output = end(child);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        } else {
            std::thread::sleep(Duration::from_secs(2));
            let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
            let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
            assert!(peak < 100_000, "{peak} kB");
            ends(first, 1, "error: rank 1 never arrived");
            assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
        }
        go_on.store(false, Ordering::Relaxed);
        floods.into_iter().for_each(|flood| flood.join().unwrap());
    }
}

/// Rank 0 keeps few of those that say nothing, and none that says too much: the oldest has to go, and the
/// rank that comes last is taken in.
#[test]
fn strangers_that_say_nothing_or_too_much_are_let_go() {
    let port = port();
    let mut first = rank(0, 2, port, "--repeats 1 --token ours");
    let mut silent: Vec<_> = (0..200).map(|_| knock(port)).collect();
    assert_eq!(answer(silent.remove(0)), "", "closed without an answer");
    let mut chatty = knock(port);
    let _ = chatty.write_all(&vec![b'x'; 1 << 16]);
    assert_eq!(answer(chatty), "", "closed without an answer");
    assert!(first.try_wait().unwrap().is_none());
    for child in [rank(1, 2, port, "--repeats 1 --token ours"), first] {
        let output = end(child);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A rank that has shown the token is none of them: it may say hello as late as it likes.
#[test]
fn strangers_do_not_displace_a_rank_that_has_the_token() {
    let port = port();
    let mut first = rank(0, 2, port, "--token ours");
    let mut second = join(port);
    for said in ["", GREETING] {
        let mut strangers: Vec<_> = (0..200).map(|_| knock(port)).collect();
        strangers.iter_mut().for_each(|stranger| {
            let _ = stranger.write_all(said.as_bytes()); // the oldest are closed already
        });
        let answer = answer(strangers.remove(0));
        assert!(answer.is_empty() || answer.starts_with("{\"Challenge\":"), "{answer}");
    }
    second.write_all(hello(1).as_bytes()).unwrap();
    let go = std::iter::repeat_with(|| line(&second)).find(|line| line != "\"Here\"\n").unwrap();
    assert!(go.starts_with("{\"Go\":"), "{go}");
    first.kill().unwrap();
    first.wait().unwrap();
}

/// A byte now and then, for ever: the meeting has one deadline, whatever comes meanwhile. The same of one who
/// knows the token, and of one who sends signs of life without end.
#[test]
fn who_is_slow_does_not_hold_up_the_meeting() {
    let greet = |port| {
        let mut stream = knock(port);
        stream.write_all(GREETING.as_bytes()).unwrap();
        stream
    };
    let begins: [fn(u16) -> TcpStream; 3] = [knock, greet, join];
    let rows = begins.into_iter().flat_map(|begin_with| [(begin_with, "{"), (begin_with, "\"Here\"\n")]);
    side_by_side(rows, |(begin_with, more)| {
        let port = port();
        let begin = Instant::now();
        let mut first = rank(0, 2, port, "--repeats 1 --token ours --timeout 2");
        let mut slow = begin_with(port);
        while first.try_wait().unwrap().is_none() && begin.elapsed() < Duration::from_secs(60) {
            let _ = slow.write_all(more.as_bytes());
            std::thread::sleep(Duration::from_millis(20));
        }
        ends(first, 1, "error: rank 1 never arrived");
    });
}

#[test]
fn another_job_or_another_build_is_told_so_and_does_not_disturb() {
    let port = port();
    let first = rank(0, 2, port, "--repeats 1 --token ours");
    let other = "error: rank 0 has another token: start all ranks as one job, or with one --token";
    ends_as_the_page_says(rank(1, 2, port, "--token theirs"), 2, other);
    ends(rank(1, 2, port, ""), 2, other);
    let mut of_launcher = command("");
    of_launcher.envs([("RANK", "1"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "1"), ("SLURM_JOB_ID", "17")]);
    ends(of_launcher.env("MASTER_PORT", port.to_string()).spawn().unwrap(), 2, other);
    let mut older = knock(port);
    older.write_all(b"{\"Greeting\":{\"protocol\":1,\"token\":\"ours\",\"more\":[]}}\n").unwrap();
    let said = answer(older);
    assert!(said.contains("speaks version 3 of the ranks' protocol, and this rank version 1"), "{said}");
    let second = rank(1, 2, port, "--repeats 1 --token ours");
    for child in [first, second] {
        let output = end(child);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A job's name counts to its last byte, whatever its bytes; one that is too long for that is refused.
#[test]
fn jobs_whose_long_names_differ_late_stay_apart() {
    let port = port();
    let of_job = |number: usize, job: &str| {
        let mut command = command("--repeats 1");
        command.env("RANK", number.to_string()).env("LOCAL_RANK", number.to_string());
        command.env("WORLD_SIZE", "2").env("MASTER_PORT", port.to_string());
        command.env("TORCHELASTIC_RUN_ID", job).spawn().unwrap()
    };
    let [ours, theirs] = ["a", "b"].map(|end| "\u{1}".repeat(1023) + end);
    let first = of_job(0, &ours);
    ends(of_job(1, &theirs), 2, "error: rank 0 has another token");
    for child in [of_job(1, &ours), first] {
        let output = end(child);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let refused = "error: TORCHELASTIC_RUN_ID has 1025 bytes, and at most 1024 name a job: give all ranks";
    ends(of_job(1, &(ours + "c")), 2, refused);
}

/// One who knows the token and says what no rank says ends the meeting, and not well: rank 0 has status 1 or
/// 2, shows what it was told in one line without escapes, and prints no sum.
#[test]
fn who_says_hello_cannot_make_rank_0_end_well() {
    let stop =
        |status: &str| format!("{{\"Stop\":{{\"status\":{status},\"sentence\":\"\\u001b[2J\\nok\"}}}}\n");
    let shorter = hello(1).replace(",\"rank 0 for the shares\"", "");
    let of_fault = hello(1).replace("\"fault\":null", "\"fault\":{\"status\":0,\"sentence\":\"a\\u0007b\"}");
    let endless = hello(1) + &"{\"Number\":7}\n".repeat(100_000);
    let rows = [
        (hello(1) + &stop("0"), 1, "error: \\u{1b}[2J\\nok\n"),
        (hello(1) + &stop("77"), 1, "error: \\u{1b}[2J\\nok\n"),
        (hello(1) + &stop("2"), 2, "error: \\u{1b}[2J\\nok\n"),
        (hello(1), 1, "error: rank 1 has ended before the sum was there\n"),
        (of_fault, 1, "error: a\\u{7}b\n"),
        (shorter, 2, "error: rank 1 has nothing there, and rank 0 has rank 0 for the shares: all need"),
        (hello(2), 2, "error: a process is rank 2 of 2: ranks are counted from 0\n"),
        (hello(usize::MAX), 2, "of 2: ranks are counted from 0\n"),
        (hello(0), 2, "error: two processes are rank 0\n"),
        (endless, 1, "error: "),
        (hello(1) + "{\"Number\":7}\n{\"Number\":7}\n{\"Number\":7}\n", 1, "error: "),
    ];
    side_by_side(rows, |(said, status, sentence)| {
        let port = port();
        let first = rank(0, 2, port, "--token ours --timeout 10");
        let mut impostor = join(port);
        let _ = impostor.write_all(said.as_bytes());
        if said == hello(1) {
            impostor.shutdown(Shutdown::Write).unwrap();
        }
        let output = end(first);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(sentence) && text.lines().count() == 1, "{said:.300}\n{text}");
        assert_eq!(output.status.code(), Some(status), "{said:.300}\n{text}");
        assert!(!String::from_utf8(output.stdout).unwrap().contains("sum of"), "{said:.300}");
    });
}

/// What listens in rank 0's place neither keeps a rank for longer than its time, nor makes it end well, nor
/// learns its token.
#[test]
fn who_is_no_rank_0_does_not_keep_a_rank() {
    let unproved = format!("{{\"Challenge\":{{\"protocol\":{PROTOCOL},\"random\":1,\"proof\":1}}}}\n");
    let newer = unproved.replace("3", "4");
    let nobody = "does not answer as rank 0 does";
    let rows = [
        ("", 1, "error: rank 0 never arrived: rank 1 found nobody at 127.0.0.1:"),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", 1, nobody),
        ("\"Here\"\n\"Welcome\"\n{\"Number\":1}\n", 1, nobody),
        (
            "{\"Stop\":{\"status\":0,\"sentence\":\"all is well\"}}\n",
            1,
            "error: what answers for rank 0, without a proof, says: all is well\n",
        ),
        (&unproved, 2, "error: rank 0 has another token"),
        (&newer, 2, "rank 0 speaks version 4 of the ranks' protocol, and this rank"),
        ("echo", 1, nobody),
    ];
    side_by_side(rows, |(said, status, sentence)| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut child = rank(1, 2, port, "--timeout 2 --token our-secret");
        listener.set_nonblocking(true).unwrap();
        let mut kept: Vec<TcpStream> = Vec::new();
        let mut heard = Vec::new();
        while child.try_wait().unwrap().is_none() {
            if let Ok((mut stream, _)) = listener.accept() {
                if said != "echo" {
                    let _ = stream.write_all(said.as_bytes());
                }
                stream.set_nonblocking(true).unwrap();
                kept.push(stream);
            }
            for stream in &mut kept {
                let mut bytes = [0; 4096];
                let count = stream.read(&mut bytes).unwrap_or(0);
                heard.extend(&bytes[..count]);
                if said == "echo" {
                    let _ = stream.write_all(&bytes[..count]);
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        ends(child, status, sentence);
        let heard = String::from_utf8(heard).unwrap();
        assert!(heard.starts_with("{\"Greeting\":") && !heard.contains("secret"), "{heard}");
    });
}

/// Whoever has the token and listens in rank 0's place may stop a rank, and no more.
#[test]
fn a_rank_0_that_says_what_it_should_not_ends_the_rank() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let child = rank(1, 2, listener.local_addr().unwrap().port(), "--timeout 5 --token ours");
    let mut stream = listener.accept().unwrap().0;
    let greeting: serde_json::Value = serde_json::from_str(&line(&stream)).unwrap();
    let proof = proof("ours", Prover::First, greeting["Greeting"]["random"].as_u64().unwrap(), 9);
    let challenge = format!("{{\"Challenge\":{{\"protocol\":{PROTOCOL},\"random\":9,\"proof\":{proof}}}}}\n");
    stream.write_all((challenge + "\"Welcome\"\n{\"Number\":1}\n").as_bytes()).unwrap();
    ends(child, 1, "error: rank 0 answered something else than was asked\n");
}

/// Rank 0 listens where its name leads, and nowhere else; to other hosts only where the job has a token.
#[cfg(target_os = "linux")]
#[test]
fn rank_0_listens_at_its_name_alone() {
    let at = |host: &str, port: u16, options: &str| {
        let mut command = command(options);
        command.envs([("RANK", "0"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "0"), ("MASTER_ADDR", host)]);
        command.env("MASTER_PORT", port.to_string()).spawn().unwrap()
    };
    let port = port();
    let mut first = at("127.0.0.2", port, "--token ours");
    while TcpStream::connect(("127.0.0.2", port)).is_err() {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "it listens elsewhere, too");
    first.kill().unwrap();
    first.wait().unwrap();
    ends(at("0.0.0.0", self::port(), ""), 2, "give all ranks the same --token");
    let of_job = |name: &str, job: &str| {
        let mut command = command("--timeout 1");
        command.envs([("RANK", "0"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "0"), ("MASTER_ADDR", "0.0.0.0")]);
        command.env("MASTER_PORT", self::port().to_string()).env(name, job).spawn().unwrap()
    };
    ends(of_job("TORCHELASTIC_RUN_ID", "none"), 2, "give all ranks the same --token"); // torchrun's default
    ends(of_job("TORCHELASTIC_RUN_ID", "a1b2"), 1, "rank 1 never arrived");
    ends(of_job("SLURM_JOB_ID", "17"), 1, "rank 1 never arrived");
    ends(at("192.0.2.1", self::port(), "--token ours"), 2, "or MASTER_ADDR is the name of another host");
    ends(at("ours.invalid", self::port(), "--token ours"), 2, "rank 0 finds no address of ours.invalid:");
    let bytes = std::os::unix::ffi::OsStringExt::from_vec(b"a\xff.invalid".to_vec());
    let mut no_text = command("");
    no_text.envs([("RANK", "0"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "0")]);
    let no_text = no_text.env::<_, std::ffi::OsString>("MASTER_ADDR", bytes).spawn().unwrap();
    ends(no_text, 2, "rank 0 finds no address of a\u{fffd}.invalid:");
    ends(at("127.0.0.1", 0, ""), 2, "MASTER_PORT=0 is no port that all ranks can name");
    let empty = end(at("127.0.0.1", port, "--token="));
    assert_eq!(empty.status.code(), Some(2));
}

/// A library for which every name leads to `addresses`, and which has `more`.
#[cfg(target_os = "linux")]
fn names(file: &str, addresses: &[&str], more: &str) -> std::path::PathBuf {
    let code = r#"
        use std::ffi::{CString, c_char, c_int, c_void};
        unsafe extern "C" { fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void; }
        type LookUp = unsafe extern "C" fn(*const c_char, usize, usize, *mut *mut u8) -> c_int;
        #[unsafe(no_mangle)]
        unsafe extern "C" fn getaddrinfo(_: usize, port: usize, how: usize, to: *mut *mut u8) -> c_int {
            unsafe {
                let next = std::mem::transmute::<_, LookUp>(dlsym(-1isize as _, c"getaddrinfo".as_ptr()));
                let (mut last, mut status) = (to, 0);
                for address in ADDRESSES {
                    status |= next(CString::new(address).unwrap().as_ptr(), port, how, last);
                    last = (*last).add(40).cast(); // ai_next, where addresses have 64 bits
                }
                status
            }
        }"#;
    library(file, &(code.replace("ADDRESSES", &format!("{addresses:?}")) + more)).join(file)
}

/// A name may lead to several addresses: rank 0 listens at each, or at none.
#[cfg(target_os = "linux")]
#[test]
fn who_has_one_of_rank_0s_addresses_is_not_taken_for_it() {
    let names = names("libnames.so", &["127.0.0.2", "127.0.0.1"], "");
    let start = |number: &str, port: u16| {
        let mut command = command("--repeats 1 --token ours --timeout 20");
        command.envs([("RANK", number), ("WORLD_SIZE", "2"), ("LOCAL_RANK", number)]);
        command.env("MASTER_ADDR", "ours").env("MASTER_PORT", port.to_string());
        command.env("LD_PRELOAD", &names).spawn().unwrap()
    };
    for taken in ["127.0.0.1", "127.0.0.2"] {
        let other = TcpListener::bind((taken, 0)).unwrap();
        ends(start("0", other.local_addr().unwrap().port()), 2, "rank 0 cannot listen at ours:");
    }
    let port = port();
    let first = start("0", port);
    for address in ["127.0.0.1", "127.0.0.2"] {
        let begin = Instant::now();
        while TcpStream::connect((address, port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(10), "nobody listens at {address}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    for child in [first, start("1", port)] {
        let output = end(child);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// However many addresses a name leads to, a rank does not try them for longer than it has time.
#[cfg(target_os = "linux")]
#[test]
fn a_name_with_many_addresses_does_not_keep_a_rank() {
    let slow = r#"
        #[unsafe(no_mangle)]
        extern "C" fn connect() -> c_int {
            std::thread::sleep(std::time::Duration::from_millis(100));
            -1
        }"#;
    let names = names("libmany.so", &["127.0.0.1"; 400], slow);
    let mut command = command("--timeout 1 --token ours");
    command.envs([("RANK", "1"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "1"), ("MASTER_ADDR", "ours")]);
    let begin = Instant::now();
    ends(command.env("LD_PRELOAD", names).spawn().unwrap(), 1, "rank 1 found nobody at ours:");
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

/// However the launcher that has started them ends, its ranks end.
#[cfg(target_os = "linux")]
#[test]
fn ranks_end_with_their_launcher() {
    // A shell's background job ignores interrupts, and so does all that it starts.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignores_interrupts = u64::from_str_radix(ignored.trim(), 16).unwrap() & 2 != 0;
    let signals = ["-INT", "-TERM", "-KILL"].into_iter().skip(usize::from(ignores_interrupts));
    for signal in signals {
        let mut launcher = command(&format!("--start 2 {FOR_EVER}")).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(launcher.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        assert!(line.contains("2 ranks"), "{line}");
        assert!(Command::new("kill").args([signal, &launcher.id().to_string()]).status().unwrap().success());
        launcher.wait().unwrap();
        // Both ranks have this pipe, too, and its end is theirs.
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || tell.send(output.read_line(&mut line).unwrap()));
        assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok(0), "{signal}: the ranks go on");
    }
}

/// A rank that hangs neither keeps its launcher nor survives it.
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
