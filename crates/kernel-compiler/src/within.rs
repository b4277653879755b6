//! Runs a program for a limited time and in limited memory, then kills it and everything it has started.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub use super::watcher::MAX_MEMORY;
use super::watcher::Watcher;

/// Bytes that are kept of what is written to each of stdout and stderr.
const MAX_KEPT: usize = 1 << 20;
/// How long a pipe is waited for that others, who have left the process group, still have.
const GRACE: Duration = Duration::from_millis(200);

/// What a program has left behind.
#[derive(Debug)]
pub struct Ran {
    /// `None`: it was ended at the limit.
    pub status: Option<ExitStatus>,
    /// What it wrote to stdout, as text.
    pub stdout: String,
    /// The same for stderr.
    pub stderr: String,
}

/// Runs `command` for `limit` at most, with `input`, a few words, on its stdin. What it has started is not
/// waited for, and ended with it, as far as it is still in its process group; and so it is if this program
/// ends first, however that happens. Then `scratch`, the folder it works in, is removed too (on Unix).
///
/// # Errors
/// If it does not start.
pub fn run(command: &Command, input: &str, limit: Duration, scratch: Option<&Path>) -> Result<Ran> {
    let mut command = confined(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let watcher = match Watcher::new(&child, scratch) {
        Ok(watcher) => watcher,
        Err(error) => {
            child.kill()?;
            child.wait()?;
            return Err(error);
        }
    };
    if let Some(mut stdin) = child.stdin.take() {
        let start = if cfg!(unix) { "\n" } else { "" };
        // Who does not read it does not need it.
        let _ = stdin.write_all(format!("{start}{input}").as_bytes());
    }
    let stdout = kept(child.stdout.take());
    let stderr = kept(child.stderr.take());
    let started = Instant::now();
    let status = loop {
        match child.try_wait()? {
            None if started.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
            status => break status,
        }
    };
    watcher.end();
    child.wait()?;
    let stdout = text(stdout);
    let stderr = text(stderr);
    if cfg!(unix) && matches!(status.and_then(|status| status.code()), Some(126 | 127)) {
        return Err(Error::new(ErrorKind::NotFound, stderr.trim_end())); // the shell's word for it
    }
    Ok(Ran { status, stdout, stderr })
}

/// `command` in a process group of its own, so that it can be ended with all that it starts, and with limited
/// memory. On Unix it waits for a line on stdin: till then no watcher knows of it.
fn confined(command: &Command) -> Command {
    let mut confined = Command::new(if cfg!(unix) { "sh".as_ref() } else { command.get_program() });
    if cfg!(unix) {
        let kilobytes = MAX_MEMORY >> 10;
        // macOS has no such limit.
        let limit = format!("ulimit -v {kilobytes} 2>/dev/null || :");
        confined.arg("-c").arg(format!("read -r _ || exit; {limit}; exec \"$0\" \"$@\""));
        confined.arg(command.get_program());
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut confined, 0);
    confined.args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        confined.current_dir(directory);
    }
    confined.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    confined
}

/// What comes through a pipe first; the rest is let go: a loop may print for as long as it is allowed to run.
fn kept(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (give, kept) = channel();
    std::thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut part = [0; 4096];
        let mut room = MAX_KEPT;
        while let Ok(count @ 1..) = pipe.read(&mut part) {
            let count = count.min(room);
            room -= count;
            if count > 0 && give.send(part[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    kept
}

/// What has been kept, as text.
fn text(kept: Receiver<Vec<u8>>) -> String {
    let mut bytes = Vec::new();
    while let Ok(part) = kept.recv_timeout(GRACE) {
        bytes.extend(part);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ran {
        let mut command = Command::new("sh");
        run(command.args(["-c", script]), "", limit, None).unwrap()
    }

    /// Whether no process has `word` among its arguments.
    #[cfg(target_os = "linux")]
    fn is_gone(word: &str) -> bool {
        let files = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = files.filter_map(|file| std::fs::read(file.path().join("cmdline")).ok());
        lines.map(|line| String::from_utf8_lossy(&line).into_owned()).all(|line| !line.contains(word))
    }

    #[test]
    fn what_is_started_ends_with_it_and_is_not_waited_for() {
        let ran = shell("echo here; echo there >&2; exit 3", Duration::from_secs(60));
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("here\n", "there\n"));
        assert_eq!(ran.status.and_then(|status| status.code()), Some(3));
        // It holds the pipe, and would for an hour.
        let ran = shell("echo here; sleep 3601.25 & exit 0", Duration::from_secs(60));
        assert_eq!((ran.stdout.as_str(), ran.status.is_some()), ("here\n", true));
        let ran = shell("echo here; sleep 3602.25; echo never", Duration::from_millis(100));
        assert_eq!((ran.stdout.as_str(), ran.status.is_some()), ("here\n", false));
        #[cfg(target_os = "linux")]
        let started = Instant::now();
        #[cfg(target_os = "linux")]
        while !(is_gone("3601.25") && is_gone("3602.25")) {
            assert!(started.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let missing = run(&Command::new("/no/such/program"), "", Duration::from_secs(60), None).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
    }
}
