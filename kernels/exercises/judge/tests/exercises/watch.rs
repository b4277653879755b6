//! `watch`: a check whenever a file is saved.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::learner::{Learner, exercise, mutant, shown};

/// Ended when the test ends.
struct Watch(Child);

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn watch_checks_what_is_saved_and_moves_on() {
    let learner = Learner::new("watch");
    let mut command = learner.command("watch 2.1");
    let mut watch = Watch(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    let mut keyboard = watch.0.stdin.take().unwrap();
    let mut enter = || keyboard.write_all(b"\n").unwrap();
    let mut out = watch.0.stdout.take().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = out.read(&mut bytes) {
            let _ = send.send(String::from_utf8_lossy(&bytes[..count]).into_owned());
        }
    });
    let mut seen = String::new();
    let mut wait_for = |part: &str| {
        let started = Instant::now();
        while !seen.contains(part) {
            assert!(started.elapsed() < Duration::from_secs(60), "no {part:?} in\n{seen}");
            seen += &receive.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        }
        seen = seen.split_once(part).unwrap().1.to_string();
    };
    wait_for(&format!("Watching {}", shown("kernels/exercises/2_1_barrier.cu")));
    learner.write(&exercise("2.1"), &mutant("2.1", "in-the-if"));
    wait_for("error[barrier-divergence]");
    // Another file is checked, too, and this one stays the one that is waited for.
    learner.write(&exercise("3.2"), &mutant("3.2", "as-before"));
    wait_for("3.2 No divergence before 32: not yet");
    learner.write(&exercise("2.1"), &exercise("2.1").solution());
    wait_for("2.1 One barrier is enough: passed");
    wait_for("Enter goes on to 2.2");
    enter();
    wait_for(&format!("Watching {}", shown("kernels/exercises/2_2_any_length.cu")));
    // Whoever solves another one first goes on from there; 2.2 stays open, and so does 1.2.
    learner.write(&exercise("3.2"), &exercise("3.2").solution());
    wait_for("3.2 No divergence before 32: passed");
    wait_for("Enter goes on to 3.3");
    enter();
    wait_for(&format!("Watching {}", shown("kernels/exercises/3_3_one_load_fewer.cu")));
}
