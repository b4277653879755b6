//! A launcher in small: starts the ranks on this host, and waits for them.

use std::hash::{BuildHasher, RandomState};
use std::io::{Read, stdin};
use std::net::TcpListener;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use workbook::say;

use super::place::JOB;

/// Tells a rank that it has been started here.
pub const STARTED: &str = "WORKBOOK_RANKS_STARTED";

/// How much longer than its time-out a rank may take to end, once another has.
const GRACE: Duration = Duration::from_secs(5);

/// Starts this many ranks with this process's options. Returns 0 if all did, else the greatest of their
/// statuses.
pub fn start(ranks: u64, timeout: Duration) -> ExitCode {
    match children(ranks) {
        Ok(children) => say::status(wait(children, timeout + GRACE)),
        Err(error) => {
            say::err(&format!("error: cannot start the ranks: {error}\n"));
            say::status(2)
        }
    }
}

/// In a rank that has been started here: ends it when the program that started it ends, however that does.
/// That program holds the other end of this rank's standard input, and writes nothing there.
pub fn end_with_parent() {
    thread::spawn(|| {
        let _ = stdin().read(&mut [0]);
        say::err("error: the program that started this rank has ended\n");
        std::process::exit(1);
    });
}

/// The name of a job that no other job has.
fn job() -> String {
    let random = || RandomState::new().hash_one(());
    format!("{:016x}{:016x}", random(), random())
}

fn children(ranks: u64) -> std::io::Result<Vec<Child>> {
    // A port that nobody has: the system chooses one, and rank 0 takes it a moment later.
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let job = job();
    let child = |rank: u64| {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(std::env::args_os().skip(1)).env(STARTED, "1").env(JOB, &job);
        command.stdin(Stdio::piped()); // a pipe, whose other end goes with this process
        command.env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string());
        command.env("WORLD_SIZE", ranks.to_string()).env_remove("TORCHELASTIC_USE_AGENT_STORE");
        command.env("MASTER_ADDR", "127.0.0.1").env("MASTER_PORT", port.to_string()).spawn()
    };
    (0..ranks).map(child).collect()
}

/// Waits for all ranks, and kills those that still run so long after the first has ended: they hang. Returns
/// the greatest of their statuses; 1 of one that was killed.
fn wait(mut children: Vec<Child>, patience: Duration) -> u8 {
    let mut greatest = 0;
    let mut first_end = None;
    while !children.is_empty() {
        children.retain_mut(|child| {
            let Some(ended) = child.try_wait().transpose() else { return true };
            let code = ended.ok().and_then(|status| status.code());
            greatest = greatest.max(code.and_then(|code| code.try_into().ok()).unwrap_or(1));
            first_end.get_or_insert_with(Instant::now);
            false
        });
        if first_end.is_some_and(|end| end.elapsed() > patience) {
            for child in &mut children {
                let _ = child.kill(); // an error: it has just ended
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    greatest
}
