//! A minimal launcher: starts the ranks on this host, and waits for them.

use std::io::{copy, sink, stdin};
use std::net::TcpListener;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use workbook::text::say;

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

fn children(ranks: u64) -> std::io::Result<Vec<Child>> {
    // A free port: the system chooses one, and rank 0 takes it a moment later.
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let child = |rank: u64| {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(std::env::args_os().skip(1)).env(STARTED, "1").stdin(Stdio::piped());
        command.env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string());
        command.env("WORLD_SIZE", ranks.to_string()).env_remove("TORCHELASTIC_USE_AGENT_STORE");
        command.env("MASTER_ADDR", "127.0.0.1").env("MASTER_PORT", port.to_string()).spawn()
    };
    (0..ranks).map(child).collect()
}

/// In a rank that was started here: ends it when its launcher ends, however that is. The launcher keeps the
/// other end of the pipe that is this rank's stdin and never writes to it; the system closes that end.
pub fn end_with_launcher() -> std::io::Result<()> {
    let wait = || {
        let _ = copy(&mut stdin(), &mut sink()); // until it is closed
        say::err("error: this rank's launcher has exited\n");
        std::process::exit(1);
    };
    std::thread::Builder::new().spawn(wait).map(drop)
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
