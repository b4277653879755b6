//! A launcher in small: starts the ranks on this host, and waits for them.

use std::net::TcpListener;
use std::process::{Child, Command, ExitCode};

use workbook::say;

/// Starts so many ranks with this process's options. Returns 0 if all did, else the greatest of their
/// statuses.
pub fn start(ranks: usize) -> ExitCode {
    match children(ranks) {
        Ok(children) => ExitCode::from(children.into_iter().map(status).max().unwrap_or(0)),
        Err(error) => {
            say::err(&format!("error: cannot start the ranks: {error}\n"));
            say::status(2)
        }
    }
}

fn children(ranks: usize) -> std::io::Result<Vec<Child>> {
    // A port that nobody has: the system chooses one, and rank 0 takes it a moment later.
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut options: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(start) = options.iter().position(|option| option == "--start") {
        options.drain(start..start + 2);
    }
    options.retain(|option| !option.to_string_lossy().starts_with("--start="));
    let mut children = Vec::new();
    for rank in 0..ranks {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(&options).env_remove("TORCHELASTIC_USE_AGENT_STORE");
        command.env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string());
        command.env("WORLD_SIZE", ranks.to_string());
        command.env("MASTER_ADDR", "127.0.0.1").env("MASTER_PORT", port.to_string());
        // Those that have been started end by themselves: one of them never arrives.
        children.push(command.spawn()?);
    }
    Ok(children)
}

/// The exit status; 1 of a rank that was killed.
fn status(mut child: Child) -> u8 {
    let code = child.wait().ok().and_then(|status| status.code());
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
