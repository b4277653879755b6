//! A launcher in small: starts the ranks on this host, and waits for them. They end when it ends, and it ends
//! soon after the first of them.

use std::net::TcpListener;
use std::process::{Child, ChildStdin, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use workbook::say;

use super::meeting::random;

/// Tells a rank that it has been started here.
const STARTED: &str = "WORKBOOK_RANKS_STARTED";

/// How much longer than its time-out a rank may take to end, once another has.
const GRACE: Duration = Duration::from_secs(5);

/// Starts this many ranks with this process's options. Returns 0 if all did, else the greatest of their
/// statuses.
pub fn start(ranks: usize, timeout: Duration) -> ExitCode {
    match children(ranks) {
        Ok((children, _pipes)) => say::status(wait(children, timeout + GRACE)),
        Err(error) => {
            say::err(&format!("error: cannot start the ranks: {error}\n"));
            say::status(2)
        }
    }
}

/// In a rank that has been started here: ends it as soon as its launcher is gone, however that ended. What it
/// reads is a pipe that nobody writes to, and the system closes it then.
pub fn end_with_launcher() {
    if std::env::var_os(STARTED).is_some() {
        std::thread::spawn(|| {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            std::process::exit(1);
        });
    }
}

/// The ranks, and what has to stay open for as long as they run.
fn children(ranks: usize) -> std::io::Result<(Vec<Child>, Vec<Option<ChildStdin>>)> {
    // A port that nobody has: the system chooses one, and rank 0 takes it a moment later.
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut options: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(start) = options.iter().position(|option| option == "--start") {
        options.drain(start..start + 2);
    }
    options.retain(|option| !option.to_string_lossy().starts_with("--start="));
    let job = format!("{:016x}{:016x}", random(), random());
    let (mut children, mut pipes) = (Vec::new(), Vec::new());
    for rank in 0..ranks {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(&options).env_remove("TORCHELASTIC_USE_AGENT_STORE");
        command.env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string());
        command.env("WORLD_SIZE", ranks.to_string());
        command.env("MASTER_ADDR", "127.0.0.1").env("MASTER_PORT", port.to_string());
        command.env("TORCHELASTIC_RUN_ID", &job).env(STARTED, "1").stdin(Stdio::piped());
        let mut child = command.spawn()?; // where one fails, the others' pipes are closed
        pipes.push(child.stdin.take());
        children.push(child);
    }
    Ok((children, pipes))
}

/// Waits for all ranks, and kills those that still run so long after the first has ended: they hang. Returns
/// the greatest of their statuses.
fn wait(mut children: Vec<Child>, patience: Duration) -> u8 {
    let (mut greatest, mut first_end) = (0, None);
    loop {
        children.retain_mut(|child| {
            let ended = child.try_wait().transpose();
            if let Some(ended) = &ended {
                greatest = greatest.max(ended.as_ref().map_or(1, status));
                first_end.get_or_insert_with(Instant::now);
            }
            ended.is_none()
        });
        if children.is_empty() {
            return greatest;
        }
        if first_end.is_some_and(|end| end.elapsed() > patience) {
            for child in &mut children {
                let _ = child.kill(); // an error: it has just ended
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The exit status; 1 of a rank that was killed.
fn status(status: &ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
